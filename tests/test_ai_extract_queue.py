"""Through the queue the attempt logs in as the worker's user, takes its turn at the workspace's limits, and pays once for a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks import queue
from tasks.models import Agent, Attempt, Task
from tests import queue_tools as tools
from tests.factories import database_now, make_agent
from tests.fakes.aifunctions import AiFunctions, honest
from tests.fakes.databricks import Workspace
from tests.fakes.logins import CLIENT_ID, CLIENT_SECRET
from tests.llm_tools import SCHEMA, bill
from tests.llm_worker import hand_in, work_until, working

pytest_plugins = ["tests.fakes.fixtures"]
pytestmark = pytest.mark.slow


@pytest.fixture
def clock(db: None) -> Iterator[tools.Clock]:
    clock = tools.Clock(queue.connection())
    yield clock
    clock.end()


@pytest.fixture
def functions(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AiFunctions:
    """The only way in is the profile of the worker's user, as for people who have logged in by the CLI."""
    for name in workspace.environment:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    profile = (
        f"[DEFAULT]\nhost = {workspace.host}\nclient_id = {CLIENT_ID}\nclient_secret = {CLIENT_SECRET}\n"
    )
    (home / ".databrickscfg").write_text(profile)
    monkeypatch.setenv("HOME", str(home))
    made = AiFunctions(workspace)
    made.extracts = honest
    return made


def agent() -> Agent:
    return make_agent(program="databricks-ai-extract", model="ai_extract", options={"schema": SCHEMA})


def test_a_document_is_read_with_the_profile_of_the_workers_user(
    clock: tools.Clock, functions: AiFunctions, tmp_path: Path
) -> None:
    with working(tmp_path) as worker:
        task = hand_in(agent(), bill(tmp_path / "bill.pdf", 2))
        work_until(worker, lambda: Task.objects.get(pk=task).status == "completed")
    attempt = Attempt.objects.get()
    assert attempt.result["records"][0]["fields"]["supplier"]["value"] == "Harbour Books Ltd"
    assert (attempt.calls, attempt.model, attempt.cost_usd, attempt.cost_state) == (
        1,
        "ai_extract",
        None,
        "unknown",
    )


def test_a_limit_of_the_workspace_cools_the_whole_agent_down(
    clock: tools.Clock, functions: AiFunctions, workspace: Workspace, tmp_path: Path
) -> None:
    workspace.fault("429", "/ai-extract", retry_after="40", times=1)
    with working(tmp_path) as worker:
        reader = agent()
        task = hand_in(reader, bill(tmp_path / "bill.pdf", 1))
        work_until(worker, lambda: Agent.objects.get(pk=reader.pk).cooldown_until is not None)
        wait = Agent.objects.get(pk=reader.pk).cooldown_until - database_now()
        assert 30 < wait.total_seconds() <= 40
        clock.forward(60)
        work_until(worker, lambda: Task.objects.get(pk=task).status == "completed")
    assert len(workspace.requests("/ai-extract")) == 2
