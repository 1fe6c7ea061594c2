"""When nobody hears an attempt: its outcome file settles it, once, whoever reads it; and the silent ones are told to people."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tasks import callbacks, events, keeping, operations, queue, worker
from tasks.agent import program, signatures
from tasks.agent.contract import Code, Completed, Failed, Order
from tasks.audit import Actor
from tasks.events import News
from tasks.executors import Report, RunState
from tasks.models import Attempt, AuditEntry, Delivery, Task
from tasks.orders import callback_secrets, outcome_name
from tasks.outcomes import Answer
from tasks.states import AttemptStatus
from tasks.storage import get_storage
from tasks.storage.folder import FolderStorage
from tasks.sweeper import news_of
from tests.callback_tools import body_of, claim_attempts, post
from tests.factories import make_user
from tests.standin.cloud import COST, RESULT, USAGE
from tests.standin.fleet import LEASE, Fleet

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path)
    yield fleet
    fleet.close()


def write(attempt: UUID, event: Completed | Failed | None = None, *, secret: str | None = None) -> None:
    """What the attempt's program would have written."""
    order = Order(
        attempt=attempt, task=1, number=1, program="x", document="x", document_sha256="x",
        callback_secret=callback_secrets(attempt)[0] if secret is None else secret,
    )  # fmt: skip
    event = event or Completed(attempt=attempt, result=RESULT, usage=USAGE)
    get_storage().put(
        outcome_name(attempt), BytesIO(json.dumps(program.sealed_outcome(order, event)).encode())
    )


def started(fleet: Fleet, **agent) -> tuple[int, Attempt, worker.Worker]:
    (task,) = fleet.submit(fleet.agent("waits", **agent))
    holder = fleet.worker()
    fleet.until(lambda: fleet.attempts(task) and fleet.attempts(task)[0].status == "running", holder)
    return task, fleet.attempts(task)[0], holder


# Runs elsewhere


def test_a_live_run_whose_callbacks_are_lost_is_settled_from_its_file_within_a_minute(fleet) -> None:
    task, attempt, holder = started(fleet)
    write(attempt.pk)
    fleet.advance(59 - LEASE / 2)  # the lease is renewed in between
    holder.tick()
    fleet.advance(LEASE / 2)
    fleet.until(lambda: fleet.status(task) == "completed", holder)
    assert Attempt.objects.get(pk=attempt.pk).cost_usd == COST
    fleet.until(lambda: Attempt.objects.get(pk=attempt.pk).ended_at, holder)
    assert len(fleet.cloud.runs()) == 1


def test_a_run_that_was_heard_of_lately_is_not_looked_for(fleet, monkeypatch) -> None:
    _task, _attempt, holder = started(fleet)
    monkeypatch.setattr(callbacks, "written_outcome", lambda _attempt: pytest.fail("it was looked for"))
    holder.tick()


def test_a_run_that_ended_silently_is_settled_from_its_file(fleet) -> None:
    task, attempt, holder = started(fleet)
    write(attempt.pk)
    fleet.cloud.end(attempt.pk, "silently")
    fleet.until(lambda: fleet.status(task) == "completed", holder)
    assert len(fleet.attempts(task)) == 1


@pytest.mark.parametrize("secret", ["", signatures.derive("f" * 40, uuid4())], ids=["unsigned", "forged"])
def test_a_file_without_the_attempts_own_signature_is_refused(fleet, secret: str) -> None:
    task, attempt, holder = started(fleet)
    write(attempt.pk, secret=secret)
    fleet.cloud.end(attempt.pk, "silently")
    fleet.until(lambda: fleet.status(task) == "enqueued", holder)
    assert Attempt.objects.get(pk=attempt.pk).error_code == "crashed"


def test_another_attempts_file_is_refused(fleet) -> None:
    task, attempt, holder = started(fleet)
    other = uuid4()
    write(other)
    get_storage().put(outcome_name(attempt.pk), get_storage().open(outcome_name(other)))
    fleet.cloud.end(attempt.pk, "silently")
    fleet.until(lambda: fleet.status(task) == "enqueued", holder)


def test_a_run_out_of_reach_is_settled_by_whoever_sweeps(fleet) -> None:
    task, attempt, _dead = started(fleet)
    write(attempt.pk)
    fleet.cloud.set(unreachable=1)
    fleet.expire()
    other = fleet.worker()
    fleet.until(lambda: fleet.status(task) == "completed", other)
    assert not Attempt.objects.get(pk=attempt.pk).ended_at, "only the executor confirms an end"
    fleet.cloud.set(unreachable=0)
    fleet.until(lambda: Attempt.objects.get(pk=attempt.pk).ended_at, other)


def test_file_poll_and_callback_together_count_once(fleet, client) -> None:
    task, attempt, holder = started(fleet)
    write(attempt.pk)
    fleet.advance(40)
    fleet.until(lambda: fleet.status(task) == "completed", holder)
    usage = USAGE.model_dump(mode="json")
    # The clock of this session was moved, that of the server was not
    answer = post(
        client,
        attempt.pk,
        body_of(attempt.pk, "completed", result=RESULT.model_dump(mode="json"), usage=usage),
    )
    assert answer.json() == {"outcome": "duplicate"}
    fleet.cloud.end(attempt.pk, "completes")
    fleet.until(lambda: Attempt.objects.get(pk=attempt.pk).ended_at, holder)
    row = Attempt.objects.get(pk=attempt.pk)
    assert (row.cost_usd, row.input_tokens) == (COST, USAGE.input_tokens)


# Runs of this machine


def test_a_local_child_that_wrote_its_outcome_before_its_worker_was_killed_is_not_paid_again() -> None:
    (row,) = claim_attempts()
    write(row.attempt_id)
    Task.objects.update(lease_expires_at="2020-01-01T00:00:00Z")
    sweeping = worker.Worker({"local": NothingRuns()}, worker.Habits(slots=0, lease_seconds=LEASE))
    sweeping.register()
    assert sweeping.sweeper.tick()
    attempt = Attempt.objects.select_related("task").get(pk=row.attempt_id)
    assert (attempt.task.status, attempt.status, attempt.cost_usd) == ("completed", "completed", COST)
    assert attempt.ended_at
    assert attempt.task.attempts_made == 1


def test_a_local_child_that_wrote_nothing_is_run_again() -> None:
    (row,) = claim_attempts()
    Task.objects.update(lease_expires_at="2020-01-01T00:00:00Z")
    sweeping = worker.Worker({"local": NothingRuns()}, worker.Habits(slots=0, lease_seconds=LEASE))
    sweeping.register()
    sweeping.sweeper.tick()
    assert Attempt.objects.get(pk=row.attempt_id).status == "lost"
    assert Task.objects.get().status == "enqueued"


class NothingRuns:
    """A local executor that knows no run, as that of any other worker's attempts does."""

    name, remote = "local", False

    def ask(self, runs):
        return [Report(run.attempt, RunState.NOT_FOUND) for run in runs]

    def __getattr__(self, _name):
        return lambda *_args, **_kwargs: []


def test_who_was_stopped_keeps_its_costs_and_is_told_why_by_who_stopped_it() -> None:
    (row,) = claim_attempts()
    stopped = Failed(
        attempt=row.attempt_id,
        code=Code.CANCELLED,
        message="Stopped on request.",
        retryable=False,
        usage=USAGE,
    )
    write(row.attempt_id, stopped)
    report = Report(
        row.attempt_id, RunState.ENDED, code=Code.RELEASED, message="The worker is shutting down."
    )
    events.apply(queue.connection(), news_of(report))
    attempt = Attempt.objects.select_related("task").get(pk=row.attempt_id)
    assert (attempt.status, attempt.task.status, attempt.cost_usd) == ("released", "enqueued", COST)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"null", b'{"headers": 1, "body": 2}', b"\xff" * 100, b"[" * 100_000]
)
def test_a_damaged_file_is_as_good_as_none(content: bytes) -> None:
    (row,) = claim_attempts()
    get_storage().put(outcome_name(row.attempt_id), BytesIO(content))
    assert callbacks.written_outcome(row.attempt_id) is None


def test_a_file_beyond_all_limits_is_not_read(monkeypatch) -> None:
    (row,) = claim_attempts()
    write(row.attempt_id)
    assert callbacks.written_outcome(row.attempt_id)
    monkeypatch.setattr(callbacks, "MOST_OUTCOME_BYTES", 50)
    assert callbacks.written_outcome(row.attempt_id) is None


# What people see, and what is kept


def test_silent_runs_are_listed_longest_silence_first(client) -> None:
    first, second, third = (row.attempt_id for row in claim_attempts(3))
    Attempt.objects.filter(pk=first).update(last_seen_at="2026-01-02T00:00:00Z")
    Attempt.objects.filter(pk=second).update(claimed_at="2026-01-01T00:00:00Z")
    assert [row.id for row in queue.silent_attempts(queue.connection(), 60, 10)] == [second, first]
    client.force_login(make_user("root", is_superuser=True, is_staff=True))
    page = client.get("/admin/tasks/attempt/", {"silent": "60"})
    assert {row.pk for row in page.context["cl"].queryset} == {first, second}
    assert third not in {row.pk for row in page.context["cl"].queryset}
    events.apply(
        queue.connection(),
        [News(first, answer=Answer(AttemptStatus.LOST, True, "lost", "x", True), ended=True)],
    )
    assert [row.id for row in queue.silent_attempts(queue.connection(), 60, 10)] == [second]


def test_a_sweeper_prunes_old_deliveries_a_bounded_number_at_a_time(client, monkeypatch) -> None:
    monkeypatch.setattr("tasks.sweeper.MOST_PRUNED", 2)
    for row in claim_attempts(5):
        post(client, row.attempt_id, body_of(row.attempt_id, "completed"))
    Delivery.objects.update(received_at="2020-01-01T00:00:00Z")
    Attempt.objects.update(ended_at="2020-01-01T00:00:00Z")
    sweeping = worker.Worker({"local": NothingRuns()}, worker.Habits(slots=0, keep_days=30))
    sweeping.register()
    sweeping.sweeper.tick()
    assert Delivery.objects.count() == 5, "not before its hour"
    sweeping.sweeper._pruned_at -= 3600
    for left in (3, 1, 0, 0):
        sweeping.sweeper.tick()
        assert Delivery.objects.count() == left


def test_a_sweeper_looks_for_halves_of_files_once_a_day_beside_its_work_and_survives_a_storage_that_fails(
    monkeypatch, caplog
) -> None:
    begun: list[threading.Thread] = []
    monkeypatch.setattr(keeping, "tidy", lambda storage, tidy=keeping.tidy: begun.append(tidy(storage)))
    half = get_storage().path_for_attempt("documents/ab/abc.pdf").with_name("abc.pdf.1.part")
    half.write_bytes(b"half")
    os.utime(half, (0, 0))
    sweeping = worker.Worker({"local": NothingRuns()}, worker.Habits(slots=0))
    sweeping.register()
    for _hour in range(3):
        sweeping.sweeper._pruned_at -= 3600
        sweeping.sweeper.tick()
    assert len(begun) == 1
    begun[0].join(10)
    assert not half.exists()

    def fails(_storage: FolderStorage) -> int:
        raise OSError("the disk is gone")

    monkeypatch.setattr(FolderStorage, "clean", fails)
    sweeping.sweeper._tidied_at -= 86_400
    sweeping.sweeper._pruned_at -= 3600
    sweeping.sweeper.tick()
    begun[1].join(10)
    assert "cannot be looked through" in caplog.text


def stored_but_not_applied(client) -> tuple[UUID, Delivery]:
    """A delivery whose result was good and whose settlement was not: as after a fault of ours."""
    (row,) = claim_attempts()
    post(client, row.attempt_id, body_of(row.attempt_id, "failed", retryable=False))
    delivery = Delivery.objects.get()
    Delivery.objects.update(
        body=json.dumps(body_of(row.attempt_id, "completed")).encode(),
        event="attempt.completed",
        outcome="stale",
    )
    return row.attempt_id, delivery


def test_operators_apply_a_stored_delivery_again_and_it_leaves_a_trail(client) -> None:
    _attempt, delivery = stored_but_not_applied(client)
    client.force_login(make_user("op", "Operator", is_staff=True))
    asked = client.post("/admin/tasks/delivery/", {"action": "apply_again", "_selected_action": delivery.pk})
    assert asked.status_code == 200
    assert Task.objects.get().status == "failed", "it asks first"
    client.post(
        "/admin/tasks/delivery/",
        {
            "action": "apply_again",
            "_selected_action": delivery.pk,
            "confirmed": "1",
            "reason": "bug 7 is mended",
        },
    )
    assert Task.objects.get().status == "completed"
    entry = AuditEntry.objects.get(verb="apply_again")
    assert (entry.reason, entry.object_id, entry.after["outcome"]) == (
        "bug 7 is mended",
        str(delivery.pk),
        "applied",
    )


@pytest.mark.parametrize("group", ["Auditor", "Finance", "Engineer"])
def test_nobody_else_applies_a_delivery_again(client, group: str) -> None:
    _attempt, delivery = stored_but_not_applied(client)
    client.force_login(make_user("other", group, is_staff=True))
    client.post(
        "/admin/tasks/delivery/",
        {"action": "apply_again", "_selected_action": delivery.pk, "confirmed": "1", "reason": "x"},
    )
    assert Task.objects.get().status == "failed"


def test_a_cancelled_task_is_not_brought_back_by_applying_again(client) -> None:
    (row,) = claim_attempts()
    operations.cancel(Actor.system("test"), [row.task_id])
    post(client, row.attempt_id, body_of(row.attempt_id, "failed", code="cancelled", message="Stopped."))
    Delivery.objects.update(body=json.dumps(body_of(row.attempt_id, "completed")).encode())
    callbacks.apply_again(Actor.system("test"), [Delivery.objects.get().pk])
    assert Task.objects.get().status == "cancelled"
