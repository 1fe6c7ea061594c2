-- name: summary_count
-- Finished tasks of some spans of time, counted from their rows, with everything that all their attempts cost. By agent and status the index
-- tasks_finished leads to each span, whatever else the table holds. A row per attempt is summed, a task counts with its first one or without any. by_client: a row per client, else client_id is 0. response, confidence, errors: one bucket per task, to be counted.
SELECT date_trunc('hour', t.finished_at, 'UTC') AS hour, t.agent_id, CASE WHEN %(by_client)s::bool THEN t.client_id ELSE 0 END AS client_id,
  CASE WHEN t.status = 'completed' AND t.needs_review THEN 'review' ELSE t.status END AS outcome,
  count(*) FILTER (WHERE is_first) AS tasks, count(a.task_id) AS attempts, count(a.input_tokens) AS metered,
  coalesce(sum(a.input_tokens), 0)::bigint AS input_tokens, coalesce(sum(a.output_tokens), 0)::bigint AS output_tokens,
  coalesce(sum(a.cache_read_tokens), 0)::bigint AS cache_read_tokens, coalesce(sum(a.cache_write_tokens), 0)::bigint AS cache_write_tokens,
  count(*) FILTER (WHERE a.cost_state = 'settled') AS cost_settled, count(*) FILTER (WHERE a.cost_state = 'estimated') AS cost_estimated,
  coalesce(sum(a.cost_usd) FILTER (WHERE a.cost_state = 'settled'), 0) AS settled_usd,
  coalesce(sum(a.cost_usd) FILTER (WHERE a.cost_state = 'estimated'), 0) AS estimated_usd,
  count(*) FILTER (WHERE a.compute_cost_state = 'settled') AS compute_settled,
  count(*) FILTER (WHERE a.compute_cost_state = 'estimated') AS compute_estimated,
  coalesce(sum(a.compute_cost_usd) FILTER (WHERE a.compute_cost_state = 'settled'), 0) AS compute_settled_usd,
  coalesce(sum(a.compute_cost_usd) FILTER (WHERE a.compute_cost_state = 'estimated'), 0) AS compute_estimated_usd,
  array_agg(floor(ln(greatest(extract(epoch FROM t.finished_at - t.enqueued_at)::float8, 0.001)) / ln(1.01::float8))::int)
    FILTER (WHERE is_first AND t.status = 'completed') AS response,
  array_agg(least(floor(t.confidence * 20), 19)::int) FILTER (WHERE is_first AND t.status = 'completed' AND t.confidence IS NOT NULL) AS confidence,
  array_agg(t.error_code) FILTER (WHERE is_first AND t.status = 'failed') AS errors
FROM unnest(%(since)s::timestamptz[], %(until)s::timestamptz[]) AS span(since, until)
CROSS JOIN unnest(%(statuses)s::text[]) AS wanted(status)
CROSS JOIN (SELECT id FROM agents WHERE %(agent)s::bigint = 0 OR id = %(agent)s) g
CROSS JOIN LATERAL (
  SELECT * FROM tasks
  WHERE agent_id = g.id AND tasks.status = wanted.status AND tasks.status IN ('completed', 'failed', 'cancelled')
    AND finished_at >= span.since AND finished_at < span.until AND (%(client)s::bigint = 0 OR client_id = %(client)s)
  OFFSET 0
) t
LEFT JOIN task_attempts a ON a.task_id = t.id
CROSS JOIN LATERAL (SELECT coalesce(a.number, 1) = 1 AS is_first) f
GROUP BY 1, 2, 3, 4

-- name: summary_read
-- Stored sums of some hours, days and months, of one agent or all of them (0), one client or all of them (0). Response times are many
-- buckets, and asked for on their own.
SELECT s.starts_at, s.outcome, s.tasks, s.attempts, s.metered, s.input_tokens, s.output_tokens, s.cache_read_tokens, s.cache_write_tokens,
  s.cost_settled, s.cost_estimated, s.settled_usd, s.estimated_usd, s.compute_settled, s.compute_estimated, s.compute_settled_usd,
  s.compute_estimated_usd, s.confidence, s.errors
FROM unnest(%(levels)s::text[], %(starts)s::timestamptz[]) AS span(level, starts_at)
JOIN summaries s ON s.level = span.level AND s.starts_at = span.starts_at AND s.agent = %(agent)s AND s.client = %(client)s

-- name: summary_read_response
SELECT s.response FROM unnest(%(levels)s::text[], %(starts)s::timestamptz[]) AS span(level, starts_at)
JOIN summaries s ON s.level = span.level AND s.starts_at = span.starts_at AND s.agent = %(agent)s AND s.client = %(client)s
WHERE s.outcome = ANY(%(outcomes)s::text[])

-- name: summary_read_agents
-- The same for each agent: what it completed, what failed, and its tokens. OFFSET 0: by the key of each agent and period, past the many rows of its clients.
SELECT s.starts_at, s.agent AS agent_id, coalesce(sum(s.tasks) FILTER (WHERE s.outcome IN ('completed', 'review')), 0)::bigint AS completed,
  coalesce(sum(s.tasks) FILTER (WHERE s.outcome = 'failed'), 0)::bigint AS failed, sum(s.input_tokens + s.output_tokens)::bigint AS tokens
FROM unnest(%(levels)s::text[], %(starts)s::timestamptz[]) AS span(level, starts_at)
CROSS JOIN (SELECT id FROM agents WHERE %(agent)s::bigint = 0 OR id = %(agent)s) a
CROSS JOIN LATERAL (
  SELECT * FROM summaries WHERE agent = a.id AND client = %(client)s AND level = span.level AND starts_at = span.starts_at OFFSET 0
) s
WHERE s.outcome = ANY(%(outcomes)s::text[])
GROUP BY s.starts_at, s.agent

-- name: summary_hour
SELECT * FROM summaries WHERE level = 'hour' AND starts_at = %(hour)s

-- name: summary_days
-- Stored days of a month, for its sums.
SELECT * FROM summaries WHERE level = 'day' AND starts_at >= %(since)s AND starts_at < %(until)s

-- name: summary_waiting
-- What waits, from an index alone. tried: waiting for another attempt.
SELECT agent_id, count(*) AS tasks, count(*) FILTER (WHERE attempts_made > 0) AS tried, min(enqueued_at) AS oldest
FROM tasks WHERE status = 'enqueued' AND (%(agent)s::bigint = 0 OR agent_id = %(agent)s) AND (%(client)s::bigint = 0 OR client_id = %(client)s)
GROUP BY agent_id

-- name: summary_processing
SELECT agent_id, count(*) AS tasks, min(enqueued_at) AS oldest
FROM tasks WHERE status = 'processing' AND (%(agent)s::bigint = 0 OR agent_id = %(agent)s) AND (%(client)s::bigint = 0 OR client_id = %(client)s)
GROUP BY agent_id

-- name: summary_unfinished
-- What the attempts of unfinished tasks have cost so far. OFFSET 0: by the key of each task, whatever the planner thinks that there are.
SELECT t.status, count(*) AS attempts, count(a.input_tokens) AS metered, coalesce(sum(a.input_tokens), 0)::bigint AS input_tokens,
  coalesce(sum(a.output_tokens), 0)::bigint AS output_tokens, coalesce(sum(a.cache_read_tokens), 0)::bigint AS cache_read_tokens,
  coalesce(sum(a.cache_write_tokens), 0)::bigint AS cache_write_tokens,
  count(*) FILTER (WHERE a.cost_state = 'settled') AS cost_settled, count(*) FILTER (WHERE a.cost_state = 'estimated') AS cost_estimated,
  coalesce(sum(a.cost_usd) FILTER (WHERE a.cost_state = 'settled'), 0) AS settled_usd,
  coalesce(sum(a.cost_usd) FILTER (WHERE a.cost_state = 'estimated'), 0) AS estimated_usd,
  count(*) FILTER (WHERE a.compute_cost_state = 'settled') AS compute_settled,
  count(*) FILTER (WHERE a.compute_cost_state = 'estimated') AS compute_estimated,
  coalesce(sum(a.compute_cost_usd) FILTER (WHERE a.compute_cost_state = 'settled'), 0) AS compute_settled_usd,
  coalesce(sum(a.compute_cost_usd) FILTER (WHERE a.compute_cost_state = 'estimated'), 0) AS compute_estimated_usd
FROM (
  SELECT id, status FROM tasks WHERE status = 'processing' AND (%(agent)s::bigint = 0 OR agent_id = %(agent)s) AND (%(client)s::bigint = 0 OR client_id = %(client)s)
  UNION ALL
  SELECT id, 'enqueued' FROM tasks
  WHERE %(tried)s::bool AND status = 'enqueued' AND attempts_made > 0 AND (%(agent)s::bigint = 0 OR agent_id = %(agent)s) AND (%(client)s::bigint = 0 OR client_id = %(client)s)
) t CROSS JOIN LATERAL (SELECT * FROM task_attempts WHERE task_id = t.id OFFSET 0) a
GROUP BY t.status

-- name: summary_percentiles
-- Exact: every response time of some spans, sorted.
SELECT count(*) AS tasks, percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM t.finished_at - t.enqueued_at)::float8) AS seconds
FROM (SELECT id FROM agents WHERE %(agent)s::bigint = 0 OR id = %(agent)s) a
CROSS JOIN LATERAL (
  SELECT finished_at, enqueued_at FROM tasks
  WHERE agent_id = a.id AND status = 'completed' AND finished_at >= %(since)s AND (%(until)s::timestamptz IS NULL OR finished_at < %(until)s)
    AND (%(client)s::bigint = 0 OR client_id = %(client)s)
  OFFSET 0
) t

-- name: summary_percentiles_of_review
-- The same of what needs a look, which has an index of its own.
SELECT count(*) AS tasks, percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - enqueued_at)::float8) AS seconds
FROM tasks
WHERE needs_review = true AND status = 'completed' AND finished_at >= %(since)s AND (%(until)s::timestamptz IS NULL OR finished_at < %(until)s)
  AND (%(agent)s::bigint = 0 OR agent_id = %(agent)s) AND (%(client)s::bigint = 0 OR client_id = %(client)s)

-- name: summary_percentiles_of_client
-- The same by way of the client's extractions, where the client has fewer tasks than have finished in the time.
SELECT count(*) AS tasks, percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM t.finished_at - t.enqueued_at)::float8) AS seconds
FROM (SELECT id FROM extractions WHERE client_id = %(client)s) e
CROSS JOIN LATERAL (
  SELECT finished_at, enqueued_at FROM tasks
  WHERE extraction_id = e.id AND status = 'completed' AND finished_at >= %(since)s AND (%(until)s::timestamptz IS NULL OR finished_at < %(until)s)
    AND (%(agent)s::bigint = 0 OR agent_id = %(agent)s)
  OFFSET 0
) t

-- name: summary_sizes
-- How many tasks two ways of reading would meet, by stored sums: a client's tasks of all time, and everybody's of some periods.
SELECT (SELECT coalesce(sum(tasks), 0) FROM summaries WHERE agent = 0 AND client = %(client)s AND level = 'month')::bigint AS of_client,
  (SELECT coalesce(sum(s.tasks), 0) FROM unnest(%(levels)s::text[], %(starts)s::timestamptz[]) AS span(level, starts_at)
    JOIN summaries s ON s.level = span.level AND s.starts_at = span.starts_at AND s.agent = %(agent)s AND s.client = 0)::bigint AS of_time

-- name: summary_first_finish
-- When the first task finished, by the index of each agent.
SELECT min(f.first) AS at FROM agents a CROSS JOIN unnest(ARRAY['completed', 'failed', 'cancelled']) AS s(status)
CROSS JOIN LATERAL (
  SELECT finished_at AS first FROM tasks
  WHERE agent_id = a.id AND tasks.status = s.status AND tasks.status IN ('completed', 'failed', 'cancelled') ORDER BY finished_at LIMIT 1
) f

-- name: summary_state
SELECT (SELECT agentaudit_now()) AS now, s.closed_until, s.hours_from, s.next_until, s.fence,
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest_running
FROM (SELECT 1) one LEFT JOIN summary_state s ON true

-- name: summary_own_number
-- Of this transaction: higher than that of every transaction that has written anything so far. (A snapshot's xmax is not: it is one above
-- the last that has ended.)
SELECT pg_current_xact_id()::text::bigint AS id

-- name: summary_try_lock
-- One process at a time makes sums.
SELECT pg_try_advisory_xact_lock(hashtext('agentaudit summaries')) AS locked

-- name: summary_lock_state
-- A snapshot is as old as the question for the lock: where another process has moved the state in between, this fails (40001) and is done anew.
SELECT id FROM summary_state FOR NO KEY UPDATE

-- name: summary_changed
SELECT id, hour FROM summary_changes ORDER BY id LIMIT %(most)s

-- name: summary_changed_hours
SELECT DISTINCT hour FROM summary_changes

-- name: summary_forget_changes
DELETE FROM summary_changes WHERE id = ANY(%(ids)s::bigint[])

-- name: summary_clear
DELETE FROM summaries WHERE level = %(level)s AND starts_at >= %(since)s AND starts_at < %(until)s

-- name: summary_store
INSERT INTO summaries (level, starts_at, agent, client, outcome, tasks, attempts, metered, input_tokens, output_tokens, cache_read_tokens,
  cache_write_tokens, cost_settled, cost_estimated, settled_usd, estimated_usd, compute_settled, compute_estimated, compute_settled_usd,
  compute_estimated_usd, response, confidence, errors)
SELECT level, starts_at, agent, client, outcome, tasks, attempts, metered, input_tokens, output_tokens, cache_read_tokens,
  cache_write_tokens, cost_settled, cost_estimated, settled_usd, estimated_usd, compute_settled, compute_estimated, compute_settled_usd,
  compute_estimated_usd, response, confidence, errors
FROM jsonb_to_recordset(%(rows)s::jsonb) AS r(level text, starts_at timestamptz, agent bigint, client bigint, outcome text, tasks bigint,
  attempts bigint, metered bigint, input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint,
  cost_settled bigint, cost_estimated bigint, settled_usd numeric, estimated_usd numeric, compute_settled bigint, compute_estimated bigint,
  compute_settled_usd numeric, compute_estimated_usd numeric, response jsonb, confidence jsonb, errors jsonb)

-- name: summary_advance
INSERT INTO summary_state (id, closed_until, hours_from, next_until, fence)
VALUES (1, %(closed_until)s, %(hours_from)s, %(next_until)s, %(fence)s)
ON CONFLICT (id) DO UPDATE SET closed_until = excluded.closed_until, hours_from = excluded.hours_from, next_until = excluded.next_until, fence = excluded.fence

-- name: summary_agents
-- Every agent with what it uses of its limits now, by the arithmetic of claim_count, and when anything of it was claimed last. One token a minute
-- is the least that anything reserves; it stands for none.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
shares AS (
  SELECT agent_id, ended_at, reserved_tpm,
    CASE WHEN ended_at IS NULL THEN 1.0 ELSE least(1.0, greatest(0.0,
      extract(epoch FROM ended_at - greatest(coalesce(started_at, claimed_at), clock.now - interval '60 seconds'))
      / greatest(0.001, least(60.0, extract(epoch FROM ended_at - coalesce(started_at, claimed_at)))))) END::float8 AS share
  FROM agents g CROSS JOIN clock CROSS JOIN LATERAL (
    SELECT agent_id, ended_at, started_at, claimed_at, reserved_tpm FROM task_attempts
    WHERE agent_id = g.id AND rate_held_until > (SELECT now FROM clock) AND rate_held_until <= '9999-01-01' OFFSET 0
  ) a
),
used AS (
  SELECT agent_id, count(*) FILTER (WHERE ended_at IS NULL) AS running,
    coalesce(sum(reserved_tpm * share) FILTER (WHERE reserved_tpm > 1), 0) AS tpm
  FROM shares GROUP BY agent_id
)
SELECT a.id, a.name, a.title, a.is_paused, a.max_concurrent_tasks, a.max_tpm, greatest(a.cooldown_until, p.cooldown_until) AS cooldown_until,
  p.name AS pool, greatest(a.cooldown_until, p.cooldown_until) > clock.now AS cooling, coalesce(u.running, 0) AS running, coalesce(u.tpm, 0) AS tpm
FROM clock CROSS JOIN agents a LEFT JOIN pools p ON p.id = a.pool_id LEFT JOIN used u ON u.agent_id = a.id
WHERE %(agent)s::bigint = 0 OR a.id = %(agent)s
ORDER BY a.name

-- name: summary_workers
-- Workers that have not stopped, with what they hold. alive: the heartbeat is younger than a lease.
SELECT w.id, w.host, w.pid, w.version, w.slots, w.started_at, w.heartbeat_at, w.stopping_at IS NOT NULL AS stopping,
  w.heartbeat_at > clock.now - make_interval(secs => %(lease_seconds)s) AS alive, coalesce(h.held, 0) AS held
FROM (SELECT agentaudit_now() AS now) clock CROSS JOIN workers w
LEFT JOIN (SELECT worker, count(*) AS held FROM task_attempts WHERE ended_at IS NULL GROUP BY worker) h ON h.worker = w.id
WHERE w.stopped_at IS NULL ORDER BY w.host, w.pid

-- name: summary_standstill
-- Since when something could run and nothing does: ready work of agents and clients that nobody paused, no provider cools and no spend limit may
-- hold, and not one attempt alive. NULL: all is well.
SELECT min(w.since) AS since
FROM (SELECT agentaudit_now() AS now) clock
CROSS JOIN agents a LEFT JOIN pools p ON p.id = a.pool_id
CROSS JOIN LATERAL (
  SELECT greatest(t.enqueued_at, t.available_at) AS since FROM tasks t
  WHERE t.agent_id = a.id AND t.status = 'enqueued' AND NOT t.deferred
    AND t.available_at <= clock.now - make_interval(secs => %(seconds)s) AND t.enqueued_at <= clock.now - make_interval(secs => %(seconds)s)
    AND t.client_id <> ALL(ARRAY(SELECT id FROM clients WHERE is_paused OR spend_stop_per_day IS NOT NULL OR spend_stop_per_month IS NOT NULL))
  ORDER BY t.enqueued_at LIMIT 1
) w
WHERE NOT a.is_paused AND a.spend_stop_per_day IS NULL AND a.spend_stop_per_month IS NULL
  AND coalesce(greatest(a.cooldown_until, p.cooldown_until) <= clock.now, true)
  AND NOT (SELECT is_paused OR maintenance_since IS NOT NULL FROM switches) AND NOT EXISTS (SELECT FROM task_attempts WHERE ended_at IS NULL)
