"""What makes pages a place to work at: views under names of one's own, lists that do not move by themselves, an end that is told."""

from __future__ import annotations

import re

import pytest
from django.test import Client as Browser
from django.urls import reverse

from dashboard import saved, summary
from tasks.models import ExtractionWatch, SavedView, Task
from tests.factories import make_agent, make_client, make_extraction, make_task, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_numbers():
    summary.shared.clear()
    yield
    summary.shared.clear()


def signed_in(name: str = "bob", *groups: str, **fields: object) -> Browser:
    browser = Browser()
    browser.force_login(make_user(name, *groups or ("Operator",), **fields))  # type: ignore[arg-type]
    return browser


# Views


def test_a_view_keeps_the_filter_and_nothing_else_of_the_address() -> None:
    browser = signed_in()
    given = {"page": "operations", "name": "Failed", "query": "utm=1&status=failed&last=30d&after=f.1.2"}
    answer = browser.post(reverse("view_save"), given, follow=True)
    page = answer.content.decode()
    assert SavedView.objects.get().query == "last=30d&status=failed"
    assert answer.redirect_chain == [(reverse("operations") + "?last=30d&status=failed", 302)]
    assert re.search(
        r'class="chip" href="/operations/\?last=30d&amp;status=failed" aria-current="true">Failed<', page
    )
    assert "Failed" not in re.findall(r'class="chip"[^>]*>([^<]*)', browser.get(reverse("operations_tasks")).content.decode())  # fmt: skip


def test_a_name_that_is_used_again_means_the_new_filter_and_others_see_none_of_it() -> None:
    browser = signed_in()
    for query in ("status=failed", "status=review"):
        browser.post(reverse("view_save"), {"page": "operations_tasks", "name": "Look", "query": query})
    assert [view.query for view in SavedView.objects.all()] == ["status=review"]
    other = signed_in("eve")
    assert "Look" not in other.get(reverse("operations_tasks")).content.decode()
    assert other.post(reverse("view_forget", args=(SavedView.objects.get().pk,))).status_code == 404
    browser.post(reverse("view_forget", args=(SavedView.objects.get().pk,)))
    assert not SavedView.objects.exists()


def test_a_view_without_a_name_or_beyond_the_last_is_refused_in_words(monkeypatch) -> None:
    browser = signed_in()
    monkeypatch.setattr(saved, "MOST", 1)
    for name, words in (("", "needs a name"), ("one", "is saved"), ("one", "is saved"), ("two", "1 views")):
        answer = browser.post(
            reverse("view_save"), {"page": "operations", "name": name, "query": ""}, follow=True
        )
        assert words in answer.content.decode()
    answer = browser.post(reverse("view_save"), {"page": "https://evil.example", "name": "x", "query": ""})
    assert answer.url == reverse("operations")


# Lists


def news(browser: Browser, page: str, query: str = "") -> str:
    address = re.search(r'data-live-url="([^"]+)"', page)[1]  # type: ignore[index]
    summary.shared.clear()
    return browser.get(address + query).content.decode()


def test_the_list_says_what_is_new_instead_of_moving_under_the_pointer() -> None:
    browser, extraction = signed_in(), make_extraction(make_client(), make_agent())
    first = make_task(extraction)
    page = browser.get(reverse("operations_tasks") + "?status=enqueued").content.decode()
    assert "pill" not in news(browser, page, "?status=enqueued")
    make_task(extraction)
    make_task(extraction)
    told = news(browser, page, "?status=enqueued")
    assert "2 new tasks" in told and 'href="/operations/tasks/?status=enqueued"' in told
    Task.objects.exclude(pk=first.pk).delete()
    Task.objects.filter(pk=first.pk).update(attempts_made=1)
    assert "has changed" in news(browser, page, "?status=enqueued")


# Extractions


def test_who_wants_to_be_told_is_kept_until_they_do_not_and_only_of_what_they_may_see(settings) -> None:
    settings.CAN_MAIL = True
    extraction = make_extraction(make_client(), make_agent())
    make_task(extraction)
    url = reverse("extraction_await", args=(extraction.pk,))
    browser = signed_in("alice", "Auditor", clients=(extraction.client,), email="alice@example.com")
    for _twice in range(2):
        page = browser.post(url, {"wanted": "1"}, follow=True).content.decode()
    assert ExtractionWatch.objects.get().user.username == "alice"
    assert "You get an e-mail" in page and "data-while-hidden" in page
    browser.post(url)
    assert not ExtractionWatch.objects.exists()
    assert signed_in("mallory", "Auditor").post(url, {"wanted": "1"}).status_code == 404
    settings.CAN_MAIL = False
    assert "e-mail" not in browser.post(url, {"wanted": "1"}, follow=True).content.decode()
