"""The list of tasks behind every number: what runs, what waits in the order of its claim, what finished last; paged by key.

Each part is read by an index of its own, so that a page costs the same on every page and whatever the table holds. A list that is
not too long can be sorted by its columns instead: it is read as a whole then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from dashboard.filters import Filters
from dashboard.ordering import Order
from dashboard.summary import Board, client_sizes, is_small_client
from tasks import queue
from tasks.models import Task
from tasks.totals import FOREVER

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOST_FOUND = 200
MOST_SORTED = 75_000
"""Of so many tasks a page in another order is there in a moment; nothing longer is sorted."""
ORDERS = {
    "client": False,
    "agent": False,
    "priority": True,
    "attempts": True,
    "confidence": False,
    "time": True,
}
"""What a list can be sorted by, and whether that falls at first."""
_FIRST = {
    "p": (0,),
    "r": (32_767, -(2**63), 0),
    "d": (0, 0),
    "f": (int((FOREVER - EPOCH) / timedelta(microseconds=1)), 0),
}
_FINISHED = {
    "completed": ["completed"],
    "review": ["completed"],
    "failed": ["failed"],
    "cancelled": ["cancelled"],
}


class BadCursor(ValueError):
    """A place in the list that no page has ever given out."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """After this row: the part of the list (p, r, d, f) and the row's key in it."""

    part: str
    key: tuple[int, ...]

    def __str__(self) -> str:
        return ".".join([self.part, *map(str, self.key)])

    @classmethod
    def parse(cls, text: str) -> Cursor:
        part, *numbers = text.split(".")
        try:
            key = tuple(int(number) for number in numbers)
        except ValueError:
            raise BadCursor(text) from None
        if (
            part not in _FIRST
            or len(key) != len(_FIRST[part])
            or any(abs(number) > 2**63 - 1 for number in key)
        ):
            raise BadCursor(text)
        if part in "df" and not 0 <= key[0] <= _FIRST["f"][0]:
            raise BadCursor(text)
        return cls(part, key)


def page(
    filters: Filters, now: datetime, most: int, after: Cursor | None = None
) -> tuple[list[int], Cursor | None]:
    """Ids of the next tasks, and where the page after them begins (None: nowhere)."""
    found: list[tuple[int, Cursor]] = []
    parts = _parts(filters)
    if after is not None:
        if after.part not in parts:
            raise BadCursor(str(after))
        parts = parts[parts.index(after.part) :]
    for part in parts:
        key = after.key if after is not None and after.part == part else _FIRST[part]
        found += _READ[part](filters, now, most + 1 - len(found), key)
        if len(found) > most:
            return [task for task, _ in found[:most]], found[most - 1][1]
    return [task for task, _ in found], None


@dataclass(frozen=True, slots=True)
class Place:
    """After this row of a sorted list: its id, and its key in the order (a number, or a name)."""

    id: int
    key: float
    word: str

    def __str__(self) -> str:
        return f"{self.id}~{self.key}~{self.word}"

    @classmethod
    def parse(cls, text: str) -> Place:
        number, *rest = text.split("~", 2)
        try:
            key, word = rest
            place = cls(int(number), float(key), word)
        except ValueError:
            raise BadCursor(text) from None
        if not 0 <= place.id <= 2**63 - 1 or math.isnan(place.key) or "\0" in word:
            raise BadCursor(text)
        return place


def way_to_sort(filters: Filters, board: Board) -> str:
    """How all tasks of the list are read for another order, by the time, a client or what needs review; "" where they are too many.

    board: of these filters; its numbers are the lengths of lists.
    """
    statuses, unfinished = _states(filters)
    waiting = sum(board.states[state] for state in unfinished)
    least = sum(board.states[state] for state in statuses)
    finished = {"time": least}
    if statuses and (sizes := client_sizes(filters)):
        finished = {"time": max(least, sizes.of_time), "client": max(least, sizes.of_client)}
    if filters.status == "review":
        [count] = queue.read(queue.connection(), "list_review_size", most=MOST_SORTED + 1)
        finished["review"] = count.tasks
    way = min(finished, key=lambda name: finished[name])
    return way if finished[way] + waiting <= MOST_SORTED else ""


def in_order(
    filters: Filters, now: datetime, order: Order, way: str, most: int, after: Place | None = None
) -> tuple[list[int], Place | None]:
    """Ids of the next tasks of a sorted list, and where the page after them begins (None: nowhere). way: of `way_to_sort`."""
    (since, until), (statuses, unfinished) = filters.span(now), _states(filters)
    begin = after or Place(0, 0.0, "")
    rows = list(_rows(
        "list_sorted", filters, most + 1, way=way, since=since or EPOCH, until=until, statuses=statuses, unfinished=unfinished,
        review=filters.status == "review", error=filters.error, by=order.name, sign=-1 if order.falls else 1,
        after=after and after.id, key=begin.key, word=begin.word,
    ))  # fmt: skip
    last = rows[most - 1] if len(rows) > most else None
    return [row.id for row in rows[:most]], last and Place(last.id, last.key, last.word)


def sort(tasks: list[Task], order: Order) -> None:
    """The same for tasks that are at hand."""
    key = _KEYS[order.name]
    tasks.sort(key=lambda task: task.pk)
    tasks.sort(key=lambda task: (key(task) is not None, key(task)) if order.falls else (key(task) is None, key(task)), reverse=order.falls)  # fmt: skip


def _states(filters: Filters) -> tuple[list[str], list[str]]:
    """Those of the list in which tasks are finished, and in which they wait or run."""
    if filters.error:
        return ["failed"], []
    if filters.status in ("processing", "enqueued"):
        return [], [filters.status]
    return _FINISHED.get(filters.status, ["completed", "failed", "cancelled"]), [] if filters.status else ["processing", "enqueued"]  # fmt: skip


def matching(filters: Filters, now: datetime) -> QuerySet[Task]:
    """All tasks of the list, in no order: what waits or runs, and what finished in the chosen time."""
    (since, until), (statuses, unfinished) = filters.span(now), _states(filters)
    finished = Q(status__in=statuses, finished_at__gte=since or EPOCH, finished_at__lt=until)
    found = Task.objects.filter(finished | Q(status__in=unfinished))
    narrowed = {
        "agent": filters.agent,
        "client": filters.client,
        "needs_review": filters.status == "review",
        "error_code": filters.error,
    }
    return found.filter(**{name: value for name, value in narrowed.items() if value})


def found(text: str) -> list[int]:
    """Ids of tasks by a number, a run, a trace, the beginning of a SHA-256 digest or a part of a file's name; the newest first."""
    text = text.strip()
    is_hex = len(text) >= 8 and not set(text.lower()) - set("0123456789abcdef")
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else -1
    rows = queue.read(
        queue.connection(), "list_found", text=text.lower() if is_hex else text, number=number, most=MOST_FOUND,
        digest=is_hex, trace=text.startswith("tr-"), named=len(text) >= 3,
    )  # fmt: skip
    return [row.id for row in rows]


def tasks(ids: list[int]) -> list[Task]:
    """These tasks in this order, with what a line shows of them."""
    rows = Task.objects.select_related("document", "client", "agent").in_bulk(ids)
    return [rows[task] for task in ids if task in rows]


def _parts(filters: Filters) -> str:
    if filters.error:
        return "f"
    return {"": "prdf", "processing": "p", "enqueued": "rd"}.get(filters.status, "f")


def _micros(moment: datetime) -> int:
    return int((moment - EPOCH) / timedelta(microseconds=1))


def _moment(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


def _rows(name: str, filters: Filters, most: int, **values: Any) -> Iterator[Any]:
    yield from queue.read(
        queue.connection(), name, agent=filters.agent, client=filters.client, most=most, **values
    )


def _processing(filters: Filters, now: datetime, most: int, key: tuple[int, ...]) -> list[tuple[int, Cursor]]:
    return [(row.id, Cursor("p", (row.id,))) for row in _rows("list_processing", filters, most, id=key[0])]


def _ready(filters: Filters, now: datetime, most: int, key: tuple[int, ...]) -> list[tuple[int, Cursor]]:
    rows = _rows("list_ready", filters, most, priority=key[0], start_key=key[1], id=key[2])
    return [(row.id, Cursor("r", (row.priority, row.start_key, row.id))) for row in rows]


def _deferred(filters: Filters, now: datetime, most: int, key: tuple[int, ...]) -> list[tuple[int, Cursor]]:
    rows = _rows("list_deferred", filters, most, at=_moment(key[0]), id=key[1])
    return [(row.id, Cursor("d", (_micros(row.at), row.id))) for row in rows]


def _finished(filters: Filters, now: datetime, most: int, key: tuple[int, ...]) -> list[tuple[int, Cursor]]:
    since, until = filters.span(now)
    rows = _rows(
        "list_finished_of_client" if is_small_client(filters) else "list_finished", filters, most, at=_moment(key[0]), id=key[1], since=since or EPOCH, until=until, error=filters.error,
        review=filters.status == "review", statuses=_states(filters)[0],
    )  # fmt: skip
    return [(row.id, Cursor("f", (_micros(row.at), row.id))) for row in rows]


_KEYS: dict[str, Callable[[Task], Any]] = {
    "client": lambda task: task.client.name, "agent": lambda task: task.agent.name, "priority": lambda task: task.priority,
    "attempts": lambda task: task.attempts_made, "confidence": lambda task: task.confidence, "time": lambda task: task.finished_at or task.enqueued_at,
}  # fmt: skip
_READ: dict[str, Callable[[Filters, datetime, int, tuple[int, ...]], list[tuple[int, Cursor]]]] = {
    "p": _processing, "r": _ready, "d": _deferred, "f": _finished,
}  # fmt: skip
