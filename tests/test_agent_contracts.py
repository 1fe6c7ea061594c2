"""contract-rules and statement-rules give what a sentence, a label or a table states, with its place, and nothing where nothing is stated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import Result
from tests.pdfs import lines_pdf, page_pdf, result_of, stored, text_at

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


def test_parties_that_a_contract_gives_a_name_and_no_heading_with_them(tmp_path: Path) -> None:
    rows = [
        "Die Lindenhof Werkzeugbau AG als Anbieter und die Nordlicht Reederei KG als Kunde schließen",
        "diesen Vertrag. Vertragsbeginn: 2. Februar 2024. Letzter Tag ist der 1. Februar 2026.",
    ]
    body = "".join(text_at(60, 715 - 16 * index, row) for index, row in enumerate(rows))
    path = stored(tmp_path, page_pdf(text_at(60, 740, "Rahmenvereinbarung", 18) + body))
    found = values(result_of(path, program="contract-rules"))
    assert (found["party_1"], found["party_2"]) == ("Lindenhof Werkzeugbau AG", "Nordlicht Reederei KG")
    assert (found["title"], found["end_date"]) == ("Rahmenvereinbarung", "2026-02-01")


def test_a_legal_form_in_small_letters_ends_a_name(tmp_path: Path) -> None:
    rows = [
        "Supply Agreement", "This agreement is made by and between Green Harbour plc, a company registered at 4 Dock Road",
        '("Supplier"), and Blue Anchor plc, whose office is at 9 Hill Street ("Customer").',
    ]  # fmt: skip
    found = values(read(tmp_path, rows, "contract-rules"))
    assert (found["party_1"], found["party_2"]) == ("Green Harbour plc", "Blue Anchor plc")


def test_what_is_said_of_another_contract_or_of_liability_is_not_taken(tmp_path: Path) -> None:
    rows = [
        "Maintenance Contract",
        'between Green Harbour Ltd (the "Owner") and Blue Anchor Ltd (the "Operator").',
        "The previous agreement was made on 4 May 2010. This agreement is dated 1 June 2023.",
        "Damages are limited to a price of GBP 900,000.00. The annual fee is GBP 1,200.00.",
        "A deposit for the fee of GBP 5,000.00 is paid back.",
    ]
    found = values(read(tmp_path, rows, "contract-rules"))
    assert (found["effective_date"], found["amount"]) == ("2023-06-01", "1200.00")


def test_an_end_before_the_beginning_asks_for_a_look_and_a_term_that_fits_confirms(tmp_path: Path) -> None:
    def dated(end: str) -> Result:
        rows = [
            "Lease Agreement", 'between Green Harbour Ltd (the "Landlord") and Blue Anchor Ltd (the "Tenant").',
            f"It becomes effective on 1 June 2023. The initial term is two years. It ends on {end}.",
        ]  # fmt: skip
        return read(tmp_path, rows, "contract-rules")

    wrong, fitting, other = (
        dated(end).records[0].fields["end_date"] for end in ("31 May 2020", "31 May 2025", "31 May 2029")
    )
    assert wrong.reasons == ("The end date 2020-05-31 lies before the effective date 2023-06-01.",)
    assert wrong.confidence <= 0.6 < other.confidence < fitting.confidence


def test_a_second_sum_in_such_words_makes_the_first_less_sure(tmp_path: Path) -> None:
    def amount(*more: str) -> float:
        rows = [
            "Lease Agreement",
            "Landlord: Green Harbour Ltd",
            "Tenant: Blue Anchor Ltd",
            "The rent is GBP 1,200.00 a month.",
            *more,
        ]
        return read(tmp_path, rows, "contract-rules").records[0].fields["amount"].confidence

    assert amount("The price of the car park is GBP 90.00.") < amount() - 0.1


def test_points_part_thousands_where_no_figure_shows_cents(tmp_path: Path) -> None:
    rows: Rows = [
        "Nordlicht Reederei AG", "Bilanz (in Tausend EUR)", [(330, "31.12.2024"), (450, "31.12.2023")],
        [(60, "Kassenbestand"), (350, "18.111"), (480, "16.398")], [(60, "Vorräte"), (350, "14.530"), (480, "13.626")],
        [(60, "Summe"), (350, "32.641"), (480, "30.024")],
    ]  # fmt: skip
    lines = read(tmp_path, rows, "statement-rules").records[0].lines
    assert [line["amount"].value for line in lines] == ["18111", "16398", "14530", "13626", "32641", "30024"]


def test_numbers_of_notes_and_of_the_account_are_no_figures(tmp_path: Path) -> None:
    rows: Rows = [
        "Green Harbour plc", "Balance sheet (USD)", [(60, "Account number:"), (200, "7090073454")], [(260, "Note"), (380, "June 30, 2024")],
        [(60, "Cash"), (270, "3"), (400, "18,111")], [(60, "Inventory"), (270, "4"), (400, "14,530")], [(60, "Goodwill"), (270, "7"), (400, "2,000")],
    ]  # fmt: skip
    result = read(tmp_path, rows, "statement-rules")
    assert [line["amount"].value for line in result.records[0].lines] == ["18111", "14530", "2000"]
    assert values(result)["account"] == "7090073454"


def test_sums_and_balances_that_add_up_make_figures_surer(tmp_path: Path) -> None:
    def cash(total: str) -> float:
        rows = [*BALANCE[:3], [(60, "Cash"), (350, "18,111"), (480, "16,398")], [(60, "Stock"), (350, "14,530"), (480, "13,626")], [(60, "Sum"), (350, total), (480, "2")]]  # fmt: skip
        return read(tmp_path, rows, "statement-rules").records[0].lines[0]["amount"].confidence  # type: ignore[arg-type]

    assert cash("32,641") > cash("32,642")
    right = read(tmp_path, ACCOUNT, "statement-rules").records[0]
    wrong = read(tmp_path, [*ACCOUNT[:-1], "Closing balance: EUR 8,705.00"], "statement-rules").records[0]
    for name in ("opening_balance", "closing_balance"):
        assert right.fields[name].confidence > wrong.fields[name].confidence
    assert right.lines[4]["amount"].confidence > cash("32,642")


def test_a_label_with_a_date_in_it_may_be_two_and_asks_for_more_care(tmp_path: Path) -> None:
    rows: Rows = [
        *BALANCE[:3],
        *(
            [(60, f"Cash {mixed}"), (350, "18,111"), (480, "16,398")]
            for mixed in ("A", "held on 1 May 2024", "B")
        ),
    ]  # type: ignore[list-item]
    lines = read(tmp_path, rows, "statement-rules").records[0].lines
    assert lines[2]["item"].confidence < 0.9 <= lines[0]["item"].confidence


@pytest.mark.parametrize("rows", [ENGLISH, GERMAN])
def test_the_agent_for_invoices_says_which_agent_reads_a_contract(tmp_path: Path, rows: Rows) -> None:
    (reason,) = read(tmp_path, rows, "rules").reasons
    assert reason.endswith("It looks like a contract; the agent contract-rules reads those.")


def test_the_agent_for_invoices_says_which_agent_reads_a_table_of_figures(tmp_path: Path) -> None:
    (reason,) = read(tmp_path, BALANCE, "rules").reasons
    assert reason.endswith("It holds a table of figures; the agent statement-rules reads those.")


def test_the_agent_for_invoices_sends_nobody_elsewhere_with_a_letter(tmp_path: Path) -> None:
    (reason,) = read(tmp_path, ["Dear Ms Brook,", "we thank you for your visit."], "rules").reasons
    assert reason == "No invoice, receipt, credit note or quotation was recognised in this document."
