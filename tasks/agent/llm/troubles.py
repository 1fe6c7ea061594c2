"""What goes wrong between an attempt and a model's server, as codes and sentences; nothing that a server says is repeated, for it may quote the document."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import Any

from tasks.agent.contract import Code, Problem

LONGEST_WAIT = 86_400.0
QUOTA_SECONDS = 900.0
"""An account without credit is asked again after that long; waiting less helps nobody."""
TOO_LONG = (
    "context_length",
    "context length",
    "context window",
    "maximum context",
    "too long",
    "too many tokens",
    "string_above_max",
)


class TooLong(Exception):
    """The question, or its answer, does not fit: it has to be asked in two halves."""


class Elsewhere(Exception):
    """This model does not answer; another one may. `problem` is what is said when there is none.

    sent: the question was sent whole, so that it may have been paid for although nobody says how much.
    """

    def __init__(self, problem: Problem, *, sent: bool = False):
        super().__init__(problem.message)
        self.problem, self.sent = problem, sent


def trouble(error: Exception, model: str, host: str, seconds: float) -> Exception:
    """What an exception of the openai package means: a Problem that ends the attempt, Elsewhere, or TooLong.

    400 and 422 are not for here but where they say that the question is too long: the server may take it in another form.
    """
    import openai

    if isinstance(error, openai.RateLimitError):
        return rate_limited(error, model)
    if isinstance(error, openai.APIConnectionError):
        return _no_answer(error, model, host, seconds)
    if not isinstance(error, openai.APIStatusError):
        message = f"What the model server {host} answered for “{model}” cannot be understood. Check that its address is one that speaks OpenAI's protocol."
        return Elsewhere(Problem(Code.UPSTREAM, message, retryable=True))
    return _by_status(error, model, host)


def _no_answer(error: Exception, model: str, host: str, seconds: float) -> Exception:
    """No connection, or one without an answer. A time-out is a connection error of the openai package, too."""
    import httpx
    import openai

    if isinstance(error.__cause__, httpx.ConnectError | httpx.ConnectTimeout):
        message = f"The model server {host} cannot be reached ({type(error.__cause__).__name__}). Check its address and the network."
        return Problem(Code.UPSTREAM, message, retryable=True)
    if isinstance(error, openai.APITimeoutError):
        message = f"The model “{model}” did not answer within {seconds:.0f} seconds."
    else:
        message = f"The model server {host} broke off before it had answered for “{model}”; that may pass."
    return Elsewhere(Problem(Code.UPSTREAM, message, retryable=True), sent=True)


def _by_status(error: Any, model: str, host: str) -> Exception:
    status = error.status_code
    if status < 400:
        message = f"The model server {host} sends elsewhere ({status}), and a document goes only where it was told to. Set the address that it names."
        return Problem(Code.BAD_CONFIGURATION, message)
    if status == 401:
        message = f"The model server {host} does not accept the key. Set OPENAI_API_KEY, or the host's file in MODEL_KEYS_DIR, and start the worker again."
        return Problem(Code.BAD_CONFIGURATION, message)
    if status == 403:
        message = f"The key does not allow the model “{model}” on {host}. Ask for the right, or choose another model."
        return Elsewhere(Problem(Code.BAD_CONFIGURATION, message))
    if status == 404:
        message = f"{host} knows no model “{model}”, or the endpoint's address is wrong. Compare both with what the provider names."
        return Elsewhere(Problem(Code.BAD_CONFIGURATION, message))
    if status == 413 or (status in (400, 422) and _says(error, TOO_LONG)):
        return TooLong()
    if status >= 500 or status in (408, 409):
        message = (
            f"The model server {host} failed with {status} for “{model}”; that is its own fault and may pass."
        )
        return Elsewhere(
            Problem(Code.UPSTREAM, message, retryable=True, retry_after=retry_after(error.response.headers))
        )
    message = f"The model server {host} refuses what is asked of “{model}” ({status}{_named(error)}). Check the agent's settings against what the model can do."
    return Problem(Code.BAD_CONFIGURATION, message)


def rate_limited(error: Any, model: str) -> Problem:
    """The attempt ends at once, so that the whole agent cools down instead of this one attempt waiting behind a slot."""
    if error.code == "insufficient_quota":
        message = f"The account of “{model}” has no credit left. Add credit; nothing else is started for a quarter of an hour."
        return Problem(Code.RATE_LIMITED, message, retryable=True, retry_after=QUOTA_SECONDS)
    seconds = retry_after(error.response.headers)
    when = (
        f"asks to wait {seconds:.0f} seconds" if seconds is not None else "does not say for how long to wait"
    )
    return Problem(
        Code.RATE_LIMITED,
        f"The provider of “{model}” has had too many requests and {when}.",
        retryable=True,
        retry_after=seconds,
    )


def retry_after(headers: Any) -> float | None:
    """Seconds to wait as the server says: milliseconds, seconds, or a date, which is compared with the server's own clock."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return _bounded(float(headers[name]) / unit)
        except (KeyError, ValueError):
            continue
    try:
        until = parsedate_to_datetime(headers["retry-after"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return None
    try:
        now = parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError, TypeError):
        now = time.time()
    return _bounded(until - now)


def _bounded(seconds: float) -> float | None:
    return min(max(seconds, 0.0), LONGEST_WAIT) if seconds == seconds else None


def _says(error: Any, words: tuple[str, ...]) -> bool:
    said = f"{error.code} {error.message}".lower()
    return any(word in said for word in words)


def _named(error: Any) -> str:
    """The member at fault, where the server names one."""
    name = str(error.param or error.code or "")
    return (
        f", {name}" if name and len(name) <= 60 and name.replace(".", "").replace("_", "").isalnum() else ""
    )
