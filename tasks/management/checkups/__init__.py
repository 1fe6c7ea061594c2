"""What `doctor` looks at: each check says what it found in words and, where something is wrong, what to do."""

from __future__ import annotations

from collections.abc import Generator, Iterator
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


def examine() -> Iterator[Finding]:
    """Every check in turn. What needs the database, or its tables, is left out where they are not there."""
    from tasks.management.checkups import (
        bill,
        callback,
        database,
        functions,
        job,
        lakebase,
        machine,
        results,
        running,
        tracing,
    )

    yield from machine.settings_fit()
    usable = yield from _passing(database.can_be_used(), Level.HINT)
    filled = usable and (yield from _passing(database.schema_is_current(), Level.OK))
    if usable:
        yield from lakebase.login_is_renewed()
        yield from lakebase.session_is_ours()
        yield from database.wakes_listeners()
        yield from database.clock_agrees()
    yield from machine.storage_keeps_files()
    yield from machine.disks_have_room()
    yield from running.pdfs_can_be_opened()
    yield from running.scans_can_be_read()
    yield from running.attempts_can_run()
    yield from job.takes_our_runs()
    yield from callback.arrive()
    yield from bill.warehouse_sees_it()
    yield from tracing.traces_can_be_written()
    if filled:
        yield from results.may_only_be_inserted()
        yield from running.somebody_works()
        yield from running.documents_are_here()
        yield from running.runs_are_heard_of()
        yield from running.second_engine_is_tried()
        yield from functions.answer()
        yield from machine.memory_suffices()


def _passing(findings: Iterator[Finding], worst: Level) -> Generator[Finding, None, bool]:
    """Yields the findings; returns whether none is worse than `worst`."""
    order, passing = list(Level), True
    for finding in findings:
        passing = passing and order.index(finding.level) <= order.index(worst)
        yield finding
    return passing
