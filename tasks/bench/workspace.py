"""A local Databricks workspace for a bench, in a process of its own, and workers in front of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

from tasks.management import processes


class Workspace:
    """What tests/fakes/serve.py offers. The tests belong to the checkout, and are no part of an installation without it."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.process = process
        said = self._heard()
        self.volume, self.job_id, self.login = said["volume"], said["job"], said["environment"]

    def tell(self, do: str, **more: Any) -> dict[str, Any]:
        if self.process.stdin is not None:
            self.process.stdin.write(json.dumps({"do": do, **more}) + "\n")
            self.process.stdin.flush()
        return self._heard()

    def _heard(self) -> dict[str, Any]:
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line:
            raise RuntimeError("the local workspace has ended; the lines above say why")
        return json.loads(line)

    def variables(self, **more: str) -> dict[str, str]:
        """The environment of a process that works on this workspace."""
        return {**os.environ, **self.login, "STORAGE_URL": self.volume, "DATABRICKS_JOB_ID": str(self.job_id), "TRACING": "0", **more}  # fmt: skip


@contextmanager
def local_workspace(folder: Path) -> Iterator[Workspace]:
    """Running, and gone at the end."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "tests.fakes.serve", str(folder)]
    process = processes.start(
        command,
        env=dict(os.environ),
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Workspace(process)
    finally:
        processes.stop([process])


class Workers:
    """Real worker processes; one that is killed is replaced by a new one."""

    def __init__(self, count: int, slots: int, variables: Mapping[str, str]) -> None:
        self._command = processes.manage("worker", "--slots", str(slots))
        self._variables, self.killed = dict(variables), 0
        self.processes = [self._new() for _ in range(count)]

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_error: object) -> None:
        for process in self.processes:
            processes.kill(process)

    def kill(self, place: int) -> None:
        processes.kill(self.processes[place])
        self.killed += 1
        self.processes[place] = self._new()

    def _new(self) -> subprocess.Popen:
        with open(Path(settings.AGENTAUDIT_HOME, "workers.log"), "ab") as log:
            return processes.start(
                self._command, env=self._variables, cwd=settings.BASE_DIR, stdout=log, stderr=log
            )
