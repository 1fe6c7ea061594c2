"""`manage.py requeue`: documents are read again, by the same agent or another."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from tasks.management import naming
from tasks.management.acting import ActingOnTasks
from tasks.models import Agent


class Command(ActingOnTasks):
    verb = "reprocess"
    help = """Read documents again, whatever became of them: a new generation of each task, read by another agent if one is named,
by its present version or an earlier one. Earlier results stay on their attempts. What waits or runs is skipped.

  manage.py requeue 17 --agent reader
  manage.py requeue 17 --agent reader --agent-version 3
  manage.py requeue --filter agent=old-reader --filter review=yes --agent reader --dry-run"""

    def add_parameters(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--agent",
            default="",
            metavar="NAME",
            help="the agent that reads them (default: the same as before)",
        )
        parser.add_argument(
            "--agent-version",
            type=int,
            metavar="NUMBER",
            help="which version of that agent (default: the current one)",
        )

    def parameters(self, options: dict[str, Any]) -> dict[str, Any]:
        if options["agent"]:
            naming.one(Agent.objects.all(), "agent", options["agent"])
        given = {"agent": options["agent"], "version": options["agent_version"]}
        return {name: value for name, value in given.items() if value}
