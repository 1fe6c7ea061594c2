"""Downloads as the real server sends them: however slowly somebody takes one, he holds no connection of the database meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.asgi import get_asgi_application
from django.db import connection
from django.test import Client as Browser
from django.urls import reverse

from dashboard import documents, exports
from tasks.models import Task
from tests import pdfs
from tests.factories import make_user
from tests.sheet_tools import RED, made

pytestmark = pytest.mark.django_db(transaction=True)


async def taken(browser: Browser, path: str) -> bytes:
    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items()).encode()
    headers = [(b"host", b"localhost"), (b"cookie", cookie)]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    line = ApplicationCommunicator(get_asgi_application(), scope)
    await line.send_input({"type": "http.request", "body": b""})
    assert (await line.receive_output(10))["status"] == 200
    content, more = b"", True
    while more:
        message = await line.receive_output(10)
        content, more = content + message.get("body", b""), message.get("more_body", False)
    await line.wait(10)
    return content


@pytest.fixture
def auditor() -> Browser:
    browser = Browser()
    browser.force_login(make_user("alice", "Auditor", clients=(made(pdfs.page_pdf(RED)).client,)))
    return browser


def test_a_document_that_is_taken_slowly_holds_no_connection(auditor: Browser, monkeypatch) -> None:
    """Eight of them had all that a process has, and its pages said that the database is away."""
    held: list[bool] = []
    real = documents._pieces

    def watched(file: Any) -> Iterator[bytes]:
        for piece in real(file):
            held.append(connection.connection is not None)
            yield piece

    monkeypatch.setattr(documents, "PIECE", 100)
    monkeypatch.setattr(documents, "_pieces", watched)
    task = Task.objects.get()
    content = asyncio.run(taken(auditor, reverse("document_file", args=(task.document_id,))))
    assert content == pdfs.page_pdf(RED)
    assert len(held) > 2 and not any(held[1:])


def test_an_export_takes_a_connection_for_each_part_that_it_reads(auditor: Browser, monkeypatch) -> None:
    """What it has read it sends; between two readings others may have it."""
    held: list[bool] = []
    real = exports.page_of

    def watched(*args: Any) -> Any:
        held.append(connection.connection is not None)
        return real(*args)

    monkeypatch.setattr(exports, "CHUNK", 1)
    monkeypatch.setattr(exports, "page_of", watched)
    first = Task.objects.get()
    for color in ("0 1 0", "0 0 1"):
        made(pdfs.page_pdf(RED.replace("1 0 0", color)))
    content = asyncio.run(taken(auditor, reverse("results_json", args=(first.extraction_id,))))
    assert content.count(b'"state": "completed"') == 3
    assert held[1:] == [False, False]
