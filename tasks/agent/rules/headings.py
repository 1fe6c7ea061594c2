"""The heading of a table of line items: a row of column names, and what each of them means."""

from __future__ import annotations

from tasks.agent.layout import Line
from tasks.agent.rules.tables import Column
from tasks.agent.rules.text import Text, words_at

SUMMARY = ("net", "tax", "total", "amount_due", "discount", "charge", "settled")
ENDS_ITEMS = ("net", "tax", "total")
MEANT = frozenset(["description", "quantity", "unit_price", "amount"])


def heading(text: Text, line: Line) -> list[Column] | None:
    """The columns of a heading row: at least three names, or two with an amount; never a row with figures of money."""
    if text.bears_money(line.cells):
        return None
    columns = columns_of(text, line)
    roles = {column.role for column in columns}
    last, hit = line.cells[-1], text.leading_hit(line.cells[-1])
    if (
        "amount" not in roles
        and roles & {"quantity", "unit_price"}
        and hit is not None
        and "net" in hit.roles
    ):
        # The name of a sum heads the sums of the rows as well: "Base imponible"
        columns.append(Column("amount", last.x0, last.x1))
    priced = roles & {"amount", "unit_price", "either"}
    if (
        heads_sums(text, line)
        or not priced
        or len(columns) < 2
        or not roles & {"description", "quantity", "unit_price", "other"}
    ):
        return None
    if len(columns) * 3 < sum(len(cell.words) for cell in line.cells) or len(line.text) > 200:
        return None
    return columns


def columns_of(text: Text, line: Line) -> list[Column]:
    columns: list[Column] = []
    for cell in line.cells:
        hits = [hit for hit in text.hits.get(cell, ()) if hit.plays("column:")]
        for hit in hits:
            # What stands beside the only name of a cell belongs to it, and the figures end where it ends: "Total CHF"
            words = words_at(cell, hit.start, hit.end) if len(hits) > 1 else cell.words
            columns.append(Column(_role(hit.roles), words[0].x0, words[-1].x1))
    return columns


def add_lower(text: Text, line: Line, columns: list[Column]) -> None:
    """Add what a further row of the heading names and the rows before it do not: "Menge | Preis/" over "Bezeichnung | Einheit | Entgelt"."""
    known = {column.role for column in columns}
    for column in columns_of(text, line):
        over = {other.role for other in columns if other.x0 < column.x1 and other.x1 > column.x0}
        # What stands below the heading of names is one of them, and no heading: "Service charges"
        if column.role in MEANT - known and "description" not in over:
            column.lower = bool(over)
            columns.append(column)


def heads_sums(text: Text, line: Line) -> bool:
    """Whether the line heads a table of sums: names of net, tax and total, and nothing that only items have."""
    if text.bears_money(line.cells):
        return False
    leading = [hit for cell in line.cells if (hit := text.leading_hit(cell)) is not None]
    sums = {
        next(role for role in ENDS_ITEMS if role in hit.roles)
        for hit in leading
        if set(ENDS_ITEMS) & hit.roles
    }
    items = {"column:description", "column:quantity", "column:unit_price"}
    return len(sums) >= 2 and not any(
        items & hit.roles and not set(ENDS_ITEMS) & hit.roles for hit in leading
    )


def _role(roles: frozenset[str]) -> str:
    names = [role[7:] for role in roles if role.startswith("column:")]
    for name in ("amount", "unit_price", "quantity", "description", "tax_rate", "other"):
        if name in names:
            return name
    return "other"


def target_of(columns: list[Column]) -> Column:
    """The column of the items' amounts."""
    priced = [c for c in columns if c.role == "amount"] or [c for c in columns if c.role == "unit_price"]
    return max(priced or columns, key=lambda column: column.x1)
