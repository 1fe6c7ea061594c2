"""What a table of line items is: its columns, its rows, and the lines of the document that it takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(slots=True)
class Column:
    """A column and the role of its heading."""

    role: str
    x0: float
    x1: float
    lower: bool = False
    """Named in a further row of the heading, below something else: its values stand in further rows as well."""


@dataclass(slots=True)
class Row:
    """One line item; each part is (value, words) as printed."""

    parts: dict[str, tuple[str, list]] = field(default_factory=dict)
    line: int = 0

    @property
    def amount(self) -> Decimal:
        return Decimal(self.parts["amount"][0])


def worths(rows: Iterable[Row]) -> list[Decimal]:
    """The amounts of the rows that have one."""
    return [row.amount for row in rows if "amount" in row.parts]


def worth(rows: Iterable[Row]) -> Decimal:
    """What the rows sum to."""
    return sum(worths(rows), Decimal(0))


@dataclass(slots=True)
class Table:
    """The rows found, and the lines (by index) that headings and rows take, which no total may come from."""

    rows: list[Row] = field(default_factory=list)
    headings: dict[int, list[Column]] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)
