"""No request takes longer than REQUEST_SECONDS, none waits for ever for its own body, and few at once ask for pictures: whoever is cut off or turned away is told why."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractContextManager
from time import monotonic
from typing import IO, Any

from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http import HttpResponse
from django.utils import translation

from dashboard import documents, errors
from tasks import pictures

log = logging.getLogger(__name__)

Message = dict[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]


class Pages(ASGIHandler):
    """Django's own, which leaves its request in the scope: whoever cuts the line finds there who had asked."""

    def create_request(self, scope: Message, body_file: IO[bytes]) -> Any:
        request, refusal = super().create_request(scope, body_file)
        scope["request"] = request
        return request, refusal


class CutOff(Exception):
    """An answer that had begun was broken off; its receiver sees that it is not whole."""


class Bounded:
    """An ASGI application whose answers end `seconds` after their request was read; how long an upload takes to arrive is its sender's matter.

    unbounded: what paths of streams, which end by themselves, and of uploads begin with. What a view does when its time is over goes on to its next
    statement's end, at most; the view is told as if the browser had gone.
    """

    def __init__(self, pages: Application, seconds: float, unbounded: Collection[str]) -> None:
        self._pages, self._seconds, self._unbounded = pages, seconds, tuple(unbounded)
        self._late: set[asyncio.Task] = set()

    async def __call__(self, scope: Message, receive: Callable, send: Callable) -> None:
        if scope["type"] != "http" or scope["path"].startswith(self._unbounded):
            await self._pages(scope, receive, send)
            return
        line = _Line(receive, send)
        answering = asyncio.ensure_future(self._pages(scope, line.receive, line.send))
        reading = asyncio.ensure_future(line.read.wait())
        try:
            await asyncio.wait({answering, reading}, return_when=asyncio.FIRST_COMPLETED)
            done, _ = await asyncio.wait({answering}, timeout=self._seconds)
        except asyncio.CancelledError:
            answering.cancel()
            raise
        finally:
            reading.cancel()
        if done:
            answering.result()
            return
        self._late.add(answering)
        answering.add_done_callback(self._ended)
        log.warning(
            "%s %s took longer than %g s and was cut off.", scope["method"], scope["path"], self._seconds
        )
        await line.cut(scope)

    def _ended(self, late: asyncio.Task) -> None:
        self._late.discard(late)
        if not late.cancelled() and (error := late.exception()):
            log.warning("A request that was cut off ended with %s.", type(error).__name__)


class FewPictures:
    """An ASGI application that answers `most` requests for pictures of pages at a time, and tells others to come again.

    One page asks for many of them, or many pages do; without a bound other pages stand behind them. It is told before Django, which takes
    threads and connections of the database for whoever asks.
    """

    SUFFIX = ".webp"

    def __init__(self, pages: Application, most: int) -> None:
        self.pages, self._left = pages, most

    async def __call__(self, scope: Message, receive: Callable, send: Callable) -> None:
        if scope["type"] != "http" or not scope["path"].endswith(self.SUFFIX):
            await self.pages(scope, receive, send)
            return
        if not self._left:
            with _language_of(ASGIRequest(scope, io.BytesIO())):
                await _say(send, documents.no_picture(pictures.BUSY, later=True))
            return
        self._left -= 1
        try:
            await self.pages(scope, receive, send)
        finally:
            self._left += 1


class Patient:
    """An ASGI application that waits `seconds` for the next part of a body, and then answers 408.

    So it does where less than `least` bytes a second come on the whole, the first `seconds` aside: a body may take long if it is large.
    """

    def __init__(self, pages: Application, seconds: float, least: float) -> None:
        self.pages, self._seconds, self._least = pages, seconds, least

    async def __call__(self, scope: Message, receive: Callable, send: Callable) -> None:
        if scope["type"] != "http":
            await self.pages(scope, receive, send)
            return
        arriving, given_up, begun = True, False, False
        patience = self._seconds
        """Left for the whole body: each byte adds to it, and only waiting takes from it."""

        async def hear() -> Message:
            nonlocal arriving, given_up, patience
            if given_up or not arriving:
                return {"type": "http.disconnect"} if given_up else await receive()
            began = monotonic()
            try:
                async with asyncio.timeout(min(self._seconds, patience)):
                    message = await receive()
            except TimeoutError:
                given_up = True
                return {"type": "http.disconnect"}
            arriving = message.get("more_body", False)
            patience += len(message.get("body", b"")) / self._least - (monotonic() - began)
            return message

        async def say(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        await self.pages(scope, hear, say)
        if given_up and not begun:
            said = f"The body of this request stopped to arrive: for {self._seconds:g} s nothing came, or next to nothing.".encode()
            headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(said)).encode())]
            await send({"type": "http.response.start", "status": 408, "headers": headers})
            await send({"type": "http.response.body", "body": said})


class _Line:
    """Between a server and an application, which it can be cut from."""

    def __init__(self, receive: Callable, send: Callable) -> None:
        self._receive, self._send = receive, send
        self.read, self._over = asyncio.Event(), asyncio.Event()
        self._begun = False

    async def receive(self) -> Message:
        getting, over = asyncio.ensure_future(self._receive()), asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait({getting, over}, return_when=asyncio.FIRST_COMPLETED)
            message = getting.result() if getting.done() else {"type": "http.disconnect"}
        finally:
            getting.cancel()
            over.cancel()
        if not message.get("more_body"):
            self.read.set()
        return message

    async def send(self, message: Message) -> None:
        if not self._over.is_set():
            self._begun = True
            await self._send(message)

    async def cut(self, scope: Message) -> None:
        """Answer in words where nothing was said yet. Raises CutOff where half an answer is out."""
        self._over.set()
        if self._begun:
            raise CutOff
        request = scope.get("request") or ASGIRequest(scope, io.BytesIO())
        with _language_of(request):
            await _say(self._send, errors.too_long(request))


def _language_of(request: ASGIRequest) -> AbstractContextManager:
    return translation.override(translation.get_language_from_request(request))


async def _say(send: Callable, answer: HttpResponse) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in answer.items()]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": answer.content})
