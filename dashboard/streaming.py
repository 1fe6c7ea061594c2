"""Sends long answers piece by piece under both servers: Django reads a plain iterator whole before it answers under ASGI."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import connection
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header


def download(
    request: HttpRequest, pieces: Iterable[bytes], filename: str, content_type: str
) -> StreamingHttpResponse:
    """An attachment that no browser opens inside our pages, whatever its bytes turn out to be."""
    iterator = iter(pieces)
    content = _later(iterator) if isinstance(request, ASGIRequest) else iterator
    response = StreamingHttpResponse(content, content_type=content_type)
    response.headers["Content-Disposition"] = content_disposition_header(True, filename) or "attachment"
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'; frame-ancestors 'none'"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "private, no-store"
    return response


async def _later(iterator: Iterator[bytes]) -> AsyncIterator[bytes]:
    while (piece := await sync_to_async(_following)(iterator)) is not None:
        yield piece


def _following(iterator: Iterator[bytes]) -> bytes | None:
    """The next piece, if there is one. The connection goes back to the few of this process: whoever receives the piece may take long."""
    piece = next(iterator, None)
    if not connection.in_atomic_block:
        connection.close()
    return piece
