"""The bench of runs on Databricks in its quick form: one run per attempt, within the rates."""

from __future__ import annotations

import json

import pytest


@pytest.mark.slow
def test_each_attempt_is_one_run_under_fire_and_a_lost_callback_is_found(place):
    run = place.run("bench", "databricks", "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    figures = report["figures"]
    assert figures["attempts"] == figures["runs_there"] == figures["tasks_right"] == figures["tasks"], report
    assert figures["within_rates"] and figures["lost_callback_found_s"] <= 60
    assert not any("does not know" in note for note in report["notes"])
