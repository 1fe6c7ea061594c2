-- name: trace_ended
-- Which of these attempts will say no more: they have ended, or there is no such attempt (any more).
SELECT g.id FROM unnest(%(attempts)s::uuid[]) AS g(id)
WHERE NOT EXISTS (SELECT FROM task_attempts a WHERE a.id = g.id AND a.finished_at IS NULL)

-- name: trace_written
-- These traces are in the store now, maybe again: they are read, also where no event has told the trace's id or it was given up.
UPDATE task_attempts SET trace_id = 'tr-' || replace(id::text, '-', ''), trace_state = ''
WHERE id = ANY(ARRAY(SELECT id FROM task_attempts WHERE id = ANY(%(attempts)s::uuid[]) ORDER BY id FOR NO KEY UPDATE))

-- name: trace_to_read
-- Ended attempts whose trace was not read yet, oldest first, from a place on.
SELECT id, trace_id, finished_at FROM task_attempts
WHERE trace_id <> '' AND trace_state = '' AND finished_at IS NOT NULL AND (finished_at, id) > (%(after_at)s::timestamptz, %(after_id)s::uuid)
ORDER BY finished_at, id LIMIT %(most)s

-- name: trace_to_read_again
-- Attempts of the last day whose trace was missing when it was looked for an hour ago or longer.
SELECT id, trace_id, finished_at FROM task_attempts
WHERE trace_state = 'missing' AND trace_id <> '' AND finished_at > (SELECT agentaudit_now()) - interval '1 day'
  AND trace_read_at < (SELECT agentaudit_now()) - interval '1 hour'
ORDER BY finished_at DESC LIMIT %(most)s

-- name: trace_lock
-- What the attempts say themselves, held until it is compared with what their traces say.
SELECT id, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, calls, cost_usd, price_id, cost_state, agent_id, client_id,
  settled_at IS NOT NULL AS settled, finished_at <= agentaudit_now() - make_interval(secs => %(missing_after)s) AS overdue
FROM task_attempts WHERE id = ANY(%(attempts)s::uuid[]) AND finished_at IS NOT NULL
ORDER BY id FOR NO KEY UPDATE

-- name: trace_reconcile
-- What the traces say, and, where the attempt itself knew less, its tokens and cost from there. What that adds to the cost is added to the
-- counters of spending as a settlement does.
WITH given AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(%(rows)s::jsonb) AS g(id uuid, state text, model text, calls int, input_tokens bigint, output_tokens bigint,
    cache_read_tokens bigint, cache_write_tokens bigint, cost_usd numeric, cost_state text, price_id bigint, cost_delta numeric, agent_id bigint,
    client_id bigint, trace_calls int, trace_input_tokens bigint, trace_output_tokens bigint, trace_cache_read_tokens bigint,
    trace_cache_write_tokens bigint, trace_cost_usd numeric)
),
told AS (
  UPDATE task_attempts a SET trace_state = g.state, trace_read_at = agentaudit_now(), trace_calls = g.trace_calls,
    trace_input_tokens = g.trace_input_tokens, trace_output_tokens = g.trace_output_tokens, trace_cache_read_tokens = g.trace_cache_read_tokens,
    trace_cache_write_tokens = g.trace_cache_write_tokens, trace_cost_usd = g.trace_cost_usd, model = g.model, calls = g.calls,
    input_tokens = g.input_tokens, output_tokens = g.output_tokens, cache_read_tokens = g.cache_read_tokens,
    cache_write_tokens = g.cache_write_tokens, cost_usd = g.cost_usd, cost_state = g.cost_state, price_id = g.price_id
  FROM given g WHERE a.id = g.id
)
INSERT INTO spending AS s (holder, holder_id, period, starts_on, shard, usd)
SELECT h.holder, h.id, p.period, p.starts_on, %(shard)s, sum(g.cost_delta)
FROM given g CROSS JOIN (SELECT agentaudit_now() AT TIME ZONE 'UTC' AS now) clock
CROSS JOIN LATERAL (VALUES ('agent', g.agent_id), ('client', g.client_id)) AS h(holder, id)
CROSS JOIN LATERAL (VALUES ('day', clock.now::date), ('month', date_trunc('month', clock.now)::date)) AS p(period, starts_on)
WHERE g.cost_delta <> 0
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
ON CONFLICT ON CONSTRAINT spending_counter DO UPDATE SET usd = s.usd + excluded.usd

-- name: trace_pace
-- When the trace of one of the newest attempts was read last, and how many of the last day's are missing or differ.
SELECT (SELECT max(trace_read_at) FROM (SELECT trace_read_at FROM task_attempts WHERE finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT 50) n)
  AS read_at,
  count(*) FILTER (WHERE trace_state = 'missing') AS missing, count(*) FILTER (WHERE trace_state = 'differs') AS differing
FROM task_attempts
WHERE trace_state IN ('missing', 'differs') AND finished_at > (SELECT agentaudit_now()) - interval '1 day'
