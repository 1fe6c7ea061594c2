-- name: anything_to_do
-- Whether any process has a reason to stay connected: work that waits or runs, an action on many rows, a message that is to be sent or written, a client's data that are being deleted.
SELECT EXISTS (SELECT FROM tasks WHERE status = 'enqueued') OR EXISTS (SELECT FROM tasks WHERE status = 'processing')
  OR EXISTS (SELECT FROM task_attempts WHERE ended_at IS NULL) OR EXISTS (SELECT FROM bulk_actions WHERE finished_at IS NULL)
  OR EXISTS (SELECT FROM notices WHERE sent_at IS NULL AND given_up_at IS NULL)
  OR EXISTS (SELECT FROM extraction_watches w WHERE EXISTS (SELECT FROM tasks t WHERE t.extraction_id = w.extraction_id))
  OR EXISTS (SELECT FROM clients WHERE deletion_began_at IS NOT NULL AND deleted_at IS NULL) AS found
