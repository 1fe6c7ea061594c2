"""`manage.py prune`: deletes documents and results of extractions after their retention time."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.core.management import CommandError
from django.template.defaultfilters import filesizeformat

from tasks import pruning
from tasks.management import base, naming
from tasks.management.acting import operator
from tasks.management.base import wrong_call
from tasks.management.deleting import carried_out
from tasks.models import Client
from tasks.pruning import Progress, Scope

MOST_DAYS = 36_500


def days(text: str) -> timedelta:
    """The `type` of an argument that is a time in days."""
    match = re.fullmatch(r"(\d{1,6})d", text, re.ASCII)
    if not match or not 1 <= int(match[1]) <= MOST_DAYS:
        raise ArgumentTypeError(
            f"{text!r} is no time in days between 1d and {MOST_DAYS}d, such as 365d. Nothing was deleted."
        )
    return timedelta(days=int(match[1]))


class Command(base.Command):
    help = """Delete documents, results, logs, kept answers and traces of every extraction whose last document was done longer ago than its retention
time. Nothing brings them back. States, times, tokens, costs, the audit log and the numbers already seen stay; clients and agents work on.
An extraction in which anything waits, runs, or has not ended for certain is left alone, and so is a file that a younger one uses.

Killed, or told that something could not be removed, it is repeated: it goes on where it was.

  manage.py prune --older-than 365d --dry-run
  manage.py prune --older-than 365d --client "Nordwind AG" --reason "retention of one year" """

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--older-than", type=days, required=True, metavar="DAYS", help="such as 365d")
        parser.add_argument("--client", default="", metavar="NAME", help="only of this client")
        parser.add_argument("--reason", default="", help="why; the audit log keeps it")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")

    def handle(self, *args: Any, **options: Any) -> None:
        client, older_than = None, options["older_than"]
        if options["client"]:
            client = naming.one(Client.objects.all(), "client", options["client"], "Nothing was deleted.")
        about = {
            "older_than_days": older_than.days,
            "client": client and client.name,
            "dry_run": options["dry_run"],
        }
        if options["dry_run"]:
            found = pruning.scope(older_than, client)
            self.say(json.dumps({**about, **asdict(found)}) if options["json"] else what(found))
            return
        if not options["reason"].strip():
            raise wrong_call('Say why with --reason "…"; the audit log keeps it. Nothing was deleted.')
        done = carried_out(
            pruning.prune(operator(), older_than, options["reason"], client), self.tell, told, Progress()
        )
        if options["json"]:
            self.say(json.dumps({**about, **asdict(done)}))
        elif done == Progress():
            self.say("No extraction is that old. Nothing was deleted.")
        elif not done.left:
            self.say(f"Deleted: {told(done)}.")
        if done.left:
            raise CommandError(
                " ".join([*done.left, f"Then repeat the command. Deleted so far: {told(done)}."])
            )


def what(found: Scope) -> str:
    """What would be lost."""
    if not found.extractions:
        return "No extraction is that old."
    return (
        f"{found.extractions:,} extractions would lose the results, logs and files of {found.tasks:,} tasks in {found.attempts:,} attempts, "
        f"and {found.documents:,} documents ({filesizeformat(found.size_bytes)}) that nothing else uses."
    )


def told(done: Progress) -> str:
    return (
        f"{done.extractions:,} extractions with {done.attempts:,} attempts, {done.documents:,} documents, "
        f"{done.files:,} files, {done.traces:,} traces"
    )
