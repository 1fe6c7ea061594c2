"""States in the database are those of `tasks.states`: legal pairs only, named constraints, and a trail that nobody rewrites."""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError, IntegrityError

from tasks.audit import Actor, Entry, record
from tasks.models import Agent, Attempt, AuditEntry, Client, Document, Pool, Switches, Task
from tasks.states import LIVE, TASK_TRANSITIONS, TERMINAL, AttemptStatus, TaskStatus, may_become
from tests.factories import (
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_document,
    make_extraction,
    make_task,
)

pytestmark = pytest.mark.django_db


def fields_of(status: TaskStatus) -> dict:
    """What a task in this state has to have, and what it must not have."""
    now = database_now()
    held = status == TaskStatus.PROCESSING
    return {
        "status": status,
        "locked_by": "worker:x" if held else None,
        "lease_owner": uuid4() if held else None,
        "lease_expires_at": now if held else None,
        "current_attempt": uuid4() if held else None,
        "finished_at": now if status in TERMINAL else None,
        "result_attempt": uuid4() if status == TaskStatus.COMPLETED else None,
    }


@pytest.fixture
def extraction():
    return make_extraction(make_client(), make_agent())


def refused_by(name: str, change) -> None:
    with pytest.raises(DatabaseError) as error, transaction.atomic():
        change()
    assert error.value.__cause__.diag.constraint_name == name


@pytest.mark.parametrize(("old", "new"), list(product(TaskStatus, TaskStatus)))
def test_the_database_allows_exactly_the_transitions_of_states(extraction, old, new):
    task = Task.objects.filter(pk=make_task(extraction, **fields_of(old)).pk)
    if may_become(old, new):
        assert task.update(**fields_of(new)) == 1
    else:
        refused_by("tasks_transition_legal", lambda: task.update(**fields_of(new)))
        assert task.get().status == old


def test_a_state_that_is_written_alone_is_guarded_too(extraction):
    task = make_task(extraction, **fields_of(TaskStatus.COMPLETED))
    refused_by(
        "tasks_transition_legal", lambda: Task.objects.filter(pk=task.pk).update(status=TaskStatus.CANCELLED)
    )


def test_every_state_has_a_way_out_of_it_and_a_way_into_it():
    assert set(TASK_TRANSITIONS) == set(TaskStatus)
    assert {new for following in TASK_TRANSITIONS.values() for new in following} == set(TaskStatus)
    assert all(why for following in TASK_TRANSITIONS.values() for why in following.values())


ILLEGAL_TASKS = {
    "tasks_status_known": {"status": "paused"},
    "tasks_terminal_iff_finished": {"status": "failed"},
    "tasks_completed_has_result": {"status": "completed", "finished_at": "now"},
    "tasks_cancel_only_processing": {"cancel_requested_at": "now"},
    "tasks_estimates_positive": {"estimated_tokens": 0},
    "tasks_password_only_while_needed": {"status": "failed", "finished_at": "now", "sealed_password": b"x"},
    "tasks_deferred_only_enqueued": {"status": "failed", "finished_at": "now", "deferred": True},
}


@pytest.mark.parametrize("name", ILLEGAL_TASKS)
def test_a_task_that_cannot_be_is_refused_by_name(extraction, name):
    fields = {key: database_now() if value == "now" else value for key, value in ILLEGAL_TASKS[name].items()}
    if fields.get("status") == "paused":  # two constraints speak of the states
        with pytest.raises(IntegrityError), transaction.atomic():
            make_task(extraction, **fields)
        return
    refused_by(name, lambda: make_task(extraction, **fields))


@pytest.mark.parametrize(
    "estimate", ["estimated_tokens", "estimated_output_tokens", "estimated_requests", "estimated_seconds"]
)
@pytest.mark.parametrize("value", [0, -1])
def test_a_task_without_an_estimate_is_refused(extraction, estimate, value):
    refused_by("tasks_estimates_positive", lambda: make_task(extraction, **{estimate: value}))


@pytest.mark.parametrize("missing", ["locked_by", "lease_owner", "lease_expires_at", "current_attempt"])
def test_a_task_is_never_processed_without_a_lease(extraction, missing):
    fields = {**fields_of(TaskStatus.PROCESSING), missing: None}
    refused_by("tasks_processing_iff_leased", lambda: make_task(extraction, **fields))


@pytest.mark.parametrize("left", ["locked_by", "lease_owner", "lease_expires_at"])
@pytest.mark.parametrize("status", sorted(set(TaskStatus) - {TaskStatus.PROCESSING}))
def test_nobody_holds_a_task_that_is_not_processed(extraction, status, left):
    fields = {**fields_of(status), left: fields_of(TaskStatus.PROCESSING)[left]}
    refused_by("tasks_processing_iff_leased", lambda: make_task(extraction, **fields))


@pytest.mark.parametrize("status", sorted(set(TaskStatus) - TERMINAL))
def test_a_task_that_goes_on_is_not_finished(extraction, status):
    fields = {**fields_of(status), "finished_at": database_now()}
    refused_by("tasks_terminal_iff_finished", lambda: make_task(extraction, **fields))


ILLEGAL_ATTEMPTS = {
    "task_attempts_completed_has_result": {"status": "completed"},
    "task_attempts_cost_not_negative": {"cost_usd": -1, "cost_state": "estimated"},
    "task_attempts_unknown_cost_is_null": {"cost_usd": 0},
}


@pytest.mark.parametrize("name", ILLEGAL_ATTEMPTS)
def test_an_attempt_that_cannot_be_is_refused_by_name(extraction, name):
    task = make_task(extraction)
    refused_by(name, lambda: make_attempt(task, **ILLEGAL_ATTEMPTS[name]))


@pytest.mark.parametrize("status", AttemptStatus)
def test_attempts_are_finished_exactly_when_they_do_not_live(extraction, status):
    task, result = make_task(extraction), {} if status == AttemptStatus.COMPLETED else None
    wrong = database_now() if status in LIVE else None
    refused_by(
        "task_attempts_ended_iff_finished",
        lambda: make_attempt(task, status, finished_at=wrong, result=result),
    )
    assert make_attempt(task, status, result=result).status == status


def test_the_states_of_attempts_are_known(extraction):
    task = make_task(extraction)
    with pytest.raises(IntegrityError), transaction.atomic():
        make_attempt(task, "paused")


def test_a_known_cost_is_never_without_a_figure(extraction):
    task = make_task(extraction)
    refused_by("task_attempts_unknown_cost_is_null", lambda: make_attempt(task, cost_state="estimated"))


def test_a_task_has_each_attempt_once(extraction):
    task = make_task(extraction)
    make_attempt(task, number=1)
    refused_by("task_attempts_task_number", lambda: make_attempt(task, number=1))


@pytest.mark.parametrize(
    "limit", ["max_concurrent_tasks", "max_tpm", "max_output_tpm", "max_requests_per_minute"]
)
def test_a_limit_is_above_zero_or_absent(limit):
    refused_by("agents_limits_positive", lambda: make_agent(**{limit: 0}))
    refused_by("pools_limits_positive", lambda: Pool.objects.create(name="pool", **{limit: -1}))
    make_agent(**{limit: None})


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("agents_max_attempts_positive", {"max_attempts": 0}),
        ("agents_timeout_positive", {"timeout_seconds": 0}),
        ("agents_memory_enough", {"memory_mib": 32}),
    ],
)
def test_an_agent_that_could_not_work_is_refused(name, fields):
    refused_by(name, lambda: make_agent(**fields))


def test_documents_have_a_size_and_are_there_once_per_client():
    client = make_client()
    refused_by("documents_size_positive", lambda: make_document(client, size_bytes=0))
    refused_by("documents_pages_positive", lambda: make_document(client, pages=0))
    make_document(client, sha256="a" * 64)
    refused_by("documents_client_sha256", lambda: make_document(client, sha256="a" * 64))
    make_document(make_client(), sha256="a" * 64)


def test_what_belongs_to_tasks_is_not_deleted_with_its_parents(extraction):
    make_attempt(make_task(extraction))
    for model in (Task, Document, Client, Agent):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {model._meta.db_table}")
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert Attempt.objects.count() == 1


def test_there_is_one_row_of_switches():
    refused_by("switches_one_row", lambda: Switches.objects.create(id=2))


# The trail


@pytest.fixture
def entry():
    record(Actor.system("test"), [Entry("pause", "agent", "1")], "a reason")
    return AuditEntry.objects.latest("id")


def test_the_trail_is_never_rewritten(entry):
    for change in (
        lambda: AuditEntry.objects.filter(pk=entry.pk).update(reason="another"),
        lambda: AuditEntry.objects.filter(pk=entry.pk).update(at=entry.at - timedelta(days=1)),
        lambda: AuditEntry.objects.filter(pk=entry.pk).delete(),
        lambda: connection.cursor().execute("DELETE FROM audit_log"),
        lambda: connection.cursor().execute("TRUNCATE audit_log"),
    ):
        refused_by("audit_log_append_only", change)
    assert AuditEntry.objects.get(pk=entry.pk).reason == "a reason"
