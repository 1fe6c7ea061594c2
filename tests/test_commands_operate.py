"""Operators' verbs as commands: by number or filter, looked at first, for people and for programs, with nothing else running."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from tasks import bulk, queue
from tasks.models import Agent, AuditEntry, BulkAction, Client, Switches, Task
from tests import queue_tools as tools
from tests.factories import make_agent, make_client

pytestmark = pytest.mark.django_db


def run(*arguments: object) -> str:
    out = io.StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue().strip()


@pytest.fixture
def failed(db) -> list[int]:
    """Three tasks of one agent and client that have failed, and one that waits."""
    ids = tools.hand_in(make_agent("reader"), 4, make_client("Nordwind AG"))
    queue.connection().execute(
        "UPDATE tasks SET status = 'failed', finished_at = agentaudit_now(), error_code = 'crashed' WHERE id = ANY(%s)",
        (ids[:3],),
    )
    return ids


def test_tasks_are_retried_by_filter_with_a_reason_in_the_trail(failed) -> None:
    said = run(
        "retry", "--filter", "status=failed", "--filter", "agent=reader", "--reason", "quota was raised"
    )
    assert said == "3 retried." and not Task.objects.filter(status="failed").exists()
    action = BulkAction.objects.get()
    assert (action.selection, action.reason) == ("status=failed&agent=reader", "quota was raised")
    assert (
        AuditEntry.objects.filter(
            verb="retry", reason="quota was raised", source__startswith="command "
        ).count()
        == 3
    )


def test_a_dry_run_changes_nothing_and_says_what_would_be(failed) -> None:
    before = list(Task.objects.order_by("id").values())
    said = run("retry", "--filter", "status=failed", "--dry-run")
    assert said.startswith("3 tasks would be concerned: ") and "Now: 3 failed." in said
    told = json.loads(run("cancel", *failed, "--dry-run", "--json"))
    assert told == {"verb": "cancel", "rows": 4, "first": [str(task) for task in failed], "dry_run": True}
    assert (
        list(Task.objects.order_by("id").values()) == before
        and not AuditEntry.objects.filter(verb__contains="retry").exists()
    )


def test_programs_get_one_json_object(failed) -> None:
    told = json.loads(run("cancel", *failed, "--json"))
    assert told == {
        "verb": "cancel", "action": BulkAction.objects.get().pk, "rows": 4, "done": 1, "skipped": 3, "why": {"already failed": 3},
    }  # fmt: skip


def test_more_than_the_workers_would_be_left_are_done_here_and_now(failed, monkeypatch) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 1)
    monkeypatch.setattr(bulk, "PIECE", 1)
    assert run("retry", *failed) == "3 retried, 1 skipped: already queued."


def test_priority_and_agent_are_given(failed) -> None:
    make_agent("other")
    assert run("reprioritise", failed[3], "--to", "urgent") == "1 changed."
    assert run("requeue", failed[0], "--agent", "other") == "1 handed in again."
    assert (
        Task.objects.get(pk=failed[3]).priority == 30 and Task.objects.get(pk=failed[0]).agent.name == "other"
    )


def test_agents_clients_and_everything_are_paused_and_resumed(failed) -> None:
    for arguments, row in (
        (("--agent", "reader"), Agent.objects.filter(name="reader")), (("--client", "Nordwind AG"), Client.objects.all()),
        (("--everything",), Switches.objects.all()),
    ):  # fmt: skip
        assert run("pause", *arguments, "--reason", "outage") == "1 paused." and row.get().is_paused
        assert run("pause", *arguments) == "0 paused, 1 skipped: already so."
        assert run("resume", *arguments) == "1 resumed." and not row.get().is_paused


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("pause", "--agent", "reader", "--agent", "raeder"), "no agent 'raeder'. Near it: reader."), (("resume", "--client", "AG"), "Near it: Nordwind AG."),
        (("requeue", "--filter", "status=failed", "--agent", "raeder"), "Near it: reader."), (("why", 999999999), "no task 999999999"),
        (("delete_client", "nordwind ag", "--yes"), "Near it: Nordwind AG. Nothing was deleted."), (("delete_client",), "Say which client"),
        (("costs", "--client", "nordwind"), "Near it: Nordwind AG."), (("costs", "--engagement", "2025"), "no engagement '2025'"),
        (("costs", "--model", "gpt"), "no model 'gpt'"), (("costs", "--uploader", "ann"), "no user 'ann'"),
    ],
)  # fmt: skip
def test_every_command_that_takes_a_name_says_that_it_is_none(failed, arguments, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence) as refused:
        run(*arguments)
    assert refused.value.returncode == 2
    assert not BulkAction.objects.exists() and not Agent.objects.filter(is_paused=True).exists()


@pytest.mark.parametrize(
    ("filters", "number"),
    [
        (["status=failed"], 3), (["status=failed", "status=enqueued"], 4), (["client=Nordwind AG", "status=enqueued"], 1), (["client=Südwind"], 0),
        (["error=crashed"], 3), (["priority=normal"], 4), (["priority=urgent"], 0), (["review=yes"], 0), (["agent=reader", "review=no"], 4),
        (["engagement="], 4), (["error=rate_limited"], 0),
    ],
)  # fmt: skip
def test_filters_narrow_together_and_alternatives_widen(failed, filters: list[str], number: int) -> None:
    make_client("Südwind")
    options = [part for text in filters for part in ("--filter", text)]
    assert json.loads(run("retry", *options, "--dry-run", "--json"))["rows"] == number


def test_days_are_included_at_both_ends(failed) -> None:
    today = Task.objects.first().created_at.date()
    for since, until, number in (
        (today, today, 4),
        (today + timedelta(days=1), today + timedelta(days=1), 0),
    ):
        told = run("retry", "--filter", f"since={since}", "--filter", f"until={until}", "--dry-run", "--json")
        assert json.loads(told)["rows"] == number


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Say which tasks"), (("7", "--filter", "status=failed"), "one of both"), (("--filter", "owner=me"), "no filter 'owner'. Known: agent, client"),
        (("--filter", "status=done"), "no status 'done'. Known: cancelled"), (("--filter", "since=yesterday"), "no value"),
        (("--filter", "agent__name__startswith=r"), "no filter"), (("999999999",), "There is no task 999999999. Nothing"),
        (("--filter", "client=nordwind"), "There is no client 'nordwind'. Near it: Nordwind AG. Nothing was done."),
        (("--filter", "client=Nordwint AG"), "Near it: Nordwind AG."), (("--filter", "agent=raeder"), "no agent 'raeder'. Near it: reader."),
        (("--filter", "engagement=2025"), "no engagement '2025'. There is no engagement yet."), (("--filter", "extraction=0"), "no extraction 0."),
        (("--filter", "extraction=x"), "no value"), (("--filter", "error=rate_limit"), "no error 'rate_limit'. Near it: rate_limited."),
        (("--filter", "priority=high"), "no priority 'high'. Known: bulk"), (("--filter", "review=maybe"), "no review 'maybe'. Known: no, yes."),
    ],
)  # fmt: skip
def test_a_wrong_wish_is_refused_in_a_sentence_and_touches_nothing(failed, arguments, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence) as refused:
        run("cancel", *arguments)
    assert refused.value.returncode == 2 and not BulkAction.objects.exists()
