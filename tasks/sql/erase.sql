-- name: erase_tasks_of
-- Few per document: one for each agent and hand-in.
SELECT id FROM tasks WHERE document_id = ANY(%(documents)s::bigint[])

-- name: erase_lock_attempts
-- After their tasks: no settlement of them is under way any more, and the next one finds them erased.
SELECT id FROM task_attempts WHERE task_id = ANY(%(tasks)s::bigint[]) ORDER BY id FOR UPDATE

-- name: erase_attempts
-- States, tokens, costs and confidence stay, so that no sum of them changes.
UPDATE task_attempts SET result = NULL, conflict = NULL, error_message = '', erased_at = agentaudit_now()
WHERE id = ANY(%(attempts)s::uuid[]) AND erased_at IS NULL

-- name: erase_tasks
UPDATE tasks SET error_message = '', sealed_password = NULL
WHERE id = ANY(%(tasks)s::bigint[]) AND (error_message <> '' OR sealed_password IS NOT NULL)

-- name: erase_deliveries
UPDATE webhook_deliveries SET body = NULL WHERE attempt = ANY(%(attempts)s::uuid[]) AND body IS NOT NULL

-- name: erase_results
DELETE FROM attempt_results WHERE attempt = ANY(%(attempts)s::uuid[])

-- name: erase_seen
DELETE FROM seen_numbers WHERE task_id = ANY(%(tasks)s::bigint[])

-- name: erase_documents
-- Last, because an empty storage_name says that nothing is left to do for one. What stays says what was paid for: pages and size.
UPDATE documents SET sha256 = 'deleted ' || id, original_name = 'deleted document ' || id, storage_name = ''
WHERE id = ANY(%(documents)s::bigint[])

-- name: erase_refused
UPDATE extractions SET refused = '[]' WHERE client_id = %(client)s AND refused <> '[]'

-- name: erase_trace_ids
-- Once the store has no such trace any more.
UPDATE task_attempts SET trace_id = '' WHERE id = ANY(%(attempts)s::uuid[])
