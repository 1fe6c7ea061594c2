"""Can a trace be written and read back, and are any waiting for that?"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator

from django.conf import settings

from tasks.management.checkups import Finding, fault, hint, ok
from tasks.management.processes import manage
from tasks.traces.places import spool, tracking_uri

CHECK_SECONDS = 120.0
LATE_SECONDS = 300.0


def traces_can_be_written() -> Iterator[Finding]:
    """In a process of its own: this one must not pay for loading MLflow."""
    if not settings.TRACING:
        yield ok("traces", "None are kept (TRACING=0).")
        return
    place = (
        "MLflow's file in the home"
        if not settings.MLFLOW_TRACKING_URI
        else tracking_uri().partition("?")[0].rpartition("@")[2]
    )
    try:
        run = subprocess.run(
            manage("traces", "--check"),
            capture_output=True,
            text=True,
            timeout=CHECK_SECONDS,
            stdin=subprocess.DEVNULL,
        )
        said = (
            ""
            if run.returncode == 0
            else (run.stderr.strip().splitlines() or ["it ended without a word"])[-1].removeprefix(
                "CommandError: "
            )
        )
    except subprocess.TimeoutExpired:
        said = f"nothing was heard of it within {CHECK_SECONDS:.0f} s"
    if said:
        yield fault(
            "traces",
            f"A trace could not be written to {place} and read back: {said}",
            "Look at MLFLOW_TRACKING_URI and MLFLOW_EXPERIMENT. Attempts run without it; their spans wait in files. TRACING=0 keeps none.",
        )
    else:
        yield ok("traces", f"One was written to {place}, read back and removed.")
    yield from _waiting()


def _waiting() -> Iterator[Finding]:
    waiting = [entry for entry in spool().waiting() if entry.ended]
    late = [entry for entry in waiting if entry.paths[0].stat().st_mtime < time.time() - LATE_SECONDS]
    if late:
        yield hint(
            "traces",
            f"{len(waiting)} wait in {spool().folder} to be written, the oldest for more than {LATE_SECONDS / 60:.0f} minutes.",
            "A worker starts the process that writes them when it gets work; manage.py traces --until-empty writes them now.",
        )
