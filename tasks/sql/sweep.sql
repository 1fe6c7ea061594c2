-- name: sweep_take_over
-- Expired leases, taken over in a short transaction before anything outside is asked (the executor's answer may take seconds).
-- Rows under processing are as many as there are slots, so the partial index is read whole; no time is an index key here, because an
-- index on a column that every heartbeat changes would cost each renewal more than this read. Only runs of executors that this process
-- can ask: others have sweepers of their own.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
due AS MATERIALIZED (
  SELECT t.id FROM tasks t
  WHERE t.status = 'processing' AND t.lease_expires_at <= (SELECT now FROM clock)
    AND EXISTS (SELECT FROM task_attempts a WHERE a.id = t.current_attempt AND a.executor = ANY(%(executors)s::text[]))
  ORDER BY t.id LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
UPDATE tasks t SET lease_owner = %(sweeper)s, lease_expires_at = clock.now + make_interval(secs => %(lease_seconds)s)
FROM clock
WHERE t.id = ANY(ARRAY(SELECT id FROM due))
RETURNING t.id AS task_id, t.current_attempt AS attempt_id

-- name: sweep_describe
-- What a sweeper has to know of attempts to ask their executor. given_up: a lease ago it was to stop, and nothing has confirmed that it did.
SELECT a.id AS attempt_id, a.task_id, a.number, a.generation, a.executor, a.run_id, a.status, a.worker, a.stop_reason, a.agent_id,
  a.deadline_at <= (SELECT agentaudit_now()) AS overdue, a.stop_requested_at IS NOT NULL AS stop_requested,
  coalesce(a.stop_requested_at <= (SELECT agentaudit_now()) - make_interval(secs => %(lease_seconds)s), false) AS given_up
FROM task_attempts a
WHERE a.id = ANY(%(attempts)s::uuid[])
ORDER BY a.id

-- name: sweep_orders
-- The same columns as claim_take, of attempts that exist: to ask for their start again, with their token.
SELECT t.id AS task_id, a.id AS attempt_id, a.number, a.generation, t.sealed_password,
  v.id AS agent_version_id, v.program, v.model, v.options::text AS options, g.id AS agent_id, a.executor, g.timeout_seconds, g.memory_mib,
  d.storage_name, d.sha256, d.original_name, g.name AS agent, v.number AS version, (SELECT name FROM clients WHERE id = t.client_id) AS client
FROM task_attempts a
JOIN tasks t ON t.id = a.task_id
JOIN agent_versions v ON v.id = a.agent_version_id
JOIN agents g ON g.id = a.agent_id
JOIN documents d ON d.id = t.document_id
WHERE a.id = ANY(%(attempts)s::uuid[])
ORDER BY t.id

-- name: sweep_overdue
-- Attempts past their deadline: their worker, or the sweeper that holds them, stops them with "timeout".
UPDATE task_attempts SET stop_requested_at = agentaudit_now(), stop_reason = 'timeout'
WHERE id = ANY(ARRAY(
  SELECT id FROM task_attempts
  WHERE ended_at IS NULL AND deadline_at <= (SELECT agentaudit_now()) AND stop_requested_at IS NULL
  ORDER BY deadline_at LIMIT %(most)s FOR UPDATE SKIP LOCKED))

-- name: sweep_unconfirmed
-- Attempts that are to be stopped and that nobody looks after: their worker is dead, or it is this one and does not hold them (any more).
-- From here on this worker looks after them, so that no two ask for the same start again. In pieces by id, round and round: those that
-- cannot be confirmed must not hide the others.
UPDATE task_attempts SET worker = %(sweeper)s::uuid
WHERE id = ANY(ARRAY(
  SELECT a.id FROM task_attempts a
  WHERE a.ended_at IS NULL AND a.stop_requested_at IS NOT NULL AND a.executor = ANY(%(executors)s::text[])
    AND a.id > %(after)s::uuid AND a.id <> ALL(%(held)s::uuid[])
    AND (a.worker = %(sweeper)s::uuid OR NOT EXISTS (
      SELECT FROM workers w WHERE w.id = a.worker AND w.stopped_at IS NULL
        AND w.heartbeat_at > (SELECT agentaudit_now()) - make_interval(secs => %(lease_seconds)s)))
  ORDER BY a.id LIMIT %(most)s FOR UPDATE OF a SKIP LOCKED))
RETURNING id AS attempt_id

-- name: sweep_adopt
-- The run is alive: this worker holds its lease from now on, and nothing is run twice.
WITH mine AS MATERIALIZED (
  SELECT id FROM tasks WHERE id = %(task)s AND status = 'processing' AND current_attempt = %(attempt)s AND lease_owner = %(sweeper)s FOR UPDATE
),
kept AS (
  UPDATE tasks SET lease_expires_at = agentaudit_now() + make_interval(secs => %(lease_seconds)s),
    locked_by = CASE WHEN %(run_id)s = '' THEN locked_by ELSE 'run:' || %(run_id)s END
  WHERE id IN (SELECT id FROM mine) RETURNING id
)
UPDATE task_attempts SET worker = %(sweeper)s, status = CASE WHEN status IN ('claimed', 'starting') THEN 'running' ELSE status END,
  started_at = coalesce(started_at, agentaudit_now()), run_id = CASE WHEN %(run_id)s = '' THEN run_id ELSE %(run_id)s END
WHERE id = %(attempt)s AND task_id IN (SELECT id FROM kept)
RETURNING id

-- name: sweep_workers
-- For the brake: how many workers should be alive, and how many of them have fallen silent lately. Those that have been silent for three
-- leases had their time to come back.
SELECT count(*) AS expected,
  count(*) FILTER (WHERE heartbeat_at <= (SELECT agentaudit_now()) - make_interval(secs => %(lease_seconds)s)) AS silent
FROM workers WHERE stopped_at IS NULL AND id <> %(sweeper)s
  AND heartbeat_at > (SELECT agentaudit_now()) - make_interval(secs => 3 * %(lease_seconds)s)

-- name: sweep_close_workers
-- Workers that have been silent for ten leases are recorded as stopped.
UPDATE workers SET stopped_at = agentaudit_now()
WHERE stopped_at IS NULL AND heartbeat_at <= (SELECT agentaudit_now()) - make_interval(secs => 10 * %(lease_seconds)s)

-- name: aged_levels
-- Levels whose head has waited for AGE_SECONDS and which have started nothing for that long: each gets the next start, one. A task that
-- was raised and has not started yet, or not for that long, is that start: a level's line must not come up one after another.
WITH RECURSIVE bound AS (SELECT agentaudit_now() - make_interval(secs => %(age_seconds)s) AS before),
level AS (
  (SELECT a.id AS agent_id, h.priority FROM agents a CROSS JOIN LATERAL (
     SELECT priority FROM tasks WHERE agent_id = a.id AND status = 'enqueued' AND NOT deferred
     ORDER BY priority DESC, start_key, id LIMIT 1) h
   WHERE NOT a.is_paused)
  UNION ALL
  SELECT l.agent_id, n.priority FROM level l CROSS JOIN LATERAL (
    SELECT priority FROM tasks WHERE agent_id = l.agent_id AND status = 'enqueued' AND NOT deferred AND priority < l.priority
    ORDER BY priority DESC, start_key, id LIMIT 1) n
)
SELECT l.agent_id, l.priority, head.id AS task_id
FROM level l CROSS JOIN bound CROSS JOIN LATERAL (
  SELECT t.id, t.available_at FROM tasks t
  WHERE t.agent_id = l.agent_id AND t.priority = l.priority AND t.status = 'enqueued' AND NOT t.deferred
  ORDER BY t.priority DESC, t.start_key, t.id LIMIT 1
) head
LEFT JOIN LATERAL (
  SELECT true AS found FROM task_attempts s
  WHERE s.agent_id = l.agent_id AND s.rate_held_until > bound.before AND s.rate_held_until <= '9999-01-01'
    AND s.claimed_at > bound.before AND s.priority = l.priority
  LIMIT 1
) started ON head.available_at <= bound.before
WHERE head.available_at <= bound.before AND started.found IS NULL
  AND NOT EXISTS (SELECT FROM tasks w WHERE w.agent_id = l.agent_id AND w.raised_from = l.priority AND w.status = 'enqueued')
  AND EXISTS (SELECT FROM level o WHERE o.agent_id = l.agent_id AND o.priority > l.priority)
