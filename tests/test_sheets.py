"""Pages of documents beside what was read from them: values tied to places, pictures drawn apart from the server, and who gets none."""

from __future__ import annotations

import io
import resource
import subprocess
import sys

import pytest
from django.db import connection
from django.test import Client as Browser
from django.urls import reverse
from PIL import Image

from dashboard import documents
from tasks import pictures
from tasks.agent import draw
from tasks.models import Attempt, Document, Extraction, Task
from tasks.storage import get_storage
from tests import pdfs
from tests.factories import (
    database_now,
    make_client,
    make_user,
    pdf_bytes,
)
from tests.sheet_tools import RED, made, picture, result, value

pytest_plugins = ["tests.sheet_fixtures"]


def sheet(auditor: Browser, task: Task, number: int = 1) -> str:
    answer = auditor.get(reverse("sheet", args=(task.pk, number)))
    assert answer.status_code == 200
    return answer.content.decode()


def test_each_value_is_tied_to_its_place_on_its_page_and_shown_on_no_other(
    auditor: Browser, task: Task
) -> None:
    first, second = sheet(auditor, task, 1), sheet(auditor, task, 2)
    for anchor in ("0-supplier", "0-1-description", "0-1-amount"):
        for part in (
            f'id="box-{anchor}"',
            f'href="#value-{anchor}"',
            f'id="value-{anchor}"',
            f'href="#box-{anchor}"',
        ):
            assert part in first and part not in second
    assert 'id="box-0-total"' in second and 'id="box-0-total"' not in first
    assert 'x="0.49700" y="0.24700" width="0.10600" height="0.05600"' in second, "with a little air around it"
    assert 'class="flagged"' in second and 'class="flagged"' not in first
    assert "It is far from its label." in second and "Acme &amp; Sons" in first
    assert "due_date" not in first + second, "what was found nowhere has no place"
    assert (
        'rel="next"' in first
        and 'rel="prev"' not in first
        and 'rel="prev"' in second
        and 'rel="next"' not in second
    )


def test_the_evidence_of_a_task_leads_to_its_place(auditor: Browser, task: Task) -> None:
    page = auditor.get(reverse("task", args=(task.pk,))).content.decode()
    for number, anchor in ((2, "0-total"), (1, "0-supplier")):
        assert f'href="{reverse("sheet", args=(task.pk, number))}#box-{anchor}"' in page


def test_findings_are_told_by_record_and_line() -> None:
    two = result()
    two["records"].append(two["records"][0])
    found = documents.findings(two, 1)
    assert [finding.anchor for finding in found] == [
        "0-supplier", "0-1-description", "0-1-amount", "1-supplier", "1-1-description", "1-1-amount",
    ]  # fmt: skip
    assert [finding.line for finding in found[:3]] == [None, 1, 1]


def test_a_place_that_values_share_is_drawn_once_and_each_still_leads_to_it(
    auditor: Browser, task: Task
) -> None:
    shared = result()
    heading = value("Paper", 1, 0.3, "It may belong to another line.")
    shared["records"][0]["lines"] += [{"description": heading, "amount": value("3.00", 1, 0.8)}] * 2
    Attempt.objects.filter(pk=task.result_attempt).update(result=shared)
    owner, *others = [
        found for found in documents.findings(shared, 1) if found.line and found.name == "description"
    ]
    assert [found.is_drawn_before for found in (owner, *others)] == [False, True, True]
    assert owner.boxes[0]["flagged"] and not owner.reasons, "what it is drawn for needs a look"
    page = sheet(auditor, task)
    anchors = [f'id="box-{found.anchor}"' for found in (owner, *others)]
    assert [page.count(anchor) for anchor in anchors] == [1, 1, 1]
    assert page.count('class="again"') == 3, "a heading twice and an amount once"
    assert page.count("<rect") == 1 + 2 + 2 * 2


def test_a_picture_is_the_page_as_people_see_it(auditor: Browser, task: Task) -> None:
    answer = picture(auditor, task.document)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/webp")
    drawn = Image.open(io.BytesIO(answer.content)).convert("RGB")
    assert max(drawn.size) <= draw.LONGEST_SIDE and drawn.size[1] / drawn.size[0] == pytest.approx(
        4 / 3, 0.01
    )
    red, green, blue = drawn.getpixel((drawn.size[0] // 5, drawn.size[1] * 19 // 40))
    assert red > 200 and green < 80 and blue < 80
    assert min(drawn.getpixel((5, 5))) > 250


def test_a_picture_is_drawn_once_for_somebody_who_has_it(auditor: Browser, task: Task, monkeypatch) -> None:
    answer = picture(auditor, task.document)
    assert "private" in answer.headers["Cache-Control"] and "public" not in answer.headers["Cache-Control"]
    monkeypatch.setattr(pictures, "drawn", lambda *_: pytest.fail("it was drawn again"))
    again = picture(auditor, task.document, **{"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.django_db(transaction=True)
def test_no_connection_of_the_few_is_held_while_a_page_is_drawn(
    auditor: Browser, task: Task, monkeypatch
) -> None:
    held = []

    def drawn(*_: object) -> bytes:
        held.append(connection.connection is not None)
        return b"RIFF"

    monkeypatch.setattr(pictures, "drawn", drawn)
    assert picture(auditor, task.document).content == b"RIFF"
    assert held == [False]
    assert sheet(auditor, task), "the next request has one again"


def test_only_those_who_may_have_the_document_see_its_pages(
    auditor: Browser, task: Task, client: Browser
) -> None:
    for who, status in (
        (make_user("charlie", "Auditor", clients=(make_client("Elsewhere"),)), 404),
        (make_user("fiona", "Finance"), 403),
    ):
        client.force_login(who)
        assert client.get(reverse("sheet", args=(task.pk, 1))).status_code == status
        assert picture(client, task.document).status_code == status
    page = client.get(reverse("task", args=(task.pk,))).content.decode()
    assert "Page 2" in page and "/pages/" not in page, "no link leads where nothing is to be seen"
    client.logout()
    assert client.get(reverse("sheet", args=(task.pk, 1))).status_code == 302


@pytest.mark.parametrize("number", [0, 3, 10**9])
def test_there_is_no_page_beyond_the_document(auditor: Browser, task: Task, number: int) -> None:
    assert auditor.get(reverse("sheet", args=(task.pk, number))).status_code == 404
    assert picture(auditor, task.document, number).status_code == 404


def test_what_was_deleted_is_gone(auditor: Browser, task: Task) -> None:
    have = picture(auditor, task.document).headers["ETag"]
    Extraction.objects.update(pruned_at=database_now())
    Document.objects.update(storage_name="")
    assert auditor.get(reverse("sheet", args=(task.pk, 1))).status_code == 410
    assert picture(auditor, task.document, **{"If-None-Match": have}).status_code == 410


def test_a_locked_document_says_why_its_pages_cannot_be_shown(auditor: Browser, task: Task) -> None:
    locked = made(pdf_bytes(password="secret"), needs_password=True)
    page = sheet(auditor, locked)
    assert "locked by a password" in page and "<img" not in page and 'id="value-0-supplier"' in page
    answer = picture(auditor, locked.document)
    assert answer.status_code == 404 and b"password" in answer.content


def test_a_file_that_cannot_be_drawn_is_said_in_words_and_costs_the_server_nothing(
    auditor: Browser, task: Task
) -> None:
    answer = picture(auditor, made(b"%PDF-1.7 nothing of the kind").document)
    assert answer.status_code == 404 and answer.headers["Content-Type"].startswith("text/plain")
    assert answer.headers["Cache-Control"] == "no-store"
    assert picture(auditor, task.document).status_code == 200


def test_a_document_that_is_not_where_it_was_stored_is_no_fault_of_the_server(
    auditor: Browser, task: Task
) -> None:
    get_storage().delete(task.document.storage_name)
    assert picture(auditor, task.document).status_code == 404


def test_of_a_file_that_was_replaced_no_page_is_shown(auditor: Browser, task: Task) -> None:
    """Values would be framed on the page of another document."""
    storage, name = get_storage(), task.document.storage_name
    storage.delete(name)
    storage.put(name, io.BytesIO(pdfs.page_pdf(pdfs.text_at(60, 400, "Total 999.00"))))
    answer = picture(auditor, task.document)
    assert answer.status_code == 404 and b"not the document that was handed in" in answer.content


def test_no_document_has_a_page_before_its_first(auditor: Browser, task: Task) -> None:
    answer = picture(auditor, task.document, 0)
    assert answer.status_code == 404 and b"This page is missing" in answer.content


def test_drawing_is_bounded_in_memory_and_time_and_knows_no_secret(tmp_path) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(pdfs.page_pdf(RED))
    bounded = (
        "import resource, sys; from tasks.agent import draw; code = draw.main(sys.argv[1], 1);"
        "sys.stderr.write(f'{resource.getrlimit(resource.RLIMIT_AS)[0]} {resource.getrlimit(resource.RLIMIT_CPU)[0]}'); sys.exit(code)"
    )
    environment = pictures.environment(
        {"PATH": "/usr/bin", "DATABASE_URL": "postgres://secret", "SECRET_KEY": "x"}
    )
    assert not {"DATABASE_URL", "SECRET_KEY"} & environment.keys()
    done = subprocess.run(
        [sys.executable, "-c", bounded, str(path)], env=environment, capture_output=True, check=True, cwd="/"
    )
    assert done.stderr.decode().split() == [str(draw.MEMORY_BYTES), str(draw.CPU_SECONDS)]
    assert done.stdout.startswith(b"RIFF") and resource.getrlimit(resource.RLIMIT_AS)[0] != draw.MEMORY_BYTES
