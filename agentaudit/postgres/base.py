"""Django's PostgreSQL backend, except that where and as whom to connect is asked again at each connect."""

from __future__ import annotations

from typing import Any

import psycopg
from django.db.backends.postgresql import base, client
from psycopg import sql

from agentaudit.postgres import connecting
from agentaudit.postgres.connecting import EMBEDDED_HOME, LAKEBASE
from agentaudit.postgres.credentials import Credentials
from agentaudit.postgres.embedded import Server
from agentaudit.postgres.lakebase import access_to

# What Django adds for its own cursors and types, and which means nothing to a plain connection
ONLY_DJANGO = ("cursor_factory", "context")


def connection_kwargs(settings_dict: dict[str, Any]) -> dict[str, Any]:
    """Keywords for psycopg.connect() (or its async twin) to the database that Django uses, without Django's cursors.

    `settings_dict` is `connections[alias].settings_dict`, which names the test database during tests. Ask again for
    each connection: the server may have been restarted, the password replaced.
    """
    parameters = Description(settings_dict).get_connection_params()
    for name in ONLY_DJANGO:
        parameters.pop(name, None)
    return parameters


class DatabaseClient(client.DatabaseClient):
    """`manage.py dbshell`, with fresh credentials, and with the embedded server's own psql."""

    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: list[str]
    ) -> tuple[list[str], dict[str, str] | None]:
        fresh = {name.upper(): value for name, value in connecting.access(settings_dict).items()}
        args, env = super().settings_to_cmd_args_env({**settings_dict, **fresh}, parameters)
        if home := settings_dict["OPTIONS"].get(EMBEDDED_HOME):
            args[0] = str(Server(home).binaries / cls.executable_name)
        return args, env


class PooledConnection(psycopg.Connection):
    """What Django's pool opens. It is not given parameters, which would be those of an hour ago, but whom to ask for them."""

    @classmethod
    def connect(cls, conninfo: str = "", **kwargs: Any) -> PooledConnection:  # type: ignore[override]
        to: Description = kwargs.pop("to")

        def ask() -> dict[str, Any]:
            return {**to.get_connection_params(), **kwargs, "autocommit": True}

        return connecting.connect(to.settings_dict, ask, super().connect)  # type: ignore[return-value]


class DatabaseWrapper(base.DatabaseWrapper):
    client_class = DatabaseClient

    @property
    def credentials(self) -> Credentials | None:
        """Where a Lakebase's passwords come from; None for any other database."""
        place = self.settings_dict["OPTIONS"].get(LAKEBASE)
        return access_to(place).credentials if place else None

    @property
    def is_pooled(self) -> bool:
        """Whether a pooler that gives sessions away was met on the way to the database."""
        return connecting.is_pooled(self.settings_dict)

    def get_connection_params(self) -> dict[str, Any]:
        parameters = super().get_connection_params()
        if not self.settings_dict["OPTIONS"].get("pool"):  # whose open connections need no password
            parameters |= connecting.access(self.settings_dict)
        return connecting.fitting(self.settings_dict, parameters)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if self.pool:
            return super().get_new_connection(conn_params)
        known = iter([conn_params])  # asked for a moment ago
        return connecting.connect(
            self.settings_dict,
            lambda: next(known, None) or self.get_connection_params(),
            lambda **parameters: super(DatabaseWrapper, self).get_new_connection(parameters),
        )

    def _configure_role(self, connection: psycopg.Connection) -> bool:
        """Django's own asks its pool for a second connection, only to quote the name, and waits for the one that it is about to open."""
        role = self.settings_dict["OPTIONS"].get("assume_role")
        if role:
            connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
        return bool(role)

    def plain_parameters(self, name: str) -> dict[str, Any]:
        """Keywords for a plain connection of this name (in pg_stat_activity), with credentials of this moment."""
        return {**connection_kwargs(self.settings_dict), "application_name": name}

    def connect_plain(self, name: str) -> psycopg.Connection:
        """A connection of its own, in autocommit mode and without Django's cursors. Raises psycopg.OperationalError."""
        return connecting.connect(
            self.settings_dict,
            lambda: {**self.plain_parameters(name), "autocommit": True},
            psycopg.connect,
        )

    async def connect_plain_later(self, name: str, **more: Any) -> psycopg.AsyncConnection:
        """The same for an event loop; `more` are keywords of psycopg.connect()."""
        return await connecting.connect_later(
            self.settings_dict, lambda: {**self.plain_parameters(name), **more}
        )

    @property
    def pool(self) -> Any:
        """Django's pool, asking for the parameters at each physical connect instead of once for ever, and giving nothing away that only reads."""
        pool = super().pool
        if pool is not None and pool.connection_class is not PooledConnection:
            pool.kwargs = {"to": Description(self.settings_dict, self.alias)}
            pool.connection_class = PooledConnection
            pool._check = connecting.check_pooled
        return pool


class Description(DatabaseWrapper):
    """Never connects, and belongs to no thread: says only how to connect at this moment."""

    def get_connection_params(self) -> dict[str, Any]:
        parameters = {**super().get_connection_params(), **connecting.access(self.settings_dict)}
        return connecting.fitting(self.settings_dict, parameters)
