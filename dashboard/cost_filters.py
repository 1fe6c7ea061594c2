"""What a report of money is narrowed to. The address holds all of it, so that a copied one shows the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.models import User
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from dashboard import words
from dashboard.filters import MOST_CHOICES
from tasks.access import clients_of, sees_every_client
from tasks.costs.periods import DAY, EARLIEST, LATEST, Period, named
from tasks.costs.questions import DIMENSIONS, By, Query
from tasks.models import Agent
from tasks.states import LIVE

PERIODS = {
    "month": _("this month"),
    "last-month": _("last month"),
    "7d": _("last 7 days"),
    "30d": _("last 30 days"),
    "90d": _("last 90 days"),
    "365d": _("last 365 days"),
}
USUAL = "month"
USUAL_BY: By = "agent"
NONE = "-"
"""In the address: without an engagement, without a model."""
BY = {
    "agent": _("Agent"), "client": _("Client"), "engagement": _("Engagement"), "version": _("Version"), "model": _("Model"),
    "status": _("State of the task"), "outcome": _("State of the attempt"), "uploader": _("Handed in by"), "day": _("Day"), "month": _("Month"),
}  # fmt: skip
STATUSES = {name: words.TASK[name].word for name in ("completed", "failed", "cancelled")} | {
    "open": _("Not ended")
}
OUTCOMES = {name: look.word for name, look in words.ATTEMPT.items() if name not in LIVE}
NEXT = dict.fromkeys(BY, "agent") | {"agent": "client", "version": "client", "uploader": "client"}
"""What the lines are by, once one of them was opened."""


@dataclass(frozen=True, slots=True)
class CostFilters:
    """The address in parts; 0 and empty: not narrowed. `first` and `final` (days, both included) go before `period`."""

    period: str = USUAL
    first: date | None = None
    final: date | None = None
    by: By = USUAL_BY
    client: int = 0
    engagement: str = ""
    agent: int = 0
    version: int = 0
    model: str = ""
    status: str = ""
    outcome: str = ""
    uploader: int = 0

    def span(self, today: date) -> Period:
        if self.first or self.final:
            final = self.final or today
            return Period(min(self.first or final, final), final + DAY)
        return named(self.period, today)

    def asked(self, today: date, clients: frozenset[int] | None) -> Query:
        return Query(
            self.span(today), self.by, clients, client=self.client, engagement=_text(self.engagement), agent=self.agent, version=self.version,
            model=_text(self.model), outcome=self.outcome, status=self.status, uploader=self.uploader,
        )  # fmt: skip

    def address(self, **changes: Any) -> str:
        """As the end of an address, with some of it changed."""
        changed = replace(self, **changes)
        usual = CostFilters()
        values = {
            NAMES[name]: value for name in NAMES if (value := getattr(changed, name)) != getattr(usual, name)
        }
        return f"?{urlencode(values)}" if values else "?"

    def opened(self, key: str) -> str:
        """The address of the report about one line alone."""
        if self.by in ("day", "month"):
            day = date.fromisoformat(key)
            final = day if self.by == "day" else named(f"{day:%Y-%m}", day).last_day
            return self.address(first=day, final=final, by="agent" if self.by == "day" else "day")
        if self.by == "engagement":
            client, _space, engagement = key.partition(" ")
            return self.address(client=int(client), engagement=engagement or NONE, by=NEXT[self.by])
        value: Any = (key or NONE) if self.by in ("model", "status", "outcome") else int(key)
        return self.address(**{self.by: value, "by": NEXT[self.by]})

    @property
    def is_narrowed(self) -> bool:
        return self != CostFilters(by=self.by)


NAMES = {
    "period": "period", "first": "from", "final": "to", "by": "by", "client": "client", "engagement": "engagement", "agent": "agent",
    "version": "version", "model": "model", "status": "status", "outcome": "attempts", "uploader": "uploader",
}  # fmt: skip


def _text(value: str) -> str | None:
    """None: not narrowed; empty: those without."""
    return "" if value == NONE else value or None


def seen_by(user: Any) -> frozenset[int] | None:
    """The clients whose money a person may see; None: everybody's."""
    return None if sees_every_client(user) else frozenset(clients_of(user).values_list("pk", flat=True))


class CostFilterForm(forms.Form):
    """The form above the report. Whatever of it is wrong is told, and not narrowed by."""

    period = forms.ChoiceField(label=_("Ended in"), choices=list(PERIODS.items()), required=False)
    client = forms.TypedChoiceField(label=_("Client"), required=False, coerce=int, empty_value=0)
    engagement = forms.CharField(label=_("Engagement"), required=False, max_length=100)
    agent = forms.TypedChoiceField(label=_("Agent"), required=False, coerce=int, empty_value=0)
    model = forms.CharField(label=_("Model"), required=False, max_length=200)
    status = forms.ChoiceField(
        label=_("State of the task"), required=False, choices=[("", _("every state")), *STATUSES.items()]
    )
    attempts = forms.ChoiceField(
        label=_("State of the attempt"), required=False, choices=[("", _("every state")), *OUTCOMES.items()]
    )
    uploader = forms.TypedChoiceField(label=_("Handed in by"), required=False, coerce=int, empty_value=0)
    version = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)
    by = forms.ChoiceField(
        required=False, choices=[(name, name) for name in DIMENSIONS], widget=forms.HiddenInput
    )

    def __init__(self, request: HttpRequest) -> None:
        data = request.GET
        usual = {"period": data.get("period") or USUAL, "by": data.get("by") or USUAL_BY}
        super().__init__({**{name: data.get(name) for name in data}, **usual})
        days = {
            "required": False,
            "validators": [MinValueValidator(EARLIEST), MaxValueValidator(LATEST)],
            "widget": forms.DateInput(attrs={"type": "date"}),
        }
        self.fields["from"] = forms.DateField(label=_("or from"), **days)
        self.fields["to"] = forms.DateField(label=_("to"), **days)
        clients = clients_of(request.user).values_list("pk", "name")[:MOST_CHOICES]
        people = User.objects.order_by("username").values_list("pk", "username")[:MOST_CHOICES]
        self.fields["client"].choices = [("", _("every client")), *clients]
        self.fields["agent"].choices = [
            ("", _("every agent")),
            *Agent.objects.values_list("pk", "name")[:MOST_CHOICES],
        ]
        self.fields["uploader"].choices = [("", _("everybody")), *people]
        self.order_fields(
            (
                "period",
                "from",
                "to",
                "client",
                "engagement",
                "agent",
                "model",
                "status",
                "attempts",
                "uploader",
            )
        )

    def filters(self) -> CostFilters:
        self.is_valid()
        chosen = {name: self.cleaned_data.get(NAMES[name]) for name in NAMES}
        return CostFilters(**{name: value for name, value in chosen.items() if value})
