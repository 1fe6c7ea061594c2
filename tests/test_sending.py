"""Files that come one by one: each is in once whatever is repeated or comes at the same time, and an extraction that is being sent says so."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client as Browser
from django.urls import reverse

from tasks import intake, maintenance, pruning, receiving
from tasks.alerts import rounds
from tasks.audit import Actor
from tasks.models import AuditEntry, Client, Document, Extraction, ExtractionWatch, Membership, Notice, Task
from tasks.storage import get_storage
from tests.factories import database_now, make_agent, make_client, make_user, pdf_bytes
from tests.queue_tools import together
from tests.test_web_upload import text_of

ACTOR = Actor.system("test")


class Sender:
    """An auditor's browser, and the extraction that it sends files to."""

    def __init__(self, browser: Browser) -> None:
        self.audited, self.agent = make_client("Nordwind"), make_agent("reader")
        self.user = make_user("alice", "Auditor", clients=(self.audited,), email="alice@example.com")
        self.browser, self.key = browser, uuid4()
        browser.force_login(self.user)

    def post(self, address: str, **data):
        return self.browser.post(address, data, headers={"accept": "application/json"})

    def begin(self, **data):
        fields = {"client": self.audited.pk, "agent": self.agent.pk, "engagement": "", "key": self.key.hex}
        return self.post(reverse("upload"), sending="more", **{**fields, **data})

    @property
    def extraction(self) -> Extraction:
        return Extraction.objects.get(key=self.key)

    def send(self, *files: tuple[str, bytes], sending: str = "more", **data):
        address = reverse("upload_more", args=(self.extraction.pk,))
        return self.post(
            address, files=[SimpleUploadedFile(*file) for file in files], sending=sending, **data
        )

    def read(self) -> list[str]:
        return list(self.extraction.tasks.values_list("document__original_name", flat=True))


@pytest.fixture
def sender(db, client: Browser) -> Sender:
    made = Sender(client)
    assert made.begin().status_code == 201
    return made


def gone_silent(extraction: Extraction) -> None:
    """Minutes pass in which its sender says nothing."""
    Extraction.objects.filter(pk=extraction.pk).update(more_until=database_now() - timedelta(seconds=1))


A, B = ("a.pdf", pdf_bytes(title="a")), ("b.pdf", pdf_bytes(title="b"))


# Once


def test_files_one_by_one_become_one_extraction_whose_tasks_wait_before_the_last_one_has_come(sender) -> None:
    first = sender.send(A)
    assert (first.status_code, first.json()["refused"]) == (200, [])
    assert sender.read() == ["a.pdf"] and sender.extraction.more_until > database_now()
    assert Task.objects.get().status == "enqueued"
    sender.send(B)
    done = sender.send(sending="end", left_out='[["empty", "c.pdf"]]').json()
    assert done["url"] == reverse("extraction", args=(sender.extraction.pk,))
    assert sender.read() == ["a.pdf", "b.pdf"] and sender.extraction.more_until is None
    assert [entry["name"] for entry in sender.extraction.refused] == ["c.pdf"]


def test_a_beginning_whose_answer_was_lost_finds_the_same_extraction(sender) -> None:
    assert sender.begin().json()["more"] == reverse("upload_more", args=(sender.extraction.pk,))
    assert Extraction.objects.count() == 1
    elsewhere = make_client("Elsewhere")
    Membership.objects.create(user=sender.user, client=elsewhere)
    assert sender.begin(client=elsewhere.pk).status_code == 403, "nothing meant for one gets to another"
    other = Browser()
    other.force_login(make_user("bob", "Auditor", clients=(sender.audited,)))
    sender.browser = other
    assert sender.begin().status_code == 403, "nobody gets into somebody else's by its key"
    assert Extraction.objects.count() == 1


@pytest.mark.parametrize(
    "file",
    [A, ("locked.pdf", pdf_bytes(password="x")), ("broken.pdf", pdf_bytes(6)[:300]), ("empty.pdf", b""), ("no.pdf", b"text")],
    ids=lambda file: file[0],
)  # fmt: skip
def test_a_file_that_comes_again_gets_the_same_answer_and_changes_nothing(sender, file) -> None:
    def state() -> tuple:
        return Task.objects.count(), Document.objects.count(), sender.extraction.refused

    first, before = sender.send(file), state()
    for _time in range(2):
        again = sender.send(file)
        assert (again.status_code, again.json()) == (first.status_code, first.json())
        assert state() == before
    stored = {document.storage_name for document in Document.objects.all()}
    assert set(get_storage().names("")) == stored


def test_a_file_that_is_read_again_or_was_read_in_vain_before_is_in_once_under_whatever_name(sender) -> None:
    intake.take_in(ACTOR, client=sender.audited, agent=sender.agent, uploads=[intake.Upload("first.pdf", io.BytesIO(A[1]))])  # fmt: skip
    known = sender.send(A).json()["refused"]
    assert [entry["code"] for entry in known] == ["duplicate"] and sender.send(A).json()["refused"] == known
    assert len(sender.extraction.refused) == 1 and not sender.read()
    for _time in range(2):
        assert sender.send(A, run_again="on").json()["refused"] == []
    assert sender.extraction.tasks.count() == 1


def test_a_copy_under_another_name_is_listed_once_beside_the_first(sender) -> None:
    sender.send(A)
    for _time in range(2):
        (entry,) = sender.send(("copy.pdf", A[1])).json()["refused"]
        assert entry["code"] == "duplicate" and "“a.pdf” beside it" in entry["sentence"]
    locked = pdf_bytes(password="x")
    sender.send(("l.pdf", locked))
    sender.send(("m.pdf", locked))
    named = [(entry["name"], entry["code"]) for entry in sender.extraction.refused]
    assert named == [("copy.pdf", "duplicate"), ("l.pdf", "encrypted"), ("m.pdf", "duplicate")]


def test_a_locked_file_that_was_opened_meanwhile_stays_opened_when_it_comes_again(sender) -> None:
    locked = ("l.pdf", pdf_bytes(password="right"))
    sender.send(locked)
    intake.unlock(ACTOR, sender.extraction, {Document.objects.get().pk: "right"})
    assert sender.send(locked).json()["refused"] == []
    assert sender.extraction.tasks.count() == 1 and sender.extraction.refused == []


def test_different_broken_files_of_one_name_are_listed_each(sender) -> None:
    for content in (b"one", b"two", b"two"):
        sender.send(("notes.pdf", content))
    assert len(sender.extraction.refused) == 2


@pytest.mark.django_db(transaction=True)
def test_the_same_and_other_files_at_the_same_moment_are_in_once_each(transactional_db) -> None:
    audited, agent, key = make_client(), make_agent(), uuid4()
    files = [(f"{n}.pdf", pdf_bytes(title=str(n))) for n in range(3)] + [("broken.pdf", b"no")]

    def send(name: str, content: bytes):
        def act() -> list:
            try:
                extraction = intake.begin(ACTOR, key, client=audited, agent=agent)
                return intake.add(ACTOR, extraction, [intake.Upload(name, io.BytesIO(content))], more=True)
            finally:
                connection.close()

        return act

    answers = together(*(send(*file) for file in files * 4))
    extraction = Extraction.objects.get()
    assert extraction.tasks.count() == Document.objects.count() == 3
    assert [entry["name"] for entry in extraction.refused] == ["broken.pdf"]
    assert [[entry["code"] for entry in answer] for answer in answers] == [[], [], [], ["not_pdf"]] * 4
    assert len(list(get_storage().names(""))) == 3


def test_a_file_that_a_given_up_line_delivers_late_does_not_open_again_what_was_closed(sender) -> None:
    sender.send(sending="end")
    sender.send(A)
    assert sender.read() == ["a.pdf"] and sender.extraction.more_until is None
    sender.send()
    assert sender.extraction.more_until, "who sends on says so first"


# Limits and rights


def test_the_limit_of_files_holds_over_all_requests_and_repeats_are_free(sender, settings) -> None:
    settings.UPLOAD_MAX_FILES = 3
    for file in (A, B, ("no.pdf", b"text"), A, B):
        assert sender.send(file).status_code == 200
    more = sender.send(("c.pdf", pdf_bytes(title="c")))
    assert more.status_code == 400 and "has 3 files, and at most 3 " in text_of(more)
    assert not Document.objects.filter(original_name="c.pdf").exists()
    assert len(list(get_storage().names(""))) == 2, "what was stored for it is taken back"
    assert sender.send(sending="end", left_out='[["empty", "d.pdf"]]').status_code == 200


def test_files_without_bytes_are_listed_as_far_as_those_that_a_browser_leaves_out(
    sender, monkeypatch
) -> None:
    """Each costs its sender nothing, and all of them stand in one row that each request writes anew."""
    monkeypatch.setattr(receiving, "MOST_LEFT_OUT", 3)
    for number in range(5):
        (entry,) = sender.send((f"{number}.pdf", b"")).json()["refused"]
        assert entry["code"] == "empty"
    sender.send(sending="end", left_out='[["limit", "5.pdf"]]')
    assert [entry["name"] for entry in sender.extraction.refused] == ["0.pdf", "1.pdf", "2.pdf"]
    assert sender.send(A).json()["refused"] == [] and sender.read() == ["a.pdf"]


def test_each_request_is_asked_anew_who_sends_and_whether_it_may(sender) -> None:
    sender.send(A)
    Membership.objects.all().delete()
    assert sender.send(B).status_code == 404 and sender.begin(key=uuid4().hex).status_code == 400
    Membership.objects.create(user=sender.user, client=sender.audited)
    sender.user.groups.clear()
    assert sender.send(B).status_code == 403
    sender.browser.logout()
    answer = sender.send(B)
    assert answer.status_code == 401 and "Sign in again in another tab" in text_of(answer)
    assert sender.read() == ["a.pdf"]


def test_what_may_pass_is_a_503_and_what_will_not_is_a_400(sender, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(maintenance, "sentence", lambda: "Closed until noon.")
        closed = sender.send(A)
    assert closed.status_code == 503 and "Closed until noon." in text_of(closed)

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(type(get_storage()), "put", full)
        assert sender.send(A).status_code == 503
    Client.objects.update(is_paused=True, deletion_began_at=database_now())
    assert sender.send(A).status_code == 400
    Client.objects.update(deletion_began_at=None)
    Extraction.objects.update(pruned_at=database_now())
    gone = sender.send(A)
    assert gone.status_code == 400 and "nothing is added" in text_of(gone)
    assert sender.send(("no.pdf", b"text")).status_code == sender.send().status_code == 400
    assert not Document.objects.exists() and not list(get_storage().names(""))


def test_only_those_who_operate_begin_one_with_a_priority(sender) -> None:
    assert sender.begin(key=uuid4().hex, priority="30").status_code == 403


def test_a_colleague_adds_to_it_under_their_own_name(sender) -> None:
    sender.browser.force_login(make_user("bob", "Auditor", clients=(sender.audited,)))
    sender.send(A)
    assert AuditEntry.objects.latest("pk").actor_name == "bob"


# Being sent, broken off, ended


def page_of(sender: Sender, name: str = "extraction") -> str:
    return text_of(sender.browser.get(reverse(name, args=(sender.extraction.pk,))))


def complete(extraction: Extraction) -> None:
    for task in extraction.tasks.all():
        Task.objects.filter(pk=task.pk).update(status="cancelled", finished_at=database_now())


def test_an_extraction_that_is_being_sent_is_never_done_and_one_whose_sender_has_gone_is_like_others(sender) -> None:  # fmt: skip
    assert "the files are still being sent" in page_of(sender)
    sender.send(A)
    complete(sender.extraction)
    page, overview = page_of(sender), text_of(sender.browser.get(reverse("extractions")))
    assert "Files are still being sent" in page and "data-final" not in page and "being sent" in overview
    gone_silent(sender.extraction)
    page, overview = page_of(sender), text_of(sender.browser.get(reverse("extractions")))
    assert "sending broke off before its end" in page and "data-final" in page
    assert reverse("upload_more", args=(sender.extraction.pk,)) in page and "sending broke off" in overview
    sender.browser.post(reverse("upload_more", args=(sender.extraction.pk,)), {"sending": "end"})
    page = page_of(sender)
    assert "broke off" not in page and "still being sent" not in page and "data-final" in page


def test_one_that_was_begun_and_never_got_a_file_says_so_and_nobody_is_asked_to_go_on_with_it(sender) -> None:
    def told() -> tuple[str, str, str]:
        pages = [text_of(sender.browser.get(reverse(name))) for name in ("extractions", "upload")]
        return page_of(sender), pages[0], pages[1]

    address = reverse("upload_more", args=(sender.extraction.pk,))
    gone_silent(sender.extraction)
    page, overview, upload = told()
    assert "No file has arrived" in page and "Files may be missing" not in page and address in page
    assert "no file arrived" in overview and "sending broke off" not in overview and address not in upload
    sender.send(("no.pdf", b"text"))
    gone_silent(sender.extraction)
    page, overview, upload = told()
    assert "Files may be missing" in page and "No file has arrived" not in page
    assert "sending broke off" in overview and "no file arrived" not in overview and address in upload


def test_the_list_that_is_taken_away_says_where_files_may_be_missing(sender) -> None:
    def listed() -> str:
        answer = sender.browser.get(reverse("extractions_csv"))
        (line,) = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig")))
        return line["sending"]

    sender.browser.cookies["django_language"] = "de"  # what is for programs is English
    assert listed() == "being sent"
    gone_silent(sender.extraction)
    assert listed() == "no file arrived"
    sender.send(A)
    gone_silent(sender.extraction)
    assert listed() == "broke off"
    sender.send(sending="end")
    assert listed() == ""


def test_the_form_for_more_files_is_gone_with_what_was_deleted(sender) -> None:
    address = reverse("upload_more", args=(sender.extraction.pk,))
    assert "Drop PDF files" in text_of(sender.browser.get(address))
    Client.objects.update(is_paused=True, deletion_began_at=database_now())
    answer = sender.browser.get(address)
    assert answer.status_code == 410 and "All data of this client were deleted" in text_of(answer)
    Client.objects.update(deletion_began_at=None)
    Extraction.objects.update(pruned_at=database_now())
    for answer in (
        sender.browser.get(address),
        sender.browser.post(address, {"files": [SimpleUploadedFile(*A)]}),
    ):
        assert answer.status_code == 410 and "Drop PDF files" not in text_of(answer)
        assert "after their retention time" in text_of(answer)


def test_whoever_waits_for_its_end_is_told_when_all_has_come_or_the_sender_has_gone(sender, settings) -> None:
    settings.CAN_MAIL = True
    ExtractionWatch.objects.create(extraction=sender.extraction, user=sender.user)
    sender.send(A)
    complete(sender.extraction)
    assert rounds.extractions_ended() == 0
    gone_silent(sender.extraction)
    assert rounds.extractions_ended() == 1 and Notice.objects.count() == 1


def test_exports_say_that_files_may_be_missing(sender) -> None:
    sender.send(A)

    def export(name: str) -> tuple[str, bytes]:
        answer = sender.browser.get(reverse(name, args=(sender.extraction.pk,)))
        return answer.headers["Content-Disposition"], b"".join(answer.streaming_content)

    for name in ("results_csv", "results_json", "results_xlsx"):
        assert "-incomplete." in export(name)[0]
    assert b'"files_may_be_missing": true' in export("results_json")[1]
    sender.send(sending="end")
    assert "incomplete" not in export("results_csv")[0]
    assert b'"files_may_be_missing": false' in export("results_json")[1]


def test_what_is_on_its_way_is_not_pruned(sender) -> None:
    Extraction.objects.update(created_at=database_now() - timedelta(days=90))
    assert pruning.scope(timedelta(days=30)).extractions == 0
    gone_silent(sender.extraction)
    assert pruning.scope(timedelta(days=30)).extractions == 1


def test_who_comes_back_finds_it_and_the_page_knows_what_has_arrived(sender) -> None:
    sender.send(A)
    sender.send(("no.pdf", b"text"))
    address = reverse("upload_more", args=(sender.extraction.pk,))
    assert address in text_of(sender.browser.get(reverse("upload")))
    page = page_of(sender, "upload_more")
    assert Document.objects.get().sha256 in page and sender.extraction.refused[0]["sha256"] in page
    assert "Nothing is missing" in page and 'name="client"' not in page
    sender.send(sending="end")
    assert address not in text_of(sender.browser.get(reverse("upload")))
    assert "Nothing is missing" not in page_of(sender, "upload_more")


def test_without_a_script_the_rest_is_sent_as_one_form(sender) -> None:
    sender.send(A)
    gone_silent(sender.extraction)
    address = reverse("upload_more", args=(sender.extraction.pk,))
    assert "Choose at least one file." in text_of(sender.browser.post(address, {}))
    answer = sender.browser.post(address, {"files": [SimpleUploadedFile(*file) for file in (A, B)]})
    assert answer.url == reverse("extraction", args=(sender.extraction.pk,))
    assert sender.read() == ["a.pdf", "b.pdf"] and sender.extraction.more_until is None
    assert sender.extraction.refused == []


def test_a_sender_that_only_says_that_it_is_there_leaves_no_trail(sender) -> None:
    before = AuditEntry.objects.count()
    sender.send()
    sender.send(sending="end")
    assert AuditEntry.objects.count() == before
