"""`manage.py demo` and `manage.py bench`: their figures come from real runs, and a wrong one is noticed."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import psycopg
import pytest
from django.conf import settings as configured
from django.db import connection

from tasks.bench import BENCHES, evidence
from tasks.bench.place import _url, own_place
from tasks.management.commands.demo import differences
from tasks.management.rows import Row
from tests.commands import SAMPLES

EXPECTED = json.loads((SAMPLES / "expected.json").read_text())


@pytest.fixture(scope="module")
def shown(place) -> dict:
    """What the demo prints as JSON the first time."""
    run = place.run("demo", "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    return json.loads(run.stdout)


def test_ten_documents_end_as_expected_and_again_the_second_time(place, shown):
    assert shown["expected"] == shown["of"] == len(shown["documents"]) == len(EXPECTED) == 10
    before = place.ask("Task.objects.count()")
    assert before >= 8, "most of them go through the queue"
    second = place.run("demo")
    assert second.returncode == 0, second.stdout + second.stderr
    assert "10 of 10 documents ended as expected." in second.stdout and "make run" in second.stdout
    assert place.ask("Task.objects.count()") == 2 * before, "they were read again"
    assert place.ask("sorted(set(t.client.name for t in Task.objects.all()))") == ["Demo"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"state": "failed", "code": "crashed"}, "error:crashed instead of result"),
        ({"state": "enqueued"}, "enqueued instead of result"),
        ({"needs_review": True}, "review instead of result"),
        ({"kind": "receipt"}, "kind is 'receipt'"),
        ({"flagged": ["total"]}, "['total'] need a look"),
    ],
)
def test_a_document_that_ends_otherwise_is_told(change, fault):
    sample = EXPECTED["01-invoice-english.pdf"]
    row = Row(
        "x",
        "completed",
        kind=sample["kind"],
        needs_review=False,
        fields={**sample["fields"], "line_count": sample["line_count"]},
    )
    assert list(differences(row, sample)) == []
    for name, value in change.items():
        setattr(row, name, value)
    assert any(fault in sentence for sentence in differences(row, sample))


def test_a_wrong_value_is_told_and_a_differently_written_amount_is_not():
    sample = EXPECTED["01-invoice-english.pdf"]
    row = Row(
        "x",
        "completed",
        kind=sample["kind"],
        needs_review=False,
        fields={**sample["fields"], "line_count": sample["line_count"]},
    )
    row.fields["total"] += "0"
    assert list(differences(row, sample)) == []
    row.fields["total"], row.fields["line_count"] = "0.01", 99
    assert len(list(differences(row, sample))) == 2


def result_of(shown: dict, name: str) -> dict:
    return next(row["result"] for row in shown["documents"] if Path(row["file"]).name == name)


@pytest.mark.parametrize(
    "name", ["01-invoice-english.pdf", "02-rechnung-drei-seiten.pdf", "06-rechnung-zugferd.pdf"]
)
def test_evidence_is_judged_by_what_stands_on_the_page(shown, name):
    result = result_of(shown, name)
    judged = evidence.judge(str(SAMPLES / name), result)
    assert judged["checked"] > 10 and judged["wrong"] == []


def test_a_box_that_lies_beside_its_words_or_around_too_much_is_wrong(shown):
    result = result_of(shown, "01-invoice-english.pdf")
    total = result["records"][0]["fields"]["total"]["evidence"][0]

    def judged(box: dict, quote: str = total["quote"]) -> str:
        changed = copy.deepcopy(result)
        changed["records"][0]["fields"] = {
            "total": {
                **result["records"][0]["fields"]["total"],
                "evidence": [{**total, "box": box, "quote": quote}],
            }
        }
        changed["records"][0]["lines"] = []
        wrong = evidence.judge(str(SAMPLES / "01-invoice-english.pdf"), changed)["wrong"]
        return wrong[0][2] if wrong else ""

    box = total["box"]
    assert judged(box) == ""
    assert judged(box, quote="999.99").startswith("the text there is")
    assert judged({**box, "y0": box["y0"] - 0.2, "y1": box["y1"] - 0.2}).startswith("the text there is")
    height = box["y1"] - box["y0"]
    assert "times as large" in judged(
        {
            **box,
            "x1": min(1.0, box["x1"] + 0.01),
            "y0": box["y0"] - height * 0.9,
            "y1": box["y1"] + height * 2,
        }
    ) or judged({**box, "y0": box["y0"] - height * 0.9, "y1": box["y1"] + height * 2}).startswith(
        "the text there is"
    )


@pytest.fixture
def databases(django_db_setup, django_db_blocker):
    """Names of the server's databases; to be called."""

    def names() -> set[str]:
        with connection._nodb_cursor() as cursor:
            cursor.execute("SELECT datname FROM pg_database")
            return {name for (name,) in cursor.fetchall()}

    with django_db_blocker.unblock():
        yield names


def test_a_place_of_its_own_is_empty_and_gone_afterwards_whatever_happens(databases):
    before, homes = databases(), set(Path(configured.AGENTAUDIT_HOME).iterdir())
    with pytest.raises(RuntimeError), own_place() as environment:
        home = Path(environment["AGENTAUDIT_HOME"])
        assert home.is_dir()
        assert environment["STORAGE_URL"].startswith(f"file:{home}")
        raise RuntimeError
    assert databases() == before
    assert set(Path(configured.AGENTAUDIT_HOME).iterdir()) == homes


def test_an_address_keeps_its_odd_characters():
    parts = {
        "USER": "a@b",
        "PASSWORD": "p/ö:?",
        "HOST": "::1",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "disable"},
    }
    url = _url({**parts, "HOST": "db.example"}, "other")
    info = psycopg.conninfo.conninfo_to_dict(url)
    assert (info["user"], info["password"], info["host"], info["dbname"]) == (
        "a@b",
        "p/ö:?",
        "db.example",
        "other",
    )


@pytest.mark.slow
def test_accuracy_prints_one_object_and_invents_nothing(place):
    if not (Path(configured.CORPUS_DIR) / "score.py").exists():
        pytest.skip("needs the documents with known values: CORPUS_DIR=/path/to/corpus make test-slow")
    run = place.run("bench", "accuracy", "--json", CORPUS_DIR=str(configured.CORPUS_DIR))
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert set(report) == {"bench", "commit", "machine", "figures", "notes"}
    figures = report["figures"]
    assert any("accuracy_scan" in note for note in report["notes"])
    assert figures["accuracy_scan"] is None or figures["accuracy_scan"] >= 0.75
    assert figures["accuracy_text"] >= 0.95
    assert (
        figures["wrong_unflagged"] <= 0.03 and figures["right_flagged"] <= 0.15 and figures["invented"] <= 3
    )
    assert figures["hostile_right"] == figures["hostile_n"]
    assert figures["evidence_wrong"] == 0
    assert figures["right_at_09"] >= 0.97 and figures["share_right_at_09"] >= 0.6


@pytest.mark.slow
def test_without_documents_nothing_is_claimed(place):
    run = place.run("bench", "accuracy", "--json", CORPUS_DIR="/nonexistent")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["figures"] == {"accuracy": None} and "CORPUS_DIR" in report["notes"][0]


@pytest.mark.parametrize("name", BENCHES)
def test_every_bench_is_a_module_with_a_run(name):
    from importlib import import_module

    assert callable(import_module(f"tasks.bench.{name}").run)
