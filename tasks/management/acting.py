"""What commands that act on many rows share: a filter in words, a look at what is meant, the action, and how it ended; for people and programs."""

from __future__ import annotations

import getpass
import json
import socket
from argparse import ArgumentParser
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.core.management import CommandError
from django.db.models import Q, QuerySet

from tasks import bulk, consequences
from tasks.agent.contract import Code
from tasks.audit import Actor
from tasks.changes import Refused
from tasks.management import base, naming
from tasks.management.base import wrong_call
from tasks.models import Agent, BulkAction, Client, Extraction, Task
from tasks.states import Priority, TaskStatus

SHOWN = 5
LEVELS = {level.name.lower(): int(level) for level in Priority}
FILTERS = """filters, all of which have to hold; several values of one are alternatives:
  status=failed          enqueued, processing, completed, failed, cancelled
  agent=NAME  client=NAME  engagement=TEXT  extraction=NUMBER
  error=CODE             the code that the task's page shows
  priority=urgent        urgent, interactive, normal, bulk
  review=yes             completed, and needs a look
  since=2026-11-30  until=2026-11-30   the day it was handed in (UTC, both included)"""


def day(text: str) -> datetime:
    return datetime.combine(date.fromisoformat(text), time(), UTC)


def _one_of(name: str, known: Mapping[str, Any], field: str) -> Callable[[str], Q]:
    """A filter whose values are these words."""

    def narrowed(value: str) -> Q:
        if value not in known:
            raise naming.missing(name, value, known)
        return Q(**{field: known[value]})

    return narrowed


def _borne(name: str, rows: QuerySet, of: str, field: str, also: Collection[str] = ()) -> Callable[[str], Q]:
    """A filter whose values are those that some of `rows` have, or are well known although none has them now."""

    def narrowed(value: str) -> Q:
        naming.must_be_borne(rows, name, value, field=of, also=also)
        return Q(**{field: value})

    return narrowed


def _extraction(value: str) -> Q:
    if not Extraction.objects.filter(pk=int(value)).exists():
        raise wrong_call(f"There is no extraction {value}. {naming.UNTOUCHED}")
    return Q(extraction=int(value))


# name → what a value narrows tasks to; a CommandError for one that does not exist. Nothing else of a row can be asked for
_BY: dict[str, Callable[[str], Q]] = {
    "status": _one_of("status", {status.value: status.value for status in TaskStatus}, "status"),
    "agent": _borne("agent", Agent.objects.all(), "name", "agent__name"),
    "client": _borne("client", Client.objects.all(), "name", "client__name"),
    "engagement": _borne(
        "engagement", Extraction.objects.all(), "engagement", "extraction__engagement", ("",)
    ),
    "extraction": _extraction,
    "error": _borne("error", Task.objects.all(), "error_code", "error_code", list(Code)),
    "priority": _one_of("priority", LEVELS, "priority"),
    "review": _one_of("review", {"yes": True, "no": False}, "needs_review"),
    "since": lambda value: Q(created_at__gte=day(value)),
    "until": lambda value: Q(created_at__lt=day(value) + timedelta(days=1)),
}


def chosen(ids: list[int], filters: list[str]) -> QuerySet[Task]:
    """The tasks of these numbers, or those that all filters let through. Raises CommandError with a sentence."""
    if bool(ids) == bool(filters):
        raise wrong_call("Say which tasks: their numbers, or --filter (one of both).")
    if ids:
        known = set(Task.objects.filter(pk__in=ids).values_list("pk", flat=True))
        if missing := [str(number) for number in ids if number not in known]:
            raise wrong_call(f"There is no task {', '.join(missing)}. {naming.UNTOUCHED}")
        return Task.objects.filter(pk__in=ids)
    by_name: dict[str, Q] = {}
    for text in filters:
        name, _equals, value = text.partition("=")
        if name not in _BY:
            raise naming.missing("filter", name, _BY)
        try:
            by_name[name] = by_name.get(name, Q()) | _BY[name](value)
        except ValueError:
            raise wrong_call(
                f"{value!r} is no value for the filter {name}; --help shows examples. {naming.UNTOUCHED}"
            ) from None
    found = Task.objects.all()
    for part in by_name.values():
        found = found.filter(part)
    return found


def operator() -> Actor:
    """Whoever has a shell here, as the trail names them."""
    return Actor(getpass.getuser()[:150], None, f"command {socket.gethostname()}"[:60])


class Acting(base.Command):
    """A verb of `tasks.verbs` as a command. Subclasses name it, and may take parameters."""

    verb = ""

    def add_common(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reason", default="", help="why; the audit log keeps it")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")

    def do(self, rows: QuerySet, selection: str, parameters: dict[str, Any], options: dict[str, Any]) -> None:
        """Say what is meant, and unless it is a dry run do it here and now: no worker and no web server is needed."""
        if options["dry_run"]:
            return self._tell_what_would_be(rows, options["json"])
        try:
            action = bulk.begin(
                operator(),
                self.verb,
                rows,
                selection=selection,
                parameters=parameters,
                reason=options["reason"],
            )
        except Refused as refusal:
            raise CommandError(refusal.message) from refusal
        bulk.finish(action)
        self._tell(action, options["json"])

    def _tell_what_would_be(self, rows: QuerySet, as_json: bool) -> None:
        number, first = rows.count(), [str(row) for row in rows.order_by("pk")[:SHOWN]]
        told = consequences.of(self.verb, rows) if number else []
        if as_json:
            self.say(json.dumps({"verb": self.verb, "rows": number, "first": first, "dry_run": True}))
            return
        meta = rows.model._meta
        self.say(
            f"{number} {meta.verbose_name if number == 1 else meta.verbose_name_plural} would be concerned{': ' if first else ''}{', '.join(first)}{' …' if number > SHOWN else '.'}"
        )
        for sentence in told:
            self.say(sentence)

    def _tell(self, action: BulkAction, as_json: bool) -> None:
        if action.error:
            raise CommandError(action.error)
        if as_json:
            result = {
                "verb": action.verb,
                "action": action.pk,
                "rows": action.total,
                "done": action.done,
                "skipped": action.skipped,
                "why": action.why,
            }
            self.say(json.dumps(result))
        else:
            self.say(bulk.sentence(action))


class ActingOnTasks(Acting):
    """A verb for tasks, by number or by filter."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = FILTERS
        parser.add_argument(
            "task", type=int, nargs="*", metavar="TASK", help="numbers of tasks, as their pages show them"
        )
        parser.add_argument(
            "--filter",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="tasks that this holds for; may be repeated",
        )
        self.add_parameters(parser)
        self.add_common(parser)

    def add_parameters(self, parser: ArgumentParser) -> None:
        """What the verb takes besides."""

    def parameters(self, options: dict[str, Any]) -> dict[str, Any]:
        return {}

    def handle(self, *args: Any, **options: Any) -> None:
        rows = chosen(options["task"], options["filter"])
        self.do(rows, "&".join(options["filter"]), self.parameters(options), options)
