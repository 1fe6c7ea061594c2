"""One connect, with the parameters of this moment, and once more where they were refused and others can be had."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import psycopg
from asgiref.sync import sync_to_async

from agentaudit.postgres.embedded import Server
from agentaudit.postgres.lakebase import access_to

log = logging.getLogger(__name__)

EMBEDDED_HOME = "embedded_home"  # in OPTIONS: start and use the embedded server of this home
LAKEBASE = "lakebase"  # in OPTIONS: a Place, whose host, role and password are asked for
NO_START_UP_SETTINGS = "unsupported startup parameter"
"""What PgBouncer answers to `options` of a connect, such as a search_path."""

Connected = TypeVar("Connected")
_behind_poolers: set[tuple[str, str]] = set()


def access(settings_dict: dict[str, Any]) -> dict[str, Any]:
    """What has to be fresh at a connect: where, as whom and with what. Nothing for a database that is described once for all."""
    options = settings_dict["OPTIONS"]
    if place := options.get(LAKEBASE):
        return access_to(place).parameters()
    if home := options.get(EMBEDDED_HOME):
        parameters = Server(home).ensure_running()
        return {name: parameters[name] for name in ("host", "port", "user", "password")}
    return {}


def is_pooled(settings_dict: dict[str, Any]) -> bool:
    """Whether a pooler that gives sessions away was met on the way to this database."""
    return _where(settings_dict) in _behind_poolers


def fitting(settings_dict: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """The same parameters, without what such a pooler refuses or loses."""
    parameters.pop(EMBEDDED_HOME, None)
    parameters.pop(LAKEBASE, None)
    if is_pooled(settings_dict):
        parameters.pop("options", None)
        parameters["prepare_threshold"] = None
    return parameters


def connect(
    settings_dict: dict[str, Any],
    ask: Callable[[], dict[str, Any]],
    connecting: Callable[..., psycopg.Connection],
) -> psycopg.Connection:
    """`connecting(**ask())`, and once more where that may help. Raises psycopg.OperationalError."""
    parameters = ask()
    try:
        raw = connecting(**parameters)
    except psycopg.OperationalError as error:
        if not may_help(settings_dict, parameters, error):
            raise
        raw = connecting(**ask())
    if is_pooled(settings_dict) or _looks_pooled(settings_dict, raw):
        _note(settings_dict)
        # Another thread may have found out after these parameters were asked for
        raw.prepare_threshold = None
    else:
        _never_compile(raw)
    return raw


def check_pooled(raw: psycopg.Connection) -> None:
    """Before the pool gives a connection away. Raises psycopg.OperationalError for one that is dead, or with a server that only reads by now."""
    raw.execute("")
    if "on" in map(raw.info.parameter_status, ("in_hot_standby", "default_transaction_read_only")):
        raw.close()  # or the pool would keep it
        raise psycopg.OperationalError("the server takes no changes any more")


async def connect_later(
    settings_dict: dict[str, Any], ask: Callable[[], dict[str, Any]]
) -> psycopg.AsyncConnection:
    """The same in autocommit mode for an event loop, which asking for parameters must not hold up."""
    asked = sync_to_async(ask, thread_sensitive=False)
    parameters = await asked()
    try:
        return await psycopg.AsyncConnection.connect(**parameters, autocommit=True)
    except psycopg.OperationalError as error:
        if not await sync_to_async(may_help, thread_sensitive=False)(settings_dict, parameters, error):
            raise
    return await psycopg.AsyncConnection.connect(**await asked(), autocommit=True)


def may_help(settings_dict: dict[str, Any], parameters: dict[str, Any], error: Exception) -> bool:
    """Whether a second connect with parameters asked anew makes sense after this error."""
    if NO_START_UP_SETTINGS in str(error) and "options" in parameters:
        _note(settings_dict)
        return True
    place = settings_dict["OPTIONS"].get(LAKEBASE)
    return place is not None and access_to(place).refused(parameters.get("password", ""), error)


def _looks_pooled(settings_dict: dict[str, Any], raw: psycopg.Connection) -> bool:
    """A pooler names a process of its own invention for cancelling. So does Lakebase's front door, where it says nothing."""
    options = settings_dict["OPTIONS"]
    if options.get(EMBEDDED_HOME) or options.get(LAKEBASE):
        return False
    named = raw.execute("SELECT pg_backend_pid()").fetchone()
    if not raw.autocommit:
        raw.rollback()
    return named is not None and named[0] != raw.info.backend_pid


def _never_compile(raw: psycopg.Connection) -> None:
    """Turn JIT off for the session: none of our statements runs long enough to gain from it.

    Before PostgreSQL 18 what `enable_seqscan = off` forbids counts as so costly that a claim of a millisecond was compiled for a second.
    It is no setting of the start, which poolers of sessions refuse.
    """
    raw.execute("SET jit = off")
    if not raw.autocommit:
        raw.commit()


def _note(settings_dict: dict[str, Any]) -> None:
    if not is_pooled(settings_dict):
        log.warning(
            "The database is reached through a pooler that gives sessions away: statements are not prepared, changes are found by "
            "polling. `manage.py doctor` says what that means."
        )
        _behind_poolers.add(_where(settings_dict))


def _where(settings_dict: dict[str, Any]) -> tuple[str, str]:
    return f"{settings_dict.get('HOST')}:{settings_dict.get('PORT')}", repr(
        settings_dict["OPTIONS"].get(LAKEBASE)
    )
