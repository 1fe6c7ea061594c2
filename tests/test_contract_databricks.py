"""The questions that are kept for a real workspace, asked of the local one, so that they can be relied on when there is one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.programs import as_process

pytest_plugins = ["tests.fakes.fixtures"]
ROOT = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-m", "pytest", "-q", "tests/contract_databricks.py"]


@pytest.mark.slow
def test_the_local_workspace_keeps_the_contract(workspace):
    workspace.jobs.runner = as_process
    contract = {"STORAGE_URL": workspace.files.volume, "DATABRICKS_JOB_ID": str(workspace.jobs.job_id)}
    run = subprocess.run(
        COMMAND, cwd=ROOT, env=os.environ | contract, capture_output=True, text=True, timeout=280
    )
    assert run.returncode == 0 and "6 passed" in run.stdout, run.stdout


@pytest.mark.slow
def test_without_a_workspace_it_says_what_is_missing():
    kept = {
        name: value for name, value in os.environ.items() if name not in ("STORAGE_URL", "DATABRICKS_JOB_ID")
    }
    run = subprocess.run([*COMMAND, "-rs"], cwd=ROOT, env=kept, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and "set STORAGE_URL, DATABRICKS_JOB_ID" in run.stdout
