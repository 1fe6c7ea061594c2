-- name: versions_to_learn
-- Versions of which something finished lately and that nobody has looked at for a while, locked so that one worker learns for all.
SELECT v.id, v.agent_id, v.input_tokens_per_page, v.output_tokens_per_page, v.tokens_per_document, v.requests_per_page, v.seconds_per_page,
  v.learnt::text AS learnt
FROM agent_versions v
WHERE (v.learnt_at IS NULL OR v.learnt_at <= (SELECT agentaudit_now()) - make_interval(secs => %(every_seconds)s))
  AND EXISTS (
    SELECT FROM (
      SELECT agent_version_id, status FROM task_attempts
      WHERE agent_id = v.agent_id AND rate_held_until <= (SELECT agentaudit_now()) + interval '1 day'
      ORDER BY rate_held_until DESC LIMIT 50) a
    WHERE a.agent_version_id = v.id AND a.status = 'completed')
ORDER BY v.id LIMIT %(most)s FOR NO KEY UPDATE SKIP LOCKED

-- name: samples
-- The last completed attempts of a version. An agent's attempts are read backwards by the end of their rates, and not further than the bound.
SELECT coalesce(d.pages, a.pages_total, 1) AS pages, a.input_tokens, a.output_tokens, a.calls AS requests,
  extract(epoch FROM a.finished_at - a.started_at)::float8 AS seconds
FROM (
  SELECT * FROM task_attempts
  WHERE agent_id = %(agent)s AND rate_held_until <= (SELECT agentaudit_now()) + interval '1 day'
  ORDER BY rate_held_until DESC LIMIT %(look_back)s
) a
JOIN tasks t ON t.id = a.task_id
JOIN documents d ON d.id = t.document_id
WHERE a.agent_version_id = %(version)s AND a.status = 'completed' AND a.started_at IS NOT NULL AND a.finished_at > a.started_at
ORDER BY a.rate_held_until DESC LIMIT %(most)s

-- name: store_learnt
UPDATE agent_versions SET learnt = %(learnt)s::jsonb, learnt_at = agentaudit_now() WHERE id = %(version)s

-- name: waiting_estimates
-- The head of an agent's line with the lengths of its documents.
SELECT t.id, t.estimated_tokens, t.estimated_output_tokens, t.estimated_requests, t.estimated_seconds, d.pages
FROM (
  SELECT * FROM tasks
  WHERE agent_id = %(agent)s AND status = 'enqueued' AND NOT deferred
  ORDER BY priority DESC, start_key, id LIMIT %(most)s
) t
JOIN documents d ON d.id = t.document_id
WHERE t.agent_version_id = %(version)s
ORDER BY t.id

-- name: refresh_estimates
-- Only what waits: an attempt keeps the rates that it was claimed with.
UPDATE tasks t SET estimated_tokens = g.tokens, estimated_output_tokens = g.output_tokens, estimated_requests = g.requests,
  estimated_seconds = g.seconds
FROM unnest(%(tasks)s::bigint[], %(tokens)s::int[], %(output_tokens)s::int[], %(requests)s::int[], %(seconds)s::float8[])
  AS g(id, tokens, output_tokens, requests, seconds)
WHERE t.id = ANY(ARRAY(
    SELECT id FROM tasks WHERE id = ANY(%(tasks)s::bigint[]) AND status = 'enqueued' ORDER BY id FOR UPDATE SKIP LOCKED))
  AND t.id = g.id
