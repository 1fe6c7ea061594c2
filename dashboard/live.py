"""Live updates: one LISTEN per web process, fanned out to every open page as "something changed"; pages fetch what it is.

Hints only (DESIGN §8): the poll of each page stays on, so that losing every one of these costs ten seconds. Nothing but this
module knows django-eventstream, of which only the registry of local listeners and the encoder are used: what the browser sends
(channels, ids to resume from, `es-meta`) never reaches it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import AsyncIterator

import psycopg
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_GET
from django_eventstream.channelmanager import DefaultChannelManager
from django_eventstream.event import Event
from django_eventstream.eventrequest import EventRequest
from django_eventstream.views import Listener, get_listener_manager
from django_eventstream.views import stream as library_stream

from tasks import idleness, notify

log = logging.getLogger(__name__)

CHANNEL = "changed"
MOST_STREAMS = 400
"""Per process; one event to so many browsers costs about a tenth of a processor second."""
QUIET_SECONDS = 0.25
FIRST_BEAT_SECONDS, BEAT_SECONDS = 0.3, 5.0
"""How often each stream says whether this process hears: a browser that misses it for long knows that the line is dead."""
PROBE_AFTER_SECONDS, PROBE_SECONDS = 10.0, 3.0
LONGEST_PAUSE_SECONDS, CONNECT_SECONDS = 5.0, 10


class OneChannel(DefaultChannelManager):
    """The library's question who may read what: everybody who is logged in, the one channel that says nothing. No database."""

    def can_read_channel(self, user: object, channel: str) -> bool:
        return user is not None and channel == CHANNEL

    def is_channel_reliable(self, channel: str) -> bool:
        return False


class Relay:
    """This process's one listening connection. Started by the first stream, on its loop; it survives every lost connection."""

    def __init__(self) -> None:
        self.hears = False
        self._task: asyncio.Task | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def ensure(self) -> None:
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._loop is not loop:
            self._loop, self._task = loop, loop.create_task(self._run(), name="live relay")

    async def _run(self) -> None:
        pause = 0.1
        while True:
            try:
                connection = await notify.connect_later("live", connect_timeout=CONNECT_SECONDS)
                try:
                    await connection.execute(f"LISTEN {notify.CHANGED}")
                    await comes_through(connection)
                    self.hears = True
                    tell("resync")  # whatever was said while nobody listened
                    pause = 0.1
                    await self._listen(connection)
                    self.hears = False
                    return
                finally:
                    await connection.close()
            except (psycopg.Error, OSError, TimeoutError) as error:
                self.hears = False
                tell("deaf")
                log.warning(
                    "Live updates are interrupted (%s); pages poll meanwhile.",
                    str(error).strip() or type(error).__name__,
                )
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))  # noqa: S311
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    async def _listen(self, connection: psycopg.AsyncConnection) -> None:
        """Tell of the first hint at once, of those of the next quarter second together, until nobody looks and the database may sleep.

        Raises TimeoutError for a dead line.
        """
        while not idleness.asleep():
            payloads = await heard(connection, PROBE_AFTER_SECONDS)
            if not payloads:
                await probe(connection)
                payloads = await heard(connection, PROBE_SECONDS)
                if not payloads:
                    raise TimeoutError("the listening connection is dead")
            if payloads != {notify.PROBE}:
                tell("changed")
                await asyncio.sleep(QUIET_SECONDS)


async def comes_through(connection: psycopg.AsyncConnection) -> None:
    """Hint to ourselves from another connection. Raises TimeoutError behind a pooler in transaction mode, where LISTEN hears nothing."""
    other = await notify.connect_later("probe", connect_timeout=CONNECT_SECONDS)
    async with other:
        await other.execute(notify.SEND, (notify.CHANGED, notify.PROBE))
    if not await heard(connection, PROBE_SECONDS):
        raise TimeoutError("hints do not come through; `manage.py doctor` says more")


async def probe(connection: psycopg.AsyncConnection) -> None:
    """Hint to ourselves. Raises TimeoutError where nothing answers: a line that a proxy forgot says neither yes nor no."""
    sending = asyncio.ensure_future(
        connection.execute("SELECT pg_notify(%s, %s)", (notify.CHANGED, notify.PROBE))
    )
    done, _ = await asyncio.wait({sending}, timeout=PROBE_SECONDS)
    if not done:
        connection.pgconn.finish()  # first, or giving up would wait for the server's consent
        sending.cancel()
        raise TimeoutError("the listening connection is dead")
    sending.result()


async def heard(connection: psycopg.AsyncConnection, seconds: float) -> set[str]:
    """Payloads of the hints that came within `seconds`, waiting for the first of them only."""
    return {note.payload async for note in connection.notifies(timeout=seconds, stop_after=1)}


def tell(what: str) -> None:
    """Tell every open stream of this process."""
    get_listener_manager().add_to_queues(CHANNEL, Event(CHANNEL, what, "{}"))


relay = Relay()
open_streams = 0


@login_not_required  # a stream cannot follow a redirect to the login page
@require_GET
async def stream(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Server-sent events `changed` and `resync`, without content. 204 tells the browser that only polling works here."""
    if not isinstance(request, ASGIRequest):
        return HttpResponse(status=204)
    user = await request.auser()
    if not user.is_authenticated:
        return HttpResponse(status=403)
    if open_streams >= MOST_STREAMS:
        return HttpResponse(status=503, headers={"Retry-After": "30"})
    relay.ensure()
    # An open stream holds no database connection; whoever is still there when it ends is asked for their rights again
    await sync_to_async(connections.close_all)()
    seconds = settings.STREAM_SECONDS * random.uniform(0.9, 1.1)  # noqa: S311
    return StreamingHttpResponse(
        until(_events(user), seconds),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"},
    )


def _events(user: object) -> AsyncIterator[str]:
    event_request, listener = EventRequest(), Listener()
    event_request.channels = listener.channels = {CHANNEL}
    event_request.user, event_request.is_next, listener.user_id = user, False, user.pk  # type: ignore[attr-defined]
    return library_stream(event_request, listener)


async def until(source: AsyncIterator[str], seconds: float) -> AsyncIterator[str]:
    """`source` with beats in between, ended after `seconds`; the browser comes back by itself, not all of them at the same moment."""
    global open_streams
    open_streams += 1
    loop = asyncio.get_running_loop()
    deadline, beat_at, following = loop.time() + seconds, loop.time() + FIRST_BEAT_SECONDS, None
    try:
        yield f"retry: {random.randint(500, 3000)}\n\n"  # noqa: S311
        while (left := deadline - loop.time()) > 0:
            following = following or asyncio.ensure_future(anext(source))
            done, _ = await asyncio.wait({following}, timeout=min(left, max(0.0, beat_at - loop.time())))
            if done:
                yield following.result()
                following = None
            if loop.time() >= beat_at:
                idleness.needed()
                yield f"event: {'hearing' if relay.hears else 'deaf'}\ndata: {{}}\n\n"
                beat_at = loop.time() + BEAT_SECONDS
    except StopAsyncIteration:
        pass
    finally:
        open_streams -= 1
        if following is not None:
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                await following
        await source.aclose()  # type: ignore[attr-defined]
