"""The database of checkpoints: tables of the libraries, and the fence before each, which lets only a thread's latest attempt write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, LiteralString
from uuid import uuid4

import psycopg
from psycopg import sql

THREAD_OF = {
    "checkpoints": "thread_id",
    "checkpoint_blobs": "thread_id",
    "checkpoint_writes": "thread_id",
    "agent_messages": "session_id",
    "agent_sessions": "session_id",
}
"""Table → its column that names the thread; what refers to another table stands before it."""

# FOR SHARE: a later attempt's claim waits for the transaction that writes, and whoever writes after that claim is refused
FENCE = """
CREATE TABLE IF NOT EXISTS attempt_threads (
  thread text PRIMARY KEY, attempt uuid NOT NULL, number integer NOT NULL, claimed_at timestamptz NOT NULL DEFAULT now()
);
CREATE OR REPLACE FUNCTION only_the_latest_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  written text;
BEGIN
  IF TG_OP = 'DELETE' THEN
    EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO written USING OLD;
  ELSE
    EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO written USING NEW;
  END IF;
  PERFORM FROM attempt_threads
  WHERE thread = written AND attempt = nullif(current_setting('agentaudit.attempt', true), '')::uuid FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'this attempt does not hold the thread' USING ERRCODE = 'AA001';
  END IF;
  RETURN coalesce(NEW, OLD);
END $$"""
TRIGGER = """
CREATE OR REPLACE TRIGGER only_the_latest_attempt BEFORE INSERT OR UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION only_the_latest_attempt({column})"""


def prepare(credentials: Callable[[], dict[str, Any]]) -> None:
    """Make what is missing of the tables, in the first schema of the role's search path. Raises psycopg.Error."""
    from langgraph.checkpoint.postgres import PostgresSaver

    from tasks.agent.checkpointed.conversation import make_tables

    with psycopg.connect(**credentials(), autocommit=True) as db:
        PostgresSaver(db).setup()  # type: ignore[arg-type]
        asyncio.run(make_tables(credentials))
        with db.transaction():
            db.execute(FENCE)
            for table, column in THREAD_OF.items():
                names = {"table": sql.Identifier(table), "column": sql.Literal(column)}
                db.execute(sql.SQL(TRIGGER).format(**names))


def remove(credentials: Callable[[], dict[str, Any]], days: int) -> int:
    """Remove threads that no attempt has begun to work on for so many days; how many. Raises psycopg.Error.

    They are taken over first, so that an attempt that still writes to one is refused like any earlier one.
    """
    return _remove(credentials, "claimed_at < now() - make_interval(days => %s)", days)


def forget(credentials: Callable[[], dict[str, Any]], threads: Sequence[str]) -> int:
    """The same for these threads, however young; how many there were. Raises psycopg.Error."""
    return _remove(credentials, "thread = ANY(%s)", list(threads))


def _remove(credentials: Callable[[], dict[str, Any]], which: LiteralString, value: Any) -> int:
    me = uuid4()
    found = credentials()
    found["options"] = f"{found.get('options', '')} -c agentaudit.attempt={me}".strip()
    with psycopg.connect(**found) as db:
        taken = sql.SQL("UPDATE attempt_threads SET attempt = %s WHERE {} RETURNING thread").format(
            sql.SQL(which)
        )
        threads = [thread for (thread,) in db.execute(taken, (me, value)).fetchall()]
        for table, column in THREAD_OF.items():
            statement = sql.SQL("DELETE FROM {} WHERE {} = ANY(%s)")
            db.execute(statement.format(sql.Identifier(table), sql.Identifier(column)), (threads,))
        db.execute("DELETE FROM attempt_threads WHERE attempt = %s", (me,))
    return len(threads)
