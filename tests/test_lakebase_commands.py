"""`manage.py lakebase` and what follows it: least rights, migrations into a schema of its own, a copy that a worker refuses."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from agentaudit.postgres.home import PORT
from tests.commands import Place, free_port, wait_until
from tests.fakes.databricks import Workspace
from tests.fakes.lakebase import ENDPOINT, PRODUCTION, PROJECT, ROLE, Lakebase
from tests.lakebase_tools import DATABASE, Postgres, own_postgres

APP, JOB, READER = "app-principal", "job-principal", "reader@example.com"
PASSWORD = "not-rotated"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


class Site:
    """An installation whose database is the Lakebase of a local workspace; its identity owns the project."""

    def __init__(self, workspace: Workspace, cloud: Lakebase, postgres: Postgres, home: Path) -> None:
        self.workspace, self.cloud, self.postgres = workspace, cloud, postgres
        self.place = Place(
            {
                "PATH": "/usr/bin:/bin", "AGENTAUDIT_HOME": str(home), "SECRET_KEY": "only-for-tests-and-long-enough-to-be-accepted",
                "LAKEBASE_ENDPOINT": ENDPOINT, "PGHOST": postgres.host, "PGPORT": str(PORT), "TRACING": "0", **workspace.environment,
            }
        )  # fmt: skip

    def run(self, *arguments: object, **variables: str) -> str:
        done = self.place.run(*arguments, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def refusal(self, *arguments: object, **variables: str) -> str:
        done = self.place.run(*arguments, **variables)
        assert done.returncode != 0 and "Traceback" not in done.stderr, done.stdout + done.stderr
        return done.stderr

    def as_role(self, role: str) -> psycopg.Connection:
        return self.postgres.superuser(dbname=DATABASE, user=role, password=PASSWORD)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with own_postgres() as postgres, Workspace(tmp_path_factory.mktemp("workspace")) as workspace:
        cloud = Lakebase(workspace, host=postgres.host, login=lambda: PASSWORD)
        with postgres.superuser(dbname=DATABASE) as db:
            owner = sql.Identifier(ROLE)
            db.execute("DROP SCHEMA agentaudit")
            db.execute(sql.SQL("ALTER ROLE {} CREATEROLE PASSWORD {}").format(owner, PASSWORD))
            db.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(sql.Identifier(DATABASE), owner))
        cloud.make_role = make_role(postgres)
        yield Site(workspace, cloud, postgres, tmp_path_factory.mktemp("home"))
        assert workspace.unexpected == []


def make_role(postgres: Postgres) -> Callable[[str], None]:
    def make(name: str) -> None:
        with postgres.superuser() as db:
            db.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(name), PASSWORD))

    return make


@pytest.fixture(scope="module")
def told(site: Site) -> list[str]:
    """What setup says, before and after the migrations, which the app's principal makes; and once more."""
    setup = ("lakebase", "setup", "--app", APP, "--job", JOB, "--reader", READER)
    first = site.run(*setup)
    site.run("migrate", "-v0", LAKEBASE_OWNER="agentaudit_owner", LAKEBASE_ROLE=APP)
    return [first, site.run(*setup), site.run(*setup)]


def test_setup_says_each_thing_it_does_and_may_be_repeated(site, told):
    first, second, third = told
    assert 'CREATE SCHEMA "agentaudit" AUTHORIZATION "agentaudit_owner"' in first
    assert f'GRANT "agentaudit_owner" TO "{APP}"' in first and "LAKEBASE_OWNER=agentaudit_owner" in first
    assert "CREATE" not in second and second == third
    assert [role["spec"]["identity_type"] for role in site.cloud.roles.values()] == ["SERVICE_PRINCIPAL", "SERVICE_PRINCIPAL", "USER"]  # fmt: skip


def test_the_tables_belong_to_the_owner_and_outlive_the_apps_principal(site, told):
    with site.postgres.superuser(dbname=DATABASE) as db:
        owners = db.execute(
            "SELECT DISTINCT tableowner, schemaname FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        )
        assert owners.fetchall() == [("agentaudit_owner", "agentaudit")]


def test_a_reader_sees_the_queue_and_no_secret(site, told):
    with site.as_role(READER) as db:
        assert db.execute("SELECT count(status) FROM agentaudit.tasks").fetchone() == (0,)
        for refused in ("SELECT * FROM agentaudit.auth_user", "SELECT sealed_password FROM agentaudit.tasks", "SELECT * FROM agentaudit.django_session",
                        "UPDATE agentaudit.tasks SET status = 'failed'", "CREATE TABLE agentaudit.x (y int)"):  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(refused)


def test_the_job_may_insert_its_outcome_and_nothing_else(site, told):
    assert "run setup --job once more" in told[0] and "GRANT INSERT" in told[1]
    with site.as_role(JOB) as db:
        row = "agentaudit.attempt_results (attempt, result, sha256) VALUES (gen_random_uuid(), '{}', repeat('0', 64))"
        db.execute(f"INSERT INTO {row}")
        for refused in ("SELECT * FROM agentaudit.attempt_results", "DELETE FROM agentaudit.attempt_results", f"INSERT INTO {row} RETURNING attempt",
                        "SELECT count(status) FROM agentaudit.tasks", "CREATE TABLE agentaudit.x (y int)"):  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(refused)
    with site.as_role(READER) as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
        db.execute("SELECT result FROM agentaudit.attempt_results")


def test_without_setup_the_first_migration_makes_the_schema_and_marks_it(site, told):
    with site.postgres.superuser(dbname=DATABASE) as db:
        db.execute("CREATE DATABASE another")
        db.execute(sql.SQL("ALTER DATABASE another OWNER TO {}").format(sql.Identifier(ROLE)))
    site.run("migrate", "-v0", PGDATABASE="another", LAKEBASE_SCHEMA="audit")
    with site.postgres.superuser(dbname="another") as db:
        marked = db.execute(
            "SELECT obj_description(to_regnamespace('audit'), 'pg_namespace'), to_regclass('audit.tasks') IS NOT NULL"
        )
        assert marked.fetchone() == (PRODUCTION, True)


def test_who_may_not_set_up_is_told(site, told):
    assert "project's owner" in site.refusal("lakebase", "setup", "--app", APP, LAKEBASE_ROLE=READER)


def test_doctor_knows_the_lakebase(site, told):
    report = json.loads(
        site.place.run("doctor", "--json", LAKEBASE_OWNER="agentaudit_owner", LAKEBASE_ROLE=APP).stdout
    )
    found = {finding["subject"]: finding for finding in report["findings"]}
    assert found["Lakebase"]["level"] == "ok" and f"a token for {ENDPOINT}" in found["Lakebase"]["sentence"]
    assert found["schema"]["level"] == "ok" and found["wake-ups"]["level"] == "ok"


def test_an_app_listens_where_told_serves_whom_the_proxy_names_and_stops_in_time(site, told):
    port = free_port()
    app = {
        "DATABRICKS_APP_NAME": "audit", "DATABRICKS_APP_PORT": str(port), "PUBLIC_URL": "https://audit.example.com", "TRUST_DATABRICKS_IDENTITY": "1",
        "LAKEBASE_OWNER": "agentaudit_owner", "LAKEBASE_ROLE": APP, "WEB_WORKERS": "1",
    }  # fmt: skip
    process = site.place.begin("up", **app)
    try:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/",
            headers={
                "Host": "audit.example.com",
                "X-Forwarded-Proto": "https",
                "X-Forwarded-Email": "anna@example.com",
            },
        )
        wait_until(lambda: "anna@example.com" in page(request), 90, "the pages")
    finally:
        process.terminate()
        process.communicate(timeout=15)
    assert process.returncode == 0


def page(request: urllib.request.Request) -> str:
    try:
        return urllib.request.urlopen(request, timeout=30).read().decode()
    except OSError:
        return ""


def test_a_worker_refuses_a_copy_unless_told(site, told):
    until_idle = ("worker", "--until-idle", "--slots", 1)
    site.run(*until_idle, LAKEBASE_OWNER="agentaudit_owner")
    said = site.run("lakebase", "branch", "create", "debug", "--days", 2)
    assert f"{PROJECT}/branches/debug/endpoints/primary" in said
    there = {
        "LAKEBASE_ENDPOINT": f"{PROJECT}/branches/debug/endpoints/primary",
        "LAKEBASE_OWNER": "agentaudit_owner",
    }
    refusal = site.refusal(*until_idle, **there)
    assert f"is a copy of {PRODUCTION}" in refusal and "--on-branch debug" in refusal
    assert "is a copy" in site.refusal("sweeper", "--once", **there)
    site.run(*until_idle, "--on-branch", "debug", **there)
