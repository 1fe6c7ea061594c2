"""`manage.py settle_costs`: reads from the bill of Databricks what the runs of attempts cost."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta

from django.core.management import CommandError

from tasks.costs import billing
from tasks.databricks import NotConfigured
from tasks.management import base


class Command(base.Command):
    help = """Ask the SQL warehouse BILLING_WAREHOUSE_ID what our runs cost, and store it on their attempts.

Usage appears in the bill hours after a run and is corrected later: every run of the last 35 days is asked for again. Safe to run
twice, and to break off: what was read within the last hour is not asked for again (--again: all of it). Run it once a day.
The warehouse costs money while it runs; a pass over 10,000 runs makes 5 statements."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--days", type=int, default=billing.LOOK_BACK.days, help="how far to look back (%(default)s)"
        )
        parser.add_argument("--again", action="store_true", help="also what was read within the last hour")

    def handle(self, *args, days: int, again: bool, **options) -> None:
        if days < 1:
            raise CommandError("--days has to be at least 1.")
        try:
            done = billing.settle(look_back=timedelta(days=days), again=again, say=self.tell)
        except (billing.WarehouseError, NotConfigured) as error:
            raise CommandError(str(error)) from error
        self.say(done.sentence)
