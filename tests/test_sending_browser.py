"""Hundreds of files from a real browser over a bad line: cables pulled, answers lost, servers killed, people signed out; none is in twice."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from threading import Event, Lock

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import QuerySet
from playwright.sync_api import Page, expect

from tasks.models import Document, Extraction, Membership, Task
from tests.browser_tools import Site, chromium, pytestmark, root, visit, world  # noqa: F401 - fixtures
from tests.callback_proxy import Proxy, whole
from tests.commands import ROOT, free_port, wait_until
from tests.factories import make_client, make_user, pdf_bytes

DONE = re.compile(r"/extractions/\d+/$")
OPENED = re.compile(r"/upload/\d+/$")


@pytest.fixture
def sent(world, root):  # noqa: F811
    """What arrives, told apart from what the world holds already."""
    before = set(Task.objects.values_list("pk", flat=True))

    def names() -> list[str]:
        new = Task.objects.exclude(pk__in=before)
        return sorted(new.values_list("document__original_name", flat=True))

    return names


def folder(tmp_path: Path, number: int) -> Path:
    made = tmp_path / "invoices"
    made.mkdir()
    for n in range(number):
        (made / f"{n:03}.pdf").write_bytes(pdf_bytes(title=str(n)))
    return made


class Line(Proxy):
    """Between a browser and a server. `carries(number)` says of each request with a file what comes through: "both" it and its answer, "request" or "nothing"."""

    def __init__(self, port: int) -> None:
        self.files, self.carries, self._lock = 0, lambda _number: "both", Lock()
        super().__init__(port, seed=0)

    def _pass_on(self, line: socket.socket, _mishap: str) -> None:
        with line, suppress(OSError):
            request = whole(line)
            carried = "both"
            if b'name="files"' in request:
                with self._lock:
                    self.files += 1
                    carried = self.carries(self.files)
            if carried == "nothing":
                return
            answer = self._ask(request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
            if carried == "both":
                line.sendall(answer)


@pytest.fixture
def through(live_server, chromium) -> Iterator[Callable[..., tuple[Site, Line]]]:  # noqa: F811
    """Opens the site as somebody, by a line that can be broken."""
    opened: list[tuple[Site, Line]] = []

    def make(user) -> tuple[Site, Line]:
        line = Line(live_server.thread.port)
        opened.append((Site(chromium, line.url, user), line))
        return opened[-1]

    yield make
    for site, line in opened:
        site.context.close()
        line.close()


def meanwhile(rows: QuerySet) -> str:
    """Deletes rows while a request is on its way, by a connection of its own."""
    rows.delete()
    connection.close()
    return "both"


def in_once(names: list[str], number: int) -> bool:
    return names == [f"{n:03}.pdf" for n in range(number)]


def test_five_hundred_from_a_folder_with_the_cable_pulled_at_two_hundred(sent, root, through, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    (site, line), files = through(root), folder(tmp_path, 500)
    page = site.open("/upload/")
    page.evaluate("Sending.TRIES = 3")
    line.carries = lambda n: "both" if n < 200 else "request" if n == 200 else "nothing"
    page.locator("#id_folder").set_input_files(files)
    expect(page.locator("[data-summary]")).to_contain_text("500 to send")
    page.locator("[data-send]").click()
    expect(page.locator("[data-problem]")).to_contain_text("The connection broke off", timeout=120_000)
    arrived = len(sent())
    assert 197 <= arrived <= 200 and OPENED.search(page.url)
    not_sent = page.locator("[data-list] > li").filter(has_text="not sent")
    assert not_sent.count() == 0, "it is the line, and no file"
    expect(page.locator("[data-send]")).to_have_text("Try the rest again")
    expect(page.locator("[data-sentence]")).to_contain_text(re.compile(r"\d+ of 500 files sent"))

    # The page is loaded anew, the cable plugged in, and the folder dropped again: what has arrived is known
    page.reload()
    line.files, line.carries = 0, lambda _number: "both"
    page.locator("#id_folder").set_input_files(files)
    expect(page.locator("[data-summary]")).to_contain_text(f"{500 - arrived} to send", timeout=60_000)
    expect(page.locator("[data-summary]")).to_contain_text(f"{arrived} already here")
    page.locator("[data-send]").click()
    page.wait_for_url(DONE, timeout=120_000)
    assert line.files == 500 - arrived and in_once(sent(), 500)
    extraction = Extraction.objects.latest("pk")
    assert extraction.tasks.count() == 500 and extraction.refused == [] and extraction.more_until is None


def test_every_fifth_request_and_every_seventh_answer_is_lost_and_each_file_is_in_once(sent, root, through, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    site, line = through(root)
    page = site.open("/upload/")
    line.carries = lambda n: "nothing" if n % 5 == 0 else "request" if n % 7 == 0 else "both"
    page.locator("#id_folder").set_input_files(folder(tmp_path, 40))
    page.locator("[data-send]").click()
    page.wait_for_url(DONE, timeout=90_000)
    assert in_once(sent(), 40) and Extraction.objects.latest("pk").refused == []


def test_dropped_again_on_the_same_page_or_tried_again_by_hand_the_rest_is_sent(sent, root, through, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    (site, line), files = through(root), folder(tmp_path, 20)
    page = site.open("/upload/")
    page.evaluate("Sending.TRIES = 1")
    line.carries = lambda n: "both" if n < 5 else "nothing"
    page.locator("#id_folder").set_input_files(files)
    page.locator("[data-send]").click()
    problem = page.locator("[data-problem]")
    expect(problem).to_contain_text("The connection broke off", timeout=30_000)
    line.files, line.carries = 0, lambda n: "both" if n < 7 else "nothing"
    page.locator("#id_folder").set_input_files(files)  # goes on by itself
    expect(problem).to_be_hidden()
    expect(problem).to_be_visible(timeout=30_000)
    assert 0 < len(sent()) < 20
    line.carries = lambda _number: "both"
    page.get_by_role("button", name="Try the rest again").click()
    page.wait_for_url(DONE, timeout=60_000)
    assert in_once(sent(), 20)


@contextmanager
def serving(port: int, storage: str) -> Iterator[subprocess.Popen]:
    """The pages by gunicorn, killed at the end with all its processes."""
    command = [sys.executable, "-m", "gunicorn", "-c", "python:agentaudit.gunicorn", "tests.standin.own_pages:application"]  # fmt: skip
    environment = {
        "PORT": str(port), "WEB_WORKERS": "2", "DEBUG": "1", "STORAGE_URL": storage,
        "NAME_OF_TEST_DATABASE": connection.settings_dict["NAME"],
    }  # fmt: skip
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | environment, start_new_session=True)
    try:
        yield process
    finally:
        os.killpg(process.pid, 9)
        process.wait()


def test_a_server_that_is_killed_and_comes_back_is_waited_for(sent, root, chromium, settings, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    port = free_port()
    site = Site(chromium, f"http://127.0.0.1:{port}", root)
    try:
        with serving(port, settings.STORAGE_URL):
            page = wait_until(lambda: reachable(site), 60, "the server")
            page.locator("#id_folder").set_input_files(folder(tmp_path, 120))
            page.locator("[data-send]").click()
            wait_until(lambda: len(sent()) > 30, 60, "the first files")
        expect(page.locator("[data-sentence]")).to_contain_text("Next try in", timeout=30_000)
        assert len(sent()) < 120
        with serving(port, settings.STORAGE_URL):
            page.wait_for_url(DONE, timeout=90_000)
    finally:
        site.context.close()
    assert in_once(sent(), 120) and Document.objects.filter(original_name="000.pdf").count() == 1
    assert max(Counter(sent()).values()) == 1


def reachable(site: Site) -> Page | None:
    try:
        return site.open("/upload/")
    except Exception:
        return None


def test_who_is_signed_out_meanwhile_signs_in_in_another_tab_and_goes_on(sent, world, through, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    site, line = through(make_user("nora", "Auditor", clients=(world.client,)))
    page = site.open("/upload/")
    line.carries = lambda n: meanwhile(Session.objects.all()) if n == 6 else "both"
    page.locator("#id_folder").set_input_files(folder(tmp_path, 15))
    page.locator("[data-send]").click()
    expect(page.locator("[data-problem]")).to_contain_text("You are signed out", timeout=30_000)
    assert 0 < len(sent()) < 15
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Sign in in another tab").click()
    tab = popup.value
    tab.get_by_label("Username").fill("nora")
    tab.get_by_label("Password").fill("a-long-enough-password")
    tab.keyboard.press("Enter")
    expect(tab).not_to_have_url(re.compile("/login/"))
    page.get_by_role("button", name="Try the rest again").click()
    page.wait_for_url(DONE, timeout=60_000)
    assert in_once(sent(), 15)


def test_a_client_that_is_taken_away_meanwhile_stops_it_with_a_sentence(sent, world, through, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    user = make_user("nora", "Auditor", clients=(world.client,))
    site, line = through(user)
    page = site.open("/upload/")
    line.carries = lambda n: meanwhile(Membership.objects.filter(user=user)) if n == 4 else "both"
    page.locator("#id_folder").set_input_files(folder(tmp_path, 12))
    page.locator("[data-send]").click()
    expect(page.locator("[data-problem]")).to_contain_text("something that you may not see", timeout=30_000)
    assert len(sent()) < 12 and Task.objects.exclude(client=world.client).count() == 0


def test_each_file_says_what_became_of_it_and_one_voice_says_it_seldom(sent, world, root, through, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    make_client("Second")
    (site, line), files = through(root), folder(tmp_path, 30)
    page = site.open("/upload/")
    (files / "broken.pdf").write_bytes(pdf_bytes(6)[:300])
    (files / "copy.pdf").write_bytes((files / "000.pdf").read_bytes())
    page.locator("#id_client").select_option(label="Nordwind & Söhne")
    page.evaluate(
        """() => {
          window.said = [];
          const region = document.querySelector("[data-spoken]");
          new MutationObserver(() => said.push([performance.now(), region.textContent])).observe(region, { childList: true });
        }"""
    )
    page.evaluate("Sending.TRIES = 1")
    line.carries = lambda n: "both" if n < 29 else "nothing"
    page.locator("#id_folder").set_input_files(files)
    page.locator("[data-send]").click()
    expect(page.locator("[data-problem]")).to_be_visible(timeout=30_000)
    row = page.locator("[data-list] > li")
    expect(row.filter(has_text="001.pdf")).to_contain_text("taken")
    expect(row.filter(has_text="029.pdf")).to_contain_text("waiting")
    expect(page.get_by_role("link", name="See what has arrived")).to_have_attribute("href", DONE)
    assert page.locator("[aria-live], [role=status]").count() == 1
    page.wait_for_timeout(5500)
    times = [at for at, _words in page.evaluate("said")]
    assert times and all(later - sooner > 4900 for sooner, later in pairwise(times))
    line.carries = lambda _number: "both"
    page.get_by_role("button", name="Try the rest again").click()
    page.wait_for_url(DONE, timeout=60_000)
    expect(page.locator("#refused")).to_contain_text("broken.pdf")
    expect(page.locator("#repeats")).to_contain_text("copy.pdf")


def test_files_that_are_added_while_the_end_is_said_are_sent_as_well(sent, root, visit, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    first, second = sorted(folder(tmp_path, 2).iterdir())
    page = visit(root).open("/upload/")
    page.evaluate(
        """() => {
          const { end } = Sending.prototype, { arrayBuffer } = Blob.prototype;
          Sending.prototype.end = async function (leftOut) {
            Sending.prototype.end = end;
            await new Promise((resolve) => Object.assign(window, { goOn: resolve }));
            return this.end(leftOut);
          };
          window.slow = () => {
            Blob.prototype.arrayBuffer = async function () {
              await new Promise((resolve) => setTimeout(resolve, 1500));
              return arrayBuffer.call(this);
            };
          };
        }"""
    )
    page.locator("#id_files").set_input_files(first)
    page.locator("[data-send]").click()
    wait_until(lambda: page.evaluate("Boolean(window.goOn)"), 30, "the end")
    page.evaluate("slow()")
    page.locator("#id_files").set_input_files(second)
    page.evaluate("goOn()")
    page.wait_for_url(DONE)
    assert in_once(sent(), 2)


def test_while_files_go_up_how_far_it_is_stands_above_them_and_more_can_be_dropped(sent, root, through, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    (site, line), files = through(root), sorted(folder(tmp_path, 12).iterdir())
    page = site.open("/upload/")
    drop, progress, rows = page.locator(".drop"), page.locator("progress"), page.locator("[data-list]")
    expect(drop).to_contain_text("Drop PDF files, folders or ZIP archives here")
    arrived = Event()
    line.carries = lambda n: "both" if n < 8 or arrived.wait(30) else "nothing"
    page.locator("#id_files").set_input_files(files[:10])
    page.locator("[data-send]").click()
    expect(drop).to_contain_text("Drop more files here: they are sent as well")
    above, field, below = (part.bounding_box()["y"] for part in (progress, drop, rows))
    assert field < above < below
    page.evaluate(
        """(texts) => {
          const data = new DataTransfer();
          for (const [name, text] of texts) data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
          document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        [(file.name, b64encode(file.read_bytes()).decode()) for file in files[10:]],
    )
    expect(page.locator("[data-sentence]")).to_contain_text("of 12 files sent")
    arrived.set()
    page.wait_for_url(DONE, timeout=60_000)
    assert in_once(sent(), 12)


def test_that_a_file_is_here_already_is_no_fault_and_a_refusal_is(sent, root, through, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    (site, line), files = through(root), folder(tmp_path, 2)
    page = site.open("/upload/")
    (files / "000 copy.pdf").write_bytes((files / "000.pdf").read_bytes())
    (files / "broken.pdf").write_bytes(pdf_bytes(6)[:300])
    (files / "last.pdf").write_bytes(pdf_bytes(title="last"))
    page.evaluate("Sending.TRIES = 1; Sending.LANES = 1")
    line.carries = lambda n: (
        "both" if n < 5 else "nothing"
    )  # the last one does not arrive, so that the list stays
    page.locator("#id_folder").set_input_files(files)
    page.locator("[data-send]").click()
    expect(page.locator("[data-problem]")).to_be_visible(timeout=30_000)
    there, refused = (
        page.locator("[data-list] > li").filter(has_text=text) for text in ("already here", "refused")
    )
    expect(refused).to_have_count(1)
    colour = "element => getComputedStyle(element.querySelector('.note')).color"
    assert there.evaluate(colour) != refused.evaluate(colour)
    assert there.evaluate(colour) == page.locator("#summary").evaluate("e => getComputedStyle(e).color")
