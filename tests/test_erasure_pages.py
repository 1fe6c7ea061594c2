"""The pages of a client whose data were deleted say so, and one of them begins it."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command
from django.test import Client as Browser
from django.urls import reverse

from tasks import erasure
from tasks.models import Attempt
from tests.erasure_tools import CANARY, WHY, erase
from tests.factories import make_user

pytest_plugins = ["tests.erasure_fixtures"]
pytestmark = pytest.mark.django_db


def test_every_page_of_it_opens_and_says_that_it_was_deleted(world) -> None:
    browser = Browser()
    browser.force_login(make_user("root", is_staff=True, is_superuser=True))
    erase(world.client)
    for task in (world.done, world.failed, world.waiting):
        for name in ("task", "task_fragment"):
            answer = browser.get(reverse(name, args=(task.pk,)))
            assert (
                answer.status_code == 200
                and "All data of this client were deleted" in answer.content.decode()
            )
        extraction = (task.extraction_id,)
        assert (
            "All data of this client" in browser.get(reverse("extraction", args=extraction)).content.decode()
        )
        for name in ("extraction_fragment", "results_csv", "results_json", "refused_csv"):
            answer = browser.get(reverse(name, args=extraction))
            assert answer.status_code == 200 and "All data of this client" in answer.getvalue().decode()
        gone = [reverse("document_file", args=(task.document_id,)), reverse("task_result", args=(task.pk,))]
        gone += [reverse("attempt_log", args=(task.pk, attempt.pk)) for attempt in task.attempts.all()]
        for url in gone:
            answer = browser.get(url)
            assert answer.status_code == 410 and "What it cost stays" in answer.content.decode()
        for model, row in (
            ("task", task.pk),
            ("document", task.document_id),
            ("extraction", task.extraction_id),
        ):
            assert browser.get(reverse(f"admin:tasks_{model}_change", args=(row,))).status_code == 200
    for attempt in Attempt.objects.filter(client=world.client):
        assert browser.get(reverse("admin:tasks_attempt_change", args=(attempt.pk,))).status_code == 200
    of_client = f"?client={world.client.pk}"
    for name in (
        "home",
        "extractions",
        "operations",
        "operations_fragment",
        "operations_csv",
        "operations_tasks",
        "costs",
        "costs_csv",
    ):
        answer = browser.get(reverse(name) + of_client)
        assert answer.status_code == 200 and CANARY not in answer.getvalue().decode()
    for name in ("task", "document", "attempt", "extraction", "client"):
        assert browser.get(reverse(f"admin:tasks_{name}_changelist")).status_code == 200
    assert b"Nordwind" not in browser.get(reverse("upload")).content


def test_the_page_asks_for_name_and_reason_and_begins_it(world) -> None:
    browser, url = Browser(), reverse("admin:tasks_client_erase", args=(world.client.pk,))
    browser.force_login(make_user("root", is_staff=True, is_superuser=True))
    assert url in browser.get(reverse("admin:tasks_client_change", args=(world.client.pk,))).content.decode()
    shown = browser.get(url).content.decode()
    assert "4 documents" in shown and "1 waiting task, which is cancelled" in shown
    wrong = browser.post(url, {"name": "Nordwind AG", "reason": WHY}).content.decode()
    assert "That is not the client&#x27;s name" in wrong
    assert browser.post(url, {"name": "Nordwind", "reason": ""}).status_code == 200
    assert not erasure.unfinished().exists()
    begun = browser.post(url, {"name": "Nordwind", "reason": WHY}, follow=True).content.decode()
    assert "The deletion has begun" in begun and erasure.unfinished().get() == world.client
    call_command("delete_client", "--open", stdout=io.StringIO())
    assert (
        "Everything was deleted on" in browser.get(url).content.decode() and not erasure.unfinished().exists()
    )
