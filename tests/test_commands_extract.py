"""`manage.py extract`: from files on a disk to checked values, without pages and without a worker."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
from io import StringIO

import pytest
from django.core.management import CommandError
from rich.cells import cell_len
from rich.console import Console

from tasks.management import handing_in, listing, rows
from tasks.management.commands import extract
from tasks.models import Client
from tests.commands import SAMPLES, processes_of, wait_until

INVOICE, RECEIPT, TRUNCATED, LOCKED, UNREAD = (
    SAMPLES / name
    for name in (
        "01-invoice-english.pdf",
        "05-receipt.pdf",
        "10-truncated.pdf",
        "09-encrypted.pdf",
        "03-facture-francaise.pdf",
    )
)


def test_files_and_folders_are_read_without_a_running_worker_and_nothing_stays_behind(place, tmp_path):
    folder = tmp_path / "a folder" / "below"
    folder.mkdir(parents=True)
    shutil.copy(INVOICE, folder / "Rechnung – 01.PDF")
    (folder / "notes.txt").write_text("not meant")
    run = place.run("extract", tmp_path, RECEIPT, TRUNCATED)
    assert run.returncode == 1, run.stderr
    assert (
        "Harbour Lane Books Ltd" in run.stdout
        and "725.40 GBP" in run.stdout
        and "notes.txt" not in run.stdout
    )
    assert "damaged or cut short" in run.stdout, "a refused file says why"
    assert "2 read, 1 not read" in run.stdout
    wait_until(lambda: not processes_of(place.home), what="the end of every process")


def test_json_is_one_document_and_a_file_handed_in_again_shows_its_first_result(place):
    first = place.run("extract", INVOICE, "--json", "--engagement", "Audit 2026")
    assert first.returncode == 0, first.stderr
    before = place.ask("Task.objects.count()")
    second = place.run("extract", INVOICE, "--json")
    assert second.returncode == 0, second.stderr
    one, two = json.loads(first.stdout)["documents"], json.loads(second.stdout)["documents"]
    assert one[0]["fields"]["total"] == "725.40" and one[0]["file"] == str(INVOICE)
    assert [document["task"] for document in two] == [document["task"] for document in one]
    assert place.ask("Task.objects.count()") == before
    again = place.run("extract", INVOICE, "--json", "--again")
    assert json.loads(again.stdout)["documents"][0]["task"] != one[0]["task"]


def test_what_was_read_before_is_counted_apart_every_file_has_its_path_and_a_locked_one_names_the_option(
    place, tmp_path
):
    folder, out = tmp_path / "in", tmp_path / "out.csv"
    (folder / "below").mkdir(parents=True)
    for name in ("a.pdf", "copy.pdf"):
        shutil.copy(INVOICE, folder / name)
    shutil.copy(LOCKED, folder / "x.pdf")
    (folder / "below" / "x.pdf").write_text("no PDF")
    place.run("extract", INVOICE)
    run = place.run("extract", folder, UNREAD, "--csv", out)
    assert run.returncode == 1
    assert "1 read, 2 already read, 2 not read" in run.stdout, run.stdout
    assert "belong to the client 'My documents'; --client" in run.stderr
    assert "With --password this command asks" in run.stderr
    with open(out, encoding="utf-8-sig", newline="") as file:
        lines = {
            (line["file"], line["state"], line["repeat"]): line["message"] for line in csv.DictReader(file)
        }
    assert set(lines) == {
        (str(UNREAD), "completed", "False"),
        (str(folder / "a.pdf"), "completed", "True"),
        (str(folder / "copy.pdf"), "completed", "True"),
        (str(folder / "x.pdf"), "refused", "False"),
        (str(folder / "below" / "x.pdf"), "refused", "False"),
    }
    assert "encrypted" in lines[str(folder / "x.pdf"), "refused", "False"]
    assert "not a PDF" in lines[str(folder / "below" / "x.pdf"), "refused", "False"]


def test_a_password_is_typed_or_piped_in_and_opens_the_file(place):
    without = place.run("extract", LOCKED, "--json")
    assert without.returncode == 1
    assert json.loads(without.stdout)["documents"][0]["code"] == "encrypted"
    wrong = place.run("extract", LOCKED, "--password", "--json", typed="no\n")
    assert wrong.returncode == 1 and "With --password" not in wrong.stderr
    right = place.run("extract", LOCKED, "--password", "--json", typed="demo\n")
    assert right.returncode == 0, right.stderr
    assert json.loads(right.stdout)["documents"][0]["state"] == "completed"


def test_a_password_that_is_no_text_can_be_handed_on(monkeypatch):
    typed = io.TextIOWrapper(io.BytesIO(b"a\xff\n"), "utf-8", errors="surrogateescape")
    monkeypatch.setattr("sys.stdin", typed)
    assert handing_in.asked_password() == "a?"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("/nowhere/at/all.pdf",), "There is no file or folder '/nowhere/at/all.pdf'"),
        (("",), "The name of a file is empty"),
        (("x" * 300,), "cannot be read: File name too long"),
        ((INVOICE, "--client", "Nobody"), "There is no client 'Nobody'"),
        ((INVOICE, "--client", "c" * 201, "--create-client"), "--client has 201 characters, and at most 200"),
        ((INVOICE, "--client", " ", "--create-client"), "--client is blank"),
        ((INVOICE, "--client", os.fsdecode(b"\xe9"), "--create-client"), "--client holds characters"),
        ((INVOICE, "--engagement", "e" * 101), "--engagement has 101 characters, and at most 100"),
        ((INVOICE, "--agent", "x"), "There is no agent 'x'"),
        ((INVOICE, "--csv", "/nowhere/out.csv"), "/nowhere/out.csv cannot be written: No such file"),
        (
            (INVOICE, "--agent", "nobody"),
            "There is no agent 'nobody'. Known: contract-",
        ),
    ],
)
def test_a_wrong_call_hands_nothing_in_and_says_what_is_wrong(place, arguments, sentence):
    run = place.run("extract", *arguments)
    assert run.returncode == 2
    assert sentence in run.stderr and "Traceback" not in run.stderr
    assert run.stdout == ""


@pytest.mark.slow
def test_ctrl_c_leaves_documents_in_the_queue_and_says_how_to_go_on(place):
    assert place.run("migrate").returncode == 0
    place.ask(
        "[a.agent.versions.update(program='tests.attempt_programs:waits') for a in AgentVersion.objects.all()]"
    )
    process = place.begin("extract", RECEIPT, "--again")
    running = "Attempt.objects.filter(status='running').count()"
    wait_until(lambda: place.ask(running), what="the start of the attempt")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stay in the queue" in err and "manage.py worker --until-idle" in err and "Traceback" not in err
    assert place.ask("[t.status for t in Task.objects.order_by('-id')[:1]]") == ["enqueued"]
    wait_until(lambda: not processes_of(place.home), what="the end of every process")


def test_a_name_that_is_no_text_and_a_terminal_of_few_characters_are_no_obstacle(place, tmp_path):
    odd = os.fsencode(tmp_path) + b"/caf\xe9 \xf0\x9f\xa7\xbe.pdf"
    shutil.copy(INVOICE, odd)
    out = tmp_path / "out.csv"
    for more in ((), ("--json",)):
        run = place.run("extract", os.fsdecode(odd), "--csv", out, *more, PYTHONIOENCODING="ascii")
        assert run.returncode == 0, run.stderr
        assert "caf" in run.stdout and "725.40" in run.stdout
    with open(out, encoding="utf-8-sig", newline="") as file:
        assert next(csv.DictReader(file))["file"].endswith("caf? 🧾.pdf")


def test_a_folder_that_cannot_be_read_is_not_passed_over(tmp_path, monkeypatch):
    (tmp_path / "open").mkdir()
    shutil.copy(INVOICE, tmp_path / "open")
    (tmp_path / "closed").mkdir()
    read = os.scandir

    def scandir(path):  # root may read everything
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    assert handing_in.files([str(tmp_path)]) == [tmp_path / "open" / INVOICE.name]
    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(
        CommandError, match=r"closed' cannot be read: Permission denied. Nothing was handed in"
    ):
        handing_in.files([str(tmp_path)])


def test_what_is_linked_is_not_passed_over(tmp_path):
    """A year's folder may be a link to the archive, into itself, or to where it was once."""
    archive, folder = tmp_path / "archive", tmp_path / "folder"
    (archive / "2025").mkdir(parents=True)
    folder.mkdir()
    shutil.copy(INVOICE, archive / "2025" / "a.pdf")
    (folder / "2025").symlink_to(archive / "2025")
    (archive / "2025" / "round").symlink_to(folder)
    (folder / "gone.pdf").symlink_to(tmp_path / "nowhere.pdf")
    os.mkfifo(folder / "pipe.pdf")
    assert handing_in.files([str(folder)]) == [folder / "2025" / "a.pdf", folder / "gone.pdf"]


def test_no_text_of_a_document_becomes_a_formula(tmp_path):
    row = rows.Row(
        "=cmd.pdf",
        "completed",
        fields={"supplier": "=HYPERLINK(1)", "number": "-5", "total": "-12.50", "net": "+A1"},
    )
    rows.write_csv(tmp_path / "out.csv", [row])
    with open(tmp_path / "out.csv", encoding="utf-8-sig", newline="") as file:
        line = next(csv.DictReader(file))
    assert line["file"] == "'=cmd.pdf" and line["supplier"] == "'=HYPERLINK(1)" and line["net"] == "'+A1"
    assert line["number"] == "-5" and line["total"] == "-12.50", "a negative amount stays a number"


def printed(found: list[rows.Row], width: int) -> str:
    console = Console(width=width, record=True, file=StringIO())
    console.print(listing.table(found, width))
    return console.export_text(styles=False)


WIDTHS = pytest.mark.parametrize("width", [32, 60, 80, 105, 120, 200])


@WIDTHS
def test_no_name_steers_the_terminal_and_no_letter_is_lost(width: int):
    found = [
        rows.Row("a\x1b[2Jb\nc\u202efdp.pdf", "completed", confidence=0.5, fields={"supplier": "[red]Müller & Söhne[/red] 東京" * 5, "total": "1.00"}),
        rows.Row("b.pdf", "refused", "empty", "This file is empty."),
    ]  # fmt: skip
    text = printed(found, width)
    assert not {"\x1b", "\u202e"} & set(text)
    assert "completed" in text and "refused" in text
    assert (text.count("東"), text.count("ü")) == (5, 5)
    assert max(map(cell_len, text.splitlines())) <= width


def test_the_last_line_counts_what_needs_a_look():
    found = [rows.Row("a.pdf", "completed", needs_review=needs) for needs in (True, False, True)]
    assert extract.summary(found) == "3 read; 2 of them need a look"
    assert extract.summary(found[1:]) == "2 read; 1 of them needs a look"


@WIDTHS
def test_what_has_no_column_stands_under_its_row(width: int):
    fields = {
        "supplier": "Acme GmbH",
        "number": "2024-17",
        "date": "2024-03-09",
        "total": "1234.50",
        "currency": "EUR",
    }
    row = rows.Row(
        "invoice.pdf", "completed", confidence=0.8996, needs_review=True, fields=fields, flagged=["number"], attempts=2, seconds=61.5
    )  # fmt: skip
    text = printed([row], width)
    for said in (
        "invoice.pdf",
        "completed",
        "0.89",
        "Acme GmbH",
        "2024-17",
        "2024-03-09",
        "1234.50 EUR",
        "needs a look",
        "61.5",
    ):
        assert said in " ".join(text.split()), said
    first = text.splitlines()[1]
    assert "invoice.pdf" in first and "completed" in first
    if width >= 80:
        assert "Acme GmbH" in first and "1234.50 EUR" in first
    assert (len(text.splitlines()) == 2) == (width >= 120)


@pytest.mark.django_db
def test_documents_go_to_the_only_client_of_ones_own_and_never_among_the_samples():
    Client.objects.create(name=handing_in.DEMO_CLIENT)
    first = handing_in.client("")
    assert first.name == handing_in.FIRST_CLIENT
    assert handing_in.client("") == first
    Client.objects.create(name="Miller & Co")
    with pytest.raises(CommandError, match="Say which client with --client"):
        handing_in.client("")
    assert handing_in.client("Miller & Co").name == "Miller & Co"
    assert handing_in.client("New", create=True) == handing_in.client("New")


def test_what_other_agents_read_is_in_the_table_and_the_csv_too(tmp_path):
    invoice = rows.Row("a.pdf", "completed", fields={"supplier": "Acme", "total": "12.00", "currency": "EUR"})
    contract = rows.Row(
        "b.pdf", "completed", fields={"party_1": "Nordwind", "party_2": "Falk", "effective_date": "2024-06-03", "currency": "GBP"}
    )  # fmt: skip
    rows.write_csv(tmp_path / "out.csv", [invoice, contract])
    with open(tmp_path / "out.csv", encoding="utf-8-sig", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["supplier"], first["party_1"]) == ("Acme", "")
    assert (second["supplier"], second["party_2"], second["effective_date"]) == ("", "Falk", "2024-06-03")
    shown = printed([invoice, contract], 200).splitlines()[-1]
    assert re.search(r"completed +Nordwind +Falk +2024-06-03$", shown.rstrip())
