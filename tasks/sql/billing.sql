-- name: billing_now
SELECT agentaudit_now() AS now

-- name: billing_live_runs
-- Runs under way, by the task too: an attempt's row may have lost the id of its run.
SELECT a.id AS attempt, coalesce(nullif(a.run_id, ''), substr(t.locked_by, 5)) AS run_id, a.claimed_at AS began, NULL::timestamptz AS ended
FROM tasks t JOIN task_attempts a ON a.id = t.current_attempt
LEFT JOIN billed_runs b ON b.run_id = coalesce(nullif(a.run_id, ''), substr(t.locked_by, 5))
WHERE t.status = 'processing' AND t.locked_by LIKE 'run:%%' AND a.executor = 'databricks'
  AND (b.as_of IS NULL OR b.as_of < %(read_before)s)
ORDER BY a.id

-- name: billing_ended_runs
-- Runs that have ended, in pages by the index on their end.
SELECT a.id AS attempt, a.run_id, a.claimed_at AS began, a.finished_at AS ended
FROM task_attempts a LEFT JOIN billed_runs b ON b.run_id = a.run_id
WHERE a.finished_at IS NOT NULL AND (a.finished_at, a.id) > (%(ended_after)s, %(id_after)s)
  AND a.executor = 'databricks' AND a.run_id <> '' AND (b.as_of IS NULL OR b.as_of < %(read_before)s)
ORDER BY a.finished_at, a.id LIMIT %(most)s

-- name: billing_store
-- What the bill says of runs, and with it of their attempts. Whoever read it later wins; a run that is not in the bill (yet) leaves its
-- attempt as it is. A run id that the attempt's row had lost is put back.
WITH told AS (
  SELECT * FROM unnest(%(attempts)s::uuid[], %(runs)s::text[], %(states)s::text[], %(usds)s::numeric[], %(quantities)s::numeric[],
    %(counts)s::int[], %(unpriced)s::int[]) AS g(attempt, run_id, state, usd, quantity, usage_rows, unpriced)
),
locked AS MATERIALIZED (SELECT id FROM task_attempts WHERE id = ANY(%(attempts)s::uuid[]) ORDER BY id FOR NO KEY UPDATE),
billed AS (
  INSERT INTO billed_runs AS b (run_id, as_of, usd, quantity, usage_rows, unpriced_rows)
  SELECT DISTINCT ON (run_id) run_id, %(now)s, usd, quantity, usage_rows, unpriced FROM told ORDER BY run_id
  ON CONFLICT (run_id) DO UPDATE SET as_of = excluded.as_of, usd = excluded.usd, quantity = excluded.quantity,
    usage_rows = excluded.usage_rows, unpriced_rows = excluded.unpriced_rows
  WHERE b.as_of <= excluded.as_of
  RETURNING b.run_id
)
UPDATE task_attempts a SET compute_cost_usd = told.usd, compute_cost_state = told.state, compute_as_of = %(now)s, run_id = told.run_id
FROM told JOIN billed ON billed.run_id = told.run_id
WHERE a.id = ANY(ARRAY(SELECT id FROM locked)) AND a.id = told.attempt AND told.usage_rows > 0
  AND (a.compute_cost_usd, a.compute_cost_state, a.run_id) IS DISTINCT FROM (told.usd, told.state, told.run_id)
