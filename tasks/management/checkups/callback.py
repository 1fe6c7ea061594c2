"""Whether callbacks can come in: what answers at the address that attempts elsewhere are told to speak to."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings

from tasks import databricks, outward
from tasks.management.checkups import Finding, hint, ok
from tasks.orders import callback_url
from tasks.outward import Said, Unanswered

ANSWER_SECONDS = 10.0
NOBODY = UUID(int=0)
HERE = ("localhost", "127.0.0.1", "::1")
APPS = ".databricksapps.com"
WITHOUT = (
    "Results of runs elsewhere are found by asking, up to a minute late, and their progress is not seen."
)


def arrive() -> Iterator[Finding]:
    """Asked from this machine, which others may reach by other ways. Nothing where the address is that of this machine."""
    host = urlsplit(settings.PUBLIC_URL).hostname or ""
    if host in HERE:
        return
    try:
        headers = _login() if host.endswith(APPS) else {}
    except Exception as error:  # noqa: BLE001 - whatever the SDK raises
        yield hint(
            "callbacks", f"Whether {settings.PUBLIC_URL} lets callbacks in is not known: {databricks.in_words(error)}.",
            "The proxy of Databricks Apps wants a login; give this command one of the workspace.",
        )  # fmt: skip
        return
    yield look(headers)


def look(headers: dict[str, str]) -> Finding:
    """Ask the address without a message: our own pages refuse that in a way of their own, and note nothing."""
    try:
        said = outward.ask("GET", callback_url(NOBODY), seconds=ANSWER_SECONDS, headers=headers)
    except Unanswered as unanswered:
        return hint(
            "callbacks", f"{settings.PUBLIC_URL} cannot be reached from here: {unanswered}. {WITHOUT}",
            "Start the pages (`manage.py up`) if they do not run. If they do: PUBLIC_URL has to be the address at which they are reached from outside.",
        )  # fmt: skip
    if said.status == 405 and said.headers.get("allow") == "POST":
        return ok("callbacks", f"{settings.PUBLIC_URL} is reached from here, and takes callbacks.")
    sentence, advice = _what(said)
    return hint("callbacks", f"{sentence} {WITHOUT}", advice)


def _what(said: Said) -> tuple[str, str]:
    """What answered instead of us, and what to do about it."""
    public = settings.PUBLIC_URL
    if 300 <= said.status < 400:
        there, here = urlsplit(said.headers.get("location", "")), urlsplit(public)
        to = there.hostname or "another page"
        if (there.scheme, here.scheme, there.hostname) == ("https", "http", here.hostname):
            return (
                f"{public} sends callbacks on to https, and they follow nothing.",
                "Say the https:// address in PUBLIC_URL.",
            )
        return (
            f"A login page answers at {public} in our place: callbacks are sent on to {to}.",
            "On Databricks Apps give the principal of the job CAN USE on the app. Behind another proxy with a login: leave /webhooks/ out of it; "
            "callbacks are signed.",
        )  # fmt: skip
    if said.status in (401, 403):
        return (
            f"A proxy before {public} lets callbacks in only with a login (status {said.status}).",
            "On Databricks Apps give the principal of the job CAN USE on the app. Behind another proxy: leave /webhooks/ out of its login; "
            "callbacks are signed.",
        )  # fmt: skip
    if said.status == 400:
        host = urlsplit(public).hostname
        return (
            f"{public} refuses requests that come by that name (status 400).",
            f"Put {host} into ALLOWED_HOSTS.",
        )
    if said.status in (502, 503, 504):
        return (
            f"The proxy at {public} does not reach the pages (status {said.status}).",
            "Start the pages, or look at their log.",
        )
    return (
        f"Something else than our pages answers at {public} (status {said.status}).",
        "PUBLIC_URL has to be the address of our pages, with the path below which a proxy shows them, if any.",
    )


def _login() -> dict[str, str]:
    """What the proxy of Databricks Apps wants to see, from this principal's login at the workspace. Only an app's address ever gets it."""
    return dict(databricks.asked(lambda workspace: workspace.config.authenticate(), quick=True))
