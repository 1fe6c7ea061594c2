"""Whatever people, workers, sweepers and attempts do in whatever order: after every step all invariants hold, and in the end all is done."""

from __future__ import annotations

import random
from contextlib import ExitStack
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db.models import F
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tasks import claims, events, operations, queue
from tasks.agent.contract import Code, Progress, Usage
from tasks.events import News
from tasks.models import Agent, Attempt, Client, Pool, Task
from tasks.outcomes import Answer, Word
from tasks.states import LIVE, TERMINAL, AttemptStatus, TaskStatus
from tests import queue_tools as tools
from tests.factories import make_agent, make_client

WORKERS = 3
COST = Decimal("0.25")
USAGE = Usage(calls=1, model="m", input_tokens=100, output_tokens=10, cost_usd=COST)
NUMBERS = st.integers(0, 999)
LIMITS = st.sampled_from([None, 1, 2, 5])
ENDS = st.sampled_from(
    [
        (Code.UPSTREAM, True), (Code.CORRUPT, False), (Code.RATE_LIMITED, True), (Code.TIMEOUT, True), (Code.CANCELLED, True),
        (Code.RELEASED, True),
    ]
)  # fmt: skip


class Queue(RuleBasedStateMachine):
    """Four agents with different limits (two of them share a pool), two clients, three workers on connections of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.open = ExitStack()
        self.sessions = [self.open.enter_context(tools.session()) for _ in range(WORKERS)]
        self.db = queue.connection()
        self.clock = tools.Clock(self.db, *self.sessions)
        pool = Pool.objects.create(name=f"pool {random.random()}", max_concurrent_tasks=3)
        self.agents = [
            make_agent(),
            make_agent(max_concurrent_tasks=2, max_attempts=2),
            make_agent(max_tpm=1000, pool=pool),
            make_agent(pool=pool, is_fair=True, max_attempts=1),
        ]
        for agent in self.agents:
            agent.current_version.tokens_per_document = 400
            agent.current_version.save()
        self.pool, self.clients = pool, [make_client(), make_client(tier="premium")]
        self.workers = [tools.new_worker() for _ in range(WORKERS)]
        self.tasks: list[int] = []
        self.taken: list[Any] = []  # rows of claims: every attempt there ever was
        self.swept: list[tuple[UUID, int, UUID]] = []  # (sweeper, task, attempt): taken over, not yet decided
        self.spoke: set[UUID] = set()

    def pick(self, things: list, number: int) -> Any:
        return things[number % len(things)]

    def attempt(self, number: int) -> Any:
        """One that lives, if the number is even and there is one; else any that there ever was."""
        live = (
            set(Attempt.objects.filter(finished_at=None).values_list("pk", flat=True))
            if number % 2 == 0
            else set()
        )
        return self.pick([row for row in self.taken if row.attempt_id in live] or self.taken, number // 2)

    def rows(self, table: str) -> dict:
        return {row[0]: row for row in self.db.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()}

    @initialize(agents=st.lists(NUMBERS, min_size=2, max_size=4), worker=NUMBERS)
    def there_is_work(self, agents, worker):
        for agent in agents:
            self.submit(agent, agent // 7, 3, None, locked=True)
        self.claim(worker, 4)

    # People

    @rule(
        agent=NUMBERS,
        client=NUMBERS,
        count=st.integers(1, 4),
        priority=st.sampled_from([None, 0, 30]),
        locked=st.booleans(),
    )
    def submit(self, agent, client, count, priority, locked):
        self.tasks += tools.hand_in(
            self.pick(self.agents, agent), count, self.pick(self.clients, client), priority=priority, password="pw" if locked else ""
        )  # fmt: skip

    @precondition(lambda self: self.tasks)
    @rule(
        verb=st.sampled_from(["cancel", "retry", "reprocess", "run_next"]),
        numbers=st.lists(NUMBERS, min_size=1, max_size=4),
    )
    def operate(self, verb, numbers):
        wanted = list(dict.fromkeys(self.pick(self.tasks, number) for number in numbers))
        outcome = getattr(operations, verb)(tools.SYSTEM, wanted)
        assert set(outcome.done) | set(outcome.skipped) == set(wanted)
        assert set(outcome.done).isdisjoint(outcome.skipped)

    @precondition(lambda self: self.tasks)
    @rule(number=NUMBERS, agent=NUMBERS)
    def reprocess_by_another_agent(self, number, agent):
        operations.reprocess(
            tools.SYSTEM,
            [self.pick(self.tasks, number)],
            agent=Agent.objects.get(pk=self.pick(self.agents, agent).pk),
        )

    @precondition(lambda self: self.tasks)
    @rule(number=NUMBERS, priority=st.sampled_from([0, 10, 20, 30]))
    def reprioritise(self, number, priority):
        operations.reprioritise(tools.SYSTEM, [self.pick(self.tasks, number)], priority)

    @rule(number=NUMBERS, paused=st.booleans(), kind=st.sampled_from(["agent", "client", "everything"]))
    def pause_or_resume(self, number, paused, kind):
        target = {
            "agent": self.pick(self.agents, number),
            "client": self.pick(self.clients, number),
            "everything": None,
        }[kind]
        (operations.pause if paused else operations.resume)(tools.SYSTEM, target)

    @rule(
        number=NUMBERS,
        concurrent=LIMITS,
        tpm=st.sampled_from([None, 300, 500, 1000, 5000]),
        of_pool=st.booleans(),
    )
    def change_limits(self, number, concurrent, tpm, of_pool):
        row = (
            Pool.objects.filter(pk=self.pool.pk)
            if of_pool
            else Agent.objects.filter(pk=self.pick(self.agents, number).pk)
        )
        row.update(max_concurrent_tasks=concurrent, max_tpm=tpm)

    @precondition(lambda self: self.taken)
    @rule(number=NUMBERS)
    def declare_ended(self, number):
        row = self.attempt(number)
        operations.declare_ended(tools.SYSTEM, [row.attempt_id], "seen by a person")
        assert Attempt.objects.get(pk=row.attempt_id).ended_at

    # Workers

    @rule(number=NUMBERS, slots=st.integers(1, 4))
    def claim(self, number, slots):
        worker, session = self.pick(self.workers, number), self.pick(self.sessions, number)
        queue.promote_due(session)
        rows = claims.claim(session, claims.Terms(worker, tools.LEASE), ["local"], slots).rows
        assert len(rows) <= slots
        assert not {row.attempt_id for row in rows} & {row.attempt_id for row in self.taken}
        self.taken += rows
        self.limits_hold({row.agent_id for row in rows})

    def limits_hold(self, agents: set[int]) -> None:
        """At the commit of a claim nothing is above the limits in its row (I2)."""
        for agent in Agent.objects.filter(pk__in=agents).select_related("pool"):
            assert not agent.is_paused
            for holder, column in ((agent, "agent_id"), (agent.pool, "pool_id")):
                if holder is None:
                    continue
                running, holding, tpm = self.db.execute(
                    "SELECT count(*) FILTER (WHERE ended_at IS NULL), count(*), coalesce(sum(reserved_tpm), 0) FROM task_attempts"
                    f" WHERE {column} = %s AND rate_held_until > agentaudit_now()",
                    (holder.pk,),
                ).fetchone()
                assert holder.max_concurrent_tasks is None or running <= holder.max_concurrent_tasks
                assert holder.max_tpm is None or tpm <= holder.max_tpm or holding == 1

    @precondition(lambda self: self.taken)
    @rule(numbers=st.lists(NUMBERS, min_size=1, max_size=3), by=NUMBERS)
    def renew(self, numbers, by):
        """By whoever: only a lease that this worker holds and that has not expired is extended (I8)."""
        worker = self.pick(self.workers, by)
        held = [(row.task_id, row.attempt_id) for row in map(self.attempt, numbers)]
        now = self.db.execute("SELECT agentaudit_now()").fetchone()[0]
        mine = set(
            Task.objects.filter(lease_owner=worker, lease_expires_at__gt=now, status="processing",
                                current_attempt__in=[attempt for _task, attempt in held]).values_list("pk", flat=True)
        )  # fmt: skip
        before = self.rows("tasks")
        kept = {row.task_id for row in queue.renew(self.pick(self.sessions, by), worker, held, tools.LEASE)}
        assert kept == mine
        after = self.rows("tasks")
        assert {task for task in after if before[task] != after[task]} <= mine

    @precondition(lambda self: self.taken)
    @rule(numbers=st.lists(NUMBERS, min_size=1, max_size=4), pages=st.integers(0, 9))
    def progress(self, numbers, pages):
        before = self.rows("tasks")
        rows = [self.attempt(number) for number in numbers]
        events.progress(
            self.db, [Progress(attempt=row.attempt_id, pages_done=pages, pages_total=9) for row in rows]
        )
        queue.mark_running(self.db, [(row.attempt_id, "run", "") for row in rows])
        assert self.rows("tasks") == before

    # Attempts

    def apply(self, session: Any, batch: list[News]) -> None:
        before = {
            task.pk: task for task in Task.objects.filter(attempts__in=[news.attempt for news in batch])
        }
        words = events.apply(session, batch)
        after = {task.pk: task for task in Task.objects.filter(pk__in=before)}
        moved = {pk for pk in before if before[pk].status != after[pk].status}
        if len(batch) == 1 and batch[0].event is not None:
            assert (words[batch[0].attempt] == Word.APPLIED) == bool(moved)
        for pk in moved:
            assert before[pk].status != TaskStatus.CANCELLED
        self.spoke |= {news.attempt for news in batch if news.event is not None}

    @precondition(lambda self: self.taken)
    @rule(number=NUMBERS, by=NUMBERS, ended=st.booleans())
    def complete(self, number, by, ended):
        row = self.attempt(number)
        self.apply(self.pick(self.sessions, by), [tools.completed(row.attempt_id, ended=ended, usage=USAGE)])

    @precondition(lambda self: self.taken)
    @rule(number=NUMBERS, by=NUMBERS, ended=st.booleans(), end=ENDS)
    def fail(self, number, by, ended, end):
        row = self.attempt(number)
        code, retryable = end
        news = tools.failed(row.attempt_id, code, retryable=retryable, ended=ended, usage=USAGE)
        self.apply(self.pick(self.sessions, by), [news])

    @precondition(lambda self: self.taken)
    @rule(number=NUMBERS, by=NUMBERS)
    def complete_late(self, number, by):
        """An attempt that was given up comes with a result after all."""
        given_up = (
            Attempt.objects.exclude(finished_at=None)
            .exclude(status="completed")
            .order_by("claimed_at", "number")
        )
        late = list(given_up.filter(generation=F("task__generation")).values_list("pk", flat=True))
        if late:
            self.apply(
                self.pick(self.sessions, by),
                [tools.completed(self.pick(late, number), ended=False, usage=USAGE)],
            )

    @precondition(lambda self: self.taken)
    @rule(
        numbers=st.lists(NUMBERS, min_size=2, max_size=5),
        by=NUMBERS,
        good=st.lists(st.booleans(), min_size=5, max_size=5),
    )
    def settle_a_batch(self, numbers, by, good):
        attempts = [self.attempt(number).attempt_id for number in numbers]
        batch = [
            tools.completed(attempt, usage=USAGE) if fine else tools.failed(attempt, usage=USAGE)
            for attempt, fine in zip(attempts, good, strict=False)
        ]
        self.apply(self.pick(self.sessions, by), batch)

    @precondition(lambda self: self.taken)
    @rule(number=NUMBERS)
    def only_its_end(self, number):
        row = self.attempt(number)
        live = Attempt.objects.get(pk=row.attempt_id).status in LIVE
        if not live:  # whoever learns the end of a living attempt also learns how it ended
            events.apply(self.db, [News(row.attempt_id, answer=Answer(None, True), ended=True)])

    # Time and sweepers

    @rule(seconds=st.sampled_from([5, 61, 700, 2000]))
    def time_passes(self, seconds):
        self.clock.forward(seconds)
        for worker, session in zip(self.workers, self.sessions, strict=True):
            queue.renew(session, worker, [], tools.LEASE)  # they live: only their leases are forgotten

    @rule(by=NUMBERS)
    def take_over(self, by):
        session, sweeper = self.pick(self.sessions, by), self.pick(self.workers, by)
        expired = set(
            Task.objects.filter(status="processing", lease_expires_at__lte=self.now()).values_list(
                "pk", flat=True
            )
        )
        rows = queue.take_over_expired(
            session, sweeper=sweeper, lease_seconds=tools.LEASE, most=100, executors=["local"]
        )
        assert {row.task_id for row in rows} == expired
        self.swept += [(sweeper, row.task_id, row.attempt_id) for row in rows]

    @precondition(lambda self: self.taken)
    @rule(by=NUMBERS, second_adopts=st.booleans())
    def sweep_too_slowly(self, by, second_adopts):
        """A sweeper whose own lease has expired by the time it has its answer; another one has taken over meanwhile."""
        self.time_passes(61)
        self.take_over(by)
        late, self.swept = self.swept, []
        self.time_passes(61)
        self.take_over(by + 1)
        if second_adopts and self.swept:
            self.finish_sweeping(0, adopt=True)
        on_time, self.swept = self.swept, late
        while self.swept:
            self.finish_sweeping(0, adopt=False)
        self.swept = on_time

    def now(self):
        return self.db.execute("SELECT agentaudit_now()").fetchone()[0]

    @precondition(lambda self: self.swept)
    @rule(number=NUMBERS, adopt=st.booleans())
    def finish_sweeping(self, number, adopt):
        """However long after it was taken over: a sweeper that has lost the lease moves no task (I8)."""
        sweeper, task, attempt = self.swept.pop(number % len(self.swept))
        before = Task.objects.get(pk=task)
        holds = before.lease_owner == sweeper and before.current_attempt == attempt
        if adopt:
            kept = queue.adopt(
                self.db, task=task, attempt=attempt, sweeper=sweeper, run_id="run", lease_seconds=tools.LEASE
            )
            assert kept == (holds and before.status == TaskStatus.PROCESSING)
        else:
            lost = Answer(AttemptStatus.LOST, False, Code.LOST, "", True, holder=sweeper)
            events.apply(self.db, [News(attempt, answer=lost)])
        if not holds:
            assert self.rows("tasks")[task] == self.row_of(before)

    def row_of(self, task: Task) -> tuple:
        fields = [field.attname for field in Task._meta.concrete_fields]
        names = [column.name for column in self.db.execute("SELECT * FROM tasks LIMIT 0").description]
        values = {field: getattr(task, field) for field in fields}
        return tuple(values[name] for name in names)

    @rule()
    def flag_overdue(self):
        queue.flag_overdue(self.db, 100)

    @rule()
    def age(self):
        for level in queue.aged_levels(self.db, 600):
            queue.raise_head(self.db, level.task_id)

    # What always holds

    @invariant()
    def every_invariant_holds(self):
        assert tools.violations(self.db) == []

    @invariant()
    def costs_are_counted_once(self):
        for attempt, usd, settled in self.db.execute(
            "SELECT id, cost_usd, settled_at IS NOT NULL FROM task_attempts"
        ).fetchall():
            assert (usd, settled) == ((COST, True) if attempt in self.spoke else (None, False))

    def teardown(self):
        """Nothing is lost (I3): with one worker that works, every task comes to its end, and every attempt to a confirmed one."""
        try:
            operations.resume(tools.SYSTEM, None)
            Agent.objects.update(is_paused=False)
            Client.objects.update(is_paused=False)
            for _ in range(60):
                if not self.work_on():
                    break
            assert not Task.objects.exclude(status__in=TERMINAL).exists()
            assert not Attempt.objects.filter(ended_at=None).exists()
            assert tools.violations(self.db) == []
        finally:
            self.open.close()
            self.clock.end()
            self.clear()

    def work_on(self) -> bool:
        self.clock.forward(1000)
        queue.promote_due(self.db)
        sweeper = self.workers[0]
        for row in queue.take_over_expired(
            self.db, sweeper=sweeper, lease_seconds=tools.LEASE, most=1000, executors=["local"]
        ):
            events.apply(
                self.db,
                [
                    News(
                        row.attempt_id,
                        answer=Answer(AttemptStatus.LOST, True, Code.LOST, "", True),
                        ended=True,
                    )
                ],
            )
        flagged = Attempt.objects.filter(ended_at=None, stop_requested_at__isnull=False).values_list(
            "pk", flat=True
        )
        stopped = Answer(AttemptStatus.CANCELLED, True, Code.CANCELLED, "", True)
        events.apply(self.db, [News(attempt, answer=stopped, ended=True) for attempt in flagged])
        rows = claims.claim(self.db, claims.Terms(sweeper, tools.LEASE), ["local"], 20).rows
        events.apply(self.db, [tools.completed(row.attempt_id, usage=USAGE) for row in rows])
        return Task.objects.exclude(status__in=TERMINAL).exists()

    def clear(self) -> None:
        for table in ("task_attempts", "tasks", "lanes", "extractions", "documents", "workers"):
            self.db.execute(f"DELETE FROM {table}")
        self.db.execute("UPDATE agents SET current_version_id = NULL")
        self.db.execute("DELETE FROM agent_versions")
        self.db.execute("DELETE FROM agents")
        self.db.execute("DELETE FROM pools")
        self.db.execute("DELETE FROM clients")


def fuzz(examples: int, steps: int) -> None:
    """A failure prints what to paste into `@reproduce_failure`, and is tried first the next time."""
    profile = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, print_blob=True,
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    )  # fmt: skip
    run_state_machine_as_test(Queue, settings=profile)


@pytest.fixture(params=[0.0, float("inf")], ids=["every look is slow", "no look is slow"])
def same_again(request, monkeypatch):
    """Nothing but the drawn steps decides, so that a failing sequence fails again: not how long a look takes, nor ids but those that
    come from the generator that hypothesis seeds."""
    monkeypatch.setattr(claims, "SLOW_SECONDS", request.param)
    monkeypatch.setattr(claims, "uuid4", lambda: UUID(int=random.getrandbits(128), version=4))


@pytest.mark.timeout(900)  # a failure is first made small
def test_every_invariant_holds_after_every_step(transactional_db, same_again):
    fuzz(examples=15, steps=30)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_invariant_holds_after_every_step_of_long_sequences(transactional_db, same_again):
    fuzz(examples=75, steps=80)
