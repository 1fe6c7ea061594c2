"""Pages of an installation in which nothing happened yet: each says what it would show and leads to the next step, and nothing that is known is a dash."""

from __future__ import annotations

import pytest
from django.test import Client as Browser
from django.urls import reverse

from tests.factories import make_agent, make_client, make_document, make_extraction, make_task, make_user


@pytest.fixture
def root(db, client: Browser) -> Browser:
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    return client


def shown(browser: Browser, name: str, **query: str) -> str:
    return browser.get(reverse(name), query).content.decode()


def test_a_list_without_tasks_leads_to_the_first_and_a_narrow_one_to_all(root: Browser) -> None:
    """It offered to show all where there was nothing, and by "all" it meant the last seven days."""
    page = shown(root, "operations_tasks", last="all")
    assert "No tasks yet" in page and f'href="{reverse("upload")}"' in page.split("<main")[1]
    for narrow in ({}, {"last": "all", "status": "failed"}, {"q": "4711"}):
        page = shown(root, "operations_tasks", **narrow)
        assert "Nothing matches" in page and f'href="{reverse("operations_tasks")}?last=all"' in page


def test_whoever_may_make_clients_is_led_there_from_an_upload_without_any(root: Browser) -> None:
    page = shown(root, "upload")
    for view in ("client_add", "membership_add"):
        assert f'href="{reverse(f"admin:tasks_{view}")}"' in page
    assert "Ask an operator" not in page
    auditor = Browser()
    auditor.force_login(make_user("ann", "Auditor"))
    page = shown(auditor, "upload")
    assert "Ask an operator to add you." in page and "/admin/" not in page


def test_what_was_never_tried_has_used_nothing_which_is_known(root: Browser) -> None:
    def figures() -> str:
        page = shown(root, "operations")
        return page[page.index('id="tile-tokens"') : page.index('id="tile-response"')]

    make_task(make_extraction(make_client(), make_agent()), make_document(make_client()))
    assert "—" not in figures() and figures().count("0.00\u202fUSD") == 2


def test_costs_of_a_month_without_any_do_not_offer_that_month(root: Browser) -> None:
    assert "Show this month" not in shown(root, "costs")
    assert "Show this month" in shown(root, "costs", period="last-month")
