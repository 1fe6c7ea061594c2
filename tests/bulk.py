"""Fills the tables with as many rows as a year of work leaves, in one go and without the application."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

AGENTS, CLIENTS = 20, 50
BUSY_AGENT = 1010


@dataclass(frozen=True, slots=True)
class Bulk:
    """How many rows of each kind. Agents and clients are spread evenly; every tenth agent has limits and a pool."""

    finished: int = 1_000_000
    waiting: int = 200_000
    deferred: int = 10_000
    processing: int = 400


# Foreign keys are not checked while filling: every row below refers to rows made here
_FRAME = """
SET session_replication_role = replica;
INSERT INTO clients (id, name) SELECT i, 'client ' || i FROM generate_series(1, {clients}) i ON CONFLICT DO NOTHING;
INSERT INTO pools (id, name, max_tpm, max_concurrent_tasks) VALUES (1, 'pool', 10000000, 1000) ON CONFLICT DO NOTHING;
INSERT INTO agents (id, name, max_concurrent_tasks, max_tpm, pool_id)
  SELECT i, 'bulk-agent-' || i, CASE WHEN i % 10 = 0 THEN 1000 END, CASE WHEN i % 10 = 0 THEN 10000000 END, CASE WHEN i % 10 = 0 THEN 1 END
  FROM generate_series(1001, 1000 + {agents}) i;
INSERT INTO agent_versions (id, agent_id, number, program) SELECT id, id, 1, 'rules' FROM agents WHERE id > 1000;
UPDATE agents SET current_version_id = id WHERE id > 1000;
INSERT INTO documents (id, client_id, sha256, size_bytes, pages, original_name, storage_name)
  SELECT i, i, lpad(i::text, 64, '0'), 1000, 2, 'a.pdf', 'documents/' || i FROM generate_series(1, {clients}) i;
INSERT INTO extractions (id, client_id, agent_id, priority)
  SELECT i, 1 + i % {clients}, 1001 + i % {agents}, 10 FROM generate_series(1, 10000) i;
INSERT INTO workers (id, host, pid, version, slots, started_at, heartbeat_at)
  VALUES ('00000000-0000-0000-0000-000000000001', 'bulk', 1, '', 4, now(), now());
"""

_TASKS = """
INSERT INTO tasks (extraction_id, document_id, client_id, agent_id, agent_version_id, status, priority, start_key, created_at, enqueued_at,
  available_at, deferred, finished_at, locked_by, lease_owner, lease_expires_at, current_attempt, attempts_made, result_attempt)
SELECT 1 + i % 10000, 1 + i % {clients}, 1 + i % {clients}, {agent}, {agent}, {status}, (i / 7 % 4) * 10,
  extract(epoch FROM at)::bigint * 1000000 + i, at, at, {available}, {deferred}, {finished},
  {held} 'worker:1' END, {held} '00000000-0000-0000-0000-000000000001'::uuid END, {held} now() + interval '1 minute' END,
  {attempt}, CASE WHEN {status} = 'enqueued' THEN 0 ELSE 1 END, CASE WHEN {status} = 'completed' THEN {attempt} END
FROM (SELECT i, now() - make_interval(secs => ({total} - i) * 30) AS at FROM generate_series({first}, {last}) i) s
"""

_ATTEMPTS = """
INSERT INTO task_attempts (id, task_id, number, generation, priority, agent_id, agent_version_id, client_id, executor, worker, status, claimed_at,
  started_at, finished_at, ended_at, deadline_at, rate_held_until, result, cost_usd, cost_state, settled_at, pool_id)
SELECT current_attempt, id, 1, 1, priority, agent_id, agent_version_id, client_id, 'local', '00000000-0000-0000-0000-000000000001',
  CASE WHEN status = 'processing' THEN 'running' ELSE status END, created_at, created_at, finished_at, finished_at,
  CASE WHEN status = 'processing' THEN now() + interval '30 minutes' ELSE created_at + interval '30 minutes' END,
  CASE WHEN status = 'processing' THEN '9999-01-01' ELSE created_at + interval '60 seconds' END,
  CASE WHEN status = 'completed' THEN '{{}}'::jsonb END, CASE WHEN status <> 'processing' THEN 0 END,
  CASE WHEN status <> 'processing' THEN 'estimated' ELSE 'unknown' END, finished_at, CASE WHEN agent_id % 10 = 0 THEN 1 END
FROM tasks WHERE current_attempt IS NOT NULL
"""


def fill(db: psycopg.Connection, bulk: Bulk = Bulk()) -> None:
    """Fill empty tables. `db` is in autocommit mode and belongs to a superuser."""
    # Half of everything belongs to one agent, as where there is only one that matters
    agent = f"CASE WHEN i % 2 = 0 THEN {BUSY_AGENT} ELSE 1001 + i % {AGENTS} END"
    total = bulk.finished + bulk.waiting + bulk.deferred + bulk.processing
    numbers: dict[str, Any] = {"agents": AGENTS, "clients": CLIENTS, "agent": agent, "total": total + 1000}
    db.execute(_FRAME.format(**numbers))
    at = 0

    def tasks(count: int, status: str, **changed: str) -> None:
        nonlocal at
        parts = {
            "available": "at", "deferred": "false", "finished": "NULL", "held": "CASE WHEN false THEN",
            "attempt": "NULL::uuid", **changed,
        }  # fmt: skip
        db.execute(_TASKS.format(status=f"'{status}'", first=at + 1, last=at + count, **parts, **numbers))
        at += count

    some_id = "md5(i::text)::uuid"
    tasks(bulk.finished * 9 // 10, "completed", finished="at", attempt=some_id)
    tasks(bulk.finished // 10, "failed", finished="at", attempt=some_id)
    tasks(bulk.waiting, "enqueued")
    tasks(bulk.deferred, "enqueued", deferred="true", available="now() + interval '1 hour'")
    tasks(bulk.processing, "processing", held="CASE WHEN true THEN", attempt=some_id)
    db.execute(_ATTEMPTS.format())
    db.execute("SET session_replication_role = DEFAULT")
    for table in (
        "tasks",
        "task_attempts",
        "agents",
        "clients",
        "documents",
        "extractions",
        "workers",
        "agent_versions",
    ):
        db.execute(f"VACUUM ANALYZE {table}")
