"""doctor asks Databricks' own functions where an agent uses them, in the way that its attempts will."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.management.checkups import Finding, Level, functions
from tasks.models import Agent
from tests.factories import make_agent
from tests.fakes.aifunctions import AiFunctions
from tests.fakes.databricks import Workspace
from tests.fakes.logins import CLIENT_ID, CLIENT_SECRET
from tests.llm_tools import SCHEMA

pytest_plugins = ["tests.fakes.fixtures"]
pytestmark = pytest.mark.django_db

EXTRACT, PARSE = "/ai-extract", "/ai-parse-document"


@pytest.fixture
def there(workspace: Workspace) -> AiFunctions:
    return AiFunctions(workspace)


@pytest.fixture
def profile(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The login that attempts of this machine find, and the only one."""
    for name in workspace.environment:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / ".databrickscfg"
    path.write_text(
        f"[DEFAULT]\nhost = {workspace.host}\nclient_id = {CLIENT_ID}\nclient_secret = {CLIENT_SECRET}\n"
    )
    return path


def extracting(executor: str = "databricks", **changed: object) -> Agent:
    made = {
        "program": "databricks-ai-extract",
        "model": "ai_extract",
        "options": {"schema": SCHEMA},
        **changed,
    }
    return make_agent(executor=executor, **made)


def recognising(executor: str = "databricks") -> Agent:
    return make_agent(executor=executor, options={"ocr_engine": "databricks"})


def found() -> list[Finding]:
    return list(functions.answer())


def test_where_no_agent_uses_one_nothing_is_asked(workspace: Workspace, there: AiFunctions) -> None:
    make_agent()
    extracting(model="")  # waits for somebody to name the function
    paused = extracting()
    Agent.objects.filter(pk=paused.pk).update(is_paused=True)
    assert found() == [] and workspace.requests("/ai-functions/") == []


def test_what_runs_of_the_job_need_is_asked_with_the_login_of_the_command(there: AiFunctions) -> None:
    one, other = extracting(), recognising()
    extract, parse = found()
    assert (extract.level, parse.level) == (Level.OK, Level.OK)
    assert extract.sentence.startswith("ai_extract answers this login") and one.name in extract.sentence
    assert parse.sentence.startswith("ai_parse_document answers this login") and other.name in parse.sentence
    assert len(there.asked) == len(there.pictures) == 1, "one call each"
    assert len(there.asked[0].text) < 20 and there.pictures[0].size == (200, 100)


@pytest.mark.parametrize(
    ("status", "code", "level", "words"),
    [
        ("403", "PERMISSION_DENIED", Level.FAULT, "This login may not use ai_extract"),
        ("404", "FEATURE_DISABLED", Level.FAULT, "The workspace has no ai_extract; not every region"),
        ("501", "NOT_IMPLEMENTED", Level.FAULT, "The workspace has no ai_extract; not every region"),
        ("400", "INVALID_PARAMETER_VALUE", Level.FAULT, "ai_extract did not answer: Let to happen by a test"),
        ("429", "", Level.HINT, "ai_extract did not answer: no answer in time"),
        ("503", "", Level.HINT, "ai_extract did not answer: no answer in time"),
    ],
)
def test_what_the_workspace_refuses_is_said_with_the_agents_that_wait_for_it(
    workspace: Workspace, there: AiFunctions, status: str, code: str, level: Level, words: str
) -> None:
    agent = extracting()
    workspace.fault(status, EXTRACT, code=code, retry_after="9")
    (finding,) = found()
    assert finding.level is level and finding.sentence.startswith(words)
    assert agent.name in finding.advice and "docs/databricks.md" in finding.advice


def test_without_a_workspace_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    extracting()
    (finding,) = found()
    assert finding.level is Level.FAULT and "DATABRICKS_HOST and a login" in finding.sentence


@pytest.mark.slow
def test_attempts_of_this_machine_are_asked_for_with_their_own_login(
    there: AiFunctions, profile: Path
) -> None:
    one, other = extracting("local"), recognising("local")
    there.extracts = lambda asked: {"total": "12.00"}
    assert [finding.sentence for finding in found()] == [
        f"ai_extract answers the attempts of this machine ({one.name}).",
        f"ai_parse_document answers the attempts of this machine ({other.name}).",
    ]
    assert len(there.asked) == len(there.pictures) == 1


@pytest.mark.slow
def test_a_login_of_the_command_that_attempts_do_not_see_is_no_login(
    there: AiFunctions, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    extracting("local")
    recognising("local")
    extract, parse = found()
    assert (extract.level, parse.level) == (Level.FAULT, Level.FAULT)
    assert "This run has no login to a Databricks workspace" in extract.sentence
    assert "This run has no login to a Databricks workspace" in parse.sentence
    assert workspace.requests("/ai-functions/") == []


@pytest.mark.slow
def test_what_an_attempt_of_this_machine_is_refused_is_said_in_its_words(
    there: AiFunctions, workspace: Workspace, profile: Path
) -> None:
    extracting("local")
    recognising("local")
    workspace.fault("403", EXTRACT)
    workspace.fault("429", PARSE, retry_after="7")
    refused, busy = found()
    assert refused.level is Level.FAULT and "may not use ai_extract" in refused.sentence
    assert busy.level is Level.HINT and "asks to wait 7 seconds" in busy.sentence
