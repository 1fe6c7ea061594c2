-- name: enqueue
-- N tasks of one extraction in one statement. start_key is created_at in microseconds, so that the order of an
-- agent that is not fair is exactly priority DESC, created_at, id.
WITH clock AS MATERIALIZED (SELECT agentaudit_now() AS now)
INSERT INTO tasks (
  extraction_id, document_id, client_id, agent_id, agent_version_id, priority, start_key, created_at, enqueued_at, available_at,
  estimated_tokens, estimated_output_tokens, estimated_requests, estimated_seconds, sealed_password)
SELECT %(extraction)s, d.document_id, %(client)s, %(agent)s, %(version)s, %(priority)s,
  coalesce(%(first_key)s::bigint + (d.place - 1) * %(key_step)s::bigint, (extract(epoch FROM clock.now) * 1000000)::bigint),
  clock.now, clock.now, clock.now, d.tokens, d.output_tokens, d.requests, d.seconds, d.sealed_password
FROM clock, unnest(
  %(documents)s::bigint[], %(tokens)s::int[], %(output_tokens)s::int[], %(requests)s::int[], %(seconds)s::float8[], %(passwords)s::bytea[]
) WITH ORDINALITY AS d(document_id, tokens, output_tokens, requests, seconds, sealed_password, place)
ORDER BY d.place
RETURNING id

-- name: stamp_lane
-- Fair agents: the first virtual start of N new tasks of one client at one level. The level's clock is the key of its head, or
-- the greatest key given so far; a client that was away starts at the clock, so idleness earns no credit.
WITH level AS (
  SELECT coalesce(
    (SELECT start_key FROM tasks WHERE agent_id = %(agent)s AND priority = %(priority)s AND status = 'enqueued' AND NOT deferred
     ORDER BY start_key, id LIMIT 1),
    (SELECT max(last_key) FROM lanes WHERE agent_id = %(agent)s AND priority = %(priority)s),
    (extract(epoch FROM agentaudit_now()) * 1000000)::bigint) AS key
)
INSERT INTO lanes AS l (agent_id, priority, client_id, last_key)
SELECT %(agent)s, %(priority)s, %(client)s, level.key + %(count)s::bigint * %(key_step)s::bigint FROM level
ON CONFLICT ON CONSTRAINT lanes_agent_priority_client
DO UPDATE SET last_key = greatest(l.last_key, excluded.last_key - %(count)s::bigint * %(key_step)s::bigint) + %(count)s::bigint * %(key_step)s::bigint
RETURNING last_key - (%(count)s::bigint - 1) * %(key_step)s::bigint AS first_key

-- name: set_fair
UPDATE agents SET is_fair = %(fair)s WHERE id = %(agent)s AND is_fair <> %(fair)s RETURNING id

-- name: lock_waiting
-- What waits for an agent, in id order, before a statement that changes all of it.
SELECT count(*) FROM (SELECT id FROM tasks WHERE agent_id = %(agent)s AND status = 'enqueued' ORDER BY id FOR UPDATE) t

-- name: rekey_plain
-- An agent stops being fair: what waits goes back to first come, first served.
UPDATE tasks SET start_key = (extract(epoch FROM created_at) * 1000000)::bigint
WHERE id = ANY(ARRAY(
  SELECT id FROM tasks WHERE agent_id = %(agent)s AND status = 'enqueued' ORDER BY id FOR UPDATE))

-- name: rekey_fair
-- An agent becomes fair: what each client has waiting is spread from the clock of its level on, in its order, and the lanes begin there.
WITH line AS MATERIALIZED (
  SELECT t.id, t.priority, t.client_id, w.step, min(t.start_key) OVER (PARTITION BY t.priority) AS clock,
    row_number() OVER (PARTITION BY t.priority, t.client_id ORDER BY t.start_key, t.id) AS place
  FROM tasks t JOIN clients c ON c.id = t.client_id JOIN unnest(%(tiers)s::text[], %(steps)s::bigint[]) AS w(tier, step) ON w.tier = c.tier
  WHERE t.agent_id = %(agent)s AND t.status = 'enqueued'
),
moved AS (
  UPDATE tasks t SET start_key = line.clock + line.place * line.step FROM line WHERE t.id = line.id
)
INSERT INTO lanes AS l (agent_id, priority, client_id, last_key)
SELECT %(agent)s, priority, client_id, max(clock + place * step) FROM line GROUP BY priority, client_id ORDER BY priority, client_id
ON CONFLICT ON CONSTRAINT lanes_agent_priority_client DO UPDATE SET last_key = excluded.last_key

-- name: set_keys
UPDATE tasks t SET start_key = g.key FROM unnest(%(tasks)s::bigint[], %(keys)s::bigint[]) AS g(id, key)
WHERE t.id = ANY(%(tasks)s::bigint[]) AND t.id = g.id AND t.status IN ('enqueued', 'processing')
