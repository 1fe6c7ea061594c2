"""The local workspace as tests find it: running, with this process's client pointed at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks import databricks
from tasks.storage import get_storage
from tests.fakes.databricks import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """At its end nothing may have been asked of it that it does not know."""
    with Workspace(tmp_path / "workspace") as workspace:
        for name, value in workspace.environment.items():
            monkeypatch.setenv(name, value)
        databricks.forget()
        yield workspace
        databricks.forget()
    assert workspace.unexpected == []


@pytest.fixture
def on_databricks(workspace: Workspace, settings) -> Workspace:
    """The installation's documents are in the workspace's volume, and its attempts are runs of the workspace's job."""
    settings.STORAGE_URL, settings.DATABRICKS_JOB_ID = workspace.files.volume, workspace.jobs.job_id
    get_storage.cache_clear()
    return workspace
