"""Pages in a real browser: accessible in both themes and at every width, live without stealing anything, uploads with JavaScript."""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings as django_settings
from django.test import Client as Browser
from playwright.sync_api import Page, expect, sync_playwright

from tasks.models import Extraction, Task
from tasks.storage import get_storage
from tests.factories import (
    PASSWORD,
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_completed,
    make_document,
    make_extraction,
    make_task,
    make_user,
    pdf_bytes,
    result_json,
)  # fmt: skip

CONNECTED = re.compile("^(live|polling)$")
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path(CHROMIUM).exists(), reason="No Chromium here. Type: apt-get install -y chromium"
    ),
]
# Playwright's loop runs in this thread; the live server's database work happens in threads of its own
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Site:
    """The live server, somebody signed in, and every complaint of the browser's console."""

    def __init__(self, chromium, url: str, user, **options):
        self.url, self.complaints = url, []
        self.context = chromium.new_context(viewport={"width": 1280, "height": 900}, base_url=url, **options)
        signed_in = Browser()
        signed_in.force_login(user)
        cookie = signed_in.cookies[django_settings.SESSION_COOKIE_NAME].value
        self.context.add_cookies([{"name": django_settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}])
        self.page = self.context.new_page()
        self.page.on(
            "console",
            lambda message: (
                self.complaints.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, path: str) -> Page:
        self.page.goto(path, wait_until="load")
        return self.page


@pytest.fixture
def visit(live_server, chromium) -> Iterator[Callable[..., Site]]:
    """Opens the site as somebody; every page is closed before the test's settings and rows go."""
    opened: list[Site] = []

    def make(user, **options) -> Site:
        opened.append(Site(chromium, live_server.url, user, **options))
        return opened[-1]

    yield make
    for site in opened:
        site.context.close()


@pytest.fixture
def world(transactional_db):
    """An extraction with a document in every state; the groups come back with the migration's own function."""
    from importlib import import_module

    from django.apps import apps
    from django.db import connection

    migration = import_module("tasks.migrations.0003_groups_and_first_agent")
    with connection.schema_editor() as editor:
        if not apps.get_model("auth", "Group").objects.exists():
            migration.fill(apps, editor)
    extraction = make_extraction(
        make_client("Nordwind & Söhne"), make_agent("reader", title="Reads invoices"), engagement="Year-end",
        refused=[{"name": "notes.docx", "code": "not_pdf", "sentence": "This file is not a PDF, whatever its name says.", "document_id": None, "task_id": None}],
    )  # fmt: skip
    audited = extraction.client
    locked = make_document(audited, "locked.pdf", pages=None, needs_password=True)
    extraction.refused.append(
        {
            "name": "locked.pdf",
            "code": "encrypted",
            "sentence": "This PDF is encrypted and needs a password to open.",
            "document_id": locked.pk,
            "task_id": None,
        }
    )
    extraction.save()
    make_completed(extraction, make_document(audited, "good.pdf"), result=result_json())
    make_completed(
        extraction,
        make_document(audited, "doubtful.pdf"),
        result=result_json(confidence=0.62, needs_review=True),
    )
    failed = make_task(extraction, make_document(audited, "failed.pdf"))
    attempt = make_attempt(failed, "failed", error_code="no_pages", error_message="This PDF has no pages.")
    Task.objects.filter(pk=failed.pk).update(
        status="failed",
        finished_at=attempt.finished_at,
        error_code="no_pages",
        error_message="This PDF has no pages.",
    )
    running = make_task(extraction, make_document(audited, "running.pdf", pages=30))
    attempt = make_attempt(running, "running", pages_done=12, pages_total=30)
    Task.objects.filter(pk=running.pk).update(
        status="processing", locked_by="worker:x", lease_owner=attempt.worker, lease_expires_at=attempt.deadline_at, current_attempt=attempt.pk
    )  # fmt: skip
    for number in range(4):
        make_task(extraction, make_document(audited, f"waiting-{number}.pdf"))
    return extraction


@pytest.fixture
def root(world):
    return make_user("root", is_staff=True, is_superuser=True)


def paths_of(extraction: Extraction) -> list[str]:
    tasks = {task.document.original_name: task.pk for task in extraction.tasks.select_related("document")}
    here = f"/extractions/{extraction.pk}/"
    return [
        "/", "/upload/", "/extractions/", here, f"{here}?state=failed", f"{here}cancel/", f"/tasks/{tasks['doubtful.pdf']}/",
        f"/tasks/{tasks['failed.pdf']}/", f"/tasks/{tasks['waiting-0.pdf']}/", f"/tasks/{tasks['doubtful.pdf']}/pages/1/", "/nowhere/",
    ]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_barrier_in_either_theme(world, root, visit, scheme: str) -> None:
    site = visit(root, color_scheme=scheme, reduced_motion="reduce")
    found = []
    for path in [*paths_of(world), "/login/"]:
        if path == "/login/":
            site.context.clear_cookies()
        site.open(path)
        for fault in Axe().run(site.page).response["violations"]:
            if fault["impact"] in ("serious", "critical"):
                found.append((path, fault["id"], [node["html"][:120] for node in fault["nodes"][:3]]))
    assert found == []
    assert [text for text in site.complaints if "404" not in text] == []


@pytest.mark.parametrize(("width", "language"), [(320, "en"), (320, "de"), (768, "en"), (1280, "de")])
def test_no_page_scrolls_sideways(world, root, visit, width: int, language: str) -> None:
    site = visit(root)
    site.context.add_cookies([{"name": "django_language", "value": language, "url": site.url}])
    site.page.set_viewport_size({"width": width, "height": 800})
    for path in [
        *paths_of(world),
        "/operations/",
        "/operations/tasks/",
        "/operations/tasks/?status=failed",
        "/operations/actions/",
        "/operations/maintenance/",
        "/costs/",
    ]:
        site.open(path)
        over = site.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert over <= 0, f"{path} is {over} px too wide"
        assert site.page.locator("h1").count() == 1, path


def test_a_phone_shows_confidence_below_the_field_and_hides_no_amount_without_a_hint(
    world, root, visit
) -> None:
    site = visit(root)
    site.page.set_viewport_size({"width": 390, "height": 800})
    page = site.open(f"/tasks/{world.tasks.get(document__original_name='doubtful.pdf').pk}/")
    rows = page.locator("section:has(> header > #record-1) tbody tr")
    expect(rows.first.locator("th")).to_contain_text("%")
    expect(rows.first.locator("td.number")).to_be_hidden()
    for table in page.locator("#result .scroll").all():
        over = table.evaluate("it => it.scrollWidth - it.clientWidth")
        shadow = table.evaluate("it => getComputedStyle(it).backgroundAttachment")
        assert over <= 0 or "local" in shadow
    starts = page.locator("#course details[open] li > span:first-of-type").evaluate_all(
        "its => its.map(it => it.getBoundingClientRect().left)"
    )
    assert len(starts) > 2 and len(set(starts)) == 1, "moments stand in line"


def test_places_are_outlines_until_one_is_asked_for(world, root, visit) -> None:
    site = visit(root)
    task = world.tasks.get(document__original_name="doubtful.pdf")  # all its values stand in one place
    look = "it => [getComputedStyle(it).fill, getComputedStyle(it).stroke].map(colour => colour != 'none')"
    page = site.open(f"/tasks/{task.pk}/pages/1/")
    painted = page.locator(".sheet rect").evaluate_all(f"its => its.map({look})")
    assert painted.count([False, True]) == 1 and painted.count([False, False]) == len(painted) - 1 > 1
    for anchor in ("0-supplier", "0-1-amount"):
        site.open(f"/tasks/{task.pk}/pages/1/#box-{anchor}")
        assert page.locator(f"[id='box-{anchor}'] rect").evaluate(look) == [True, True]


def test_the_admin_works_under_our_policy(world, root, visit) -> None:
    site = visit(root)
    task = world.tasks.first()
    for path in ("", "tasks/task/", f"tasks/task/{task.pk}/change/", "tasks/agent/", f"tasks/agent/{world.agent_id}/change/",
                 "tasks/membership/add/", "tasks/price/add/", "auth/user/add/", "tasks/auditentry/"):  # fmt: skip
        site.open(f"/admin/{path}")
    site.open("/admin/tasks/membership/add/")
    site.page.locator(".select2-selection").first.click()
    site.page.locator(".select2-search__field").fill("Nord")
    expect(site.page.locator(".select2-results__option").first).to_contain_text("Nordwind")
    site.open("/admin/tasks/task/")
    site.page.locator("#action-toggle").check()
    site.page.locator("select[name=action]").select_option("cancel")
    site.page.locator("button[name=index]").click()
    expect(site.page.locator("#content")).to_contain_text("8 rows are concerned.")
    site.page.locator("#id_reason").fill("test")
    site.page.locator("input[type=submit]").click()
    expect(site.page.locator(".messagelist")).to_contain_text("5 cancelled, 3 skipped")
    assert site.complaints == []


def make_polls_quick(page: Page) -> None:
    """The page asks every 10 s; here every 0.2 s, by the attribute that says so."""
    page.route("**/extractions/*/", lambda route: _quicker(route))


def _quicker(route) -> None:
    answer = route.fetch()
    route.fulfill(
        response=answer, body=answer.text().replace('data-poll-seconds="10"', 'data-poll-seconds="0.2"')
    )


def test_rows_change_by_themselves_and_nothing_is_stolen(world, root, visit) -> None:
    site = visit(root)
    make_polls_quick(site.page)
    page = site.open(f"/extractions/{world.pk}/")
    expect(page.locator("[data-indicator]")).to_have_attribute("data-state", CONNECTED)
    password = page.locator("input[type=password]")
    password.fill("half a pass")
    first, other = world.tasks.filter(status="enqueued").order_by("id")[:2]
    # One that waits moves up in line, and one that has ended grows older: those rows change
    still = world.tasks.get(status="processing")
    page.evaluate("pk => { document.getElementById('task-' + pk).dataset.mark = 'kept'; }", still.pk)
    Task.objects.filter(pk=first.pk).update(status="cancelled", finished_at=database_now())
    expect(page.locator(f"#task-{first.pk}")).to_contain_text("Cancelled", timeout=9000)
    expect(page).to_have_title(re.compile(r"^\(4/8\)"))
    expect(page.locator("#spoken")).to_contain_text("4 of 8")
    assert page.locator(f"#task-{still.pk}").get_attribute("data-mark") == "kept", (
        "a row that did not change is left alone"
    )
    assert password.input_value() == "half a pass"
    assert page.evaluate("document.activeElement.type") == "password"

    page.locator(f"#open-{other.pk}").focus()
    Task.objects.filter(pk=other.pk).update(status="cancelled", finished_at=database_now())
    expect(page.locator(f"#task-{other.pk}")).to_contain_text("Cancelled", timeout=9000)
    assert page.evaluate("document.activeElement.id") == f"open-{other.pk}", (
        "focus stays on the row that was replaced"
    )
    assert site.complaints == []


def test_the_list_of_extractions_changes_by_itself(world, root, visit) -> None:
    site = visit(root)
    site.page.route("**/extractions/", lambda route: _quicker(route))
    page = site.open("/extractions/")
    expect(page.locator("[data-indicator]")).to_have_attribute("data-state", CONNECTED)
    row = page.locator(f"#extraction-{world.pk}")
    expect(row).to_contain_text("3 / 8")
    page.locator(f"#to-{world.pk}").focus()
    Task.objects.filter(pk=world.tasks.filter(status="enqueued")[0].pk).update(
        status="cancelled", finished_at=database_now()
    )
    expect(row).to_contain_text("4 / 8", timeout=9000)
    assert page.evaluate("document.activeElement.id") == f"to-{world.pk}"
    newer = make_extraction(make_client("Südwind"), world.agent)
    expect(page.locator("#extractions tr").first).to_contain_text("Südwind", timeout=9000)
    expect(page.locator("#extractions tr")).to_have_count(2)
    page.locator(f"#to-{newer.pk}").click()
    page.wait_for_url(f"**/extractions/{newer.pk}/")
    assert site.complaints == []


def test_an_empty_list_fills_by_itself_and_the_filter_comes_with_the_first_row(world, root, visit) -> None:
    empty = make_client("Leer")
    site = visit(make_user("ann", "Auditor", clients=(empty,)))
    site.page.route("**/extractions/*", lambda route: _quicker(route))
    site.page.route("**/extractions/", lambda route: _quicker(route))
    page = site.open("/extractions/?mine=1")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    expect(page.get_by_role("button", name="Show")).to_be_visible()
    page = site.open("/extractions/")
    expect(page.get_by_role("heading", name="No extractions yet")).to_be_visible()
    expect(page.locator("[data-indicator]")).to_have_attribute("data-state", CONNECTED)
    for hidden in (page.locator("table"), page.get_by_role("button", name="Show")):
        expect(hidden).to_be_hidden()
    make_extraction(empty, world.agent)
    expect(page.locator("#extractions tr")).to_contain_text("Leer", timeout=9000)
    expect(page.get_by_role("heading", name="No extractions yet")).to_be_hidden()
    expect(page.get_by_role("button", name="Show")).to_be_visible()
    assert site.complaints == []


def test_whoever_waits_for_an_extraction_is_told_once_by_the_browser_when_it_has_ended(
    world, root, visit
) -> None:
    site = visit(root)
    site.context.grant_permissions(["notifications"])
    site.context.add_init_script(
        """window.told = []; const Real = window.Notification;
        window.Notification = class extends Real {
            constructor(title, options) { super(title, options); window.told.push([title, options.body]); }
        };"""
    )
    make_polls_quick(site.page)
    page = site.open(f"/extractions/{world.pk}/")
    page.get_by_role("button", name="Tell me when it has ended").click()
    expect(page.locator("[data-awaited]")).to_be_visible()
    site.open(f"/extractions/{world.pk}/")  # what a redirect leads to passes the route by
    ended = {"status": "cancelled", "finished_at": database_now()}
    world.tasks.filter(status="enqueued").update(**ended)
    expect(page).to_have_title(re.compile(r"^\(7/8\)"), timeout=9000)
    assert page.evaluate("told") == []
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    world.tasks.filter(status="processing").update(
        **ended, locked_by=None, lease_owner=None, lease_expires_at=None, current_attempt=None
    )
    expect(page.locator("[data-await]")).to_be_hidden(timeout=9000)
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    page.keyboard.press("r")
    expect(page.locator("[data-indicator]")).to_have_text("Finished: not updated any more")
    title, body = page.evaluate("told")[0]
    assert "Nordwind & Söhne" in title and body.startswith("8 of 8 documents done")
    page.evaluate("new Promise(done => setTimeout(done, 700))")  # some polls later
    assert len(page.evaluate("told")) == 1 and site.complaints == []


def test_the_indicator_says_when_the_connection_is_gone_and_comes_back(world, root, visit) -> None:
    site = visit(root)
    make_polls_quick(site.page)
    page = site.open(f"/extractions/{world.pk}/")
    indicator = page.locator("[data-indicator]")
    page.route("**/fragment/**", lambda route: route.abort())
    expect(indicator).to_have_text(re.compile(r"Disconnected since \d"), timeout=5000)
    page.unroute("**/fragment/**")
    expect(indicator).to_have_attribute("data-state", CONNECTED, timeout=5000)


def test_signed_out_meanwhile_reads_as_disconnected_and_keeps_the_page(world, root, visit) -> None:
    site = visit(root)
    make_polls_quick(site.page)
    page = site.open(f"/extractions/{world.pk}/")
    site.context.clear_cookies()
    expect(page.locator("[data-indicator]")).to_have_text(re.compile("Disconnected"), timeout=5000)
    expect(page.locator("#rows tr")).to_have_count(8)


@pytest.mark.parametrize(("width", "least"), [(390, 90), (1280, 210)])
def test_the_place_of_each_value_is_seen_at_every_width(world, root, visit, width: int, least: int) -> None:
    site = visit(root)
    site.page.set_viewport_size({"width": width, "height": 800})
    page = site.open(f"/tasks/{world.tasks.get(document__original_name='good.pdf').pk}/")
    quotes = page.locator("#result .quote:visible", has_text="Page 1")
    assert quotes.count() >= 1
    assert all(box.bounding_box()["width"] >= least for box in quotes.all())


def test_a_value_leads_to_its_place_on_the_page_and_the_place_to_its_value(world, root, visit) -> None:
    site, task = visit(root), world.tasks.get(document__original_name="doubtful.pdf")
    get_storage().put(task.document.storage_name, io.BytesIO(pdf_bytes()))
    page = site.open(f"/tasks/{task.pk}/")
    page.locator("tr", has_text="Supplier").get_by_role("link", name="Page 1").locator(
        "visible=true"
    ).first.click()
    expect(page).to_have_url(re.compile("/pages/1/#box-0-supplier$"))
    expect(page.locator(".sheet img")).to_have_js_property("complete", True)
    assert page.evaluate("document.querySelector('.sheet img').naturalWidth") > 500
    chosen = page.locator("#box-0-supplier rect")
    expect(chosen).to_be_in_viewport()
    strokes = "names => names.map(name => getComputedStyle(document.querySelector(`#box-0-${name} rect`)).strokeWidth)"
    assert page.evaluate(strokes, ["supplier", "total"]) == ["2.5px", "1px"]
    page.locator("#box-0-total").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#value-0-total$"))
    expect(page.locator("#value-0-total")).to_be_in_viewport()
    assert site.complaints == []


def test_keys_lead_to_each_value_that_needs_a_look_and_hide_the_frames(world, root, visit) -> None:
    site, task = visit(root), world.tasks.get(document__original_name="doubtful.pdf")
    get_storage().put(task.document.storage_name, io.BytesIO(pdf_bytes()))
    page = site.open(f"/tasks/{task.pk}/pages/1/")
    flagged = page.locator("[data-flagged]").evaluate_all(
        "its => its.map(it => it.id.replace('value-', '#box-'))"
    )
    assert flagged == ["#box-0-total"]
    for anchor in (*flagged, flagged[0]):
        page.keyboard.press("f")
        expect(page).to_have_url(re.compile(f"{anchor}$"))
    expect(page.locator("#box-0-total rect")).to_be_visible()
    page.keyboard.press("h")
    expect(page.locator("#box-0-total rect")).to_be_hidden()
    page.keyboard.press("h")
    expect(page.locator("#box-0-total rect")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("[data-keys]")).to_contain_text("Next value that needs a look")
    assert site.complaints == []


def test_a_picture_that_must_wait_says_so_and_comes_by_itself(world, root, visit) -> None:
    """It read "cannot be drawn" where the server only had others to draw first."""
    task = Task.objects.get(document__original_name="doubtful.pdf")
    get_storage().put(task.document.storage_name, io.BytesIO(pdf_bytes(1)))
    site, asked = visit(root), []

    def answer(route) -> None:
        asked.append(route)
        if len(asked) > 3:
            route.continue_()
        else:
            route.fulfill(
                status=503, headers={"Retry-After": "0.2"}, content_type="text/plain", body="Others first."
            )

    site.page.route("**/*.webp", answer)
    page = site.open(f"/tasks/{task.pk}/pages/1/")
    expect(page.get_by_role("status")).to_have_text("Others first.")
    expect(page.locator("[data-picture-note]")).to_be_hidden()
    expect(page.locator(".sheet img")).to_be_visible()
    expect(page.locator(".sheet img")).to_have_js_property("complete", True)
    assert page.evaluate("document.querySelector('.sheet img').naturalWidth") > 500
    assert len(asked) <= 5, "the picture that was fetched is the one that is shown"
    site.complaints.clear()


def test_a_picture_that_will_never_come_says_why(world, root, visit) -> None:
    task = Task.objects.get(document__original_name="doubtful.pdf")
    site = visit(root)
    page = site.open(f"/tasks/{task.pk}/pages/1/")
    expect(page.get_by_role("status")).to_contain_text(
        "The file of this document is not where it was stored."
    )
    expect(page.locator(".sheet img")).to_be_hidden()
    site.complaints.clear()


def test_the_whole_title_of_a_chosen_agent_can_be_read_however_long_it_is(world, root, visit) -> None:
    title = (
        "Reads invoices, receipts, credit notes and quotations of suppliers from abroad, with their line items and "
        * 2
    )
    make_agent("long", title=title[:200])
    site = visit(root)
    page = site.open("/upload/")
    whole = page.locator("#id_agent + .help")
    page.locator("#id_agent").select_option(label="Reads invoices")
    expect(whole).to_be_hidden()
    height = page.locator("#id_client").bounding_box()["height"]
    page.locator("#id_agent").select_option(label=title[:200].strip())
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 900})
        expect(whole).to_be_visible()
        box = whole.bounding_box()
        assert whole.inner_text() == title[:200].strip() and box["x"] + box["width"] <= width
        assert whole.evaluate("e => e.scrollWidth <= e.clientWidth")
        assert page.locator("#id_client").bounding_box()["height"] == height, (
            "its neighbours stay as they are"
        )
    assert site.complaints == []


def test_a_title_stands_below_its_list_where_the_list_cuts_it_and_nowhere_else(world, root, visit) -> None:
    make_agent("contracts", title="Contracts, read by rules on this machine")
    page = visit(root).open("/upload/")
    page.locator("#id_agent").select_option(label="Contracts, read by rules on this machine")
    whole, shown = page.locator("#id_agent + .help"), set()
    for width in range(330, 430, 10):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        is_cut = page.evaluate(IS_CUT)
        assert whole.is_visible() is is_cut, width
        shown.add(is_cut)
    assert shown == {True, False}


IS_CUT = """() => {
  const select = document.getElementById("id_agent"), look = getComputedStyle(select), pen = document.createElement("canvas").getContext("2d");
  pen.font = look.font;
  return pen.measureText(select.selectedOptions[0].text).width > select.clientWidth - parseFloat(look.paddingLeft) - parseFloat(look.paddingRight);
}"""


def test_what_narrows_the_list_of_extractions_stands_in_one_line(world, root, visit) -> None:
    site = visit(root)
    page = site.open("/extractions/")
    parts = [page.locator("#client"), page.get_by_text("Only mine"), page.get_by_role("button", name="Show")]
    for width, in_line in ((1280, parts), (390, parts[1:])):
        page.set_viewport_size({"width": width, "height": 900})
        boxes = [part.bounding_box() for part in in_line]
        middles = [box["y"] + box["height"] / 2 for box in boxes]
        assert max(middles) - min(middles) <= 1, (width, boxes)
    card = page.locator("section.card").bounding_box()
    assert card["width"] - parts[0].bounding_box()["width"] < 32, (
        "on a telephone the list takes the line above"
    )


BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def test_the_theme_switch_holds_over_pages(world, root, visit) -> None:
    site = visit(root, color_scheme="light")
    page = site.open("/")
    switch = page.get_by_role("button", name="Dark theme")
    light = page.evaluate(BACKGROUND)
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    page = site.open("/extractions/")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    dark = page.evaluate(BACKGROUND)
    assert dark != light
    page = site.open("/admin/")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark", "the admin keeps to it"
    assert page.evaluate(BACKGROUND) == dark, "and is as dark"


def test_the_keyboard_reaches_the_content_first_and_the_menu_closes(world, root, visit) -> None:
    site = visit(root)
    page = site.open("/extractions/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.locator("details.menu > summary").press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()


def test_signing_in_by_hand(world, root, visit) -> None:
    site = visit(root)
    site.context.clear_cookies()
    page = site.open("/extractions/")
    page.get_by_label("Username").fill("root")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/extractions/")
