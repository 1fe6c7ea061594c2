"""The identity header of Databricks Apps: ignored unless the setting and the platform both say so; then it is the login."""

from __future__ import annotations

import asyncio

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import MiddlewareNotUsed
from django.test import AsyncClient, Client
from django.urls import reverse

from agentaudit import checks, identity

pytestmark = pytest.mark.django_db
ANNA = {"X-Forwarded-Email": "Anna@Example.com"}


@pytest.fixture
def trusted(settings) -> None:
    settings.TRUST_DATABRICKS_IDENTITY, settings.DATABRICKS_APP_NAME = True, "agentaudit"


@pytest.mark.parametrize(("trust", "app"), [(False, ""), (True, ""), (False, "agentaudit")])
def test_the_header_is_nothing_unless_both_say_so(settings, trust, app):
    settings.TRUST_DATABRICKS_IDENTITY, settings.DATABRICKS_APP_NAME = trust, app
    with pytest.raises(MiddlewareNotUsed):
        identity.DatabricksIdentity(lambda request: None)
    assert Client().get("/", headers=ANNA).status_code == 302
    assert not User.objects.exists()


def test_trust_elsewhere_stops_every_command(settings):
    settings.TRUST_DATABRICKS_IDENTITY, settings.DATABRICKS_APP_NAME = True, ""
    assert [message.id for message in checks.identities_come_from_the_platform()] == ["agentaudit.E006"]
    settings.DATABRICKS_APP_NAME, settings.PUBLIC_URL = "agentaudit", "http://127.0.0.1:8000"
    assert [message.id for message in checks.identities_come_from_the_platform()] == ["agentaudit.W002"]


def test_the_first_visit_makes_a_user_without_password_in_the_named_groups(trusted, settings):
    settings.IDENTITY_GROUPS = ["Auditor", "Finance"]
    assert Client().get("/", headers=ANNA).status_code == 200
    anna = User.objects.get()
    assert (anna.username, anna.email) == ("anna@example.com", "anna@example.com")
    assert not anna.has_usable_password() and not anna.is_staff and not anna.is_superuser
    assert set(anna.groups.values_list("name", flat=True)) == {"Auditor", "Finance"}


def test_roles_that_were_changed_since_are_not_put_back(trusted):
    Client().get("/", headers=ANNA)
    User.objects.get().groups.clear()
    Client().get("/", headers=ANNA)
    assert User.objects.get().groups.count() == 0


def test_a_session_belongs_to_the_person_in_the_header(trusted):
    browser = Client()
    browser.get("/", headers=ANNA)
    browser.get("/", headers={"X-Forwarded-Email": "ben@example.com"})
    assert User.objects.get(pk=browser.session["_auth_user_id"]).username == "ben@example.com"
    assert browser.get("/").status_code == 302
    assert "_auth_user_id" not in browser.session


def test_a_session_of_the_same_person_is_kept(trusted):
    browser = Client()
    browser.get("/", headers=ANNA)
    key = browser.session.session_key
    browser.get("/", headers=ANNA)
    assert browser.session.session_key == key


def test_one_who_was_switched_off_stays_out(trusted):
    Client().get("/", headers=ANNA)
    User.objects.update(is_active=False)
    assert Client().get("/", headers=ANNA).status_code == 403


def test_admins_are_those_that_the_setting_names(trusted, settings):
    settings.IDENTITY_ADMINS = ["anna@example.com"]
    Client().get("/", headers=ANNA)
    Client().get("/", headers={"X-Forwarded-Email": "ben@example.com"})
    assert dict(User.objects.values_list("username", "is_superuser")) == {
        "anna@example.com": True,
        "ben@example.com": False,
    }


@pytest.mark.parametrize(
    "value",
    [
        "",
        "nobody",
        "a" * 150 + "@example.com",
        "a\0@example.com",
        "a\ud800@example.com",
        "eve@example.com, anna@example.com",
        "<b>@example.com",
        "@",
    ],
)
def test_what_is_no_address_is_nobody(trusted, value):
    assert Client().get("/", headers={"X-Forwarded-Email": value}).status_code == 302
    assert not User.objects.exists()


def test_callbacks_and_health_make_no_users(trusted):
    assert Client().get(reverse("healthz"), headers=ANNA).status_code in (200, 503)
    Client().post("/webhooks/attempts/00000000-0000-0000-0000-000000000000/", headers=ANNA)
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_under_asgi_it_is_the_same(trusted):
    response = asyncio.run(AsyncClient().get("/", headers=ANNA))
    assert response.status_code == 200 and User.objects.get().username == "anna@example.com"
