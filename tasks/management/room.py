"""How many more connections the database gives to whoever asks: the server's limit, the database's and the role's, whichever is reached first."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

OF_A_WORKER = 3
"""The most that a worker holds: for its work, for listening, and for hints."""
ADVICE = (
    f"A worker needs {OF_A_WORKER}; the README says what else agentaudit needs. Raise the server's max_connections, or the limit of this database "
    "or role (ALTER DATABASE or ROLE … CONNECTION LIMIT), or run fewer processes."
)
# Sessions of others hide what they are, unless this role may see it; the server's own helpers have no session
QUERY = """
WITH sessions AS (
    SELECT datname, usename FROM pg_stat_activity
    WHERE datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'
)
SELECT least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int - (SELECT count(*) FROM sessions),
    (SELECT datconnlimit - (SELECT count(*) FROM sessions WHERE sessions.datname = pg_database.datname)
     FROM pg_database WHERE datname = current_database() AND datconnlimit >= 0),
    (SELECT rolconnlimit - (SELECT count(*) FROM sessions WHERE usename = rolname)
     FROM pg_roles WHERE rolname = session_user AND rolconnlimit >= 0)
), current_setting('max_connections')::int, (SELECT count(*) FROM sessions)
"""


@dataclass(frozen=True, slots=True)
class Room:
    """`left`: so many more sessions this role may begin; `most`: max_connections; `used`: sessions of everybody."""

    left: int
    most: int
    used: int

    @property
    def sentence(self) -> str:
        return f"{max(self.left, 0)} more connections are free for this role; the server has {self.used} of at most {self.most}."


def room() -> Room:
    with connection.cursor() as cursor:
        cursor.execute(QUERY)
        return Room(*cursor.fetchone())
