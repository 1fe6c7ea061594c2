"""`manage.py delete_client`: deletes everything that was handed in for a client and everything that was made of it."""

from __future__ import annotations

import json
import sys
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management import CommandError
from django.template.defaultfilters import filesizeformat

from tasks import erasure
from tasks.erasure import Progress, Scope
from tasks.management import base, naming
from tasks.management.acting import operator
from tasks.management.deleting import carried_out
from tasks.models import Client

ANY = "deletion asked for on the command line"


class Command(base.Command):
    help = """Delete everything that was handed in for a client and everything that was made of it: documents, results, outcome files, logs,
kept answers, traces. Nothing brings it back. Nothing is taken in for the client any more. What it cost stays, and so does the audit log.

It asks for the client's name; elsewhere than on a terminal it needs --yes. Killed, or told that something could not be removed, it is
repeated: it goes on where it was.

  manage.py delete_client "Nordwind AG" --dry-run
  manage.py delete_client "Nordwind AG" --reason "engagement ended, retention over" """

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", default="", metavar="NAME", help="the client's name")
        parser.add_argument("--open", action="store_true", help=SUPPRESS)
        parser.add_argument("--reason", default=ANY, help="why; the audit log keeps it")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")
        parser.add_argument("--yes", action="store_true", help="do not ask for the name")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["open"]:
            self._go_on(options["json"])
            return
        if not options["name"]:
            raise base.wrong_call("Say which client, by its name. Nothing was deleted.")
        client = naming.one(Client.objects.all(), "client", options["name"], "Nothing was deleted.")
        found = erasure.scope(client)
        if options["dry_run"]:
            self.say(
                json.dumps({"client": client.name, **asdict(found)})
                if options["json"]
                else what(client, found)
            )
            return
        if not options["yes"]:
            self._ask(client, found)
        self._told(client, self._delete(client, options["reason"]), options["json"])

    def _told(self, client: Client, done: Progress, as_json: bool) -> None:
        if as_json:
            self.say(json.dumps({"client": client.name, **asdict(done)}))
        elif not done.left:
            self.say(f"Everything of {client.name} was deleted: {told(done)}.")
        if done.left:
            raise CommandError(" ".join([*done.left, "Then repeat the command; the rest was deleted."]))

    def _go_on(self, as_json: bool) -> None:
        """With every deletion that was begun and is not through; one that cannot go on keeps no other from it."""
        faults = []
        for client in erasure.unfinished():
            try:
                self._told(client, self._delete(client, ANY), as_json)
            except CommandError as error:
                faults.append(f"{client.name}: {error}")
        if faults:
            raise CommandError("\n".join(faults))

    def _ask(self, client: Client, found: Scope) -> None:
        if not sys.stdin.isatty():
            raise CommandError(
                "Nothing was deleted: this cannot be undone, so that it needs --yes where nobody can be asked."
            )
        self.tell(what(client, found))
        self.tell("Nothing brings it back. Type the client's name to delete it:")
        if sys.stdin.readline().strip() != client.name:
            raise CommandError("That is not the client's name. Nothing was deleted.")

    def _delete(self, client: Client, reason: str) -> Progress:
        def steps() -> Iterator[Progress]:
            erasure.begin(operator(), client, reason)
            yield from erasure.go_on(operator(), client)

        return carried_out(steps(), self.tell, told, Progress())


def what(client: Client, found: Scope) -> str:
    """What would be lost, and what stands in the way of it."""
    lost = (
        f"{client.name}: {found.documents:,} documents ({filesizeformat(found.size_bytes)}) of {found.extractions:,} extractions, "
        f"with the results, logs and files of {found.attempts:,} attempts and {found.traces:,} traces, are deleted. "
        f"{found.waiting:,} waiting tasks are cancelled."
    )
    if found.running:
        lost += f" {found.running:,} tasks are being processed and have to be cancelled first."
    return lost


def told(done: Progress) -> str:
    return f"{done.documents:,} documents, {done.files:,} other files, {done.traces:,} traces"
