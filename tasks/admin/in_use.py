"""Who holds the limits of an agent or pool: what is used now, by which attempts, since when, and when each was last heard of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tasks import queue, spending
from tasks.agent.schema import Field, Schema
from tasks.audit import without_secrets
from tasks.estimates import estimate, figures_of, known
from tasks.models import Agent, AgentVersion, Attempt, Pool, Price, Worker
from tasks.versions import VERSIONED, schema_of

MOST = 50


def in_use(holder: Agent | Pool) -> SafeString:
    """The limits with what is used of each, and the attempts that use them, the oldest first."""
    kind = holder._meta.model_name
    live = Attempt.objects.filter(ended_at=None, **{kind: holder}).order_by("claimed_at")
    attempts = list(live.select_related("agent").defer("result", "conflict")[: MOST + 1])
    workers = Worker.objects.in_bulk({attempt.worker for attempt in attempts})
    for attempt in attempts:
        attempt.held_by = workers.get(attempt.worker)
    url = (
        reverse("admin:tasks_attempt_changelist")
        + f"?state=live&{'agent__id__exact' if kind == 'agent' else 'pool__id__exact'}={holder.pk}"
    )
    return render_to_string(
        "admin/in_use.html",
        {"limits": _limits(holder), "attempts": attempts[:MOST], "more": len(attempts) > MOST, "all": url},
    )


def _limits(holder: Agent | Pool) -> list[dict[str, Any]]:
    """What is limited, and what is used without a limit; one of a kind that no document takes says nothing."""
    agents = [holder] if isinstance(holder, Agent) else list(holder.agents.select_related("current_version"))
    kind = holder._meta.model_name
    rows = queue.rows(queue.connection(), "claim_count", agent=agents[0].pk) if agents else []
    used = next((row for row in rows if row.holder == kind), None)
    taken = [estimate(figures_of(agent.current_version), None) for agent in agents if agent.current_version]
    return [
        {"name": name, "used": round(getattr(used, column)) if used else 0, "most": most}
        for name, column, most, what in (
            (_("tasks at once"), "running", holder.max_concurrent_tasks, ""),
            (_("tokens per minute"), "tpm", holder.max_tpm, "tokens"),
            (_("output tokens per minute"), "output_tpm", holder.max_output_tpm, "output_tokens"),
            (_("requests per minute"), "rpm", holder.max_requests_per_minute, "requests"),
        )
        if most is not None or not what or any(getattr(one, what) > 1 for one in taken)
    ]


def learnt(version: AgentVersion) -> SafeString:
    """What a document takes, as its author said and as finished attempts say."""
    said, now = figures_of(_Unlearnt(version)), figures_of(version)
    figures = known(version.learnt)
    rows = [
        {"name": _(name.replace("_", " ")), "said": value, "now": getattr(now, name), "learnt": name in figures}
        for name, value in asdict(said).items()
    ]  # fmt: skip
    return render_to_string(
        "admin/learnt.html", {"rows": rows, "samples": version.learnt.get("samples"), "at": version.learnt_at}
    )


class _Unlearnt:
    """A version as if nothing had been learnt yet."""

    learnt: dict[str, Any] = {}

    def __init__(self, version: AgentVersion) -> None:
        self._version = version

    def __getattr__(self, name: str) -> Any:
        return getattr(self._version, name)


def spent(agent: Agent) -> str:
    row = queue.spending(queue.connection(), agents=[agent.pk])[0]
    values = {name: spending.money(getattr(row, f"{name}_usd")) for name in ("day", "month", "reserved")}
    return (
        _("%(day)s USD today, %(month)s USD this month (UTC); up to %(reserved)s USD more by what runs now")
        % values
    )


def prices(version: AgentVersion | None) -> SafeString | str:
    """What the model of a version costs, from when on."""
    if version is None or not version.model:
        return _("No model is asked.")
    rows = list(Price.objects.filter(model=version.model).order_by("-valid_from")[:5])
    return (
        render_to_string("admin/prices.html", {"rows": rows})
        if rows
        else _("There is no price for %(model)s: its costs are unknown.") % {"model": version.model}
    )


def versions(agent: Agent) -> SafeString:
    rows = list(agent.versions.select_related("created_by").order_by("-number")[:20])
    return render_to_string("admin/versions.html", {"rows": rows, "current": agent.current_version_id})


def asked(agent: Agent) -> SafeString:
    """The fields that the current version asks for, and the way to change them."""
    schema = schema_of(agent.current_version.options) if agent.current_version else None
    rows = list(described(schema).items()) if schema else []
    return render_to_string("admin/asked.html", {"agent": agent, "schema": schema, "rows": rows})


def settings(version: AgentVersion) -> SafeString:
    """Program, model and further settings, for those who may look only; fields and figures have tables of their own."""
    flat = _flat({name: getattr(version, name) for name in ("program", "model", "options")})
    rows = [(name, value) for name, value in flat.items() if not name.startswith("schema") and value]
    return render_to_string("admin/settings.html", {"rows": rows})


def described(schema: Schema) -> dict[str, str]:
    """Each field (a column as "lines.amount") in one line: "money, required: Total with tax"."""
    told = {}
    for one in schema.fields:
        told[one.name] = _line(one)
        told |= {f"{one.name}.{column.name}": _line(column) for column in one.fields}
    return told


def _line(field: Field) -> str:
    kind = ", ".join([str(field.type), *([_("required")] if field.required else [])])
    if field.choices:
        kind += f" ({'; '.join(field.choices)})"
    return f"{kind}: {field.description}" if field.description else kind


def difference(version: AgentVersion) -> SafeString | str:
    """What a version changed of the one before it; settings key by key, the schema field by field."""
    before = (
        AgentVersion.objects.filter(agent=version.agent_id, number__lt=version.number)
        .order_by("-number")
        .first()
    )
    if before is None:
        return _("It is the first one.")
    rows = compared(before, {name: getattr(version, name) for name in VERSIONED})
    return (
        render_to_string("admin/difference.html", {"rows": rows, "before": before}) if rows else _("Nothing.")
    )


def compared(before: AgentVersion, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What differs between a version and `values` (all of VERSIONED): name, before, after."""
    old, new = _flat({name: getattr(before, name) for name in VERSIONED}), _flat(values)
    rows = [
        {"name": name, "before": old.get(name, "—"), "after": new.get(name, "—")}
        for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)
    ]  # fmt: skip
    was, now = _in_order(old, new), _in_order(new, old)
    return rows if was == now else [*rows, {"name": _("order of fields"), "before": was, "after": now}]


def _in_order(flat: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """The fields that both have, as this one has them."""
    return ", ".join(name.partition(".")[2] for name in flat if name.startswith("schema.") and name in other)


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    options = without_secrets(values["options"])
    flat = {name: value for name, value in values.items() if name != "options"}
    if schema := schema_of(options):
        flat |= {"schema": schema.kind} | {f"schema.{name}": line for name, line in described(schema).items()}
        options = {name: value for name, value in options.items() if name != "schema"}
    return flat | {f"options.{name}": value for name, value in options.items()}
