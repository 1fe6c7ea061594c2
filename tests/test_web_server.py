"""What the real server adds to the pages: closed connections, pages loaded before the first request, files answered whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from django.contrib.staticfiles import finders
from django.core.signals import request_finished
from django.http import HttpResponse
from django.test import Client as Browser
from django.test import RequestFactory

from agentaudit.middleware import StaticFiles
from tests.page_tools import page_of, task_named, world  # noqa: F401 - a fixture

ASK = """
import asyncio, os
os.environ["DJANGO_SETTINGS_MODULE"] = "agentaudit.settings"
from tasks import pictures
pictures.MOST = 0
from agentaudit.asgi import application

async def ask(path):
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [(b"host", b"localhost")], "scheme": "http"}
    heard, asked = [], []
    async def receive():
        asked.append(1)
        return {"type": "http.request", "body": b"", "more_body": False} if len(asked) == 1 else await asyncio.Event().wait()
    async def send(message): heard.append(message)
    await application(scope, receive, send)
    return heard[0]["status"], dict(heard[0]["headers"]).get(b"connection")

print(asyncio.run(ask("/login/")), asyncio.run(ask("/documents/1/pages/1.webp")))
"""


def printed(script: str) -> str:
    """What a process of its own prints that runs the script."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "DEBUG": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parent.parent,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_answer_of_the_real_server_closes_its_connection_and_it_draws_few_pictures_at_once() -> None:
    """gunicorn 26's asgi worker loses a request that comes on a kept connection too early; browsers then wait for ever."""
    from agentaudit import gunicorn

    assert gunicorn.keepalive == 0
    assert printed(ASK) == "(200, b'close') (503, b'close')"


READY = """
import gc, sys
from agentaudit import asgi, gunicorn
from tasks.alerts import watch
watch.start = lambda: None
gunicorn.post_worker_init(None)
print(gc.get_freeze_count() > 50_000, "dashboard.operations" in sys.modules)
"""


def test_a_web_process_has_loaded_its_pages_before_the_first_request_and_lets_the_collector_be() -> None:
    """The collector took up to 80 ms of a request where it looked through all that a process holds for good."""
    assert printed(READY) == "True True"


def test_static_files_are_answered_whole_and_asked_for_once(client: Browser) -> None:
    """A streamed one makes Django warn under ASGI, at each file; and no file needs the database, nor ends a request twice."""
    path, content = "/static/dashboard/base.css", finders.find("dashboard/base.css")
    whole = client.get(path)
    assert not whole.streaming and whole.content == Path(content).read_bytes()
    assert whole.headers["Content-Type"].startswith("text/css")
    head = client.head(path)
    assert (head.content, head.headers["Content-Length"]) == (b"", str(len(whole.content)))
    part = client.get(path, headers={"range": "bytes=0-9"})
    assert (part.status_code, part.content) == (206, whole.content[:10])
    again = client.get(path, headers={"if-modified-since": whole.headers["Last-Modified"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_static_file_does_not_tell_that_its_request_is_over(rf: RequestFactory) -> None:
    """Django looks after its connections then; an answer closed on the way through told so in the middle of a request."""
    told: list[object] = []

    def over(**_: object) -> None:
        told.append(over)

    request_finished.connect(over)
    try:
        answer = StaticFiles(lambda _: HttpResponse(status=404))(rf.get("/static/dashboard/base.css"))
    finally:
        request_finished.disconnect(over)
    assert (answer.status_code, told) == (200, [])
