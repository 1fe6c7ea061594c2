"""The product's settings for a web server that is killed once, after a settlement is durable and before its sender hears of it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from agentaudit.settings import *  # noqa: F403
from tasks import faults

ARMED = Path(os.environ["DIES_WHILE_THIS_EXISTS"])


def die_once(name: str) -> None:
    if name == "callback:committed" and ARMED.exists():
        ARMED.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


faults.point = die_once
