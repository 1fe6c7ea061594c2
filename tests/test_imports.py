"""Who may import whom, read from the code; and what the processes that start often must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("agentaudit", "tasks", "dashboard", "webhooks")
HEAVY = (
    "mlflow",
    "databricks",
    "openai",
    "pandas",
    "numpy",
    "langgraph",
    "agents",
    "rapidocr",
    "onnxruntime",
    "cv2",
)

# Whose imports of ours may be nothing but these. The most specific line holds; "X" allows X and everything below it.
ALLOWED: dict[str, tuple[str, ...]] = {
    "tasks.agent": ("tasks.agent",),
    "tasks.states": (),
    "tasks.admission": (),
    "tasks.estimates": (),
    "tasks.agent.contract": (),
    "tasks.agent.signatures": (),
    "tasks.models": ("tasks.models", "tasks.states"),
}
# Who may never import whom
FORBIDDEN: dict[str, tuple[str, ...]] = {
    "tasks": ("dashboard", "webhooks", "agentaudit"),
    "dashboard": ("webhooks", "tasks.worker", "tasks.sweeper", "tasks.executors", "tasks.admin"),
    "webhooks": ("dashboard", "tasks.worker", "tasks.sweeper", "tasks.executors", "tasks.admin"),
    "tasks.queue": (
        "tasks.operations",
        "tasks.changes",
        "tasks.events",
        "tasks.worker",
        "tasks.sweeper",
        "tasks.executors",
        "tasks.storage",
        "tasks.admin",
    ),
    "tasks.executors": (
        "tasks.queue",
        "tasks.models",
        "tasks.operations",
        "tasks.changes",
        "tasks.events",
        "tasks.worker",
        "tasks.sweeper",
        "django.db",
    ),
    "tasks.storage": (
        "tasks.queue",
        "tasks.models",
        "tasks.operations",
        "tasks.changes",
        "tasks.events",
        "django.db",
    ),
    "tasks.operations": ("tasks.worker", "tasks.sweeper", "tasks.executors", "tasks.admin"),
    "tasks.changes": (
        "tasks.operations",
        "tasks.events",
        "tasks.worker",
        "tasks.sweeper",
        "tasks.executors",
        "tasks.admin",
    ),
    "tasks.admin": ("tasks.worker", "tasks.sweeper", "tasks.executors"),
}
# Of the agent, everybody else sees what it says, what it is asked for and takes, and how it signs; nothing of how it reads
AGENT_SEEN = ("tasks.agent.contract", "tasks.agent.schema", "tasks.agent.prior", "tasks.agent.signatures")
# Traces are written and read through it, in processes of their own
TRACES_SEEN = ("tasks.agent.tracing", "tasks.agent.trace_store")
TRACES_SEEN_BY = ("tasks.traces", "tasks.costs.traces", "tasks.management.checkups")
# Those that have to start the agent's program itself, or put its answers into the scored shape, or look after its checkpoints
AGENT_STARTED_BY = (
    "tasks.executors", "tasks.bench", "tasks.management.commands.bench", "tasks.management.commands.run_agent", "tasks.management.agent_folders",
    "tasks.management.commands.checkpoints", "tasks.removal",
)  # fmt: skip


@cache
def imports() -> dict[str, frozenset[str]]:
    """Module → every module (or member of one) that it imports, inside functions too."""
    return {name: frozenset(_imported(path, name)) for name, path in _modules()}


def _modules() -> Iterator[tuple[str, Path]]:
    for package in OURS:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def _imported(path: Path, name: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively, which hides the direction"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def below(name: str, tops: tuple[str, ...]) -> bool:
    return any(name == top or name.startswith(f"{top}.") for top in tops)


def breaches(importer: str, imported: tuple[str, ...]) -> list[str]:
    return [
        f"{module} imports {target}"
        for module, targets in imports().items()
        if below(module, (importer,))
        for target in sorted(targets)
        if below(target, imported)
    ]


@pytest.mark.parametrize("importer", FORBIDDEN)
def test_nobody_calls_back_up(importer):
    assert breaches(importer, FORBIDDEN[importer]) == []


def test_those_at_the_bottom_import_only_what_lies_below_them():
    wrong = []
    for module, targets in imports().items():
        rules = [top for top in ALLOWED if below(module, (top,))]
        if rules:
            allowed = ALLOWED[max(rules, key=len)]
            wrong += [
                f"{module} imports {target}"
                for target in targets
                if below(target, OURS) and not below(target, allowed)
            ]
    assert wrong == []


def test_the_agent_never_imports_django():
    assert breaches("tasks.agent", ("django", "environ")) == []


def test_of_the_agent_others_see_its_contract_only():
    wrong = [
        f"{module} imports {target}"
        for module, targets in imports().items()
        if not below(module, ("tasks.agent", *AGENT_STARTED_BY))
        for target in targets
        if below(target, ("tasks.agent",)) and not below(target, AGENT_SEEN)
        if not (below(target, TRACES_SEEN) and below(module, TRACES_SEEN_BY))
    ]
    assert wrong == []


def test_nobody_imports_the_project_but_the_project():
    wrong = [
        line for package in ("tasks", "dashboard", "webhooks") for line in breaches(package, ("agentaudit",))
    ]
    assert wrong == []


def test_only_the_queue_runs_statements_that_change_tasks():
    callers = [
        module for module, targets in imports().items()
        if any(below(target, ("tasks.sql",)) for target in targets) and not below(module, ("tasks.queue", "tasks.sql"))
    ]  # fmt: skip
    assert callers == []


def loaded(code: str) -> set[str]:
    """The top-level modules that a fresh process has loaded after `code`."""
    code += "\nimport sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    return set(run.stdout.split())


def test_a_web_process_loads_nothing_heavy():
    code = "from agentaudit.asgi import application; from django.urls import get_resolver; get_resolver().url_patterns"
    code += (
        "; [route.url_patterns for route in get_resolver().url_patterns if hasattr(route, 'url_patterns')]"
    )
    assert loaded(code) & set(HEAVY) == set()


@pytest.mark.parametrize(
    "module", ["tasks.executors.forkserver", "tasks.agent.program", "tasks.agent.rules.reader"]
)
def test_the_fork_server_and_the_agent_load_neither_django_nor_anything_heavy(module):
    assert loaded(f"import {module}") & {*HEAVY, "django"} == set()


def test_a_command_loads_nothing_heavy():
    code = "import django; django.setup(); import tasks.management.commands.up"
    environment = "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'agentaudit.settings'; "
    assert loaded(environment + code) & set(HEAVY) == set()
