"""The Databricks workspace as this process reaches it: one client per process and pace, made when it is first needed.

Making a client asks the workspace over the network, so that nothing here runs at import, and a forked process makes its own.
Where the workspace is and who we are is read by the SDK itself (DATABRICKS_HOST, DATABRICKS_CLIENT_ID and the like).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from databricks.sdk import WorkspaceClient

T = TypeVar("T")

PRODUCT = "agentaudit"
PATIENT, QUICK = (15.0, 10), (4.0, 4)
"""Seconds without a byte after which a request is given up, and seconds for a call with all its repetitions. A web view is quick:
the proxy of Databricks Apps ends what takes a minute. The SDK's own 300 s would outlast a lease."""

_clients: dict[tuple[int, bool], WorkspaceClient] = {}
_lock = threading.Lock()


class NotConfigured(Exception):
    """There is no way into a workspace: one sentence that says what to set."""


def client(*, quick: bool = False) -> WorkspaceClient:
    """This process's client; safe from several threads. `quick`: for web views. Raises NotConfigured, or what the first request raises."""
    key = (os.getpid(), quick)
    with _lock:
        if key not in _clients:
            _clients[key] = _new(*(QUICK if quick else PATIENT))
        return _clients[key]


def asked(call: Callable[[WorkspaceClient], T], *, quick: bool = False) -> T:
    """What `call` answers for this process's client. A login that is refused is made anew, once. Raises what the call raises."""
    from databricks.sdk.errors import Unauthenticated

    used = client(quick=quick)
    try:
        return call(used)
    except Unauthenticated:
        forget(used)
        return call(client(quick=quick))


def forget(used: WorkspaceClient | None = None) -> None:
    """Let the next call log in anew: after the login of `used` was refused, or, without it, where the environment has changed."""
    with _lock:
        for key in [key for key, kept in _clients.items() if used in (None, kept)]:
            del _clients[key]


def _new(silence_seconds: float, call_seconds: int) -> WorkspaceClient:
    from databricks.sdk import WorkspaceClient  # takes seconds to load
    from databricks.sdk.core import Config

    try:
        config = Config(
            http_timeout_seconds=silence_seconds,
            retry_timeout_seconds=call_seconds,
            product=PRODUCT,
            product_version="0",
            clock=_clock(call_seconds),
        )
        return WorkspaceClient(config=config)
    except ValueError as error:
        raise NotConfigured(
            "The Databricks workspace cannot be reached: DATABRICKS_HOST and a login (DATABRICKS_CLIENT_ID and "
            f"DATABRICKS_CLIENT_SECRET, or DATABRICKS_TOKEN) are needed, and this was not enough: {_shown(error)}"
        ) from error


def _clock(most: float) -> Any:
    """The SDK sleeps for whatever Retry-After says, an hour if need be. No longer than the whole call may take: then it gives up."""
    from databricks.sdk.clock import Clock

    class BoundedClock(Clock):
        def time(self) -> float:
            return time.monotonic()

        def sleep(self, seconds: float) -> None:
            time.sleep(min(seconds, most))

    return BoundedClock()


def is_passing(error: BaseException) -> bool:
    """Whether the same call may succeed later: the network, the workspace's load, a login that has run out. Not what it says no to."""
    from databricks.sdk import errors

    if not isinstance(error, errors.DatabricksError):
        # ValueError: an answer that was cut or is no JSON
        return isinstance(error, OSError | TimeoutError | ValueError)
    return isinstance(
        error,
        errors.TooManyRequests
        | errors.InternalError
        | errors.TemporarilyUnavailable
        | errors.DeadlineExceeded
        | errors.Unauthenticated
        | errors.Aborted,
    )


def in_words(error: BaseException) -> str:
    """What went wrong, in one sentence for people: without the configuration that the SDK adds to it."""
    from requests.exceptions import ConnectionError, Timeout

    late = isinstance(error, TimeoutError) and error.__cause__ is not None
    cause = error.__cause__ if late and error.__cause__ else error
    if isinstance(cause, Timeout):
        return "no answer in time"
    if isinstance(cause, ConnectionError):
        return "the workspace cannot be reached"
    return f"no answer in time ({_shown(cause)})" if late else _shown(error)


def retry_after(error: BaseException) -> float | None:
    """Seconds that the workspace asked to be left alone for, if it did."""
    for one in (error, error.__cause__):
        seconds = getattr(one, "retry_after_secs", None)
        if seconds is not None:
            return float(seconds)
    return None


def _shown(error: BaseException) -> str:
    text = str(error).partition(". Config:")[0].partition("\n")[0].strip().rstrip(".")
    return (text or type(error).__name__)[:300]
