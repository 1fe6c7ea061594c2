"""What every command of ours shares: a help text that keeps its lines, without Django's options for its own developers."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import Any

import psycopg
from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from rich.console import Console

from tasks import idleness

WIDTH_OF_FILES = 160
WRONG_CALL = 2
AWAY = (InterfaceError, OperationalError, psycopg.InterfaceError, psycopg.OperationalError)
"""What every command may meet, also those of Django: `manage.py` says it in a sentence."""


MISSING = (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn, psycopg.errors.UndefinedFunction)
"""What a command meets whose version is newer than the database."""


def behind() -> str:
    """That migrations wait, and what to do; empty where none does."""
    from tasks.management.preparation import pending_migrations

    connection.close()  # of a transaction that has failed nothing more can be asked
    if not (waiting := len(pending_migrations())):
        return ""
    waits = "1 migration waits" if waiting == 1 else f"{waiting} migrations wait"
    return f"The database is not set up for this version: {waits}. `manage.py migrate` runs them, and so does `manage.py up`."


def away(error: Exception) -> str:
    """That the database does not answer, and what to do."""
    said = " ".join(str(error).split())
    return f"The database does not answer: {said}\n`manage.py doctor` says what to do. Nothing in the queue is lost."


def told(error: Exception) -> str:
    """What people are told of a database that is away, or older than this version; empty for any other error."""
    if isinstance(error, AWAY):
        return away(error)
    return behind() if isinstance(error, MISSING) or isinstance(error.__cause__, MISSING) else ""


def wrong_call(sentence: str) -> CommandError:
    """Ends the command with the exit code of a wrong call."""
    return CommandError(sentence, returncode=WRONG_CALL)


def whole(low: int, high: int) -> Callable[[str], int]:
    """The `type` of an argument that is a whole number between two."""

    def parsed(value: str) -> int:
        if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
            raise ArgumentTypeError(f"{value!r} is no whole number between {low} and {high}")
        return int(value)

    return parsed


class Command(BaseCommand):
    requires_migrations_checks = False
    requires_system_checks: Any = (
        "agentaudit",
    )  # the pages need not be importable for a command that shows none
    suppressed_base_arguments = frozenset(
        {
            "--version",
            "--settings",
            "--pythonpath",
            "--traceback",
            "--force-color",
            "--no-color",
            "--skip-checks",
            "--verbosity",
        }
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs) -> ArgumentParser:
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def execute(self, *args, **options) -> str | None:
        idleness.needed()  # a worker that sleeps has time to say that it lives, before anybody asks
        try:
            return super().execute(*args, **options)
        except (*AWAY, ProgrammingError, psycopg.ProgrammingError) as error:
            if not (sentence := told(error)):
                raise
            raise CommandError(sentence) from error

    @property
    def console(self) -> Console:
        """For tables on standard output; in a file or pipe they are as wide as they need."""
        return Console(
            file=self.stdout._out, highlight=False, width=None if self.stdout.isatty() else WIDTH_OF_FILES
        )

    def say(self, sentence: str) -> None:
        """One line for people, on standard output, at once."""
        self.stdout.write(sentence)
        self.stdout.flush()

    def tell(self, sentence: str) -> None:
        """One line for people that is no part of the command's result, on standard error, at once."""
        self.stderr.write(sentence, self.style.NOTICE)
        self.stderr.flush()
