"""Pages for what goes wrong: never an empty one, machines are left alone, and none asks for a second connection."""

from __future__ import annotations

import asyncio
import uuid

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.asgi import get_asgi_application
from django.db.backends.signals import connection_created
from django.test import Client as Browser
from django.urls import reverse

from dashboard.urls import urlpatterns
from tests.factories import make_user

PEOPLE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
VALUES = {"pk": 1, "number": 1, "verb": "cancel", "mark": "a", "attempt": uuid.UUID(int=1)}
PROBES = {"healthz", "readyz", "live"}


def addresses() -> list[str]:
    """Every address of the pages, about things that may or may not be there."""
    found = {pattern.name: pattern.pattern.converters for pattern in urlpatterns}
    return [
        reverse(name, kwargs={part: VALUES[part] for part in parts})
        for name, parts in found.items()
        if name not in PROBES
    ]


@pytest.fixture
def root(db, client: Browser) -> Browser:
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    return client


@pytest.mark.parametrize("method", ["get", "put"])
def test_whoever_is_refused_sees_why_and_where_else_to_go(root: Browser, method: str) -> None:
    """Addresses that take what a button sends, typed by hand, were white pages."""
    refused = {}
    for address in [*addresses(), "/admin/logout/"]:
        answer = getattr(root, method)(address, headers=PEOPLE)
        if answer.status_code >= 400 and not address.endswith(".webp"):
            refused[address] = answer
    assert refused["/costs/close/"].status_code == 405
    for address, answer in refused.items():
        page = answer.content.decode()
        assert "<h1>" in page and 'class="nav"' in page and str(answer.status_code) in page, address
        assert (answer.status_code != 405) or answer.headers["Allow"], address


def test_machines_get_no_page(root: Browser) -> None:
    for accept in ("*/*", "application/json", "text/event-stream"):
        answer = root.get("/costs/close/", headers={"Accept": accept})
        assert (answer.status_code, answer.content) == (405, b"")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/tasks/999999/", "/costs/close/"])
def test_a_request_that_fails_takes_one_connection_and_not_a_second_for_its_page(path: str) -> None:
    """With eight of them, forty requests for what is not there waited for each other until all of them ran out of patience."""
    signed_in, taken = Browser(), []
    signed_in.force_login(make_user("root", is_staff=True, is_superuser=True))
    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in signed_in.cookies.items()).encode()

    def take(**_: object) -> None:
        taken.append(path)

    async def ask() -> int:
        headers = [(b"host", b"localhost"), (b"accept", b"text/html"), (b"cookie", cookie)]
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
        browser = ApplicationCommunicator(get_asgi_application(), scope)
        await browser.send_input({"type": "http.request", "body": b""})
        answer = await browser.receive_output(10)
        assert b'class="nav"' in (await browser.receive_output(10))["body"]
        await browser.wait(10)
        return answer["status"]

    connection_created.connect(take)
    try:
        assert asyncio.run(ask()) >= 400
    finally:
        connection_created.disconnect(take)
    assert len(taken) == 1
