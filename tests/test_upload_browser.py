"""Handing in in a real browser: files listed before they are sent, what is refused, passwords, lost connections, no JavaScript."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tasks.models import Document
from tests.browser_tools import chromium, pytestmark, root, visit, world  # noqa: F401 - fixtures
from tests.factories import (
    make_client,
    pdf_bytes,
)  # fmt: skip


def files_for(tmp_path: Path) -> list[Path]:
    made = {
        "a.pdf": pdf_bytes(title="a"),
        "b.pdf": pdf_bytes(title="b"),
        "empty.pdf": b"",
        "notes.pdf": b"no pdf at all",
    }
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    return [tmp_path / name for name in made]


def test_picked_files_are_listed_before_sending_with_what_is_left_out_and_why(world, root, visit, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    site, files = visit(root), files_for(tmp_path)
    page = site.open("/upload/")
    send = page.locator("[data-send]")
    expect(send).to_be_disabled()
    expect(send).to_have_accessible_description("Choose at least one PDF file first.")
    page.locator("#id_files").set_input_files(files[2:])
    expect(send).to_be_disabled()
    expect(send).to_have_accessible_description("None of these files can be handed in. · 2 left out")
    page.locator("#id_files").set_input_files(files)
    expect(page.locator("[data-list] > li")).to_have_count(4)
    expect(page.locator("[data-summary]")).to_contain_text("2 to send")
    expect(page.locator("[data-list]")).to_contain_text("this file is empty")
    expect(page.locator("[data-list]")).to_contain_text("not a PDF")
    page.locator("#id_files").set_input_files(files[:1])  # picked twice, listed once
    expect(page.locator("[data-list] > li")).to_have_count(4)
    page.get_by_role("button", name="Remove: b.pdf").click()
    expect(page.locator("[data-summary]")).to_contain_text("1 to send")
    page.locator("[data-send]").click()
    page.wait_for_url(re.compile(r"/extractions/\d+/$"))
    expect(page.locator("#rows")).to_contain_text("a.pdf")
    expect(page.locator("#refused")).to_contain_text("2 files were not taken")
    expect(page.locator("#refused tr", has_text="empty.pdf")).to_contain_text("This file is empty (0 bytes).")
    expect(page.locator("#refused tr", has_text="notes.pdf")).to_contain_text("not a PDF")
    assert Document.objects.filter(original_name="a.pdf").count() == 1
    assert site.complaints == []


def test_a_wrong_password_leads_back_to_its_field_with_the_reason(world, root, visit, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "mine.pdf").write_bytes(pdf_bytes(password="right"))
    site = visit(root)
    page = site.open("/upload/")
    page.locator("#id_files").set_input_files(tmp_path / "mine.pdf")
    page.locator("[data-send]").click()
    page.wait_for_url(re.compile(r"/extractions/\d+/$"))
    field = page.get_by_label("mine.pdf")
    for typed, reason in (("", "Type the password of at least one file."), ("Right", "This password does not open the file. Capital and small letters differ.")):  # fmt: skip
        field.fill(typed)
        page.get_by_role("button", name="Open and read").click()
        expect(field).to_be_focused()
        expect(field).to_have_accessible_description(reason)
    field.fill("right")
    page.keyboard.press("Enter")
    expect(page.locator("#rows")).to_contain_text("mine.pdf")
    assert site.complaints == []


def test_a_refused_form_and_a_lost_connection_keep_the_list(world, root, visit, tmp_path: Path) -> None:  # noqa: F811
    make_client("Second")  # with two clients none is chosen yet
    site = visit(root)
    page = site.open("/upload/")
    page.locator("#id_client").select_option(label="Nordwind & Söhne")
    page.locator("#id_files").set_input_files(files_for(tmp_path)[:2])
    expect(page.locator("[data-summary]")).to_contain_text("2 to send")
    page.evaluate("Sending.TRIES = 2")
    page.route("**/upload/", lambda route: route.abort())
    page.locator("[data-send]").click()
    expect(page.locator("[data-sentence]")).to_contain_text("Next try in 1 s")
    expect(page.locator("[data-problem]")).to_contain_text("The connection broke off")
    page.unroute("**/upload/")
    page.route("**/upload/", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    page.locator("[data-send]").click()
    expect(page.locator("[data-problem]")).to_contain_text("answer 502")
    page.unroute("**/upload/")
    expect(page.locator("[data-list] > li")).to_have_count(2)
    page.locator("[data-send]").click()
    page.wait_for_url(re.compile(r"/extractions/\d+/$"))


def test_more_files_than_the_limit_are_refused_before_sending_and_none_is_lost(world, root, visit, settings, tmp_path: Path) -> None:  # noqa: F811 # fmt: skip
    settings.UPLOAD_MAX_FILES = 1
    site = visit(root)
    page = site.open("/upload/")
    page.locator("#id_files").set_input_files(files_for(tmp_path)[:2])
    expect(page.locator("[data-problem]")).to_contain_text(
        "These are 2 files; at most 1 can be handed in at once."
    )
    expect(page.locator("[data-send]")).to_be_disabled()
    page.get_by_role("button", name="Remove: b.pdf").click()
    expect(page.locator("[data-send]")).to_be_enabled()


def test_the_form_works_without_javascript(world, root, visit, tmp_path: Path) -> None:  # noqa: F811
    site = visit(root, java_script_enabled=False)
    page = site.open("/upload/")
    page.locator("#id_client").select_option(label="Nordwind & Söhne")
    page.locator("#id_files").set_input_files(files_for(tmp_path))
    page.get_by_role("button", name="Hand in").click()
    page.wait_for_url(re.compile(r"/extractions/\d+/$"))
    expect(page.locator("#rows tr")).to_have_count(2)
    expect(page.locator("#refused")).to_contain_text("This file is empty (0 bytes).")
    expect(page.locator("[data-indicator]")).to_have_text("Reload the page to see changes")
