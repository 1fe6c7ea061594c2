-- name: erase_lock_documents
-- Before their tasks, as a hand-in and a pruning have it.
SELECT id FROM documents WHERE id = ANY(%(documents)s::bigint[]) ORDER BY id FOR NO KEY UPDATE

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
-- Nobody can review what is gone: lists, counts and sums of what needs review do without it.
UPDATE tasks SET error_message = '', sealed_password = NULL, needs_review = false
WHERE id = ANY(%(tasks)s::bigint[]) AND (error_message <> '' OR sealed_password IS NOT NULL OR needs_review)

-- name: erase_deliveries
UPDATE webhook_deliveries SET body = NULL WHERE attempt = ANY(%(attempts)s::uuid[]) AND body IS NOT NULL

-- name: erase_results
DELETE FROM attempt_results WHERE attempt = ANY(%(attempts)s::uuid[])

-- name: erase_documents
-- Last, because an empty storage_name says that nothing is left to do for one. What stays says what was paid for: pages and size.
UPDATE documents SET sha256 = 'deleted ' || id, original_name = 'deleted document ' || id, storage_name = ''
WHERE id = ANY(%(documents)s::bigint[])

-- name: erase_refused
UPDATE extractions SET refused = '[]' WHERE client_id = %(client)s AND refused <> '[]'

-- name: erase_seen
-- Also those that tasks showed which were pruned before.
DELETE FROM seen_numbers WHERE client_id = %(client)s

-- name: erase_trace_ids
-- Once the store has no such trace any more.
UPDATE task_attempts SET trace_id = '' WHERE id = ANY(%(attempts)s::uuid[])

-- name: prune_lock
-- Nothing is added to the extraction any more: submit waits for this, and then finds it pruned. Not FOR UPDATE, for which whoever has changed
-- its tasks would wait when he commits, while this waits for the tasks.
SELECT id FROM extractions WHERE id = %(extraction)s FOR NO KEY UPDATE

-- name: prune_lock_documents
-- Before the tasks, as a hand-in has it: whoever hands in one of these files waits here, and finds it kept or gone.
SELECT id FROM documents WHERE id = ANY(ARRAY(
  SELECT document_id FROM tasks WHERE extraction_id = %(extraction)s
  UNION SELECT (r ->> 'document_id')::bigint FROM extractions e, jsonb_array_elements(e.refused) r WHERE e.id = %(extraction)s))
ORDER BY id FOR NO KEY UPDATE

-- name: prune_lock_tasks
SELECT id FROM tasks WHERE extraction_id = %(extraction)s ORDER BY id FOR UPDATE

-- name: prune_refused
-- Documents that stand in lists of what was not taken: encrypted ones whose password may still be typed, and repeats.
SELECT DISTINCT e.id AS extraction, (r ->> 'document_id')::bigint AS document
FROM extractions e, jsonb_array_elements(e.refused) r
WHERE e.pruned_at IS NULL AND e.refused <> '[]' AND (%(client)s::bigint IS NULL OR e.client_id = %(client)s) AND r ->> 'document_id' IS NOT NULL

-- name: prune_note
UPDATE extractions SET pruned_at = agentaudit_now(), files_to_go = %(files)s::jsonb, refused = '[]' WHERE id = %(extraction)s

-- name: prune_done
UPDATE extractions SET files_to_go = NULL WHERE id = ANY(%(extractions)s::bigint[])
