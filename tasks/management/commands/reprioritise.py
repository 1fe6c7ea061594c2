"""`manage.py reprioritise`: tasks get another priority."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from tasks.management.acting import LEVELS, ActingOnTasks


class Command(ActingOnTasks):
    verb = "reprioritise"
    help = """Change the priority of tasks that wait or run (a running one keeps it for its next attempt).

  manage.py reprioritise 17 --to urgent
  manage.py reprioritise --filter client="Nordwind AG" --filter status=enqueued --to bulk --reason "no hurry\""""

    def add_parameters(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", required=True, choices=list(LEVELS), help="the new level")

    def parameters(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"priority": LEVELS[options["to"]]}
