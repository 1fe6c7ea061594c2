"""Whoever fails to sign in too often has to wait: by name and address, on both pages, for a told time, and nobody else with them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings as django_settings
from django.test import AsyncClient
from django.test import Client as Browser
from django.urls import reverse
from django.utils import timezone

from tasks.models import AuditEntry
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db
TOO_OFTEN = re.compile(
    r"Too many attempts to sign in as ann have failed from here. Try again in (\d+) minutes?;"
)
PAGES = ["login", "admin:login"]


@pytest.fixture
def ann():
    return make_user("ann", "Operator", is_staff=True)


def attempt(
    browser: Browser, page: str = "login", password: str = "wrong", name: str = "ann", **where: str
) -> str:
    answer = browser.post(reverse(page), {"username": name, "password": password}, **where)
    return "in" if answer.status_code == 302 else answer.content.decode()


def fail(browser: Browser, times: int = django_settings.AXES_FAILURE_LIMIT, **how: str) -> str:
    return [attempt(browser, **how) for _ in range(times)][-1]


@pytest.mark.parametrize("page", PAGES)
def test_after_ten_failures_even_the_right_password_waits_and_the_page_says_how_long(
    ann, client, page: str
) -> None:
    assert not TOO_OFTEN.search(fail(client, 9, page=page))
    assert attempt(client, page=page, password=PASSWORD) == "in", "nine are no reason"
    client.logout()
    assert TOO_OFTEN.search(fail(client, page=page))[1] == "15"
    for other in PAGES:
        assert TOO_OFTEN.search(attempt(client, page=other, password=PASSWORD)), (
            "one page is no way around the other"
        )
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=11, seconds=30))
    assert TOO_OFTEN.search(attempt(client, page=page, password=PASSWORD))[1] == "4", (
        "who goes on waits no longer"
    )
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=15, seconds=1))
    assert attempt(client, page=page, password=PASSWORD) == "in"
    assert (
        not AccessAttempt.objects.exists()
        and not AccessLog.objects.exists()
        and not AccessFailureLog.objects.exists()
    )


def test_nobody_else_waits_and_neither_does_she_elsewhere(ann, client) -> None:
    make_user("ben")
    fail(client)
    assert attempt(client, name="ben", password=PASSWORD) == "in"
    client.logout()
    assert attempt(client, password=PASSWORD, REMOTE_ADDR="192.0.2.7") == "in"


def test_another_browser_or_header_is_no_way_around_it(ann, client) -> None:
    for number in range(10):
        attempt(client, HTTP_USER_AGENT=f"browser {number}", HTTP_X_FORWARDED_FOR=f"192.0.2.{number}")
    assert TOO_OFTEN.search(attempt(client, password=PASSWORD))
    assert {row.ip_address for row in AccessAttempt.objects.all()} == {"127.0.0.1"}


def test_behind_a_trusted_proxy_the_address_is_what_it_saw(ann, client, settings) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    for number in range(10):  # what comes before the proxy's own word, anybody can write
        attempt(client, HTTP_X_FORWARDED_FOR=f"203.0.113.{number}, 192.0.2.7")
    assert TOO_OFTEN.search(
        attempt(client, password=PASSWORD, HTTP_X_FORWARDED_FOR="198.51.100.1, 192.0.2.7")
    )
    assert attempt(client, password=PASSWORD, HTTP_X_FORWARDED_FOR="192.0.2.8") == "in"
    for nonsense in ("", "unknown", "192.0.2.8:443", "\x00", "1" * 500, "fe80::1%eth0"):
        assert attempt(Browser(), HTTP_X_FORWARDED_FOR=nonsense)


def test_no_password_is_kept_and_no_name_too_long_or_odd_breaks_anything(ann, client) -> None:
    for name in ("ann", "x" * 400, "\0", "Ünï", "", "ann "):
        assert attempt(client, name=name, password="secret-canary")
    assert TOO_OFTEN.pattern.split("ann")[0] in fail(client, name="x" * 400), (
        "a name that nobody can have waits, too"
    )
    kept = " ".join(str(vars(row)) for row in AccessAttempt.objects.all())
    assert "secret-canary" not in kept


def test_operators_let_somebody_in_sooner_and_others_do_not(ann, client) -> None:
    fail(client)
    [row] = AccessAttempt.objects.all()
    url = reverse("admin:axes_accessattempt_changelist")
    given = {"action": "unlock", "_selected_action": [row.pk], "confirmed": "1", "reason": "she called"}
    desk = Browser()
    desk.force_login(make_user("otto", "Operator (read only)", is_staff=True))
    assert "ann" in desk.get(url).content.decode() and desk.post(url, given).status_code == 403
    desk.force_login(make_user("olga", "Operator", is_staff=True))
    page = desk.get(url).content.decode()
    assert "Let them try again at once" in page and "127.0.0.1" in page
    assert "1 done" in desk.post(url, given, follow=True).content.decode()
    assert attempt(client, password=PASSWORD) == "in"
    entry = AuditEntry.objects.get(verb="unlock")
    assert (entry.actor_name, entry.reason, entry.before) == ("olga", "she called", {"username": "ann"})
    desk.force_login(make_user("ada", "Auditor", is_staff=True))
    assert desk.get(url).status_code == 403


def test_signing_in_without_a_form_never_waits(ann, client) -> None:
    fail(client)
    client.force_login(ann)
    assert "Signed in as ann" in client.get(reverse("home")).content.decode()
    fail(Browser())
    assert Browser().login(username="ann", password=PASSWORD), "a command comes from no address"


def test_it_works_under_asgi_as_well(ann, settings) -> None:
    settings.AXES_FAILURE_LIMIT = 2

    async def tried() -> str:
        browser = AsyncClient()
        for _ in range(2):
            answer = await browser.post(reverse("login"), {"username": "ann", "password": "wrong"})
        return answer.content.decode()

    assert TOO_OFTEN.search(async_to_sync(tried)())


def test_germans_wait_in_german(ann, client) -> None:
    client.cookies["django_language"] = "de"
    assert "Zu viele Versuche, sich als ann anzumelden, sind von hier aus fehlgeschlagen" in fail(client)
