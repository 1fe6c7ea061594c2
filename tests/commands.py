"""Runs our commands the way a person does: as processes, in an empty place of their own."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "tasks" / "agent" / "samples"
SECONDS = 120


class Place:
    """Environment in which every command finds the same database and storage."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.home = Path(environment["AGENTAUDIT_HOME"])

    def begin(self, *arguments: object, **variables: str) -> subprocess.Popen[str]:
        command = [sys.executable, "manage.py", *map(str, arguments)]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.environment | variables, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, *arguments: object, typed: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        process = self.begin(*arguments, **variables)
        try:
            out, err = process.communicate(typed, timeout=SECONDS)
        finally:
            process.kill()
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def ask(self, expression: str) -> Any:
        """The JSON value of a Python expression inside Django, with every model at hand."""
        code = f"import json; from tasks.models import *; print(json.dumps({expression}))"
        run = self.run("shell", "--no-imports", "-c", code)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)


def wait_until(condition: Callable[[], Any], seconds: float = 120.0, what: str = "it") -> Any:
    """The first true value of `condition`. Fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen within {seconds:g} s")


def processes_of(home: Path) -> dict[int, str]:
    """pid → command line of every process of ours whose environment names this home, ended ones aside."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if f"AGENTAUDIT_HOME={home}\0".encode() in (entry / "environ").read_bytes():
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
    return {pid: line for pid, line in found.items() if line and "postgres" not in line}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def kill_hard(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
