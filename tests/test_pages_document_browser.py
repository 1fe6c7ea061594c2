"""In a real browser each value leads to its place on the page and back, by hand and by keys, and a picture that is not there says why."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tasks.models import Task
from tests import browser_tools
from tests.browser_tools import pytestmark  # noqa: F401
from tests.factories import pdf_bytes
from tests.sheet_tools import keep

chromium, root, visit, world = (
    browser_tools.chromium,
    browser_tools.root,
    browser_tools.visit,
    browser_tools.world,
)


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
    keep(task.document, pdf_bytes())
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
    keep(task.document, pdf_bytes())
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
    keep(task.document, pdf_bytes(1))
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
