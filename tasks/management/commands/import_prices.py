"""`manage.py import_prices`: adds dated prices of models from a CSV file, all of them or none."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from django.core.management import CommandError
from rich.table import Table

from tasks.costs.price_list import AMOUNTS, COLUMNS, Plan, plan, write
from tasks.management import base
from tasks.management.acting import operator
from tasks.management.base import wrong_call
from tasks.models import Price


class Command(base.Command):
    help = f"""Add prices of models from a CSV file with the columns {", ".join(COLUMNS)}.

USD per million tokens, from a day (UTC) or moment on. The file is taken as a whole or, with a fault in any line, not at all. What stands is never
changed: costs keep the price that they were computed with, and a new price begins at a new moment. With --dry-run it only says what it would do."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the CSV file")
        parser.add_argument("--dry-run", action="store_true", help="say what would be added, and add nothing")

    def handle(self, *args, **options) -> None:
        try:
            text = options["file"].read_text(encoding="utf-8-sig")
        except OSError as error:
            raise wrong_call(f"{options['file']} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise CommandError(f"{options['file']} is no text in UTF-8. Nothing was added.") from error
        found = plan(text)
        if found.faults:
            lines = "\n".join(f"  line {number}: {sentence}" for number, sentence in found.faults)
            raise CommandError(f"Nothing was added. Mend the file:\n{lines}")
        self.show(found)
        if options["dry_run"]:
            self.say(
                f"{len(found.new)} would be added, {len(found.known)} stand already. Nothing was written."
            )
            return
        added = write(operator(), found)
        self.say(f"{added} added, {len(found.known)} stood already.")

    def show(self, found: Plan) -> None:
        if not found.new:
            return
        table = Table("model", "from (UTC)", *AMOUNTS, "input and output before")
        for price in found.new:
            before: Price | None = found.before.get(price.model)
            was = f"{before.input_usd.normalize():f} / {before.output_usd.normalize():f}" if before else "–"
            amounts = (
                "–" if (usd := getattr(price, name)) is None else f"{usd.normalize():f}" for name in AMOUNTS
            )
            table.add_row(price.model, f"{price.valid_from:%Y-%m-%d %H:%M}", *amounts, was)
        self.console.print(table)
