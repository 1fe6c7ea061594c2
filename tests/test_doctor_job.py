"""doctor says in words what is wrong with the job, before the first run costs money."""

from __future__ import annotations

import pytest
from databricks.sdk.service.compute import Environment
from databricks.sdk.service.jobs import JobEnvironment, JobParameterDefinition, QueueSettings, Task

from tasks.executors.databricks import PARAMETERS
from tasks.management.checkups import Level, job
from tests.fakes.jobs import PARAMETERS as KNOWN_THERE

pytest_plugins = ["tests.fakes.fixtures"]


@pytest.fixture(autouse=True)
def reachable(settings):
    settings.PUBLIC_URL = "https://audit.example.com"


def found(workspace, settings, **changed):
    settings.DATABRICKS_JOB_ID = workspace.jobs.make_job(**changed)
    return list(job.takes_our_runs())


def test_the_job_of_the_bundle_takes_our_runs(on_databricks, settings):
    assert [finding.level for finding in found(on_databricks, settings)] == [Level.OK]
    assert PARAMETERS == KNOWN_THERE


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"queue": QueueSettings(enabled=False)}, "queue is off"),
        ({"parameters": [JobParameterDefinition("attempt", "")]}, "agent_version, callback_url"),
        ({"tasks": [Task("read", max_retries=2, disable_auto_optimization=True)]}, "max_retries has to be 0"),
        ({"tasks": [Task("read", max_retries=0)]}, "disable_auto_optimization true"),
        (
            {"tasks": [Task("a", disable_auto_optimization=True), Task("b", disable_auto_optimization=True)]},
            "2 tasks",
        ),
    ],
)
def test_what_would_cost_twice_or_never_start_is_a_fault(on_databricks, settings, changed, word):
    [finding] = found(on_databricks, settings, **changed)
    assert finding.level is Level.FAULT and word in finding.sentence and finding.advice


def test_a_job_that_is_not_there_is_said(on_databricks, settings):
    settings.DATABRICKS_JOB_ID = 4242
    [finding] = job.takes_our_runs()
    assert finding.level is Level.FAULT and "4242" in finding.sentence


def test_an_address_that_no_run_reaches_is_a_hint(on_databricks, settings):
    settings.PUBLIC_URL = "http://127.0.0.1:8000"
    assert [finding.level for finding in found(on_databricks, settings)] == [Level.OK, Level.HINT]


def test_without_a_job_nothing_is_asked(settings):
    settings.DATABRICKS_JOB_ID = None
    assert list(job.takes_our_runs()) == []


def _installs(*dependencies: str) -> list[JobEnvironment]:
    return [JobEnvironment("agent", Environment(dependencies=["./dist/agentaudit.whl", *dependencies]))]


@pytest.mark.parametrize("dependency", ["psycopg[binary]==3.3.9", "agentaudit[lakebase] @ file:///wheel"])
def test_a_job_whose_runs_insert_their_outcome_has_what_that_takes(on_databricks, settings, dependency):
    settings.RESULT_TRANSPORT = "lakebase"
    [finding] = found(on_databricks, settings, environments=_installs(dependency))
    assert finding.level is Level.OK
    [finding] = found(on_databricks, settings, environments=_installs())
    assert finding.level is Level.FAULT and "lacks psycopg" in finding.sentence
    settings.RESULT_TRANSPORT = "file"
    [finding] = found(on_databricks, settings, environments=_installs())
    assert finding.level is Level.OK
