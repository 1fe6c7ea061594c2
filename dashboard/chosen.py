"""Which documents of an extraction are shown or taken away, and in which order: the page and its exports say the same."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Case, Expression, Func, IntegerField, QuerySet, TextField, Value, When
from django.http import Http404, HttpRequest
from django.utils.http import urlencode

from dashboard import ordering, words
from dashboard.ordering import Order
from dashboard.queries import state_is
from tasks.models import Extraction, Task

BY_NAME = Order("name")
ORDERS = {
    "name": False,
    "state": False,
    "confidence": False,
    "pages": True,
    "attempts": True,
    "finished": True,
}
"""What they can be sorted by, and whether that falls at first. An extraction has so few documents that each column will do."""
# What needs review before the completed, whose state it has
_PLACES = sorted(
    ((state, place) for place, state in enumerate(words.TASK)), key=lambda one: one[0] != "review"
)
_STATE = Case(
    *(When(state_is(state), then=Value(place)) for state, place in _PLACES),
    output_field=IntegerField(),
)


class NaturalName(Func):
    """A name as people sort it, whatever the database's collation: without case and accents, numbers by their size ("2" before "10")."""

    template = (
        r"(SELECT string_agg(CASE WHEN part[1] IS NULL THEN part[2] ELSE lpad(part[1], greatest(length(part[1]), 20), '0') END, '' ORDER BY place)"
        r" FROM regexp_matches(lower(regexp_replace(normalize(%(expressions)s, NFD), '[\u0300-\u036f]', '', 'g')), '([0-9]+)|([^0-9]+)', 'g')"
        r" WITH ORDINALITY AS parts(part, place))"
    )
    output_field = TextField()


_COLUMNS: dict[str, str | Expression] = {
    "name": NaturalName("document__original_name"), "state": _STATE, "confidence": "confidence", "pages": "document__pages", "attempts": "attempts_made",
    "finished": "finished_at",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chosen:
    """`state`: one of words.TASK, or all of them; by name where nothing else is asked for: files that go up side by side arrive in any order."""

    state: str = ""
    order: Order = BY_NAME

    @classmethod
    def asked(cls, request: HttpRequest) -> Chosen:
        """What an address names. Raises Http404 for a state that there is not."""
        state = request.GET.get("state", "")
        if state and state not in words.TASK:
            raise Http404
        order = Order.parse(request.GET.get("sort", ""), ORDERS)
        return cls(state, order if order.name else BY_NAME)

    def query(self) -> str:
        """The same as the end of an address; empty for everything by name."""
        named = {"state": self.state} if self.state else {}
        if self.order != BY_NAME:
            named["sort"] = str(self.order)
        return f"?{urlencode(named)}" if named else ""

    def page(self, extraction: Extraction, size: int, after: str) -> tuple[list[Task], str]:
        """The next `size` tasks, after a row of the page before, and where those after them begin ("": nowhere)."""
        rows = self.rows(extraction).select_related("document")
        return ordering.page(rows, self.order.falls, size, after)

    def ids(self, extraction: Extraction) -> list[int]:
        """All of them at one moment, so that none is missed or there twice while agents go on reading."""
        return list(self.rows(extraction).values_list("pk", flat=True))

    def rows(self, extraction: Extraction) -> QuerySet[Task]:
        tasks = Task.objects.filter(extraction=extraction)
        if self.state:
            tasks = tasks.filter(state_is(self.state))
        return ordering.ordered(tasks, _COLUMNS[self.order.name], self.order.falls)
