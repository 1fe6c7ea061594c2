"""The product's settings in a home of the tests' own: pytest reads them before any conftest, so that it never touches the user's data."""

from __future__ import annotations

import os
from pathlib import Path

_home = Path(__file__).resolve().parent.parent / ".agentaudit-test"
# Processes that share the tests among them each have a server of their own; they inherit the variables of the one that starts them
if os.environ.get("AGENTAUDIT_HOME") == str(_home / "alone"):
    del os.environ["AGENTAUDIT_HOME"]
_ours = {
    "AGENTAUDIT_HOME": str(_home / os.environ.get("PYTEST_XDIST_WORKER", "alone")),
    # Each worker that runs attempts would start a process that writes their traces; tests of traces say so
    "TRACING": "0",
    "SECRET_KEY": "only-for-tests-and-long-enough-to-be-accepted",
}
# One that is empty counts as unset, here as in the product's settings
os.environ |= {name: value for name, value in _ours.items() if not os.environ.get(name, "").strip()}

from agentaudit.settings import *  # noqa: E402, F403
