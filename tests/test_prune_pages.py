"""The pages and exports of an extraction that was pruned say when, and offer nothing that cannot work."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import openpyxl
import pytest
from django.test import Client as Browser
from django.urls import reverse

from dashboard import exports, queries, summary
from dashboard.filters import Filters
from tasks import rollup
from tasks.models import Attempt, Document, Extraction, Task
from tests.erasure_tools import CANARY
from tests.factories import make_user
from tests.prune_tools import prune

pytest_plugins = ["tests.erasure_fixtures", "tests.prune_fixtures"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def root(ages) -> Browser:
    browser = Browser()
    browser.force_login(make_user("root", is_staff=True, is_superuser=True))
    return browser


@pytest.fixture
def said(ages, root) -> str:
    """After the pruning: what is said of it."""
    assert prune(ages.client).extractions == 1
    day = Extraction.objects.get(pk=ages.old.pk).pruned_at.strftime("%Y-%m-%d")
    return f"The documents and results of this extraction were deleted on {day}, after their retention time."


def shown(browser: Browser, name: str, *args: object) -> str:
    answer = browser.get(reverse(name, args=args))
    assert answer.status_code == 200
    return answer.getvalue().decode()


def test_before_its_pruning_everything_is_offered(ages, root) -> None:
    assert "retry-failed" in shown(root, "extraction", ages.old.pk)
    task = shown(root, "task", ages.done.pk)
    for offered in ('id="download"', 'id="do-reprocess"', 'id="result-file"', 'id="log-1"'):
        assert offered in task
    assert root.get(reverse("document_file", args=(ages.done.document_id,))).status_code == 200


def test_every_page_of_it_opens_and_says_so_without_buttons_that_cannot_work(ages, root, said) -> None:
    for name in ("extraction", "extraction_fragment"):
        page = shown(root, name, ages.old.pk)
        assert said in page and CANARY not in page
        for gone in ("retry-failed", "cancel-waiting", "password-"):
            assert gone not in page
    for task in Task.objects.filter(extraction=ages.old):
        for name in ("task", "task_fragment"):
            page = shown(root, name, task.pk)
            assert said in page and "What was read is not kept any more." in page and CANARY not in page
            for gone in ('id="download"', 'id="do-', 'id="result-file"', 'id="log', 'id="data"'):
                assert gone not in page
    assert said not in shown(root, "extraction", ages.young.pk)


def test_what_is_downloaded_from_it_is_gone_in_words(ages, root, said) -> None:
    attempt = Attempt.objects.get(task=ages.done)
    gone = [("document_file", ages.done.document_id), ("task_result", ages.done.pk), ("attempt_log", ages.done.pk, attempt.pk)]  # fmt: skip
    for name, *args in gone:
        answer = root.get(reverse(name, args=args))
        assert answer.status_code == 410 and said in answer.content.decode()
    young = ages.young.tasks.get()
    assert root.get(reverse("document_file", args=(young.document_id,))).status_code == 200


def test_exports_say_so(ages, root, said) -> None:
    lines = list(csv.DictReader(io.StringIO(shown(root, "results_csv", ages.old.pk).removeprefix("\ufeff"))))
    assert len(lines) == 3 and all(line["reasons"].startswith(said) for line in lines)
    told = json.loads(shown(root, "results_json", ages.old.pk))
    assert told["note"].startswith(said) and told["pruned_at"]
    assert [document["result"] for document in told["documents"]] == [None] * 3
    assert said in shown(root, "refused_csv", ages.old.pk)
    assert "note" not in json.loads(shown(root, "results_json", ages.young.pk))


@pytest.mark.parametrize(("name", "readings"), [("results_csv", 2), ("results_xlsx", 2), ("results_json", 1)])
def test_an_export_that_a_pruning_overtakes_says_so(
    ages, root, monkeypatch, name: str, readings: int
) -> None:
    """The names of its columns are read first, and its rows after that."""
    monkeypatch.setattr(exports, "CHUNK", 1)
    real, calls = exports.page_of, []

    def overtaken(ids: list[int]) -> Any:
        calls.append(ids)
        if calls.count(calls[0]) == readings and ids == calls[0]:
            assert prune(ages.client).extractions == 1
        return real(ids)

    monkeypatch.setattr(exports, "page_of", overtaken)
    content = root.get(reverse(name, args=(ages.old.pk,))).getvalue()
    if name == "results_xlsx":
        sheet = openpyxl.load_workbook(io.BytesIO(content)).worksheets[0]
        text = " ".join(str(cell) for row in sheet.values for cell in row)
    else:
        text = content.decode()
    assert "were deleted on" in text
    if name == "results_json":
        assert [document["result"] for document in json.loads(text)["documents"]] == [None] * 3
    else:
        assert CANARY not in text


def test_an_extraction_of_which_nothing_was_read_says_so_too(ages, root) -> None:
    empty = Extraction.objects.create(client=ages.client, agent=ages.old.agent, priority=10)
    Extraction.objects.filter(pk=empty.pk).update(created_at=ages.done.finished_at.replace(year=2020))
    prune()
    page = shown(root, "extraction", empty.pk)
    assert "after their retention time" in page and "Nothing was handed in" not in page


def test_what_is_gone_needs_no_review_anywhere(ages, root) -> None:
    """Lists, tiles, sums, counts and exports say the same before and after."""
    Task.objects.filter(pk__in=[ages.done.pk, ages.others.tasks.get().pk]).update(needs_review=True)

    def needed() -> list[int]:
        rollup.step()
        filters = Filters(last="all", status="review", client=ages.client.pk)
        counted = queries.counts_of([ages.old.pk])[ages.old.pk]
        lines = csv.DictReader(io.StringIO(shown(root, "results_csv", ages.old.pk).removeprefix("\ufeff")))
        document = json.loads(shown(root, "results_json", ages.old.pk))["documents"][0]
        found = root.get(
            reverse("operations_tasks"), {"status": "review", "client": ages.client.pk, "last": "all"}
        )
        return [
            summary.make(filters).totals.tasks, counted.review, sum(line["needs review"] == "1" for line in lines),
            int(document["needs_review"]), found.content.decode().count(f'href="{reverse("task", args=(ages.done.pk,))}"'),
        ]  # fmt: skip

    assert needed() == [1] * 5
    assert prune(ages.client).extractions == 1
    assert needed() == [0] * 5
    assert Task.objects.get(pk=ages.others.tasks.get().pk).needs_review, "of others nothing changes"


def test_a_retry_from_its_page_is_refused_in_words(ages, root, said) -> None:
    for verb in ("retry", "reprocess"):
        url = reverse("task_operate", args=(ages.failed.pk, verb))
        answer = root.post(url, follow=True).content.decode()
        assert "its document and result were deleted after their retention time" in answer


def test_lists_and_the_admin_show_it_like_any_other(ages, root, said) -> None:
    for name in ("home", "extractions", "operations", "operations_tasks", "costs"):
        assert CANARY not in shown(root, name)
    rows = (
        ("extraction", ages.old.pk), ("task", ages.done.pk), ("document", ages.done.document_id), ("attempt", ages.done.result_attempt),
    )  # fmt: skip
    for model, pk in rows:
        assert CANARY not in shown(root, f"admin:tasks_{model}_change", pk)
    assert Document.objects.get(pk=ages.done.document_id).pages == 1
