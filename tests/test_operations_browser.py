"""The live pages in a real browser: they change by themselves, say truthfully how, and work with keys alone, in both themes and widths."""

from __future__ import annotations

import re
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from dashboard import summary
from tasks.models import Task
from tests.browser_tools import chromium, make_polls_quick, pytestmark, root, visit, world  # noqa: F401 - fixtures
from tests.commands import Place, free_port, wait_until
from tests.factories import database_now, make_task

PATHS = (
    "/operations/",
    "/operations/?status=failed",
    "/operations/tasks/",
    "/operations/tasks/act/?verb=cancel&status=enqueued",
    "/operations/maintenance/",
)


@pytest.fixture(autouse=True)
def fresh_numbers():
    summary.shared.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_operators_pages_have_no_serious_barrier_in_either_theme(world, root, visit, scheme: str) -> None:  # noqa: F811
    site, found = visit(root, color_scheme=scheme, reduced_motion="reduce"), []
    for path in PATHS:
        page = site.open(path)
        for fold in page.locator("details:not(.menu) > summary").all():
            fold.click()
        for fault in Axe().run(page).response["violations"]:
            if fault["impact"] in ("serious", "critical"):
                found.append((path, fault["id"], [node["html"][:120] for node in fault["nodes"][:3]]))
    assert found == [] and site.complaints == []


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_no_operators_page_scrolls_sideways(world, root, visit, width: int) -> None:  # noqa: F811
    site = visit(root)
    site.page.set_viewport_size({"width": width, "height": 800})
    for path in PATHS:
        page = site.open(path)
        assert (
            page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        ), path
        assert page.locator("h1").count() == 1


def quicker(page) -> None:
    def answer(route) -> None:
        got = route.fetch()
        route.fulfill(
            response=got,
            body=got.text()
            .replace('data-poll-seconds="10"', 'data-poll-seconds="0.2"')
            .replace('data-least-seconds="1"', 'data-least-seconds="0.1"'),
        )

    page.route("**/operations/", answer)


def test_the_list_offers_what_is_new_and_moves_only_when_asked(world, root, visit, settings) -> None:  # noqa: F811
    settings.WEB_WORKERS = 0
    site = visit(root)

    def answer(route) -> None:
        got = route.fetch()
        quick = got.text().replace('data-poll-seconds="10"', 'data-poll-seconds="0.2"')
        route.fulfill(response=got, body=quick.replace('data-least-seconds="2"', 'data-least-seconds="0.1"'))

    site.page.route("**/operations/tasks/?*", answer)
    page = site.open("/operations/tasks/?status=enqueued")
    rows = page.locator("tbody tr")
    number = rows.count()
    task = Task.objects.filter(status="enqueued").first()
    make_task(task.extraction)
    pill = page.locator("#news a")
    expect(pill).to_have_text("1 new task: show it")
    assert rows.count() == number, "nothing moves under the pointer"
    pill.click()
    expect(rows).to_have_count(number + 1)
    expect(pill).to_have_count(0)
    page.goto("about:blank")  # no look is under way when the rows go
    page.wait_for_timeout(500)
    assert site.complaints == []


def test_numbers_change_without_a_reload_and_an_open_table_stays_open(world, root, visit, settings) -> None:  # noqa: F811
    settings.WEB_WORKERS = 0  # every look is a new reading
    site = visit(root)
    quicker(site.page)
    page = site.open("/operations/")
    page.locator("#table-time > summary").click()
    expect(page.locator("#state-enqueued")).to_have_attribute("data-number", "4")
    Task.objects.filter(pk=world.tasks.filter(status="enqueued").first().pk).update(
        status="cancelled", finished_at=database_now()
    )
    expect(page.locator("#state-enqueued")).to_have_attribute("data-number", "3", timeout=5000)
    expect(page.locator("#state-cancelled")).to_have_attribute("data-number", "1")
    assert page.locator("#table-time").get_attribute("open") is not None
    assert site.complaints == []


def test_r_pauses_and_goes_on_and_the_indicator_says_so(world, root, visit, settings) -> None:  # noqa: F811
    settings.WEB_WORKERS = 0
    site = visit(root)
    quicker(site.page)
    page = site.open("/operations/")
    indicator = page.locator("[data-indicator]")
    expect(indicator).to_have_text("Polling every 10 s")
    page.keyboard.press("r")
    expect(indicator).to_have_text("Paused")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "fragment" in request.url else None)
    page.wait_for_timeout(800)
    assert asked == []
    page.locator("#q, #id_last").first.focus()
    page.keyboard.press("r")
    expect(indicator).to_have_text("Paused"), "typing in a field is typing"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("r")
    expect(indicator).to_have_text("Polling every 10 s")
    wait_until(lambda: page.wait_for_timeout(50) or asked, 5, "asking again")


def test_the_sheet_shows_the_keys_of_this_page_and_switches_them_off(world, root, visit) -> None:  # noqa: F811
    page = visit(root).open("/operations/tasks/")
    page.keyboard.press("?")
    sheet = page.locator("[data-keys]")
    expect(sheet).to_be_visible()
    expect(sheet.locator("kbd:visible")).to_have_text(["?", "/", "Esc"])
    sheet.locator("[data-keys-on]").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(sheet).to_be_hidden()
    page.reload()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "q"


def test_tasks_are_picked_and_cancelled_by_keyboard_alone(world, root, visit) -> None:  # noqa: F811
    site = visit(root)
    page = site.open("/operations/tasks/?status=enqueued")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"

    def tab_to(selector: str) -> None:
        for _ in range(80):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} is not reached by Tab")

    tab_to("[data-pick-all]")
    page.keyboard.press("Space")
    assert page.locator("input[name=task]:checked").count() == 4
    page.evaluate("document.getElementById('main').focus()")
    tab_to("#bulk-cancel")
    page.keyboard.press("Enter")
    expect(page.locator("form b").first).to_contain_text("4 tasks are concerned.")
    tab_to("#reason")
    page.keyboard.type("not needed")
    page.keyboard.press("Enter")
    expect(page.locator(".notices")).to_contain_text("4 cancelled")
    assert Task.objects.filter(status="cancelled").count() == 4


def test_a_tile_leads_to_a_list_of_its_length_and_the_filter_comes_along(world, root, visit) -> None:  # noqa: F811
    page = visit(root).open("/operations/")
    page.locator("#id_client").select_option(label="Nordwind & Söhne")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile(rf"client={world.client_id}"))
    number = int(page.locator("#state-failed").get_attribute("data-number"))
    page.locator("#state-failed").click()
    expect(page).to_have_url(
        re.compile(rf"status=failed.*client={world.client_id}|client={world.client_id}.*status=failed")
    )
    expect(page.locator("tbody tr")).to_have_count(number)
    page.go_back()
    expect(page.locator("#id_client")).to_have_value(str(world.client_id))


def test_a_finished_page_stops_asking_and_says_so(world, root, visit) -> None:  # noqa: F811
    task = world.tasks.get(document__original_name="good.pdf")
    page = visit(root).open(f"/tasks/{task.pk}/")
    expect(page.locator("[data-indicator]")).to_have_text("Finished: not updated any more")


# With real web processes


@pytest.fixture(scope="module")
def served(place: Place):
    code = (
        "from django.contrib.auth.models import User; User.objects.create_superuser('ana', password='x');"
        "from tests.factories import *; e = make_extraction(make_client('Nord'), make_agent('r')); make_task(e); make_task(e)"
    )
    assert place.run("migrate", "-v0").returncode == 0
    run = place.run("shell", "--no-imports", "-c", code)
    assert run.returncode == 0, run.stderr
    port = free_port()
    process = place.begin("up", "--only", "web", "--port", port, "--workers", 2)
    from tests.test_live import _answers

    wait_until(lambda: _answers(f"http://127.0.0.1:{port}/login/"), 60, "the pages")
    yield place, f"http://127.0.0.1:{port}", process
    process.terminate()
    process.wait(20)


def test_live_polling_and_disconnected_are_told_in_time(served, chromium) -> None:  # noqa: F811
    place, address, process = served
    context = chromium.new_context(base_url=address)
    page = context.new_page()
    page.goto("/login/")
    page.locator("input[name=username]").fill("ana")
    page.locator("input[name=password]").fill("x")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/")
    page.goto("/operations/")
    indicator, waiting = page.locator("[data-indicator]"), page.locator("#state-enqueued")
    expect(indicator).to_have_text("Live", timeout=10_000)

    code = (
        "from tasks.models import *; from tasks import notify, operations; from tasks.audit import Actor;"
        "operations.cancel(Actor.system('test'), [Task.objects.filter(status='enqueued').first().pk]); notify.notifier().flush()"
    )
    begun = time.monotonic()
    assert place.run("shell", "--no-imports", "-c", code).returncode == 0
    expect(waiting).to_have_attribute("data-number", "1", timeout=6000)
    assert time.monotonic() - begun < 10, "sooner than the next poll alone would have been"

    # A proxy swallows the stream: the polls say what happens, and the page says that they do
    page.route("**/live/", lambda route: route.abort())
    page.evaluate("window.dispatchEvent(new Event('pagehide'))")
    expect(indicator).to_have_text("Polling every 10 s", timeout=15_000)

    process.terminate()
    process.wait(20)
    expect(indicator).to_have_text(re.compile(r"Disconnected since \d"), timeout=15_000)
    expect(page.locator(".is-stale")).to_have_count(1)
    context.close()
