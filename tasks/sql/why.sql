-- name: why_facts
-- Everything around one task that decides whether it may start, as it is now and without a lock.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now)
SELECT clock.now, t.id, t.status, t.priority, t.start_key, t.client_id, t.agent_id, t.agent_version_id, t.deferred, t.available_at, t.attempts_made,
  t.attempts_burnt, t.error_message, t.blocked_since, t.blocked_by, t.estimated_tokens, t.estimated_output_tokens, t.estimated_requests,
  t.estimated_seconds,
  (SELECT is_paused FROM switches) AS everything_is_paused, (SELECT maintenance_since FROM switches) AS maintenance_since, c.is_paused AS client_is_paused, c.name AS client_name,
  a.is_paused AS agent_is_paused, a.name AS agent_name, a.executor, a.document_cost_ceiling, a.pool_id, p.name AS pool_name,
  EXISTS (SELECT FROM task_attempts x WHERE x.task_id = t.id AND x.ended_at IS NULL) AS old_run_lives,
  w.slots, w.others, (SELECT count(*) FROM task_attempts x WHERE x.ended_at IS NULL AND x.executor = a.executor) AS busy
FROM clock, tasks t
JOIN agents a ON a.id = t.agent_id
JOIN clients c ON c.id = t.client_id
LEFT JOIN pools p ON p.id = a.pool_id
CROSS JOIN LATERAL (
  SELECT coalesce(sum(slots) FILTER (WHERE a.executor = ANY(executors)), 0) AS slots, count(*) FILTER (WHERE slots > 0) AS others
  FROM workers
  WHERE stopped_at IS NULL AND stopping_at IS NULL AND heartbeat_at > clock.now - make_interval(secs => %(lease_seconds)s)
) w
WHERE t.id = %(task)s

-- name: why_holders
-- Limits and cool-down of an agent and its pool, in the columns of claim_lock_agent and claim_lock_pool.
SELECT 'agent' AS holder, id, max_concurrent_tasks, max_tpm, max_output_tpm, max_requests_per_minute, cooldown_until FROM agents WHERE id = %(agent)s
UNION ALL
SELECT 'pool', id, max_concurrent_tasks, max_tpm, max_output_tpm, max_requests_per_minute, cooldown_until FROM pools
WHERE id = (SELECT pool_id FROM agents WHERE id = %(agent)s)

-- name: why_ahead
-- How many ready tasks of the agent are before this one, counted up to a bound.
SELECT count(*) AS ahead FROM (
  (SELECT 1 FROM tasks WHERE agent_id = %(agent)s AND status = 'enqueued' AND NOT deferred AND priority > %(priority)s LIMIT %(most)s)
  UNION ALL
  (SELECT 1 FROM tasks WHERE agent_id = %(agent)s AND status = 'enqueued' AND NOT deferred AND priority = %(priority)s
    AND (start_key, id) < (%(start_key)s, %(task)s) LIMIT %(most)s)
  LIMIT %(most)s
) before

-- name: why_reserved
-- A task of the same agent that its budgets are kept free for by now, and which this one does not outrank.
SELECT id FROM (
  SELECT id, priority, blocked_since FROM tasks
  WHERE agent_id = %(agent)s AND status = 'enqueued' AND NOT deferred
    AND blocked_since IS NOT NULL AND blocked_since <= (SELECT agentaudit_now()) - %(reserve_after)s::interval
    AND id <> %(task)s AND client_id <> ALL(%(held_clients)s::bigint[])
  ORDER BY blocked_since LIMIT 100
) kept
WHERE priority >= %(priority)s
ORDER BY priority DESC, blocked_since LIMIT 1

-- name: why_pace
-- How many of an agent's attempts were completed in each of the last six periods of ten minutes.
SELECT floor(extract(epoch FROM clock.now - a.finished_at) / 600)::int AS period, count(*) AS completed
FROM (SELECT agentaudit_now() AS now) clock, task_attempts a
WHERE a.agent_id = %(agent)s AND a.status = 'completed'
  AND a.rate_held_until > (SELECT agentaudit_now()) - interval '1 hour' AND a.rate_held_until <= (SELECT agentaudit_now()) + interval '1 day'
  AND a.finished_at > clock.now - interval '1 hour'
GROUP BY 1
