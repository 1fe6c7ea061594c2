"""What the commands that delete have in common: how far they are while it takes long, and what stops them, in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from django.core.management import CommandError

from tasks.changes import Refused
from tasks.storage import StorageError

TELL_SECONDS = 2.0
P = TypeVar("P")


def carried_out(steps: Iterator[P], tell: Callable[[str], None], told: Callable[[P], str], nothing: P) -> P:
    """How far the last step was (`nothing`: there was none). Raises CommandError."""
    told_at, done = time.monotonic(), nothing
    try:
        for done in steps:
            if time.monotonic() - told_at >= TELL_SECONDS:
                tell(f"{told(done)} so far")
                told_at = time.monotonic()
    except Refused as refusal:
        raise CommandError(refusal.message) from refusal
    except StorageError as error:
        raise CommandError(f"{error} Then repeat the command; it goes on where it was.") from error
    return done
