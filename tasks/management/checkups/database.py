"""Is the database there, of a version that we know, ours to change, up to date, awake, and at the same time of day?"""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.db import Error, connection

from tasks import notify
from tasks.management.checkups import Finding, fault, hint, ok
from tasks.management.preparation import pending_migrations, unknown_migrations
from tasks.management.room import ADVICE, room

OLDEST, NEWEST = 15, 18
FEW_CONNECTIONS = 10
LONG_MINUTES = 10.0
CLOCK_HINT_SECONDS, CLOCK_FAULT_SECONDS = 2.0, 120.0
"""The database's clock decides everything here; signatures of remote attempts are accepted within 300 s."""


def can_be_used() -> Iterator[Finding]:
    try:
        connection.ensure_connection()
        version = connection.pg_version // 10_000
    except Error as error:
        sentence = f"It cannot be reached: {' '.join(str(error).split())}"
        advice = "Is the server running, and is DATABASE_URL right? Unset, an embedded server is used."
        if "lakebase" in connection.settings_dict["OPTIONS"]:
            advice = "Does LAKEBASE_ENDPOINT name it, and may this identity log in? docs/databricks.md tells what each right is for."
        yield fault("database", sentence, advice)
        return
    place = (
        "embedded"
        if connection.settings_dict["OPTIONS"].get("embedded_home")
        else f"at {connection.settings_dict['HOST'] or 'a local socket'}"
    )
    if not OLDEST <= version <= NEWEST:
        yield fault(
            "database",
            f"PostgreSQL {version} {place} is not among the versions that are tested.",
            f"Use PostgreSQL {OLDEST} to {NEWEST}.",
        )
        return
    yield ok("database", f"PostgreSQL {version}, {place}, database {connection.settings_dict['NAME']!r}.")
    yield from _rights()
    yield from _safety()
    yield from nothing_is_held_open()


def _rights() -> Iterator[Finding]:
    row = _row("SELECT current_user, has_schema_privilege(current_schema(), 'CREATE'), current_schema()")
    if row[1] is False:  # where there is no schema yet, the first migration makes it
        yield fault(
            "database", f"The role {row[0]!r} may not create tables, so that it cannot be brought up to date.",
            f'As the owner of the database: GRANT CREATE ON SCHEMA {row[2]} TO "{row[0]}"',
        )  # fmt: skip


def schema_is_current() -> Iterator[Finding]:
    try:
        pending, unknown = pending_migrations(), unknown_migrations()
    except Error as error:
        yield fault(
            "schema",
            f"It cannot be read: {str(error).strip()}",
            "Does the role own the tables in this database?",
        )
        return
    if pending:
        yield hint(
            "schema",
            "1 migration waits." if len(pending) == 1 else f"{len(pending)} migrations wait.",
            "manage.py up (or extract, or demo) runs them; so does manage.py migrate.",
        )
    if unknown:
        yield fault(
            "schema",
            f"A newer version has changed it ({', '.join(unknown[:3])}).",
            "Run that version, or restore the backup made before it.",
        )
    if not pending and not unknown:
        yield ok("schema", "Up to date.")


def _safety() -> Iterator[Finding]:
    if _row("SELECT current_setting('fsync')")[0] != "on":
        yield hint(
            "database",
            "fsync is off: after a power cut the database may be damaged.",
            "ALTER SYSTEM SET fsync = on, then reload.",
        )
    if (found := room()).left < FEW_CONNECTIONS:
        yield hint("database", found.sentence, ADVICE)


def nothing_is_held_open() -> Iterator[Finding]:
    """Others' transactions are seen by who may see them (pg_read_all_stats); the own role's always."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid, usename, application_name, extract(epoch FROM clock_timestamp() - xact_start) / 60 FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < clock_timestamp() - make_interval(mins => 1) * %s "
            "ORDER BY xact_start LIMIT 1",
            [LONG_MINUTES],
        )
        oldest = cursor.fetchone()
    if oldest:
        pid, user, name, minutes = oldest
        yield hint(
            "database",
            f"A transaction of {user} ({name or 'a program without a name'}, process {pid}) has been open for {minutes:.0f} minutes: "
            "what changes meanwhile cannot be cleaned away, and the queue gets slower.",
            f"End it where it was begun, or: SELECT pg_terminate_backend({pid})",
        )


def wakes_listeners() -> Iterator[Finding]:
    """LISTEN needs a session of its own; a pooler in transaction mode loses it without a word, unless who listens also sends."""
    raw = connection.connection
    try:
        raw.execute("LISTEN agentaudit_doctor")
        with notify.connect("doctor") as other:
            other.execute("NOTIFY agentaudit_doctor")
        heard = list(raw.notifies(timeout=3, stop_after=1))
        raw.execute("UNLISTEN agentaudit_doctor")
    except Error as error:
        heard, why = [], f" ({str(error).strip()})"
    else:
        why = ""
    if heard:
        yield ok("wake-ups", "The database wakes listeners.")
    else:
        yield hint(
            "wake-ups", f"A NOTIFY did not arrive{why}: changes show only when pages and workers ask again.",
            "Connect to PostgreSQL itself, or to a pooler in session mode.",
        )  # fmt: skip


def clock_agrees() -> Iterator[Finding]:
    before = time.time()
    there = float(_row("SELECT extract(epoch FROM clock_timestamp())")[0])
    after = time.time()
    apart = max(before - there, there - after, 0.0)
    sentence = f"The database's clock and this machine's are {apart:.1f} s apart."
    if apart >= CLOCK_FAULT_SECONDS:
        yield fault("clock", sentence, "Set both machines by NTP: signed messages would be refused.")
    elif apart >= CLOCK_HINT_SECONDS:
        yield hint(
            "clock", sentence, "Set both machines by NTP. The queue goes by the database's clock alone."
        )
    else:
        yield ok("clock", "The database and this machine agree.")


def _row(sql: str) -> tuple:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()
