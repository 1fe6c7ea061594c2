"""Two runs on one document: each difference and nothing else is shown, of what somebody may see, whatever was read."""

from __future__ import annotations

import copy
import re
import time
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client as Browser
from django.urls import reverse
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from dashboard import comparison
from dashboard.comparison import compared, only_differences
from tasks.models import Attempt, Extraction, Task
from tests.factories import (
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_completed,
    make_document,
    make_extraction,
    make_task,
    make_user,
    result_json,
)  # fmt: skip


@pytest.fixture
def world(db, client: Browser):
    """A document that was read twice, by two agents in two extractions; ann is an auditor of its client."""
    audited = make_client("Nordwind")
    document = make_document(audited, "invoice.pdf")
    old = make_completed(make_extraction(audited, make_agent("reader")), document, result=result_json())
    again = result_json(total="1299.00", supplier="Acme GmbH", confidence=0.7, needs_review=True)
    new = make_completed(make_extraction(audited, make_agent("better")), document, result=again)
    client.force_login(make_user("ann", "Auditor", clients=(audited,)))
    with override("en"):
        yield client, old, new


def url_of(task: Task) -> str:
    return reverse("task_compare", args=(task.pk,))


def shown(browser: Browser, url: str, **query: object) -> str:
    answer = browser.get(url, query)
    assert answer.status_code == 200
    return answer.content.decode()


def rows_of(page: str) -> list[tuple[str, str]]:
    """State and text of each row of the comparison."""
    found = re.findall(r'<tr data-state="(\w+)">(.*?)</tr>', page, re.DOTALL)
    return [(state, " ".join(re.sub(r"<[^>]+>", " ", text).split())) for state, text in found]


def line(*values: str | None, **reasons: tuple[str, ...]) -> dict[str, Any]:
    names = ("description", "amount")
    return {
        name: {"value": value, "confidence": 1.0, "reasons": list(reasons.get(name, ()))}
        for name, value in zip(names, values, strict=True)
    }


def result(*lines: dict[str, Any], number: str = "1", **values: str | None) -> dict[str, Any]:
    fields = {
        name: {"value": value, "confidence": 1.0, "reasons": []}
        for name, value in {"number": number, **values}.items()
    }
    return {"records": [{"kind": "invoice", "fields": fields, "lines": list(lines)}]}


def test_only_differences_are_shown_and_everything_when_asked(world) -> None:
    browser, _old, new = world
    page = shown(browser, url_of(new))
    [(state, text)] = rows_of(page)
    assert state == "changed" and "1,234.50" in text and "1,299.00" in text
    assert "95 %" in text and "70 %" in text and "Net and tax do not add up" in text
    assert ">1 difference<" in page and "values are the same and not shown" in page
    everything = {text.split()[0]: state for state, text in rows_of(shown(browser, url_of(new), all=1))}
    assert everything == {"Supplier": "same", "Total": "changed", "Due": "same", "1": "same"}


def test_the_latest_run_before_this_ones_is_chosen_and_either_can_be_changed(world) -> None:
    browser, old, new = world
    page = shown(browser, url_of(new))
    chosen = re.findall(r'<option value="([^"]+)" selected>', page)
    assert chosen == [str(old.result_attempt), str(new.result_attempt)]
    page = shown(browser, url_of(old))
    chosen = re.findall(r'<option value="([^"]+)" selected>', page)
    assert chosen == [str(new.result_attempt), str(old.result_attempt)], (
        "the other way round: this task is the second"
    )
    swapped = shown(browser, url_of(new), old=new.result_attempt, new=old.result_attempt)
    assert rows_of(swapped)[0][1].index("1,299.00") < rows_of(swapped)[0][1].index("1,234.50")
    same = shown(browser, url_of(new), old=new.result_attempt, new=new.result_attempt)
    assert "Both sides are the same run." in same and rows_of(same) == []


def test_the_pages_of_the_task_and_of_its_extraction_lead_there_where_there_is_something_to_compare(
    world,
) -> None:
    browser, old, new = world
    alone = make_completed(new.extraction, make_document(new.client, "alone.pdf"), result=result_json())
    for task in (old, new):
        assert url_of(task) in shown(browser, reverse("task", args=(task.pk,)))
        assert url_of(task) in shown(browser, reverse("extraction", args=(task.extraction_id,)))
    assert url_of(alone) not in shown(browser, reverse("task", args=(alone.pk,)))
    assert url_of(alone) not in shown(browser, reverse("extraction", args=(alone.extraction_id,)))
    assert "This document has one result so far." in shown(browser, url_of(alone))
    waiting = make_task(new.extraction, make_document(new.client, "waiting.pdf"))
    assert "No run on this document has a result." in shown(browser, url_of(waiting))


def test_runs_of_the_same_task_are_compared_too(world) -> None:
    browser, _old, new = world
    third = make_attempt(new, "completed", result=result_json(supplier="Other GmbH"), confidence=0.9)
    Attempt.objects.filter(pk=third.pk).update(generation=2)
    page = shown(browser, url_of(new), old=new.result_attempt, new=third.pk)
    assert [state for state, _ in rows_of(page)] == ["changed", "changed"]
    assert "attempt 2" in page


def test_what_somebody_may_not_see_is_not_there(world) -> None:
    browser, _old, new = world
    elsewhere = make_client("Elsewhere")
    theirs = make_completed(
        make_extraction(elsewhere, new.agent),
        make_document(elsewhere, "invoice.pdf", sha256=new.document.sha256),
        result=result_json(supplier="Their secret"),
    )
    assert browser.get(url_of(theirs)).status_code == 404
    assert browser.get(url_of(new), {"old": theirs.result_attempt}).status_code == 404
    assert str(theirs.result_attempt) not in shown(browser, url_of(new))
    for wrong in (uuid4(), "x", "\0", f"{new.result_attempt}'"):
        assert browser.get(url_of(new), {"new": wrong}).status_code == 404, wrong
    failed = make_attempt(new, "failed")
    assert browser.get(url_of(new), {"old": failed.pk}).status_code == 404, "it has no result"


def test_what_was_deleted_is_gone(world) -> None:
    browser, _old, new = world
    Extraction.objects.filter(pk=new.extraction_id).update(pruned_at=database_now())
    assert browser.get(url_of(new)).status_code == 410
    assert url_of(new) not in shown(browser, reverse("task", args=(new.pk,)))


def test_a_result_that_breaks_the_contract_is_told_and_breaks_nothing(world) -> None:
    browser, old, new = world
    Attempt.objects.filter(pk=old.result_attempt).update(result={"records": "none"})
    page = shown(browser, url_of(new))
    assert "breaks the contract" in page and {state for state, _ in rows_of(page)} == {"new"}


def test_two_runs_that_say_the_same_say_so(world) -> None:
    browser, old, new = world
    Attempt.objects.filter(pk=new.result_attempt).update(result=result_json(confidence=0.5))
    page = shown(browser, url_of(new))
    assert "No differences" in page and rows_of(page) == []
    assert {state for state, _ in rows_of(shown(browser, url_of(new), all=1))} == {"same"}
    assert old.pk != new.pk


def states(old: dict[str, Any], new: dict[str, Any]) -> dict[str, str]:
    return {cell.name: cell.state for pair in compared(old, new) for cell in pair.cells}


def test_a_field_is_the_same_changed_or_only_in_one() -> None:
    old = result(supplier="A", total="12.50", due_date=None, iban="X", net="1.0", tax="2")
    new = result(supplier="B", total="12.5", due_date="2026-01-02", net="1.00", tax=None, currency=None)
    assert states(old, new) == {
        "number": "same", "supplier": "changed", "total": "same", "due_date": "new", "iban": "old", "net": "same", "tax": "old",
        "currency": "same",
    }  # fmt: skip
    flagged = copy.deepcopy(old)
    flagged["records"][0]["fields"]["iban"]["reasons"] = ["Its check digits are wrong."]
    assert states(old, flagged)["iban"] == "flags"
    surer = copy.deepcopy(old)
    surer["records"][0]["fields"]["iban"]["confidence"] = 0.1
    assert only_differences(compared(old, surer)) == [], "confidence alone is no difference"
    assert states(result(number="007"), result(number="7"))["number"] == "changed", "only amounts are numbers"


def test_one_line_more_makes_no_other_line_different() -> None:
    lines = [line(f"item {number}", f"{number}.00") for number in range(30)]
    [pair] = compared(result(*lines), result(*lines[:10], line("new", "5"), *lines[10:20], *lines[21:]))
    assert [(one.number, one.state) for one in pair.lines if one.state != "same"] == [
        (11, "new"),
        (21, "old"),
    ]
    [pair] = compared(result(*lines), result(*lines[:3], line("item 3", "9.99"), *lines[4:]))
    [changed] = [one for one in pair.lines if one.state != "same"]
    assert [(cell.name, cell.state) for cell in changed.cells] == [
        ("description", "same"),
        ("amount", "changed"),
    ]
    [pair] = compared(result(line("a", "1")), result(line("a", "1", amount=("Look.",))))
    assert [one.state for one in pair.lines] == ["flags"]


def test_many_lines_are_compared_in_time(monkeypatch) -> None:
    monkeypatch.setattr(comparison, "MOST_ALIGNED", 2)
    lines = [line(str(number), "1") for number in range(4)]
    [pair] = compared(result(*lines), result(*lines[1:]))
    assert [one.state for one in pair.lines] == ["changed", "changed", "changed", "old"]


def test_lines_that_repeat_each_other_are_compared_in_time() -> None:
    """Each between two others in one run and beside each other in the other one: 800 took 13 s, 2,000 minutes."""
    same, number = line("Fee", "1"), 800
    mixed = [same if place % 2 else line(str(place), "2") for place in range(number)]
    began = time.monotonic()
    compared(result(*[same] * number), result(*mixed))
    assert time.monotonic() - began < 3


def test_lines_that_come_every_month_are_still_found_again_after_one_more() -> None:
    months = [line(str(place % 50), "1") for place in range(300)]
    [pair] = compared(result(*months), result(line("new", "2"), *months))
    assert [one.state for one in pair.lines if one.state != "same"] == ["new"]


def test_records_of_one_number_belong_together_and_the_rest_by_order() -> None:
    def records(*numbers: str) -> dict[str, Any]:
        return {"records": [result(number=number)["records"][0] for number in numbers]}

    def told(old: tuple[str, ...], new: tuple[str, ...]) -> list[tuple[Any, Any]]:
        return [
            tuple(cell and cell["value"] for cell in (pair.cells[0].old, pair.cells[0].new))
            for pair in compared(records(*old), records(*new))
        ]

    assert told(("1", "2", "3"), ("3", "1", "2")) == [("1", "1"), ("2", "2"), ("3", "3")]
    assert told(("1", "2"), ("1", "8", "2", "9")) == [("1", "1"), ("2", "2"), (None, "8"), (None, "9")]
    assert told(("1", "2"), ("9",)) == [("1", "9"), ("2", None)]
    assert told(("1", "1"), ("1", "1")) == [("1", "1"), ("1", "1")]
    assert told((), ()) == []


VALUES = st.one_of(st.none(), st.sampled_from(["a", "b", "1.0", "1"]))
LINES = st.lists(st.tuples(VALUES, VALUES).map(lambda values: line(*values)), max_size=6)


@given(LINES, LINES)
def test_every_line_of_either_run_is_there_once_and_in_its_order(old, new) -> None:
    for pair in compared(result(*old), result(*new)):
        for side, wanted in (("old", old), ("new", new)):
            there = [
                {cell.name: getattr(cell, side) for cell in one.cells}
                for one in pair.lines
                if any(getattr(cell, side) for cell in one.cells)
            ]
            assert there == wanted
    assert only_differences(compared(result(*old), result(*old))) == []


def test_germans_compare_in_german(world) -> None:
    browser, _old, new = world
    browser.cookies["django_language"] = "de"
    page = shown(browser, url_of(new))
    assert "1 Unterschied" in page and "Geändert" in page and "1.299,00" in page
