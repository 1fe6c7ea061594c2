"""contract-rules and statement-rules give what a sentence, a label or a table states, with its place, and nothing where nothing is stated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import Result
from tests.pdfs import lines_pdf, result_of, stored

Rows = list[str | list[tuple[float, str]]]


def read(folder: Path, rows: Rows, program: str) -> Result:
    return result_of(stored(folder, lines_pdf(rows)), program=program)


def values(result: Result) -> dict[str, object]:
    assert result.records, result.reasons
    return {name: field.value for name, field in result.records[0].fields.items()}


ENGLISH: Rows = [
    [(180, "SERVICES AGREEMENT")],
    'This Agreement is made on 4 March 2024 between Harbour Lane Books Ltd (the "Client"),',
    "a company registered in England, and Northfield Garden Supply, LLC (the",
    '"Contractor"), with offices in Boulder.',
    "1. The initial term of this Agreement is three (3) years. It renews for further",
    "terms of twelve (12) months. Either party may end it by giving ninety (90) days notice.",
    "2. The total fee for all services is GBP 48,500.00 and is paid monthly.",
    "3. This Agreement shall be governed by the laws of England and Wales.",
    "It ends on 3 March 2027.",
]
GERMAN: Rows = [
    [(180, "Mietvertrag")],
    "zwischen Lindenhof Werkzeugbau GmbH (nachfolgend Vermieter) und Brauerei Sonnenfeld KG",
    "(nachfolgend Mieter). Der Vertrag beginnt am 01.05.2024. Die Laufzeit: 5 Jahre.",
    "Die Miete beträgt 2.450,00 EUR im Monat. Die Kündigungsfrist: 6 Monate.",
    "Es gilt das Recht der Bundesrepublik Deutschland.",
]
LABELLED: Rows = [
    [(60, "Lease contract")],
    [(60, "Landlord:"), (200, "Mesa Verde Homes Inc.")],
    "Tenant: Juniper Schools Trust",
    "Effective date: 15 June 2024",
    [(60, "Rent"), (200, "$ 1,250.00 per month")],
]


def test_what_the_sentences_of_a_contract_state(tmp_path: Path) -> None:
    read_values = values(read(tmp_path, ENGLISH, "contract-rules"))
    assert read_values == {
        "title": "SERVICES AGREEMENT", "party_1": "Harbour Lane Books Ltd", "party_2": "Northfield Garden Supply, LLC",
        "effective_date": "2024-03-04", "end_date": "2027-03-03", "term": "3 years", "renewal": "12 months", "notice_period": "90 days",
        "amount": "48500.00", "currency": "GBP", "governing_law": "England and Wales",
    }  # fmt: skip


def test_every_value_of_a_contract_stands_where_it_says(tmp_path: Path) -> None:
    for name, field in read(tmp_path, ENGLISH, "contract-rules").records[0].fields.items():
        assert field.evidence and all(piece.page == 1 for piece in field.evidence), name


def test_a_german_contract(tmp_path: Path) -> None:
    read_values = values(read(tmp_path, GERMAN, "contract-rules"))
    assert read_values["party_1"] == "Lindenhof Werkzeugbau GmbH"
    assert read_values["party_2"] == "Brauerei Sonnenfeld KG"
    assert (read_values["effective_date"], read_values["term"], read_values["notice_period"]) == (
        "2024-05-01",
        "5 Jahre",
        "6 Monate",
    )
    assert (read_values["amount"], read_values["currency"]) == ("2450.00", "EUR")
    assert read_values["governing_law"] == "Bundesrepublik Deutschland"


def test_labels_name_parties_and_bare_dollars_ask_for_a_look(tmp_path: Path) -> None:
    result = read(tmp_path, LABELLED, "contract-rules")
    read_values = values(result)
    assert (read_values["party_1"], read_values["party_2"]) == (
        "Mesa Verde Homes Inc.",
        "Juniper Schools Trust",
    )
    assert any("dollars" in reason for reason in result.records[0].fields["currency"].reasons)


def test_a_contract_without_a_second_party_needs_a_look(tmp_path: Path) -> None:
    rows: Rows = [[(180, "License agreement")], "Effective date: 15 June 2024", "Licensor: Plain Paper Ltd"]
    result = read(tmp_path, rows, "contract-rules")
    assert result.needs_review and result.confidence == 0
    assert result.records[0].fields["party_2"].reasons == ("The party 2 was not found.",)


LETTER: Rows = [
    "9 June 2024",
    "Dear neighbours,",
    "We met between the rivers and had 400 seedlings.",
    "Kind regards",
]


@pytest.mark.parametrize("program", ["contract-rules", "statement-rules"])
def test_a_letter_is_neither(tmp_path: Path, program: str) -> None:
    result = read(tmp_path, LETTER, program)
    assert result.records == () and result.kind == "other" and result.needs_review and result.reasons


BALANCE: Rows = [
    "Northfield Garden Supply, Inc.",
    "Balance sheet (in thousands of USD)",
    [(330, "June 30, 2024"), (450, "December 31, 2023")],
    [(60, "Cash and cash equivalents"), (350, "18,111"), (480, "16,398")],
    [(60, "Inventory"), (350, "14,530"), (480, "13,626")],
    [(60, "Accumulated loss"), (350, "(143)"), (480, "(1,014)")],
    [(60, "Total assets"), (350, "32,498"), (480, "29,010")],
]


def test_figures_come_with_their_item_and_period(tmp_path: Path) -> None:
    result = read(tmp_path, BALANCE, "statement-rules")
    read_values = values(result)
    assert (read_values["currency"], read_values["unit"], read_values["period_end"]) == (
        "USD",
        "thousands",
        "2024-06-30",
    )
    assert read_values["company"] == "Northfield Garden Supply, Inc."
    found = {
        (line["item"].value, line["period_end"].value): line["amount"].value
        for line in result.records[0].lines
    }
    assert found == {
        ("Cash and cash equivalents", "2024-06-30"): "18111", ("Cash and cash equivalents", "2023-12-31"): "16398",
        ("Inventory", "2024-06-30"): "14530", ("Inventory", "2023-12-31"): "13626",
        ("Accumulated loss", "2024-06-30"): "-143", ("Accumulated loss", "2023-12-31"): "-1014",
        ("Total assets", "2024-06-30"): "32498", ("Total assets", "2023-12-31"): "29010",
    }  # fmt: skip
    assert all(line["amount"].evidence for line in result.records[0].lines)


ACCOUNT: Rows = [
    "Account statement",
    [(60, "Account number"), (200, "00012345678")],
    "1 February 2024 to 29 February 2024",
    "Opening balance: EUR 8,000.00",
    [(60, "Date"), (140, "Description"), (330, "Amount"), (450, "Balance")],
    [(60, "02/02/2024"), (140, "Electricity"), (340, "-125.50"), (460, "7,874.50")],
    [(60, "14/02/2024"), (140, "Rent received"), (340, "900.00"), (460, "8,774.50")],
    [(60, "20/02/2024"), (140, "Water"), (340, "-74.50"), (460, "8,700.00")],
    "Closing balance: EUR 8,700.00",
]


def test_a_bank_statement(tmp_path: Path) -> None:
    result = read(tmp_path, ACCOUNT, "statement-rules")
    read_values = values(result)
    assert (read_values["period_from"], read_values["period_to"]) == ("2024-02-01", "2024-02-29")
    assert (read_values["opening_balance"], read_values["closing_balance"]) == ("8000.00", "8700.00")
    assert read_values["account"] == "00012345678"
    lines = [
        {name: cell.value for name, cell in line.items()}
        for line in result.records[0].lines
        if "date" in line
    ]
    assert {
        "date": "2024-02-14",
        "item": "Rent received",
        "amount": "900.00",
        "column": "Amount",
    } in lines
    assert len(lines) == 6


def test_a_figure_without_a_heading_asks_for_a_look(tmp_path: Path) -> None:
    rows: Rows = [[(60, f"Item {name}"), (350, "1,200.50"), (480, "980.10")] for name in "ABC"]
    for line in read(tmp_path, rows, "statement-rules").records[0].lines:
        assert line["amount"].reasons == ("No heading says what this column holds.",)
