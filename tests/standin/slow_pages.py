"""Answers that never end, behind the limit of the product: an ASGI application for a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from django.core.asgi import get_asgi_application

SECONDS = 1.0


async def pages(scope: dict[str, Any], receive: Callable, send: Callable) -> None:
    """/silent/ says nothing, /endless/ says one line after the other, once the request is there."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        more = message.get("more_body", False)
    if scope["path"] == "/endless/":
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/csv")]}
        )
    while True:
        await asyncio.sleep(0.1)
        if scope["path"] == "/endless/":
            await send({"type": "http.response.body", "body": b"1,2,3\n", "more_body": True})


def application() -> Callable:
    get_asgi_application()
    from agentaudit.deadlines import Bounded, Patient

    return Patient(Bounded(pages, SECONDS, ()), SECONDS, 1.0)
