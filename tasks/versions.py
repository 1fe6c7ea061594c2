"""Versions of agents: what one still lacks before it can read anything, and how the next one is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks.agent.prior import prior
from tasks.agent.schema import Schema, SchemaError
from tasks.audit import Actor, Entry, record
from tasks.estimates import PRIOR
from tasks.models import Agent, AgentVersion

LLM, AI_EXTRACT = "llm", "databricks-ai-extract"
"""The programs that ask a model, or a function of Databricks, and so need its name, and a schema."""
VERSIONED = ("program", "options", "model", *PRIOR)
"""What a version is: its columns that people set. Changing one makes the next version."""
CHECKPOINTS_STAY_HERE = gettext_lazy(
    "attempts that keep checkpoints run on the machines of the workers. Choose the executor local, or take “checkpoints” out of the settings."
)
OF_MODELS = ("endpoint", "fallback_models", "max_output_tokens", "window_pages", "vision")
"""Settings of agents that ask a model; like the schema they are kept in `options`."""


def lacking(agent: Agent, version: AgentVersion | None) -> str:
    """What has to be set up before this version can read anything, as a sentence; empty: nothing."""
    if version is None:
        return _("The agent %(agent)s has no version yet. Create one in the admin.") % {"agent": agent.name}
    if needs_this_machine(agent.executor, version.options):
        return _("The agent %(agent)s cannot read: %(why)s") % {
            "agent": agent.name,
            "why": CHECKPOINTS_STAY_HERE,
        }
    if version.program == LLM and not version.model:
        return _(
            "The agent %(agent)s needs a model: name one on its page in the admin, and set OPENAI_API_KEY (and OPENAI_BASE_URL) "
            "where the workers run."
        ) % {"agent": agent.name}
    if version.program == AI_EXTRACT and not version.model:
        return _(
            "The agent %(agent)s needs a Databricks workspace: once its attempts can log in to one, name ai_extract as its model on its "
            "page in the admin."
        ) % {"agent": agent.name}
    return ""


def needs_this_machine(executor: str, options: Mapping[str, Any]) -> bool:
    """Whether attempts would have to keep checkpoints where they cannot: their database's password is never sent to another machine."""
    return executor != Agent.Executor.LOCAL and options.get("checkpoints") is True


def usable(agents: QuerySet[Agent]) -> QuerySet[Agent]:
    """Those that `lacking` has nothing to say of."""
    return (
        agents.exclude(current_version=None)
        .exclude(current_version__program__in=(LLM, AI_EXTRACT), current_version__model="")
        .exclude(~Q(executor=Agent.Executor.LOCAL), current_version__options__contains={"checkpoints": True})
    )


def schema_of(options: Mapping[str, Any]) -> Schema | None:
    """The schema in a version's settings; None where there is none, or none that can be used."""
    try:
        return Schema.of(options["schema"]) if options.get("schema") else None
    except SchemaError:
        return None


def figures_from(options: Mapping[str, Any]) -> dict[str, float]:
    """The prior by the size of the schema in `options`; empty where no schema says it."""
    schema = schema_of(options)
    return prior(schema, dict(options)) if schema else {}


def changed(version: AgentVersion | None, changes: Mapping[str, Any]) -> dict[str, Any]:
    """All of VERSIONED, as they are once `changes` are made to a version (None: to an empty one).

    changes: any of VERSIONED, OF_MODELS and "schema". What is empty of the latter is removed; "options" are the settings besides those.
    A figure that is None, or was never said, is what the schema's size says.
    """
    before = version or AgentVersion()
    options = dict(before.options)
    if "options" in changes:
        options = {name: options[name] for name in ("schema", *OF_MODELS) if name in options} | changes[
            "options"
        ]
    for name in ("schema", *OF_MODELS):
        if changes.get(name):
            options[name] = changes[name]
        elif name in changes:
            options.pop(name, None)
    values = {name: changes.get(name, getattr(before, name)) for name in ("program", "model")}
    said = unlearnt(figures_from(before.options))
    fresh = unlearnt(figures_from(options))
    for name in PRIOR:
        own = changes[name] if name in changes else _said(before, said, name)
        values[name] = fresh[name] if own is None else own
    return values | {"options": options}


def unlearnt(figures: Mapping[str, float]) -> dict[str, float]:
    """All of PRIOR: what is not in `figures` as the columns have it where nobody says anything."""
    return {name: figures.get(name, AgentVersion._meta.get_field(name).default) for name in PRIOR}


def _said(version: AgentVersion, reckoned: Mapping[str, float], name: str) -> float | None:
    """A figure that a person chose; None where it is only what the schema said."""
    value = getattr(version, name)
    return None if value == reckoned[name] else value


def said(version: AgentVersion) -> dict[str, float | None]:
    """All of PRIOR as people chose them; None where the schema's size speaks."""
    reckoned = unlearnt(figures_from(version.options))
    return {name: _said(version, reckoned, name) for name in PRIOR}


def make(actor: Actor, agent: Agent, values: Mapping[str, Any]) -> AgentVersion:
    """The agent's next version, from now on the current one. `values`: all of VERSIONED.

    The caller holds the agent's row (or has just made it), so that two edits at once get two numbers.
    """
    last = AgentVersion.objects.filter(agent=agent).aggregate(last=Max("number"))["last"] or 0
    version = AgentVersion.objects.create(
        agent=agent,
        number=last + 1,
        created_by_id=actor.user_id,
        **{name: values[name] for name in VERSIONED},
    )
    agent.current_version = version
    agent.save(update_fields=("current_version",))
    record(actor, [Entry("new_version", "agent", str(agent.pk), after={"number": version.number, **values})])
    return version
