-- name: list_processing
SELECT id FROM tasks
WHERE status = 'processing' AND id > %(id)s AND (%(agent)s::bigint = 0 OR agent_id = %(agent)s) AND (%(client)s::bigint = 0 OR client_id = %(client)s)
ORDER BY id LIMIT %(most)s

-- name: list_ready
-- In the order in which they are claimed, which the index of each agent gives. From (priority, start_key, id) on, that one left out.
SELECT t.id, t.priority, t.start_key FROM agents a CROSS JOIN LATERAL (
  SELECT id, priority, start_key FROM tasks
  WHERE agent_id = a.id AND status = 'enqueued' AND NOT deferred AND (%(client)s::bigint = 0 OR client_id = %(client)s)
    AND priority <= %(priority)s AND (priority < %(priority)s OR (start_key, id) > (%(start_key)s, %(id)s))
  ORDER BY priority DESC, start_key, id LIMIT %(most)s
) t
WHERE %(agent)s::bigint = 0 OR a.id = %(agent)s
ORDER BY t.priority DESC, t.start_key, t.id LIMIT %(most)s

-- name: list_deferred
SELECT id, available_at AS at FROM tasks
WHERE status = 'enqueued' AND deferred AND available_at >= %(at)s AND (available_at, id) > (%(at)s, %(id)s)
  AND (%(agent)s::bigint = 0 OR agent_id = %(agent)s) AND (%(client)s::bigint = 0 OR client_id = %(client)s)
ORDER BY available_at, id LIMIT %(most)s

-- name: list_finished
-- The latest first, from (at, id) on, that one left out.
SELECT t.id, t.at FROM agents a CROSS JOIN unnest(%(statuses)s::text[]) AS wanted(status) CROSS JOIN LATERAL (
  SELECT id, finished_at AS at FROM tasks
  WHERE agent_id = a.id AND tasks.status = wanted.status AND tasks.status IN ('completed', 'failed', 'cancelled')
    AND finished_at >= %(since)s AND finished_at < %(until)s AND finished_at <= %(at)s AND (finished_at, id) < (%(at)s, %(id)s)
    AND (%(client)s::bigint = 0 OR client_id = %(client)s) AND (NOT %(review)s::bool OR needs_review) AND (%(error)s = '' OR error_code = %(error)s)
  ORDER BY finished_at DESC, id DESC LIMIT %(most)s
) t
WHERE %(agent)s::bigint = 0 OR a.id = %(agent)s
ORDER BY t.at DESC, t.id DESC LIMIT %(most)s

-- name: list_finished_of_client
-- The same by way of the client's extractions, where the client has fewer tasks than have finished in the time.
SELECT t.id, t.finished_at AS at FROM (SELECT id FROM extractions WHERE client_id = %(client)s) e
CROSS JOIN LATERAL (
  SELECT id, finished_at FROM tasks
  WHERE extraction_id = e.id AND tasks.status = ANY(%(statuses)s::text[]) AND finished_at >= %(since)s AND finished_at < %(until)s
    AND (finished_at, id) < (%(at)s, %(id)s) AND (%(agent)s::bigint = 0 OR agent_id = %(agent)s)
    AND (NOT %(review)s::bool OR needs_review) AND (%(error)s = '' OR error_code = %(error)s)
  OFFSET 0
) t
ORDER BY t.finished_at DESC, t.id DESC LIMIT %(most)s

-- name: list_sorted
-- All tasks of a list by one of its columns, each once, by the shortest way to them: all that finished in the time, those of a client's extractions, or those that
-- need review. What is not known comes last (infinity); equal ones come by id. From (key, word, id) on, that one left out; without an id from the beginning.
WITH its AS (
  SELECT t.* FROM agents a CROSS JOIN unnest(%(statuses)s::text[]) AS wanted(status) CROSS JOIN LATERAL (
    SELECT * FROM tasks
    WHERE agent_id = a.id AND tasks.status = wanted.status AND tasks.status IN ('completed', 'failed', 'cancelled')
      AND finished_at >= %(since)s AND finished_at < %(until)s OFFSET 0
  ) t
  WHERE %(way)s = 'time' AND (%(agent)s::bigint = 0 OR a.id = %(agent)s)
  UNION ALL
  SELECT t.* FROM (SELECT id FROM extractions WHERE client_id = %(client)s) e CROSS JOIN LATERAL (SELECT * FROM tasks WHERE extraction_id = e.id OFFSET 0) t
  WHERE %(way)s = 'client' AND t.status = ANY(%(statuses)s::text[]) AND t.finished_at >= %(since)s AND t.finished_at < %(until)s
  UNION ALL
  SELECT * FROM tasks
  WHERE %(way)s = 'review' AND needs_review AND status = 'completed' AND finished_at >= %(since)s AND finished_at < %(until)s
  UNION ALL
  SELECT * FROM tasks WHERE status = 'enqueued' AND 'enqueued' = ANY(%(unfinished)s::text[])
  UNION ALL
  SELECT * FROM tasks WHERE status = 'processing' AND 'processing' = ANY(%(unfinished)s::text[])
), keyed AS (
  SELECT t.id, CASE %(by)s WHEN 'client' THEN c.name WHEN 'agent' THEN a.name ELSE '' END AS word,
    CASE WHEN %(by)s IN ('client', 'agent') THEN 0 ELSE coalesce(%(sign)s::float8 * CASE %(by)s
      WHEN 'priority' THEN t.priority WHEN 'attempts' THEN t.attempts_made WHEN 'confidence' THEN t.confidence
      WHEN 'time' THEN extract(epoch FROM coalesce(t.finished_at, t.enqueued_at))::float8 END, 'infinity') END AS key
  FROM its t JOIN clients c ON c.id = t.client_id JOIN agents a ON a.id = t.agent_id
  WHERE (%(agent)s::bigint = 0 OR t.agent_id = %(agent)s) AND (%(client)s::bigint = 0 OR t.client_id = %(client)s)
    AND (NOT %(review)s::bool OR t.needs_review) AND (%(error)s = '' OR t.error_code = %(error)s)
)
SELECT id, key, word FROM keyed
WHERE %(after)s::bigint IS NULL OR CASE WHEN %(sign)s::float8 > 0 THEN (key, word, id) > (%(key)s::float8, %(word)s::text, %(after)s)
  ELSE key > %(key)s OR key = %(key)s AND (word < %(word)s OR word = %(word)s AND id > %(after)s) END
ORDER BY key, CASE WHEN %(sign)s::float8 > 0 THEN word END, CASE WHEN %(sign)s::float8 < 0 THEN word END DESC, id LIMIT %(most)s

-- name: list_review_size
-- How many tasks need review, as far as it matters.
SELECT count(*) AS tasks FROM (SELECT FROM tasks WHERE needs_review LIMIT %(most)s) flagged

-- name: list_found
-- Tasks by what people have in hand: a number, the id of a run or a trace, the beginning of a digest, a part of a name.
SELECT id FROM (
  SELECT id FROM tasks WHERE id = %(number)s
  UNION SELECT task_id FROM task_attempts WHERE run_id = %(text)s AND run_id <> ''
  UNION SELECT task_id FROM task_attempts WHERE %(trace)s::bool AND trace_id = %(text)s
  UNION SELECT t.id FROM clients c CROSS JOIN LATERAL (
      SELECT id FROM documents WHERE client_id = c.id AND sha256 >= %(text)s AND sha256 < %(text)s || 'g' AND %(digest)s::bool OFFSET 0
    ) d JOIN tasks t ON t.document_id = d.id
  UNION SELECT id FROM (
    SELECT t.id FROM documents d JOIN tasks t ON t.document_id = d.id WHERE %(named)s::bool AND strpos(lower(d.original_name), lower(%(text)s)) > 0
    LIMIT %(most)s
  ) n
) f ORDER BY id DESC LIMIT %(most)s

-- name: list_places
-- Places in their agent's line of these tasks, as far as it is looked at.
SELECT id, place FROM (
  SELECT id, row_number() OVER (ORDER BY priority DESC, start_key, id) AS place FROM (
    SELECT id, priority, start_key FROM tasks WHERE agent_id = %(agent)s AND status = 'enqueued' AND NOT deferred
    ORDER BY priority DESC, start_key, id LIMIT %(most)s
  ) line
) numbered
WHERE id = ANY(%(tasks)s::bigint[])

-- name: list_pace
-- How an extraction goes: what it has cost, how fast it is, how long its documents waited and were worked on.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now),
its AS MATERIALIZED (SELECT id, status, enqueued_at, finished_at FROM tasks WHERE extraction_id = %(extraction)s),
ran AS MATERIALIZED (
  SELECT t.id, a.claimed_at, a.finished_at, a.cost_usd, a.cost_state FROM its t CROSS JOIN clock
  CROSS JOIN LATERAL (SELECT * FROM task_attempts WHERE task_id = t.id OFFSET 0) a
)
SELECT clock.now,
  (SELECT min(enqueued_at) FROM its) AS begun_at, (SELECT max(finished_at) FROM its) AS last_at,
  (SELECT count(*) FROM its WHERE finished_at > clock.now - interval '10 minutes') AS lately,
  (SELECT min(claimed_at) FROM ran) AS first_claim_at,
  (SELECT sum(cost_usd) FROM ran) AS usd, (SELECT count(*) FROM ran) AS attempts,
  (SELECT count(*) FROM ran WHERE cost_state = 'unknown') AS unknown, (SELECT count(*) FROM ran WHERE cost_state = 'estimated') AS estimated,
  (SELECT coalesce(sum(extract(epoch FROM coalesce(finished_at, clock.now) - claimed_at)), 0)::float8 FROM ran) AS working,
  (SELECT coalesce(sum(extract(epoch FROM coalesce(finished_at, clock.now) - enqueued_at)), 0)::float8 FROM its) AS whole
FROM clock

-- name: list_gists
-- Some values of the first record of each result, its first reason to need a look, and those of the fields of the first record that has any. A large result is passed over: it would have to be read whole. OFFSET 0: each is read once,
-- and not again for every value.
SELECT a.id, CASE jsonb_typeof(r.records) WHEN 'array' THEN jsonb_array_length(r.records) ELSE 0 END AS records, f.fields #>> '{currency,value}' AS currency, w.names,
  ARRAY(SELECT f.fields #>> ARRAY[name, 'value'] FROM unnest(w.names) AS name) AS texts,
  r.reason, flagged.names AS flagged, flagged.reasons
FROM task_attempts a CROSS JOIN (SELECT %(names)s::text[] AS names) w
CROSS JOIN LATERAL (SELECT a.result -> 'records' AS records, a.result #>> '{reasons,0}' AS reason OFFSET 0) r
CROSS JOIN LATERAL (SELECT r.records #> '{0,fields}' AS fields OFFSET 0) f
LEFT JOIN LATERAL (
  SELECT array_agg(key) AS names, array_agg(value #>> '{reasons,0}') AS reasons
  FROM jsonb_array_elements(CASE jsonb_typeof(r.records) WHEN 'array' THEN r.records END) WITH ORDINALITY AS its(one, place)
  CROSS JOIN LATERAL jsonb_each(CASE jsonb_typeof(one -> 'fields') WHEN 'object' THEN one -> 'fields' END)
  WHERE value #>> '{reasons,0}' IS NOT NULL GROUP BY place ORDER BY place LIMIT 1
) flagged ON true
WHERE a.id = ANY(%(attempts)s::uuid[]) AND pg_column_size(a.result) <= %(largest)s
