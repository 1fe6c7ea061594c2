"""`manage.py up`: starts what is needed, keeps it alive, and leaves nothing behind however it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import threading
import urllib.request
from itertools import takewhile
from pathlib import Path

import pytest
from django.core.management import CommandError

from tasks.management import listening
from tasks.management.commands import up
from tasks.management.processes import Kept, Supervisor, heed_stops
from tests.commands import free_port, kill_hard, processes_of, wait_until


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/admin/login/", timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


def worker(place) -> int | None:
    return next((pid for pid, line in processes_of(place.home).items() if "manage.py worker" in line), None)


def part(place, supervisor: int, word: str) -> int | None:
    """The direct child of the supervisor with this word in its command line."""
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return next(
        (pid for pid, line in processes_of(place.home).items() if word in line and str(pid) in children), None
    )


@pytest.fixture
def running(place):
    """An `up` whose pages answer, and its port; ended at the end, should the test not have done so."""
    port = free_port()
    process = place.begin("up", "--port", port, "--first-user", "--slots", "1")
    try:
        wait_until(lambda: answers(port) and worker(place), what="the start of pages and worker")
        yield process, port
    finally:
        kill_hard(process)
        wait_until(lambda: not processes_of(place.home), what="the end of every process")


@pytest.mark.slow
def test_pages_and_worker_run_and_sigterm_ends_all_of_it(place, running):
    process, port = running
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/admin/login/", timeout=5) as response:
        style = re.search(r'href="(/static/[^"]+\.css)"', response.read().decode())
    assert re.search(r"\.[0-9a-f]{12}\.css$", style[1]), (
        "names carry a hash, so that browsers may keep the files"
    )
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{style[1]}", timeout=5) as response:
        assert response.status == 200 and "immutable" in response.headers["Cache-Control"]
    guard = threading.Timer(60, process.kill)
    guard.start()
    out = "".join(takewhile(lambda line: line != "Ctrl-C stops.\n", process.stdout))
    guard.cancel()
    told = rf"Pages: http://127\.0\.0\.1:{port}\nThe first user is 'admin' with the password '[A-Za-z0-9]{{16}}'.*\n.*\n$"
    assert re.search(told, out), "the address and the password stand together, below everything else"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=15)
    assert process.returncode == 0
    assert not processes_of(place.home)
    assert place.ask("Worker.objects.filter(stopped_at=None).count()") == 0, "the worker said goodbye"


@pytest.mark.slow
def test_a_part_that_is_killed_is_started_again(place, running):
    process, port = running
    for word in ("gunicorn", "manage.py worker"):
        killed = part(place, process.pid, word)
        os.kill(killed, signal.SIGKILL)
        wait_until(
            lambda word=word, killed=killed: part(place, process.pid, word) not in (None, killed),
            what="another one",
        )
    wait_until(lambda: answers(port), what="an answer of the pages")
    assert process.poll() is None


@pytest.mark.slow
def test_kill_minus_nine_of_the_supervisor_leaves_nothing_behind(place, running):
    process, port = running
    kill_hard(process)
    wait_until(lambda: not processes_of(place.home), seconds=15, what="the end of every process")
    assert not answers(port)


@pytest.mark.parametrize(
    ("arguments", "variables", "code", "sentence"),
    [
        (("--port", "99999"), {}, 2, "argument --port: '99999' is no whole number between 1 and 65535"),
        (("--workers", "-1"), {}, 2, "argument --workers: '-1' is no whole number between 1 and 64"),
        (("--slots", "0"), {}, 2, "argument --slots: '0' is no whole number between 1 and 10000"),
        ((), {"BIND_ADDRESS": "no such host"}, 1, "cannot listen at BIND_ADDRESS 'no such host'"),
    ],
)
def test_where_nothing_can_be_started_nothing_is(place, arguments, variables, code, sentence):
    run = place.run("up", *arguments, **variables)
    assert run.returncode == code
    assert sentence in run.stderr and "Traceback" not in run.stderr


def test_a_port_in_use_is_waited_for_and_then_named():
    said: list[str] = []
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} is in use by another program.*PORT={port + 1}"):
            listening.wait_for_port("127.0.0.1", port, said.append, seconds=0.1)
        threading.Timer(0.3, other.close).start()
        listening.wait_for_port("127.0.0.1", port, said.append, seconds=20)
    assert len(said) == 2 and f"Port {port} is in use" in said[0]


@pytest.mark.slow
def test_the_first_user_is_made_once_and_its_password_works(place):
    first = place.begin("up", "--first-user", "--only", "worker")
    wait_until(lambda: worker(place), what="the start")
    first.send_signal(signal.SIGINT)
    out, _ = first.communicate(timeout=15)
    assert first.returncode == 0
    if shown := re.search(r"password '([^']+)'", out):  # an earlier test of this module may have seen it
        user = "__import__('django.contrib.auth').contrib.auth.authenticate(username='admin', password=%r)"
        assert place.ask(f"{user % shown[1]} is not None") is True
    second = place.begin("up", "--first-user", "--only", "worker")
    wait_until(lambda: worker(place), what="the start")
    second.send_signal(signal.SIGTERM)
    out, _ = second.communicate(timeout=15)
    assert "password" not in out


def test_a_part_that_keeps_ending_stops_everything_with_exit_code_1():
    said: list[str] = []
    steady = Kept("The other part", [sys.executable, "-c", "import time; time.sleep(600)"])
    broken = Kept("The broken part", [sys.executable, "-c", "raise SystemExit(7)"], most_ends=2)
    assert Supervisor([steady, broken], said.append, tick_seconds=0.01).run() == 1
    assert said == [
        "The broken part ended with exit code 7; starting it again.",
        "The broken part ended with exit code 7, 2 times in a row; giving up. Its log says why.",
    ]
    assert steady.process.poll() is not None


def test_a_part_that_was_steady_is_started_again_at_once_and_a_restless_one_later():
    part = Kept("It", [])
    pauses = []
    now = 100.0
    for _ in range(5):
        part.started_at = now
        part.ended(1, now + 1)
        pauses.append(part.start_at - (now + 1))
        now += 100
    assert pauses == [0, 1, 3, 7, 15]
    part.started_at = now
    assert "SIGKILL" in part.ended(-9, now + part.steady_seconds)
    assert part.start_at == now + part.steady_seconds and part.ends == 1


def test_changed_code_starts_every_part_anew():
    part = Kept("It", [sys.executable, "-c", "import time; time.sleep(600)"])
    news = [False, True, False]
    supervisor = Supervisor([part], lambda sentence: None, changed=lambda: news.pop(0))
    supervisor.tick(1.0)
    first = part.process
    supervisor.tick(2.0)
    assert part.process is not first and first.poll() is not None
    supervisor.tick(3.0)
    second = part.process
    second.kill()
    second.wait()


def test_a_changed_file_of_the_program_is_noticed_once(tmp_path):
    (tmp_path / "tasks").mkdir()
    (tmp_path / ".venv").mkdir()
    code, elsewhere = tmp_path / "tasks" / "queue.py", tmp_path / ".venv" / "library.py"
    code.write_text("1")
    changed = up.changes(tmp_path, every_ticks=1)
    assert not changed()
    elsewhere.write_text("not ours")
    (tmp_path / "tasks" / "notes.txt").write_text("no code")
    assert not changed()
    os.utime(code, ns=(1, 1))
    assert changed() and not changed()
    code.unlink()
    assert changed()


def test_where_nohup_has_asked_for_it_a_closed_terminal_stops_nothing():
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        assert signal.SIGHUP not in heed_stops(lambda *_: None)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        assert signal.SIGHUP in heed_stops(lambda *_: None)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
