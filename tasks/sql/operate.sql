-- name: operate_lock_lanes
-- Lanes come before tasks in the lock order: they may be stamped for what is moved.
SELECT l.id FROM lanes l
WHERE l.agent_id = ANY(ARRAY(
  SELECT a.id FROM agents a WHERE a.is_fair AND a.id = ANY(ARRAY(SELECT agent_id FROM tasks WHERE id = ANY(%(tasks)s::bigint[])))))
ORDER BY l.id FOR UPDATE

-- name: operate_lock
-- The tasks that a person wants to change, locked in id order; what cannot be changed is told apart from what is gone.
SELECT id, status, generation, priority, agent_id, agent_version_id, client_id, deferred, current_attempt, cancel_requested_at IS NOT NULL AS cancel_requested,
  EXISTS (SELECT FROM clients c WHERE c.id = client_id AND c.deletion_began_at IS NOT NULL) AS is_deleted
FROM tasks WHERE id = ANY(%(tasks)s::bigint[]) ORDER BY id FOR UPDATE

-- name: operate_pruned
-- Whose data were deleted after retention. In a statement after the lock: that one's snapshot may be older than what it waited for.
SELECT t.id FROM tasks t JOIN extractions e ON e.id = t.extraction_id WHERE t.id = ANY(%(tasks)s::bigint[]) AND e.pruned_at IS NOT NULL

-- name: operate_lock_attempts
SELECT id FROM task_attempts WHERE task_id = ANY(%(tasks)s::bigint[]) AND ended_at IS NULL ORDER BY id FOR UPDATE

-- name: reprocess
-- Terminal tasks start a new generation. While an older run of them is not confirmed ended they wait for that, a lease long at most,
-- so that the new run does not meet the old one.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
flagged AS (
  UPDATE task_attempts a SET stop_requested_at = coalesce(a.stop_requested_at, clock.now),
    stop_reason = CASE WHEN a.stop_reason = '' THEN 'reprocess' ELSE a.stop_reason END
  FROM clock WHERE a.task_id = ANY(%(tasks)s::bigint[]) AND a.ended_at IS NULL
  RETURNING a.task_id
)
UPDATE tasks t SET status = 'enqueued', generation = t.generation + 1, priority = greatest(t.priority, %(least_priority)s), raised_from = NULL,
  agent_id = coalesce(%(agent)s, t.agent_id), agent_version_id = coalesce(%(version)s, t.agent_version_id),
  start_key = (extract(epoch FROM clock.now) * 1000000)::bigint, enqueued_at = clock.now, finished_at = NULL,
  deferred = t.id IN (SELECT task_id FROM flagged),
  available_at = CASE WHEN t.id IN (SELECT task_id FROM flagged) THEN clock.now + make_interval(secs => %(lease_seconds)s) ELSE clock.now END,
  attempts_burnt = 0, attempts_released = 0, timeouts = 0, current_attempt = NULL, error_code = '', error_message = '', needs_review = false
FROM clock
WHERE t.id = ANY(%(tasks)s::bigint[]) AND t.status IN ('completed', 'failed', 'cancelled')
RETURNING t.id

-- name: retry_now
-- What waits for its next attempt does not wait any longer. What waits for the end of its old run does: the new one would be a second bill.
UPDATE tasks t SET available_at = agentaudit_now(), deferred = false
WHERE t.id = ANY(%(tasks)s::bigint[]) AND t.status = 'enqueued' AND t.deferred
  AND NOT EXISTS (SELECT FROM task_attempts a WHERE a.task_id = t.id AND a.ended_at IS NULL)
RETURNING t.id

-- name: cancel_waiting
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
gone AS (
  UPDATE tasks t SET status = 'cancelled', finished_at = clock.now, deferred = false, blocked_since = NULL, blocked_by = '',
    sealed_password = NULL, error_code = 'cancelled', error_message = ''
  FROM clock WHERE t.id = ANY(%(tasks)s::bigint[]) AND t.status = 'enqueued'
  RETURNING t.id
),
flagged AS (
  UPDATE task_attempts a SET stop_requested_at = coalesce(a.stop_requested_at, clock.now),
    stop_reason = CASE WHEN a.stop_reason = '' THEN 'cancelled' ELSE a.stop_reason END
  FROM clock WHERE a.task_id = ANY(ARRAY(SELECT id FROM gone)) AND a.ended_at IS NULL
)
SELECT id FROM gone

-- name: cancel_running
-- A wish, read at every heartbeat: the task is cancelled once its run is confirmed ended; a result that arrives first wins.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
wished AS (
  UPDATE tasks t SET cancel_requested_at = clock.now FROM clock
  WHERE t.id = ANY(%(tasks)s::bigint[]) AND t.status = 'processing' AND t.cancel_requested_at IS NULL
  RETURNING t.id
),
flagged AS (
  UPDATE task_attempts a SET stop_requested_at = coalesce(a.stop_requested_at, clock.now),
    stop_reason = CASE WHEN a.stop_reason = '' THEN 'cancelled' ELSE a.stop_reason END
  FROM clock WHERE a.task_id = ANY(ARRAY(SELECT id FROM wished)) AND a.ended_at IS NULL
)
SELECT id FROM wished

-- name: reprioritise
UPDATE tasks SET priority = %(priority)s, raised_from = NULL, blocked_since = NULL, blocked_by = ''
WHERE id = ANY(%(tasks)s::bigint[]) AND status IN ('enqueued', 'processing') AND priority <> %(priority)s
RETURNING id

-- name: run_next
-- Before everything of its agent that waits on its own level: the key of the level's head, less one.
UPDATE tasks t SET start_key = coalesce((
  SELECT h.start_key FROM tasks h WHERE h.agent_id = t.agent_id AND h.priority = t.priority AND h.status = 'enqueued' AND NOT h.deferred
  ORDER BY h.priority DESC, h.start_key, h.id LIMIT 1), t.start_key) - 1
WHERE t.id = %(task)s AND t.status = 'enqueued'
RETURNING t.id

-- name: raise_head
-- Ageing: this task goes before everything that waits for its agent. Where it came from is kept, so that its start counts there.
UPDATE tasks t SET raised_from = coalesce(t.raised_from, t.priority), (priority, start_key) = (
  SELECT h.priority, h.start_key - 1 FROM tasks h WHERE h.agent_id = t.agent_id AND h.status = 'enqueued' AND NOT h.deferred
  ORDER BY h.priority DESC, h.start_key, h.id LIMIT 1)
WHERE t.id = ANY(ARRAY(
  SELECT id FROM tasks WHERE id = %(task)s AND status = 'enqueued' AND NOT deferred FOR UPDATE SKIP LOCKED))
RETURNING t.id, t.priority

-- name: pause_agent
UPDATE agents SET is_paused = %(paused)s WHERE id = %(id)s AND is_paused <> %(paused)s RETURNING id

-- name: pause_client
UPDATE clients SET is_paused = %(paused)s WHERE id = %(id)s AND is_paused <> %(paused)s RETURNING id

-- name: hold_client
-- Whether anything may be handed in for a client. A deletion that is about to begin waits until this transaction has ended, and then finds its tasks.
SELECT deletion_began_at IS NULL AS takes FROM clients WHERE id = %(client)s FOR KEY SHARE

-- name: hold_extraction
-- Whether documents may be added to an extraction, which is not pruned before this transaction has ended.
SELECT pruned_at IS NULL AS takes FROM extractions WHERE id = %(extraction)s FOR SHARE

-- name: pause_everything
UPDATE switches SET is_paused = %(paused)s WHERE id = 1 AND is_paused <> %(paused)s RETURNING id

-- name: end_cooldown_agent
-- It ends now, not as if it had never been: what follows a cool-down starts gently.
UPDATE agents SET cooldown_until = agentaudit_now() WHERE id = ANY(%(agents)s::bigint[]) AND cooldown_until > agentaudit_now() RETURNING id

-- name: end_cooldown_pool
UPDATE pools SET cooldown_until = agentaudit_now() WHERE id = ANY(%(pools)s::bigint[]) AND cooldown_until > agentaudit_now() RETURNING id

-- name: switch_maintenance
UPDATE switches SET maintenance_since = CASE WHEN %(on)s::bool THEN agentaudit_now() END, maintenance_reason = %(reason)s
WHERE id = 1 AND (maintenance_since IS NOT NULL) <> %(on)s::bool RETURNING id

-- name: declared_ended
-- An operator vouches that nothing of these attempts runs any more: they stop counting against limits. What that does to their tasks is
-- settled like any other loss, in the same transaction.
UPDATE task_attempts SET ended_at = agentaudit_now(), rate_held_until = agentaudit_now(), stop_reason = 'declared',
  stop_requested_at = coalesce(stop_requested_at, agentaudit_now())
WHERE id = ANY(%(attempts)s::uuid[]) AND ended_at IS NULL
RETURNING id, task_id
