"""The comparison of two runs in a real browser: it fits, has no barrier, and is switched by a key."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.factories import make_agent, make_completed, make_document, make_extraction, result_json
from tests.test_pages_browser import chromium, pytestmark, root, visit, world  # noqa: F401 - fixtures

PICTURES = os.environ.get("PICTURES")


@pytest.fixture
def twice(world):  # noqa: F811
    """The address of a comparison with each kind of difference."""
    document = make_document(world.client, "a long name of an invoice of last year.pdf")
    old, new = result_json(), result_json(total="1299.00", confidence=0.62, needs_review=True)
    old["records"][0]["fields"]["iban"] = old["records"][0]["fields"]["supplier"] | {
        "value": "DE02120300000000202051"
    }
    new["records"][0]["fields"]["due_date"] |= {"value": "2026-12-31"}
    new["records"][0]["fields"]["supplier"] |= {"reasons": ["Nothing else says so."]}
    item = old["records"][0]["lines"][0]
    new["records"][0]["lines"] = [item, item | {"amount": item["amount"] | {"value": "99.00"}}]
    old["records"][0]["lines"] = [item, item | {"amount": item["amount"] | {"value": "88.00"}}, item]
    make_completed(world, document, result=old)
    extraction = make_extraction(world.client, make_agent("better"))
    return f"/tasks/{make_completed(extraction, document, result=new).pk}/compare/"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_comparison_fits_and_has_no_serious_barrier(twice, root, visit, scheme: str) -> None:  # noqa: F811
    site = visit(root, color_scheme=scheme, reduced_motion="reduce")
    for width in (320, 390, 1280):
        site.page.set_viewport_size({"width": width, "height": 900})
        for query in ("", "?all=1"):
            page = site.open(twice + query)
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert wide <= 0, (width, query)
            faults = [
                f for f in Axe().run(page).response["violations"] if f["impact"] in ("serious", "critical")
            ]
            assert faults == []
            if PICTURES:
                page.screenshot(
                    path=Path(PICTURES) / f"compare{query[1:4]}-{width}-{scheme}.png", full_page=True
                )
    assert site.complaints == []


def test_a_key_shows_everything_and_only_differences_again(twice, root, visit) -> None:  # noqa: F811
    site = visit(root)
    page = site.open(twice)
    rows = page.locator("tr[data-state]")
    few = rows.count()
    assert page.locator("tr[data-state=same]").count() == 0
    page.keyboard.press("d")
    expect(page.locator("tr[data-state=same]").first).to_be_visible()
    page.keyboard.press("d")
    expect(rows).to_have_count(few)
    states = {row.get_attribute("data-state") for row in rows.all()}
    assert states == {"changed", "old", "new", "flags"}
    assert site.complaints == []


@pytest.mark.parametrize("width", [320, 390])
def test_a_date_is_on_one_line_however_narrow_the_screen(twice, root, visit, width: int) -> None:  # noqa: F811
    site = visit(root)
    site.page.set_viewport_size({"width": width, "height": 900})
    page = site.open(twice)
    days = page.locator("td", has_text="2026-").get_by_text(re.compile(r"^\d{4}-\d{2}-\d{2}$")).all()
    assert len(days) == 3, "when each run ended, and a date that was read"
    assert [day.evaluate("e => e.getClientRects().length") for day in days] == [1, 1, 1]
