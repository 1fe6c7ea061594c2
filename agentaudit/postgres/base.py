"""Django's PostgreSQL backend, except that where and as whom to connect is asked again at each connect."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base, client

from agentaudit.postgres.embedded import Server

EMBEDDED_HOME = "embedded_home"  # in OPTIONS: start and use the embedded server of this home
# What Django adds for its own cursors and types, and which means nothing to a plain connection
ONLY_DJANGO = ("cursor_factory", "context")


def access(settings_dict: dict[str, Any]) -> dict[str, Any]:
    """What has to be fresh at a connect: host, port, user, password of the embedded server; nothing for any other.

    The one place that learns of it when credentials begin to change while a process runs.
    """
    home = settings_dict["OPTIONS"].get(EMBEDDED_HOME)
    if home is None:
        return {}
    parameters = Server(home).ensure_running()
    return {name: parameters[name] for name in ("host", "port", "user", "password")}


def connection_kwargs(settings_dict: dict[str, Any]) -> dict[str, Any]:
    """Keywords for psycopg.connect() (or its async twin) to the database that Django uses, without Django's cursors.

    `settings_dict` is `connections[alias].settings_dict`, which names the test database during tests. Ask again for
    each connection: the server may have been restarted.
    """
    parameters = DatabaseWrapper(settings_dict).get_connection_params()
    for name in ONLY_DJANGO:
        parameters.pop(name, None)
    return parameters


class DatabaseClient(client.DatabaseClient):
    """`manage.py dbshell`, with the embedded server's own psql."""

    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: list[str]
    ) -> tuple[list[str], dict[str, str] | None]:
        fresh = {name.upper(): value for name, value in access(settings_dict).items()}
        args, env = super().settings_to_cmd_args_env({**settings_dict, **fresh}, parameters)
        if fresh:
            args[0] = str(Server(settings_dict["OPTIONS"][EMBEDDED_HOME]).binaries / cls.executable_name)
        return args, env


class DatabaseWrapper(base.DatabaseWrapper):
    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        parameters = {**super().get_connection_params(), **access(self.settings_dict)}
        parameters.pop(EMBEDDED_HOME, None)
        return parameters

    @property
    def pool(self) -> Any:
        """Django's pool, asking for the parameters at each physical connect instead of once for ever."""
        pool = super().pool
        if pool is not None and not callable(pool.kwargs):
            pool.kwargs = self._pool_parameters
        return pool

    def _pool_parameters(self) -> dict[str, Any]:
        return {**self.get_connection_params(), "autocommit": True}
