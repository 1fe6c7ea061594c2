"""Embedded XML is data of unknown origin: read where it is safe, used where it agrees, flagged where it contradicts."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ET
from decimal import Decimal
from pathlib import Path

import pytest
from fpdf import FPDF

from tasks.agent import einvoice
from tests.pdfs import result_of, stored
from tests.samples.einvoice import cross_industry_invoice
from tests.samples.generate import CONTRADICTED, FOLDER, MADE, ZUGFERD, german_invoice

LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(12))
    + b"]><Invoice>&m;</Invoice>"
)
EXTERNAL = b'<?xml version="1.0"?><!DOCTYPE i [<!ENTITY x SYSTEM "file:///etc/hostname">]><Invoice><ID>&x;</ID></Invoice>'

UBL = b"""<?xml version="1.0"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2">
<cbc:ID>U-9</cbc:ID><cbc:IssueDate>2024-02-29</cbc:IssueDate><cbc:DocumentCurrencyCode>SEK</cbc:DocumentCurrencyCode>
<cac:AccountingSupplierParty><cac:Party><cac:PartyName><cbc:Name>Norr AB</cbc:Name></cac:PartyName></cac:Party></cac:AccountingSupplierParty>
<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">25.00</cbc:TaxAmount></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount>100.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount>125.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>
<cac:InvoiceLine/><cac:InvoiceLine/></Invoice>"""


def test_cross_industry_invoice() -> None:
    read = einvoice.parse(cross_industry_invoice(ZUGFERD))
    assert read is not None
    assert (read.number, read.date, read.due_date, read.supplier) == (
        ZUGFERD.number,
        ZUGFERD.date,
        ZUGFERD.due_date,
        ZUGFERD.supplier,
    )
    assert (read.net, read.tax, read.total, read.line_count) == (ZUGFERD.net, ZUGFERD.tax, ZUGFERD.total, 3)


def test_ubl() -> None:
    read = einvoice.parse(UBL)
    assert read is not None
    assert (read.number, read.date, read.currency, read.supplier) == ("U-9", "2024-02-29", "SEK", "Norr AB")
    assert (read.net, read.tax, read.total, read.line_count) == (Decimal(100), Decimal(25), Decimal(125), 2)


def test_other_xml_is_no_invoice() -> None:
    assert einvoice.parse(b"<note><ID>1</ID></note>") is None


@pytest.mark.parametrize(
    "content",
    [
        LAUGHS,
        EXTERNAL,
        b"<a>" * 5000 + b"</a>" * 5000,
        b"<a>" + b"<b/>" * 300_000 + b"</a>",
        b"<a>" + b"x" * einvoice.MOST_BYTES + b"</a>",
    ],
    ids=["billion laughs", "external entity", "deep", "many", "large"],
)
def test_hostile_xml_is_refused_at_once(content: bytes) -> None:
    started = time.process_time()
    with pytest.raises(einvoice.Unsafe):
        einvoice.parse(content)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("content", [b"", b"<a>", b"\x00\x01", b"not xml"])
def test_broken_xml_is_a_parse_error(content: bytes) -> None:
    with pytest.raises(ET.ParseError):
        einvoice.parse(content)


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "1e999", "", "12,3"])
def test_amounts_that_are_none_are_left_out(amount: str) -> None:
    content = UBL.replace(b"125.00", amount.encode())
    read = einvoice.parse(content)
    assert read is not None and read.total is None


def with_xml(folder: Path, content: bytes) -> Path:
    pdf: FPDF = german_invoice(ZUGFERD)
    pdf.embed_file(bytes=content, basename="factur-x.xml", modification_date=MADE)
    return stored(folder, bytes(pdf.output()))


def test_agreeing_xml_makes_the_page_surer(tmp_path: Path) -> None:
    alone = result_of(stored(tmp_path, bytes(german_invoice(ZUGFERD).output()), "alone.pdf"))
    both = result_of(with_xml(tmp_path, cross_industry_invoice(ZUGFERD)))
    assert both.confidence > alone.confidence and not both.needs_review
    assert both.records[0].fields["total"].evidence


def test_contradicting_xml_keeps_the_page_and_flags_both_values() -> None:
    fields = result_of(FOLDER / "07-facture-contradicted.pdf").records[0].fields
    assert fields["number"].value == CONTRADICTED.number
    (reason,) = fields["number"].reasons
    assert CONTRADICTED.number in reason and "FA-7714" in reason
    assert fields["total"].value == str(CONTRADICTED.total)
    assert any(str(CONTRADICTED.total + 100) in reason for reason in fields["total"].reasons)
    assert not fields["date"].reasons


@pytest.mark.parametrize("content", [LAUGHS, EXTERNAL, b"<broken"])
def test_hostile_xml_in_a_pdf_costs_a_look_and_no_value(tmp_path: Path, content: bytes) -> None:
    result = result_of(with_xml(tmp_path, content))
    assert any("not a readable electronic invoice" in reason for reason in result.reasons)
    assert result.needs_review and result.records[0].fields["total"].value == str(ZUGFERD.total)
