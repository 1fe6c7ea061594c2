"""`manage.py lakebase`: prepares a Lakebase database, and makes and removes copies of it."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from datetime import datetime

import psycopg
from django.conf import settings
from django.core.management import CommandError
from django.db import connection
from django.utils import timezone
from rich.table import Table

from tasks import databricks
from tasks.management import base
from tasks.management.branches import Copies, Copy, parse_time
from tasks.management.principals import Principals, Setup


class Command(base.Command):
    help = """Prepare the Lakebase that LAKEBASE_ENDPOINT (or LAKEBASE_INSTANCE) names, and copy it for debugging.

  lakebase setup --app ID --job ID --reader ID    schema, roles and least rights; prints what it does; may be repeated
  lakebase branch create NAME [--days 1]          a copy of the database as it is; costs only what differs
  lakebase branch create NAME --at 2h             as it was two hours ago (or --at 2026-11-03T14:05)
  lakebase branch create NAME --from-snapshot S   as in a snapshot
  lakebase branch list | delete NAME
  lakebase snapshot create NAME [--days 30] | list | delete NAME

An ID is a service principal's application id, or a person's e-mail address. Run setup as the project's owner, without LAKEBASE_OWNER."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parts = parser.add_subparsers(dest="part", required=True, metavar="setup|branch|snapshot")
        setup = parts.add_parser("setup", help="schema, roles and rights")
        setup.add_argument("--app", default="", metavar="ID", help="who migrates, shows pages and works")
        setup.add_argument("--job", default="", metavar="ID", help="who runs insert their outcome as")
        setup.add_argument(
            "--reader", action="append", default=[], metavar="ID", help="who may read; repeatable"
        )
        for part, days in (("branch", 1), ("snapshot", 30)):
            verbs = parts.add_parser(part, help=f"copies: {part}").add_subparsers(dest="verb", required=True)
            create = verbs.add_parser("create", help="of the branch that LAKEBASE_ENDPOINT names")
            create.add_argument("name")
            create.add_argument(
                "--days", type=float, default=days, help="gone by itself after that (%(default)s)"
            )
            if part == "branch":
                create.add_argument(
                    "--at", default="", metavar="TIME", help="2h, 3d, or 2026-11-03T14:05 (UTC)"
                )
                create.add_argument("--from-snapshot", default="", metavar="NAME")
            verbs.add_parser("list", help="all of the project")
            verbs.add_parser("delete", help="remove it now").add_argument("name")

    def handle(self, *args, part: str, **options) -> None:
        if not settings.LAKEBASE_HOME:
            raise CommandError("No Lakebase is named: set LAKEBASE_ENDPOINT or LAKEBASE_INSTANCE.")
        try:
            getattr(self, part)(**options)
        except databricks.NotConfigured as error:
            raise CommandError(str(error)) from error

    def setup(self, *, app: str, job: str, reader: list[str], **_) -> None:
        with connection.connect_plain("agentaudit setup") as db:  # type: ignore[attr-defined]
            try:
                Setup(db, self.say).run(Principals(app, reader, job))
            except psycopg.errors.InsufficientPrivilege as error:
                raise CommandError(
                    f"{str(error).strip()}. {db.info.user} may not do that: run setup as the project's owner. What is printed above is done."
                ) from error
        self.say(f"Ready. Set LAKEBASE_OWNER={settings.LAKEBASE_OWNER} where the app runs.")

    def branch(
        self, *, verb: str, name: str = "", days: float = 1, at: str = "", from_snapshot: str = "", **_
    ) -> None:
        copies = Copies()
        if verb == "list":
            self.show(copies.branches())
        elif verb == "delete":
            copies.delete_branch(name)
            self.say(f"The branch {name} is deleted.")
        else:
            if at and from_snapshot:
                raise CommandError("--at and --from-snapshot are two pasts; give one.")
            self.show([copies.branch(name, positive(days), moment(at), from_snapshot)])
            self.say(
                f"LAKEBASE_ENDPOINT={copies_endpoint(name)} reaches it. Workers refuse it unless told --on-branch {name}."
            )

    def snapshot(self, *, verb: str, name: str = "", days: float = 30, **_) -> None:
        copies = Copies()
        if verb == "list":
            self.show(copies.snapshots())
        elif verb == "delete":
            copies.delete_snapshot(name)
            self.say(f"The snapshot {name} is deleted.")
        else:
            self.show([copies.snapshot(name, positive(days))])

    def show(self, copies: Iterable[Copy]) -> None:
        table = Table("name", "state", "copy of", "ends", box=None, pad_edge=False)
        for copy in copies:
            table.add_row(copy.name, copy.state, copy.source, copy.ends)
        self.console.print(table)


def copies_endpoint(branch: str) -> str:
    """The read-write endpoint that every new branch gets."""
    return f"{settings.LAKEBASE_HOME.partition('/branches/')[0]}/branches/{branch}/endpoints/primary"


def positive(days: float) -> float:
    if days <= 0:
        raise CommandError("--days has to be more than 0.")
    return days


def moment(text: str) -> datetime | None:
    try:
        return parse_time(text, timezone.now()) if text else None
    except ValueError:
        raise CommandError(f"{text!r} is no time: 2h, 3d, or 2026-11-03T14:05.") from None
