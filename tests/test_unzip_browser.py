"""ZIP archives on the upload page in a real browser: unpacked there file by file, nothing in them believed, nothing beside a fault lost."""

from __future__ import annotations

import io
import os
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tasks.models import Document, Extraction, Task
from tasks.storage import get_storage
from tests.browser_tools import chromium, pytestmark, root, visit, world  # noqa: F401 - fixtures
from tests.factories import pdf_bytes

DONE = re.compile(r"/extractions/\d+/$")


def pdf(title: str) -> bytes:
    return pdf_bytes(title=title)


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def listing(archive: bytes, name: str) -> int:
    """Where the directory's entry of a name begins."""
    at = archive.rindex(name.encode(), 0, archive.rindex(b"PK\x05\x06")) - 46
    assert archive[at : at + 4] == b"PK\x01\x02"
    return at


def changed(archive: bytes, name: str, at: int, form: str, value: int) -> bytes:
    made = bytearray(archive)
    struct.pack_into(form, made, listing(archive, name) + at, value)
    return bytes(made)


class Upload:
    """The page, what was chosen on it, and what has arrived of it."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.folder, self.before = page, folder, set(Task.objects.values_list("pk", flat=True))

    def choose(self, **archives: bytes) -> None:
        for name, content in archives.items():
            (self.folder / f"{name}.zip").write_bytes(content)
        self.page.locator("#id_files").set_input_files(
            [self.folder / f"{name}.zip" for name in archives], timeout=60_000
        )

    def row(self, text: str):
        return self.page.locator("[data-list] > li").filter(has_text=text)

    def says(self, text: str) -> None:
        expect(self.page.locator("[data-summary]")).to_contain_text(text, timeout=60_000)

    def send(self) -> None:
        self.page.locator("[data-send]").click()
        self.page.wait_for_url(DONE, timeout=120_000)

    def arrived(self) -> dict[str, bytes]:
        new, storage = Task.objects.exclude(pk__in=self.before), get_storage()
        found = {}
        for document in Document.objects.filter(tasks__in=new):
            with storage.open(document.storage_name) as content:
                found[document.original_name] = content.read()
        return found


@pytest.fixture
def upload(world, root, visit, tmp_path: Path) -> Callable[[], Upload]:  # noqa: F811
    return lambda: Upload(visit(root).open("/upload/"), tmp_path)


def test_pdfs_arrive_byte_by_byte_however_they_are_packed_and_named(upload, monkeypatch) -> None:
    here = upload()
    stored = {"stored.pdf": pdf("stored")}
    deflated = {"2025/Q1/Müller & Söhne.PDF": pdf("a" * 5000), "2025/Q2/請求書.pdf": pdf("b")}
    old = packed({"B?cher-?.pdf": pdf("old")}).replace(b"B?cher-?", b"B\x81cher-\x9b")
    mac = packed({"Gro??er.pdf": pdf("mac")}).replace(b"Gro??er", "Großer".encode())
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            with archive.open(f"long-{number}.pdf", "w", force_zip64=True) as member:
                member.write(pdf(f"long-{number}"))
    long = out.getvalue()
    monkeypatch.undo()
    assert b"PK\x06\x06" in long and struct.unpack_from("<I", long, listing(long, "long-2.pdf") + 42) == (2**32 - 1,)  # fmt: skip
    here.choose(stored=packed(stored, zipfile.ZIP_STORED), deflated=packed(deflated), old=old, mac=mac, long=long)  # fmt: skip
    here.says("8 to send")
    here.send()
    assert here.arrived() == {
        **stored, "Müller & Söhne.PDF": pdf("a" * 5000), "請求書.pdf": pdf("b"), "Bücher-¢.pdf": pdf("old"), "Großer.pdf": pdf("mac"),
        **{f"long-{number}.pdf": pdf(f"long-{number}") for number in range(3)},
    }  # fmt: skip
    assert Extraction.objects.latest("pk").refused == []


def test_what_is_no_pdf_is_counted_and_what_systems_add_is_passed_over(upload) -> None:
    here = upload()
    files = {
        "./in/a.pdf": pdf("a"), "in/b.pdf": pdf("b"), "other/a.pdf": pdf("c"), "in/notes.txt": b"x", "in/list.xlsx": b"PK", "read me": b"x",
        "__MACOSX/in/._a.pdf": b"x", "in/.DS_Store": b"x", ".hidden/a.pdf": b"x", "in/lie.pdf": b"no pdf", "in/empty.pdf": b"",
        "in/inner.zip": packed({"deep.pdf": pdf("deep")}), "in/folder.pdf/": b"",
    }  # fmt: skip
    here.choose(pile=packed(files))
    here.says("3 to send")
    here.says("6 left out")
    expect(here.page.locator("[data-list] > li")).to_have_count(7)
    expect(here.row("pile.zip")).to_contain_text("3 files that are no PDFs were left out.")
    expect(here.row("lie.pdf")).to_contain_text("not a PDF")
    expect(here.row("empty.pdf")).to_contain_text("empty")
    expect(here.row("inner.zip")).to_contain_text("an archive inside the archive. Unpack it")
    here.send()
    refused = {entry["name"]: entry["sentence"] for entry in Extraction.objects.latest("pk").refused}
    assert set(refused) == {"pile.zip", "lie.pdf", "empty.pdf", "inner.zip"}
    assert refused["pile.zip"] == "This archive also holds files that are no PDFs; they were left out."
    assert Task.objects.exclude(pk__in=here.before).count() == 3


def test_a_fault_is_said_beside_the_file_that_has_it_and_the_others_go(upload) -> None:
    here, size = upload(), len(pdf("bad" * 2000))

    def archive(name: str, bad: bytes = pdf("bad" * 2000), **more) -> bytes:
        return packed({f"{name}.pdf": bad, f"{name}.good.pdf": pdf(name)}, **more)

    def lies(name: str, at: int, form: str, value: int, **more) -> bytes:
        return changed(archive(name, **more), f"{name}.pdf", at, form, value)

    broken = bytearray(archive("broken"))
    broken[60:64] = b"\xff\xff\xff\xff"
    archives = {
        "locked": lies("locked", 8, "<H", 1),
        "method": lies("method", 10, "<H", 12),
        "smaller": lies("smaller", 24, "<I", size - 1),
        "larger": lies("larger", 24, "<I", size + 1),
        "sum": lies("sum", 16, "<I", 7, method=zipfile.ZIP_STORED),
        "broken": bytes(broken),
        "bomb": lies("bomb", 24, "<I", 40_000, bad=b"%PDF-1.7" + bytes(300_000_000)),
    }
    here.choose(**archives)
    expect(here.row(".good.pdf")).to_have_count(7)
    expect(here.row("locked.pdf")).to_contain_text(
        "encrypted in its archive. Unpack the archive with its password"
    )
    expect(here.row("method.pdf")).to_contain_text("packed in a way that browsers cannot unpack.")
    here.send()
    assert here.arrived() == {f"{name}.good.pdf": pdf(name) for name in archives}
    left_out = {entry["name"]: entry["code"] for entry in Extraction.objects.latest("pk").refused}
    assert left_out == {
        f"{name}.pdf": f"zip_{name if name in ('locked', 'method') else 'damaged'}" for name in archives
    }


def most_memory(chromium) -> int:  # noqa: F811
    """Of the browser's pages, at their worst so far, in MiB."""
    processes = chromium.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    pages = [Path(f"/proc/{one['id']}/status").read_text() for one in processes if one["type"] == "renderer"]
    return max(int(re.search(r"VmHWM:\s+(\d+)", page)[1]) for page in pages) // 1024


def test_a_bomb_that_says_it_is_small_fills_no_memory(upload, chromium) -> None:  # noqa: F811
    here, out = upload(), io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.pdf", pdf("a"))
        with archive.open("bomb.pdf", "w") as bomb:
            bomb.write(b"%PDF-1.7")
            for _ in range(1000):
                bomb.write(bytes(1_000_000))
    here.choose(pile=changed(out.getvalue(), "bomb.pdf", 24, "<I", 40_000))
    here.says("to send")
    here.send()
    assert here.arrived() == {"a.pdf": pdf("a")}
    assert [entry["name"] for entry in Extraction.objects.latest("pk").refused] == ["bomb.pdf"]
    assert most_memory(chromium) < 500


def test_an_archive_that_cannot_be_trusted_is_left_out_as_a_whole(upload, settings) -> None:
    settings.UNZIP_MAX_BYTES, settings.UPLOAD_MAX_FILES = 40_000_000, 4
    here = upload()
    good = packed({"a.pdf": pdf("a"), "b.pdf": pdf("b")})
    inner = packed({"inner.zip": packed({"deep.pdf": pdf("deep")}), "b.pdf": pdf("b")}, zipfile.ZIP_STORED)
    one_fewer = bytearray(good)
    struct.pack_into("<H", one_fewer, len(good) - 12, 1)
    faults = {
        "cut": (good[: len(good) // 2], "cut short or damaged. Copy the archive again"),
        "cut-in-inner": (inner[: inner.rindex(b"b.pdf", 0, inner.rindex(b"PK\x01\x02")) - 30], "cut short or damaged"),
        "headless": (good[100:], "cut short or damaged"),
        "none": (b"no archive", "cut short or damaged"),
        "nothing": (b"", "empty"),
        "bare": (packed({}), "there are no PDFs in this archive"),
        "texts": (packed({"a.txt": b"x"}), "there are no PDFs in this archive"),
        "overlap": (changed(good, "b.pdf", 42, "<I", 0), "cut short or damaged"),
        "fewer": (bytes(one_fewer), "cut short or damaged"),
        "bomb": (packed({"a.pdf": b"%PDF-1.7" + bytes(30_000_000)}), "more than 100 times"),
        "huge": (changed(good, "a.pdf", 24, "<I", 40_000_001), "more than 38.1\xa0MB"),
        "many": (packed({f"{n}.pdf": pdf(str(n)) for n in range(5)}), "it holds more than 4 PDFs"),
    }  # fmt: skip
    here.choose(**{name: content for name, (content, _) in faults.items()}, good=good)
    here.says("2 to send")
    here.says(f"{len(faults)} left out")
    for name, (_, sentence) in faults.items():
        expect(here.row(re.compile(rf"^{name}\.zip"))).to_contain_text(sentence)
    here.send()
    assert here.arrived() == {"a.pdf": pdf("a"), "b.pdf": pdf("b")}


def test_a_browser_that_cannot_unpack_says_so_and_sends_nothing_of_it(world, root, visit, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    site = visit(root)
    site.page.add_init_script("window.DecompressionStream = class { constructor() { throw new TypeError(); } }")  # fmt: skip
    here = Upload(site.open("/upload/"), tmp_path)
    here.choose(pile=packed({"a.pdf": pdf("a")}, zipfile.ZIP_STORED))
    here.says("None of these files can be handed in.")
    expect(here.row("pile.zip")).to_contain_text("this browser cannot unpack archives. Update it, or")
    expect(here.page.locator("[data-send]")).to_be_disabled()


WATCH = """() => {
  window.most = window.held = 0;
  const { stream } = Blob.prototype, { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (body) {
    if (body.get?.("files")) {
      window.most = Math.max(window.most, ++window.held);
      this.addEventListener("loadend", () => (window.held -= 1));
    }
    return send.call(this, body);
  };
  Blob.prototype.arrayBuffer = new Proxy(Blob.prototype.arrayBuffer, { apply(call, blob, args) {
    window.largest = Math.max(window.largest ?? 0, blob.size);
    return Reflect.apply(call, blob, args);
  } });
}"""


def test_three_hundred_are_unpacked_in_their_turn_and_only_the_rest_goes_again(upload) -> None:
    here = upload()
    page = here.page
    page.evaluate(WATCH)
    files = {f"year/{n:03}.pdf": pdf(str(n)) for n in range(300)}
    page.evaluate("Sending.TRIES = 1")
    sent: list[int] = []

    def line(route) -> None:
        if b'name="files"' in (route.request.post_data_buffer or b""):
            sent.append(1)
            if len(sent) > 100:
                return route.abort()
        route.continue_()

    page.route("**/upload/**", line)
    archive = packed(files)
    here.choose(pile=archive)
    here.says("300 to send")
    page.locator("[data-send]").click()
    expect(page.locator("[data-problem]")).to_contain_text("The connection broke off", timeout=60_000)
    arrived = len(here.arrived())
    assert 90 < arrived <= 100
    assert page.evaluate("most") <= 4 and page.evaluate("largest") < 66_000

    page.unroute("**/upload/**")
    page.reload()
    sent.clear()
    page.route("**/upload/**", lambda route: (sent.append(b'name="files"' in (route.request.post_data_buffer or b"")), route.continue_()))  # fmt: skip
    page.locator("#id_files").set_input_files(here.folder / "pile.zip")
    here.says(f"{300 - arrived} to send")
    here.says(f"{arrived} already here")
    here.send()
    assert sum(sent) == 300 - arrived
    assert sorted(here.arrived()) == [f"{n:03}.pdf" for n in range(300)]
    assert Extraction.objects.latest("pk").refused == []


@pytest.mark.parametrize("is_changed", [False, True])
def test_an_archive_that_is_moved_away_while_it_is_sent_can_be_chosen_again(upload, is_changed: bool) -> None:
    here = upload()
    here.choose(pile=packed({"a.pdf": pdf("a"), "b.pdf": pdf("b")}))
    here.says("2 to send")
    (here.folder / "pile.zip").rename(here.folder / "elsewhere")
    here.page.locator("[data-send]").click()
    expect(here.row("cannot read this file any more")).to_have_count(2)
    expect(here.row("not sent")).to_have_count(2)
    (here.folder / "elsewhere").rename(here.folder / "pile.zip")
    if is_changed:
        os.utime(here.folder / "pile.zip", (1, 1))
    here.page.locator("#id_files").set_input_files(here.folder / "pile.zip")  # goes on by itself
    here.page.wait_for_url(DONE)
    assert sorted(here.arrived()) == ["a.pdf", "b.pdf"]
