"""Whether this machine lets a web server listen where it is to, asked before anything is started; and whether it answers there."""

from __future__ import annotations

import errno
import http.client
import socket
import time
from collections.abc import Callable

from django.core.management import CommandError

WAIT_SECONDS = 10.0
"""A web server whose supervisor was killed gives its port back within this time."""


def wait_for_port(host: str, port: int, say: Callable[[str], None], seconds: float = WAIT_SECONDS) -> None:
    """Return once a server can listen there. Raises CommandError: never, or not within `seconds`."""
    deadline, told = time.monotonic() + seconds, False
    while (error := refusal(host, port)) is not None:
        if error.errno != errno.EADDRINUSE:
            raise CommandError(
                f"The pages cannot listen at BIND_ADDRESS {host!r}, port {port}: {error.strerror}. "
                "Nothing was started."
            )
        if time.monotonic() >= deadline:
            raise CommandError(
                f"Port {port} is in use by another program, perhaps by agentaudit itself. Nothing was started. "
                f"Another port: PORT={port % 65535 + 1}"
            )
        if not told:
            say(f"Port {port} is in use; waiting up to {seconds:.0f} s for it.")
            told = True
        time.sleep(0.2)


def refusal(host: str, port: int) -> OSError | None:
    """What stands against listening there; None: nothing."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as gunicorn does
            probe.bind(address)
    except OSError as error:
        return error
    return None


def answers(host: str, port: int) -> bool:
    """Whether a web server answers there, whatever it says."""
    line = http.client.HTTPConnection(host.strip("[]"), port, timeout=0.5)
    try:
        line.request("GET", "/healthz")
        line.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        line.close()
    return True
