"""Plain statements over the rows, and the numbers that pages and files tell beside them."""

from __future__ import annotations

import csv
import html
import io
from decimal import Decimal
from typing import Any

from django.db import connection

from tests.mixed_work import MixedWork


def rows(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall()


def one(statement: str, *parameters: Any) -> Any:
    return rows(statement, *parameters)[0][0]


def page(work: MixedWork, address: str) -> str:
    answer = work.browser.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return html.unescape(answer.content.decode())


def file(work: MixedWork, address: str) -> bytes:
    answer = work.browser.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return b"".join(answer) if answer.streaming else answer.content


def table(work: MixedWork, address: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(file(work, address).decode("utf-8-sig"))))


def number(text: str) -> Decimal | None:
    """None: nothing is known."""
    return None if text in ("", "—") else Decimal(text)
