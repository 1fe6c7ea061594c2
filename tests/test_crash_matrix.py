"""A worker may die before and after every statement and every effect: afterwards no task is lost, none was started twice, each cost counts once.

All cases run at once in the beginning, several at a time, each in a database of its own; the tests look at what became of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg.rows import dict_row, namedtuple_row
from psycopg.types.json import Jsonb

from tests.attempts import alive
from tests.commands import ROOT, wait_until
from tests.process_tools import Forker, Wanted, copied_database, kill
from tests.standin.cloud import COST, Cloud

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

TASKS, LIMIT, LEASE = 4, 2, 1.0
AT_ONCE = 4
PATIENCE = 150.0
ELSEWHERE = {"callback", "erase", "prune"}
"""Points of processes that are no workers; they have tests of their own."""

SHORT, LONG = 0.3, 3.0
STILL_RUNNING = {"stop:asked", "sweep:adopted", "confirm:stopped"}
"""Points that are only reached while runs live longer than a lease."""

# point → (what happens before the worker that is to die, the hits at which it dies, and with which executors)
BOTH, REMOTE = ("local", "standin"), ("standin",)
MATRIX: dict[str, tuple[str, tuple[int, ...], tuple[str, ...]]] = {
    "claim:before": ("work", (1, 2), BOTH),
    "claim:promoted": ("work", (1, 2), BOTH),
    "claim:locked": ("work", (1, 2), BOTH),
    "claim:blocked": ("a small budget", (1,), BOTH),
    "claim:taken": ("work", (1, 2), BOTH),
    "claim:committed": ("work", (1, 2), BOTH),
    "start:before": ("work", (1, 2), BOTH),
    "start:asked": ("work", (1, 2), BOTH),
    "start:unsure": ("lost answers", (1,), REMOTE),
    "start:storing": ("work", (1, 2), BOTH),
    "start:stored": ("work", (1, 2), BOTH),
    "start:named": ("work", (1, 2), REMOTE),
    "stop:asked": ("a cancel", (1,), BOTH),
    "renew:before": ("work", (2, 3), BOTH),
    "renew:committed": ("work", (2, 3), BOTH),
    "renew:extended": ("work", (2, 3), BOTH),
    "settle:before": ("work", (1, 2), BOTH),
    "settle:cooled": ("a limited provider", (1,), REMOTE),
    "settle:locked": ("work", (1, 2), BOTH),
    "settle:written": ("work", (1, 2), BOTH),
    "settle:committed": ("work", (1, 2), BOTH),
    "sweep:before": ("a death", (1, 8), BOTH),
    "sweep:overdue": ("a death", (1, 8), BOTH),
    "sweep:taken": ("a death", (1, 8), BOTH),
    "sweep:asked": ("a death", (1,), BOTH),
    "sweep:submitting": ("a death with its question", (1,), REMOTE),
    "sweep:submitted": ("a death with its question", (1,), REMOTE),
    "sweep:stored": ("a death with its question", (1,), REMOTE),
    "sweep:adopted": ("a death", (1, 2), REMOTE),
    "sweep:settled": ("a death after a cancel", (1,), BOTH),
    "sweep:recorded": ("a death after a cancel", (1,), BOTH),
    "sweep:done": ("a death", (1, 8), BOTH),
    "confirm:taken": ("a death after a cancel", (1,), BOTH),
    "confirm:stopped": ("a death after a cancel", (1,), REMOTE),
}
CASES = [
    (point, hit, executor)
    for point, (_before, hits, executors) in MATRIX.items()
    for hit in hits
    for executor in executors
]


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What there is after a worker died at a point and another one did the rest."""

    tasks: list[dict[str, Any]]
    attempts: list[dict[str, Any]]
    runs_by_task: dict[int, int]
    overlaps: list[str]
    most_at_once: int


class Scene:
    """One case: its database, its folder, its service."""

    def __init__(
        self, db: psycopg.Connection, folder: Path, executor: str, seconds: float, forker: Forker
    ) -> None:
        self.db, self.folder, self.executor, self.forker = db, folder, executor, forker
        self.cloud = Cloud(folder / "cloud.sqlite")
        options = {"seconds": seconds, "ledger": str(folder / "ledger")}
        db.execute("UPDATE agent_versions SET options = %s WHERE program LIKE 'tests.%%'", [Jsonb(options)])
        db.execute("UPDATE agents SET executor = %s WHERE current_version_id IN (SELECT id FROM agent_versions WHERE program LIKE 'tests.%%')", [executor])  # fmt: skip

    def worker(self, point: str = "", hit: int = 1) -> int:
        name = self.db.info.dbname
        return self.forker.begin(Wanted(name, self.folder, LEASE, self.executor == "local", point, hit))

    def dies(self, point: str, hit: int = 1) -> None:
        """A worker works until it dies at this point."""
        pid = self.worker(point, hit)
        note = self.folder / "fired"
        wait_until(lambda: not alive(pid), PATIENCE, f"a worker's death at {point}")
        assert note.exists() and note.read_text() == point, (self.folder / "worker.log").read_text()
        note.unlink()

    def one(self, question: str) -> Any:
        return self.db.execute(question).fetchone()[0]

    def cancel(self) -> None:
        """As `operations.cancel` does, a while ago, of everything that runs."""
        self.db.execute("UPDATE tasks SET cancel_requested_at = now() WHERE status = 'processing'")
        self.db.execute("UPDATE task_attempts SET stop_requested_at = now() - interval '1 hour', stop_reason = 'cancelled' WHERE ended_at IS NULL")  # fmt: skip

    def prepare(self, before: str) -> None:
        if before == "a small budget":
            self.db.execute(
                "UPDATE agents SET max_concurrent_tasks = NULL, max_tpm = 2 WHERE max_concurrent_tasks IS NOT NULL"
            )
        elif before == "lost answers":
            self.cloud.set(lose_answers=2)
        elif before == "a limited provider":
            self.cloud.set(limit=1)
        elif before == "a death":
            self.dies("start:stored")
        elif before == "a death after a cancel":
            self.dies("start:stored")
            self.cancel()
        elif before == "a death with its question":
            self.cloud.set(lose_requests=2)
            self.dies("start:unsure")

    def run(self, point: str, hit: int) -> Aftermath:
        before = MATRIX[point][0]
        self.prepare(before)
        if before == "a cancel":
            pid = self.worker(point, hit)
            wait_until(
                lambda: self.one("SELECT count(*) FROM task_attempts WHERE status = 'running'"), PATIENCE
            )
            # More than once: a run that had just ended is not stopped any more
            wait_until(lambda: self.cancel() or not alive(pid), PATIENCE, f"a worker's death at {point}")
        else:
            self.dies(point, hit)
        self.db.execute(
            "UPDATE agents SET max_concurrent_tasks = %s, max_tpm = NULL WHERE max_tpm IS NOT NULL", [LIMIT]
        )
        healthy = self.worker()
        unfinished = "SELECT (SELECT count(*) FROM tasks WHERE finished_at IS NULL) + (SELECT count(*) FROM task_attempts WHERE ended_at IS NULL)"
        wait_until(lambda: self.one(unfinished) == 0, PATIENCE, f"the end of everything after {point}")
        kill(healthy)
        return self.look()

    def look(self) -> Aftermath:
        with self.db.cursor(row_factory=dict_row) as cursor:
            tasks = cursor.execute("SELECT * FROM tasks ORDER BY id").fetchall()
            attempts = cursor.execute("SELECT * FROM task_attempts ORDER BY task_id, number").fetchall()
        runs_by_task: dict[int, int] = defaultdict(int)
        for run in self.cloud.runs():
            runs_by_task[run.task] += 1
        return Aftermath(
            tasks, attempts, dict(runs_by_task), overlaps(self.folder / "ledger"), self.most_at_once()
        )

    def most_at_once(self) -> int:
        """The most attempts that ever counted against the agent's limit at a time."""
        return self.db.cursor(row_factory=namedtuple_row).execute(
            "SELECT max((SELECT count(*) FROM task_attempts b WHERE b.claimed_at <= a.claimed_at AND b.ended_at > a.claimed_at)) AS most FROM task_attempts a"
        ).fetchone().most  # fmt: skip


def overlaps(ledger: Path) -> list[str]:
    """What a ledger of local attempts shows that must not be: an attempt that began twice, two of a task that lived at once."""
    lived: dict[tuple[str, str], list[float]] = {}
    wrong = []
    for line in ledger.read_text().splitlines() if ledger.exists() else ():
        attempt, task, moment, what = line.split()
        if what == "begins" and (task, attempt) in lived:
            wrong.append(f"attempt {attempt} began twice")
        lived.setdefault((task, attempt), []).append(float(moment))
    for (task, attempt), moments in lived.items():
        for (other_task, other), others in lived.items():
            if task == other_task and attempt < other and moments[0] < others[-1] and others[0] < moments[-1]:
                wrong.append(f"attempts {attempt} and {other} of task {task} lived at once")
    return wrong


@pytest.fixture(scope="module")
def template(django_db_setup: Any, django_db_blocker: Any):
    """A database with one agent, which may run two at once, and tasks that wait."""
    from tasks import operations
    from tasks.audit import Actor
    from tests.factories import make_agent, make_client, make_document

    name = f"{connection.settings_dict['NAME']}_crash"
    with django_db_blocker.unblock():
        original = connection.settings_dict["NAME"]
        connection.close()
        with copied_database(original, name) as own:
            own.close()
            connection.settings_dict["NAME"] = name
            try:
                agent = make_agent(
                    program="tests.standin.programs:completes", max_attempts=10, max_concurrent_tasks=LIMIT
                )
                client = make_client()
                documents = [operations.Handed(make_document(client)) for _ in range(TASKS)]
                operations.submit(Actor.system("test"), client=client, agent=agent, documents=documents)
            finally:
                connection.close()
                connection.settings_dict["NAME"] = original
            yield name


@pytest.fixture(scope="module")
def aftermaths(
    request: pytest.FixtureRequest,
    template: str,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_blocker: Any,
):
    """What became of every case, as soon as it is known."""
    forker = Forker()
    wanted = [
        item.callspec.params["aftermath"]
        for item in request.session.items
        if "aftermath" in getattr(item, "fixturenames", ())
    ]

    def play(number: int, point: str, hit: int, executor: str) -> Aftermath:
        folder = tmp_path_factory.mktemp("case")
        with copied_database(template, f"{template}_{number}") as db:
            return Scene(db, folder, executor, LONG if point in STILL_RUNNING else SHORT, forker).run(
                point, hit
            )

    with django_db_blocker.unblock(), ThreadPoolExecutor(AT_ONCE) as pool:
        futures: dict[tuple[str, int, str], Future[Aftermath]] = {
            case: pool.submit(play, number, *case) for number, case in enumerate(wanted)
        }
        yield futures
        for future in futures.values():
            future.cancel()
    forker.close()


@pytest.fixture
def aftermath(request: pytest.FixtureRequest, aftermaths) -> Aftermath:
    return aftermaths[request.param].result(timeout=540)


def test_every_fault_point_of_a_worker_is_in_the_matrix():
    named = {
        point
        for path in (ROOT / "tasks").rglob("*.py")
        for point in re.findall(r'faults\.point\("([^"]+)"\)', path.read_text())
    }
    assert {point for point in named if point.partition(":")[0] not in ELSEWHERE} == set(MATRIX)


@pytest.mark.parametrize("aftermath", CASES, indirect=True, ids=lambda case: " ".join(map(str, case)))
def test_after_a_death_everything_ends_once(aftermath: Aftermath) -> None:
    assert len(aftermath.tasks) == TASKS
    assert aftermath.most_at_once <= LIMIT
    assert aftermath.overlaps == []
    turned_away = [attempt for attempt in aftermath.attempts if attempt["error_code"] == "rate_limited"]
    assert sum(aftermath.runs_by_task.values()) in (0, TASKS + len(turned_away)), (
        "a task was run, and billed, twice"
    )
    by_task: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for attempt in aftermath.attempts:
        by_task[attempt["task_id"]].append(attempt)
    for task in aftermath.tasks:
        assert task["status"] in ("completed", "cancelled")
        attempts = by_task[task["id"]]
        won = [attempt for attempt in attempts if attempt["status"] == "completed"]
        assert [attempt["id"] for attempt in won] == [task["result_attempt"]] * (
            task["status"] == "completed"
        )
        assert all(attempt["cost_usd"] == COST and attempt["settled_at"] for attempt in won)
        assert task["attempts_made"] == len(attempts)
        burnt = [
            attempt
            for attempt in attempts
            if attempt["status"] in ("failed", "lost", "timeout") and attempt["error_code"] != "rate_limited"
        ]
        # One that was given up and then gave its result after all has both
        assert len(burnt) <= task["attempts_burnt"] <= len(burnt) + len(won)
