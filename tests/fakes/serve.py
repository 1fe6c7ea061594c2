"""The local workspace as a process of its own, for benches: `python -m tests.fakes.serve FOLDER` takes one JSON object per line.

The first answer says how it is reached. {"do": "fault", …} and {"do": "calm"} make and end faults, {"do": "let_go", "count": n} lets
waiting runs go on, {"do": "mark"} begins a count of requests, {"do": "report"} tells runs, and the requests since the mark.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from bisect import bisect_left
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.fakes.databricks import Workspace
from tests.fakes.programs import as_thread, let_go

CALLS = {"run-now": "start", "runs/get": "get", "runs/list": "list", "runs/cancel": "cancel"}


def main(folder: Path) -> None:
    logging.disable(logging.CRITICAL)  # of hundreds of runs, whose callbacks are meant to fail
    with Workspace(folder) as workspace:
        workspace.jobs.runner = as_thread
        workspace.jobs.jobs[workspace.jobs.job_id].max_concurrent_runs = 2000
        say(
            {
                "environment": workspace.environment,
                "volume": workspace.files.volume,
                "job": workspace.jobs.job_id,
            }
        )
        marked = time.monotonic()
        for line in sys.stdin:
            asked = json.loads(line)
            match asked.pop("do"):
                case "fault":
                    workspace.fault(**asked)
                    say({})
                case "calm":
                    workspace.faults.clear()
                    say({})
                case "let_go":
                    say({"attempts": [str(attempt) for attempt in let_go(asked["count"])]})
                case "mark":
                    marked = time.monotonic()
                    say({})
                case "report":
                    say(report(workspace, marked))


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def report(workspace: Workspace, since: float) -> dict[str, Any]:
    """peaks: most requests of a kind within any one second; per_second: on average since the mark."""
    moments: dict[str, list[float]] = defaultdict(list)
    for entry in list(workspace.log):
        if entry["at"] >= since and (kind := CALLS.get(entry["path"].partition("/jobs/")[2])):
            moments[kind].append(entry["at"])
    seconds = max(time.monotonic() - since, 1.0)
    runs = workspace.jobs.all()
    return {
        "runs": len(runs),
        "attempts": len({run.parameters["attempt"] for run in runs}),
        "starts_asked": sum(run.asked for run in runs),
        "peaks": {kind: peak(sorted(at)) for kind, at in moments.items()},
        "per_second": {kind: len(at) / seconds for kind, at in moments.items()},
        "unexpected": workspace.unexpected,
    }


def peak(moments: list[float]) -> int:
    return max(number + 1 - bisect_left(moments, at - 1.0) for number, at in enumerate(moments))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
