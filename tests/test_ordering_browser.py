"""Sorted lists in a real browser: by keyboard, and live without losing their order or moving a row that somebody points at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tasks.models import Task
from tests.browser_tools import (  # noqa: F401 - fixtures
    chromium,
    make_polls_quick,
    pytestmark,
    root,
    visit,
    world,
)
from tests.factories import database_now

PICTURES = os.environ.get("PICTURES")


def names_of(page) -> list[str]:
    return page.locator("#rows a.name").all_inner_texts()


def test_a_list_is_sorted_by_keyboard_and_the_address_says_so(world, root, visit) -> None:  # noqa: F811
    site = visit(root)
    page = site.open(f"/extractions/{world.pk}/")
    head = page.locator("#sort-name")
    expect(page.locator("th[aria-sort=ascending]")).to_have_count(1)
    for way, address in (("descending", "?sort=-name"), ("ascending", "/")):
        head.focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"th[aria-sort={way}]")).to_have_count(1)
        expect(page.locator("th[aria-sort] a")).to_have_id("sort-name")
        assert names_of(page) == sorted(names_of(page), reverse=way == "descending")
        assert page.url.rstrip("?").endswith(address)
    page.go_back()
    expect(page.locator("th[aria-sort=descending]")).to_have_count(1)
    for _click in range(3):
        page.locator("#sort-confidence").click()
    expect(page.locator("th[aria-sort] a")).to_have_id("sort-name")  # their own order
    assert site.complaints == []


def test_live_rows_take_their_place_unless_somebody_points_at_the_list(world, root, visit) -> None:  # noqa: F811
    site = visit(root)
    make_polls_quick(site.page)
    site.page.route("**/extractions/*/?*", lambda route: quicker(route))
    page = site.open(f"/extractions/{world.pk}/?sort=state")
    waiting = list(world.tasks.filter(status="enqueued").select_related("document").order_by("id"))
    first, second = (task.document.original_name for task in waiting[:2])
    assert names_of(page)[0] == first
    page.locator(f"#task-{waiting[1].pk}").hover()
    Task.objects.filter(pk=waiting[0].pk).update(status="cancelled", finished_at=database_now())
    expect(page.locator(f"#task-{waiting[0].pk}")).to_contain_text("Cancelled", timeout=9000)
    page.wait_for_timeout(700)
    assert names_of(page)[0] == first, "nothing moves under the pointer"
    page.mouse.move(1, 1)
    expect(page.locator("#rows a.name").first).to_have_text(second, timeout=9000)
    assert names_of(page)[-1] == first and len(set(names_of(page))) == 8
    assert site.complaints == []


def quicker(route) -> None:
    answer = route.fetch()
    text = answer.text().replace('data-poll-seconds="10"', 'data-poll-seconds="0.2"')
    route.fulfill(response=answer, body=text)


@pytest.mark.parametrize("java_script", [True, False], ids=["script", "no script"])
def test_on_a_telephone_lists_are_sorted_by_columns_that_it_does_not_show(world, root, visit, java_script: bool) -> None:  # noqa: F811 # fmt: skip
    site = visit(root, java_script_enabled=java_script)
    page = site.open(f"/extractions/{world.pk}/?state=enqueued&size=25")
    order = page.get_by_label("Order")
    expect(order).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(order).to_have_value("name")
    expect(page.locator("#sort-attempts")).to_be_hidden()
    Task.objects.filter(document__original_name="waiting-2.pdf").update(attempts_made=3)
    order.select_option("Attempts, descending")
    page.get_by_role("button", name="Sort").click()
    expect(page.locator("#rows a.name").first).to_have_text("waiting-2.pdf")
    assert page.url.endswith("/?state=enqueued&size=25&sort=-attempts"), "the rest of the view stays"
    expect(order).to_have_value("-attempts")
    for path, first in (("/operations/tasks/?last=all", ""), ("/operations/tasks/?q=pdf", ""), ("/extractions/", "-handed-in")):  # fmt: skip
        site.open(path)
        expect(order).to_have_value(first)
        order.select_option("Agent, ascending")
        page.get_by_role("button", name="Sort").click()
        expect(order).to_have_value("agent")
    assert site.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_sorted_lists_fit_and_have_no_serious_barrier(world, root, visit, width: int, scheme: str) -> None:  # noqa: F811
    site = visit(root, color_scheme=scheme, reduced_motion="reduce")
    site.page.set_viewport_size({"width": width, "height": 900})
    paths = {
        "documents": f"/extractions/{world.pk}/?sort=-confidence&size=25", "tasks": "/operations/tasks/?sort=confidence&size=25",
        "extractions": "/extractions/?size=25",
    }  # fmt: skip
    for name, path in paths.items():
        page = site.open(path)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, name
        faults = [f for f in Axe().run(page).response["violations"] if f["impact"] in ("serious", "critical")]
        assert faults == [], name
        if PICTURES:
            page.screenshot(path=Path(PICTURES) / f"{name}-{width}-{scheme}.png", full_page=True)
    assert site.complaints == []
