"""The ASGI application that gunicorn serves."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import django
from django.conf import settings
from django.urls import reverse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentaudit.settings")
# Each request runs in a thread of its own, which would connect anew every time. An attempt to reconnect is given up soon, so that the
# next request tries at once, instead of waiting for pauses that grew while the database was away
options = settings.DATABASES["default"].setdefault("OPTIONS", {})
wakes_up = "lakebase" in options  # one that sleeps may take so long to let the first request in
options["pool"] = {"min_size": 1, "max_size": 8, "timeout": 30 if wakes_up else 5, "reconnect_timeout": 5}
if settings.IDLE_SLEEP_SECONDS:  # one that nobody used is closed per period, the last one too
    options["pool"] |= {"min_size": 0, "max_idle": max(1.0, settings.IDLE_SLEEP_SECONDS / 8)}
if settings.REQUEST_SECONDS:  # a statement ends before its request's time is over
    limit = f"-c statement_timeout={settings.REQUEST_SECONDS * 900}ms"
    options["options"] = f"{options.get('options', '')} {limit}".strip()
django.setup(set_prefix=False)

from agentaudit.deadlines import Bounded, FewPictures, Pages, Patient  # noqa: E402 - its pages of errors need Django to be set up
from tasks import pictures  # noqa: E402

pages = Pages()
SILENCE_SECONDS, LEAST_BYTES = 30.0, 1024.0
"""How long nothing may come of a body, or less than LEAST_BYTES a second on the whole. gunicorn's own patience (its `timeout`) is longer, and ends with status 500."""
if settings.REQUEST_SECONDS:
    pages = Bounded(pages, settings.REQUEST_SECONDS, unbounded=(reverse("live"), reverse("upload")))  # type: ignore[assignment]
pages = Patient(pages, SILENCE_SECONDS, LEAST_BYTES)  # type: ignore[assignment]
pages = FewPictures(pages, pictures.MOST)  # type: ignore[assignment]


async def application(scope: dict[str, Any], receive: Callable, send: Callable) -> None:
    """The pages, each answer on a connection of its own.

    gunicorn 26's asgi worker loses a request that comes on a kept connection while the answer before it is still being wound up (its
    `keepalive` is 0 for that reason); the header tells browsers and proxies before they try.
    """

    async def closing(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
        await send(message)

    await pages(scope, receive, closing)
