"""What `pause` and `resume` share: an agent, a client, or everything."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.db.models import QuerySet

from tasks.management import naming
from tasks.management.acting import Acting
from tasks.models import Agent, Client, Switches


class Switching(Acting):
    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--agent", action="append", metavar="NAME", help="this agent; may be repeated")
        what.add_argument(
            "--client", action="append", metavar="NAME", help="this client's work; may be repeated"
        )
        what.add_argument("--everything", action="store_true", help="the whole installation")
        self.add_common(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self.do(_rows(options), "", {}, options)


def _rows(options: dict[str, Any]) -> QuerySet:
    if options["everything"]:
        return Switches.objects.all()
    word, rows = ("agent", Agent.objects.all()) if options["agent"] else ("client", Client.objects.all())
    return rows.filter(pk__in=[naming.one(rows, word, name).pk for name in options[word]])
