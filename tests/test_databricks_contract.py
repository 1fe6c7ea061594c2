"""The same code against a real workspace, which the environment names: `make test-databricks`. Skipped, and saying so, everywhere else."""

from __future__ import annotations

import io
import os
import secrets
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.db import connection

from tasks import databricks
from tasks.agent.contract import Completed
from tasks.agent.schema import ready_made
from tasks.costs import warehouse
from tasks.management.checkups import Level, bill, job
from tasks.storage import get_storage
from tests.ocr_tools import scan_of
from tests.pdfs import outcome_of
from tests.samples.generate import FOLDER

INVOICE = FOLDER / "01-invoice-english.pdf"

pytestmark = pytest.mark.skipif(
    "DATABRICKS_CONTRACT" not in os.environ,
    reason="no workspace: set DATABRICKS_HOST, a login and what is to be tried (README, Settings), then: make test-databricks",
)


def needs(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not os.environ.get(name), reason=f"{name} is not set")


def test_the_workspace_knows_who_we_are():
    assert databricks.client().current_user.me().user_name


@needs("LAKEBASE_ENDPOINT")
def test_a_login_for_the_database_is_had_and_replaced(django_db_blocker):
    with django_db_blocker.unblock():
        for _ in range(2):
            with connection.connect_plain("agentaudit contract") as raw:
                assert raw.execute("SELECT 1").fetchone() == (1,) and raw.pgconn.ssl_in_use
            connection.credentials.refused(connection.credentials.password())


@needs("STORAGE_URL")
def test_the_volume_keeps_what_is_written(settings):
    settings.STORAGE_URL = os.environ["STORAGE_URL"]
    get_storage.cache_clear()
    name, content = f"attempts/contract-{secrets.token_hex(8)}.json", secrets.token_bytes(1000)
    get_storage().put(name, io.BytesIO(content))
    try:
        with get_storage().open(name) as stored:
            assert stored.read() == content
    finally:
        get_storage().delete(name)


@needs("DATABRICKS_JOB_ID")
def test_the_job_takes_our_runs():
    assert [finding.sentence for finding in job.takes_our_runs() if finding.level is Level.FAULT] == []


@needs("BILLING_WAREHOUSE_ID")
def test_the_warehouse_sees_the_bill():
    since = (datetime.now(UTC) - timedelta(days=3)).date().isoformat()
    ((_day, prices),) = warehouse.ask(
        databricks.client(), settings.BILLING_WAREHOUSE_ID, bill.PROBE, {"since": since}
    )
    assert int(prices or 0) > 0


@needs("CONTRACT_AI_FUNCTIONS")
def test_the_workspaces_own_functions_answer_in_the_form_that_is_read(tmp_path):
    """Costs two calls. Lists, citations and parsed elements are in the form that tests/fakes/aifunctions.py stands for."""
    asked = {"schema": ready_made()["invoice"].model_dump(mode="json"), "model": "ai_extract"}
    outcome = outcome_of(INVOICE, program="databricks-ai-extract", settings=asked)
    assert isinstance(outcome, Completed) and outcome.result, outcome
    (record,) = outcome.result.records
    assert record.fields["total"].value == "725.40" and record.fields["total"].evidence
    assert len(record.lines) == 3 and not any(
        "cites" in str(value.reasons) for value in record.fields.values()
    )
    scan = scan_of(INVOICE, tmp_path / "scan.pdf")
    outcome = outcome_of(scan, program="rules", settings={"ocr_engine": "databricks"})
    assert isinstance(outcome, Completed) and outcome.result, outcome
    assert outcome.result.records[0].fields["total"].value == "725.40"
