"""Checks the figures of a line item against each other: its quantity times its price is its amount."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from tasks.agent.contract import Record
from tasks.agent.rules.numbers import ROUNDING
from tasks.agent.rules.tables import Row
from tasks.agent.rules.text import Text, words_at

AROUND = 2
SAID = " is not the amount "
FACTORS = ("quantity", "unit_price", "amount")


def products(text: Text, rows: list[Row]) -> dict[int, str]:
    """By position the rows whose figures contradict each other, and how, in words."""
    taken = {row.line for row in rows}
    return {
        position: f"Quantity {row.parts['quantity'][0]} × price {row.parts['unit_price'][0]}{SAID}{row.parts['amount'][0]}."
        for position, row in enumerate(rows)
        if row.parts.keys() >= set(FACTORS) and not is_product(text, row, taken)
    }


def contradicts_itself(record: Record) -> bool:
    """Whether any of its line items is flagged by `products`."""
    return any(SAID in reason for line in record.lines for cell in line.values() for reason in cell.reasons)


def is_product(text: Text, row: Row, taken: set[int]) -> bool:
    """Whether quantity × price is the amount as far as they are printed, with the rates and changes printed beside them or without."""
    quantity, price, amount = (abs(Decimal(row.parts[name][0])) for name in FACTORS)
    rounded = ROUNDING + quantity * half(price) + price * half(quantity)
    return any(abs(value - amount) <= rounded for value in worths(text, row, taken, quantity, price))


def half(value: Decimal) -> Decimal:
    """Half of a figure's last place after the point; nothing of a whole number, which is exact."""
    exponent = value.as_tuple().exponent
    return Decimal(5).scaleb(int(exponent) - 1) if int(exponent) < 0 else Decimal(0)


def worths(text: Text, row: Row, taken: set[int], quantity: Decimal, price: Decimal) -> Iterator[Decimal]:
    """The product, and what it becomes with each rate (a discount, a tax) and each other figure of the item: a change, a further price, the count that the price is for."""
    product = quantity * price
    yield product
    own = {id(word) for name in FACTORS for word in row.parts[name][1]}
    beside = Decimal(0)
    for index in lines_of(row.line, taken, len(text.lines)):
        for cell in text.lines[index].cells:
            for other in text.amounts(cell):
                if any(id(word) in own for word in words_at(cell, other.start, other.end)):
                    continue
                value = abs(other.value)
                rate = product * value / 100
                if other.percent or (index == row.line and value < 100):
                    yield from (product - rate, product + rate)  # "Disc. %" may stand over the column
                if not other.percent:
                    yield from (product - value, product + value)
                if index != row.line:
                    yield quantity * value  # "20.00" over "- 2.00" over "= 18.00"
                elif other.money and value != product:
                    beside += value
                if value and not other.decimals and len(cell.words) > 1:
                    yield product / value  # "15.00" beside "(3 kg)"
    yield product + beside  # several taxes


def lines_of(line: int, taken: set[int], count: int) -> Iterator[int]:
    """The line of an item, and the few around it that are no other item's: "Member discount -5.00" stands in one of its own."""
    yield line
    for step in (-1, 1):
        for index in range(line + step, line + step * (AROUND + 1), step):
            if index in taken or not 0 <= index < count:
                break
            yield index
