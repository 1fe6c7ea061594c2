"""Writes the electronic invoice (Factur-X, basic profile) that belongs to a sample."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from tests.samples.generate import Paper

NAMESPACES = (
    'xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" '
    'xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" '
    'xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"'
)


def cross_industry_invoice(paper: Paper, number: str | None = None, total: Decimal | None = None) -> bytes:
    """The XML of `paper`; `number` and `total` let it contradict the page."""
    total = paper.total if total is None else total
    due = (
        f"<ram:SpecifiedTradePaymentTerms>{day('ram:DueDateDateTime', paper.due_date)}</ram:SpecifiedTradePaymentTerms>"
        if paper.due_date
        else ""
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice {NAMESPACES}>
<rsm:ExchangedDocument><ram:ID>{escape(number or paper.number)}</ram:ID><ram:TypeCode>380</ram:TypeCode>{day("ram:IssueDateTime", paper.date)}
</rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
{"".join(line(*parts) for parts in paper.lines)}
<ram:ApplicableHeaderTradeAgreement>
<ram:SellerTradeParty><ram:Name>{escape(paper.supplier)}</ram:Name></ram:SellerTradeParty>
<ram:BuyerTradeParty><ram:Name>{escape(paper.buyer[0])}</ram:Name></ram:BuyerTradeParty>
</ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>{paper.currency}</ram:InvoiceCurrencyCode>{due}
<ram:SpecifiedTradeSettlementHeaderMonetarySummation>
<ram:TaxBasisTotalAmount>{paper.net}</ram:TaxBasisTotalAmount>
<ram:TaxTotalAmount currencyID="{paper.currency}">{paper.tax}</ram:TaxTotalAmount>
<ram:GrandTotalAmount>{total}</ram:GrandTotalAmount><ram:DuePayableAmount>{total}</ram:DuePayableAmount>
</ram:SpecifiedTradeSettlementHeaderMonetarySummation>
</ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
""".encode()


def day(element: str, iso: str | None) -> str:
    return f'<{element}><udt:DateTimeString format="102">{(iso or "").replace("-", "")}</udt:DateTimeString></{element}>'


def line(description: str, quantity: str, price: str) -> str:
    amount = Decimal(quantity) * Decimal(price)
    return (
        f"<ram:IncludedSupplyChainTradeLineItem><ram:SpecifiedTradeProduct><ram:Name>{escape(description)}</ram:Name></ram:SpecifiedTradeProduct>"
        f"<ram:SpecifiedLineTradeSettlement><ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>{amount:.2f}</ram:LineTotalAmount>"
        "</ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>\n"
    )
