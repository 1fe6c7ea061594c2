"""`manage.py lakebase branch` and `snapshot`: copies are made, listed and removed through the real SDK; refusals are sentences."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from tasks.management import branches
from tasks.management.branches import parse_time
from tests.fakes.databricks import Workspace
from tests.fakes.lakebase import ENDPOINT, PRODUCTION, PROJECT, Lakebase

pytest_plugins = ["tests.fakes.fixtures"]
lakebase = functools.partial(call_command, "lakebase")


@pytest.fixture
def cloud(workspace: Workspace, settings, monkeypatch) -> Lakebase:
    settings.LAKEBASE_ENDPOINT, settings.LAKEBASE_HOME = ENDPOINT, PRODUCTION
    monkeypatch.setattr(branches, "PAUSE_SECONDS", 0.01)
    return Lakebase(workspace)


@pytest.fixture
def said(capsys) -> Callable[..., str]:
    """What the command says."""

    def run(*arguments: str) -> str:
        lakebase(*arguments)
        return capsys.readouterr().out

    return run


def test_branches_and_snapshots_are_made_listed_and_removed(cloud, said):
    said("snapshot", "create", "before-upgrade")
    assert "production" in said("snapshot", "list")
    said("branch", "create", "yesterday", "--at", "1d")
    said("branch", "create", "restored", "--from-snapshot", "before-upgrade")
    listed = said("branch", "list")
    assert "yesterday" in listed and "before-upgrade" in listed and "UTC" in listed
    spec = cloud.branches[f"{PROJECT}/branches/yesterday"]["spec"]
    asked = datetime.fromisoformat(spec["source_branch_time"])
    assert timedelta(hours=23) < datetime.now(UTC) - asked < timedelta(hours=25) and spec["ttl"] == "86400s"
    for part, name in (("branch", "yesterday"), ("branch", "restored"), ("snapshot", "before-upgrade")):
        said(part, "delete", name)
    assert f"{PROJECT}/branches/yesterday" not in cloud.branches and cloud.snapshots == {}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("branch", "create", "Debug"), "no name"),
        (("branch", "create", "x", "--at", "soon"), "no time"),
        (("branch", "create", "x", "--at", "1h", "--from-snapshot", "s"), "two pasts"),
        (("branch", "create", "x", "--from-snapshot", "none"), "does not exist"),
        (("branch", "create", "x", "--days", "0"), "more than 0"),
        (("branch", "delete", "production"), "not deleted from here"),
        (("branch", "delete", "none"), "does not exist"),
    ],
)
def test_what_cannot_be_copied_is_said(cloud, arguments, words):
    with pytest.raises(CommandError, match=words):
        lakebase(*arguments)


def test_without_a_lakebase_there_is_nothing_to_do(settings):
    with pytest.raises(CommandError, match="No Lakebase is named"):
        lakebase("branch", "list")


def test_an_operation_without_an_end_is_given_up(cloud, monkeypatch):
    monkeypatch.setattr(branches.finished, "__defaults__", (-1.0,))
    with pytest.raises(CommandError, match="goes on in the workspace"):
        lakebase("branch", "create", "debug")


def test_times_are_ages_or_dates():
    now = datetime(2026, 11, 3, 14, 5, tzinfo=UTC)
    assert parse_time("30m", now) == now - timedelta(minutes=30)
    assert parse_time("2026-11-03T14:05", now) == parse_time("2026-11-03T15:05+01:00", now) == now
