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
LONGEST_SUBJECT = len("second OCR")


class Command(base.Command):
    help = """Look at everything that agentaudit needs: settings, database (version, rights, migrations, wake-ups, clock), storage,
disks, memory, workers, and whether a document can be read here. Changes nothing. Takes a few seconds. Where agents use AI functions of
Databricks, each is asked once, for a fraction of a cent.

Exit code: 0 all well, or hints only; 1 something does not work."""
    requires_system_checks = ()  # its findings are these, in its own words

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args, **options) -> None:
        findings = []
        for finding in examine():
            findings.append(finding)
            if not options["json"]:
                self.show(finding)
        faults = sum(finding.level is Level.FAULT for finding in findings)
        if options["json"]:
            self.stdout.write(
                json.dumps(
                    {"ok": not faults, "findings": [finding.as_json() for finding in findings]}, indent=2
                )
            )
        else:
            self.sum_up(faults)
        if faults:
            sys.exit(1)

    def show(self, finding: Finding) -> None:
        """At once: the whole takes seconds, or minutes where something does not answer."""
        row = Table(box=None, pad_edge=False, show_header=False)
        row.add_column(no_wrap=True, min_width=max(len(word) for word, _ in SIGNS.values()))
        row.add_column(no_wrap=True, min_width=LONGEST_SUBJECT)
        row.add_column(overflow="fold")
        word, style = SIGNS[finding.level]
        text = Text(plain(finding.sentence))
        if finding.level is not Level.OK:
            text.append(f"\n→ {plain(finding.advice)}", "bold" if finding.level is Level.FAULT else "")
        row.add_row(Text(word, style), finding.subject, text)
        self.console.print(row)
        self.stdout.flush()

    def sum_up(self, faults: int) -> None:
        self.console.print(
            "Everything that is needed works."
            if not faults
            else f"{faults} {'thing does' if faults == 1 else 'things do'} not work; the arrows say what to do."
        )
