"""`manage.py run_agent`: one file read by one agent, here and now, outside the queue."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from tasks import confidence, operations, orders
from tasks.agent import golden
from tasks.agent.contract import Completed, Endpoint, Failed
from tasks.management import agent_folders, base
from tasks.management.base import wrong_call
from tasks.management.handing_in import agent, asked_password
from tasks.management.rows import plain

FAILED = 1


class Command(base.Command):
    help = """Read one PDF with an agent in this process: nothing is queued, stored or counted, and no limit of the agent holds.

NAME is an agent of ./own_agents (see new_agent), or else one of the admin's. Where a file NAME.answer.json stands beside the PDF of an
agent in a folder, it is taken for the model's answer; --ask asks the model.

  manage.py run_agent delivery-notes note.pdf
  manage.py run_agent delivery-notes note.pdf --ask --expect
  manage.py run_agent invoice-rules invoice.pdf --json

Exit code: 0 with a result; 1 with a failure; 2 for a wrong call."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="the agent")
        parser.add_argument("file", type=Path, metavar="FILE", help="the PDF")
        parser.add_argument(
            "--agent-version",
            type=int,
            metavar="NUMBER",
            help="of an agent of the admin (default: the current one)",
        )
        parser.add_argument(
            "--ask", action="store_true", help="ask the model, whatever answer stands beside the file"
        )
        parser.add_argument(
            "--password", action="store_true", help="ask for the password that opens the file"
        )
        parser.add_argument("--json", action="store_true", help="print the result, or the failure, as JSON")
        parser.add_argument(
            "--expect",
            action="store_true",
            help="write what came out beside the file, as FILE.expected.json; check it before you trust it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        if not file.is_file():
            raise wrong_call(f"There is no file {str(file)!r}.")
        try:
            outcome = self.outcome(file, options)
        except golden.FolderError as error:
            raise wrong_call(str(error)) from error
        except OSError as error:
            raise wrong_call(f"{file} cannot be read: {error.strerror}.") from error
        if options["json"]:
            self.say(json.dumps(told(outcome), ensure_ascii=False, indent=2))
        elif isinstance(outcome, Failed):
            self.tell(outcome.message)
        else:
            self.show(outcome)
        if options["expect"]:
            target = file.with_suffix(".expected.json")
            told_by = json.dumps(golden.expectation(outcome), ensure_ascii=False, indent=2) + "\n"
            try:
                target.write_text(told_by, encoding="utf-8")
            except OSError as error:
                raise wrong_call(f"{target} cannot be written: {error.strerror}.") from error
            self.tell(f"{target} is written; check each value against the page.")
        if isinstance(outcome, Failed):
            sys.exit(FAILED)

    def outcome(self, file: Path, options: dict[str, Any]) -> Completed | Failed:
        password = asked_password() if options["password"] else ""
        folder = agent_folders.found(options["name"])
        if folder is not None:
            scripted = not options["ask"] and file.with_suffix(".answer.json").exists()
            endpoint = None if scripted else _endpoint(folder.options, folder.model)
            return folder.read(file, endpoint=endpoint, password=password)
        row = agent(options["name"])
        try:
            version = operations.version_of(row, options["agent_version"])
        except operations.Refused as refusal:
            raise wrong_call(refusal.message) from refusal
        endpoint = _endpoint(version.options, version.model)
        return golden.read(file, version.program, version.options, version.model, endpoint, password)

    def show(self, outcome: Completed) -> None:
        """A line for each value: where it stands on the page, how sure it is, and why it needs a look."""
        for record in outcome.result.records if outcome.result else ():
            first, last = record.first_page, record.last_page
            table = Table(
                title=f"{record.kind}, {f'page {first}' if first == last else f'pages {first}-{last}'}",
                box=None,
                title_justify="left",
            )
            for head in ("field", "value", "conf.", "page", "needs a look"):
                table.add_column(head)
            rows = [*record.fields.items()]
            rows += [
                (f"{number}. {name}", value)
                for number, line in enumerate(record.lines, 1)
                for name, value in line.items()
            ]
            for name, value in rows:
                page = str(value.evidence[0].page) if value.evidence else "—"
                shown = "—" if value.value is None else plain(str(value.value))
                cells = (
                    name,
                    shown,
                    f"{confidence.shown(value.confidence):.2f}",
                    page,
                    "; ".join(map(plain, value.reasons)),
                )
                table.add_row(*map(Text, cells))
            self.console.print(table)
        for sentence in outcome.result.reasons if outcome.result else ():
            self.say(plain(sentence))


def _endpoint(options: dict[str, Any], model: str) -> Endpoint:
    return orders.endpoint_of(options.get("endpoint") or "", "local") if model else Endpoint()


def told(outcome: Completed | Failed) -> dict[str, Any]:
    """The result with what it took, or the failure, as JSON."""
    if isinstance(outcome, Failed):
        return outcome.model_dump(mode="json", include={"code", "message", "retryable", "usage"})
    return {
        **(outcome.result.model_dump(mode="json") if outcome.result else {}),
        "usage": outcome.usage.model_dump(mode="json"),
    }
