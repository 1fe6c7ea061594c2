"""Pages in a real browser: Chromium, the live server with somebody signed in, and an extraction with a document in every state."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client as Browser
from playwright.sync_api import Page, sync_playwright

from tests.factories import (
    fill,
    make_agent,
    make_client,
    make_document,
    make_extraction,
    make_task,
    make_user,
)  # fmt: skip

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path(CHROMIUM).exists(), reason="No Chromium here. Type: apt-get install -y chromium"
    ),
]
# Playwright's loop runs in this thread; the live server's database work happens in threads of its own
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Site:
    """The live server, somebody signed in, and every complaint of the browser's console."""

    def __init__(self, chromium, url: str, user, **options):
        self.url, self.complaints = url, []
        self.context = chromium.new_context(viewport={"width": 1280, "height": 900}, base_url=url, **options)
        signed_in = Browser()
        signed_in.force_login(user)
        cookie = signed_in.cookies[django_settings.SESSION_COOKIE_NAME].value
        self.context.add_cookies([{"name": django_settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}])
        self.page = self.context.new_page()
        self.page.on(
            "console",
            lambda message: (
                self.complaints.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, path: str) -> Page:
        self.page.goto(path, wait_until="load")
        return self.page


@pytest.fixture
def visit(live_server, chromium) -> Iterator[Callable[..., Site]]:
    """Opens the site as somebody; every page is closed before the test's settings and rows go."""
    opened: list[Site] = []

    def make(user, **options) -> Site:
        opened.append(Site(chromium, live_server.url, user, **options))
        return opened[-1]

    yield make
    for site in opened:
        site.context.close()


@pytest.fixture
def world(transactional_db):
    """An extraction with a document in every state; the groups come back with the migration's own function."""
    from importlib import import_module

    from django.apps import apps
    from django.db import connection

    migration = import_module("tasks.migrations.0003_groups_and_first_agent")
    with connection.schema_editor() as editor:
        if not apps.get_model("auth", "Group").objects.exists():
            migration.fill(apps, editor)
    extraction = make_extraction(
        make_client("Nordwind & Söhne"), make_agent("reader", title="Reads invoices"), engagement="Year-end",
        refused=[{"name": "notes.docx", "code": "not_pdf", "sentence": "This file is not a PDF, whatever its name says.", "document_id": None, "task_id": None}],
    )  # fmt: skip
    audited = extraction.client
    locked = make_document(audited, "locked.pdf", pages=None, needs_password=True)
    extraction.refused.append(
        {
            "name": "locked.pdf",
            "code": "encrypted",
            "sentence": "This PDF is encrypted and needs a password to open.",
            "document_id": locked.pk,
            "task_id": None,
        }
    )
    extraction.save()
    fill(extraction, "no_pages")
    for number in range(4):
        make_task(extraction, make_document(audited, f"waiting-{number}.pdf"))
    return extraction


@pytest.fixture
def root(world):
    return make_user("root", is_staff=True, is_superuser=True)


def make_polls_quick(page: Page) -> None:
    """The page asks every 10 s; here every 0.2 s, by the attribute that says so."""
    page.route("**/extractions/*/", lambda route: quicker(route))


def quicker(route) -> None:
    answer = route.fetch()
    route.fulfill(
        response=answer, body=answer.text().replace('data-poll-seconds="10"', 'data-poll-seconds="0.2"')
    )
