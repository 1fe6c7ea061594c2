"""Several documents in one file are several records; tax numbers belong to their party, and check digits are checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfWriter

from tasks.agent.rules.checksums import iban_holds, tax_id_holds
from tests.pdfs import lines_pdf, result_of, stored
from tests.samples.generate import FOLDER

Rows = list[str | list[tuple[float, str]]]


def joined(folder: Path, *sources: Path) -> Path:
    writer = PdfWriter()
    for source in sources:
        writer.append(source)
    path = folder / "joined.pdf"
    writer.write(path)
    return path


def test_each_document_of_a_file_is_a_record_of_its_own(tmp_path: Path) -> None:
    names = ["01-invoice-english.pdf", "02-rechnung-drei-seiten.pdf", "04-credit-note.pdf"]
    alone = [result_of(FOLDER / name).records[0] for name in names]
    result = result_of(joined(tmp_path, *(FOLDER / name for name in names)))
    assert [(record.kind, record.first_page, record.last_page) for record in result.records] == [
        ("invoice", 1, 1), ("invoice", 2, 4), ("credit_note", 5, 5),
    ]  # fmt: skip
    for record, same in zip(result.records, alone, strict=True):
        assert {name: field.value for name, field in record.fields.items()} == {
            name: field.value for name, field in same.fields.items()
        }
        assert len(record.lines) == len(same.lines)
    assert "This file holds 3 documents; each is a record of its own." in result.notes


def test_pages_that_repeat_the_number_or_hold_no_sums_stay_with_their_document(tmp_path: Path) -> None:
    annex: Rows = [
        "Delivery note and invoice terms",
        "INVOICE",
        "Invoice number: ANNEX-1",
        "Date: 4 March 2024",
        "Please pay in time.",
    ]
    both = joined(
        tmp_path, FOLDER / "01-invoice-english.pdf", stored(tmp_path, lines_pdf(annex), "annex.pdf")
    )
    result = result_of(both)
    assert len(result.records) == 1 and result.records[0].fields["number"].value == "HLB-2024-0187"
    assert len(result_of(joined(tmp_path, *[FOLDER / "01-invoice-english.pdf"] * 2)).records) == 1


def test_tax_numbers_belong_to_their_party(tmp_path: Path) -> None:
    rows: Rows = [
        "Plain Paper Ltd", "1 Mill Lane, Leeds LS1 4AP", "VAT No. GB 980 7806 84", "INVOICE", "Invoice number: P-100",
        "Invoice date: 4 March 2024", "Bill to: Brauerei Sonnenfeld KG", "Customer VAT No. DE136695976",
        [(60, "Total"), (400, "GBP 120.00")],
    ]  # fmt: skip
    fields = result_of(stored(tmp_path, lines_pdf(rows))).records[0].fields
    assert (fields["supplier_tax_id"].value, fields["buyer_tax_id"].value) == ("GB980780684", "DE136695976")
    assert not fields["supplier_tax_id"].reasons and not fields["buyer_tax_id"].reasons


def test_wrong_check_digits_are_flagged_and_not_corrected(tmp_path: Path) -> None:
    rows: Rows = [
        "Plain Paper GmbH", "USt-IdNr.: DE136695978", "IBAN: DE89 3704 0044 0532 0130 01", "Rechnung Nr. 7", "Rechnungsdatum: 01.02.2024",
        [(60, "Rechnungsbetrag"), (400, "1.290,00 EUR")],
    ]  # fmt: skip
    fields = result_of(stored(tmp_path, lines_pdf(rows))).records[0].fields
    for name, value in (("supplier_tax_id", "DE136695978"), ("iban", "DE89370400440532013001")):
        assert fields[name].value == value and any("check digits" in r for r in fields[name].reasons), name


@pytest.mark.parametrize(
    "value",
    ["DE136695976", "FR40303265045", "IT00743110157", "NL004495445B01", "PL8567346215", "FI20774740", "BE0428759497", "ATU13585627",
     "GB980780684", "CHE107787577IVA", "LU15027442", "PT501964843", "DK13585628", "SE123456789701", "27AAPFU0939F1ZV"],
)  # fmt: skip
def test_check_digits_of_tax_numbers(value: str) -> None:
    assert tax_id_holds(value) is True
    digits = [place for place, sign in enumerate(value) if sign.isdigit() and place > 1]
    for place in digits[-9:-2] if value.startswith("SE") else digits[:7]:
        wrong = value[:place] + str((int(value[place]) + 1) % 10) + value[place + 1 :]
        assert tax_id_holds(wrong) is False, wrong


def test_nothing_is_said_of_numbers_of_unknown_countries() -> None:
    assert tax_id_holds("XX123456789") is None and tax_id_holds("12-3456789") is None


def test_accounts_have_the_length_of_their_country_and_the_rest_of_97() -> None:
    assert iban_holds("DE89 3704 0044 0532 0130 00") and iban_holds("GB82 WEST 1234 5698 7654 32")
    assert not iban_holds("DE89 3704 0044 0532 0130 01") and not iban_holds("DE8937040044053201300")
