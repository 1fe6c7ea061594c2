"""`manage.py checkpoints`: makes the tables of agents that keep checkpoints, and removes threads that have become old."""

from __future__ import annotations

from argparse import ArgumentParser
from importlib.util import find_spec

import psycopg
from django.conf import settings
from django.core.management import CommandError

from tasks.agent.contract import Checkpoints
from tasks.management import base

UNSET = "CHECKPOINT_DATABASE_URL is not set: there is no database for checkpoints. docs/agents.md says which role it needs."
NOT_INSTALLED = "The libraries of agents that keep checkpoints are missing here. Run: pip install -r requirements-checkpoints.txt"


class Command(base.Command):
    help = """Look after the database of agents that keep checkpoints, which CHECKPOINT_DATABASE_URL names.

--prepare makes what is missing of its tables, and may run again at any time. --remove-older-than removes the threads that no attempt
has begun to work on for so many days; an attempt that still does is refused."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--prepare", action="store_true", help="make what is missing of the tables")
        what.add_argument(
            "--remove-older-than",
            type=base.whole(1, 36_500),
            metavar="DAYS",
            help="remove threads that nobody has begun to work on for so many days",
        )

    def handle(self, *args, **options) -> None:
        if not settings.CHECKPOINT_DATABASE_URL:
            raise CommandError(UNSET)
        if any(find_spec(name) is None for name in ("langgraph", "agents")):
            raise CommandError(NOT_INSTALLED)
        from tasks.agent.checkpointed import fence
        from tasks.agent.checkpointed.thread import credentials_of

        credentials = credentials_of(
            Checkpoints(url=settings.CHECKPOINT_DATABASE_URL, password_file=settings.CHECKPOINT_PASSWORD_FILE)
        )
        try:
            if options["prepare"]:
                fence.prepare(credentials)
                self.say("The tables for checkpoints are there.")
            else:
                self.say(f"{fence.remove(credentials, options['remove_older_than']):,} threads were removed.")
        except (psycopg.Error, OSError) as error:
            message = f"The database of checkpoints refuses that: {str(error).strip()}"
            raise CommandError(
                f"{message}. Check CHECKPOINT_DATABASE_URL, CHECKPOINT_PASSWORD_FILE and the role's schema (docs/agents.md)."
            ) from error
