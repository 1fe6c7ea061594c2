"""Which documents of an extraction are shown or taken away, and in which order: the page and its exports say the same."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Case, Expression, IntegerField, QuerySet, Value, When
from django.http import Http404, HttpRequest
from django.utils.http import urlencode

from dashboard import ordering, words
from dashboard.ordering import OWN, Order
from dashboard.queries import state_is
from tasks.models import Extraction, Task

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
_COLUMNS: dict[str, str | Expression] = {
    "name": "document__original_name", "state": _STATE, "confidence": "confidence", "pages": "document__pages", "attempts": "attempts_made",
    "finished": "finished_at",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chosen:
    """`state`: one of words.TASK, or all of them; in the order in which they were handed in where nothing else is asked for."""

    state: str = ""
    order: Order = OWN

    @classmethod
    def asked(cls, request: HttpRequest) -> Chosen:
        """What an address names. Raises Http404 for a state that there is not."""
        state = request.GET.get("state", "")
        if state and state not in words.TASK:
            raise Http404
        return cls(state, Order.parse(request.GET.get("sort", ""), ORDERS))

    def query(self) -> str:
        """The same as the end of an address; empty for everything as it was handed in."""
        named = {name: value for name, value in (("state", self.state), ("sort", str(self.order))) if value}
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
        return ordering.ordered(tasks, _COLUMNS.get(self.order.name, "id"), self.order.falls)
