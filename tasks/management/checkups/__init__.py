"""What `doctor` looks at: each check says what it found in words and, where something is wrong, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum


class Level(StrEnum):
    OK = "ok"
    HINT = "hint"  # works, and somebody should know
    FAULT = "fault"  # does not work


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about one thing; `advice` is what to do about it."""

    subject: str
    level: Level
    sentence: str
    advice: str = ""

    def as_json(self) -> dict[str, str]:
        return asdict(self)


def ok(subject: str, sentence: str) -> Finding:
    return Finding(subject, Level.OK, sentence)


def hint(subject: str, sentence: str, advice: str) -> Finding:
    return Finding(subject, Level.HINT, sentence, advice)


def fault(subject: str, sentence: str, advice: str) -> Finding:
    return Finding(subject, Level.FAULT, sentence, advice)


Check = Callable[[], Iterator[Finding]]


def examine() -> Iterator[Finding]:
    """Every check in turn. Where the database cannot be used, what needs it is left out."""
    from tasks.management.checkups import database, machine, running

    yield from machine.settings_fit()
    usable = True
    for finding in database.can_be_used():
        usable = usable and finding.level is not Level.FAULT
        yield finding
    if usable:
        yield from database.wakes_listeners()
        yield from database.clock_agrees()
    yield from machine.storage_keeps_files()
    yield from machine.disks_have_room()
    yield from running.pdfs_can_be_opened()
    yield from running.attempts_can_run()
    if usable:
        yield from running.somebody_works()
        yield from machine.memory_suffices()
