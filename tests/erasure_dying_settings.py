"""The product's settings for a command that is killed at a point of a deletion."""

from __future__ import annotations

import os
import signal

from agentaudit.settings import *  # noqa: F403
from tasks import faults

POINT = os.environ["DIES_AT"]


def die(name: str) -> None:
    if name == POINT:
        os.kill(os.getpid(), signal.SIGKILL)


faults.point = die
