"""Actions on many rows: fixed when confirmed, decided row by row, resumed after a crash, never done twice, undone where nobody interfered."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.db import OperationalError
from django.test import Client as Browser
from django.urls import reverse

from tasks import bulk, operations, queue, verbs
from tasks.audit import Actor
from tasks.models import Agent, Attempt, AuditEntry, BulkAction, Client, Pool, Switches, Task, Worker
from tasks.worker import Habits
from tasks.worker import Worker as WorkerProcess
from tests import queue_tools as tools
from tests.factories import make_agent, make_client, make_user

pytestmark = pytest.mark.django_db(transaction=True)
SYSTEM = Actor.system("test")


@pytest.fixture
def agent() -> Agent:
    make_client("Nordwind")
    return make_agent("reader")


def failed(agent: Agent, count: int) -> list[int]:
    """Tasks that have failed."""
    ids = tools.hand_in(agent, count)
    queue.connection().execute(
        "UPDATE tasks SET status = 'failed', finished_at = agentaudit_now(), error_code = 'crashed' WHERE id = ANY(%s)",
        (ids,),
    )
    return ids


def tasks(*ids: int):
    return Task.objects.filter(pk__in=ids)


def in_line(agent: Agent) -> list[int]:
    return list(
        Task.objects.filter(agent=agent).order_by("-priority", "start_key", "id").values_list("pk", flat=True)
    )


def worker(**habits: object) -> tuple[WorkerProcess, tools.Runs]:
    runs = tools.Runs()
    made = WorkerProcess({"local": runs}, Habits(**{"heartbeat_seconds": 0.0, **habits}))  # type: ignore[arg-type]
    made.register()
    return made, runs


# Few rows and many


def test_a_few_rows_are_done_when_it_is_begun(agent: Agent) -> None:
    bob = make_user("bob")
    ids = failed(agent, 3)
    running = tools.hand_in(agent, 1)
    action = bulk.begin(
        Actor.person(bob, "web ::1"), "retry", tasks(*ids, *running), reason="Quota was raised"
    )
    assert (action.state, action.total, action.done, action.skipped) == ("done", 4, 3, 1)
    assert bulk.sentence(action) == "3 retried, 1 skipped: already queued."
    (whole,) = AuditEntry.objects.filter(verb="bulk_retry")
    assert (whole.actor_name, whole.reason, whole.source, whole.after) == (
        "bob",
        "Quota was raised",
        "web ::1",
        {"rows": 4},
    )
    single = AuditEntry.objects.filter(verb="retry", object_type="task", reason="Quota was raised")
    assert sorted(int(entry.object_id) for entry in single) == ids
    assert LogEntry.objects.filter(user=bob, change_message="retry: Quota was raised").count() == 3


def test_many_rows_are_left_to_the_workers_piece_by_piece(agent: Agent) -> None:
    ids = failed(agent, bulk.AT_ONCE + bulk.PIECE + 1)
    action = bulk.begin(SYSTEM, "retry", tasks(*ids), selection="state=failed", reason="x")
    assert (action.state, action.done) == ("waiting", 0) and not Task.objects.exclude(
        status="failed"
    ).exists()
    for done in (bulk.PIECE, 2 * bulk.PIECE, len(ids)):
        assert bulk.step()
        action.refresh_from_db()
        assert action.done == done and bool(action.finished_at) == (done == len(ids))
    assert not bulk.step()
    assert not Task.objects.exclude(status="enqueued").exists()
    assert AuditEntry.objects.filter(verb="bulk_retry").count() == 1
    assert AuditEntry.objects.filter(verb="retry").count() == len(ids)


def test_rows_that_change_before_their_turn_are_skipped_and_the_rest_is_done(agent: Agent) -> None:
    ids = failed(agent, bulk.AT_ONCE + 50)
    action = bulk.begin(SYSTEM, "retry", tasks(*ids))
    operations.retry(SYSTEM, ids[:2])
    operations.cancel(SYSTEM, ids[:1])
    operations.retry(SYSTEM, ids[-1:])
    late = failed(agent, 1)
    bulk.run(action)
    action.refresh_from_db()
    assert (action.done, action.skipped, action.why) == (len(ids) - 2, 2, {"already queued": 2})
    assert bulk.sentence(action) == f"{len(ids) - 2} retried, 2 skipped: already queued."
    assert Task.objects.get(pk=late[0]).status == "failed", "what came after the confirmation is not meant"
    assert list(tasks(*ids).exclude(generation=2).values_list("generation", flat=True)) == [3]


def test_a_row_that_is_gone_is_told_of(agent: Agent) -> None:
    ids = failed(agent, bulk.AT_ONCE + 1)
    action = bulk.begin(SYSTEM, "retry", tasks(*ids))
    tasks(ids[5]).delete()
    bulk.run(action)
    action.refresh_from_db()
    assert action.why == {"no such task": 1} and action.state == "done"


# Crashes and company


def test_a_crash_in_a_piece_leaves_nothing_of_it_and_it_is_done_once_after_that(
    agent: Agent, monkeypatch
) -> None:
    ids = failed(agent, bulk.AT_ONCE + 1)
    action = bulk.begin(SYSTEM, "retry", tasks(*ids))
    note = bulk._note

    def dies(*args: object) -> None:
        raise OperationalError("the connection is gone")

    monkeypatch.setattr(bulk, "_note", dies)
    with pytest.raises(OperationalError):
        bulk.step()
    assert (
        not AuditEntry.objects.filter(verb="retry").exists()
        and not Task.objects.exclude(status="failed").exists()
    )
    monkeypatch.setattr(bulk, "_note", note)
    bulk.run(action)
    action.refresh_from_db()
    assert (action.state, action.done) == ("done", len(ids))
    assert AuditEntry.objects.filter(verb="retry").count() == len(ids)
    assert set(tasks(*ids).values_list("generation", flat=True)) == {2}


def test_several_workers_at_one_action_do_every_row_once(agent: Agent) -> None:
    from django.db import connection

    ids = failed(agent, 5 * bulk.PIECE)
    action = bulk.begin(SYSTEM, "retry", tasks(*ids))

    def work() -> None:
        try:
            while BulkAction.objects.filter(finished_at=None).exists():
                bulk.step()
        finally:
            connection.close()

    tools.together(work, work, work)
    action.refresh_from_db()
    assert (action.state, action.done, action.skipped) == ("done", len(ids), 0)
    assert AuditEntry.objects.filter(verb="retry").count() == len(ids)


def test_two_operators_at_once_hand_in_each_task_once(agent: Agent) -> None:
    from django.db import connection

    ids = failed(agent, 50)

    def begin() -> BulkAction:
        try:
            return bulk.begin(SYSTEM, "retry", tasks(*ids))
        finally:
            connection.close()

    actions = tools.together(begin, begin)
    assert sum(action.done for action in actions) == 50 and sum(action.skipped for action in actions) == 50
    assert {reason for action in actions for reason in action.why} == {"already queued"}
    assert set(tasks(*ids).values_list("generation", flat=True)) == {2}


def test_a_confirmation_that_is_sent_twice_acts_once(agent: Agent) -> None:
    from django.db import connection

    (task,) = failed(agent, 1)
    token = uuid4()

    def begin() -> BulkAction:
        try:
            return bulk.begin(SYSTEM, "reprocess", tasks(task), token=token)
        finally:
            connection.close()

    first, second = tools.together(begin, begin)
    assert first.pk == second.pk == begin().pk
    assert BulkAction.objects.count() == AuditEntry.objects.filter(verb="bulk_reprocess").count() == 1


def test_small_actions_do_not_wait_for_a_great_one(agent: Agent) -> None:
    great = bulk.begin(SYSTEM, "retry", tasks(*failed(agent, 4 * bulk.PIECE)))
    bulk.step()
    small = bulk.begin(
        SYSTEM, "reprioritise", tasks(*tools.hand_in(agent, bulk.AT_ONCE + 1)), parameters={"priority": 30}
    )
    while not BulkAction.objects.get(pk=small.pk).finished_at:
        bulk.step()
    assert not BulkAction.objects.get(pk=great.pk).finished_at


def test_what_goes_wrong_ends_the_action_with_a_sentence_and_nothing_else(agent: Agent, monkeypatch) -> None:
    ids = failed(agent, bulk.AT_ONCE + 1)
    action = bulk.begin(SYSTEM, "reprocess", tasks(*ids), parameters={"agent": "gone"})
    assert bulk.step() and not bulk.step()
    action.refresh_from_db()
    assert (action.state, action.error) == ("failed", "There is no agent gone any more.")

    def breaks(*args: object, **kwargs: object) -> None:
        raise KeyError("a fault of ours")

    broken = verbs.Verb("", "%(count)d retried", (Task,), breaks)  # type: ignore[arg-type]
    monkeypatch.setitem(verbs.VERBS, "retry", broken)
    action = bulk.begin(SYSTEM, "retry", tasks(*ids))
    assert bulk.step() and not bulk.step()
    action.refresh_from_db()
    assert action.state == "failed" and "a fault of ours" in action.error
    assert not Task.objects.exclude(status="failed").exists()


def test_a_verb_is_done_to_what_it_is_for_and_with_a_reason_where_one_is_needed(agent: Agent) -> None:
    with pytest.raises(ValueError, match="nothing that is done to client"):
        bulk.begin(SYSTEM, "retry", Client.objects.all())
    with pytest.raises(ValueError, match="nothing"):
        bulk.begin(SYSTEM, "drop", Task.objects.all())
    for verb, rows in (("release", Task.objects.all()), ("declare_ended", Attempt.objects.all())):
        with pytest.raises(operations.Refused, match="Say why"):
            bulk.begin(SYSTEM, verb, rows, reason=" ")
    assert not BulkAction.objects.exists()


# The worker's part


def test_a_worker_does_a_piece_between_two_claims(agent: Agent) -> None:
    waiting = tools.hand_in(agent, 2)
    ids = failed(agent, bulk.AT_ONCE + bulk.PIECE)
    action = bulk.begin(SYSTEM, "cancel", tasks(*ids))
    process, runs = worker(slots=1)
    assert process.tick()
    assert Task.objects.get(status="processing").pk == waiting[0] and len(runs.started) == 1
    action.refresh_from_db()
    assert action.skipped == bulk.PIECE
    process.tick()
    action.refresh_from_db()
    assert action.finished_at and action.why == {"already failed": len(ids)}


def test_a_drained_worker_takes_nothing_more_until_it_may_again(agent: Agent) -> None:
    first, second = tools.hand_in(agent, 2)
    process, runs = worker(slots=2)
    mine = Worker.objects.filter(pk=process.id)
    action = bulk.begin(SYSTEM, "drain", mine, reason="upgrade")
    process.tick()
    process.tick()
    assert runs.started == [] and Task.objects.get(pk=first).status == "enqueued"
    assert bulk.begin(SYSTEM, "drain", mine).why == {"already so": 1}
    bulk.undo(SYSTEM, action)
    process.tick()
    assert len(runs.started) == 2 and Task.objects.get(pk=second).status == "processing"
    assert list(
        AuditEntry.objects.filter(object_type="worker")
        .exclude(verb__startswith="bulk")
        .order_by("id")
        .values_list("verb", flat=True)
    ) == ["drain", "undrain"]


def test_what_is_drained_goes_on_with_what_it_runs(agent: Agent) -> None:
    tools.hand_in(agent, 1)
    process, runs = worker(slots=2)
    process.tick()
    bulk.begin(SYSTEM, "drain", Worker.objects.filter(pk=process.id))
    process.tick()
    assert len(process.held) == 1 and runs.stopped == []


def test_a_task_taken_from_its_worker_is_stopped_first_and_then_waits_again_unburnt(agent: Agent) -> None:
    (task,) = tools.hand_in(agent, 1)
    process, runs = worker(slots=1)
    process.tick()
    attempt = Task.objects.get(pk=task).current_attempt
    action = bulk.begin(SYSTEM, "release", tasks(task), reason="it hangs")
    assert bulk.sentence(action) == "1 being taken back." and Task.objects.get(pk=task).status == "processing"
    assert bulk.begin(SYSTEM, "release", tasks(task), reason="again").why == {"already being stopped": 1}
    process.drained, process._flags.at = True, 0.0
    process.habits = Habits(heartbeat_seconds=1e9)
    process._beat.at = 1e12
    process.tick()
    assert runs.stopped == [attempt]
    process.tick()
    row = Task.objects.get(pk=task)
    assert (row.status, row.attempts_burnt, row.attempts_released) == ("enqueued", 0, 1)
    assert Attempt.objects.get(pk=attempt).status == "released"
    assert bulk.begin(SYSTEM, "release", tasks(task), reason="x").why == {"not running": 1}
    assert tools.violations(queue.connection()) == []


# Verbs


def test_waiting_tasks_get_another_agent_in_their_order_and_nothing_else_moves(agent: Agent) -> None:
    other = make_agent("other")
    ids = tools.hand_in(agent, 3)
    (running,) = [row.task_id for row in tools.claim(1)]
    (ended,) = failed(agent, 1)
    action = bulk.begin(SYSTEM, "reassign", tasks(*ids, ended), parameters={"agent": "other"})
    assert action.why == {"running now": 1, "already failed": 1} and action.done == 2
    moved = tasks(*ids).exclude(pk=running).order_by("id")
    assert [(row.agent_id, row.agent_version_id) for row in moved] == [
        (other.pk, other.current_version_id)
    ] * 2
    assert [row.task_id for row in tools.claim(2)] == [row.pk for row in moved]
    assert bulk.begin(SYSTEM, "reassign", tasks(*ids), parameters={"agent": "other"}).done == 0


def test_tasks_given_to_a_fair_agent_take_their_turns_there(agent: Agent) -> None:
    fair = make_agent("fair", is_fair=True)
    mine = tools.hand_in(fair, 3)
    other = tools.hand_in(agent, 1, make_client("Elsewhere"))
    bulk.begin(SYSTEM, "reassign", tasks(*other), parameters={"agent": "fair"})
    order = in_line(fair)
    assert order.index(other[0]) < order.index(mine[2]), "its client has not had its turn yet"


def test_documents_are_read_again_by_another_agent(agent: Agent) -> None:
    make_agent("other")
    (task,) = failed(agent, 1)
    assert bulk.begin(SYSTEM, "reprocess", tasks(task), parameters={"agent": "other"}).done == 1
    assert Task.objects.get(pk=task).agent.name == "other"


def test_the_first_of_many_that_run_next_comes_first(agent: Agent) -> None:
    before = tools.hand_in(agent, 2)
    ids = tools.hand_in(agent, bulk.AT_ONCE + 50)
    bulk.run(bulk.begin(SYSTEM, "run_next", tasks(*ids)))
    assert in_line(agent) == ids + before


# Undo


def test_a_priority_is_taken_back_where_nobody_has_changed_it_since(agent: Agent) -> None:
    low, high, other = (
        tools.hand_in(agent, 1, priority=0) + tools.hand_in(agent, 1, priority=20) + tools.hand_in(agent, 1)
    )
    action = bulk.begin(
        SYSTEM, "reprioritise", tasks(low, high, other), parameters={"priority": 30}, reason="mistake"
    )
    operations.reprioritise(SYSTEM, [other], 0)
    undone = bulk.undo(SYSTEM, action, "was one")
    assert dict(Task.objects.values_list("pk", "priority")) == {low: 0, high: 20, other: 0}
    assert (undone.undoes, undone.done, undone.why) == (action, 2, {"changed since": 1})
    with pytest.raises(operations.Refused, match="cannot be undone"):
        bulk.undo(SYSTEM, action)


def test_limits_are_set_and_taken_back(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(max_tpm=100, max_concurrent_tasks=3)
    other = make_agent("other", max_tpm=7)
    rows = Agent.objects.filter(pk__in=(agent.pk, other.pk))
    action = bulk.begin(
        SYSTEM, "set_limits", rows, parameters={"limits": {"max_tpm": 50, "max_concurrent_tasks": None}}
    )
    assert set(rows.values_list("max_tpm", "max_concurrent_tasks")) == {(50, None)}
    entry = AuditEntry.objects.get(verb="set_limits", object_id=str(agent.pk))
    assert (entry.before, entry.after) == (
        {"max_tpm": 100, "max_concurrent_tasks": 3},
        {"max_tpm": 50, "max_concurrent_tasks": None},
    )
    Agent.objects.filter(pk=other.pk).update(max_tpm=9)
    undone = bulk.undo(SYSTEM, action)
    assert dict(rows.values_list("name", "max_tpm")) == {"reader": 100, "other": 9} and undone.why == {
        "changed since": 1
    }
    pool = Pool.objects.create(name="account")
    assert (
        bulk.begin(SYSTEM, "set_limits", Pool.objects.all(), parameters={"limits": {"max_tpm": 5}}).done == 1
    )
    pool.refresh_from_db()
    assert pool.max_tpm == 5


def test_pauses_are_taken_back(agent: Agent) -> None:
    for rows in (Agent.objects.filter(pk=agent.pk), Client.objects.all(), Switches.objects.all()):
        action = bulk.begin(SYSTEM, "pause", rows)
        assert rows.get().is_paused
        bulk.undo(SYSTEM, action)
        assert not rows.get().is_paused


def test_what_cannot_be_undone_says_so(agent: Agent) -> None:
    for action in (
        bulk.begin(SYSTEM, "cancel", tasks(*tools.hand_in(agent, 1))),
        bulk.begin(SYSTEM, "pause", Client.objects.none()),
    ):
        assert bulk.undo_of(action) is None
        with pytest.raises(operations.Refused):
            bulk.undo(SYSTEM, action)


# Its page


def test_its_page_tells_of_every_row_and_offers_the_way_back(agent: Agent, client: Browser) -> None:
    root = make_user("root", is_superuser=True)
    client.force_login(root)
    ids = tools.hand_in(agent, bulk.AT_ONCE + 1)
    action = bulk.begin(
        Actor.person(root),
        "reprioritise",
        tasks(*ids),
        parameters={"priority": 30},
        selection="state=enqueued",
        reason="<b>now</b>",
    )
    page = reverse("bulk_action", args=(action.pk,))
    waiting = client.get(page).content.decode()
    assert (
        "0 changed." in waiting
        and f"{len(ids)} to go" in waiting
        and "none is alive" in waiting
        and "Undo<" not in waiting
    )
    assert "&lt;b&gt;now" in waiting and "state=enqueued" in waiting
    assert f'href="{reverse("operations")}"' in waiting.split("<main")[1], "the way back"
    operations.cancel(SYSTEM, ids[:1])
    bulk.run(action)
    done = client.get(page).content.decode()
    assert f"{len(ids) - 1} changed, 1 skipped: already cancelled." in done and "Undo<" in done
    lines = (
        b"".join(client.get(reverse("bulk_action_csv", args=(action.pk,))).streaming_content)
        .decode()
        .splitlines()
    )
    assert len(lines) == len(ids) + 1 and f"{ids[0]},0,already cancelled" in lines
    undone = client.post(reverse("bulk_action_undo", args=(action.pk,)), {"reason": "sorry"}, follow=True)
    assert BulkAction.objects.get(undoes=action).reason == "sorry" and "undoes no." in undone.content.decode()
    assert "undoes no." in client.get(reverse("bulk_actions")).content.decode()


def test_reasons_are_told_in_the_readers_language(agent: Agent) -> None:
    from django.utils.translation import override

    (task,) = tools.hand_in(agent, 1)
    with override("de"):
        action = bulk.begin(SYSTEM, "retry", tasks(task))
        assert action.why == {"already queued": 1}
        german = bulk.sentence(action)
    assert german != bulk.sentence(action) and "queued" not in german
