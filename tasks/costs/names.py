"""What people call the lines of a report of money."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User

from tasks.costs.questions import By
from tasks.models import Agent, AgentVersion, Client


def names(by: By, keys: Iterable[str]) -> dict[str, str]:
    """key → name; a client, agent or person that is no more keeps its number. Empty where there is none: no engagement, nobody, no model."""
    keys = list(keys)
    if by == "engagement":
        clients = names("client", {key.partition(" ")[0] for key in keys})
        return {
            key: f"{clients[client]} · {label}" for key in keys for client, _, label in [key.partition(" ")]
        }
    ids = [int(key) for key in keys if key.isdigit()]
    found: dict[int, str] = {}
    if by == "client":
        found = dict(Client.objects.filter(pk__in=ids).values_list("pk", "name"))
    elif by == "agent":
        found = dict(Agent.objects.filter(pk__in=ids).values_list("pk", "name"))
    elif by == "version":
        versions = AgentVersion.objects.filter(pk__in=ids).select_related("agent")
        found = {version.pk: f"{version.agent.name} v{version.number}" for version in versions}
    elif by == "uploader":
        found = {0: "", **dict(User.objects.filter(pk__in=ids).values_list("pk", "username"))}
    else:
        return {key: key for key in keys}
    return {key: found.get(int(key), f"#{key}") for key in keys}
