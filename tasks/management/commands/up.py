"""Runs the product on this machine: the pages and a worker under one supervisor."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import connections

from tasks.management import base, listening, preparation
from tasks.management.processes import Kept, Supervisor, manage

WATCHED = {".py", ".sql", ".html", ".css", ".js", ".mo"}


class Command(base.Command):
    help = """Run agentaudit: the pages (gunicorn) and a worker, watched over by this process.

First the database is brought up to date and static files are collected. A part that dies is started again; when it
keeps dying, everything stops with exit code 1. Ctrl-C or SIGTERM stops all of it within 15 seconds: running documents
that do not end by then are handed back and go on at the next start. Nothing is left behind, even after kill -9.

  manage.py up                     pages at PUBLIC_URL, and a worker with WORKER_SLOTS slots
  manage.py up --only web          only the pages; workers run elsewhere
  manage.py up --only worker       one more worker, on this or another machine
  manage.py up --reload            start anew whenever the code changes"""
    requires_system_checks = "__all__"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--only", choices=("web", "worker"), help="run one part instead of both")
        parser.add_argument(
            "--port",
            type=base.whole(1, 65535),
            default=settings.PORT,
            help="of the pages (default: PORT, %(default)s)",
        )
        parser.add_argument(
            "--workers", type=base.whole(1, 64), default=settings.WEB_WORKERS, metavar="N",
            help="processes that serve pages (default: WEB_WORKERS, %(default)s)",
        )  # fmt: skip
        parser.add_argument(
            "--slots",
            type=base.whole(1, 10000),
            metavar="N",
            help="documents read at once (default: WORKER_SLOTS)",
        )
        parser.add_argument("--reload", action="store_true", help="start anew whenever the code changes")
        parser.add_argument(
            "--first-user",
            action="store_true",
            help="on an empty installation make a user and print its password",
        )

    def handle(self, *args, **options) -> None:
        self.wait_for_port(options)
        preparation.migrate(self.say)
        first_user = preparation.make_first_user(self.say) if options["first_user"] else ""
        if options["only"] != "worker":
            preparation.collect_static()
            # Another one may have begun beside us and waited for the same migrations
            self.wait_for_port(options)
        connections.close_all()  # nothing here needs the database any more, and it may sleep
        supervisor = Supervisor(list(parts(options)), self.say)
        unsaid = [first_user, "Ctrl-C stops."] if first_user else ["Ctrl-C stops."]
        supervisor.looked = lambda: self.greet(options, unsaid)
        if options["reload"]:
            changed = changes(settings.BASE_DIR)
            supervisor.changed = lambda: self.anew(changed)
        code = supervisor.run()
        if first_user in unsaid:  # the pages never answered, and nobody could say it later
            self.say(first_user)
        if code:
            sys.exit(code)

    def greet(self, options: dict, unsaid: list[str]) -> None:
        """Say where the pages are once they answer, and `unsaid` below: what people need stands under what the parts say at their start."""
        if not unsaid:
            return
        if options["only"] != "worker":
            if not listening.answers(settings.BIND_ADDRESS, options["port"]):
                return
            self.say(f"Pages: {self.address(options['port'])}")
        while unsaid:
            self.say(unsaid.pop(0))

    def wait_for_port(self, options: dict) -> None:
        if options["only"] != "worker":
            listening.wait_for_port(settings.BIND_ADDRESS, options["port"], self.say)

    def address(self, port: int) -> str:
        return settings.PUBLIC_URL if port == settings.PORT else f"http://{settings.BIND_ADDRESS}:{port}"

    def anew(self, changed: Callable[[], bool]) -> bool:
        if not changed():
            return False
        preparation.collect_static()
        return True


def parts(options: dict) -> Iterator[Kept]:
    """The processes that belong to these options."""
    environment = os.environ | {"PORT": str(options["port"]), "WEB_WORKERS": str(options["workers"])}
    if options["only"] != "worker":
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            "-c",
            "python:agentaudit.gunicorn",
            "agentaudit.asgi:application",
        ]
        yield Kept("The web server", command, environment, cwd=settings.BASE_DIR)
    if options["only"] != "web":
        slots = ["--slots", str(options["slots"])] if options["slots"] else []
        yield Kept("The worker", manage("worker", *slots), environment, cwd=settings.BASE_DIR)


def changes(root: Path, every_ticks: int = 5) -> Callable[[], bool]:
    """A function that says whether a file of the program has changed since it last said so."""

    def look() -> dict[Path, int]:
        found = {}
        for path in _tree(root):
            if path.suffix in WATCHED:
                with suppress(FileNotFoundError):  # editors replace a file by its new version
                    found[path] = path.stat().st_mtime_ns
        return found

    seen, calls = look(), 0

    def changed() -> bool:
        nonlocal seen, calls
        calls += 1
        if calls % every_ticks:
            return False
        before, seen = seen, look()
        return before != seen

    return changed


def _tree(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and name not in ("tests", "docs", "__pycache__")
        ]
        yield from (Path(folder, name) for name in files)
