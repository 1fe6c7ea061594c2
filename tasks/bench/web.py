"""A web server on a port of its own: gunicorn as `manage.py up` runs it, with settings of whoever measures or tests it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Self

from django.conf import settings

from tasks.management import processes

START_SECONDS = 60.0


class Web:
    """Answers between `__enter__` and `__exit__`, apart from the time between `kill` and `start`."""

    def __init__(
        self,
        settings_module: str = "agentaudit.settings",
        workers: int = 2,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """variables: of the environment, beside those of this process."""
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.variables = dict(variables or {})
        own = {"DJANGO_SETTINGS_MODULE": settings_module, "PORT": str(self.port), "WEB_WORKERS": str(workers)}
        self._environment = os.environ | own
        self._process: subprocess.Popen | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process is not None:
            processes.stop([self._process])

    def start(self) -> None:
        """Returns when it answers."""
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            "-c",
            "python:agentaudit.gunicorn",
            "agentaudit.asgi:application",
        ]
        self._process = processes.start(
            command, env=self._environment | self.variables, cwd=settings.BASE_DIR
        )
        until = time.monotonic() + START_SECONDS
        while not _answers(self.port):
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the web server does not start; the lines above say why")
            time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL to all of it."""
        if self._process is not None:
            processes.kill(self._process)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
            line.sendall(
                b"GET /webhooks/openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            return line.recv(15).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
