"""Writes docs/states.md from tasks/states.py, docs/callbacks.schema.json from the contract: `make docs`. Tests compare them with the code."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tasks.agent.contract import EVENTS  # noqa: E402
from tasks.states import BURNT, LIVE, TASK_TRANSITIONS, TERMINAL, AttemptStatus, Priority, TaskStatus  # noqa: E402

ATTEMPTS = {
    AttemptStatus.CLAIMED: "taken by a worker; nothing runs yet",
    AttemptStatus.STARTING: "the executor was asked to start it; its answer is not known yet",
    AttemptStatus.RUNNING: "the executor runs it",
    AttemptStatus.COMPLETED: "gave a valid result",
    AttemptStatus.FAILED: "gave an error",
    AttemptStatus.TIMEOUT: "ran longer than its agent allows",
    AttemptStatus.CANCELLED: "stopped because a person asked for it",
    AttemptStatus.LOST: "its lease expired and nothing answered for it",
    AttemptStatus.RELEASED: "handed back unworked, because its worker stopped or could not find any document",
    AttemptStatus.SUPERSEDED: "another attempt's result won",
}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def diagram() -> str:
    """The states of a task as a Mermaid diagram, which the forge draws."""
    lines = ["stateDiagram-v2", f"    [*] --> {TaskStatus.ENQUEUED}: submit"]
    for old, news in TASK_TRANSITIONS.items():
        lines += [f"    {old} --> {new}: {why.replace(':', ' -')}" for new, why in news.items()]
    lines += [f"    {state} --> [*]" for state in TaskStatus if state in TERMINAL]
    return "\n".join(["```mermaid", *lines, "```"])


def page() -> str:
    """docs/states.md, whole."""
    moves = [(old, new, why) for old, news in TASK_TRANSITIONS.items() for new, why in news.items()]
    sign = {True: "yes", False: "–"}
    attempts = [
        (state, ATTEMPTS[state], sign[state in LIVE], sign[state in BURNT]) for state in AttemptStatus
    ]
    levels = [(level.name.lower(), str(int(level))) for level in sorted(Priority, reverse=True)]
    return (
        "\n\n".join(
            (
                "# States",
                "Written from `tasks/states.py` by `make docs`; do not edit this page.",
                "## A task",
                "A task is one document to be read by one agent. Its state is changed by `tasks/queue/` alone, each time by one\n"
                "guarded UPDATE that names the state it expects; a trigger in the database refuses every other move.",
                diagram(),
                table(("from", "to", "what makes it so"), moves),
                "## An attempt",
                "An attempt is one run of a task. Live attempts count against the limits of their agent and pool until their executor\n"
                "confirms their end. Burnt ones count against the agent's `max_attempts`.",
                table(("state", "meaning", "live", "burnt"), attempts),
                "## Priorities",
                "Higher goes first; values between the named ones are legal.",
                table(("name", "value"), levels),
            )
        )
        + "\n"
    )


def schema() -> str:
    """docs/callbacks.schema.json, whole."""
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Events of an attempt"}
    return json.dumps({**about, **EVENTS.json_schema()}, indent=2) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "callbacks.schema.json").write_text(schema())
    (ROOT / "docs" / "states.md").write_text(page())
