"""An agent's sender: insists on its outcome with one id, heeds who answers, never holds up the reading, and ends in time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import uuid4

import pytest

from tasks.agent import bearer, sender, signatures
from tasks.agent.contract import Code, Completed, Failed, Limits, Order, Progress, Started, Usage
from tasks.agent.program import run
from tasks.agent.sender import Sender
from tests.attempts import wait_for
from tests.callback_programs import RESULT

SECRET = signatures.derive("s" * 40, uuid4())
ROOT = Path(__file__).resolve().parent.parent


class Other:
    """The other side: answers as it is told, one after the other (the last one for ever), and keeps what it got."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, str]] | Callable[[], None]] = [(200, {})]
        self.got: list[tuple[dict[str, str], bytes]] = []
        other = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                other.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                answer = other.answers[0] if len(other.answers) == 1 else other.answers.pop(0)
                if callable(answer):
                    answer()
                    return
                self.send_response(answer[0])
                for name, value in answer[1].items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_POST

            def log_message(self, *_args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhooks/attempts/x/"

    def kinds(self) -> list[str]:
        return [json.loads(body)["type"].partition(".")[2] for _headers, body in self.got]

    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _body in self.got]


@pytest.fixture
def other() -> Iterator[Other]:
    other = Other()
    yield other
    other.server.shutdown()
    other.server.server_close()


def order(other: Other, tmp_path: Path, seconds: int = 60, **settings) -> Order:
    attempt = uuid4()
    return Order(
        attempt=attempt, task=1, number=1, program="tests.callback_programs:reads_three_pages", settings=settings, document="/nowhere.pdf",
        document_sha256="0" * 64, outcome=str(tmp_path / f"{attempt}.json"), callback_url=other.url, callback_secret=SECRET,
        limits=Limits(wall_seconds=seconds),
    )  # fmt: skip


def completed(order: Order) -> Completed:
    return Completed(attempt=order.attempt, result=RESULT)


def test_every_message_is_signed_over_what_is_sent(other, tmp_path) -> None:
    told = order(other, tmp_path)
    run(told, Sender(told))
    assert other.kinds()[-1] == "completed"
    for headers, body in other.got:
        assert signatures.verify([SECRET], headers, body, time.time())


def test_an_outcome_is_sent_again_with_the_same_id_until_it_is_taken(other, tmp_path) -> None:
    def hangs_up() -> None:
        raise ConnectionResetError

    other.answers = [(503, {}), (500, {}), (502, {}), (429, {}), (408, {}), (425, {}), hangs_up, (200, {})]
    other.server.handle_error = lambda *_args: None  # type: ignore[method-assign]
    told, pauses = order(other, tmp_path), []
    assert Sender(told, pause=pauses.append)(completed(told))
    assert len(other.got) == 8
    assert len(set(other.ids())) == 1
    assert all(later > 0 for later in pauses)
    assert max(pauses) <= sender.MOST_PAUSE_SECONDS
    assert sum(pauses[-3:]) > sum(pauses[:3]), "it has to pause longer each time"


def test_what_the_server_asks_for_is_waited(other, tmp_path) -> None:
    other.answers = [(503, {"Retry-After": "7"}), (503, {"Retry-After": "soon"}), (200, {})]
    told, pauses = order(other, tmp_path), []
    Sender(told, pause=pauses.append)(completed(told))
    assert pauses[0] == 7.0
    assert pauses[1] < 7.0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
def test_a_refusal_is_final(other, tmp_path, status: int) -> None:
    other.answers = [(status, {})]
    told = order(other, tmp_path)
    assert not Sender(told)(completed(told))
    assert len(other.got) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed(other, tmp_path, status: int) -> None:
    other.answers = [(status, {"Location": other.url + "elsewhere/"})]
    told = order(other, tmp_path)
    assert not Sender(told)(completed(told))
    assert len(other.got) == 1


def test_it_gives_up_when_the_attempts_time_is_over_and_leaves_the_outcome_file(other, tmp_path) -> None:
    other.answers = [(503, {})]
    told = order(other, tmp_path, seconds=2)
    began = time.monotonic()
    run(told, Sender(told))
    assert time.monotonic() - began < 10
    envelope = json.loads(Path(told.outcome).read_text())
    assert signatures.verify([SECRET], envelope["headers"], envelope["body"].encode(), None)


def test_an_orchestrator_that_takes_connections_and_never_answers_does_not_hold_up_the_reading(
    other, tmp_path, monkeypatch
) -> None:
    silence = threading.Event()
    other.answers = [silence.wait]
    monkeypatch.setattr(sender, "ANSWER_SECONDS", 60.0)
    told = order(other, tmp_path)
    send = Sender(told)
    began = time.monotonic()
    send(Started(attempt=told.attempt))
    for page in range(1000):
        send(Progress(attempt=told.attempt, pages_done=page, pages_total=1000))
    assert time.monotonic() - began < 5
    wait_for(lambda: other.got)
    assert len(other.got) == 1, "one message is under way at a time"
    silence.set()


def test_progress_tells_the_newest_page_and_not_each_one(other, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(sender, "NOTE_SECONDS", 0.2)
    told = order(other, tmp_path)
    send = Sender(told)
    send(Started(attempt=told.attempt))
    for page in range(1, 501):
        send(Progress(attempt=told.attempt, pages_done=page, pages_total=500, usage=Usage()))
    wait_for(lambda: other.got and json.loads(other.got[-1][1]).get("pages_done") == 500)
    assert len(other.got) < 50
    assert other.kinds()[0] == "started"


def test_a_start_that_was_not_heard_is_told_again_with_its_id(other, tmp_path) -> None:
    other.answers = [(503, {"Retry-After": "0"}), (200, {})]
    told = order(other, tmp_path)
    Sender(told)(Started(attempt=told.attempt, run_id="run-7"))
    wait_for(lambda: len(other.got) == 2)
    assert len(set(other.ids())) == 1


def test_a_result_too_large_for_a_body_goes_by_its_name_in_the_storage(other, tmp_path) -> None:
    told = order(other, tmp_path, large=True)
    run(told, Sender(told))
    event = json.loads(other.got[-1][1])
    assert event["result"] is None
    assert event["result_uri"] == f"attempts/{told.attempt}.result.json"
    assert len(other.got[-1][1]) < 2000
    assert len(json.loads((tmp_path / f"{told.attempt}.result.json").read_text())["notes"]) == 2000


def test_the_proxys_token_is_asked_for_each_try(other, tmp_path) -> None:
    other.answers = [(503, {}), (200, {})]
    told, tokens = order(other, tmp_path), iter(["one", "two"])
    Sender(told, bearer=lambda: next(tokens), pause=lambda _seconds: None)(completed(told))
    assert [headers["authorization"] for headers, _body in other.got] == ["Bearer one", "Bearer two"]


@pytest.mark.parametrize(
    "url",
    [
        "https://audit.example.com/x",
        "https://databricksapps.com.evil.example/x",
        "http://a.aws.databricksapps.com/x",
        "https://xdatabricksapps.com",
    ],
)
def test_no_other_address_than_an_app_gets_a_token(url: str) -> None:
    assert bearer.bearer_for(url) is None


def test_an_app_gets_the_workspaces_token(other, monkeypatch) -> None:
    monkeypatch.setenv("DATABRICKS_HOST", other.url.partition("/webhooks")[0])
    monkeypatch.setenv("DATABRICKS_TOKEN", "a-token-of-this-run")
    token = bearer.bearer_for("https://audit-1.aws.databricksapps.com/webhooks/attempts/x/")
    assert token is not None
    assert token() == "a-token-of-this-run"


# The command that a run without a pipe begins with


def carry_out(told: Order, tmp_path: Path, **popen) -> subprocess.CompletedProcess[str]:
    path = tmp_path / f"{told.attempt}.in.json"
    path.write_text(told.model_dump_json())
    command = [sys.executable, "-m", "tasks.agent", "run", str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, **popen)


def test_the_run_command_carries_out_an_order_and_removes_nothing(other, tmp_path) -> None:
    told = order(other, tmp_path)
    done = carry_out(told, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert other.kinds()[-1] == "completed"
    assert {path.name for path in tmp_path.iterdir()} == {f"{told.attempt}.in.json", f"{told.attempt}.json"}


def codes_of(other) -> list[str | None]:
    """Of all that came, in whatever order: a busy receiver may take up the start after the end."""
    return [json.loads(body).get("code") for _, body in other.got]


def test_the_run_command_says_by_its_exit_code_that_an_attempt_failed(other, tmp_path) -> None:
    told = order(other, tmp_path, fails=True)
    assert carry_out(told, tmp_path).returncode == 1
    assert Code.CORRUPT in codes_of(other)


def test_a_run_that_cannot_be_heard_has_completed_all_the_same(other, tmp_path) -> None:
    other.answers = [(401, {})]
    told = order(other, tmp_path)
    assert carry_out(told, tmp_path).returncode == 0
    assert Path(told.outcome).exists()
    unwritten = order(other, tmp_path).model_copy(update={"outcome": ""})
    assert carry_out(unwritten, tmp_path).returncode == 1


def test_a_result_that_is_neither_taken_nor_kept_is_no_success(other, tmp_path) -> None:
    """An outcome file is named, and the folder for it is away."""
    other.answers = [(401, {})]
    told = order(other, tmp_path).model_copy(update={"outcome": str(tmp_path / "away" / "outcome.json")})
    done = carry_out(told, tmp_path)
    assert done.returncode == 1
    assert "could not be written" in done.stderr


def test_a_run_that_is_told_to_stop_says_so(other, tmp_path) -> None:
    told = order(other, tmp_path)
    path = tmp_path / "in.json"
    path.write_text(told.model_copy(update={"settings": {"seconds": 2.0}}).model_dump_json())
    process = subprocess.Popen([sys.executable, "-m", "tasks.agent", "run", str(path)], cwd=ROOT)
    wait_for(lambda: other.got)
    process.terminate()
    assert process.wait(30) == 1
    assert Code.CANCELLED in codes_of(other)


@pytest.mark.parametrize("content", [None, "{", '{"callback_secret": "whsec_c2VjcmV0"}'])
def test_an_order_that_cannot_be_used_is_told_without_its_secrets(tmp_path, content) -> None:
    path = tmp_path / "in.json"
    if content is not None:
        path.write_text(content)
    command = [sys.executable, "-m", "tasks.agent", "run", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "in.json" in done.stderr
    assert "c2VjcmV0" not in done.stderr
    assert "Traceback" not in done.stderr


def test_failures_are_sent_as_patiently_as_results(other, tmp_path) -> None:
    other.answers = [(503, {"Retry-After": "0"}), (200, {})]
    told = order(other, tmp_path)
    failed = Failed(attempt=told.attempt, code=Code.UPSTREAM, message="It did not answer.", retryable=True)
    assert Sender(told)(failed)
    assert len(set(other.ids())) == 1
