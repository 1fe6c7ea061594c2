"""A stored result that breaks the contract takes no page with it: it is shown as it stands, with what is wrong with it."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client as Browser
from django.urls import reverse

from tasks import results
from tasks.management import rows
from tasks.models import Attempt, Task
from tests.factories import result_json

pytest_plugins = ["tests.sheet_fixtures"]


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    """A result with something else in this place."""
    result = deepcopy(result_json())
    *way, last = path
    place: Any = result
    for step in way:
        place = place[step]
    place[last] = to
    return result


def without(name: str, value: dict[str, Any]) -> dict[str, Any]:
    return {key: kept for key, kept in value.items() if key != name}


TOTAL = result_json()["records"][0]["fields"]["total"]
ODD = [
    [], "text", 5, True, {"records": 5}, {"records": {"a": 1}}, {"records": [5]}, {"records": [None]}, {"records": [{}]}, {"records": [{"kind": "invoice"}]},
    {"reasons": 5}, {"reasons": [5]}, {"notes": {"a": 1}}, changed("reasons", to="text"), changed("records", 0, "fields", to=[]),
    changed("records", 0, "fields", "total", to=5), changed("records", 0, "fields", "total", to={}), changed("records", 0, "fields", "total", "value", to={"a": 1}),
    changed("records", 0, "fields", "total", "value", to=[1]), changed("records", 0, "fields", "total", "value", to=1.5), changed("records", 0, "fields", "total", "confidence", to="high"),
    changed("records", 0, "fields", "total", to=without("confidence", TOTAL)), changed("records", 0, "fields", "total", "reasons", to=5),
    changed("records", 0, "fields", "total", "evidence", to=[{}]), changed("records", 0, "fields", "total", "evidence", to=[{"page": 1, "quote": "x", "box": [0, 0, 1, 1]}]),
    changed("records", 0, "fields", "total", "evidence", to=[{"page": "one", "quote": "x", "box": {"x0": 0, "y0": 0, "x1": 1, "y1": 1}}]),
    changed("records", 0, "lines", to=5), changed("records", 0, "lines", to=[5]), changed("records", 0, "lines", to=[{"amount": 5}]),
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=[json.dumps(odd)[-60:] for odd in ODD])
def test_a_result_that_breaks_the_contract_is_said_to_and_shown_as_it_stands(
    auditor: Browser, task: Task, odd: Any
) -> None:
    Attempt.objects.filter(pk=task.result_attempt).update(result=odd)
    said = results.fault(odd)
    assert "breaks the contract" in said
    page = auditor.get(reverse("task", args=(task.pk,))).content.decode()
    assert "breaks the contract" in page and '<details id="fold-result" open>' in page
    assert "breaks the contract" in auditor.get(reverse("sheet", args=(task.pk, 1))).content.decode()
    of_extraction = (task.extraction_id,)
    assert auditor.get(reverse("extraction", args=of_extraction)).status_code == 200
    assert "breaks the contract" in taken(auditor, "results_csv", of_extraction).decode()
    assert taken(auditor, "results_xlsx", of_extraction)[:2] == b"PK"
    assert json.loads(taken(auditor, "results_json", of_extraction))["documents"][0]["result"] == odd
    assert json.loads(taken(auditor, "task_result", (task.pk,))) == odd
    [row] = rows.of_tasks([(task, "a.pdf")])
    assert row.message == said and row.result == odd


LONGER = changed("records", 0, "fields", "total", to=TOTAL | {"quotes": 2, "reasons": ["x" * 301]})


@pytest.mark.parametrize("result", [{}, result_json(), {"schema": "older", "records": []}, LONGER])
def test_what_can_be_shown_is_shown(auditor: Browser, task: Task, result: Any) -> None:
    Attempt.objects.filter(pk=task.result_attempt).update(result=result)
    assert not results.fault(result) and results.shown(result) == result
    page = auditor.get(reverse("task", args=(task.pk,))).content.decode()
    assert "breaks the contract" not in page and '<details id="fold-result" open>' not in page


def taken(auditor: Browser, name: str, args: tuple[int]) -> bytes:
    answer = auditor.get(reverse(name, args=args))
    assert answer.status_code == 200
    return answer.getvalue()
