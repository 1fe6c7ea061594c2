"""What the dashboard and the list of tasks are narrowed to. The address holds all of it, so that a copied one shows the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dashboard import words
from tasks.costs.periods import EARLIEST, LATEST
from tasks.models import Agent, Client
from tasks.totals import DAY, FOREVER, HOUR, start_of

LAST = {
    "24h": _("last 24 hours"),
    "7d": _("last 7 days"),
    "30d": _("last 30 days"),
    "90d": _("last 90 days"),
    "all": _("all time"),
}
USUAL = "7d"
_DAYS = {"7d": 7, "30d": 30, "90d": 90}


@dataclass(frozen=True, slots=True)
class Filters:
    """0 and empty: not narrowed. `first` and `final` (UTC days, both included) go before `last`."""

    last: str = USUAL
    first: date | None = None
    final: date | None = None
    status: str = ""
    agent: int = 0
    client: int = 0
    error: str = ""

    def span(self, now: datetime) -> tuple[datetime | None, datetime]:
        """The whole hours in which a task has to have finished; None: from the first one ever on; FOREVER: up to now."""
        if self.first or self.final:
            since = datetime.combine(self.first, time(), UTC) if self.first else None
            return since, datetime.combine(self.final, time(), UTC) + DAY if self.final else FOREVER
        if self.last == "24h":
            return start_of("hour", now) - 23 * HOUR, FOREVER
        days = _DAYS.get(self.last)
        return start_of("day", now) - timedelta(days=days - 1) if days else None, FOREVER

    def query(self, **changes: Any) -> str:
        """As the end of an address, with some of it changed; empty where nothing is narrowed."""
        values = asdict(replace(self, **changes))
        named = {
            NAMES[name]: value
            for name, value in values.items()
            if value and not (name == "last" and value == USUAL)
        }
        return f"?{urlencode(named)}" if named else ""

    @property
    def period(self) -> str:
        """The span of time for people."""
        if self.first and self.final:
            return f"{self.first} – {self.final}"
        if self.first:
            return gettext("since %(day)s") % {"day": self.first}
        if self.final:
            return gettext("until %(day)s") % {"day": self.final}
        return str(LAST[self.last])

    @property
    def is_narrowed(self) -> bool:
        return self != Filters()


NAMES = {
    "last": "last",
    "first": "from",
    "final": "to",
    "status": "status",
    "agent": "agent",
    "client": "client",
    "error": "error",
}
MOST_CHOICES = 1000


class FilterForm(forms.Form):
    """The form above both pages. Whatever of it is wrong is told, and not narrowed by."""

    last = forms.ChoiceField(label=_("Finished in"), choices=list(LAST.items()), required=False)
    status = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("every state")), *((state, look.word) for state, look in words.TASK.items())]
    )  # fmt: skip
    agent = forms.TypedChoiceField(label=_("Agent"), required=False, coerce=int, empty_value=0)
    client = forms.TypedChoiceField(label=_("Client"), required=False, coerce=int, empty_value=0)
    error = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict) -> None:
        super().__init__({**{name: data.get(name) for name in data}, "last": data.get("last") or USUAL})
        days = {
            "required": False,
            "validators": [MinValueValidator(EARLIEST), MaxValueValidator(LATEST)],
            "widget": forms.DateInput(attrs={"type": "date"}),
        }
        self.fields["from"] = forms.DateField(label=_("or from"), **days)
        self.fields["to"] = forms.DateField(label=_("to"), **days)
        self.fields["agent"].choices = [
            ("", _("every agent")),
            *Agent.objects.values_list("pk", "name")[:MOST_CHOICES],
        ]
        self.fields["client"].choices = [
            ("", _("every client")),
            *Client.objects.values_list("pk", "name")[:MOST_CHOICES],
        ]
        self.order_fields(("last", "from", "to", "status", "agent", "client", "error"))

    def filters(self) -> Filters:
        self.is_valid()
        chosen = {name: self.cleaned_data.get(NAMES[name]) for name in NAMES}
        return Filters(**{name: value for name, value in chosen.items() if value})
