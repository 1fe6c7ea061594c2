"""databricks.yml and app.yaml: what they promise the code, and, where the CLI's schema is at hand, that it takes them."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from tests.fakes.jobs import ENTRY_POINT, PARAMETERS
from tests.test_docs import ROOT, variables_read

BUNDLE = yaml.safe_load((ROOT / "databricks.yml").read_text())
RESOURCES = BUNDLE["resources"]
APP = RESOURCES["apps"]["web"]
JOB = RESOURCES["jobs"]["extract"]
ALONE = yaml.safe_load((ROOT / "app.yaml").read_text())
WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SCHEMA = Path(
    os.environ.get("BUNDLE_SCHEMA", settings.CORPUS_DIR.parent / "databricks" / "bundle_schema.json")
)


def test_one_run_is_one_attempt():
    (task,) = JOB["tasks"]
    assert task["max_retries"] == 0 and task["disable_auto_optimization"] is True
    assert JOB["queue"] == {"enabled": True} and JOB["max_concurrent_runs"] >= 1000


def test_the_job_knows_our_parameters_and_hands_them_to_the_program_of_the_wheel():
    (task,) = JOB["tasks"]
    wheel = task["python_wheel_task"]
    assert tuple(one["name"] for one in JOB["parameters"]) == PARAMETERS
    assert {name: wheel[name] for name in ENTRY_POINT} == ENTRY_POINT
    expected = {name: f"{{{{job.parameters.{name}}}}}" for name in PARAMETERS}
    assert wheel["named_parameters"] == {**expected, "run_id": "{{job.run_id}}"}
    (environment,) = JOB["environments"]
    assert task["environment_key"] == environment["environment_key"]
    wheel_of_ours, *extra = environment["spec"]["dependencies"]
    assert wheel_of_ours == "./dist/*.whl", "which pins everything else"
    assert extra == WHEEL["optional-dependencies"]["lakebase"], "what runs that insert their outcome need"
    assert BUNDLE["artifacts"]["agent"]["build"] == "make wheel"


def test_what_is_longest_allowed_outlives_an_attempt():
    assert JOB["timeout_seconds"] > settings.TASK_TIMEOUT_SECONDS


@pytest.mark.parametrize(
    ("command", "environment", "reference"),
    [
        (APP["config"]["command"], APP["config"]["env"], "value_from"),
        (ALONE["command"], ALONE["env"], "valueFrom"),
    ],
    ids=["databricks.yml", "app.yaml"],
)
def test_the_app_starts_the_product_with_variables_that_it_reads(command, environment, reference):
    assert command == ["python", "manage.py", "up"]
    names = [one["name"] for one in environment]
    assert len(names) == len(set(names)) and set(names) <= variables_read()
    resources = {resource["name"] for resource in APP["resources"]}
    assert {one[reference] for one in environment if reference in one} <= resources
    given = {one["name"]: one.get("value", one.get(reference)) for one in environment}
    assert given["TRUST_DATABRICKS_IDENTITY"] == "1" and {"SECRET_KEY", "WEBHOOK_SECRETS"} <= set(given)


def test_how_outcomes_come_in_is_said_in_one_place_and_is_a_way_that_the_product_knows():
    given = {one["name"]: one.get("value") for one in APP["config"]["env"]}
    assert given["RESULT_TRANSPORT"] == "${var.result_transport}"
    alone = {one["name"]: one.get("value") for one in ALONE["env"]}
    assert BUNDLE["variables"]["result_transport"]["default"] == alone["RESULT_TRANSPORT"] == "file"
    assert {"LAKEBASE_ENDPOINT", "DATABRICKS_JOB_ID"} <= set(given), "which lakebase needs"


def test_pages_and_worker_of_the_one_app_let_the_database_sleep():
    given = {one["name"]: one.get("value") for one in (*APP["config"]["env"], *ALONE["env"])}
    assert float(given["IDLE_SLEEP_SECONDS"]) > 0 and APP["config"]["command"] == [
        "python",
        "manage.py",
        "up",
    ]


def test_both_ways_say_the_same():
    bundle = {one["name"]: one.get("value_from") for one in APP["config"]["env"]}
    alone = {one["name"]: one.get("valueFrom") for one in ALONE["env"]}
    assert alone.items() <= bundle.items()


def test_no_secret_and_no_workspace_stands_in_the_files():
    text = (ROOT / "databricks.yml").read_text() + (ROOT / "app.yaml").read_text()
    for one in (*APP["config"]["env"], *ALONE["env"]):
        assert not re.search(r"SECRET|PASSWORD|TOKEN|KEY", one["name"]) or "value" not in one
    assert "host:" not in text and not re.search(r"dapi[0-9a-f]{8}", text)


def test_every_resource_of_the_app_is_made_by_the_bundle():
    referred = set(re.findall(r"\$\{resources\.(\w+)\.(\w+)\.", json.dumps(BUNDLE)))
    assert all(name in RESOURCES.get(kind, {}) for kind, name in referred)
    assert set(re.findall(r"\$\{var\.(\w+)\}", json.dumps(BUNDLE))) == set(BUNDLE["variables"])


def test_the_database_may_sleep_and_cannot_grow_without_end():
    project = RESOURCES["postgres_projects"]["db"]["default_endpoint_settings"]
    assert set(project) == {
        "autoscaling_limit_min_cu",
        "autoscaling_limit_max_cu",
        "suspend_timeout_duration",
    }


@pytest.mark.skipif(
    not SCHEMA.exists(),
    reason="the CLI's schema is not at hand: databricks bundle schema > file, BUNDLE_SCHEMA=file",
)
def test_the_schema_of_the_databricks_cli_takes_the_bundle():
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(_with_plain_letters(json.loads(SCHEMA.read_text())))
    errors = [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
        for error in validator.iter_errors(BUNDLE)
    ]
    assert errors == []
    broken = json.loads(json.dumps(BUNDLE))
    broken["resources"]["jobs"]["extract"]["tasks"][0]["max_retrys"] = 0
    assert list(validator.iter_errors(broken)), "a misspelt key is found"


def _with_plain_letters(value: Any) -> Any:
    """Its patterns name letters in a way that Python's regular expressions do not know."""
    if isinstance(value, dict):
        return {key: _with_plain_letters(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with_plain_letters(one) for one in value]
    if not isinstance(value, str):
        return value
    return value.replace(r"[\p{L}\p{N}]", "[a-zA-Z0-9]").replace(r"\p{L}", "[a-zA-Z]")
