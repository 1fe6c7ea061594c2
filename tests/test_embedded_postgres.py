"""The embedded server's life: shared, private, restarted after every kind of death, stopped when nobody needs it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from agentaudit.postgres import postmaster, programs
from agentaudit.postgres.embedded import Server
from tests.embedded_homes import (
    ROOT,
    User,
    ended,
    gone,
    kill_server,
    mode,
    query,
    start_as_account,
    until,
    watcher_of,
)

pytest_plugins = ["tests.embedded_fixtures"]

# Connects, forks a child that does as it is told, prints the child's pid, and waits
PARENT = """
import os, sys, time, psycopg
from agentaudit.postgres.embedded import Server
server = Server(sys.argv[1])
server.ensure_running()
child = os.fork()
if child == 0:
    if sys.argv[2] == "connects":
        psycopg.connect(**server.ensure_running()).execute("SELECT 1")
    print(os.getpid(), flush=True)
    time.sleep(120)
    os._exit(0)
time.sleep(120)
"""


# Private, and as configured


def test_the_server_is_reachable_only_by_its_user(filled: Path) -> None:
    server = Server(filled)
    parameters = server.ensure_running()
    assert mode(server.home.password_file) == 0o600
    assert mode(Path(parameters["host"])) == 0o700
    assert mode(server.home.data) == 0o700
    assert mode(server.home.log) == 0o600
    assert not mode(server.home.folder) & 0o066  # nobody else may list or change it
    assert query(filled, "SHOW listen_addresses") == ("",)
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(**{**parameters, "password": "guess"})


def test_the_database_is_utf8_in_utc_and_durable_and_the_role_no_superuser(filled: Path) -> None:
    with psycopg.connect(**Server(filled).ensure_running()) as connection:
        shown = {
            name: connection.execute(f"SHOW {name}").fetchone()[0]
            for name in (
                "server_encoding",
                "timezone",
                "fsync",
                "synchronous_commit",
                "jit",
                "is_superuser",
                "data_checksums",
            )
        }
        assert connection.info.dbname == connection.info.user == "agentaudit"
    assert shown == {
        "server_encoding": "UTF8", "timezone": "UTC", "fsync": "on", "synchronous_commit": "on", "jit": "off",
        "is_superuser": "off", "data_checksums": "on",
    }  # fmt: skip


def test_no_permission_above_our_own_folders_changes(tmp_path: Path) -> None:
    parent = tmp_path / "private"
    parent.mkdir(mode=0o700)
    above = [parent, *parent.parents, *programs.installed().parents]
    before = [(path, mode(path), path.stat().st_uid) for path in above]
    try:
        assert query(parent / "home", "SELECT 1") == (1,)
        assert [(path, mode(path), path.stat().st_uid) for path in above] == before
    finally:
        Server(parent / "home").remove()


def test_a_socket_folder_that_others_may_enter_is_not_used_again(filled: Path) -> None:
    server = Server(filled)
    first = Path(server.ensure_running()["host"])
    server.stop()
    first.mkdir(mode=0o777)  # what somebody else could put there, after /tmp was swept
    first.chmod(0o777)
    try:
        assert server.ensure_running()["host"] != str(first)
    finally:
        first.rmdir()


# Shared


def test_processes_that_begin_at_once_share_one_server(fresh: Path, users: Callable[[Path], User]) -> None:
    crowd = [users(fresh) for _ in range(5)]
    for user in crowd:
        user.ask("SELECT pg_postmaster_start_time()::text")
    answers = [user.answer() for user in crowd]
    assert len({json.dumps(answer) for answer in answers}) == 1
    assert "error" not in answers[0]


def test_asking_again_starts_no_process_and_opens_no_connection(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(filled)
    server.ensure_running()

    def refuse(*arguments: Any, **keywords: Any) -> None:
        raise AssertionError("not cheap")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    if hasattr(os, "pidfd_open"):
        monkeypatch.setattr(postmaster, "listening_pid", refuse)
    assert server.ensure_running()["dbname"] == "agentaudit"


def test_two_homes_have_two_servers(filled: Path, fresh: Path) -> None:
    assert query(fresh, "SELECT to_regclass('marks')") == (None,)
    Server(fresh).stop()
    assert not Server(fresh).status().running
    assert Server(filled).status().running
    assert query(filled, "SELECT mark FROM marks") == (42,)


def test_looking_at_a_home_makes_nothing(folder: Path) -> None:
    server = Server(folder / "never")
    assert not server.status().running
    server.stop()
    assert not (folder / "never").exists()


def test_a_home_may_have_any_name_and_length(folder: Path) -> None:
    home = folder / 'it\'s $HOME `x` "q" ü' / Path(*["d" * 100] * 3)
    try:
        assert query(home, "SELECT 1") == (1,)
        Server(home).stop()
        assert query(home, "SELECT 1") == (1,)
    finally:
        Server(home).remove()


# It comes back


def test_a_killed_server_is_back_at_the_next_connect(filled: Path, users: Callable[[Path], User]) -> None:
    user = users(filled)
    assert user.does("SELECT mark FROM marks") == [42]
    first = Server(filled).status().pid
    os.kill(first, signal.SIGKILL)
    began = time.monotonic()
    until(lambda: user.does("SELECT mark FROM marks") == [42])
    assert time.monotonic() - began < 10
    assert query(filled, "SELECT mark FROM marks") == (42,)
    assert Server(filled).status().pid != first


def test_a_killed_user_disturbs_nobody(filled: Path, users: Callable[[Path], User]) -> None:
    stays, dies = users(filled), users(filled)
    began = stays.does("SELECT pg_postmaster_start_time()::text")
    assert dies.does("SELECT pg_postmaster_start_time()::text") == began
    dies.kill()
    assert stays.does("SELECT pg_postmaster_start_time()::text") == began


def test_a_stale_pid_file_does_not_hinder_and_its_process_is_left_alone(filled: Path) -> None:
    server = Server(filled)
    bystander = start_as_account(["sleep", "300"])  # has the pid that the dead server had
    try:
        server.ensure_running()
        socket_folder = server.home.socket_folder()
        kill_server(filled)
        until(lambda: not postmaster.processes_on(server.home.data))
        for path in (server.home.data / "postmaster.pid", socket_folder / f"{postmaster.SOCKET_NAME}.lock"):
            lines = path.read_text().split("\n", 1)
            path.write_text(f"{bystander.pid}\n{lines[1]}")
        assert query(filled, "SELECT mark FROM marks") == (42,)
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_swept_socket_folder_is_made_again(filled: Path) -> None:
    server = Server(filled)
    shutil.rmtree(server.ensure_running()["host"])
    assert query(filled, "SELECT mark FROM marks") == (42,)


def test_a_lost_password_is_set_anew(filled: Path, users: Callable[[Path], User]) -> None:
    server = Server(filled)
    lost = server.ensure_running()["password"]
    server.home.password_file.unlink()
    assert users(filled).does("SELECT mark FROM marks") == [42]
    assert query(filled, "SELECT mark FROM marks") == (42,)
    assert server.ensure_running()["password"] != lost


def test_a_first_start_may_be_killed_at_any_moment(fresh: Path, users: Callable[[Path], User]) -> None:
    for moment in range(1, 6):
        user = users(fresh)
        user.ask()
        with pytest.raises(subprocess.TimeoutExpired):
            user.process.wait(moment * 0.12)
        user.kill()
    assert query(fresh, "SELECT current_user::text, current_database()::text") == ("agentaudit", "agentaudit")


@pytest.mark.slow
def test_a_session_that_outlives_its_server_does_not_hinder_the_next(
    filled: Path, users: Callable[[Path], User]
) -> None:
    busy = users(filled)
    busy.ask(
        "SELECT count(*) FROM generate_series(1, 100000000000) AS n WHERE n < 0"
    )  # notices nothing meanwhile
    until(
        lambda: query(
            filled,
            "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()",
        )
    )
    kill_server(filled)
    began = time.monotonic()
    assert query(filled, "SELECT mark FROM marks") == (42,)
    assert time.monotonic() - began < 10


# It goes


def test_it_stops_when_the_last_user_is_killed_and_not_before(
    fresh: Path, users: Callable[[Path], User]
) -> None:
    first, second = users(fresh), users(fresh)
    assert first.does() == second.does() == [1]
    socket_folder = Server(fresh).home.socket_folder()
    first.kill()
    assert second.does() == [1]
    second.kill()
    until(lambda: gone(fresh))
    assert not socket_folder.exists()
    assert "database system is shut down" in Server(fresh).home.log.read_text()
    assert users(fresh).does() == [1]  # and comes back


@pytest.mark.slow
def test_a_newcomer_keeps_a_lingering_server(fresh: Path, users: Callable[[Path], User]) -> None:
    first = users(fresh)
    began = first.does("SELECT pg_postmaster_start_time()::text")
    first.kill()
    second = users(fresh)
    assert second.does("SELECT pg_postmaster_start_time()::text") == began
    watcher = watcher_of(fresh)
    with pytest.raises(AssertionError):
        until(lambda: ended(watcher), seconds=4)  # longer than it lingers
    assert second.does("SELECT pg_postmaster_start_time()::text") == began


@pytest.mark.slow
def test_a_killed_watcher_is_replaced_by_the_next_user(fresh: Path, users: Callable[[Path], User]) -> None:
    first = users(fresh)
    first.does()
    watcher = watcher_of(fresh)
    watcher.kill()
    until(lambda: ended(watcher))
    first.kill()
    assert Server(fresh).status().running
    second = users(fresh)
    assert second.does() == [1]
    second.kill()
    until(lambda: gone(fresh))


@pytest.mark.slow
@pytest.mark.parametrize(("does", "keeps"), [("nothing", False), ("connects", True)])
def test_a_forked_child_counts_only_once_it_connects_itself(fresh: Path, does: str, keeps: bool) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(fresh), does], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    child = psutil.Process(int(parent.stdout.readline()))
    try:
        parent.kill()
        parent.wait()
        if keeps:
            watcher = watcher_of(fresh)
            with pytest.raises(AssertionError):
                until(lambda: ended(watcher), seconds=4)
            assert Server(fresh).status().running
        else:
            until(lambda: gone(fresh))
            assert child.is_running()
    finally:
        child.kill()
        parent.stdout.close()


@pytest.mark.slow
def test_the_watcher_of_a_deleted_home_stops_its_own_server_only(
    folder: Path, users: Callable[[Path], User]
) -> None:
    home = folder / "deleted"
    old = users(home)
    old.does()
    old_server = psutil.Process(Server(home).status().pid)
    shutil.rmtree(home)
    new = users(home)
    try:
        assert new.does() == [1]
        old.kill()
        until(lambda: ended(old_server), seconds=20)
        assert new.does() == [1]
        assert "shutdown request" not in Server(home).home.log.read_text()
    finally:
        new.kill()
        Server(home).remove()
