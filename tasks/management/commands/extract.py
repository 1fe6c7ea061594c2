"""Hands files in from the command line, waits for them, and prints what was read."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path

from tasks import maintenance
from tasks.management import base, handing_in, listing, preparation, rows, watching
from tasks.management.hands import Hands
from tasks.models import Extraction, Task
from tasks.states import TERMINAL, Priority, TaskStatus

NOT_ALL, INTERRUPTED = 1, 130


class Command(base.Command):
    help = """Read PDFs: hand them in, wait, and print a table of what was found and what needs a look.

Works without the pages running. When no worker is alive, one is started for as long as this command runs. Ctrl-C leaves
the documents in the queue. A file that was handed in before shows the result that it got then.

  manage.py extract invoice.pdf
  manage.py extract invoices/ --client "Miller & Co" --create-client --engagement "Audit 2026" --csv invoices.csv
  manage.py extract invoices/ --json | jq '.documents[] | {file, fields}'

Exit code: 0 every document was read; 1 at least one was refused, failed or cancelled, or OUT could not be written;
2 wrong call, nothing was handed in; 130 interrupted."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files", nargs="+", metavar="FILE", help="PDFs, and folders that are searched for them"
        )
        parser.add_argument(
            "--client",
            default="",
            metavar="NAME",
            help='who the audit is for (default: the only client; where there is none, one named "My documents" is made)',
        )
        parser.add_argument(
            "--create-client", action="store_true", help="make the client if there is none of that name"
        )
        parser.add_argument(
            "--agent", default="", metavar="NAME", help="which agent reads (default: invoice-rules)"
        )
        parser.add_argument(
            "--engagement", default="", metavar="TEXT", help="a label that narrows the client"
        )
        parser.add_argument(
            "--priority",
            choices=[level.name.lower() for level in Priority],
            help="default: what the client's tier says",
        )
        parser.add_argument(
            "--password",
            action="store_true",
            help="ask for the password that opens encrypted files (or read it from standard input)",
        )
        parser.add_argument(
            "--again", action="store_true", help="read files again that this agent has read for this client"
        )
        parser.add_argument(
            "--json", action="store_true", help="print one JSON document instead of the table"
        )
        parser.add_argument("--csv", type=Path, metavar="OUT", help="also write one line per file to OUT")

    def handle(self, *args, **options) -> None:
        files = handing_in.files(options["files"])
        if options["csv"]:
            handing_in.must_be_writable(options["csv"])
        preparation.migrate(self.tell)
        code = 0
        with watching.interruptible():
            batch = handing_in.Batch(files, handing_in.asked_password() if options["password"] else "")
            try:
                extraction = self.hand_in(batch, options)
            except KeyboardInterrupt:
                self.tell("Stopped; nothing was handed in.")
                sys.exit(INTERRUPTED)
            try:
                self.wait(extraction)
            except KeyboardInterrupt:
                code = INTERRUPTED
            except watching.GivenUp:
                code = NOT_ALL
        found = rows.of_extraction(extraction, batch.paths, batch.unreadable)
        written = options["csv"] is None or self.write_csv(options["csv"], found)
        self.show(extraction, found, options["json"])
        if not options["password"] and any(row.code == "encrypted" for row in found):
            self.tell("With --password this command asks for the password that opens encrypted files.")
        if waiting := sum(row.state not in (*TERMINAL, rows.REFUSED) for row in found):
            self.tell(
                f"{waiting} of {len(found)} documents are not finished. They stay in the queue; a worker goes on with "
                "them: manage.py worker --until-idle, or manage.py up. The same extract command shows the results then."
            )
        code = code or int(not written or any(row.state != TaskStatus.COMPLETED for row in found))
        if code:
            sys.exit(code)

    def hand_in(self, batch: handing_in.Batch, options: dict) -> Extraction:
        engagement = handing_in.label("--engagement", options["engagement"], most=100)
        agent = handing_in.agent(options["agent"])
        client = handing_in.client(options["client"], options["create_client"])
        if not options["client"]:
            self.tell(f"They belong to the client {client.name!r}; --client names another one.")
        priority = Priority[options["priority"].upper()] if options["priority"] else None
        with watching.Bar("Handing in", len(batch.files)) as bar:
            batch.advance = bar.step
            return batch.hand_in(
                client=client,
                agent=agent,
                engagement=engagement,
                priority=priority,
                again=options["again"],
            )

    def wait(self, extraction: Extraction) -> None:
        tasks = list(Task.objects.filter(extraction=extraction).values_list("pk", flat=True))
        tasks += [entry["task_id"] for entry in extraction.refused if entry.get("task_id")]
        if not tasks:
            return
        if names := maintenance.paused():
            self.tell(f"Paused: {', '.join(names)}. Nothing of that is started until manage.py resume.")
        with watching.Bar("Reading", len(tasks)) as bar, Hands(bar.say) as hands:
            watching.wait_for(tasks, hands, bar)

    def write_csv(self, path: Path, found: list[rows.Row]) -> bool:
        try:
            rows.write_csv(path, found)
        except OSError as error:
            self.tell(f"{path} cannot be written: {error.strerror}. The results are kept; see below.")
            return False
        return True

    def show(self, extraction: Extraction, found: list[rows.Row], as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(document(extraction, found), ensure_ascii=False, indent=2))
            return
        console = self.console
        console.print(listing.table(found, console.width))
        for row in found:
            if row.message and (row.state != TaskStatus.COMPLETED or row.needs_review):
                console.print(
                    f"{rows.plain(row.file)}: {rows.plain(row.message)}", markup=False, soft_wrap=True
                )
        console.print(
            f"{summary(found)}. Extraction {extraction.pk}, client {rows.plain(extraction.client.name)}.",
            markup=False,
            soft_wrap=True,
        )


def summary(found: list[rows.Row]) -> str:
    """How many were read by this call, how many are known from before, how many were not read, and how many need a look."""
    read = [row for row in found if row.state == TaskStatus.COMPLETED]
    again = sum(row.repeat for row in read)
    counts = {"read": len(read) - again, "already read": again, "not read": len(found) - len(read)}
    look = sum(bool(row.needs_review) for row in found)
    told = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
    return f"{told}; {look} of them {'needs' if look == 1 else 'need'} a look"


def document(extraction: Extraction, found: list[rows.Row]) -> dict:
    """What --json prints."""
    counts: dict[str, int] = {}
    for row in found:
        counts[row.state] = counts.get(row.state, 0) + 1
    return {
        "extraction": extraction.pk,
        "client": extraction.client.name,
        "agent": extraction.agent.name,
        "counts": counts,
        "documents": [row.as_json() for row in found],
    }
