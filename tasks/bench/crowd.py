"""Fills a bench's tables with as many finished tasks as years of work leave, and lets somebody in to look at them."""

from __future__ import annotations

from http.client import HTTPConnection
from importlib import import_module
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User

from tasks.bench import server

# 20 agents, 50 clients, a year. Half of everything belongs to one agent and a third of it to one client, as where there are some that matter; the last days are the busiest. In the order in which they finished,
# as a table of real work is
_FRAME = """
INSERT INTO clients (id, name) SELECT i, 'client ' || i FROM generate_series(1001, 1050) i;
INSERT INTO agents (id, name, max_concurrent_tasks, max_tpm) SELECT i, 'agent-' || i, 100, 1000000 FROM generate_series(1001, 1020) i;
INSERT INTO agent_versions (id, agent_id, number, program) SELECT id, id, 1, 'rules' FROM agents WHERE id > 1000;
UPDATE agents SET current_version_id = id WHERE id > 1000;
INSERT INTO documents (id, client_id, sha256, size_bytes, pages, original_name, storage_name)
  SELECT i, i, lpad(i::text, 64, '0'), 1000, 2, 'document-' || i || '.pdf', 'documents/' || i FROM generate_series(1001, 1050) i;
INSERT INTO extractions (id, client_id, agent_id, priority) SELECT i, i, 1001, 10 FROM generate_series(1001, 1050) i;
"""
_TASKS = """
INSERT INTO tasks (extraction_id, document_id, client_id, agent_id, agent_version_id, status, priority, start_key, created_at, enqueued_at,
  available_at, finished_at, current_attempt, attempts_made, attempts_burnt, result_attempt, confidence, needs_review, error_code, error_message)
SELECT client, client, client, agent, agent, status, 10, extract(epoch FROM at)::bigint * 1000000 + i, at - wait, at - wait, at - wait, at,
  attempt, 1, 1, CASE WHEN status = 'completed' THEN attempt END, CASE WHEN status = 'completed' THEN 1 - power(random(), 3) * 0.6 END,
  status = 'completed' AND random() < 0.08, CASE WHEN status = 'failed' THEN (ARRAY['crashed', 'corrupt', 'upstream', 'timeout'])[1 + i %% 4] ELSE '' END, ''
FROM (
  SELECT i, md5(i::text)::uuid AS attempt, CASE WHEN i %% 2 = 0 THEN 1001 ELSE 1001 + (i / 2) %% 20 END AS agent,
    CASE WHEN i %% 3 = 0 THEN 1001 ELSE 1001 + (i / 3) %% 50 END AS client,
    CASE WHEN i %% 20 = 7 THEN 'failed' WHEN i %% 50 = 9 THEN 'cancelled' ELSE 'completed' END AS status,
    now() - power(1 - i / %(last)s::float8, 2) * interval '365 days' AS at, exp(3.5 + 1.2 * sqrt(-2 * ln(1 - random())) * cos(6.2831853 * random())) * interval '1 second' AS wait
  FROM generate_series(%(first)s::bigint, %(last)s::bigint) i
) drawn
"""
_WAITING = """
INSERT INTO tasks (extraction_id, document_id, client_id, agent_id, agent_version_id, status, priority, start_key, created_at, enqueued_at, available_at)
SELECT 1001 + i %% 50, 1001 + i %% 50, 1001 + i %% 50, 1001 + i %% 20, 1001 + i %% 20, 'enqueued', 10, i, now(),
  now() - i * interval '100 milliseconds', now() FROM generate_series(1, %(count)s::bigint) i
"""
_ATTEMPTS = """
INSERT INTO task_attempts (id, task_id, number, generation, priority, agent_id, agent_version_id, client_id, executor, worker, status, claimed_at,
  started_at, finished_at, ended_at, deadline_at, rate_held_until, result, confidence, input_tokens, output_tokens, cache_read_tokens,
  cache_write_tokens, cost_usd, cost_state, settled_at)
SELECT current_attempt, id, 1, 1, priority, agent_id, agent_version_id, client_id, 'local', '00000000-0000-0000-0000-000000000001', status, enqueued_at, enqueued_at,
  finished_at, finished_at, finished_at, finished_at, CASE WHEN status = 'completed' THEN '{}'::jsonb END, confidence,
  (random() * 50000)::bigint, (random() * 3000)::bigint, (random() * 9000)::bigint, 0,
  CASE WHEN id % 9 <> 0 THEN (random() * 0.2)::numeric(14, 6) END,
  CASE WHEN id % 9 = 0 THEN 'unknown' WHEN id % 2 = 0 THEN 'settled' ELSE 'estimated' END, finished_at
FROM tasks WHERE current_attempt IS NOT NULL
"""


def fill(finished: int, waiting: int, **elsewhere: str) -> None:
    """Into empty tables, at once and past triggers and foreign keys. elsewhere: `dbname` of another database than the bench's."""
    with server.connect(**({"user": server.SUPERUSER} if server.is_ours() else {}), **elsewhere) as db:
        db.execute("SET session_replication_role = replica")
        for statement in filter(None, map(str.strip, _FRAME.split(";\n"))):
            db.execute(statement)
        db.execute(_TASKS, {"first": 1, "last": finished})
        db.execute(_WAITING, {"count": waiting})
        db.execute(_ATTEMPTS)
        db.execute("SET session_replication_role = DEFAULT")
        for table in ("tasks", "task_attempts", "agents", "clients", "documents", "extractions"):
            db.execute(f"VACUUM ANALYZE {table}")


def cookie() -> str:
    """The header of somebody who may see everything."""
    user = User.objects.create_superuser("bench", password=None)
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = (
        str(user.pk),
        "django.contrib.auth.backends.ModelBackend",
    )
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def get(url: str, path: str, cookie: str) -> str:
    """A page as somebody who is signed in sees it. Raises RuntimeError for another answer."""
    parts = urlsplit(url)
    line = HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    try:
        line.request("GET", path, headers={"Cookie": cookie})
        answer = line.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"{path} answers {answer.status}")
        return answer.read().decode()
    finally:
        line.close()
