"""Settings that are each right alone and wrong together: said by every command before it starts, and by `manage.py check`."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

OURS = "agentaudit"
"""Tag of the checks that every command of ours makes."""
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
FEWEST_DISTINCT_CHARACTERS = 10


def is_public() -> bool:
    """Whether others than the person at this machine open the pages."""
    return (urlsplit(settings.PUBLIC_URL).hostname or "") not in LOOPBACK


@register(OURS)
def leases_outlive_heartbeats(**kwargs) -> Iterable[CheckMessage]:
    # Two heartbeats may be lost before the lease ends; the tolerance is for thirds that are no exact binary numbers
    if settings.HEARTBEAT_SECONDS * 3 > settings.LEASE_SECONDS + 1e-6:
        yield Error(
            f"HEARTBEAT_SECONDS is {settings.HEARTBEAT_SECONDS:g} and LEASE_SECONDS is {settings.LEASE_SECONDS:g}: one slow "
            "heartbeat would lose every running task.",
            hint=f"Leave HEARTBEAT_SECONDS unset, or set it to at most {settings.LEASE_SECONDS / 3:g}.",
            id="agentaudit.E001",
        )


@register(OURS)
def connections_are_not_kept(**kwargs) -> Iterable[CheckMessage]:
    # Under ASGI each request may run in another thread, and a kept connection would stay with a thread that never comes back
    if any(database.get("CONN_MAX_AGE") != 0 for database in settings.DATABASES.values()):
        yield Error(
            "CONN_MAX_AGE is not 0: under ASGI every thread would keep a database connection until the server has none left.",
            hint="Set CONN_MAX_AGE to 0 in agentaudit/environment.py.",
            id="agentaudit.E002",
        )


@register(OURS, Tags.security)
def public_installations_are_closed(**kwargs) -> Iterable[CheckMessage]:
    if not is_public():
        return
    if settings.DEBUG:
        yield Error(
            f"DEBUG is on, and PUBLIC_URL ({settings.PUBLIC_URL}) is open to others: an error page would show them settings and code.",
            hint="Unset DEBUG.",
            id="agentaudit.E003",
        )
    if len(set(settings.SECRET_KEY)) < FEWEST_DISTINCT_CHARACTERS or settings.SECRET_KEY.startswith(
        "django-insecure"
    ):
        yield Error(
            "SECRET_KEY can be guessed: whoever does can log in as anybody.",
            hint="Unset it (one is made and kept), or set the output of: python -c 'import secrets; print(secrets.token_urlsafe(48))'",
            id="agentaudit.E004",
        )
    host = urlsplit(settings.PUBLIC_URL).hostname or ""
    if not any(
        allowed in ("*", host) or (allowed.startswith(".") and f".{host}".endswith(allowed))
        for allowed in settings.ALLOWED_HOSTS
    ):
        yield Error(
            f"PUBLIC_URL's host {host!r} is not in ALLOWED_HOSTS: every page would answer 400.",
            hint=f"Example: ALLOWED_HOSTS={host}",
            id="agentaudit.E005",
        )


@register(OURS, Tags.security)
def identities_come_from_the_platform(**kwargs) -> Iterable[CheckMessage]:
    if settings.TRUST_DATABRICKS_IDENTITY and not settings.DATABRICKS_APP_NAME:
        yield Error(
            "TRUST_DATABRICKS_IDENTITY is on, and this is no Databricks App: anybody could say in a header who they are.",
            hint="Unset TRUST_DATABRICKS_IDENTITY. On Databricks Apps the platform itself sets DATABRICKS_APP_NAME.",
            id="agentaudit.E006",
        )
    if settings.DATABRICKS_APP_NAME and not is_public():
        yield Warning(
            f"This is a Databricks App, and PUBLIC_URL is {settings.PUBLIC_URL}: forms are refused, and runs cannot call back.",
            hint=f"Set PUBLIC_URL to the app's address: databricks apps get {settings.DATABRICKS_APP_NAME}",
            id="agentaudit.W002",
        )


@register(OURS, Tags.security, deploy=True)
def public_installations_use_tls(**kwargs) -> Iterable[CheckMessage]:
    if is_public() and not settings.PUBLIC_URL.startswith("https://"):
        yield Warning(
            f"PUBLIC_URL ({settings.PUBLIC_URL}) is no https:// address: passwords and documents cross the network in the clear.",
            hint="Put a proxy that ends TLS in front, and say its https:// address in PUBLIC_URL.",
            id="agentaudit.W001",
        )
