"""Ten sample documents through the real queue, compared with what they say."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.conf import settings

from tasks.management import base, handing_in, listing, preparation, rows, watching
from tasks.management.hands import Hands
from tasks.models import Task
from tasks.states import TaskStatus

SAMPLES = Path(settings.BASE_DIR) / "tasks" / "agent" / "samples"
AGENT = "invoice-rules"


class Command(base.Command):
    help = """Read the ten sample documents in tasks/agent/samples through the real queue and compare what was found with what
they say. Some are made to be refused, or to need a look. They belong to a client of their own, "Demo".

Exit code: 0 every document ended as expected; 1 otherwise."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--json", action="store_true", help="print one JSON document instead of the table"
        )

    def handle(self, *args, **options) -> None:
        expected = json.loads((SAMPLES / "expected.json").read_text())
        preparation.migrate(self.tell)
        with watching.interruptible():
            found = self.read([SAMPLES / name for name in sorted(expected)])
        faults = {row.file: list(differences(row, expected[Path(row.file).name])) for row in found}
        right = sum(not fault for fault in faults.values())
        if options["json"]:
            documents = [row.as_json() | {"differs": faults[row.file]} for row in found]
            self.stdout.write(
                json.dumps(
                    {"expected": right, "of": len(expected), "documents": documents},
                    ensure_ascii=False,
                    indent=2,
                )
            )
        else:
            self.show(found, faults, len(expected))
        if right < len(expected) or len(found) != len(expected):
            sys.exit(1)

    def read(self, files: list[Path]) -> list[rows.Row]:
        batch = handing_in.Batch(files)
        client = handing_in.client(handing_in.DEMO_CLIENT, create=True)
        with watching.Bar("Handing in", len(files)) as bar:
            batch.advance = bar.step
            extraction = batch.hand_in(client=client, agent=handing_in.agent(AGENT), again=True)
        ids = list(Task.objects.filter(extraction=extraction).values_list("pk", flat=True))
        try:
            with watching.Bar("Reading", len(ids)) as bar, Hands(bar.say) as hands:
                watching.wait_for(ids, hands, bar)
        except watching.GivenUp:
            self.tell("No worker keeps running. `manage.py doctor` says what to do.")
        except KeyboardInterrupt:
            self.tell("Interrupted; the documents stay in the queue.")
        found = rows.of_extraction(extraction, batch.paths, batch.unreadable)
        return sorted(found, key=lambda row: Path(row.file).name)

    def show(self, found: list[rows.Row], faults: dict[str, list[str]], expected: int) -> None:
        console = self.console
        console.print(listing.table(found, console.width))
        for row in found:
            name = rows.plain(Path(row.file).name)
            if row.message:
                console.print(f"{name}: {rows.plain(row.message)}", markup=False, soft_wrap=True)
            for fault in faults[row.file]:
                console.print(
                    f"{name}: NOT AS EXPECTED: {rows.plain(fault)}", markup=False, style="red", soft_wrap=True
                )
        right = sum(not fault for fault in faults.values())
        console.print(f"{right} of {expected} documents ended as expected.")
        if right == expected:
            console.print("Look at them: `make run` starts the pages and says where they are.")


def differences(row: rows.Row, expected: dict[str, Any]) -> Iterator[str]:
    """In words, everything in which a row is not what the sample's description says (or one of them: `either`)."""
    if "either" in expected:
        yield from min((list(differences(row, one)) for one in expected["either"]), key=len)
        return
    outcome = _outcome(row)
    if outcome != expected["outcome"]:
        yield f"{outcome} instead of {expected['outcome']}"
        return
    if row.state != TaskStatus.COMPLETED:
        return
    if row.kind != expected["kind"]:
        yield f"kind is {row.kind!r} instead of {expected['kind']!r}"
    for name, value in expected.get("fields", {}).items():
        if not _same(row.fields.get(name), value):
            yield f"{name} is {row.fields.get(name)!r} instead of {value!r}"
    if "line_count" in expected and row.fields.get("line_count") != expected["line_count"]:
        yield f"{row.fields.get('line_count')} lines instead of {expected['line_count']}"
    if set(row.flagged) != set(expected.get("flagged", row.flagged)):
        yield f"{sorted(row.flagged)} need a look instead of {sorted(expected['flagged'])}"
    if expected.get("reason", "") not in row.message:
        yield f"the reason is {row.message!r} instead of {expected['reason']!r}"


def _outcome(row: rows.Row) -> str:
    """In the words of the samples' description; a state that is not terminal is none of them."""
    if row.state == TaskStatus.COMPLETED:
        return "review" if row.needs_review else "result"
    return f"error:{row.code}" if row.state in (rows.REFUSED, TaskStatus.FAILED) else row.state


def _same(found: Any, expected: Any) -> bool:
    try:
        return Decimal(str(found)) == Decimal(str(expected))
    except InvalidOperation:
        return found == expected
