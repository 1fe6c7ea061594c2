"""Agents that keep checkpoints: what a killed attempt has paid for is not paid again, only the latest attempt writes to a thread, and passwords may change meanwhile."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.core.management import CommandError, call_command
from psycopg import errors

from tasks.agent.checkpointed import fence
from tasks.agent.checkpointed.thread import TAKEN, UNSET, Thread, credentials_of
from tasks.agent.contract import Checkpoints, Code, Completed, Failed
from tasks.models import Attempt, Task
from tests import queue_tools as tools
from tests.factories import make_agent
from tests.fakes.openai import KEY, MODEL, Asked, ModelServer, Refused, Reply
from tests.lakebase_tools import Postgres, own_postgres
from tests.llm_tools import SCHEMA, bill, failure, honest, in_turn, record, total_of
from tests.pdfs import order_for, outcome_of
from tests.test_llm_kept import clock, hand_in, work_until, working  # noqa: F401 - a fixture among them
from tests.test_llm_orders import order_of

pytestmark = pytest.mark.slow

GRAPH, CONVERSATION = "tasks.agent.checkpointed.graph:read", "tasks.agent.checkpointed.conversation:read"
ROLE = "agentaudit_checkpoints"
BOTH = pytest.mark.parametrize("program", [GRAPH, CONVERSATION])
ROOT = Path(__file__).resolve().parent.parent
ASKED_FIVE = [[1, 2], [2, 3], [3, 4], [4, 5]]


class Place:
    """A server that asks for passwords, with the role and the schema that docs/agents.md tells to make."""

    def __init__(self, server: Postgres, folder: Path):
        self.server, self.file = server, folder / "password"
        self.database = f"host={server.host} port={server.parameters['port']} dbname=postgres user={ROLE}"
        (made,) = re.findall(r"```sql\n(CREATE ROLE .*?)```", (ROOT / "docs" / "agents.md").read_text(), re.S)
        with self.superuser() as db:
            db.execute(made)
            db.execute("CREATE TABLE public.of_the_product (id int)")
        self.rotate("first")

    def superuser(self) -> psycopg.Connection:
        return self.server.superuser(dbname="postgres")

    def rotate(self, password: str) -> None:
        """From now on only this password is taken, and sessions that began with another one are ended."""
        self.server.set_password(password, ROLE)
        self.file.write_text(password + "\n")
        with self.superuser() as db:
            db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (ROLE,))

    @property
    def checkpoints(self) -> Checkpoints:
        return Checkpoints(url=self.database, password_file=str(self.file))

    def count(self, table: str, thread: str) -> int:
        with self.superuser() as db:
            found = db.execute(
                f"SELECT count(*) FROM checkpoints.{table} WHERE {fence.THREAD_OF[table]} = %s", (thread,)
            ).fetchone()
        assert found is not None
        return int(found[0])


@pytest.fixture(scope="module")
def unprepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with own_postgres() as server:
        yield Place(server, tmp_path_factory.mktemp("secrets"))


@pytest.fixture(scope="module")
def place(unprepared: Place) -> Place:
    fence.prepare(credentials_of(unprepared.checkpoints))
    return unprepared


def try_(
    there: ModelServer, path: Path, place: Place, program: str, task: int, number: int
) -> Completed | Failed:
    who = {"task": task, "number": number, "attempt": UUID(int=task * 100 + number)}
    return attempt(there, path, program, checkpoints=place.checkpoints, **who)


def attempt(there: ModelServer, path: Path, program: str, **members: Any) -> Completed | Failed:
    options = {"schema": SCHEMA, "model": MODEL, "window_pages": 2}
    endpoint = {"base_url": there.url, "key": KEY}
    return outcome_of(path, program=program, settings=options, endpoint=endpoint, **members)


@BOTH
def test_a_later_attempt_goes_on_where_the_earlier_one_failed(
    place: Place, program: str, tmp_path: Path
) -> None:
    path, task = bill(tmp_path / "long.pdf", 5), 11 if program == GRAPH else 12
    with ModelServer(in_turn(honest, honest, Refused(500, "boom"), honest)) as there:
        first = try_(there, path, place, program, task, 1)
        second = try_(there, path, place, program, task, 2)
        third = try_(there, path, place, program, task, 3)
    assert failure(first).code is Code.UPSTREAM, first
    assert [asked.pages for asked in there.asked] == [[1, 2], [2, 3], [3, 4], [3, 4], [4, 5]]
    assert (first.usage.calls, second.usage.calls, third.usage.calls) == (2, 2, 0)
    assert record(second) == record(third) and record(second).fields["total"].value == total_of(5)
    assert second.usage.input_tokens == 2000


@BOTH
def test_an_attempt_that_another_has_overtaken_writes_nothing_more(
    place: Place, program: str, tmp_path: Path
) -> None:
    path, task = bill(tmp_path / "long.pdf", 5), 21 if program == GRAPH else 22
    table = "checkpoints" if program == GRAPH else "agent_messages"
    later: list[Any] = []

    def script(asked: Asked) -> Reply:
        if (
            len(there.asked) == 2
        ):  # the first attempt waits for this answer while the second one does everything
            later.append(try_(there, path, place, program, task, 2))
            later.append(place.count(table, f"{task}-1"))
        return honest(asked)

    with ModelServer(script) as there:
        first = try_(there, path, place, program, task, 1)
    assert (failure(first).code, first.message) == (Code.LOST, TAKEN)
    assert record(later[0]).fields["total"].value == total_of(5)
    assert place.count(table, f"{task}-1") == later[1]
    with ModelServer(honest) as there:
        assert failure(try_(there, path, place, program, task, 1)).message == TAKEN
    assert there.asked == []


@BOTH
def test_a_password_that_changes_in_the_middle_of_a_thread_is_survived(
    place: Place, program: str, tmp_path: Path
) -> None:
    path, task = bill(tmp_path / "long.pdf", 5), 31 if program == GRAPH else 32
    place.rotate("before")

    def script(asked: Asked) -> Reply:
        place.rotate(f"changed-{len(there.asked)}")
        return honest(asked)

    with ModelServer(script) as there:
        outcome = try_(there, path, place, program, task, 1)
    assert record(outcome).fields["total"].value == total_of(5)
    assert [asked.pages for asked in there.asked] == ASKED_FIVE
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"{place.database} password=before")


@BOTH
def test_a_password_that_is_refused_is_told_and_tried_again_later(
    place: Place, program: str, tmp_path: Path
) -> None:
    place.file.write_text("wrong")
    try:
        with ModelServer(honest) as there:
            outcome = failure(try_(there, bill(tmp_path / "one.pdf", 1), place, program, 41, 1))
    finally:
        place.rotate("right")
    assert (outcome.code, outcome.retryable) == (
        Code.STORAGE,
        True,
    ) and "refuses the password" in outcome.message
    assert there.asked == []


def test_a_database_without_tables_is_told_with_what_to_run(place: Place, tmp_path: Path) -> None:
    with place.superuser() as db:
        db.execute("ALTER SCHEMA checkpoints RENAME TO elsewhere")
    try:
        with ModelServer(honest) as there:
            outcome = failure(try_(there, bill(tmp_path / "one.pdf", 1), place, GRAPH, 42, 1))
    finally:
        with place.superuser() as db:
            db.execute("ALTER SCHEMA elsewhere RENAME TO checkpoints")
    assert outcome.code is Code.BAD_CONFIGURATION and "manage.py checkpoints --prepare" in outcome.message


@BOTH
def test_an_order_without_a_database_is_refused_in_words(program: str, tmp_path: Path) -> None:
    with ModelServer(honest) as there:
        outcome = failure(attempt(there, bill(tmp_path / "one.pdf", 1), program))
    assert (outcome.code, outcome.message) == (Code.BAD_CONFIGURATION, UNSET) and there.asked == []


def test_the_role_may_do_nothing_outside_its_schema(place: Place) -> None:
    with psycopg.connect(**credentials_of(place.checkpoints)(), autocommit=True) as db:
        with pytest.raises(errors.InsufficientPrivilege):
            db.execute("SELECT * FROM public.of_the_product")
        with pytest.raises(errors.InsufficientPrivilege):
            db.execute("CREATE TABLE public.mine (id int)")
        with pytest.raises(psycopg.DatabaseError, match="does not hold"):
            db.execute("INSERT INTO agent_sessions (session_id) VALUES ('1-1')")


def test_old_threads_are_removed_and_their_attempts_are_refused(place: Place, tmp_path: Path) -> None:
    path, credentials = bill(tmp_path / "one.pdf", 1), credentials_of(place.checkpoints)
    with ModelServer(honest) as there:
        for task, program in ((51, GRAPH), (52, CONVERSATION), (53, GRAPH)):
            try_(there, path, place, program, task, 1)
    with place.superuser() as db:
        db.execute(
            "UPDATE checkpoints.attempt_threads SET claimed_at = now() - interval '31 days' WHERE thread IN ('51-1', '52-1')"
        )
    assert fence.remove(credentials, 30) == 2 and fence.remove(credentials, 30) == 0
    assert [place.count(table, thread) for thread in ("51-1", "52-1") for table in fence.THREAD_OF] == [
        0
    ] * 10
    assert place.count("checkpoints", "53-1") > 0


@pytest.mark.slow
@BOTH
def test_after_a_child_was_killed_the_next_attempt_resumes_its_thread(
    clock: tools.Clock,  # noqa: F811
    settings: Any,
    place: Place,
    program: str,
    tmp_path: Path,
) -> None:
    def script(asked: Asked) -> Reply:
        return honest(asked, seconds=60.0 if len(there.asked) == 3 else 0.0)

    settings.CHECKPOINT_DATABASE_URL, settings.CHECKPOINT_PASSWORD_FILE = place.database, str(place.file)
    with ModelServer(script) as there, working(tmp_path) as worker:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = there.url, KEY
        options = {"schema": SCHEMA, "window_pages": 2, "checkpoints": True}
        agent = make_agent(program=program, model=MODEL, options=options)
        task = hand_in(agent, bill(tmp_path / "long.pdf", 5))
        with place.superuser() as db:  # tasks of an earlier test database have had these numbers
            db.execute("DELETE FROM checkpoints.attempt_threads WHERE thread = %s", (f"{task}-1",))
        work_until(worker, lambda: len(there.asked) == 3 and Attempt.objects.get().input_tokens == 2000)
        (entry,) = worker.held.values()
        assert str(place.file) in entry.order.model_dump_json() and place.database not in repr(entry.order)
        os.kill(int(entry.run.run_id.removeprefix("pid:")), signal.SIGKILL)
        work_until(worker, lambda: Task.objects.get(pk=task).status == "enqueued")
        clock.forward(3600)
        work_until(worker, lambda: Task.objects.get(pk=task).status == "completed")
    first, second = Attempt.objects.order_by("number")
    assert [asked.pages for asked in there.asked] == [[1, 2], [2, 3], [3, 4], [3, 4], [4, 5]]
    assert (first.error_code, first.input_tokens, second.input_tokens) == (Code.CRASHED, 2000, 2000)
    assert second.result["records"][0]["fields"]["total"]["value"] == total_of(5)


def test_a_thread_is_a_tasks_generation_and_its_latest_attempt_holds_it(place: Place) -> None:
    def hold(number: int, generation: int = 1) -> Thread:
        members = {"attempt": UUID(int=number), "task": 61, "number": number, "generation": generation}
        return Thread.of(order_for(Path("x"), checkpoints=place.checkpoints, **members))

    assert (hold(2).name, hold(2).name, hold(1, generation=2).name) == ("61-1", "61-1", "61-2")
    with pytest.raises(Exception, match=TAKEN):
        hold(1)
    assert hold(3).number == 3


# Who gets the database, and who looks after it


@pytest.mark.parametrize(
    ("executor", "options", "gets"),
    [
        ("local", {"checkpoints": True}, True),
        ("local", {}, False),
        ("local", {"checkpoints": "no"}, False),
        ("databricks", {"checkpoints": True}, False),
    ],
)
def test_only_attempts_here_of_versions_that_ask_for_it_get_the_database(
    settings: Any, executor: str, options: dict[str, Any], gets: bool
) -> None:
    settings.CHECKPOINT_DATABASE_URL = "postgres://role:canary@db.example/checkpoints"
    order = order_of(executor, **options)
    assert ("canary" in order.model_dump_json()) is gets and "canary" not in repr(order)
    settings.CHECKPOINT_DATABASE_URL = ""
    assert order_of(executor, **options).checkpoints is None


def test_the_command_makes_the_tables_again_and_removes_old_threads(
    place: Place, settings: Any, capsys: Any
) -> None:
    settings.CHECKPOINT_DATABASE_URL, settings.CHECKPOINT_PASSWORD_FILE = place.database, str(place.file)
    call_command("checkpoints", "--prepare")
    call_command("checkpoints", "--remove-older-than", "30")
    said = capsys.readouterr().out
    assert "The tables for checkpoints are there." in said and "0 threads were removed." in said


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "CHECKPOINT_DATABASE_URL is not set"),
        ("no address", "Check CHECKPOINT_DATABASE_URL"),
        ("postgres://role@127.0.0.1:1/x", "Check CHECKPOINT_DATABASE_URL"),
    ],
)
def test_the_command_says_what_is_wrong_with_the_database(settings: Any, url: str, says: str) -> None:
    settings.CHECKPOINT_DATABASE_URL, settings.CHECKPOINT_PASSWORD_FILE = url, ""
    with pytest.raises(CommandError, match=says):
        call_command("checkpoints", "--prepare")
