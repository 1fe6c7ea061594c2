"""Reads electronic invoices embedded in a PDF: Factur-X / ZUGFeRD (Cross Industry Invoice) and UBL. The XML is never trusted."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from xml.parsers import expat

MOST_BYTES = 8 * 1024 * 1024
MOST_ELEMENTS = 200_000
DEEPEST = 64
CREDIT_TYPES = frozenset({"381", "261", "396", "81", "83", "308"})


class Unsafe(ValueError):
    """The XML declares entities or a document type, or is too large or too deep; no electronic invoice needs that."""


@dataclass(frozen=True, slots=True)
class EInvoice:
    """What the XML says; None where it says nothing. Amounts are decimals, dates are ISO."""

    number: str | None = None
    date: str | None = None
    due_date: str | None = None
    currency: str | None = None
    supplier: str | None = None
    buyer: str | None = None
    supplier_tax_id: str | None = None
    net: Decimal | None = None
    tax: Decimal | None = None
    total: Decimal | None = None
    amount_due: Decimal | None = None
    line_count: int = 0
    credit: bool = False


def parse(content: bytes) -> EInvoice | None:
    """The invoice in `content`; None where it is some other XML. Raises Unsafe, or ET.ParseError where it is no XML."""
    root = element_tree(content)
    name = _local(root.tag)
    if name in ("CrossIndustryInvoice", "CrossIndustryDocument"):
        return _cii(root)
    if name in ("Invoice", "CreditNote") and "ubl" in root.tag.lower():
        return _ubl(root)
    return None


def element_tree(content: bytes) -> ET.Element:
    """Parse without document types, entities or anything fetched; bounded in size, number and depth of elements."""
    if len(content) > MOST_BYTES:
        raise Unsafe("the XML is larger than 8 MiB")
    builder = ET.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > DEEPEST or count > MOST_ELEMENTS:
            raise Unsafe("the XML has too many or too deep elements")
        builder.start("{" + name if "}" in name else name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end("{" + name if "}" in name else name)

    def refuse(*_: object) -> int:
        raise Unsafe("the XML declares a document type or an entity")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = (
        start,
        end,
        builder.data,
    )
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise ET.ParseError(str(error)) from None
    return builder.close()


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _at(root: ET.Element | None, path: str) -> ET.Element | None:
    """The first element at a path of local names, whatever their namespaces (versions differ in nothing else)."""
    for name in path.split("/"):
        if root is None:
            return None
        root = next((child for child in root if _local(child.tag) == name), None)
    return root


def _text(root: ET.Element | None, path: str) -> str | None:
    element = _at(root, path)
    text = " ".join((element.text or "").split()) if element is not None else ""
    return text or None


def _all(root: ET.Element | None, name: str) -> list[ET.Element]:
    return [] if root is None else [child for child in root if _local(child.tag) == name]


def _amount(text: str | None) -> Decimal | None:
    try:
        value = Decimal(text) if text else None
    except InvalidOperation:
        return None
    return value if value is not None and value.is_finite() and abs(value) < Decimal("1e15") else None


def _date(text: str | None) -> str | None:
    match = re.fullmatch(r"(\d{4})-?(\d\d)-?(\d\d)(?:T.*|Z|[+-]\d\d:\d\d)?", text or "")
    try:
        return date(*map(int, match.groups())).isoformat() if match else None
    except ValueError:
        return None


def _first(*elements: ET.Element | None) -> ET.Element | None:
    return next((element for element in elements if element is not None), None)


def _cii(root: ET.Element) -> EInvoice:
    """Version 2 (Factur-X, ZUGFeRD 2) and version 1 differ in a few names only."""
    head = _first(_at(root, "ExchangedDocument"), _at(root, "HeaderExchangedDocument"))
    trade = _first(
        _at(root, "SupplyChainTradeTransaction"), _at(root, "SpecifiedSupplyChainTradeTransaction")
    )
    agreement = _first(
        _at(trade, "ApplicableHeaderTradeAgreement"), _at(trade, "ApplicableSupplyChainTradeAgreement")
    )
    settlement = _first(
        _at(trade, "ApplicableHeaderTradeSettlement"), _at(trade, "ApplicableSupplyChainTradeSettlement")
    )
    sums = _first(
        _at(settlement, "SpecifiedTradeSettlementHeaderMonetarySummation"),
        _at(settlement, "SpecifiedTradeSettlementMonetarySummation"),
    )
    seller = _at(agreement, "SellerTradeParty")
    ids = [_text(item, "ID") for item in _all(seller, "SpecifiedTaxRegistration")]
    items = _all(trade, "IncludedSupplyChainTradeLineItem")
    return EInvoice(
        number=_text(head, "ID"),
        date=_date(_text(head, "IssueDateTime/DateTimeString")),
        due_date=_date(_text(settlement, "SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString")),
        currency=_text(settlement, "InvoiceCurrencyCode"),
        supplier=_text(seller, "Name"),
        buyer=_text(agreement, "BuyerTradeParty/Name"),
        supplier_tax_id=next((text for text in ids if text), None),
        net=_amount(_text(sums, "TaxBasisTotalAmount")),
        tax=_amount(_text(sums, "TaxTotalAmount")),
        total=_amount(_text(sums, "GrandTotalAmount")),
        amount_due=_amount(_text(sums, "DuePayableAmount")),
        line_count=sum(
            1
            for item in items
            if _first(
                _at(item, "SpecifiedLineTradeSettlement"), _at(item, "SpecifiedSupplyChainTradeSettlement")
            )
            is not None
        ),
        credit=(_text(head, "TypeCode") or "") in CREDIT_TYPES,
    )


def _ubl(root: ET.Element) -> EInvoice:
    credit = _local(root.tag) == "CreditNote"
    sums = _at(root, "LegalMonetaryTotal")
    supplier, buyer = _at(root, "AccountingSupplierParty/Party"), _at(root, "AccountingCustomerParty/Party")
    return EInvoice(
        number=_text(root, "ID"),
        date=_date(_text(root, "IssueDate")),
        due_date=_date(_text(root, "DueDate") or _text(root, "PaymentMeans/PaymentDueDate")),
        currency=_text(root, "DocumentCurrencyCode"),
        supplier=_text(supplier, "PartyName/Name") or _text(supplier, "PartyLegalEntity/RegistrationName"),
        buyer=_text(buyer, "PartyName/Name") or _text(buyer, "PartyLegalEntity/RegistrationName"),
        supplier_tax_id=_text(supplier, "PartyTaxScheme/CompanyID"),
        net=_amount(_text(sums, "TaxExclusiveAmount")),
        tax=_amount(_text(root, "TaxTotal/TaxAmount")),
        total=_amount(_text(sums, "TaxInclusiveAmount")),
        amount_due=_amount(_text(sums, "PayableAmount")),
        line_count=len(_all(root, "CreditNoteLine" if credit else "InvoiceLine")),
        credit=credit or (_text(root, "InvoiceTypeCode") or "") in CREDIT_TYPES,
    )
