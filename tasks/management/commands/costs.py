"""`manage.py costs`: says what was spent, by what, and how much of it is known."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from datetime import date
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from rich.table import Table

from tasks.costs import told
from tasks.costs.names import names
from tasks.costs.periods import DAY, EARLIEST, LATEST, Period, named
from tasks.costs.questions import DIMENSIONS, Query
from tasks.costs.reports import Line, Report, make, today
from tasks.management import base, naming
from tasks.models import Agent, AgentVersion, Attempt, Client, Extraction
from tasks.states import LIVE, AttemptStatus

STATES = ("completed", "failed", "cancelled", "open")


class Command(base.Command):
    help = """Say what was spent in a period: LLM and compute, settled, estimated and unknown, waste, and the median of a task.

An attempt counts on the day on which it ended, in the zone COST_TIME_ZONE. What is unknown is never counted as 0: the figures say how many attempts
they lack. Every amount is in USD; docs/costs.md says what each means.

  manage.py costs --since 7d --status failed --json     what did the failed tasks of the last seven days cost?
  manage.py costs --since month --agent NAME            what does a task of an agent cost this month?"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--since", default="month", metavar="WHEN", help="7d, month, last-month, 2026-11 or 2026-11-03; the present month without it"
        )  # fmt: skip
        parser.add_argument(
            "--until",
            type=date.fromisoformat,
            metavar="DAY",
            help="the last day that counts, such as 2026-11-20",
        )
        parser.add_argument("--by", choices=DIMENSIONS, default="client", help="what the lines are (client)")
        parser.add_argument("--client", metavar="NAME", help="of one client alone")
        parser.add_argument("--engagement", metavar="NAME", help="of one engagement alone; empty: of none")
        parser.add_argument("--agent", metavar="NAME", help="of one agent alone")
        parser.add_argument(
            "--agent-version", type=int, metavar="N", help="of one version of that agent alone"
        )
        parser.add_argument("--model", metavar="NAME", help="of one model alone; empty: without a model")
        parser.add_argument("--uploader", metavar="USER", help="of what one person handed in")
        parser.add_argument("--status", choices=STATES, default="", help="of tasks in this state alone")
        parser.add_argument(
            "--attempts", choices=sorted(set(map(str, AttemptStatus)) - LIVE), default="", metavar="STATE",
            help="of attempts that ended so alone",
        )  # fmt: skip
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")

    def handle(self, *args, **options) -> None:
        report = make(self.query(options))
        if options["json"]:
            self.say(json.dumps(told.report(report), indent=1))
        else:
            self.show(report)

    def query(self, options: dict[str, Any]) -> Query:
        try:
            period = named(options["since"], today())
        except ValueError as error:
            raise base.wrong_call(str(error)) from error
        if options["until"]:
            if not EARLIEST <= options["until"] <= LATEST:
                raise base.wrong_call(f"--until has to lie between {EARLIEST} and {LATEST}.")
            period = Period(period.since, options["until"] + DAY)
        if period.until <= period.since:
            raise base.wrong_call(
                f"The period ends on {period.last_day}, before it begins on {period.since}."
            )
        if options["agent_version"] and not options["agent"]:
            raise base.wrong_call("Versions are counted by agent: say which with --agent.")
        if options["engagement"]:
            naming.must_be_borne(
                Extraction.objects.all(), "engagement", options["engagement"], "", field="engagement"
            )
        if options["model"]:
            known = set(AgentVersion.objects.values_list("model", flat=True))
            naming.must_be_borne(
                Attempt.objects.all(), "model", options["model"], "", field="model", also=known
            )
        agent = _id(Agent, "agent", options["agent"])
        version = 0
        if options["agent_version"]:
            found = AgentVersion.objects.filter(agent=agent, number=options["agent_version"]).first()
            if found is None:
                raise base.wrong_call(f"{options['agent']} has no version {options['agent_version']}.")
            version = found.pk
        return Query(
            period, options["by"], client=_id(Client, "client", options["client"]), engagement=options["engagement"], agent=agent, version=version,
            model=options["model"], outcome=options["attempts"], status=options["status"], uploader=_id(User, "user", options["uploader"], "username"),
        )  # fmt: skip

    def show(self, report: Report) -> None:
        period = report.query.period
        table = Table(title=f"{period.since} to {period.last_day} ({report.zone}), USD", title_justify="left")
        table.add_column(report.query.by)
        for title in (
            "attempts",
            "documents",
            "LLM",
            "compute",
            "total",
            "per document",
            "per completed",
            "unknown LLM",
            "unknown compute",
        ):
            table.add_column(title, justify="right")
        called = names(report.query.by, [line.key for line in report.lines])
        for line in report.lines:
            table.add_row(called[line.key] or "–", *_cells(line))
        table.add_section()
        table.add_row("total", *_cells(report.total))
        table.add_row("of it retries", *_cells(report.retries))
        table.add_row("of it failures", *_cells(report.failures))
        if report.corrections.sums:
            table.add_row("of it corrections of closed months", *_cells(report.corrections))
        self.console.print(table)
        if not report.query.is_narrowed:
            self.say(f"Not attributed to any run: {_usd(report.other_usd)} USD")
        median = report.median
        if median.is_too_many:
            self.say("Median per task: not shown for so many attempts; narrow the period.")
        else:
            self.say(
                f"Median per task: {_usd(median.usd)} USD ({median.known} of {median.tasks} tasks known)"
            )


def _id(model: Any, word: str, value: str | None, field: str = "name") -> int:
    """The row of that name; 0 where none is asked for."""
    if not value:
        return 0
    return naming.one(model.objects.all(), word, value, "", field=field).pk


def _usd(usd: Decimal | None) -> str:
    return "—" if usd is None else f"{usd:.4f}"


def _cells(line: Line) -> list[str]:
    sums = line.sums
    return [
        str(sums.attempts), str(sums.documents), _usd(line.money.llm), _usd(line.money.compute), _usd(line.money.total), _usd(line.per_document),
        _usd(line.per_completed), f"{sums.llm_unknown} of {sums.attempts}", f"{sums.compute_unknown} of {sums.attempts}",
    ]  # fmt: skip
