-- Numbers of business documents that were read before. Each of %(keys)s is what the attempt beside it has read.

-- name: seen_forget
-- What an earlier reading of the same task took for its number. A task that has ended takes no other result.
DELETE FROM seen_numbers s
USING (
  SELECT DISTINCT t.id FROM task_attempts a JOIN tasks t ON t.id = a.task_id
  WHERE a.id = ANY(%(attempts)s::uuid[]) AND t.finished_at IS NULL
) open
WHERE s.task_id = open.id AND s.key <> ALL(%(keys)s::uuid[])

-- name: seen_note
-- In the order of the index, so that transactions that note the same numbers wait for each other one way; who waits comes second.
INSERT INTO seen_numbers (client_id, key, task_id)
SELECT DISTINCT ON (t.client_id, n.key) t.client_id, n.key, t.id
FROM unnest(%(attempts)s::uuid[], %(keys)s::uuid[]) AS n (attempt, key)
JOIN task_attempts a ON a.id = n.attempt AND a.erased_at IS NULL JOIN tasks t ON t.id = a.task_id AND t.finished_at IS NULL
ORDER BY t.client_id, n.key, t.id
ON CONFLICT (client_id, key) DO NOTHING

-- name: seen_before
-- By which other document of the same client.
SELECT n.attempt, n.key, s.task_id
FROM unnest(%(attempts)s::uuid[], %(keys)s::uuid[]) AS n (attempt, key)
JOIN task_attempts a ON a.id = n.attempt JOIN tasks t ON t.id = a.task_id
JOIN seen_numbers s ON s.client_id = t.client_id AND s.key = n.key JOIN tasks f ON f.id = s.task_id
WHERE f.document_id <> t.document_id
