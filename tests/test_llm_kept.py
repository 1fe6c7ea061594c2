"""What was paid for is not paid for again: real attempts die in the middle, and the next one of the task asks only for what is missing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks import keeping, queue
from tasks.agent.contract import Code, Completed
from tasks.agent.llm.kept import Answered, Kept
from tasks.agent.llm.prompt import question
from tasks.agent.llm.windows import Piece, Window
from tasks.agent.schema import Schema
from tasks.models import Agent, Attempt, Task
from tasks.orders import kept_name
from tasks.storage import get_storage
from tests import queue_tools as tools
from tests.factories import make_agent
from tests.fakes.openai import KEY, MODEL, Asked, ModelServer, Refused, Reply, limited
from tests.llm_tools import SCHEMA, attempt, bill, honest, in_turn, record, total_of
from tests.llm_worker import hand_in, work_until, working

pytestmark = pytest.mark.slow

OPTIONS = {"schema": SCHEMA, "window_pages": 2}


# Between attempts of one order


def test_an_attempt_after_a_failure_asks_only_for_what_is_missing(tmp_path: Path) -> None:
    path, order = bill(tmp_path / "long.pdf", 5), {"kept": str(tmp_path / "12-1-7")}
    with ModelServer(in_turn(honest, honest, Refused(500, "boom"), honest)) as there:
        first = attempt(there, path, window_pages=2, order=order)
        second = attempt(there, path, window_pages=2, order=order)
        third = attempt(there, path, window_pages=2, order=order)
    assert [asked.pages for asked in there.asked] == [[1, 2], [2, 3], [3, 4], [3, 4], [4, 5]]
    assert (first.usage.calls, second.usage.calls, third.usage.calls) == (2, 2, 0)
    assert record(second) == record(third) and record(second).fields["total"].value == total_of(5)
    assert second.usage.input_tokens == 2000 and third.usage.model == ""


def test_what_was_too_long_is_not_asked_for_again(tmp_path: Path) -> None:
    path, order = bill(tmp_path / "long.pdf", 2), {"kept": str(tmp_path / "12-1-7")}
    with ModelServer(in_turn(Reply("{", finish="length"), honest, Refused(500, "boom"), honest)) as there:
        attempt(there, path, order=order)
        second = attempt(there, path, order=order)
    assert [asked.pages for asked in there.asked] == [[1, 2], [1], [2], [2]]
    assert isinstance(second, Completed) and second.usage.calls == 1


@pytest.mark.parametrize(
    "change", [{"model": "other"}, {"schema": {**SCHEMA, "kind": "other"}}, {"window_pages": 3}]
)
def test_an_answer_to_another_question_is_not_used(tmp_path: Path, change: dict[str, object]) -> None:
    path, order = bill(tmp_path / "long.pdf", 3), {"kept": str(tmp_path / "12-1-7")}
    with ModelServer(honest, models={MODEL, "other"}) as there:
        attempt(there, path, window_pages=2, order=order)
        before = len(there.asked)
        attempt(there, path, **{"window_pages": 2, **change, "order": order})  # type: ignore[arg-type]
    assert len(there.asked) > before


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"text": "x"}', b"\xff\xfe"])
def test_a_kept_answer_that_is_damaged_is_asked_for_again(tmp_path: Path, damage: bytes) -> None:
    path, order = bill(tmp_path / "one.pdf", 1), {"kept": str(tmp_path / "12-1-7")}
    with ModelServer(honest) as there:
        attempt(there, path, order=order)
        (file,) = tmp_path.glob("12-1-7.*")
        assert file.stat().st_mode & 0o777 == 0o600
        file.write_bytes(damage)
        outcome = attempt(there, path, order=order)
    assert len(there.asked) == 2 and isinstance(outcome, Completed)


def test_a_folder_that_cannot_be_written_costs_no_attempt(tmp_path: Path) -> None:
    with ModelServer(honest) as there:
        outcome = attempt(
            there, bill(tmp_path / "one.pdf", 1), order={"kept": str(tmp_path / "no" / "such" / "12-1-7")}
        )
    assert isinstance(outcome, Completed)


def test_every_part_of_a_schema_that_can_be_edited_changes_the_question() -> None:
    field = {"name": "total", "type": "money", "description": "d", "required": False}
    choice = {"name": "sort", "type": "choice", "choices": ["a", "b"]}
    rows = {"name": "lines", "type": "list", "fields": [{"name": "item"}]}
    changes: list[dict] = [
        {"kind": "other"}, {"fields": [{**field, "name": "sum"}, choice, rows]}, {"fields": [{**field, "type": "text"}, choice, rows]},
        {"fields": [{**field, "description": "e"}, choice, rows]}, {"fields": [{**field, "required": True}, choice, rows]},
        {"fields": [field, {**choice, "choices": ["a", "c"]}, rows]}, {"fields": [field, choice, {**rows, "fields": [{"name": "text"}]}]},
        {"fields": [choice, field, rows]}, {"fields": [field, choice]},
    ]  # fmt: skip
    plain = {"kind": "bill", "fields": [field, choice, rows]}
    window = Window((Piece(1, "text"),))
    keys = {question(Schema.of({**plain, **change}), window, 1, ()).key("m") for change in [{}, *changes]}
    assert len(keys) == len(changes) + 1


def test_a_kept_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = Kept(str(tmp_path / "1-1-1"))
    assert kept.get("a" * 64) is None
    kept.put("a" * 64, Answered('{"a": "é"}', "m"))
    assert kept.get("a" * 64) == Answered('{"a": "é"}', "m") and kept.get("b" * 64) is None
    assert [path.suffix for path in tmp_path.iterdir()] == ["." + "a" * 64], "nothing half-written stays"


# Through the queue


@pytest.fixture
def clock(db: None) -> Iterator[tools.Clock]:
    clock = tools.Clock(queue.connection())
    yield clock
    clock.end()


def agent_of(server: ModelServer, settings: object, **fields: object) -> Agent:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.url, KEY  # type: ignore[attr-defined]
    return make_agent(program="llm", model=MODEL, options=OPTIONS, **fields)  # type: ignore[arg-type]


@pytest.mark.slow
def test_after_a_child_was_killed_only_the_missing_pages_are_paid_for(
    clock: tools.Clock, settings, tmp_path: Path
) -> None:
    def script(asked: Asked) -> Reply:
        return honest(asked, seconds=60.0 if len(there.asked) == 3 else 0.0)

    with ModelServer(script) as there, working(tmp_path) as worker:
        task = hand_in(agent_of(there, settings), bill(tmp_path / "long.pdf", 5))
        work_until(worker, lambda: len(there.asked) == 3 and Attempt.objects.get().input_tokens == 2000)
        (entry,) = worker.held.values()
        assert entry.order is not None and KEY not in str(entry.order) and "sk-" not in repr(entry.order)
        os.kill(int(entry.run.run_id.removeprefix("pid:")), signal.SIGKILL)
        work_until(worker, lambda: Task.objects.get(pk=task).status == "enqueued")
        kept = list(get_storage().names("kept/"))
        clock.forward(3600)
        work_until(worker, lambda: Task.objects.get(pk=task).status == "completed")
        assert len(kept) == 2 and list(get_storage().names("kept/")) == [], "removed when the task is done"
    first, second = Attempt.objects.order_by("number")
    assert [asked.pages for asked in there.asked] == [[1, 2], [2, 3], [3, 4], [3, 4], [4, 5]]
    assert (first.error_code, first.input_tokens, first.output_tokens) == (Code.CRASHED, 2000, 200)
    assert (second.input_tokens, second.output_tokens, second.calls) == (2000, 200, 2), (
        "only what it paid itself"
    )
    assert second.result["records"][0]["fields"]["total"]["value"] == total_of(5)


@pytest.mark.slow
def test_after_a_limit_no_request_is_sent_before_the_time_to_wait_is_over(
    clock: tools.Clock, settings, tmp_path: Path
) -> None:
    with ModelServer(in_turn(limited("3"), honest)) as there, working(tmp_path) as worker:
        agent = agent_of(there, settings)
        tasks = [hand_in(agent, bill(tmp_path / f"{number}.pdf", number)) for number in (1, 2)]
        work_until(
            worker, lambda: Task.objects.filter(pk__in=tasks, attempts_made=1, status="enqueued").exists()
        )
        limited_at = there.asked[0].at
        # The other task could start at once, were its agent not cooling down
        work_until(worker, lambda: Task.objects.filter(pk__in=tasks, status="completed").count() == 2)
    assert there.asked[1].at - limited_at >= 3.0


# What nobody needs


def test_answers_of_tasks_that_have_ended_or_begun_anew_are_cleaned_away(clock: tools.Clock) -> None:
    tasks = tools.hand_in(make_agent(), 3)
    Task.objects.filter(pk=tasks[1]).update(generation=2)
    queue.connection().execute(
        "UPDATE tasks SET status = 'failed', finished_at = now() WHERE id = %s", (tasks[2],)
    )
    storage, mark = get_storage(), "a" * 64
    for task in (*tasks, 999_999):
        storage.path_for_attempt(f"{kept_name(task, 1, 5)}.{mark}").write_text("{}")
    assert keeping.clean(storage) == 3
    assert list(storage.names("kept/")) == [f"{kept_name(tasks[0], 1, 5)}.{mark}"]
    assert keeping.clean(storage) == 0
