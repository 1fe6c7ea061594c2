"""One request to an address outside that certainly ends: whoever answers a byte a second holds nobody for longer than was allowed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

MOST_BYTES = 4096
"""More of an answer is not read: its status is what counts."""


@dataclass(frozen=True, slots=True)
class Said:
    """An answer. headers: names in lower case; body: its beginning."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Unanswered(Exception):
    """Nobody answered: why, in words that hold no address and no secret."""


def ask(
    method: str, address: str, *, seconds: float, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> Said:
    """Send one request and follow no redirect. Raises Unanswered, after `seconds` at the latest."""
    import httpx  # slow to load, and most processes never ask anybody

    try:
        return asyncio.run(_ask(method, address, seconds, headers or {}, body))
    except (TimeoutError, httpx.TimeoutException):
        raise Unanswered(f"no answer within {seconds:g} s") from None
    except httpx.ConnectError as error:
        raise Unanswered(_why(error)) from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise Unanswered(f"the line was cut off ({type(error).__name__})") from None


async def _ask(method: str, address: str, seconds: float, headers: Mapping[str, str], body: bytes) -> Said:
    import httpx

    async with (
        asyncio.timeout(seconds),
        httpx.AsyncClient(timeout=seconds, follow_redirects=False) as client,
        client.stream(method, address, headers=dict(headers), content=body) as answer,
    ):
        begun = b""
        async for piece in answer.aiter_raw():
            begun += piece
            if len(begun) >= MOST_BYTES:
                break
        return Said(answer.status_code, dict(answer.headers), begun[:MOST_BYTES])


def _why(error: BaseException) -> str:
    """Why no connection came about; the reason lies somewhere below the library's own error."""
    import socket
    import ssl

    below: BaseException | None = error
    while below is not None:
        if isinstance(below, ssl.SSLError):
            return f"its certificate is not accepted ({below.reason or type(below).__name__})"
        if isinstance(below, socket.gaierror):
            return "its name is not known"
        if isinstance(below, ConnectionRefusedError):
            return "the connection is refused"
        below = below.__cause__ or below.__context__
    return "it cannot be connected to"
