"""Calls the AI functions of this run's own Databricks workspace, each of them once; what goes wrong is a code and a sentence.

Nothing that the workspace says is repeated, for it may quote the document, and the SDK adds its configuration.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from tasks.agent.contract import Code, Problem
from tasks.agent.llm.troubles import LONGEST_WAIT, Elsewhere, TooLong

T = TypeVar("T")

PRODUCT = "agentaudit"
CALL_SECONDS = 5
"""The time in which the SDK asks for its login again, and would repeat a call, but for a clock on which one wait is as long."""
NONE_AT_ALL = "cannot configure default credentials"
"""How the SDK says that there is no login, and not that one cannot be had now."""
UNSAID = 1
"""What the SDK says of Retry-After where the workspace has said nothing, or a date."""
TOO_LONG = (
    "too long",
    "too large",
    "too many tokens",
    "context length",
    "maximum length",
    "exceeds the maximum",
)
NO_LOGIN = (
    "This run has no login to a Databricks workspace. Let the agent run as a job there, or set up the default profile of the worker's "
    "user (databricks auth login)."
)
REFUSED_LOGIN = (
    "The Databricks workspace does not accept the login of this run. Let the agent run as a job there, or set up the default profile of the "
    "worker's user (databricks auth login)."
)
NO_ANSWER = "The Databricks workspace cannot be reached, or gives this run no login now ({}). Check its address, the login and the network."


class Functions:
    """The workspace's AI functions. An answer that was lost may have been paid for, so that nothing is asked twice."""

    def __init__(self, seconds: float):
        """`seconds`: how long an answer may take. Logs in. Raises Problem: bad_configuration, upstream."""
        import requests
        from databricks.sdk import WorkspaceClient  # takes seconds to load, which only those pay who ask
        from databricks.sdk.core import Config

        # What it logs in detail holds the document
        logging.getLogger("databricks.sdk").setLevel(logging.WARNING)
        self.seconds = seconds
        try:
            config = Config(
                http_timeout_seconds=seconds,
                retry_timeout_seconds=CALL_SECONDS,
                clock=_once(),
                product=PRODUCT,
                product_version="0",
            )
            config.authenticate()
            self._api = WorkspaceClient(config=config).ai_functions
        except requests.RequestException as error:
            raise unreached(error) from None
        except ValueError as error:
            none = NONE_AT_ALL in str(error)
            raise (Problem(Code.BAD_CONFIGURATION, NO_LOGIN) if none else unreached(error)) from None

    def call(self, name: str, ask: Callable[[Any], T]) -> T:
        """What `ask` gets from the SDK's ai_functions for the function `name`. Raises Problem, Elsewhere or TooLong."""
        try:
            return ask(self._api)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the workspace sends, it is said in a sentence
            raise trouble(error, name, self.seconds) from None


def _once() -> Any:
    """A clock on which every wait is longer than the SDK's patience: it gives up after the first failure, and nobody has waited."""
    from databricks.sdk.clock import Clock

    class Impatient(Clock):
        ahead = 0.0

        def time(self) -> float:
            return time.monotonic() + self.ahead

        def sleep(self, seconds: float) -> None:
            self.ahead += CALL_SECONDS

    return Impatient()


def unreached(error: Exception) -> Problem:
    return Problem(Code.UPSTREAM, NO_ANSWER.format(type(error).__name__), retryable=True)


def trouble(error: Exception, name: str, seconds: float) -> Exception:
    """What an exception of the SDK means: a Problem, Elsewhere where the call may have been paid for, or TooLong."""
    import requests
    from databricks.sdk import errors

    gave_up = isinstance(error, TimeoutError) and error.__cause__ is not None
    cause = error.__cause__ if gave_up else error
    if isinstance(cause, requests.RequestException) and not isinstance(cause, requests.JSONDecodeError):
        return _no_answer(cause, name, seconds)
    if isinstance(cause, errors.TooManyRequests):
        return _rate_limited(_retry_after(cause), name)
    if isinstance(cause, errors.Unauthenticated):
        return Problem(Code.BAD_CONFIGURATION, REFUSED_LOGIN)
    if isinstance(cause, errors.PermissionDenied):
        message = f"The login of this run may not use {name}. An admin of the Databricks workspace has to allow AI functions for it."
        return Problem(Code.BAD_CONFIGURATION, message)
    if isinstance(cause, errors.NotFound | errors.NotImplemented):
        message = f"The Databricks workspace has no {name}; not every region and edition has. Choose another agent, or another engine for its scans."
        return Problem(Code.BAD_CONFIGURATION, message)
    if isinstance(cause, errors.InternalError | errors.TemporarilyUnavailable | errors.DeadlineExceeded):
        message = f"{name} of the Databricks workspace has failed; that is its own fault and may pass."
        return Problem(Code.UPSTREAM, message, retryable=True, retry_after=_retry_after(cause))
    if isinstance(cause, errors.DatabricksError):
        if any(word in str(cause).lower() for word in TOO_LONG):
            return TooLong()
        message = f"{name} refuses what it is asked ({type(cause).__name__}). Check the fields and settings of the agent."
        return Problem(Code.BAD_CONFIGURATION, message)
    message = f"What {name} answered cannot be understood; a newer databricks-sdk may know it."
    return Elsewhere(Problem(Code.UPSTREAM, message, retryable=True), sent=True)


def _rate_limited(seconds: float | None, name: str) -> Problem:
    """The attempt ends at once, so that the whole agent cools down instead of this one attempt waiting behind a slot."""
    when = f"asks to wait {seconds:.0f} seconds" if seconds else "does not say for how long to wait"
    message = f"The Databricks workspace has had too many requests of {name} and {when}."
    return Problem(Code.RATE_LIMITED, message, retryable=True, retry_after=seconds)


def _retry_after(error: Any) -> float | None:
    said = error.retry_after_secs
    return min(float(said), LONGEST_WAIT) if said and said > UNSAID else None


def _no_answer(error: Any, name: str, seconds: float) -> Exception:
    import requests
    from urllib3.exceptions import NewConnectionError

    reason = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(reason, NewConnectionError) or isinstance(error, requests.ConnectTimeout):
        return unreached(error)
    if isinstance(error, requests.Timeout):
        message = f"{name} did not answer within {seconds:.0f} seconds."
    else:
        message = f"The Databricks workspace broke off before {name} had answered; that may pass."
    return Elsewhere(Problem(Code.UPSTREAM, message, retryable=True), sent=True)
