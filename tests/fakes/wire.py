"""Compares what went over the wire with a log of before: a new version of the SDK that asks in another way shows in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from tests.fakes.databricks import Workspace

GOLDEN = Path(__file__).parent / "golden"
DIFFERENT_EACH_TIME = {
    r"Bearer [\w-]+": "Bearer TOKEN",
    r"/cloud/[\w-]+": "/cloud/KEY",
    r"20\d\d-\d\d-\d\dT[\d:]+Z": "TIME",
    r"http://127\.0\.0\.1:\d+": "HOST",
}


def seen(workspace: Workspace, names: Mapping[str, str] | None = None) -> list[str]:
    """One line of JSON per request, with words instead of what differs each time. `names`: more such patterns and their words."""
    lines = []
    for entry in workspace.log:
        line = json.dumps({name: entry[name] for name in ("method", "path", "query", "body", "headers")})
        for pattern, word in {**DIFFERENT_EACH_TIME, **(names or {})}.items():
            line = re.sub(pattern, word, line)
        lines.append(line)
    return lines


def golden(name: str) -> list[str]:
    """The lines of a log of before."""
    return (GOLDEN / f"{name}.txt").read_text().splitlines()
