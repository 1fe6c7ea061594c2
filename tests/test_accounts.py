"""People change the password that they sign in with themselves, and find no such page where no password lets them in."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client as Browser
from django.urls import reverse

from tests.factories import PASSWORD, make_user

ANNA = {"X-Forwarded-Email": "anna@example.com"}
NEW = "quite-another-9-horses"


def change(browser: Browser, old: str, new: str, again: str | None = None) -> str:
    typed = {"old_password": old, "new_password1": new, "new_password2": again or new}
    return browser.post(reverse("password_change"), typed, follow=True).content.decode()


@pytest.fixture
def alice(db, client: Browser) -> Browser:
    make_user("alice", "Auditor")
    assert client.login(username="alice", password=PASSWORD)
    return client


def test_a_password_is_changed_and_ends_the_sessions_elsewhere(alice: Browser) -> None:
    elsewhere = Browser()
    assert elsewhere.login(username="alice", password=PASSWORD)
    assert reverse("password_change") in alice.get("/").content.decode()
    assert "Your password is changed." in change(alice, PASSWORD, NEW)
    assert alice.get("/").status_code == 200 and elsewhere.get("/").status_code == 302
    assert not Browser().login(username="alice", password=PASSWORD)
    assert Browser().login(username="alice", password=NEW)


@pytest.mark.parametrize(
    ("old", "new", "again"), [("wrong", NEW, None), (PASSWORD, "short", None), (PASSWORD, NEW, NEW + "x")]
)
def test_a_wrong_old_one_a_weak_one_and_a_slip_are_said_where_they_were_typed(
    alice: Browser, old: str, new: str, again: str | None
) -> None:
    page = change(alice, old, new, again)
    assert page.count('aria-invalid="true"') == 1 and 'class="errorlist"' in page
    assert Browser().login(username="alice", password=PASSWORD)


def test_whoever_signs_in_by_other_means_is_offered_none(db, settings, client: Browser) -> None:
    settings.TRUST_DATABRICKS_IDENTITY, settings.DATABRICKS_APP_NAME = True, "agentaudit"
    make_user("anna@example.com", "Auditor")
    browser = Browser(headers=ANNA)
    assert reverse("password_change") not in browser.get("/").content.decode()
    assert browser.get(reverse("password_change")).status_code == 404
    settings.TRUST_DATABRICKS_IDENTITY = False
    ben = User.objects.create_user("ben")
    client.force_login(ben)
    assert reverse("password_change") not in client.get("/").content.decode()
    assert client.get(reverse("password_change")).status_code == 404
