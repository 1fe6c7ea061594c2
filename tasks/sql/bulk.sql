-- name: reassign
-- Waiting tasks get another agent and its present version. The plain key is that of their generation; fair agents stamp their own after this.
UPDATE tasks SET agent_id = %(agent)s, agent_version_id = %(version)s, start_key = (extract(epoch FROM enqueued_at) * 1000000)::bigint,
  blocked_since = NULL, blocked_by = ''
WHERE id = ANY(%(tasks)s::bigint[]) AND status = 'enqueued' AND agent_id <> %(agent)s
RETURNING id

-- name: release
-- The present attempt of running tasks is to be given up: whoever looks after it stops it, and its confirmed end sends the task back to the
-- queue. Nothing runs twice, because nothing is taken from a holder that still answers.
UPDATE task_attempts SET stop_requested_at = agentaudit_now(), stop_reason = 'released'
WHERE id = ANY(ARRAY(
    SELECT a.id FROM tasks t JOIN task_attempts a ON a.id = t.current_attempt
    WHERE t.id = ANY(%(tasks)s::bigint[]) AND t.status = 'processing' AND a.ended_at IS NULL AND a.stop_requested_at IS NULL))
RETURNING task_id AS id

-- name: drain
UPDATE workers SET drain_requested_at = CASE WHEN %(drained)s THEN agentaudit_now() END
WHERE id = ANY(%(workers)s::uuid[]) AND stopped_at IS NULL AND (drain_requested_at IS NOT NULL) <> %(drained)s
RETURNING id

-- name: is_drained
SELECT drain_requested_at IS NOT NULL AS drained FROM workers WHERE id = %(worker)s
