"""A doubt is said in words wherever a value is unsure, and never where two places say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.confidence import FLAGGED, READY
from tasks.agent.contract import Record, Result
from tasks.agent.rules.patterns import NOT_NAMES, STATEMENT
from tasks.agent.rules.record import first
from tasks.agent.rules.text import Candidate
from tasks.agent.rules.values import FURTHER, weak
from tests.pdfs import lines_pdf, result_of, stored
from tests.test_agent_unusual import HEAD, ITEMS, SUMS, TITLES, Rows, read, record

BANK: Rows = ["Harbour Lane Books", "Your Statement", "1 February 2024 to 29 February 2024", "in EUR"]
MOVES: Rows = [
    [(60, f"Item {name}"), (330, f"{number}5.50"), (460, f"{number}80.10")]
    for number, name in enumerate("ABC", 1)
]
COLUMNS: Rows = [[(60, "Details"), (325, "Debits"), (455, "Balance")]]


def statement(folder: Path, rows: Rows) -> Result:
    return result_of(stored(folder, lines_pdf(rows)), program="statement-rules")


def columns(record: Record) -> set[object]:
    return {line["column"].value for line in record.lines if "column" in line}


def test_doubtful_amounts_make_a_statement_ask_for_a_look(tmp_path: Path) -> None:
    result = statement(tmp_path, [*BANK, *MOVES])
    assert result.needs_review and result.confidence <= FLAGGED
    assert result.reasons == ("6 of the 12 values in the lines need a look.",)
    sure = statement(tmp_path, [*BANK, *COLUMNS, *MOVES])
    assert not sure.reasons and columns(sure.records[0]) == {"Debits", "Balance"}


@pytest.mark.parametrize(
    "above",
    [
        [(300, "www.harbourlane.example"), (455, "Contact")],
        [(325, "0.00"), (455, "Current account")],
        [(325, "Service fees 12.50"), (455, "Current account")],
    ],
)
def test_addresses_and_sums_head_no_column(tmp_path: Path, above: list[tuple[float, str]]) -> None:
    between: Rows = [[(325, "Account type")]]
    found = columns(statement(tmp_path, [*BANK, above, *between, *COLUMNS, *MOVES]).records[0])
    assert found == {"Debits", "Balance"}
    bare = columns(statement(tmp_path, [*BANK, above, *MOVES]).records[0])
    assert not bare


def test_a_date_heads_a_column_though_it_has_points_and_two_figures(tmp_path: Path) -> None:
    found = statement(tmp_path, [*BANK, [(325, "31.12.24"), (455, "31.12.23")], *MOVES])
    assert columns(found.records[0]) == {"31.12.24", "31.12.23"}


def test_the_title_of_a_statement_is_no_company(tmp_path: Path) -> None:
    rows: Rows = ["Your Statement", "Harbour Lane Books", *BANK[2:], *COLUMNS, *MOVES]
    assert statement(tmp_path, rows).records[0].fields["company"].value == "Harbour Lane Books"
    for title in ("savings account statement", "statement of account", "releve de compte"):
        assert STATEMENT.match(title)
    assert not STATEMENT.match("statement jewellery ltd")


def test_lines_that_are_not_looked_up_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("statements", "rules.record"):
        monkeypatch.setattr(f"tasks.agent.{module}.PROVEN_LINES", 1)
    invoice = record(tmp_path, [*HEAD, *TITLES, *ITEMS, [(390, "Total"), (480, "999.00")]])
    for found in (statement(tmp_path, [*BANK, *COLUMNS, *MOVES]).records[0], invoice):
        assert not any(FURTHER in cell.reasons for cell in found.lines[0].values())
        assert all(cell.reasons and cell.confidence < READY for cell in found.lines[1].values())
    assert statement(tmp_path, [*BANK, *COLUMNS, *MOVES]).records[0].lines[1]["amount"].reasons == (FURTHER,)


@pytest.mark.parametrize("quantity", ["14", "1"])
def test_a_quantity_that_contradicts_its_amount_flags_the_figures(tmp_path: Path, quantity: str) -> None:
    rows: Rows = [[(60, "Tyre"), (305, quantity), (390, "300.00"), (480, "300.00")]]
    result = read(tmp_path, [*HEAD, *TITLES, *rows, *SUMS])
    (line,) = result.records[0].lines
    assert result.needs_review is (quantity == "14") and not result.reasons
    wrong = ("Quantity 14 × price 300.00 is not the amount 300.00.",) if quantity == "14" else ()
    assert [line[name].reasons for name in ("quantity", "unit_price", "amount")] == [wrong] * 3
    assert not line["description"].reasons


@pytest.mark.parametrize(
    "rows",
    [
        [[(60, "Oak shelf, 10 % off"), (305, "3"), (390, "111.11"), (480, "300.00")]],
        [[(60, "Oak shelf"), (305, "3"), (390, "111.11"), (440, "10.00"), (480, "300.00")]],
        [[(60, "Hourly work"), (305, "3.33"), (390, "90.00"), (480, "300.00")]],
        [[(60, "Screws"), (305, "900"), (390, "0.333"), (480, "300.00")]],
        [[(60, "Oak shelf"), (305, "3"), (390, "110.00"), (480, "300.00")], "Member discount $-30.00"],
    ],
)
def test_rounding_and_a_printed_discount_contradict_nothing(tmp_path: Path, rows: Rows) -> None:
    line = record(tmp_path, [*HEAD, *TITLES, *rows, *SUMS]).lines[0]
    assert {"quantity", "unit_price"} <= line.keys()
    assert not any(cell.reasons for cell in line.values())


def test_letters_that_are_hard_to_recognise_are_the_reason_themselves() -> None:
    assert weak(True, 0.5) == "Its letters were hard to recognise in the picture of the page."
    assert weak(True, 1.0) != weak(True, 0.5) != weak(False, 0.5)


def test_every_unsure_cell_has_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.agent.confidence.letters_of", lambda words: (True, 0.3))
    cells = [
        cell for line in record(tmp_path, [*HEAD, *TITLES, *ITEMS, *SUMS]).lines for cell in line.values()
    ]
    assert cells and all(cell.confidence < READY for cell in cells)
    assert {cell.reasons for cell in cells} == {(weak(True, 0.3),)}


def test_an_amount_with_a_unit_is_no_name() -> None:
    for text in ("2,287.50 NOS", "14 pcs", "14NOS", "1.250,00 EUR", "2,287.50"):
        assert NOT_NAMES.search(text)
    for text in ("3M", "1&1 Telecom", "Studio 54", "24 Hours Ltd", "7.50 Bakery"):
        assert not NOT_NAMES.search(text)


def test_a_party_with_a_colon_is_the_buyer(tmp_path: Path) -> None:
    found = record(tmp_path, [*HEAD, "Party : Blue Anchor Pvt Ltd", *TITLES, *ITEMS, *SUMS])
    assert found.fields["buyer"].value == "Blue Anchor Pvt Ltd"


def test_the_same_value_in_other_letters_is_no_rival() -> None:
    same = [Candidate("Machina Futura AG", 0.85), Candidate("MACHINA  FUTURA, AG", 0.85)]
    best = first([*same, Candidate("Blue Anchor Ltd", 0.6)])
    assert best is same[0] and not best.reasons
    near = first([*same, Candidate("Blue Anchor Ltd", 0.84)])
    assert near is not None and near.reasons == [
        "Another value stands as near to its label: Blue Anchor Ltd."
    ]
