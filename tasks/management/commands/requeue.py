"""`manage.py requeue`: documents are read again, by the same agent or another."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from tasks.management.acting import ActingOnTasks


class Command(ActingOnTasks):
    verb = "reprocess"
    help = """Read documents again, whatever became of them: a new generation of each task, with the present version of another agent
if one is named. Earlier results stay on their attempts. What waits or runs is skipped.

  manage.py requeue 17 --agent reader
  manage.py requeue --filter agent=old-reader --filter review=yes --agent reader --dry-run"""

    def add_parameters(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--agent",
            default="",
            metavar="NAME",
            help="the agent that reads them (default: the same as before)",
        )

    def parameters(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"agent": options["agent"]} if options["agent"] else {}
