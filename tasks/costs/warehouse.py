"""One statement on a Databricks SQL warehouse: asked, waited for, its result read to the last chunk. Errors in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tasks import databricks

if TYPE_CHECKING:
    from databricks.sdk import WorkspaceClient
    from databricks.sdk.service.sql import StatementResponse

Row = list[str | None]
FIRST_WAIT = "30s"
"""How long the first request itself waits; a warehouse that sleeps takes longer to start than any request may."""
PATIENCE_SECONDS, LONGEST_PAUSE = 600.0, 5.0


class WarehouseError(Exception):
    """The statement has no result; one or two sentences: what happened and what to do."""


def ask(
    client: WorkspaceClient,
    warehouse: str,
    statement: str,
    parameters: Mapping[str, str],
    sleep: Callable[[float], None] = time.sleep,
) -> list[Row]:
    """The rows, every cell as text or None. Raises WarehouseError.

    A statement that failed is an answer like any other (HTTP 200), and a state that the SDK does not know yet is None: both are
    looked at here, so that neither passes for an empty result.
    """
    from databricks.sdk.service.sql import (
        Disposition,
        ExecuteStatementRequestOnWaitTimeout,
        Format,
        StatementParameterListItem,
    )

    try:
        answer = client.statement_execution.execute_statement(
            statement,
            warehouse,
            parameters=[StatementParameterListItem(name, value=value) for name, value in parameters.items()],
            wait_timeout=FIRST_WAIT,
            on_wait_timeout=ExecuteStatementRequestOnWaitTimeout.CONTINUE,
            disposition=Disposition.INLINE,
            format=Format.JSON_ARRAY,
        )
        return _rows(client, _ended(client, warehouse, answer, sleep))
    except WarehouseError:
        raise
    except Exception as error:
        raise WarehouseError(
            f"The warehouse {warehouse} cannot be asked: {databricks.in_words(error)}. BILLING_WAREHOUSE_ID is its id; the principal "
            "needs CAN USE on it."
        ) from error


def _ended(
    client: WorkspaceClient, warehouse: str, answer: StatementResponse, sleep: Callable[[float], None]
) -> StatementResponse:
    from databricks.sdk.service.sql import StatementState as S

    deadline, pause = time.monotonic() + PATIENCE_SECONDS, 0.5
    while (state := answer.status.state if answer.status else None) in (S.PENDING, S.RUNNING, None):
        if time.monotonic() > deadline:
            client.statement_execution.cancel_execution(answer.statement_id or "")
            raise WarehouseError(
                f"The warehouse {warehouse} did not answer within {PATIENCE_SECONDS / 60:.0f} minutes. Is it allowed to start?"
            )
        sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
        answer = client.statement_execution.get_statement(answer.statement_id or "")
    if state is not S.SUCCEEDED:
        raise WarehouseError(_refusal(warehouse, state, answer.status.error if answer.status else None))
    return answer


def _refusal(warehouse: str, state: Any, error: Any) -> str:
    said = (error.message or "").strip() if error else ""
    advice = ""
    if any(word in said for word in ("PERMISSION", "privilege", "does not exist", "cannot be found")):
        advice = (
            " The principal needs USE CATALOG on system, USE SCHEMA on system.billing and SELECT on system.billing.usage and "
            "system.billing.list_prices; an account admin has to have enabled that schema."
        )
    return f"The warehouse {warehouse} ended the statement as {state.value}: {said or 'no reason given'}.{advice}"


def _rows(client: WorkspaceClient, answer: StatementResponse) -> list[Row]:
    found: list[Row] = []
    part = answer.result
    while part is not None:
        found.extend(list(row) for row in part.data_array or ())
        if part.next_chunk_index is None:
            break
        part = client.statement_execution.get_statement_result_chunk_n(
            answer.statement_id or "", part.next_chunk_index
        )
    return found
