"""The SQL warehouse of the local workspace: runs the very query of agentaudit, on a bill kept in a real Postgres."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import psycopg

from tests.fakes.databricks import WORKSPACE_ID, Answer, Refused, Request, Route

if TYPE_CHECKING:
    from tests.fakes.databricks import Workspace

WAREHOUSE = "wh1"
TABLES = """
DROP SCHEMA IF EXISTS bill CASCADE; CREATE SCHEMA bill;
CREATE TYPE bill.list AS ("default" numeric);
CREATE TYPE bill.pricing AS ("default" numeric, effective_list bill.list);
CREATE TYPE bill.metadata AS (job_run_id text, app_name text);
CREATE TABLE bill.usage (record_id text PRIMARY KEY, workspace_id text, sku_name text, cloud text, usage_start_time timestamptz,
  usage_end_time timestamptz, usage_date date, usage_unit text, usage_quantity numeric, usage_metadata bill.metadata, record_type text,
  billing_origin_product text);
CREATE TABLE bill.list_prices (price_start_time timestamptz, price_end_time timestamptz, sku_name text, cloud text, currency_code text,
  usage_unit text, pricing bill.pricing);
"""
DIALECT = {
    "explode(split(:runs, ','))": "unnest(string_to_array(:runs, ','))",
    "u.usage_metadata.": "(u.usage_metadata).",
    "p.pricing.effective_list.default": '((p.pricing).effective_list)."default"',
    "system.billing.": "bill.",
}
"""What Spark and Postgres write differently; nothing else of the query is changed."""


class Bill:
    """The tables system.billing.usage and list_prices, for tests to fill."""

    def __init__(self, connect: Callable[[], AbstractContextManager[psycopg.Connection]]) -> None:
        self.connect, self._records = connect, 0
        with connect() as db:
            db.execute(TABLES)

    def price(self, usd: str, since: str, until: str | None = None, *, sku: str = "JOBS", currency: str = "USD") -> None:  # fmt: skip
        with self.connect() as db:
            db.execute(
                "INSERT INTO bill.list_prices VALUES (%s, %s, %s, 'AWS', %s, 'DBU', ROW(%s, ROW(%s)::bill.list)::bill.pricing)",
                (since, until, sku, currency, "999", usd),
            )

    def use(
        self, run: str | None, at: str, quantity: str, *, sku: str = "JOBS", kind: str = "ORIGINAL",
        workspace: str = WORKSPACE_ID, app: str | None = None, product: str = "JOBS",
    ) -> None:  # fmt: skip
        self._records += 1
        with self.connect() as db:
            db.execute(
                "INSERT INTO bill.usage VALUES (%s, %s, %s, 'AWS', %s::timestamptz, %s::timestamptz + interval '1 hour', (%s::timestamptz AT TIME ZONE 'UTC')::date, 'DBU', %s,"
                " ROW(%s, %s)::bill.metadata, %s, %s)",
                (f"r{self._records}", workspace, sku, at, at, at, quantity, run, app, kind, product),
            )

    def drop(self) -> None:
        with self.connect() as db:
            db.execute("DROP SCHEMA bill CASCADE")


class Warehouse:
    """`slow`: how often a statement is still pending or running when asked. `chunk`: rows per part of a result."""

    def __init__(self, workspace: Workspace, bill: Bill, *queries: str) -> None:
        self._bill, self._queries = bill, queries
        self.slow, self.chunk, self.states = 0, 1000, ["PENDING", "RUNNING"]
        self.failure: tuple[str, str] | None = None
        self.cancelled: list[str] = []
        self.parameters: list[dict[str, str]] = []
        self._results: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        statement = r"/api/2\.0/sql/statements/(?P<id>[^/]+)"
        workspace.add(
            [
                Route("POST", r"/api/2\.0/sql/statements", self._execute),
                Route("GET", statement, self._get),
                Route("GET", rf"{statement}/result/chunks/(?P<chunk>\d+)", self._chunk),
                Route("POST", f"{statement}/cancel", self._cancel),
            ]
        )

    def _execute(self, request: Request) -> Answer:
        body = request.json(
            (
                "statement",
                "warehouse_id",
                "parameters",
                "wait_timeout",
                "on_wait_timeout",
                "disposition",
                "format",
            )
        )
        if body["warehouse_id"] != WAREHOUSE:
            raise Refused(
                404, "RESOURCE_DOES_NOT_EXIST", f"The warehouse {body['warehouse_id']} does not exist."
            )
        if (
            body["statement"] not in self._queries
            or body["format"] != "JSON_ARRAY"
            or body["disposition"] != "INLINE"
        ):
            raise Refused(400, "MALFORMED_REQUEST", "Another statement than the one that is known here.")
        if not body["wait_timeout"].endswith("s") or not 5 <= int(body["wait_timeout"][:-1]) <= 50:
            raise Refused(400, "INVALID_PARAMETER_VALUE", "wait_timeout is 0s, or 5s to 50s.")
        parameters = {one["name"]: one["value"] for one in body["parameters"]}
        self.parameters.append(parameters)
        name = f"st{len(self._results) + 1}"
        self._results[name] = {
            "rows": None if self.failure else self._run(body["statement"], parameters),
            "asked": 0,
        }
        return self._answer(name)

    def _run(self, text: str, parameters: dict[str, str]) -> list[list[str | None]]:
        for ours, theirs in DIALECT.items():
            text = text.replace(ours, theirs)
        for name in parameters:
            text = text.replace(f":{name}", f"%({name})s::text")
        with self._bill.connect() as db:
            db.execute("SET TIME ZONE 'UTC'")
            return [
                [None if cell is None else str(cell) for cell in row] for row in db.execute(text, parameters)
            ]

    def _get(self, request: Request) -> Answer:
        return self._answer(request.groups["id"])

    def _answer(self, name: str) -> Answer:
        from databricks.sdk.service.sql import (  # fmt: skip
            ResultData,
            ServiceError,
            ServiceErrorCode,
            StatementResponse,
            StatementStatus,
        )

        with self._lock:
            kept = self._results[name]
            kept["asked"] += 1
        if kept["asked"] <= self.slow:
            word = self.states[min(kept["asked"], len(self.states)) - 1]
            return Answer({"statement_id": name, "status": {"state": word}})
        if self.failure:
            error = ServiceError(error_code=ServiceErrorCode(self.failure[0]), message=self.failure[1])
            made = StatementResponse(statement_id=name, status=StatementStatus(error=error)).as_dict()
            made["status"]["state"] = "FAILED"
            return Answer(made)
        result = ResultData.from_dict(self._part(kept["rows"], 0))
        made = StatementResponse(statement_id=name, result=result).as_dict()
        return Answer({**made, "status": {"state": "SUCCEEDED"}})

    def _chunk(self, request: Request) -> Answer:
        return Answer(self._part(self._results[request.groups["id"]]["rows"], int(request.groups["chunk"])))

    def _part(self, rows: list[list[str | None]], number: int) -> dict[str, Any]:
        start = number * self.chunk
        part: dict[str, Any] = {
            "chunk_index": number,
            "row_offset": start,
            "data_array": rows[start : start + self.chunk],
        }
        if start + self.chunk < len(rows):
            part["next_chunk_index"] = number + 1
        return part

    def _cancel(self, request: Request) -> Answer:
        request.json(())
        self.cancelled.append(request.groups["id"])
        return Answer({})
