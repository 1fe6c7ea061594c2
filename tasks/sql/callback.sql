-- name: callback_begin
-- A terminal event arrives: one row per message id for the attempt's whole life. A repeated message waits here for the transaction that
-- settles the first, and then finds what became of it. No row at all: there is no such attempt.
INSERT INTO webhook_deliveries AS d (attempt, webhook_id, received_at, body_sha256, size_bytes, event, outcome, milliseconds, body)
SELECT a.id, %(webhook_id)s, agentaudit_now(), %(sha256)s, %(size)s, %(event)s, '', 0, %(body)s
FROM task_attempts a WHERE a.id = %(attempt)s
ON CONFLICT ON CONSTRAINT webhook_deliveries_attempt_message DO UPDATE SET repeats = d.repeats + 1
RETURNING d.id, d.body_sha256, d.outcome, d.repeats = 0 AS fresh

-- name: callback_end
-- What an attempt says after its client's data were deleted counts as money, and is not kept.
UPDATE webhook_deliveries d SET outcome = %(outcome)s, milliseconds = %(milliseconds)s,
  body = CASE WHEN NOT EXISTS (SELECT FROM task_attempts a WHERE a.id = d.attempt AND a.erased_at IS NOT NULL) THEN d.body END
WHERE d.id = %(delivery)s

-- name: callback_progress
-- A start or a page count, in one statement. Figures are totals and only grow, so order and repetition do not matter; the lease is
-- not touched. More than two a second per attempt are not stored: the next one says more. Only a message's first copy is applied.
-- is_news: the run's id was not known before.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
known AS MATERIALIZED (
  SELECT a.id, a.finished_at, a.status, %(run_id)s <> '' AND a.run_id <> %(run_id)s AS is_news, %(hurry)s OR a.last_seen_at IS NULL OR a.last_seen_at <= clock.now - interval '500 milliseconds' AS due
  FROM task_attempts a, clock WHERE a.id = %(attempt)s
),
logged AS (
  INSERT INTO webhook_deliveries AS d (attempt, webhook_id, received_at, body_sha256, size_bytes, event, outcome, milliseconds)
  SELECT known.id, %(webhook_id)s, clock.now, %(sha256)s, %(size)s, %(event)s, CASE WHEN known.finished_at IS NULL THEN 'applied' ELSE 'stale' END, 0
  FROM known, clock WHERE known.due
  ON CONFLICT ON CONSTRAINT webhook_deliveries_attempt_message DO UPDATE SET repeats = d.repeats + 1
  RETURNING d.body_sha256, d.repeats = 0 AS fresh
),
moved AS (
  UPDATE task_attempts a SET last_seen_at = clock.now,
    status = CASE WHEN a.status IN ('claimed', 'starting') THEN 'running' ELSE a.status END,
    started_at = coalesce(a.started_at, clock.now),
    run_id = coalesce(nullif(%(run_id)s, ''), a.run_id), run_page_url = coalesce(nullif(%(run_page_url)s, ''), a.run_page_url),
    pages_done = greatest(a.pages_done, %(pages_done)s::int), pages_total = greatest(a.pages_total, %(pages_total)s::int),
    model = coalesce(nullif(%(model)s, ''), a.model),
    input_tokens = greatest(a.input_tokens, %(input)s::bigint), output_tokens = greatest(a.output_tokens, %(output)s::bigint),
    cache_read_tokens = greatest(a.cache_read_tokens, %(cache_read)s::bigint),
    cache_write_tokens = greatest(a.cache_write_tokens, %(cache_write)s::bigint)
  FROM clock WHERE a.id = %(attempt)s AND EXISTS (SELECT FROM logged WHERE fresh)
)
SELECT known.finished_at IS NOT NULL AS finished, known.is_news, logged.body_sha256, logged.fresh FROM known LEFT JOIN logged ON true

-- name: callback_refused
INSERT INTO webhook_refusals AS r (hour, reason, count, last_attempt, last_at)
SELECT date_trunc('hour', now), %(reason)s, %(count)s, %(attempt)s, now FROM (SELECT agentaudit_now() AS now) clock
ON CONFLICT ON CONSTRAINT webhook_refusals_hour_reason
DO UPDATE SET count = r.count + excluded.count, last_attempt = excluded.last_attempt, last_at = excluded.last_at

-- name: callback_stored
SELECT id, attempt, webhook_id, body, event FROM webhook_deliveries WHERE id = %(delivery)s AND body IS NOT NULL

-- name: callback_prune
-- A delivery is kept as long as its attempt may still be spoken for; its body only as long as somebody may want to apply it again.
DELETE FROM webhook_deliveries
WHERE id = ANY(ARRAY(
  SELECT d.id FROM webhook_deliveries d
  WHERE d.received_at < (SELECT agentaudit_now()) - make_interval(days => %(days)s)
    AND NOT EXISTS (SELECT FROM task_attempts a WHERE a.id = d.attempt AND a.ended_at IS NULL)
  ORDER BY d.received_at LIMIT %(most)s))

-- name: database_clock
SELECT extract(epoch FROM agentaudit_now())::float8 AS seconds

-- name: silent_attempts
-- Attempts that should be running and have not been heard of for so long, the longest silence first.
SELECT id, task_id, executor, run_id, coalesce(last_seen_at, claimed_at) AS heard_at
FROM task_attempts
WHERE ended_at IS NULL AND status IN ('claimed', 'starting', 'running')
  AND coalesce(last_seen_at, claimed_at) <= (SELECT agentaudit_now()) - make_interval(secs => %(seconds)s)
ORDER BY heard_at, id LIMIT %(most)s

-- name: silent_among
-- The same of some attempts only, in any order: where there are too many for one look, each has its turn.
SELECT id FROM task_attempts
WHERE id = ANY(%(attempts)s::uuid[]) AND ended_at IS NULL AND status IN ('claimed', 'starting', 'running')
  AND coalesce(last_seen_at, claimed_at) <= (SELECT agentaudit_now()) - make_interval(secs => %(seconds)s)
ORDER BY random() LIMIT %(most)s

-- name: result_inserted
-- What a run put here for an attempt, whoever it was; nothing that is larger than an outcome can be.
SELECT result::text AS content FROM attempt_results WHERE attempt = %(attempt)s AND octet_length(result::text) <= %(most)s

-- name: results_prune
-- Rows of attempts that have ended, or never were, an hour after they came: until then their callback may still name them.
DELETE FROM attempt_results
WHERE attempt = ANY(ARRAY(
  SELECT r.attempt FROM attempt_results r
  WHERE r.created_at < (SELECT agentaudit_now()) - interval '1 hour'
    AND NOT EXISTS (SELECT FROM task_attempts a WHERE a.id = r.attempt AND a.ended_at IS NULL)
  LIMIT %(most)s))
