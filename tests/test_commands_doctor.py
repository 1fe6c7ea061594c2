"""`manage.py doctor`: finds what is wrong and says what to do about it."""

from __future__ import annotations

import io
import json
import os
import platform
import re
import select
import socket
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from psycopg.sql import SQL, Identifier

from tasks import notify, operations
from tasks.agent import second_engine
from tasks.audit import Actor
from tasks.management import checkups, room
from tasks.management.checkups import Level, database, machine, running
from tasks.management.hands import workers_alive
from tasks.models import Agent, Worker
from tasks.storage import get_storage
from tests import factories
from tests.database import superuser


def levels(findings) -> list[Level]:
    return [finding.level for finding in findings]


def test_all_is_well_in_a_fresh_place_and_nothing_is_changed(place):
    run = place.run("doctor", "--json")
    report = json.loads(run.stdout)
    assert run.returncode == 0 and report["ok"] is True, run.stdout
    subjects = {finding["subject"] for finding in report["findings"]}
    assert subjects >= {"settings", "database", "schema", "storage", "disk", "PDFs", "attempts"}
    assert (
        next(finding["level"] for finding in report["findings"] if finding["subject"] == "schema") == "hint"
    ), "migrations wait"


def test_a_database_that_is_away_is_one_fault_with_advice_and_the_rest_is_still_looked_at(place):
    run = place.run("doctor", DATABASE_URL="postgres://nobody:secretword@127.0.0.1:1/nothing")
    assert run.returncode == 1
    assert "FAULT" in run.stdout and "DATABASE_URL" in run.stdout and "attempts" in run.stdout
    assert "\ufffd" not in run.stdout and "1 thing does not work" in run.stdout
    assert "Traceback" not in run.stderr and "secretword" not in run.stdout + run.stderr


@pytest.mark.parametrize(
    "command", [("worker", "--until-idle"), ("sweeper", "--once"), ("costs",), ("why", "1")]
)
def test_a_database_that_is_older_than_the_program_is_told_in_one_sentence(place, command):
    run = place.run(*command)
    assert run.returncode == 1
    assert re.search(r"\d+ migrations wait\. `manage\.py migrate` runs them", run.stderr)
    assert "Traceback" not in run.stderr


def test_each_thing_is_told_as_soon_as_it_is_known(place):
    """Something that does not answer holds up what comes after it, and nothing that is known already."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"http://127.0.0.1:{silent.getsockname()[1]}"
        process = place.begin("doctor", TRACING="1", MLFLOW_TRACKING_URI=uri)
        try:
            silent.settimeout(60)
            silent.accept()
            # Whoever waits for the traces has said what came before them
            assert select.select([process.stdout], [], [], 0)[0]
            said = os.read(process.stdout.fileno(), 1 << 16).decode()
            assert "settings" in said and "attempts" in said and process.poll() is None
        finally:
            process.kill()
            process.communicate()


@pytest.mark.parametrize(
    ("url", "unsure"), [("http://127.0.0.1:8000", True), ("https://audit.example.com", False)]
)
def test_the_port_of_pages_that_were_started_elsewhere_is_not_claimed_to_be_known(
    settings, monkeypatch, url: str, unsure: bool
):
    settings.PORT, settings.PUBLIC_URL = 8000, url
    monkeypatch.setattr(machine.checks, "run_checks", lambda **_: [])
    [found] = machine.settings_fit()
    assert f"Pages at {url}" in found.sentence
    assert ("the port that they were started with" in found.sentence) == unsure


@pytest.mark.django_db
def test_a_database_in_use_passes_and_wakes_listeners():
    assert Level.FAULT not in levels(database.can_be_used())
    assert levels(database.wakes_listeners()) in ([Level.OK], [Level.HINT])
    assert levels(database.clock_agrees()) == [Level.OK]


@pytest.mark.django_db
def test_a_version_that_is_not_known_is_a_fault(monkeypatch):
    monkeypatch.setattr(database, "NEWEST", 14)
    assert levels(database.can_be_used()) == [Level.FAULT]


@pytest.mark.django_db
def test_a_database_that_a_newer_version_has_changed_is_told():
    assert levels(database.schema_is_current()) == [Level.OK]
    MigrationRecorder(connection).record_applied("tasks", "9999_of_tomorrow")
    (found,) = database.schema_is_current()
    assert found.level is Level.FAULT and "tasks.9999_of_tomorrow" in found.sentence


@pytest.mark.django_db
def test_a_transaction_that_is_held_open_is_named(monkeypatch):
    monkeypatch.setattr(database, "LONG_MINUTES", 0.0)
    with notify.connect("analyst") as other, other.transaction():
        other.execute("SELECT 1")
        (found,) = database.nothing_is_held_open()
        pid = other.info.backend_pid
    assert found.level is Level.HINT and "agentaudit analyst" in found.sentence
    assert f"process {pid}" in found.sentence and f"pg_terminate_backend({pid})" in found.advice
    monkeypatch.undo()
    assert not list(database.nothing_is_held_open())


@pytest.mark.django_db
def test_the_connections_that_are_left_are_counted_below_whichever_limit_comes_first():
    def sentences() -> list[str]:
        return [found.sentence for found in database.can_be_used() if "connections" in found.sentence]

    assert sentences() == [], "with hardly anybody here"
    limit = SQL("ALTER {} {} CONNECTION LIMIT {}")
    of_database = SQL("DATABASE"), Identifier(connection.settings_dict["NAME"])
    with superuser() as server:
        server.execute(limit.format(*of_database, 1))
        try:
            (found,) = sentences()
        finally:
            server.execute(limit.format(*of_database, -1))
        assert found.startswith("0 more connections are free for this role")
        with server.transaction(force_rollback=True):
            server.execute(limit.format(SQL("ROLE"), Identifier(server.info.user), 1))
            assert room.Room(*server.execute(room.QUERY).fetchone()).left <= 0


@pytest.mark.django_db
def test_clocks_that_disagree_are_told(monkeypatch):
    now = database.time.time
    monkeypatch.setattr(database.time, "time", lambda: now() + 10)
    assert levels(database.clock_agrees()) == [Level.HINT]
    monkeypatch.setattr(database.time, "time", lambda: now() - 1000)
    assert levels(database.clock_agrees()) == [Level.FAULT]


def test_a_storage_that_cannot_be_written_is_a_fault(settings, tmp_path):
    from tasks.storage import get_storage

    assert levels(machine.storage_keeps_files()) == [Level.OK]
    (tmp_path / "file").write_text("in the way")
    settings.STORAGE_URL = f"file:{tmp_path / 'file' / 'storage'}"
    get_storage.cache_clear()
    assert levels(machine.storage_keeps_files()) == [Level.FAULT]


def test_a_disk_without_room_is_told(monkeypatch):
    monkeypatch.setattr(machine, "DISK_HINT_GIB", 10**9)
    assert set(levels(machine.disks_have_room())) == {Level.HINT}
    monkeypatch.setattr(machine, "DISK_FAULT_GIB", 10**9)
    assert set(levels(machine.disks_have_room())) == {Level.FAULT}


@pytest.mark.django_db
def test_more_slots_than_memory_are_told_with_the_number_that_fits(settings, monkeypatch):
    monkeypatch.setattr(machine, "memory_bytes", lambda: 8 * machine.GIB)
    settings.WORKER_SLOTS = 3  # 3 × 1.5 GiB = 4.5 of 5.6
    assert levels(machine.memory_suffices()) == [Level.OK]
    settings.WORKER_SLOTS = 4
    (finding,) = machine.memory_suffices()
    assert finding.level is Level.HINT and "WORKER_SLOTS=3" in finding.advice


def test_attempts_run_here_and_a_broken_reader_is_told(monkeypatch):
    assert levels(running.pdfs_can_be_opened()) == [Level.OK]
    assert levels(running.attempts_can_run()) == [Level.OK]
    monkeypatch.setattr(running, "PDF", b"no pdf")
    (finding,) = running.attempts_can_run()
    assert finding.level is Level.FAULT and "not a PDF" in finding.sentence


@pytest.mark.django_db
def test_a_worker_is_alive_while_it_is_heard_and_its_process_is_there():
    now = factories.database_now()
    fields = {"version": "", "started_at": now, "heartbeat_at": now, "slots": 4}
    here = Worker.objects.create(id=uuid.uuid4(), host=platform.node(), pid=os.getpid(), **fields)
    elsewhere = Worker.objects.create(id=uuid.uuid4(), host="elsewhere", pid=2**22 + 1, **fields)
    Worker.objects.create(id=uuid.uuid4(), host=platform.node(), pid=2**22 + 1, **fields)  # no such process
    Worker.objects.create(id=uuid.uuid4(), host="elsewhere", pid=1, **fields, stopped_at=now)
    Worker.objects.create(id=uuid.uuid4(), host="elsewhere", pid=1, **fields, stopping_at=now)
    Worker.objects.create(
        id=uuid.uuid4(), host="elsewhere", pid=1, **fields | {"heartbeat_at": now - timedelta(hours=1)}
    )
    Worker.objects.create(id=uuid.uuid4(), host="elsewhere", pid=1, **fields | {"slots": 0})  # only sweeps
    assert {worker.pk for worker in workers_alive()} == {here.pk, elsewhere.pk}
    assert levels(running.somebody_works()) == [Level.OK]


@pytest.mark.django_db
def test_waiting_work_without_a_worker_is_a_fault():
    assert levels(running.somebody_works()) == [Level.HINT]
    client = factories.make_client()
    factories.make_task(
        factories.make_extraction(client, factories.make_agent()), factories.make_document(client)
    )
    assert levels(running.somebody_works()) == [Level.FAULT]


@pytest.mark.django_db
def test_a_storage_that_is_not_the_one_that_was_handed_in_to_is_a_fault(settings, tmp_path):
    client = factories.make_client()
    factories.make_document(client, storage_name="")  # as pruning leaves it
    assert levels(running.documents_are_here()) == []
    documents = [factories.make_document(client) for _ in range(9)]
    factories.make_document(client, storage_name="")
    get_storage().put(documents[-2].storage_name, io.BytesIO(b"x"))
    assert levels(running.documents_are_here()) == [], "what was lost since is told when it is read"
    settings.STORAGE_URL = f"file:{tmp_path / 'of another machine'}"
    get_storage.cache_clear()
    (found,) = running.documents_are_here()
    assert found.level is Level.FAULT and "of another machine" in found.sentence


@pytest.mark.django_db
def test_what_is_paused_is_named():
    agent = factories.make_agent("reader")
    assert "Paused" not in str(list(running.somebody_works()))
    operations.pause(Actor.system("test"), agent, "night")
    [_, paused] = running.somebody_works()
    assert paused.level == Level.HINT and "reader" in paused.sentence


def test_every_finding_that_is_not_well_says_what_to_do(settings):
    settings.LEASE_SECONDS, settings.HEARTBEAT_SECONDS = 60, 40
    findings = list(machine.settings_fit())
    assert Level.FAULT in levels(findings)
    assert all(finding.advice for finding in findings if finding.level is not checkups.Level.OK)


def test_doctor_says_whether_scans_can_be_read(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    (missing,) = running.scans_can_be_read()
    assert missing.level is Level.HINT and "apt-get install tesseract-ocr" in missing.advice
    engine = tmp_path / "tesseract"
    engine.write_text("#!/bin/sh\necho 'List of available languages (3):'\necho deu; echo eng; echo osd\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    (there,) = running.scans_can_be_read()
    assert there.level is Level.OK and there.sentence.endswith("in deu, eng.")
    engine.write_text("#!/bin/sh\nexit 3\n")
    (broken,) = running.scans_can_be_read()
    assert broken.level is Level.FAULT


@pytest.mark.django_db
def test_an_installed_second_engine_that_no_agent_has_the_memory_for_is_told(monkeypatch):
    assert (running.SECOND_ENGINE, running.SECOND_ENGINE_MIB) == (
        second_engine.MODULES,
        second_engine.MEMORY_MIB,
    )
    monkeypatch.setattr(running, "find_spec", lambda name: None)
    assert levels(running.second_engine_is_tried()) == []
    monkeypatch.setattr(running, "find_spec", lambda name: name)
    agent = factories.make_agent(program="rules")
    (idle,) = running.second_engine_is_tried()
    assert idle.level is Level.HINT and "3,072 MiB" in idle.sentence and "admin" in idle.advice
    Agent.objects.filter(pk=agent.pk).update(memory_mib=3072)
    (used,) = running.second_engine_is_tried()
    assert used.level is Level.OK and agent.name in used.sentence
