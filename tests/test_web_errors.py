"""Errors have pages in words with the way back, and whoever is signed out or cannot sign in is told why."""

from __future__ import annotations

import contextlib
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.http import Http404
from django.test import AsyncRequestFactory
from django.test import Client as Browser
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from dashboard import errors
from tasks.models import Extraction
from tests import page_tools
from tests.factories import make_user

world = page_tools.world


def test_errors_have_pages_of_their_own_that_name_no_inner_part(world, monkeypatch) -> None:
    client = world[0]
    client.raise_request_exception = False
    assert "This address leads nowhere" in client.get("/nowhere/").content.decode()

    def broken(*args: object) -> None:
        raise RuntimeError("inner detail")

    monkeypatch.setattr("dashboard.extractions.with_counts", broken)
    response = client.get(reverse("extractions"))
    assert response.status_code == 500
    assert (
        "The fault is ours" in response.content.decode() and "inner detail" not in response.content.decode()
    )


def test_a_database_that_is_away_is_said_in_words_with_a_time_to_come_back(world, monkeypatch) -> None:
    def away(*args: object) -> None:
        raise OperationalError("connection refused")

    client = world[0]
    client.raise_request_exception = False
    monkeypatch.setattr("dashboard.extractions.with_counts", away)
    response = client.get(reverse("extractions"))
    assert (response.status_code, response.headers["Retry-After"]) == (503, "10")
    assert "Nothing is lost" in response.content.decode()


def test_a_character_that_no_text_has_is_no_fault_of_ours(world) -> None:
    client, extraction = world[0], world[1]
    client.force_login(make_user("ola", "Operator", is_staff=True))
    client.raise_request_exception = False
    task = extraction.tasks.first()
    for answer in (
        client.get(reverse("operations_tasks"), {"q": "a\0b"}),
        client.get(reverse("admin:tasks_task_changelist"), {"status": "a\0b"}),
        client.post(reverse("task_operate", args=(task.pk, "reprocess")), {"agent": "a\0b"}),
    ):
        assert answer.status_code == 400
        assert "This request cannot be understood" in answer.content.decode()


def test_the_way_back_is_an_address_of_ours_or_the_list(world) -> None:
    """Another word was taken for the name of a page."""
    client, extraction = world[0], world[1]
    client.force_login(make_user("ola", "Operator"))
    for back in ("nowhere", "\0", "\U0001f9fe", "//elsewhere.example/"):
        data = {"verb": "cancel", "task": [extraction.tasks.first().pk], "confirmed": "1", "back": back}
        assert client.post(reverse("operations_act"), data).url == reverse("operations_tasks")


MAIN = '<nav class="nav"'


def test_pages_of_errors_have_the_way_back_for_whoever_is_signed_in(world) -> None:
    auditor = Browser()
    auditor.force_login(make_user("eve", "Auditor"))
    hidden = reverse("extraction", args=(world[1].pk,))
    for status, url in ((404, "/nowhere/"), (404, hidden), (403, reverse("operations"))):
        response = auditor.get(url)
        page = response.content.decode()
        assert response.status_code == status and MAIN in page, url
        assert reverse("upload") in page and reverse("logout") in page and reverse("costs") not in page
        assert f'name="next" value="{url}"' in page
    refused = auditor.post(reverse("operations_act"))
    assert refused.status_code == 403 and 'name="next" value="/"' in refused.content.decode()
    nobody = Browser().get("/nowhere/")
    assert nobody.status_code == 404 and MAIN not in nobody.content.decode()


def test_the_admin_tells_who_may_not_enter_so_and_does_not_ask_them_to_sign_in_once_more(
    client: Browser, db
) -> None:
    assert "password" in client.get("/admin/", follow=True).content.decode()
    client.force_login(make_user("eve", "Auditor"))
    response = client.get("/admin/", follow=True)
    assert response.status_code == 403 and MAIN in response.content.decode()
    client.force_login(make_user("bob", "Operator", is_staff=True))
    assert client.get("/admin/login/", follow=True).request["PATH_INFO"] == "/admin/"


@pytest.mark.parametrize("fault", [OperationalError("away"), RuntimeError("inner"), OSError(28, "full")])
def test_pages_of_faults_have_the_way_back_and_ask_the_database_nothing(world, monkeypatch, fault) -> None:
    client, asked = world[0], []
    client.raise_request_exception = False
    with contextlib.ExitStack() as stack:

        def broken(*args: object) -> None:
            stack.enter_context(
                connection.execute_wrapper(lambda run, *rest: asked.append(rest) or run(*rest))
            )
            raise fault

        monkeypatch.setattr("dashboard.extractions.with_counts", broken)
        response = client.get(reverse("extractions"))
    page = response.content.decode()
    assert response.status_code >= 500 and not asked
    assert MAIN in page and reverse("operations") in page and reverse("logout") in page


@pytest.mark.django_db(transaction=True)
def test_a_page_of_an_error_leaves_no_connection_behind_in_its_thread() -> None:
    user = make_user("ann", "Auditor")
    request = AsyncRequestFactory().get("/nowhere/")
    request.user = SimpleLazyObject(lambda: User.objects.get(pk=user.pk))

    def in_a_thread() -> tuple[bytes, object]:
        page = errors.not_found(request, Http404())
        return page.content, connection.connection

    with ThreadPoolExecutor(1) as thread:
        page, left = thread.submit(in_a_thread).result(30)
    assert MAIN.encode() in page and left is None


def test_a_form_without_its_token_is_refused_in_words(world) -> None:
    strict = Browser(enforce_csrf_checks=True)
    strict.force_login(make_user("ann", "Operator"))
    response = strict.post(reverse("extraction_cancel", args=(Extraction.objects.get().pk,)))
    assert response.status_code == 403 and "reload the page" in response.content.decode()


@pytest.mark.parametrize(
    ("came_from", "page"),
    [
        ("http://testserver/extractions/7/", "http://testserver/extractions/7/"),
        ("https://evil.example/", "/"),
        ("", "/"),
    ],
)
def test_a_form_that_was_sent_after_the_session_leads_back_to_its_page(
    db, client: Browser, came_from: str, page: str
) -> None:
    answer = client.post(reverse("extraction_passwords", args=(7,)), headers={"referer": came_from})
    assert (answer.status_code, parse_qs(urlsplit(answer.url).query)["next"]) == (302, [page])


def test_signing_in_and_out(db, client: Browser) -> None:
    make_user("ann")
    response = client.post(reverse("login"), {"username": "ann", "password": "a-long-enough-password"})
    assert response.url == reverse("home")
    assert "Signed in as ann" in client.get(reverse("home")).content.decode()
    assert client.post(reverse("logout")).url == reverse("login")
    wrong = client.post(reverse("login"), {"username": "ann", "password": "wrong"})
    assert 'role="alert"' in wrong.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("typed", "focused", "sentence"),
    [
        ({"username": "ann", "password": "wrong"}, "password", "enter a correct username and password"),
        ({"username": "ann", "password": ""}, "password", "This field is required."),
        ({"username": "", "password": "x"}, "username", "This field is required."),
    ],
)
def test_whoever_cannot_sign_in_is_told_why_where_the_cursor_stands(client: Browser, typed, focused: str, sentence: str) -> None:  # fmt: skip
    make_user("ann", "Auditor")
    page = client.post(reverse("login"), typed).content.decode()
    assert sentence in page and f'value="{typed["username"]}"' in page
    assert re.findall(r'<input id="id_(\w+)"[^>]* autofocus>', page) == [focused]
