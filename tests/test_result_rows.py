"""Outcomes that runs insert as rows: under a real role that may only insert, believed by their signature alone, gone when they were taken."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connection
from psycopg import sql
from psycopg.types.json import Json

from agentaudit.postgres.base import connection_kwargs
from tasks import callbacks, databricks, events, queue
from tasks.agent import result_rows, signatures
from tasks.agent.contract import Code, ResultTable, parse_event, row_name
from tasks.executors import databricks as module
from tasks.management import principals
from tasks.management.checkups import Level, results
from tasks.models import Attempt, AttemptResult, Delivery
from tasks.orders import callback_secrets, outcome_name
from tasks.queue import inbox
from tasks.states import AttemptStatus
from tasks.storage import get_storage
from tests import callback_tools as tools
from tests.database import superuser
from tests.fakes.databricks import CLIENT_ID
from tests.fakes.fleet import JobFleet
from tests.fakes.lakebase import ENDPOINT, INSTANCE, Lakebase

pytest_plugins = ["tests.fakes.fixtures"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cloud(on_databricks, settings, monkeypatch) -> Iterator[Lakebase]:
    """The test database as the Lakebase of the local workspace; runs have the role of its principal, made and granted by our setup."""
    parameters = connection_kwargs(connection.settings_dict)
    settings.LAKEBASE_ENDPOINT, settings.LAKEBASE_SCHEMA = ENDPOINT, "public"
    settings.RESULT_TRANSPORT = "lakebase"
    monkeypatch.setitem(settings.DATABASES["default"], "PORT", str(parameters.get("port") or 5432))
    monkeypatch.setattr(result_rows, "SSLMODE", "prefer")  # the tests' server has no certificate
    monkeypatch.setattr(databricks, "PATIENT", (2.0, 3))
    monkeypatch.setattr(module, "REST_SECONDS", 0.05)
    job = sql.Identifier(CLIENT_ID)
    with superuser() as db:
        db.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'a token of this hour'").format(job))
        principals.Setup(db, lambda _said: None)._let_insert(CLIENT_ID)
        yield Lakebase(on_databricks, host=parameters["host"], login=lambda: "a token of this hour")
        db.execute(sql.SQL("DROP OWNED BY {}").format(job))
        db.execute(sql.SQL("DROP ROLE {}").format(job))


@pytest.fixture
def fleet(cloud, on_databricks) -> Iterator[JobFleet]:
    fleet = JobFleet(on_databricks)
    yield fleet
    fleet.close()


def as_job() -> psycopg.Connection:
    parameters = connection_kwargs(connection.settings_dict)
    return psycopg.connect(**parameters | {"user": CLIENT_ID, "password": "a token of this hour"}, autocommit=True)  # fmt: skip


def sealed(attempt: UUID, event: dict, signer: UUID | None = None) -> dict:
    """An envelope as a run would make it; signed with `signer`'s secret if that is another attempt."""
    body = json.dumps(event)
    secret = callback_secrets(signer or attempt)[0]
    return {
        "headers": signatures.headers(secret, f"outcome-{attempt}", int(time.time()), body.encode()),
        "body": body,
    }


def put(attempt: UUID, envelope: dict) -> str:
    """Insert as the job's principal; the digest of what was inserted."""
    digest = hashlib.sha256(envelope["body"].encode()).hexdigest()
    with as_job() as db:
        db.execute("INSERT INTO attempt_results (attempt, result, sha256) VALUES (%s, %s, %s)", (attempt, Json(envelope), digest))  # fmt: skip
    return digest


def named(attempt: UUID, digest: str) -> dict:
    return tools.body_of(
        attempt, "completed", result=None, result_uri=row_name(attempt), result_sha256=digest
    )


def has_file(attempt: UUID) -> bool:
    return outcome_name(attempt) in set(get_storage().names("attempts/"))


# A run of the job


def test_a_task_is_completed_by_the_row_of_its_run_where_every_callback_is_lost(fleet, cloud):
    [task] = fleet.submit(fleet.agent())
    fleet.until(lambda: fleet.status(task) == "completed", fleet.worker())
    [attempt] = fleet.attempts(task)
    assert attempt.result["kind"] == "invoice" and cloud.minted == 1
    assert AttemptResult.objects.filter(pk=attempt.pk).exists() and not has_file(attempt.pk)


def test_the_callback_only_names_the_row(fleet):
    [task] = fleet.submit(fleet.agent())
    fleet.until(lambda: fleet.status(task) == "completed", fleet.worker())
    [attempt] = fleet.attempts(task)
    said = [parse_event(body) for body in fleet.ear.heard][-1]
    row = AttemptResult.objects.get(pk=attempt.pk)
    assert (said.result, said.result_uri) == (None, f"attempt_results/{attempt.pk}")
    assert said.result_sha256 == row.sha256


def test_a_program_that_fails_says_so_by_its_row(fleet):
    [task] = fleet.submit(fleet.agent("fails"))
    fleet.until(lambda: fleet.status(task) == "failed", fleet.worker())
    [attempt] = fleet.attempts(task)
    assert attempt.error_code == Code.CORRUPT and AttemptResult.objects.filter(pk=attempt.pk).exists()


@pytest.mark.parametrize("closed", ["the grant", "the workspace", "the row"])
def test_a_run_that_cannot_insert_leaves_its_file(fleet, cloud, monkeypatch, closed):
    if closed == "the grant":
        with superuser() as db:
            db.execute(sql.SQL("REVOKE INSERT ON attempt_results FROM {}").format(sql.Identifier(CLIENT_ID)))
            db.execute(sql.SQL("REVOKE INSERT (attempt) ON attempt_results FROM {}").format(sql.Identifier(CLIENT_ID)))  # fmt: skip
    elif closed == "the workspace":
        cloud.branches.clear()
    [task] = fleet.submit(fleet.agent("completes"))
    worker = fleet.worker()
    if closed == "the row":  # somebody else's stands there
        original = result_rows.insert

        def too_late(table, attempt, envelope):
            put(attempt, sealed(attempt, tools.body_of(attempt, "failed"), signer=uuid4()))
            return original(table, attempt, envelope)

        monkeypatch.setattr(result_rows, "insert", too_late)
    fleet.until(lambda: fleet.status(task) == "completed", worker)
    [attempt] = fleet.attempts(task)
    assert attempt.result["kind"] == "invoice" and has_file(attempt.pk)


def test_no_order_holds_a_password_or_a_token(fleet, cloud):
    fleet.workspace.jobs.runner = lambda jobs, run: None
    [task] = fleet.submit(fleet.agent())
    fleet.until(fleet.runs, fleet.worker())
    [attempt] = fleet.attempts(task)
    with get_storage().open(f"attempts/{attempt.pk}.in.json") as file:
        order = json.load(file)
    assert order["result_table"] == {
        "endpoint": ENDPOINT, "instance": "", "database": connection.settings_dict["NAME"], "schema_name": "public",
        "port": order["result_table"]["port"],
    }  # fmt: skip
    assert cloud.minted == 0 and "token of this hour" not in json.dumps(order)


# What the job's principal may


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM attempt_results",
        "SELECT attempt FROM attempt_results",
        "UPDATE attempt_results SET sha256 = sha256",
        "DELETE FROM attempt_results",
        "TRUNCATE attempt_results",
        "INSERT INTO attempt_results (attempt, result, sha256) VALUES (gen_random_uuid(), '{}', repeat('0', 64)) RETURNING attempt",
        "INSERT INTO attempt_results (attempt, result, sha256, created_at) VALUES (gen_random_uuid(), '{}', repeat('0', 64), now())",
        "SELECT * FROM tasks",
        "SELECT * FROM task_attempts",
    ],
)
def test_the_jobs_login_may_insert_and_nothing_else(cloud, statement):
    attempt = uuid4()
    put(attempt, sealed(attempt, tools.body_of(attempt, "completed")))
    with as_job() as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
        db.execute(statement)


def table_of(**place: str) -> ResultTable:
    parameters = connection_kwargs(connection.settings_dict)
    port = int(parameters.get("port") or 5432)
    return ResultTable(**place, database=parameters["dbname"], schema_name="public", port=port)


@pytest.mark.parametrize("place", [{"endpoint": ENDPOINT}, {"instance": INSTANCE}])
def test_a_second_insert_changes_nothing_and_says_so(cloud, place):
    attempt, table = uuid4(), table_of(**place)
    first = sealed(attempt, tools.body_of(attempt, "completed"))
    assert result_rows.insert(table, attempt, first)
    assert not result_rows.insert(table, attempt, sealed(attempt, tools.body_of(attempt, "failed")))
    assert AttemptResult.objects.get(pk=attempt).result == first


def test_doctor_says_whether_runs_may_insert_and_nothing_else(cloud):
    [finding] = results.may_only_be_inserted()
    assert finding.level is Level.OK and CLIENT_ID in finding.sentence
    role = sql.Identifier(CLIENT_ID)
    with superuser() as db:
        db.execute(sql.SQL("GRANT UPDATE ON attempt_results TO {}").format(role))
        [finding] = results.may_only_be_inserted()
        assert finding.level is Level.FAULT and "INSERT, UPDATE" in finding.sentence
        db.execute(sql.SQL("REVOKE ALL ON attempt_results FROM {}").format(role))
    [finding] = results.may_only_be_inserted()
    assert finding.level is Level.FAULT and "setup --job" in finding.advice


# What the orchestrator believes


def test_a_row_that_another_attempt_has_signed_is_not_believed(cloud, client):
    mine, other = (row.attempt_id for row in tools.claim_attempts(2))
    digest = put(other, sealed(other, tools.body_of(other, "completed"), signer=mine))
    assert callbacks.left_outcome(other) is None
    answer = tools.post(client, other, named(other, digest))
    assert answer.status_code == 422 and b"that this attempt has signed" in answer.content
    assert Attempt.objects.get(pk=other).finished_at is None


def test_a_callback_that_names_its_row_is_applied_once(cloud, client):
    [row] = tools.claim_attempts()
    attempt = row.attempt_id
    digest = put(attempt, sealed(attempt, tools.body_of(attempt, "completed")))
    assert tools.post(client, attempt, named(attempt, "0" * 64)).status_code == 422
    assert tools.post(client, attempt, named(attempt, digest), message_id="once").status_code == 200
    assert tools.post(client, attempt, named(attempt, digest), message_id="twice").status_code == 200
    found = Attempt.objects.get(pk=attempt)
    assert found.status == AttemptStatus.COMPLETED and found.result["kind"] == "invoice"
    outcomes = Delivery.objects.filter(attempt=attempt).order_by("id").values_list("outcome", flat=True)
    assert outcomes[0] == "applied" and outcomes[1] != "applied"


def test_a_row_that_names_itself_is_no_result(cloud, client):
    [row] = tools.claim_attempts()
    attempt = row.attempt_id
    digest = put(attempt, sealed(attempt, named(attempt, "0" * 64)))
    assert callbacks.left_outcome(attempt) is None
    assert tools.post(client, attempt, named(attempt, digest)).status_code == 422


def test_a_row_goes_when_its_attempt_has_ended_and_not_before(cloud):
    [row] = tools.claim_attempts()
    running, unknown = row.attempt_id, uuid4()
    for attempt in (running, unknown):
        put(attempt, sealed(attempt, tools.body_of(attempt, "completed")))
    db = queue.connection()
    assert inbox.prune_results(db, most=10) == 0, "a callback may still name it"
    with superuser() as admin:
        admin.execute("UPDATE attempt_results SET created_at = now() - interval '2 hours'")
    assert inbox.prune_results(db, most=10) == 1
    assert [kept.pk for kept in AttemptResult.objects.all()] == [running]
    events.apply(db, [events.News(running, callbacks.left_outcome(running), ended=True)])
    assert inbox.prune_results(db, most=10) == 1
