"""An agent's desk in a real browser: its fields are changed with the keyboard and no script, in both themes, without a barrier."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tasks import versions
from tasks.agent.schema import ready_made
from tasks.audit import Actor
from tasks.models import Agent
from tests.browser_tools import chromium, make_polls_quick, pytestmark, root, visit, world  # noqa: F401 - fixtures

SHOTS = os.environ.get("SHOTS", "")
"""A folder for pictures, for whoever wants to look."""


@pytest.fixture
def agent(world) -> Agent:  # noqa: F811
    """One that asks a model for the fields of any document."""
    made = Agent.objects.create(name="letters")
    asked = ready_made()["generic"].model_dump(mode="json", exclude_defaults=True)
    versions.make(
        Actor.system("test"),
        made,
        versions.changed(None, {"program": "llm", "model": "m-1", "schema": asked}),
    )
    return made


def pages(agent: Agent) -> dict[str, str]:
    of_agent = f"/admin/tasks/agent/{agent.pk}"
    return {"agent": f"{of_agent}/change/", "fields": f"{of_agent}/schema/", "test": f"{of_agent}/test/"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_agent_s_pages_have_no_serious_barrier_in_either_theme(agent, root, visit, scheme: str) -> None:  # noqa: F811
    site, found = visit(root, color_scheme=scheme, reduced_motion="reduce"), []
    for name, path in pages(agent).items():
        page = site.open(path)
        # axe itself tries inline styles on these pages, which are refused: what it complains of is not ours
        assert site.complaints == []
        for fault in Axe().run(page).response["violations"]:
            if fault["impact"] in ("serious", "critical"):
                found.append((name, fault["id"], [node["html"][:160] for node in fault["nodes"][:3]]))
        if SHOTS:
            page.screenshot(path=Path(SHOTS, f"{name}-{scheme}.png"), full_page=True)
        site.complaints.clear()
    assert found == []


def test_a_field_is_added_without_a_script_and_the_mistake_is_told_first(agent, root, visit) -> None:  # noqa: F811
    site = visit(root, java_script_enabled=False)
    page = site.open(pages(agent)["fields"])
    page.get_by_label("Name 12").fill("Due date")
    page.get_by_label("Type 12").select_option("date")
    page.get_by_role("button", name="Save as a new version").click()
    assert "The name “Due date” has to begin with a letter" in page.get_by_role("alert").inner_text()
    if SHOTS:
        page.screenshot(path=Path(SHOTS, "mistake.png"), full_page=True)
    page.get_by_label("Name 12").fill("due_date")
    page.get_by_role("button", name="Check and compare").click()
    assert "schema.due_date" in page.get_by_role("table").last.inner_text()
    if SHOTS:
        page.locator("details").last.locator("summary").click()
        page.screenshot(path=Path(SHOTS, "check.png"), full_page=True)
    page.get_by_role("button", name="Save as a new version").click()
    assert "Version 2 reads what is handed in from now on" in page.locator(".messagelist").inner_text()
    agent.refresh_from_db()
    assert agent.current_version.options["schema"]["fields"][-1] == {"name": "due_date", "type": "date"}
