"""Puts an attempt's outcome into the orchestrator's Lakebase as one row, as whoever this run is in the workspace, who may only insert.

A run whose row cannot be inserted leaves its outcome file instead: two ways, one of which may be closed.
"""

from __future__ import annotations

import hashlib
import logging
from contextlib import closing
from typing import Any
from uuid import UUID, uuid4

from tasks.agent.contract import Completed, Failed, ResultTable, row_name

log = logging.getLogger(__name__)

ANSWER_SECONDS, RETRY_SECONDS, CONNECT_SECONDS = 10, 15, 15
"""Of one request to the workspace, of the SDK's own retries, and of the database, which may have to wake up."""
SSLMODE = "require"
NEEDED = "databricks-sdk and psycopg have to be installed: the wheel's extra “lakebase”"


def insert(table: ResultTable, attempt: UUID, sealed: dict[str, Any]) -> bool:
    """Whether the sealed outcome stands in the table now, durably. Never raises."""
    try:
        import psycopg
        from psycopg import sql
        from psycopg.types.json import Json

        # Without a conflict target: naming one would need the right to read
        statement = sql.SQL(
            "INSERT INTO {}.attempt_results (attempt, result, sha256) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
        ).format(sql.Identifier(table.schema_name))
        with closing(psycopg.connect(**_login(table), autocommit=True)) as db:
            done = db.execute(statement, (attempt, Json(sealed), sha256_of(sealed)))
            if not done.rowcount:
                # Ours, whose answer was lost, or somebody else's: a run may not look
                log.warning("There is a row for attempt %s already.", attempt)
            return done.rowcount == 1
    except ImportError as error:
        log.warning("The outcome cannot be inserted (%s): %s.", error, NEEDED)
    except Exception as error:  # noqa: BLE001 - the workspace, the SDK or the database: the outcome file is there for all of them
        # Messages of the SDK may quote its configuration
        log.warning("The outcome could not be inserted into the database (%s).", type(error).__name__)
    return False


def as_named(outcome: Completed | Failed, sealed: dict[str, Any]) -> Completed | Failed:
    """How an outcome is spoken whose row is inserted: a result by the name of its row."""
    if isinstance(outcome, Failed):
        return outcome
    name, digest = row_name(outcome.attempt), sha256_of(sealed)
    return outcome.model_copy(update={"result": None, "result_uri": name, "result_sha256": digest})


def sha256_of(sealed: dict[str, Any]) -> str:
    return hashlib.sha256(str(sealed["body"]).encode()).hexdigest()


def _login(table: ResultTable) -> dict[str, Any]:
    """Where the database is and as whom, with a token of this moment: asked of the workspace, so that no order holds a password."""
    from databricks.sdk import WorkspaceClient
    from databricks.sdk.core import Config

    client = WorkspaceClient(
        config=Config(http_timeout_seconds=ANSWER_SECONDS, retry_timeout_seconds=RETRY_SECONDS)
    )
    host, token = _provisioned(client, table) if table.instance else _autoscaling(client, table)
    return {
        "host": host,
        "port": table.port,
        "dbname": table.database,
        "user": client.config.client_id or client.current_user.me().user_name,
        "password": token,
        "sslmode": SSLMODE,
        "connect_timeout": CONNECT_SECONDS,
        "application_name": "agentaudit job",
    }


def _autoscaling(client: Any, table: ResultTable) -> tuple[str | None, str | None]:
    host = client.postgres.get_endpoint(table.endpoint).status.hosts.host
    return host, client.postgres.generate_database_credential(table.endpoint).token


def _provisioned(client: Any, table: ResultTable) -> tuple[str | None, str | None]:
    host = client.database.get_database_instance(table.instance).read_write_dns
    made = client.database.generate_database_credential(
        instance_names=[table.instance], request_id=str(uuid4())
    )
    return host, made.token
