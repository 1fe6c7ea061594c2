-- Numbers of business documents that were read before. Each of %(keys)s is what the attempt beside it has read.

-- name: seen_forget
-- What an earlier reading of the same task took for its number. A task that has ended takes no other result. No joins: while the tables
-- are small the planner would begin with all tasks.
DELETE FROM seen_numbers
WHERE key <> ALL(%(keys)s::uuid[])
  AND task_id = ANY(ARRAY(
    SELECT id FROM tasks
    WHERE finished_at IS NULL AND id = ANY(ARRAY(SELECT task_id FROM task_attempts WHERE id = ANY(%(attempts)s::uuid[])))))

-- name: seen_note
-- In the order of the index, so that transactions that note the same numbers wait for each other one way; who waits comes second.
INSERT INTO seen_numbers (client_id, key, task_id)
SELECT DISTINCT ON (t.client_id, n.key) t.client_id, n.key, t.id
FROM unnest(%(attempts)s::uuid[], %(keys)s::uuid[]) AS n (attempt, key)
JOIN task_attempts a ON a.id = n.attempt AND a.erased_at IS NULL JOIN tasks t ON t.id = a.task_id AND t.finished_at IS NULL
ORDER BY t.client_id, n.key, t.id
ON CONFLICT (client_id, key) DO NOTHING

-- name: seen_before
-- By which other document of the same client. LIMIT, though there is one of each at most: so every pair is looked up by itself, in this
-- order. While the tables are small the planner would begin with all tasks, or look through all numbers of the client.
SELECT n.attempt, n.key, s.task_id
FROM unnest(%(attempts)s::uuid[], %(keys)s::uuid[]) AS n (attempt, key)
CROSS JOIN LATERAL (
  SELECT t.client_id, t.document_id FROM task_attempts a JOIN tasks t ON t.id = a.task_id WHERE a.id = n.attempt LIMIT 1
) own
CROSS JOIN LATERAL (SELECT task_id FROM seen_numbers WHERE client_id = own.client_id AND key = n.key LIMIT 1) s
WHERE (SELECT document_id FROM tasks WHERE id = s.task_id) <> own.document_id
