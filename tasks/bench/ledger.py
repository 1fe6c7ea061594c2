"""Fills a bench's tables with a year of paid work: extractions of a hundred documents, some retried, some failed, some not priced, some billed."""

from __future__ import annotations

from tasks.bench import server

DOCUMENTS = 100
"""Per extraction. One is read by one agent, for one client and engagement, and was handed in by one person."""

# Twice as much at the end of the year as at its beginning. A third belongs to one client, half to one agent, as where there are some that matter.
# Tasks are made in the order in which they ended, and two extractions run at a time
_FRAME = """
INSERT INTO clients (id, name) SELECT i, 'client ' || i FROM generate_series(1001, 1050) i;
INSERT INTO agents (id, name) SELECT i, 'agent-' || i FROM generate_series(1001, 1020) i;
INSERT INTO agent_versions (id, agent_id, number, program, model)
  SELECT id * 10 + n, id, n, 'rules', CASE WHEN id % 3 = 0 THEN '' WHEN n = 1 THEN 'small-1' ELSE 'large-2' END FROM agents, generate_series(1, 2) n WHERE id > 1000;
UPDATE agents SET current_version_id = id * 10 + 2 WHERE id > 1000;
INSERT INTO auth_user (id, username, password, is_superuser, is_staff, is_active, first_name, last_name, email, date_joined)
  SELECT i, 'person-' || i, '!', false, false, true, '', '', '', now() FROM generate_series(1001, 1010) i;
INSERT INTO documents (id, client_id, sha256, size_bytes, pages, original_name, storage_name)
  SELECT i, i, lpad(i::text, 64, '0'), 1000, 2, 'document-' || i || '.pdf', 'documents/' || i FROM generate_series(1001, 1050) i;
"""
_EXTRACTIONS = """
INSERT INTO extractions (id, client_id, agent_id, priority, engagement, created_by_id)
SELECT i, CASE WHEN i %% 3 = 0 THEN 1001 ELSE 1001 + (i / 3) %% 50 END, CASE WHEN i %% 2 = 0 THEN 1001 ELSE 1001 + (i / 2) %% 20 END, 10,
  (ARRAY['Audit 2025', 'Audit 2026', ''])[1 + i %% 3], CASE WHEN i %% 11 > 0 THEN 1000 + i %% 11 END
FROM generate_series(0, %(last)s::bigint / 100 + 2) i
"""
_TASKS = """
INSERT INTO tasks (extraction_id, document_id, client_id, agent_id, agent_version_id, status, priority, start_key, created_at, enqueued_at,
  available_at, finished_at, current_attempt, attempts_made, attempts_burnt, result_attempt, confidence, estimated_tokens, error_code, error_message)
SELECT e.id, e.client_id, e.client_id, e.agent_id, e.agent_id * 10 + CASE WHEN i < %(last)s::bigint / 2 THEN 1 ELSE 2 END, status, 10, i, at - wait, at - wait, at - wait,
  at, attempt, attempts, attempts, CASE WHEN status = 'completed' THEN attempt END, CASE WHEN status = 'completed' THEN 0.9 END, 20000 + i %% 9000,
  CASE WHEN status = 'failed' THEN 'corrupt' ELSE '' END, ''
FROM (
  SELECT i, md5(i::text)::uuid AS attempt, 2 * (i / 200) + i %% 2 AS extraction, CASE WHEN i %% 20 = 7 THEN 'failed' ELSE 'completed' END AS status,
    CASE WHEN i %% 10 = 3 THEN 2 ELSE 1 END AS attempts, interval '1 hour' AS wait,
    now() - (1 - (sqrt(1 + 3 * i / %(last)s::float8) - 1)) * interval '365 days' AS at
  FROM generate_series(1::bigint, %(last)s::bigint) i
) drawn JOIN extractions e ON e.id = drawn.extraction
ORDER BY i
"""
_ATTEMPTS = """
INSERT INTO task_attempts (id, task_id, number, generation, priority, agent_id, agent_version_id, client_id, executor, worker, run_id, status, claimed_at,
  started_at, finished_at, ended_at, deadline_at, rate_held_until, model, result, input_tokens, output_tokens, cache_read_tokens, reserved_usd,
  cost_usd, cost_state, compute_cost_usd, compute_cost_state, settled_at)
SELECT CASE WHEN n = t.attempts_made THEN t.current_attempt ELSE md5('first ' || t.id)::uuid END, t.id, n, 1, t.priority, t.agent_id, t.agent_version_id, t.client_id,
  executor, '00000000-0000-0000-0000-000000000001', CASE WHEN executor = 'databricks' THEN (10 * t.id + n)::text ELSE '' END,
  CASE WHEN n = t.attempts_made THEN t.status ELSE 'timeout' END, at - interval '1 minute', at - interval '1 minute', at, at, at, at, v.model,
  CASE WHEN n = t.attempts_made AND t.status = 'completed' THEN '{}'::jsonb END, 15000 + t.id % 9000, 900, t.id % 5000, 0.1,
  CASE WHEN v.model <> '' AND t.id % 9 > 0 THEN (t.id % 8191)::numeric / 50000 END,
  CASE WHEN v.model = '' OR t.id % 9 = 0 THEN 'unknown' WHEN t.id % 2 = 0 THEN 'settled' ELSE 'estimated' END,
  CASE WHEN t.id % 4 < 3 THEN (t.id % 977)::numeric / 100000 END,
  CASE t.id % 4 WHEN 0 THEN 'settled' WHEN 3 THEN 'unknown' ELSE 'estimated' END, at
FROM tasks t JOIN agent_versions v ON v.id = t.agent_version_id CROSS JOIN LATERAL generate_series(1, t.attempts_made) n
CROSS JOIN LATERAL (SELECT t.finished_at - (t.attempts_made - n) * interval '40 minutes' AS at, CASE WHEN t.agent_id % 2 = 1 THEN 'databricks' ELSE 'local' END AS executor) x
ORDER BY t.id, n
"""


def fill(attempts: int) -> None:
    """About so many ended attempts into empty tables, at once and past triggers and foreign keys."""
    with server.connect(**({"user": server.SUPERUSER} if server.is_ours() else {})) as db:
        db.execute("SET session_replication_role = replica")
        for statement in filter(None, map(str.strip, _FRAME.split(";\n"))):
            db.execute(statement)
        tasks = {"last": round(attempts / 1.1)}
        db.execute(_EXTRACTIONS, tasks)
        db.execute(_TASKS, tasks)
        db.execute(_ATTEMPTS)
        db.execute("SET session_replication_role = DEFAULT")
        for table in ("tasks", "task_attempts", "agents", "clients", "documents", "extractions"):
            db.execute(f"VACUUM ANALYZE {table}")
