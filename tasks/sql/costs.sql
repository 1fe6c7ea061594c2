-- name: costs_state
-- today's clock, how far cells reach and in which zone, how far every transaction that could end an attempt has ended, and whether a month is closed.
SELECT (SELECT agentaudit_now()) AS now, s.zone, s.stored_until, (SELECT closed_until FROM summary_state) AS settled_until,
  (SELECT max(month) FROM closed_months) AS last_closed
FROM (SELECT 1) one LEFT JOIN cost_state s ON true

-- name: costs_try_lock
-- One process at a time makes cells.
SELECT pg_try_advisory_xact_lock(hashtext('agentaudit costs')) AS locked

-- name: costs_lock
SELECT pg_advisory_xact_lock(hashtext('agentaudit costs'))

-- name: costs_lock_state
-- A snapshot is as old as the question for the lock: where another process has moved the state in between, this fails (40001) and is done anew.
SELECT id FROM cost_state FOR NO KEY UPDATE

-- name: costs_first_end
SELECT min(finished_at) AS at FROM task_attempts WHERE finished_at IS NOT NULL

-- name: costs_closed_months
SELECT month FROM closed_months ORDER BY month

-- name: costs_changed
SELECT id, at FROM cost_changes ORDER BY id LIMIT %(most)s

-- name: costs_changed_moments
SELECT DISTINCT date_trunc('minute', at) AS at FROM cost_changes

-- name: costs_forget_changes
DELETE FROM cost_changes WHERE id = ANY(%(ids)s::bigint[])

-- name: costs_count
-- Cells of some days, counted from rows. By the index on the end of attempts, then by keys (OFFSET 0), whatever the planner thinks that there are.
-- documents: attempts that were the first of their generation.
SELECT span.day, a.client_id AS client, e.engagement, coalesce(e.created_by_id, 0)::bigint AS uploader, a.agent_id AS agent, a.agent_version_id AS version,
  a.model, a.status AS outcome, CASE WHEN t.status IN ('completed', 'failed', 'cancelled') THEN t.status ELSE 'open' END AS status,
  count(*) AS attempts,
  count(*) FILTER (WHERE a.number = 1 OR NOT EXISTS (
    SELECT FROM task_attempts b WHERE b.task_id = a.task_id AND b.generation = a.generation AND b.number < a.number)) AS documents,
  count(a.input_tokens) AS metered,
  coalesce(sum(a.input_tokens), 0)::bigint AS input_tokens, coalesce(sum(a.output_tokens), 0)::bigint AS output_tokens,
  coalesce(sum(a.cache_read_tokens), 0)::bigint AS cache_read_tokens, coalesce(sum(a.cache_write_tokens), 0)::bigint AS cache_write_tokens,
  count(*) FILTER (WHERE a.cost_state = 'settled') AS llm_settled, count(*) FILTER (WHERE a.cost_state = 'estimated') AS llm_estimated,
  coalesce(sum(a.cost_usd) FILTER (WHERE a.cost_state = 'settled'), 0) AS llm_settled_usd,
  coalesce(sum(a.cost_usd) FILTER (WHERE a.cost_state = 'estimated'), 0) AS llm_estimated_usd,
  count(*) FILTER (WHERE a.compute_cost_state = 'settled') AS compute_settled,
  count(*) FILTER (WHERE a.compute_cost_state = 'estimated') AS compute_estimated,
  coalesce(sum(a.compute_cost_usd) FILTER (WHERE a.compute_cost_state = 'settled'), 0) AS compute_settled_usd,
  coalesce(sum(a.compute_cost_usd) FILTER (WHERE a.compute_cost_state = 'estimated'), 0) AS compute_estimated_usd,
  coalesce(sum(t.estimated_tokens) FILTER (WHERE m.met), 0)::bigint AS expected_tokens,
  coalesce(sum(a.input_tokens + coalesce(a.output_tokens, 0)) FILTER (WHERE m.met), 0)::bigint AS actual_tokens,
  coalesce(sum(a.reserved_usd) FILTER (WHERE m.met AND a.reserved_usd > 0 AND a.cost_usd IS NOT NULL), 0) AS expected_usd,
  coalesce(sum(a.cost_usd) FILTER (WHERE m.met AND a.reserved_usd > 0 AND a.cost_usd IS NOT NULL), 0) AS actual_usd
FROM unnest(%(days)s::date[], %(since)s::timestamptz[], %(until)s::timestamptz[]) AS span(day, since, until)
CROSS JOIN LATERAL (SELECT * FROM task_attempts WHERE finished_at >= span.since AND finished_at < span.until OFFSET 0) a
CROSS JOIN LATERAL (SELECT status, generation, estimated_tokens, extraction_id FROM tasks WHERE id = a.task_id OFFSET 0) t
CROSS JOIN LATERAL (SELECT engagement, created_by_id FROM extractions WHERE id = t.extraction_id OFFSET 0) e
CROSS JOIN LATERAL (SELECT a.status = 'completed' AND a.generation = t.generation AND a.input_tokens > 0 AS met) m
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9

-- name: costs_clear
-- Cells of some days; what corrects a closed month stays.
DELETE FROM cost_cells WHERE day = ANY(%(days)s::date[]) AND corrects IS NULL

-- name: costs_clear_all
DELETE FROM cost_cells WHERE corrects IS NULL

-- name: costs_store
INSERT INTO cost_cells (day, corrects, client, engagement, uploader, agent, version, model, outcome, status, attempts, documents, metered, input_tokens,
  output_tokens, cache_read_tokens, cache_write_tokens, llm_settled, llm_estimated, llm_settled_usd, llm_estimated_usd, compute_settled,
  compute_estimated, compute_settled_usd, compute_estimated_usd, expected_tokens, actual_tokens, expected_usd, actual_usd)
SELECT day, corrects, client, engagement, uploader, agent, version, model, outcome, status, attempts, documents, metered, input_tokens,
  output_tokens, cache_read_tokens, cache_write_tokens, llm_settled, llm_estimated, llm_settled_usd, llm_estimated_usd, compute_settled,
  compute_estimated, compute_settled_usd, compute_estimated_usd, expected_tokens, actual_tokens, expected_usd, actual_usd
FROM jsonb_to_recordset(%(rows)s::jsonb) AS r(day date, corrects date, client bigint, engagement text, uploader bigint, agent bigint, version bigint,
  model text, outcome text, status text, attempts bigint, documents bigint, metered bigint, input_tokens bigint, output_tokens bigint,
  cache_read_tokens bigint, cache_write_tokens bigint, llm_settled bigint, llm_estimated bigint, llm_settled_usd numeric,
  llm_estimated_usd numeric, compute_settled bigint, compute_estimated bigint, compute_settled_usd numeric, compute_estimated_usd numeric,
  expected_tokens bigint, actual_tokens bigint, expected_usd numeric, actual_usd numeric)

-- name: costs_booked
-- What the reports say of a day of a closed month: its cells, and what corrected it since.
SELECT * FROM cost_cells WHERE (day = %(day)s AND corrects IS NULL) OR corrects = %(day)s

-- name: costs_advance
INSERT INTO cost_state (id, zone, stored_until) VALUES (1, %(zone)s, %(stored_until)s)
ON CONFLICT (id) DO UPDATE SET zone = excluded.zone, stored_until = excluded.stored_until

-- name: costs_read
-- Cells of a period by one thing (`by`) and by month, those that correct a closed month apart. Days in `recounted` are counted from their rows
-- instead. clients NULL: everybody's.
SELECT CASE %(by)s WHEN 'client' THEN client::text WHEN 'engagement' THEN client || ' ' || engagement WHEN 'agent' THEN agent::text
    WHEN 'version' THEN version::text WHEN 'model' THEN model WHEN 'outcome' THEN outcome WHEN 'status' THEN status WHEN 'uploader' THEN uploader::text
    WHEN 'day' THEN day::text ELSE to_char(day, 'YYYY-MM-01') END AS key,
  date_trunc('month', day)::date AS month, corrects IS NOT NULL AS is_correction, outcome = 'completed' AS is_result, status AS task_status,
  sum(attempts)::bigint AS attempts, sum(documents)::bigint AS documents, sum(metered)::bigint AS metered,
  sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens, sum(cache_read_tokens)::bigint AS cache_read_tokens,
  sum(cache_write_tokens)::bigint AS cache_write_tokens, sum(llm_settled)::bigint AS llm_settled, sum(llm_estimated)::bigint AS llm_estimated,
  sum(llm_settled_usd) AS llm_settled_usd, sum(llm_estimated_usd) AS llm_estimated_usd, sum(compute_settled)::bigint AS compute_settled,
  sum(compute_estimated)::bigint AS compute_estimated, sum(compute_settled_usd) AS compute_settled_usd,
  sum(compute_estimated_usd) AS compute_estimated_usd, sum(expected_tokens)::bigint AS expected_tokens, sum(actual_tokens)::bigint AS actual_tokens,
  sum(expected_usd) AS expected_usd, sum(actual_usd) AS actual_usd
FROM cost_cells
WHERE day >= %(since)s AND day < %(until)s AND (corrects IS NOT NULL OR (day < %(stored_until)s AND NOT day = ANY(%(recounted)s::date[])))
  AND (%(clients)s::bigint[] IS NULL OR client = ANY(%(clients)s::bigint[]))
  AND (%(client)s::bigint = 0 OR client = %(client)s) AND (%(agent)s::bigint = 0 OR agent = %(agent)s)
  AND (%(version)s::bigint = 0 OR version = %(version)s) AND (%(uploader)s::bigint = 0 OR uploader = %(uploader)s)
  AND (%(engagement)s::text IS NULL OR engagement = %(engagement)s) AND (%(model)s::text IS NULL OR model = %(model)s)
  AND (%(outcome)s = '' OR outcome = %(outcome)s) AND (%(status)s = '' OR status = %(status)s)
GROUP BY 1, 2, 3, 4, 5

-- name: costs_size
-- About how many attempts ended in a period, whosever they are.
SELECT coalesce(sum(attempts), 0)::bigint AS attempts FROM cost_cells WHERE day >= %(since)s AND day < %(until)s AND corrects IS NULL

-- name: costs_median
-- The spend of each task in a period: every attempt that ended in it. Of tasks with an attempt whose LLM cost is unknown it is unknown.
SELECT count(*) AS tasks, count(*) FILTER (WHERE known) AS known,
  percentile_disc(0.5) WITHIN GROUP (ORDER BY usd) FILTER (WHERE known) AS usd
FROM (
  SELECT a.task_id, bool_and(a.cost_usd IS NOT NULL) AS known, sum(coalesce(a.cost_usd, 0) + coalesce(a.compute_cost_usd, 0))::float8 AS usd
  FROM task_attempts a
  WHERE a.finished_at >= %(since)s AND a.finished_at < %(until)s
    AND (%(clients)s::bigint[] IS NULL OR a.client_id = ANY(%(clients)s::bigint[]))
    AND (%(client)s::bigint = 0 OR a.client_id = %(client)s) AND (%(agent)s::bigint = 0 OR a.agent_id = %(agent)s)
    AND (%(version)s::bigint = 0 OR a.agent_version_id = %(version)s) AND (%(model)s::text IS NULL OR a.model = %(model)s)
    AND (%(outcome)s = '' OR a.status = %(outcome)s)
    AND ((%(status)s = '' AND %(engagement)s::text IS NULL AND %(uploader)s::bigint = 0) OR EXISTS (
      SELECT FROM tasks t JOIN extractions e ON e.id = t.extraction_id WHERE t.id = a.task_id
        AND (%(status)s = '' OR CASE WHEN t.finished_at IS NULL THEN 'open' ELSE t.status END = %(status)s)
        AND (%(engagement)s::text IS NULL OR e.engagement = %(engagement)s)
        AND (%(uploader)s::bigint = 0 OR e.created_by_id = %(uploader)s)))
  GROUP BY a.task_id
) each

-- name: costs_running
-- Attempts that have not ended: what they cost counts when they have.
SELECT count(*) AS attempts FROM task_attempts
WHERE ended_at IS NULL AND finished_at IS NULL AND (%(clients)s::bigint[] IS NULL OR client_id = ANY(%(clients)s::bigint[]))

-- name: costs_other
-- Spend that no run carries; NULL: nothing of it was read from a bill.
SELECT date_trunc('month', day)::date AS month, sum(usd) AS usd, max(as_of) AS as_of FROM cost_other
WHERE day >= %(since)s AND day < %(until)s GROUP BY 1 ORDER BY 1
