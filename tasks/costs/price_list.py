"""Prices of models from a CSV file: read and checked as a whole, shown before anything is written, and only ever added to what stands.

Columns: model, valid_from (a day, or a moment with its zone), input_usd, output_usd, cache_read_usd, cache_write_usd; USD per million tokens. The last
two may be empty: tokens of that kind then make a cost unknown. A row that stands already is left out; one with other amounts is refused, because
costs have been computed with it: a new price begins at a new moment.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from django.db import transaction

from tasks.audit import Actor, Entry, record
from tasks.costs.periods import EARLIEST, LATEST
from tasks.models import Price

AMOUNTS = ("input_usd", "output_usd", "cache_read_usd", "cache_write_usd")
COLUMNS = ("model", "valid_from", *AMOUNTS)
MAY_BE_EMPTY = ("cache_read_usd", "cache_write_usd")
MOST_BYTES, MOST_ROWS = 1_000_000, 5000
MOST_USD, PLACES = Decimal(10_000_000), 6


@dataclass(slots=True)
class Plan:
    """What an import would do. before: by model, the price that holds until a new one begins. faults: (line, sentence); with any of them nothing is written."""

    new: list[Price] = field(default_factory=list)
    known: list[Price] = field(default_factory=list)
    before: dict[str, Price] = field(default_factory=dict)
    faults: list[tuple[int, str]] = field(default_factory=list)


class _Fault(Exception):
    """One sentence about one line."""


def plan(text: str) -> Plan:
    """Read a file and compare it with what stands; writes nothing."""
    found = Plan()
    if len(text.encode()) > MOST_BYTES:
        found.faults.append((0, f"The file is longer than {MOST_BYTES:,} bytes; split it."))
        return found
    # As csv wants it: line ends of every system are told apart by its reader alone
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), restkey="more")
    try:
        named = list(reader.fieldnames or ())
    except csv.Error as error:
        found.faults.append((1, f"This is no CSV file: {error}."))
        return found
    if twice := [name for name in COLUMNS if named.count(name) > 1]:
        found.faults.append((1, f"The first line names {', '.join(twice)} more than once."))
        return found
    missing = [name for name in COLUMNS if name not in named and name not in MAY_BE_EMPTY]
    if missing:
        found.faults.append(
            (
                1,
                f"The first line has to name the columns; {', '.join(missing)} is missing. They are: {', '.join(COLUMNS)}.",
            )
        )
        return found
    seen: set[tuple[str, datetime]] = set()
    standing = {(price.model, price.valid_from): price for price in Price.objects.all()}
    try:
        for number, values in enumerate(reader, start=2):
            if number > MOST_ROWS + 1:
                found.faults.append((number, f"The file has more than {MOST_ROWS:,} prices; split it."))
                break
            _take(found, number, values, seen, standing)
    except csv.Error as error:
        found.faults.append((reader.line_num, f"This is no CSV file: {error}."))
    latest = {price.model: price for price in sorted(standing.values(), key=lambda price: price.valid_from)}
    found.before = {price.model: latest[price.model] for price in found.new if price.model in latest}
    return found


def _take(
    found: Plan, number: int, values: dict, seen: set[tuple[str, datetime]], standing: dict[tuple[str, datetime], Price]
) -> None:  # fmt: skip
    try:
        price = _price(values)
        key = (price.model, price.valid_from)
        if key in seen:
            raise _Fault(
                f"{price.model} has two prices from {price.valid_from:%Y-%m-%d %H:%M} UTC on in this file."
            )
        seen.add(key)
        there = standing.get(key)
        if there is None:
            found.new.append(price)
        elif all(getattr(there, name) == getattr(price, name) for name in AMOUNTS):
            found.known.append(price)
        else:
            raise _Fault(
                f"{price.model} has another price from {price.valid_from:%Y-%m-%d %H:%M} UTC on already, and costs may stand on it. "
                "Give the new one a later moment."
            )
    except _Fault as fault:
        found.faults.append((number, str(fault)))


def _price(values: dict) -> Price:
    if "more" in values:
        raise _Fault("This line has more values than columns.")
    texts = {name: (values.get(name) or "").strip() for name in COLUMNS}
    if not texts["model"] or len(texts["model"]) > 200:
        raise _Fault("The model's name is missing or longer than 200 characters.")
    if not texts["model"].isprintable():
        raise _Fault(f"The model's name is {texts['model']!a}, which holds a character that nobody sees.")
    amounts = {name: _amount(name, texts[name]) for name in AMOUNTS}
    return Price(model=texts["model"], valid_from=_moment(texts["valid_from"]), **amounts)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _Fault(
            f"valid_from is {text!r}, which is no day such as 2026-11-01 (UTC) and no moment such as 2026-11-01T00:00:00+01:00."
        ) from None
    if not EARLIEST <= moment.date() <= LATEST:
        raise _Fault(f"valid_from is {text}, but it has to lie between {EARLIEST} and {LATEST}.")
    if len(text) == len("2026-11-01"):
        return moment.replace(tzinfo=UTC)
    if moment.tzinfo is None:
        raise _Fault(
            f"valid_from is {text!r}, which does not say its zone. Write 2026-11-01T00:00:00Z, or only the day."
        )
    return moment.astimezone(UTC)


def _amount(name: str, text: str) -> Decimal | None:
    if not text and name in MAY_BE_EMPTY:
        return None
    try:
        amount = Decimal(text if "_" not in text else "")
    except InvalidOperation:
        raise _Fault(f"{name} is {text!r}, which is no number such as 2.50.") from None
    if not amount.is_finite() or not 0 <= amount < MOST_USD:
        raise _Fault(
            f"{name} is {text}, but it has to be 0 or more, and less than {MOST_USD:,} USD per million tokens."
        )
    if amount != round(amount, PLACES):
        raise _Fault(f"{name} is {text}, which has more than {PLACES} places.")
    return round(amount, PLACES)  # a nought with a huge exponent is no number to the database


@transaction.atomic
def write(actor: Actor, found: Plan) -> int:
    """Add the new prices, with a line each in the trail; how many. Raises ValueError where the plan has faults."""
    if found.faults:
        raise ValueError("a plan with faults is not written")
    for price in found.new:
        price.save()
    record(
        actor,
        [
            Entry("import", "price", str(price.pk), after={"model": price.model, "valid_from": price.valid_from.isoformat(),
                                                           **{name: str(getattr(price, name)) for name in AMOUNTS}})
            for price in found.new
        ],
    )  # fmt: skip
    return len(found.new)
