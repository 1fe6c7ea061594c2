"""Is the Lakebase reached with a login that is renewed, over TLS, in the right schema, and without a pooler in between?"""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.core.management import CommandError
from django.db import connection

from tasks.management.branches import refuse_copies
from tasks.management.checkups import Finding, fault, hint, ok


def login_is_renewed() -> Iterator[Finding]:
    """Nothing where the database is no Lakebase."""
    credentials = connection.credentials  # type: ignore[attr-defined]
    if credentials is None:
        return
    raw = connection.connection
    over = "over TLS" if raw.pgconn.ssl_in_use else "over a local socket"
    sentence = f"Logged in as {raw.info.user} with {credentials.origin}, {over}."
    if not raw.pgconn.ssl_in_use and not raw.info.host.startswith("/"):
        yield fault(
            "Lakebase", f"The connection to {raw.info.host} is not encrypted.", "Connect to Lakebase itself."
        )
    elif credentials.origin == "LAKEBASE_PASSWORD":
        yield hint("Lakebase", sentence, "When that password changes, every process has to be started anew. LAKEBASE_AUTH=oauth needs none.")  # fmt: skip
    else:
        yield ok("Lakebase", sentence)
    yield from _schema()
    yield from _original()


def _schema() -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_schema()::text, to_regnamespace(%s) IS NOT NULL", [settings.LAKEBASE_SCHEMA]
        )
        current, exists = cursor.fetchone()
    if current == settings.LAKEBASE_SCHEMA:
        return
    if exists:
        advice = "`manage.py lakebase setup --app` says it to the role itself; or connect to Lakebase's direct host instead of a pooler."
        yield fault(
            "Lakebase",
            f"Tables are looked for in {current}, not in the schema {settings.LAKEBASE_SCHEMA}.",
            advice,
        )
    else:
        yield hint("Lakebase", f"The schema {settings.LAKEBASE_SCHEMA} is not there yet.", "The first migration makes it; `manage.py lakebase setup` makes it so that it outlives the app.")  # fmt: skip


def _original() -> Iterator[Finding]:
    try:
        refuse_copies()
    except CommandError as error:
        yield hint("Lakebase", str(error), "Workers refuse it; pages work.")


def session_is_ours() -> Iterator[Finding]:
    """A pooler in transaction mode gives the session to somebody else after each transaction."""
    if connection.is_pooled:  # type: ignore[attr-defined]
        yield hint(
            "pooler",
            "A pooler that gives sessions away stands before the database. LISTEN hears nothing there: changes show at the next poll. A "
            "search_path cannot be said at the start, statements are not prepared, and migrations are not protected against each other.",
            "Everything else works. For wake-ups, connect to PostgreSQL itself, or to a pooler in session mode.",
        )
