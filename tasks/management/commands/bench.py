"""Measures agentaudit in a database and a storage of its own, and prints the figures."""

from __future__ import annotations

import json
import subprocess
import time
from argparse import SUPPRESS, ArgumentParser
from dataclasses import asdict
from importlib import import_module

from django.conf import settings
from django.core.management import CommandError

from tasks.bench import BENCHES
from tasks.bench.machine import commit, machine
from tasks.bench.place import own_place
from tasks.management import base, preparation, processes, watching

_LIST = "\n".join(f"  {name:<10} {what}" for name, what in BENCHES.items())


class Command(base.Command):
    help = f"""Measure. Each bench has an empty database and storage of its own, on the embedded server or on the one that
DATABASE_URL names, and removes them at the end.

{_LIST}

With --json standard output holds exactly one JSON object: bench, commit, machine, figures, notes. A figure that could
not be measured is null, and a note says why. Progress goes to standard error."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=BENCHES, metavar="NAME", help="one of the list above")
        parser.add_argument(
            "--full", action="store_true", help="the long form; without it a bench takes about a minute"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
        parser.add_argument("--inside", action="store_true", help=SUPPRESS)

    def handle(self, *args, **options) -> None:
        if options["inside"]:
            preparation.migrate(self.tell)
            measured = import_module(f"tasks.bench.{options['name']}").run(options["full"], self.tell)
            self.stdout.write(json.dumps(asdict(measured)))
            return
        with watching.interruptible():
            report = self.measure(options["name"], options["full"])
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1))
        else:
            self.show(report)

    def measure(self, name: str, full: bool) -> dict:
        """Runs the bench in a process of its own, whose settings all point to the place of its own."""
        begun = time.monotonic()
        with own_place() as environment:
            command = processes.manage("bench", name, "--inside", *(["--full"] if full else []))
            child = processes.start(
                command, env=environment, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, text=True
            )
            try:
                printed, _ = child.communicate()
            finally:
                processes.stop([child])
        if child.returncode:
            raise CommandError(
                f"The bench {name} ended with exit code {child.returncode}; the lines above say why."
            )
        self.tell(f"{name}: {time.monotonic() - begun:.0f} s")
        return {"bench": name, "commit": commit(), "machine": machine(), **json.loads(printed)}

    def show(self, report: dict) -> None:
        self.stdout.write(f"{report['bench']} at {report['commit']} on {report['machine']}")
        for name, figure in report["figures"].items():
            self.stdout.write(f"  {name:<24} {'–' if figure is None else json.dumps(figure)}")
        for note in report["notes"]:
            self.stdout.write(f"  note: {note}")
