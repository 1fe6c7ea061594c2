"""`manage.py mlflow`: MLflow's own pages over the traces on this machine."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from tasks.management import base
from tasks.traces.places import open_store, tracking_uri


class Command(base.Command):
    help = """Open MLflow's pages over the local traces, on 127.0.0.1 only: they know no logins. Ctrl-C ends them.

Set MLFLOW_UI_URL to the address that is printed, and every attempt in agentaudit links to its trace."""
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=5000, help="default: %(default)s")

    def handle(self, *args, port: int, **options) -> None:
        uri = tracking_uri()
        if not uri.partition(":")[0].startswith(("sqlite", "postgres", "mysql")):
            raise CommandError(
                f"Traces are written to {uri}, which has pages of its own; open it in a browser."
            )
        experiment = open_store().experiment_id
        self.stderr.write(
            f"http://127.0.0.1:{port}/#/experiments/{experiment} in about a minute; this is the value for MLFLOW_UI_URL too."
        )
        files = Path(settings.AGENTAUDIT_HOME) / "mlflow" / "files"
        os.execv(  # noqa: S606 - from here on this process is MLflow's
            sys.executable,
            [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", uri, "--default-artifact-root", str(files),
             "--host", "127.0.0.1", "--port", str(port), "--workers", "1"],
        )  # fmt: skip
