-- name: anything_to_do
-- Whether any process has a reason to stay connected: work that waits or runs, an action on many rows, a message that is to be sent or written, a client's data that are being deleted.
-- The first one in an index is asked for: whether there is any row at all would be looked for from the table's beginning.
SELECT (SELECT agent_id FROM tasks WHERE status = 'enqueued' ORDER BY agent_id, enqueued_at LIMIT 1) IS NOT NULL
  OR (SELECT id FROM tasks WHERE status = 'processing' ORDER BY id LIMIT 1) IS NOT NULL
  OR (SELECT deadline_at FROM task_attempts WHERE ended_at IS NULL ORDER BY deadline_at LIMIT 1) IS NOT NULL
  OR EXISTS (SELECT FROM bulk_actions WHERE finished_at IS NULL)
  OR EXISTS (SELECT FROM notices WHERE sent_at IS NULL AND given_up_at IS NULL)
  OR EXISTS (
    SELECT FROM extraction_watches w
    WHERE (SELECT id FROM tasks t WHERE t.extraction_id = w.extraction_id ORDER BY id LIMIT 1) IS NOT NULL
  )
  OR EXISTS (SELECT FROM clients WHERE deletion_began_at IS NOT NULL AND deleted_at IS NULL) AS found
