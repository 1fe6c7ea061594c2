"""What people take away: results as CSV and JSON in which nothing runs, and documents as attachments."""

from __future__ import annotations

import csv
import io
import json

import openpyxl
import pytest
from asgiref.sync import async_to_sync
from django.urls import reverse

from dashboard.exports import harmless
from tasks.management import rows
from tasks.models import Extraction, Task
from tasks.storage import get_storage
from tests.factories import (
    database_now,
    make_client,
    make_completed,
    make_document,
    make_user,
    pdf_bytes,
    result_json,
)
from tests.page_tools import page_of, task_named, world  # noqa: F401 - a fixture
from tests.test_commands_extract import printed


def test_results_leave_as_csv_with_formulas_made_harmless(world) -> None:  # noqa: F811
    make_completed(
        world[1],
        make_document(world[1].client, "=cmd|' /C calc'!A0.pdf"),
        result=result_json(supplier="@SUM(A1)", total="-12.50"),
    )
    response = world[0].get(reverse("results_csv", args=(world[1].pk,)))
    text = b"".join(response.streaming_content).decode("utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(text)))
    of = {row["document"]: row for row in lines}
    assert lines[0]["document"] == "'=cmd|' /C calc'!A0.pdf", "in the order of the page"
    assert (lines[0]["supplier"], lines[0]["total"]) == ("'@SUM(A1)", "-12.50")
    good = of["good.pdf"]
    assert (good["supplier"], good["due_date"], good["line items"]) == ("Acme GmbH", "", "1")
    assert of["failed.pdf"]["state"] == "failed", "documents without a result are there too"
    assert "total: Net and tax" in of["doubtful.pdf"]["reasons"]


def test_files_for_programs_are_the_same_in_every_language_and_the_page_says_so(world) -> None:  # noqa: F811
    browser, extraction = world
    Extraction.objects.update(pruned_at=database_now())
    taken = {}
    for language in ("en", "de"):
        browser.cookies["django_language"] = language
        answers = [
            browser.get(reverse(name, args=(extraction.pk,))) for name in ("results_csv", "results_json")
        ]
        taken[language] = [b"".join(answer.streaming_content) for answer in answers]
    assert taken["en"] == taken["de"]
    assert "CSV und JSON sind für Programme" in page_of(world)
    browser.cookies["django_language"] = "en"
    assert "for programs" not in page_of(world)


@pytest.mark.parametrize("value", ["=1+1", "+A1", "-A1", "@x", "\tx", "\rx"])
def test_text_that_begins_like_a_formula_gets_an_apostrophe(value: str) -> None:
    assert harmless(value) == "'" + value


@pytest.mark.parametrize("value", ["-12.50", "+3", "1,5", "plain", "", None, 3])
def test_numbers_and_plain_text_leave_as_they_are(value: object) -> None:
    assert harmless(value) == value


@pytest.mark.parametrize(
    ("held", "two", "four"), [(0.8996, "89", "0.8996"), (0.89996, "89", "0.8999"), (0.29, "29", "0.29")]
)
def test_what_is_below_a_bar_looks_so_everywhere(world, tmp_path, held: float, two: str, four: str) -> None:  # noqa: F811
    Task.objects.filter(pk=task_named("good.pdf").pk).update(confidence=held)
    assert f"{two}\u202f%" in page_of(world)

    def taken(name: str) -> bytes:
        return b"".join(world[0].get(reverse(name, args=(world[1].pk,))).streaming_content)

    rows_of_csv = csv.DictReader(io.StringIO(taken("results_csv").decode("utf-8-sig")))
    assert next(row for row in rows_of_csv if row["document"] == "good.pdf")["confidence"] == four
    sheet = openpyxl.load_workbook(io.BytesIO(taken("results_xlsx"))).worksheets[0]
    assert sheet["A4"].value == "good.pdf" and sheet["C4"].value == float(f"0.{two}")
    told = rows.Row("good.pdf", "completed", confidence=held)
    assert f" 0.{two} " in printed([told], 200)
    rows.write_csv(tmp_path / "out.csv", [told])
    assert f",{four}," in (tmp_path / "out.csv").read_text()


def test_results_leave_as_json_with_everything(world) -> None:  # noqa: F811
    response = world[0].get(reverse("results_json", args=(world[1].pk,)))
    taken = json.loads(b"".join(response.streaming_content))
    assert (taken["client"], len(taken["documents"])) == ("Nordwind & Söhne", 5)
    assert (
        taken["documents"][0]["result"]["records"][0]["fields"]["total"]["evidence"][0]["quote"] == "1.234,50"
    )


def test_the_document_is_an_attachment_that_no_browser_runs(world) -> None:  # noqa: F811
    document = task_named("good.pdf").document
    type(document).objects.filter(pk=document.pk).update(
        original_name='Prüf"bericht\n🧾.pdf', size_bytes=len(pdf_bytes())
    )
    get_storage().put(document.storage_name, io.BytesIO(pdf_bytes()))
    response = world[0].get(reverse("document_file", args=(document.pk,)))
    assert b"".join(response.streaming_content) == pdf_bytes()
    headers = response.headers
    assert headers["Content-Disposition"].startswith("attachment; filename*=utf-8''Pr%C3%BCf%22bericht")
    assert (headers["Content-Type"], headers["X-Content-Type-Options"]) == ("application/pdf", "nosniff")
    assert "sandbox" in headers["Content-Security-Policy"] and headers["Cache-Control"] == "private, no-store"


def test_a_document_streams_under_asgi_too(transactional_db, async_client) -> None:
    audited = make_client()
    document = make_document(audited, size_bytes=len(pdf_bytes()))
    get_storage().put(document.storage_name, io.BytesIO(pdf_bytes()))
    async_client.force_login(make_user("ann", "Auditor", clients=(audited,)))

    async def fetch() -> tuple[bool, bytes]:
        response = await async_client.get(reverse("document_file", args=(document.pk,)))
        return response.is_async, b"".join([piece async for piece in response.streaming_content])

    is_async, content = async_to_sync(fetch)()
    assert is_async, "a plain iterator would be read whole into memory"
    assert content == pdf_bytes()
