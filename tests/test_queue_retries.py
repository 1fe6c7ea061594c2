"""What is tried again, when, and what is not; and that an end has the same effects whoever finds it."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import transaction

from tasks import events, notify, operations, queue
from tasks.agent.contract import Code
from tasks.events import News
from tasks.executors import Refusal
from tasks.executors.local import LocalExecutor
from tasks.intake import Upload, take_in
from tasks.models import Attempt, Extraction, Task
from tasks.outcomes import Answer, Word
from tasks.states import AttemptStatus
from tasks.sweeper import Sweeper
from tasks.worker import Habits, Worker
from tests import queue_tools as tools
from tests.attempts import wait_for
from tests.factories import database_now, make_agent, make_client
from tests.pdfs import lines_pdf


@pytest.fixture
def clock(db):
    return tools.Clock(queue.connection())


def sweep() -> None:
    executors = {"local": tools.Runs()}
    Sweeper(tools.new_worker(), executors, {}, lease_seconds=tools.LEASE, age_seconds=0, max_pages=9).tick()


@pytest.mark.parametrize(
    "code", [Code.CORRUPT, Code.ENCRYPTED, Code.DOCUMENT_MISSING, Code.BAD_CONFIGURATION]
)
def test_a_hopeless_task_is_tried_once(clock, code):
    (task,) = tools.hand_in(make_agent(max_attempts=5), 1)
    (row,) = tools.claim()
    events.apply(queue.connection(), [tools.failed(row.attempt_id, code, retryable=False)])
    failed = Task.objects.get(pk=task)
    assert (failed.status, failed.error_code, failed.error_message) == ("failed", code, "It went wrong.")
    clock.forward(10_000)
    queue.promote_due(queue.connection())
    assert tools.claim() == []


@pytest.mark.parametrize(
    ("code", "retryable", "status"),
    [(Code.BAD_CONFIGURATION, False, "failed"), (Code.UPSTREAM, True, "enqueued")],
)
def test_an_executor_that_refuses_says_whether_trying_again_helps(clock, code, retryable, status):
    (task,) = tools.hand_in(make_agent(), 1)
    runs = tools.Runs(refuse=lambda order: Refusal(order.attempt, code, "No.", retryable))
    worker = Worker({"local": runs}, Habits())
    worker.register()
    worker.tick()
    worker.tick()
    after = Task.objects.get(pk=task)
    assert (after.status, after.attempts_made, after.error_code) == (status, 1, code)
    assert after.deferred == (status == "enqueued")


def test_the_sweeper_requeues_nothing_that_has_used_all_its_attempts(clock):
    (task,) = tools.hand_in(make_agent(max_attempts=1), 1)
    tools.claim()
    clock.forward(tools.LEASE + 1)
    sweep()
    assert Task.objects.get(pk=task).status == "failed"


def test_a_swept_task_ends_with_everything_that_a_failed_one_ends_with(clock, monkeypatch):
    """One function ends both; only what nobody could know of a lost run is absent."""
    agent = make_agent(max_attempts=1)
    spoken, swept = tools.hand_in(agent, 2, password="secret")
    first, _second = tools.claim(2)
    hints: list[str] = []
    monkeypatch.setattr(notify, "hint", lambda *channels: hints.extend(channels))
    events.apply(queue.connection(), [tools.failed(first.attempt_id)])
    clock.forward(tools.LEASE + 1)
    sweep()
    assert notify.CHANGED in hints

    def shape(row: Task | Attempt) -> dict[str, bool]:
        return {
            field.attname: getattr(row, field.attname) not in (None, "", 0)
            for field in row._meta.concrete_fields
        }

    assert shape(Task.objects.get(pk=spoken)) == shape(Task.objects.get(pk=swept))
    told, found = (Attempt.objects.get(task=task) for task in (spoken, swept))
    differing = {name for name, there in shape(told).items() if shape(found)[name] != there}
    assert differing <= {"settled_at", "started_at", "cost_state"}
    assert (Task.objects.get(pk=swept).status, Task.objects.get(pk=swept).error_code) == ("failed", "lost")
    assert Task.objects.get(pk=swept).sealed_password is None


def test_a_retry_waits_outside_the_line_until_its_time_has_come(clock, monkeypatch):
    monkeypatch.setattr(events.random, "random", lambda: 1.0)
    (task,) = tools.hand_in(make_agent(), 1)
    (row,) = tools.claim()
    events.apply(queue.connection(), [tools.failed(row.attempt_id)])
    assert Task.objects.get(pk=task).deferred
    clock.forward(3)
    queue.promote_due(queue.connection())
    assert tools.claim() == []
    clock.forward(2)
    queue.promote_due(queue.connection())
    assert [row.task_id for row in tools.claim()] == [task]


def test_what_a_provider_asked_for_is_not_cut_short_by_the_end_of_the_run(clock):
    """The callback tells the failure, the poll confirms the end later: the second piece of news must not let the task go."""
    (task,) = tools.hand_in(make_agent(), 1)
    (row,) = tools.claim()
    db = queue.connection()
    said = tools.failed(row.attempt_id, Code.RATE_LIMITED, retry_after=300, ended=False)
    events.apply(db, [said])
    events.apply(db, [tools.failed(row.attempt_id, Code.RATE_LIMITED, retry_after=300, ended=True)])
    after = Task.objects.get(pk=task)
    assert after.deferred
    assert after.available_at >= database_now() + timedelta(seconds=290)


def test_a_reprocessed_task_waits_for_its_old_run_and_no_longer(clock):
    (task,) = tools.hand_in(make_agent(), 1)
    (row,) = tools.claim()
    db = queue.connection()
    events.apply(db, [tools.completed(row.attempt_id, ended=False)])
    operations.reprocess(tools.SYSTEM, [task])
    assert Task.objects.get(pk=task).deferred
    events.apply(db, [tools.completed(row.attempt_id, ended=True)])
    assert not Task.objects.get(pk=task).deferred
    assert [again.generation for again in tools.claim()] == [2]


def test_an_operator_may_retry_at_once_what_waits(clock):
    (task,) = tools.hand_in(make_agent(), 1)
    (row,) = tools.claim()
    events.apply(queue.connection(), [tools.failed(row.attempt_id, Code.RATE_LIMITED, retry_after=3000)])
    assert operations.retry(tools.SYSTEM, [task]).done == [task]
    clock.forward(3100)  # the agent cools down all the same
    assert [again.task_id for again in tools.claim()] == [task]


def test_a_settlement_that_waits_while_its_task_gets_another_agent_is_still_told(transactional_db):
    """The row's newest version is of another agent than the one that was looked at: it must not drop out of the statement."""
    agent, other = make_agent(), make_agent()
    (task,) = tools.hand_in(agent, 1)
    (row,) = tools.claim()
    db = queue.connection()
    events.apply(db, [tools.completed(row.attempt_id, ended=False)])
    with tools.session() as late:
        words: dict = {}
        waits = threading.Thread(
            target=lambda: words.update(events.apply(late, [tools.failed(row.attempt_id)]))
        )
        with transaction.atomic():
            assert operations.reprocess(tools.SYSTEM, [task], agent=other).done
            waits.start()
            blocked = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'"
            wait_for(lambda: db.execute(blocked, (late.info.backend_pid,)).fetchone()[0])
        waits.join(20)
    assert words == {row.attempt_id: Word.STALE}


def test_a_result_that_the_database_cannot_store_fails_its_own_attempt_only(clock):
    tools.hand_in(make_agent(), 2)
    first, second = tools.claim(2)
    bad = tools.completed(first.attempt_id)
    result = bad.event.result.model_copy(update={"notes": ("a\x00b",)})
    bad = events.News(first.attempt_id, bad.event.model_copy(update={"result": result}), ended=True)
    events.apply(queue.connection(), [bad, tools.completed(second.attempt_id)])
    assert [task.status for task in Task.objects.order_by("id")] == ["failed", "completed"]
    assert Task.objects.order_by("id")[0].error_code == Code.INVALID_RESULT


@pytest.mark.parametrize("text", ["x" * 9000, "🧾" * 3000], ids=["9,000 bytes", "12,000 bytes"])
def test_a_failure_is_kept_however_long_its_words_are(transactional_db, text):
    """A hint that carried the row would be refused above 8,000 bytes, and would take the failure with it."""
    (task,) = tools.hand_in(make_agent(max_attempts=1), 1)
    (row,) = tools.claim()
    answer = Answer(AttemptStatus.FAILED, True, Code.UPSTREAM, text)
    with notify.connect("test") as listening:
        listening.execute(f"LISTEN {notify.CHANGED}")
        events.apply(queue.connection(), [News(row.attempt_id, answer=answer, ended=True)])
        notify.hint(notify.CHANGED)
        (hint,) = listening.notifies(timeout=10, stop_after=1)
    assert hint.payload == ""
    failed = Task.objects.get(pk=task)
    assert (failed.status, failed.error_message) == ("failed", text)


@pytest.mark.slow
def test_hopeless_documents_and_agents_without_code_fail_once_and_say_why(transactional_db, tmp_path):
    """Encrypted, gone from the storage, and an agent whose program a deployment has removed; by real attempts."""
    client, good, gone = make_client(), make_agent(), make_agent(program="removed.package:reads")
    missing = tools.hand_in(good, 1, client)
    upload = tmp_path / "a.pdf"
    upload.write_bytes(lines_pdf(["Invoice 7"]))
    with upload.open("rb") as file:
        extraction = take_in(
            tools.SYSTEM, client=client, agent=gone, uploads=[Upload("a.pdf", file)], run_again=True
        )
    without_code = list(Extraction.objects.get(pk=extraction.pk).tasks.values_list("pk", flat=True))
    worker = Worker({"local": LocalExecutor(2, lambda attempt: tmp_path / f"{attempt}.log")}, Habits())
    worker.register()
    try:
        wait_for(lambda: worker.tick(0.2) is None or not Task.objects.exclude(status="failed").exists())
    finally:
        worker.finish(0.5)
    found = {task.pk: (task.error_code, task.attempts_made) for task in Task.objects.all()}
    assert found == {missing[0]: (Code.DOCUMENT_MISSING, 1), without_code[0]: (Code.AGENT_NOT_AVAILABLE, 1)}
    assert all(task.error_message for task in Task.objects.all())


def test_a_failure_that_is_told_again_and_again_burns_one_attempt(clock):
    (task,) = tools.hand_in(make_agent(max_attempts=3), 1)
    (row,) = tools.claim()
    for ended in (False, True, True):
        events.apply(queue.connection(), [tools.failed(row.attempt_id, ended=ended)])
    assert Task.objects.get(pk=task).attempts_burnt == 1
