"""Pages in a real browser: accessible in both themes, at every width and by keyboard, the admin among them."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tasks.models import Extraction
from tests import browser_tools
from tests.browser_tools import pytestmark  # noqa: F401
from tests.factories import PASSWORD, make_agent

chromium, root, visit, world = (
    browser_tools.chromium,
    browser_tools.root,
    browser_tools.visit,
    browser_tools.world,
)


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


def test_the_whole_title_of_a_chosen_agent_can_be_read_however_long_it_is(world, root, visit) -> None:
    title = (
        "Reads invoices, receipts, credit notes and quotations of suppliers from abroad, with their line items and "
        * 2
    )
    make_agent("long", title=title[:200])
    words = f"long · {title[:200].strip()}"
    site = visit(root)
    page = site.open("/upload/")
    whole = page.locator("#id_agent + .help")
    page.locator("#id_agent").select_option(label="reader · Reads invoices")
    expect(whole).to_be_hidden()
    height = page.locator("#id_client").bounding_box()["height"]
    page.locator("#id_agent").select_option(label=words)
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 900})
        expect(whole).to_be_visible()
        box = whole.bounding_box()
        assert whole.inner_text() == words and box["x"] + box["width"] <= width
        assert whole.evaluate("e => e.scrollWidth <= e.clientWidth")
        assert page.locator("#id_client").bounding_box()["height"] == height, (
            "its neighbours stay as they are"
        )
    assert site.complaints == []


def test_a_title_stands_below_its_list_where_the_list_cuts_it_and_nowhere_else(world, root, visit) -> None:
    make_agent("contracts", title="Contracts, read by rules on this machine")
    page = visit(root).open("/upload/")
    page.locator("#id_agent").select_option(label="contracts · Contracts, read by rules on this machine")
    whole, shown = page.locator("#id_agent + .help"), set()
    for width in range(390, 520, 10):
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
