"""The embedded server's life: shared, private, restarted after every kind of death, stopped when nobody needs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from agentaudit.postgres import locks, postmaster, programs
from agentaudit.postgres.account import server_account
from agentaudit.postgres.embedded import EmbeddedPostgresError, Server

ROOT = Path(__file__).resolve().parent.parent
AS_ROOT = os.geteuid() == 0
# One line of SQL on standard input, one line of JSON on standard output, until the input ends
USER = """
import json, sys, psycopg
from agentaudit.postgres.embedded import Server
server = Server(sys.argv[1])
for line in sys.stdin:
    try:
        with psycopg.connect(**server.ensure_running(), autocommit=True) as connection:
            cursor = connection.execute(line)
            print(json.dumps(cursor.fetchone() if cursor.description else None), flush=True)
    except psycopg.Error as error:
        print(json.dumps({"error": str(error)}), flush=True)
"""
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


class User:
    """A process of its own that uses the server."""

    def __init__(self, home: Path) -> None:
        argv = [sys.executable, "-c", USER, str(home)]
        self.process = subprocess.Popen(
            argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, sql: str = "SELECT 1") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(sql + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def does(self, sql: str = "SELECT 1") -> Any:
        self.ask(sql)
        return self.answer()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def until(holds: Callable[[], Any], seconds: float = 20.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)
    return found


def gone(home: Path) -> bool:
    """No process of the home's server is left, and no watcher."""
    ours = Server(home).home
    return not locks.is_held(ours.server_lock) and not locks.is_held(ours.watcher_lock)


def watcher_of(home: Path) -> psutil.Process | None:
    for process in psutil.process_iter():
        try:
            command = process.cmdline()
        except psutil.Error:
            continue
        if "agentaudit.postgres.watcher" in command and str(home) in command:
            return process
    return None


def ended(process: psutil.Process) -> bool:
    """Also where nobody collects the dead, as in many containers."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def start_as_account(argv: list[str], **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(argv, cwd="/", **{**server_account().spawn_arguments(), **more})


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that other accounts may pass through, unlike pytest's own."""
    path = Path(tempfile.mkdtemp(prefix="audit-", dir="/tmp")).resolve()
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def filled(folder: Path) -> Iterator[Path]:
    """A home with a database in it that several tests share; each leaves it in working order."""
    home = folder / "shared"
    server = Server(home)
    with psycopg.connect(**server.ensure_running()) as connection:
        connection.execute("CREATE TABLE marks (mark int)")
        connection.execute("INSERT INTO marks VALUES (42)")
    yield home
    server.remove()


@pytest.fixture
def fresh(folder: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A home of the test's own, in which nothing is yet."""
    home = folder / re.sub(r"\W", "-", request.node.name)[:60]
    yield home
    Server(home).remove()


@pytest.fixture
def users() -> Iterator[Callable[[Path], User]]:
    made: list[User] = []

    def make(home: Path) -> User:
        made.append(User(home))
        return made[-1]

    yield make
    for user in made:
        user.kill()


def query(home: Path, sql: str) -> Any:
    with psycopg.connect(**Server(home).ensure_running(), autocommit=True) as connection:
        return connection.execute(sql).fetchone()


def kill_server(home: Path) -> None:
    os.kill(Server(home).status().pid, signal.SIGKILL)
    until(lambda: not Server(home).status().running)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


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


# It refuses, in words


def test_another_version_is_refused_with_the_lines_that_move_it(filled: Path) -> None:
    server = Server(filled)
    server.stop()
    version = server.home.data / "PG_VERSION"
    ours = version.read_text()
    try:
        version.write_text("17\n")
        with pytest.raises(
            EmbeddedPostgresError, match=r"by PostgreSQL 17; this installation has PostgreSQL 18"
        ) as refusal:
            server.ensure_running()
        assert "pg_upgrade" in str(refusal.value)
        assert version.read_text() == "17\n"
        version.write_text("19\n")
        with pytest.raises(EmbeddedPostgresError, match=r"cannot go back"):
            server.ensure_running()
    finally:
        version.write_text(ours)
    assert query(filled, "SELECT mark FROM marks") == (42,)


def made_with_the_old(bin_folder: Path, server: Server) -> None:
    """A data folder such as an agentaudit with that version would have made, with one table in it."""
    account, data, password = server_account(), server.home.data, server.home.password_file.read_text()
    account.run(
        [
            bin_folder / "initdb",
            "-D",
            data,
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C",
            "-k",
            "--auth=reject",
        ]
    )
    account.write(data / "pg_hba.conf", "local all all scram-sha-256\n")
    single = [bin_folder / "postgres", "--single", "-D", data, "-c", "exit_on_error=on", "postgres"]
    account.run(single, text=f"ALTER ROLE postgres PASSWORD '{password}'\n")
    argv = [
        str(bin_folder / "postgres"),
        "-D",
        str(data),
        "-k",
        "/tmp",
        "-p",
        "54992",
        "-c",
        "listen_addresses=",
    ]
    running = start_as_account(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: "ready" in _text(data / "postmaster.pid"))
        access = {"host": "/tmp", "port": 54992, "user": "postgres", "password": password, "autocommit": True}
        with psycopg.connect(dbname="postgres", **access) as connection:
            connection.execute(f"CREATE ROLE agentaudit LOGIN CREATEDB PASSWORD '{password}'")
            connection.execute("CREATE DATABASE agentaudit OWNER agentaudit")
        with psycopg.connect(dbname="agentaudit", **access) as connection:
            connection.execute("CREATE TABLE old_marks AS SELECT 7 AS mark")
            connection.execute("ALTER TABLE old_marks OWNER TO agentaudit")
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(20)


@pytest.mark.slow
def test_the_lines_in_the_refusal_move_the_data(fresh: Path) -> None:
    """Needs an older PostgreSQL on the machine."""
    old = sorted(Path("/usr/lib/postgresql").glob("1[5-7]/bin/initdb"))
    if not old:
        pytest.skip("no older PostgreSQL here; apt-get install postgresql")
    server = Server(fresh)
    server.ensure_running()
    server.stop()
    shutil.rmtree(server.home.data)
    made_with_the_old(old[-1].parent, server)
    with pytest.raises(EmbeddedPostgresError) as refusal:
        server.ensure_running()
    lines = str(refusal.value).split("\n\n")[1]
    done = subprocess.run(["bash", "-e", "-c", lines], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, lines + done.stdout + done.stderr
    assert query(fresh, "SELECT mark FROM old_marks") == (7,)


def test_a_server_that_cannot_start_shows_the_end_of_its_log(filled: Path) -> None:
    server = Server(filled)
    server.stop()
    needed = server.home.data / "global" / "pg_control"
    needed.rename(needed.with_suffix(".away"))
    try:
        with pytest.raises(
            EmbeddedPostgresError, match=r"(?s)ended while it was starting.*postgres\.log.*pg_control"
        ):
            server.ensure_running()
    finally:
        needed.with_suffix(".away").rename(needed)
    assert query(filled, "SELECT mark FROM marks") == (42,)


def test_a_server_that_somebody_else_started_on_the_data_is_left_alone(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(filled)
    server.stop()
    argv = [
        str(programs.for_account(server_account()) / "postgres"),
        "-D",
        str(server.home.data),
        "-k",
        "/tmp",
        "-p",
        "54991",
    ]
    stranger = start_as_account(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: "ready" in _text(server.home.data / "postmaster.pid"))
        with pytest.raises(EmbeddedPostgresError, match=rf"did not start \(pid {stranger.pid}\)"):
            server.ensure_running()
        with monkeypatch.context() as patch:
            patch.setattr(postmaster, "_signal", lambda *arguments: pytest.fail("signalled"))
            server.stop()
        assert stranger.poll() is None
    finally:
        stranger.terminate()
        stranger.wait(20)
    assert query(filled, "SELECT mark FROM marks") == (42,)


def test_a_home_of_somebody_else_or_without_rights_is_refused(folder: Path, tmp_path: Path) -> None:
    if AS_ROOT:
        (tmp_path / "theirs" / "postgres").mkdir(parents=True)
        os.chown(tmp_path / "theirs" / "postgres", 12345, 12345)
        with pytest.raises(EmbeddedPostgresError, match="belongs to 12345"):
            Server(tmp_path / "theirs").ensure_running()
    else:
        with pytest.raises(EmbeddedPostgresError, match="AGENTAUDIT_HOME"):
            Server(Path("/proc/home")).ensure_running()


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


# As root


@pytest.fixture
def roots_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    if not AS_ROOT:
        pytest.skip("only root hands the server to another account")
    path = Path(tempfile.mkdtemp(prefix="audit-root-", dir="/tmp"))
    path.chmod(0o711)
    monkeypatch.setattr(programs, "ROOTS_FOLDER", path)
    yield path
    shutil.rmtree(path)


def test_as_root_the_server_runs_as_an_unprivileged_account(filled: Path) -> None:
    Server(filled).ensure_running()
    owner = psutil.Process(Server(filled).status().pid).uids().real
    assert owner != 0
    assert owner == (server_account().uid if AS_ROOT else os.geteuid())


def test_as_root_the_data_of_a_private_home_lie_where_the_account_may_go(
    roots_folder: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    server = Server(home)
    try:
        assert query(home, "SELECT 1") == (1,)
        place = server.home.cluster.resolve()
        assert place.parent == roots_folder
        assert mode(place) == 0o700
        server.stop()
        moved = place.rename(roots_folder / "elsewhere")
        with pytest.raises(EmbeddedPostgresError, match="which is gone"):
            server.ensure_running()
        moved.rename(place)
        assert query(home, "SELECT 1") == (1,)
    finally:
        server.remove()
    assert list(roots_folder.iterdir()) == []  # its data went with it


@pytest.mark.slow
def test_as_root_programs_in_a_private_folder_are_copied_once(
    roots_folder: Path, fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = tmp_path / "venv"
    private.mkdir(mode=0o700)
    site_packages = programs.installed().parents[2]
    for name in (programs.PACKAGE, f"{programs.PACKAGE}.libs"):
        shutil.copytree(site_packages / name, private / name, ignore=shutil.ignore_patterns("include"))
    monkeypatch.setattr(programs, "installed", lambda: private / programs.BIN)
    assert query(fresh, "SELECT 1") == (1,)
    assert str(roots_folder) in psutil.Process(Server(fresh).status().pid).cmdline()[0]
    (copy,) = roots_folder.iterdir()
    made = copy.stat().st_mtime_ns
    Server(fresh).stop()
    assert query(fresh, "SELECT 1") == (1,)
    assert copy.stat().st_mtime_ns == made
    assert mode(private) == 0o700


def test_as_root_a_folder_that_others_may_change_is_not_trusted(roots_folder: Path) -> None:
    roots_folder.chmod(0o777)
    with pytest.raises(EmbeddedPostgresError, match="may be changed by others"):
        programs.roots_folder()
