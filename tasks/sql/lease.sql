-- name: worker_register
INSERT INTO workers (id, host, pid, version, slots, executors, started_at, heartbeat_at)
SELECT %(worker)s, %(host)s, %(pid)s, %(version)s, %(slots)s, %(executors)s::text[], now, now FROM (SELECT agentaudit_now() AS now) clock

-- name: worker_stopping
UPDATE workers SET stopping_at = agentaudit_now() WHERE id = %(worker)s AND stopping_at IS NULL

-- name: worker_stopped
UPDATE workers SET stopped_at = agentaudit_now() WHERE id = %(worker)s

-- name: renew
-- All leases of one worker and its heartbeat in one statement. A lease that has expired or that somebody else holds by now is not
-- renewed, and its attempt is not among the rows that come back: the worker stops it. A worker that was silent for so long that it was
-- recorded as stopped has come back by this.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
beat AS (UPDATE workers w SET heartbeat_at = clock.now, stopped_at = NULL FROM clock WHERE w.id = %(worker)s),
mine AS MATERIALIZED (
  SELECT t.id FROM tasks t JOIN unnest(%(tasks)s::bigint[], %(attempts)s::uuid[]) AS held(task_id, attempt_id)
    ON held.task_id = t.id AND held.attempt_id = t.current_attempt
  WHERE t.id = ANY(%(tasks)s::bigint[]) AND t.status = 'processing' AND t.lease_owner = %(worker)s
    AND t.lease_expires_at > (SELECT now FROM clock)
  ORDER BY t.id FOR UPDATE OF t
)
UPDATE tasks t SET lease_expires_at = clock.now + make_interval(secs => %(lease_seconds)s)
FROM clock
WHERE t.id = ANY(ARRAY(SELECT id FROM mine))
RETURNING t.id AS task_id, t.current_attempt AS attempt_id, t.cancel_requested_at IS NOT NULL AS cancel_requested

-- name: stop_flags_of_worker
-- Attempts that this worker looks after and that are to be stopped. given_up: for a lease by now, and nothing has confirmed it.
SELECT id, run_id, executor, stop_reason,
  stop_requested_at <= (SELECT agentaudit_now()) - make_interval(secs => %(lease_seconds)s) AS given_up
FROM task_attempts
WHERE ended_at IS NULL AND stop_requested_at IS NOT NULL AND worker = %(worker)s
ORDER BY id

-- name: mark_running
-- The executor has started these. Progress only: the task itself does not change, so a late call does no harm. Of an attempt that was
-- given up meanwhile only the run is noted: it exists, costs money and has to be stopped.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
told AS MATERIALIZED (
  SELECT a.id, g.run_id, g.run_page_url
  FROM unnest(%(attempts)s::uuid[], %(run_ids)s::text[], %(run_pages)s::text[]) AS g(id, run_id, run_page_url)
  JOIN task_attempts a ON a.id = g.id
  ORDER BY a.id FOR UPDATE OF a
)
UPDATE task_attempts a SET status = CASE WHEN a.finished_at IS NULL THEN 'running' ELSE a.status END,
  started_at = coalesce(a.started_at, clock.now), last_seen_at = clock.now,
  run_id = coalesce(nullif(told.run_id, ''), a.run_id), run_page_url = coalesce(nullif(told.run_page_url, ''), a.run_page_url)
FROM told, clock
WHERE a.id = told.id
RETURNING a.id

-- name: name_runs
-- A remote run is known by its id from now on, on the task too: billing finds it there even if the attempt's row lost it.
UPDATE tasks t SET locked_by = 'run:' || a.run_id
FROM task_attempts a
WHERE t.id = ANY(ARRAY(
    SELECT x.task_id FROM task_attempts x JOIN tasks y ON y.id = x.task_id AND y.current_attempt = x.id
    WHERE x.id = ANY(%(attempts)s::uuid[]) AND x.run_id <> '' AND y.status = 'processing' ORDER BY y.id FOR UPDATE OF y))
  AND a.id = t.current_attempt AND a.run_id <> '' AND t.status = 'processing'

-- name: mark_starting
-- The executor was asked, and whether it heard is not known.
UPDATE task_attempts SET status = 'starting'
WHERE id = ANY(ARRAY(SELECT id FROM task_attempts WHERE id = ANY(%(attempts)s::uuid[]) AND status = 'claimed' ORDER BY id FOR UPDATE))

-- name: progress
-- Where attempts are. Figures are totals and only grow, so order and repetition do not matter; the lease is not touched.
WITH told AS MATERIALIZED (
  SELECT a.id, g.pages_done, g.pages_total, g.model, g.input_tokens, g.output_tokens, g.cache_read_tokens, g.cache_write_tokens
  FROM unnest(%(attempts)s::uuid[], %(pages_done)s::int[], %(pages_total)s::int[], %(models)s::text[], %(input)s::bigint[],
    %(output)s::bigint[], %(cache_read)s::bigint[], %(cache_write)s::bigint[])
    AS g(id, pages_done, pages_total, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens)
  JOIN task_attempts a ON a.id = g.id
  ORDER BY a.id FOR UPDATE OF a
)
UPDATE task_attempts a SET last_seen_at = agentaudit_now(),
  status = CASE WHEN a.status IN ('claimed', 'starting') THEN 'running' ELSE a.status END,
  started_at = coalesce(a.started_at, agentaudit_now()),
  pages_done = greatest(a.pages_done, told.pages_done), pages_total = greatest(a.pages_total, told.pages_total),
  model = coalesce(nullif(told.model, ''), a.model),
  input_tokens = greatest(a.input_tokens, told.input_tokens), output_tokens = greatest(a.output_tokens, told.output_tokens),
  cache_read_tokens = greatest(a.cache_read_tokens, told.cache_read_tokens),
  cache_write_tokens = greatest(a.cache_write_tokens, told.cache_write_tokens)
FROM told
WHERE a.id = told.id
