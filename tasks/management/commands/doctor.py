"""Says in plain words whether agentaudit can work here, and what to do where it cannot."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser

from rich.table import Table
from rich.text import Text

from tasks.management import base
from tasks.management.checkups import Finding, Level, examine
from tasks.management.rows import plain

SIGNS = {Level.OK: ("ok", "green"), Level.HINT: ("hint", "yellow"), Level.FAULT: ("FAULT", "bold red")}


class Command(base.Command):
    help = """Look at everything that agentaudit needs: settings, database (version, rights, migrations, wake-ups, clock), storage,
disks, memory, workers, and whether a document can be read here. Changes nothing. Takes a few seconds. Where agents use AI functions of
Databricks, each is asked once, for a fraction of a cent.

Exit code: 0 all well, or hints only; 1 something does not work."""
    requires_system_checks = ()  # its findings are these, in its own words

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args, **options) -> None:
        findings = list(examine())
        faults = sum(finding.level is Level.FAULT for finding in findings)
        if options["json"]:
            self.stdout.write(
                json.dumps(
                    {"ok": not faults, "findings": [finding.as_json() for finding in findings]}, indent=2
                )
            )
        else:
            self.show(findings, faults)
        if faults:
            sys.exit(1)

    def show(self, findings: list[Finding], faults: int) -> None:
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for finding in findings:
            word, style = SIGNS[finding.level]
            text = Text(plain(finding.sentence))
            if finding.level is not Level.OK:
                text.append(f"\n→ {plain(finding.advice)}", "bold" if finding.level is Level.FAULT else "")
            table.add_row(Text(word, style), finding.subject, text)
        console = self.console
        console.print(table)
        console.print(
            "Everything that is needed works."
            if not faults
            else f"{faults} {'thing does' if faults == 1 else 'things do'} not work; the arrows say what to do."
        )
