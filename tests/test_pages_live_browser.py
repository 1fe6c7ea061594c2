"""Pages in a real browser change by themselves and steal nothing; they say when they are cut off and when the work has ended."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tasks.models import Task
from tests import browser_tools
from tests.browser_tools import make_polls_quick, pytestmark, quicker  # noqa: F401
from tests.factories import database_now, make_client, make_extraction, make_user

chromium, root, visit, world = (
    browser_tools.chromium,
    browser_tools.root,
    browser_tools.visit,
    browser_tools.world,
)


CONNECTED = re.compile("^(live|polling)$")


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


def test_the_end_is_told_however_soon_it_follows(world, root, visit) -> None:
    site = visit(root)
    make_polls_quick(site.page)
    page = site.open(f"/extractions/{world.pk}/")
    expect(page.locator("[data-indicator]")).to_have_attribute("data-state", CONNECTED)
    waiting = world.tasks.filter(status__in=("enqueued", "processing")).order_by("status", "id")
    first = waiting[0]
    Task.objects.filter(pk=first.pk).update(status="cancelled", finished_at=database_now())
    expect(page.locator("#spoken")).to_contain_text("4 of 8", timeout=9000)
    waiting.update(
        status="cancelled",
        finished_at=database_now(),
        locked_by=None,
        lease_owner=None,
        lease_expires_at=None,
    )
    expect(page.locator("[data-indicator]")).to_have_attribute("data-state", "finished", timeout=9000)
    expect(page.locator("#spoken")).to_contain_text("8 of 8", timeout=1000)
    assert site.complaints == []


def test_the_list_of_extractions_changes_by_itself(world, root, visit) -> None:
    site = visit(root)
    site.page.route("**/extractions/", lambda route: quicker(route))
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
    site.page.route("**/extractions/*", lambda route: quicker(route))
    site.page.route("**/extractions/", lambda route: quicker(route))
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
