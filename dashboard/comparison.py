"""Two runs on the same document side by side: what each read in every field and line item, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from dashboard import errors, words
from dashboard.attempts import is_deleted
from tasks import results
from tasks.access import visible_to
from tasks.models import Attempt, Task

MOST_RUNS = 100
MOST_ALIGNED = 2_000
"""Of more line items each is compared with the one in the same place: to find which belong together would take too long."""
MOST_STEPS = 10_000_000
"""Where so many line items repeat each other that finding which belong together would take minutes, it begins at those that are rare."""
Values = dict[str, dict[str, Any]]
"""A field's name → its value, confidence and reasons, as in contract.FieldValue."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value in both runs (None: the run has no such field). `state` is one of words.DIFFERENCES, as that of a line item."""

    name: str
    old: dict[str, Any] | None
    new: dict[str, Any] | None
    state: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line item in both runs; `number` counts within the first one, or the second where only that has it."""

    number: int
    state: str
    cells: list[Cell]


@dataclass(slots=True)
class Pair:
    """A record in both runs; `cells` and `lines` are what is shown, `hidden` how many are the same and left out."""

    kinds: tuple[str, str]
    cells: list[Cell]
    columns: list[str]
    lines: list[Line]
    hidden: int = 0

    @property
    def differs(self) -> bool:
        states = {*(cell.state for cell in self.cells), *(line.state for line in self.lines)}
        return self.kinds[0] != self.kinds[1] or states - {"same"} != set()


def compared(old: dict[str, Any], new: dict[str, Any]) -> list[Pair]:
    """The records of two results (contract.Result as JSON) with every field and line item."""
    return [_pair(*records) for records in _matched(old.get("records", ()), new.get("records", ()))]


def only_differences(pairs: list[Pair]) -> list[Pair]:
    """The same without what both runs say."""
    kept = []
    for pair in pairs:
        cells = [cell for cell in pair.cells if cell.state != "same"]
        lines = [line for line in pair.lines if line.state != "same"]
        hidden = len(pair.cells) + len(pair.lines) - len(cells) - len(lines)
        if pair.differs:
            kept.append(Pair(pair.kinds, cells, pair.columns, lines, hidden))
    return kept


def _matched(old: Iterable[Any], new: Iterable[Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Records of the same number belong together, the rest in their order; {} where one run has fewer."""
    olds, news = list(old), list(new)
    numbers = [_number(record) for record in news]
    found: dict[int, int] = {}
    for place, record in enumerate(olds):
        number = _number(record)
        if number and numbers.count(number) == 1 and numbers.index(number) not in found.values():
            found[place] = numbers.index(number)
    rest = iter([place for place in range(len(news)) if place not in found.values()])
    for place, record in enumerate(olds):
        match = found.get(place)
        other = match if match is not None else next(rest, None)
        yield record, {} if other is None else news[other]
    yield from (({}, news[place]) for place in rest)


def _number(record: dict[str, Any]) -> Any:
    return record["fields"].get("number", {}).get("value")


def _pair(old: dict[str, Any], new: dict[str, Any]) -> Pair:
    lines = list(_lines(list(old.get("lines", ())), list(new.get("lines", ()))))
    columns = words.ordered(cell.name for line in lines for cell in line.cells)
    for line in lines:
        by_name = {cell.name: cell for cell in line.cells}
        line.cells[:] = [by_name.get(name, Cell(name, None, None, "same")) for name in columns]
    cells = _cells(old.get("fields", {}), new.get("fields", {}))
    return Pair((old.get("kind", ""), new.get("kind", "")), cells, columns, lines)


def _cells(old: Values, new: Values) -> list[Cell]:
    names = words.ordered([*old, *new])
    return [
        Cell(name, old.get(name), new.get(name), _state(name, old.get(name), new.get(name))) for name in names
    ]


def _state(name: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> str:
    """A field without a value is as good as none: neither run has found it."""
    values = [None if one is None else one.get("value") for one in (old, new)]
    if values[0] is None or values[1] is None:
        return "same" if values[0] is values[1] else "new" if values[0] is None else "old"
    if values[0] != values[1] and not (name in words.AMOUNTS and _as_numbers(*values)):
        return "changed"
    flags = [set(one.get("reasons", ())) for one in (old, new) if one]
    return "same" if flags[0] == flags[1] else "flags"


def _as_numbers(old: Any, new: Any) -> bool:
    """Whether two ways to write an amount mean the same one."""
    try:
        return Decimal(str(old)) == Decimal(str(new))
    except InvalidOperation:
        return False


def _lines(old: list[Values], new: list[Values]) -> Iterator[Line]:
    for place, (first, second) in _aligned(old, new):
        cells = _cells(first or {}, second or {})
        states = {cell.state for cell in cells} - {"same"}
        state = "old" if second is None else "new" if first is None else "changed" if states - {"flags"} else "flags" if states else "same"  # fmt: skip
        yield Line(place, state, cells)


def _aligned(
    old: list[Values], new: list[Values]
) -> Iterator[tuple[int, tuple[Values | None, Values | None]]]:
    """Line items that belong together, so that one more or less does not make all after it another: those that say the same, and between them in order."""
    texts = [
        [tuple(sorted((name, str(cell.get("value"))) for name, cell in line.items())) for line in lines]
        for lines in (old, new)
    ]
    blocks: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(old), 0, len(new))]
    if max(len(old), len(new)) <= MOST_ALIGNED:
        alike = Counter(texts[1])
        steps = sum(alike[text] for text in texts[0]) * min(len(old), len(new))
        blocks = SequenceMatcher(None, texts[0], texts[1], autojunk=steps > MOST_STEPS).get_opcodes()
    for _tag, begin, end, other, other_end in blocks:
        for step in range(max(end - begin, other_end - other)):
            first = old[begin + step] if begin + step < end else None
            second = new[other + step] if other + step < other_end else None
            yield (begin if first is not None else other) + step + 1, (first, second)


@require_GET
def page(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Of a task: its result beside that of another run on the same document of the same client. `old` and `new` name runs, `all` shows what is the same, too."""
    visible = visible_to(request.user, Task.objects.all())
    task = get_object_or_404(visible.select_related("document", "client", "extraction"), pk=pk)
    if is_deleted(task):
        return errors.gone(request, task.extraction.pruned_at)
    runs = runs_on(visible.filter(document=task.document_id))
    new = _chosen(request, "new", runs) or next((run for run in runs if run.pk == task.result_attempt), None)
    new = new or next((run for run in runs if run.task_id == task.pk), None) or (runs[0] if runs else None)
    others = [run for run in runs if run is not new]
    old = _chosen(request, "old", runs) or next(
        (run for run in others if new and run.finished_at <= new.finished_at), others[0] if others else None
    )
    context: dict[str, Any] = {
        "task": task,
        "runs": runs,
        "old": old,
        "new": new,
        "shows_all": request.GET.get("all") == "1",
    }
    if old and new and old is not new:
        context |= _told(old, new, everything=context["shows_all"])
    return render(request, "comparison.html", context)


def runs_on(tasks: Any) -> list[Attempt]:
    """The runs of these tasks that have a result, the latest first and without it."""
    runs = Attempt.objects.filter(task__in=tasks, result__isnull=False).select_related(
        "task", "agent_version__agent"
    )
    return list(runs.defer("result", "conflict").order_by("-finished_at", "-id")[:MOST_RUNS])


def _chosen(request: HttpRequest, side: str, runs: list[Attempt]) -> Attempt | None:
    """The run that an address names for a side. Raises Http404 where it is none of them."""
    text = request.GET.get(side, "")
    if not text:
        return None
    try:
        wanted = UUID(text)
    except ValueError:
        raise Http404 from None
    for run in runs:
        if run.pk == wanted:
            return run
    raise Http404


def _told(old: Attempt, new: Attempt, *, everything: bool) -> dict[str, Any]:
    stored = dict(Attempt.objects.filter(pk__in=(old.pk, new.pk)).values_list("pk", "result"))
    sides = [results.shown(stored.get(run.pk)) for run in (old, new)]
    pairs = compared(*sides)
    different = only_differences(pairs)
    return {
        "pairs": pairs if everything else different, "is_same": not different, "faults": [results.fault(stored.get(run.pk)) for run in (old, new)],
        "sides": list(zip((old, new), sides, strict=True)),
        "number": sum(len(pair.cells) + len(pair.lines) for pair in different),
    }  # fmt: skip
