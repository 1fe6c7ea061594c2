"""The upload form: every bad input is one sentence on the page, good files go on, limits refuse whole forms and lose nothing."""

from __future__ import annotations

import errno
import html
import json
import re
import tarfile
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client as Browser
from django.urls import reverse

from tasks import intake
from tasks.models import Document, Extraction, Task
from tasks.states import Priority
from tasks.storage import get_storage
from tests.factories import make_agent, make_client, make_user, pdf_bytes


@pytest.fixture
def place(db, client: Browser):
    """A logged-in auditor with a client and an agent."""
    audited, agent = make_client("Nordwind"), make_agent("reader", title="Reads invoices")
    user = make_user("alice", "Auditor", clients=(audited,))
    client.force_login(user)
    return client, audited, agent


def hand_in(
    place, *files: tuple[str, bytes], accept: str = "text/html", kind: str = "application/pdf", **fields
):
    browser, audited, agent = place
    data = {
        "client": audited.pk, "agent": agent.pk,
        "files": [SimpleUploadedFile(name, content, kind) for name, content in files], **fields,
    }  # fmt: skip
    return browser.post(reverse("upload"), data, headers={"accept": accept})


def text_of(response) -> str:
    return html.unescape(response.content.decode())


def test_the_plain_form_takes_many_files_and_leads_to_their_extraction(place) -> None:
    response = hand_in(
        place,
        ("a.pdf", pdf_bytes(title="a")),
        ("b.pdf", pdf_bytes(title="b")),
        engagement="Year\x1b-end\u202e",
    )
    extraction = Extraction.objects.get()
    assert response.url == reverse("extraction", args=(extraction.pk,))
    assert (extraction.engagement, extraction.created_by.username, extraction.tasks.count()) == (
        "Year-end",
        "alice",
        2,
    )


def test_files_of_both_inputs_arrive_single_ones_and_a_folder(place) -> None:
    hand_in(place, ("a.pdf", pdf_bytes(title="a")), ("folder/sub/b.pdf", pdf_bytes(title="b")))
    assert set(Document.objects.values_list("original_name", flat=True)) == {"a.pdf", "b.pdf"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "This file is empty (0 bytes)."),
        (b"just text", "This file is not a PDF, whatever its name says."),
        (pdf_bytes(6)[:300], "This PDF is damaged or cut short and cannot be opened; ask for a fresh copy."),
        (
            pdf_bytes(6).replace(b"obj", b"jbo"),
            "This PDF is damaged or cut short and cannot be opened; ask for a fresh copy.",
        ),
        (pdf_bytes(password="x"), "This PDF is encrypted and needs a password to open."),
        (pdf_bytes(0), "This PDF has no pages."),
        (pdf_bytes(5), "This PDF has 5 pages; the limit is 4. Split it and try again."),
        (pdf_bytes() + bytes(20_000), "This file is larger than 9.8\u00a0KB, the most that is taken."),
    ],
    ids=["empty", "no PDF", "truncated", "corrupt", "encrypted", "no pages", "too many pages", "too large"],
)
def test_each_bad_file_is_one_sentence_on_the_page_and_the_others_go_on(
    place, settings, content: bytes, sentence: str
) -> None:
    settings.UPLOAD_MAX_PAGES, settings.UPLOAD_MAX_BYTES = 4, 10_000
    response = hand_in(place, ("bad one.pdf", content), ("good.pdf", pdf_bytes()))
    page = text_of(place[0].get(response.url))
    assert "bad one.pdf" in page and sentence in page
    assert Task.objects.get().document.original_name == "good.pdf"
    listed = b"".join(
        place[0].get(reverse("refused_csv", args=(Extraction.objects.get().pk,))).streaming_content
    ).decode()
    assert "bad one.pdf" in listed and sentence in listed


def test_what_was_wrong_with_a_file_is_told_in_the_language_of_whoever_reads_it(place, settings) -> None:
    settings.UPLOAD_MAX_PAGES, settings.UPLOAD_MAX_BYTES = 4, 10_000
    told = {
        "empty.pdf": (b"", "Diese Datei ist leer (0 Byte)."),
        "no.pdf": (b"text", "Diese Datei ist keine PDF-Datei, was auch immer ihr Name sagt."),
        "none.pdf": (pdf_bytes(0), "Diese PDF-Datei hat keine Seiten."),
        "many.pdf": (pdf_bytes(5), "Diese PDF-Datei hat 5 Seiten; die Grenze ist 4."),
        "large.pdf": (pdf_bytes() + bytes(20_000), "Diese Datei ist größer als 9,8\u00a0KB"),
        "locked.pdf": (pdf_bytes(password="x"), "Diese PDF-Datei ist verschlüsselt"),
    }  # fmt: skip
    left_out = {
        "limit": "größer als 9,8\u00a0KB",
        "unreadable": "Der Browser konnte diese Datei nicht lesen",
    }
    english = ("is empty", "is not a PDF", "has no pages", "has 5 pages", "larger than 9.8\u00a0KB", "is encrypted", "browser could not read")  # fmt: skip
    for sender in ("de", "en"):
        place[0].cookies["django_language"] = sender
        files = [(name, content) for name, (content, _sentence) in told.items()]
        pairs = json.dumps([[code, f"{code}.pdf"] for code in left_out])
        url = hand_in(place, *files, left_out=pairs).url
        place[0].cookies["django_language"] = "de"
        page = text_of(place[0].get(url))
        assert [sentence for _content, sentence in told.values() if sentence not in page] == []
        assert [sentence for sentence in left_out.values() if sentence not in page] == []
        place[0].cookies["django_language"] = "en"
        page = text_of(place[0].get(url))
        assert [sentence for sentence in english if sentence not in page] == []


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_is_refused_though_a_pdf_stands_where_one_may_begin(place, tmp_path, kind: str) -> None:
    """Which only stores what it holds: one of its documents was read, and nobody missed the others."""
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / "in" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_bytes(pdf_bytes(title=name))
    archive = tmp_path / f"all.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as packed:
            for name in ("a.pdf", "b.pdf"):
                packed.write(tmp_path / "in" / name, name)
    else:
        with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as packed:
            packed.add(tmp_path / "in" / "a.pdf", "a.pdf")
            packed.add(tmp_path / "in" / "b.pdf", "b.pdf")
    assert b"%PDF-" in archive.read_bytes()[:1024]
    response = hand_in(place, ("all.pdf", archive.read_bytes()))
    assert "Hand in the PDFs that it holds" in text_of(place[0].get(response.url))
    assert not Task.objects.exists()


def test_the_same_file_again_points_to_what_was_read_and_can_be_read_again(place) -> None:
    hand_in(place, ("first.pdf", pdf_bytes()))
    task = Task.objects.get()
    page = text_of(place[0].get(hand_in(place, ("second.pdf", pdf_bytes())).url))
    assert "This file was handed in before as “first.pdf”" in page
    assert reverse("task", args=(task.pk,)) in page
    assert "1 file was already handed in" in page and "not taken" not in page and "tone-bad" not in page
    assert "data-final" in page, "what was read before is no news"
    german = text_of(
        place[0].get(
            reverse("extraction", args=(Extraction.objects.latest("pk").pk,)),
            headers={"accept-language": "de"},
        )
    )
    assert "Diese Datei wurde schon als „first.pdf“ eingereicht" in german, (
        "whatever language it was handed in in"
    )
    overview = text_of(place[0].get(reverse("extractions")))
    assert "1 file already handed in" in overview and "not taken" not in overview
    hand_in(place, ("second.pdf", pdf_bytes()), run_again="on")
    assert Task.objects.filter(document=task.document).count() == 2


def test_copies_in_one_form_lead_to_one_result_unless_it_is_locked(place) -> None:
    first = ("a.pdf", pdf_bytes())
    hand_in(place, first)
    task = Task.objects.get()
    locked = pdf_bytes(password="x")
    files = [first, ("copy of a.pdf", first[1]), ("b.pdf", pdf_bytes(2)), ("copy of b.pdf", pdf_bytes(2)), ("l.pdf", locked), ("m.pdf", locked)]  # fmt: skip
    page = text_of(place[0].get(hand_in(place, *files).url))
    assert "3 files were already handed in" in page and "2 files were not taken" in page
    other = Task.objects.latest("pk")
    assert other.document.original_name == "b.pdf"
    repeats = page[page.index('id="repeats"') :].split("</section>")[0]
    assert repeats.count(reverse("task", args=(task.pk,))) == 2
    assert repeats.count(reverse("task", args=(other.pk,))) == 1


def test_a_name_of_any_kind_is_shown_harmless(place) -> None:
    name = "../<script>alert(1)</script>\u202e🧾" + "x" * 300 + ".pdf"
    response = hand_in(place, (name, pdf_bytes()))
    page = place[0].get(response.url).content.decode()
    assert "<script>alert" not in page and "\u202e" not in page
    assert len(Document.objects.get().original_name) <= 255


def test_names_that_some_disks_take_for_one_or_for_a_device_are_kept_apart_and_given_back(place) -> None:
    names = [
        "a.pdf",
        "A.PDF",
        "M\u00fcller.pdf",
        "Mu\u0308ller.pdf",
        "CON.pdf",
        "../../settings.py",
        "x" * 300 + ".pdf",
    ]
    contents = [pdf_bytes(title=str(number)) for number, _name in enumerate(names)]
    hand_in(place, *zip(names, contents, strict=True))
    documents = list(Document.objects.all())
    assert len({document.storage_name for document in documents}) == len(names)
    assert {"CON.pdf", "settings.py", "a.pdf", "A.PDF"} <= {document.original_name for document in documents}
    given_back = [place[0].get(reverse("document_file", args=(document.pk,))) for document in documents]
    assert {b"".join(answer.streaming_content) for answer in given_back} == set(contents)


@pytest.mark.parametrize("kind", ["application/octet-stream", "text/html", "image/png"])
def test_the_content_decides_what_a_file_is_and_neither_its_name_nor_what_the_browser_says(
    place, kind: str
) -> None:
    page = b"<!DOCTYPE html><title>Invoice</title><p>Total 1.00 EUR"
    hand_in(place, ("report", b"junk " * 20 + pdf_bytes()), ("invoice.pdf", page), kind=kind)
    extraction = Extraction.objects.get()
    assert [task.document.original_name for task in extraction.tasks.all()] == ["report"]
    assert [(entry["name"], entry["code"]) for entry in extraction.refused] == [("invoice.pdf", "not_pdf")]


def marked(page: str, field: str) -> str:
    """What the page says below a field that it marks as wrong and puts the cursor into."""
    (attributes,) = re.findall(f'<input [^>]*name="{field}"[^>]*>', page)
    assert 'aria-invalid="true"' in attributes and " autofocus" in attributes
    (described,) = re.findall('aria-describedby="([^"]+)"', attributes)
    return re.findall(f'id="{described}"[^>]*>([^<]*)<', page)[0]


def test_a_password_is_asked_for_on_the_page_and_opens_the_file(place) -> None:
    response = hand_in(place, ("locked.pdf", pdf_bytes(password="right")))
    document = Document.objects.get()
    field = f"password-{document.pk}"
    assert f'name="{field}"' in text_of(place[0].get(response.url))
    action = reverse("extraction_passwords", args=(Extraction.objects.get().pk,))
    wrong = text_of(place[0].post(action, {field: "wrong"}, follow=True))
    assert "does not open “locked.pdf”" in wrong and marked(wrong, field) == "This password does not open the file. Capital and small letters differ."  # fmt: skip
    empty = text_of(place[0].post(action, {field: ""}, follow=True))
    assert "No password was typed" in empty and marked(empty, field).startswith("Type the password")
    page = text_of(place[0].post(action, {field: "right"}, follow=True))
    assert "1 document opened." in page and f'name="{field}"' not in page
    assert Task.objects.get().document == document


def test_where_all_files_are_refused_the_page_says_so(place) -> None:
    page = text_of(place[0].get(hand_in(place, ("a.pdf", b"")).url))
    assert "None of the files could be taken" in page and "This file is empty" in page
    assert "data-final" in page, "it says that it is finished, not that it is live"
    locked = text_of(place[0].get(hand_in(place, ("b.pdf", pdf_bytes(password="x"))).url))
    assert "needs its password first" in locked and "data-final" not in locked, (
        "somebody may type the password"
    )


def test_the_limit_of_a_form_refuses_it_whole_with_the_number_in_the_sentence(place, settings) -> None:
    settings.UPLOAD_MAX_FILES, settings.DATA_UPLOAD_MAX_NUMBER_FILES = 3, 4
    files = [(f"{n}.pdf", pdf_bytes(title=str(n))) for n in range(5)]
    for accept in ("text/html", "application/json"):
        one_too_many = hand_in(place, *files[:4], accept=accept)
        assert one_too_many.status_code == 400 and "at most 3 " in text_of(one_too_many)
        more_than_django_reads = hand_in(place, *files, accept=accept)
        assert more_than_django_reads.status_code == 400 and "At most 3 " in text_of(more_than_django_reads)
    assert not Extraction.objects.exists() and not Document.objects.exists()
    assert hand_in(place, *files[:3]).status_code == 302


def test_a_form_refused_for_another_fault_keeps_what_was_typed(place) -> None:
    page = text_of(hand_in(place, ("a.pdf", pdf_bytes()), client="", engagement="Kept words"))
    assert "Kept words" in page and "This field is required." in page
    assert "Choose at least one file." in text_of(hand_in(place))


@pytest.mark.slow
def test_a_thousand_files_work_and_one_more_is_refused(place) -> None:
    files = [(f"{n:04}.pdf", pdf_bytes(title=str(n))) for n in range(1001)]
    response = hand_in(place, *files)
    assert response.status_code == 400 and "at most 1000 " in text_of(response)
    assert hand_in(place, *files[:1000]).status_code == 302
    assert Task.objects.count() == 1000


def test_the_script_gets_an_address_or_reasons(place) -> None:
    good = hand_in(place, ("a.pdf", pdf_bytes()), accept="application/json")
    assert (good.status_code, good.json()) == (
        201,
        {
            "url": reverse("extraction", args=(Extraction.objects.get().pk,)),
            "more": reverse("upload_more", args=(Extraction.objects.get().pk,)),
            "refused": [],
        },
    )
    bad = hand_in(place, ("a.pdf", pdf_bytes()), client="", accept="application/json")
    assert bad.status_code == 400 and bad.json()["errors"]["client"][0]["message"]


@pytest.mark.parametrize(
    ("left_out", "listed"),
    [
        (
            [["limit", "x/big.pdf"], ["unreadable", "gone\u202e.pdf"], ["not_pdf", "\ud800"]],
            {"big.pdf", "gone.pdf", "unnamed.pdf"},
        ),
        (
            [
                ["made up", "a.pdf"],
                ["empty"],
                "empty",
                [1, "b.pdf"],
                [["empty"], "c"],
                {},
                ["empty", "d.pdf"],
            ],
            {"d.pdf"},
        ),
        ([["empty", f"{n}.pdf"] for n in range(1200)], {f"{n}.pdf" for n in range(1000)}),
        ({"empty": "a.pdf"}, set()),
        (7, set()),
    ],
)
def test_what_a_browser_has_left_out_is_listed_and_nothing_else_is_believed(
    place, left_out: object, listed: set[str]
) -> None:
    assert hand_in(place, ("a.pdf", pdf_bytes()), left_out=json.dumps(left_out)).status_code == 302
    refused = Extraction.objects.get().refused
    assert {entry["name"] for entry in refused} == listed
    assert all(entry["sentence"].endswith(".") and entry["document_id"] is None for entry in refused)


@pytest.mark.parametrize("value", ["[", "[" * 100_000, "9" * 5000])
def test_what_is_no_list_of_left_out_files_is_refused(place, value: str) -> None:
    assert hand_in(place, ("a.pdf", pdf_bytes()), left_out=value).status_code == 400


def test_a_full_disk_is_one_sentence_and_nothing_is_taken(place, monkeypatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(type(get_storage()), "put", full)
    response = hand_in(place, ("a.pdf", pdf_bytes()))
    assert response.status_code == 400
    assert "The disk is full, so nothing was taken." in text_of(response)
    assert not Extraction.objects.exists()


def test_a_disk_that_is_full_before_the_form_is_read_is_said_too(place, monkeypatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    place[0].raise_request_exception = False
    monkeypatch.setattr("django.http.multipartparser.MultiPartParser.parse", full)
    response = hand_in(place, ("a.pdf", pdf_bytes()))
    assert response.status_code == 507 and "The disk is full" in text_of(response)


def test_files_are_not_for_a_client_one_does_not_belong_to(place) -> None:
    other = make_client("Somebody else's")
    assert hand_in(place, ("a.pdf", pdf_bytes()), client=other.pk).status_code == 400
    assert "Somebody else" not in text_of(place[0].get(reverse("upload")))
    assert not Extraction.objects.exists()


def test_only_those_who_operate_choose_the_priority(place) -> None:
    assert 'name="priority"' not in text_of(place[0].get(reverse("upload")))
    assert hand_in(place, ("a.pdf", pdf_bytes()), priority="30").status_code == 403
    place[0].force_login(make_user("bob", "Operator"))
    hand_in(place, ("a.pdf", pdf_bytes()), priority="30")
    assert Extraction.objects.get().priority == Priority.URGENT


def test_without_a_choice_the_tier_of_the_client_decides(place) -> None:
    premium = make_client("Premium", tier="premium")
    place[0].force_login(make_user("bob", "Operator"))
    hand_in(place, ("a.pdf", pdf_bytes()), client=premium.pk, priority="")
    assert Extraction.objects.get().priority == Priority.INTERACTIVE


def test_a_fault_of_intake_is_told_in_its_own_words(place, monkeypatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise intake.NotTaken("The storage rests on Sundays.")

    monkeypatch.setattr(intake, "take_in", refuse)
    assert "The storage rests on Sundays." in text_of(hand_in(place, ("a.pdf", pdf_bytes())))
