"""The words that pages use for states, levels, fields and sentences of other parts, so that all of them can be translated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks.models import Extraction
from tasks.states import Priority


@dataclass(frozen=True, slots=True)
class Look:
    """How a state is shown: a word, an icon of icons.svg, and a tone (a CSS class). Never by colour alone."""

    word: str | Promise
    icon: str
    tone: str


TASK = {
    "enqueued": Look(_("Waiting"), "clock", "quiet"),
    "processing": Look(_("Processing"), "running", "active"),
    "completed": Look(_("Completed"), "check", "good"),
    "review": Look(_("Needs review"), "flag", "warn"),
    "failed": Look(_("Failed"), "cross", "bad"),
    "cancelled": Look(_("Cancelled"), "stop", "quiet"),
}
ATTEMPT = {
    "claimed": Look(_("Claimed"), "clock", "quiet"),
    "starting": Look(_("Starting"), "running", "active"),
    "running": Look(_("Running"), "running", "active"),
    "completed": Look(_("Completed"), "check", "good"),
    "failed": Look(_("Failed"), "cross", "bad"),
    "timeout": Look(_("Timed out"), "cross", "bad"),
    "cancelled": Look(_("Cancelled"), "stop", "quiet"),
    "lost": Look(_("Lost"), "cross", "bad"),
    "released": Look(_("Handed back"), "stop", "quiet"),
    "superseded": Look(_("Superseded"), "stop", "quiet"),
}
DIFFERENCES = {
    "same": Look(_("Same"), "check", "quiet"),
    "flags": Look(_("Same value, other flags"), "flag", "warn"),
    "changed": Look(_("Changed"), "retry", "warn"),
    "old": Look(_("Only in the first run"), "cross", "bad"),
    "new": Look(_("Only in the second run"), "check", "active"),
}
ORDERS = {
    "": _("Usual order"), "handed-in": _("Handed in"), "client": _("Client"), "agent": _("Agent"), "name": _("Document"), "state": _("State"),
    "confidence": _("Confidence"), "pages": _("Pages"), "priority": _("Priority"), "attempts": _("Attempts"), "finished": _("Finished"), "time": _("Time"),
}  # fmt: skip
"""What lists are sorted by."""
PRIORITIES = {
    Priority.URGENT: _("Urgent"),
    Priority.INTERACTIVE: _("Interactive"),
    Priority.NORMAL: _("Normal"),
    Priority.BULK: _("Bulk"),
}
SOURCES = {
    "page": _("page"), "xml": _("embedded XML"), "form": _("form field"), "ocr": _("recognised text"),
    "model": _("model"), "computed": _("computed"),
}  # fmt: skip
# Of the readers and the ready-made schemas, in the order in which people read them
FIELDS = {
    "title": _("Title"), "company": _("Company"), "statement_type": _("Type of statement"), "issuer": _("Issuer"), "recipient": _("Recipient"),
    "supplier": _("Supplier"), "buyer": _("Buyer"), "customer": _("Customer"),
    "supplier_tax_id": _("Supplier's tax number"), "buyer_tax_id": _("Buyer's tax number"), "vat_id": _("VAT number"), "iban": _("IBAN"),
    "party_1": _("Party 1"), "party_1_role": _("Role of party 1"), "party_2": _("Party 2"), "party_2_role": _("Role of party 2"),
    "party_3": _("Party 3"), "party_4": _("Party 4"), "party_5": _("Party 5"), "party_6": _("Party 6"), "other_parties": _("Other parties"),
    "number": _("Number"), "reference": _("Reference"), "subject": _("Subject"), "kind": _("Kind"),
    "date": _("Date"), "due_date": _("Due date"), "signed_date": _("Signed on"), "effective_date": _("Effective from"), "end_date": _("Ends on"),
    "period_from": _("Period from"), "period_to": _("Period to"), "period_end": _("End of period"),
    "term": _("Term"), "renewal": _("Renewal"), "notice_period": _("Notice period"), "termination": _("Termination"),
    "governing_law": _("Governing law"), "jurisdiction": _("Place of jurisdiction"),
    "position": _("Position"), "item": _("Item"), "column": _("Column"), "name": _("Name"), "value": _("Value"), "description": _("Description"),
    "quantity": _("Quantity"), "unit": _("Unit"), "unit_price": _("Unit price"), "price": _("Price"),
    "currency": _("Currency"), "discount": _("Discount"), "shipping": _("Shipping"), "net": _("Net"),
    "tax_rate": _("Tax rate"), "tax": _("Tax"), "amount": _("Amount"), "amount_period": _("Amount is for"), "due": _("Due"), "total": _("Total"),
    "payable": _("Payable"), "amount_due": _("Amount due"),
    "total_assets": _("Total assets"), "total_liabilities": _("Total liabilities"), "equity": _("Equity"), "revenue": _("Revenue"),
    "total_expenses": _("Total expenses"), "net_income": _("Net income"), "opening_balance": _("Opening balance"),
    "total_credits": _("Total credits"), "total_debits": _("Total debits"), "closing_balance": _("Closing balance"),
    "lines": _("Line items"), "amounts": _("Amounts"), "facts": _("Facts"), "figures": _("Figures"),
}  # fmt: skip
KINDS = {
    "invoice": _("Invoice"), "receipt": _("Receipt"), "credit_note": _("Credit note"), "quotation": _("Quotation"),
    "quote": _("Quotation"), "contract": _("Contract"), "statement": _("Statement"), "document": _("Document"), "other": _("Other document"),
}  # fmt: skip
AMOUNTS = frozenset({
    "net", "tax", "total", "payable", "amount_due", "discount", "shipping", "unit_price", "price", "amount", "quantity", "tax_rate",
    "total_assets", "total_liabilities", "equity", "revenue", "total_expenses", "net_income",
    "opening_balance", "total_credits", "total_debits", "closing_balance",
})  # fmt: skip
DATES = frozenset({
    "date", "due_date", "signed_date", "effective_date", "end_date", "period_from", "period_to", "period_end",
})  # fmt: skip

# What went wrong, grouped by where its cause lies: in the document, in the set-up, or in the moment (another attempt may do better)
CAUSES = {
    "document": _("the document"),
    "set-up": _("the set-up"),
    "moment": _("passing trouble"),
    "": _("other"),
}
ERRORS = {
    "not_pdf": ("document", _("No PDF")), "empty": ("document", _("Empty file")), "encrypted": ("document", _("Encrypted")),
    "no_pages": ("document", _("No pages")), "corrupt": ("document", _("Damaged")), "limit": ("document", _("Beyond a limit")),
    "agent_not_available": ("set-up", _("Agent not available")), "bad_configuration": ("set-up", _("Wrong configuration")),
    "document_missing": ("set-up", _("File missing in storage")), "invalid_result": ("set-up", _("Invalid result")),
    "over_budget": ("set-up", _("Over budget")), "rate_limited": ("moment", _("Rate limited")), "upstream": ("moment", _("Provider failed")),
    "crashed": ("moment", _("Crashed")), "timeout": ("moment", _("Timed out")), "out_of_memory": ("moment", _("Out of memory")),
    "storage": ("moment", _("Storage failed")), "lost": ("moment", _("Lost")), "cancelled": ("", _("Cancelled")), "released": ("", _("Handed back")),
}  # fmt: skip


def task_look(status: str, needs_review: bool) -> Look:
    return TASK["review" if status == "completed" and needs_review else status]


def priority_word(priority: int) -> str:
    """A level's name; a value between levels is shown as the number that it is."""
    return str(PRIORITIES[Priority(priority)]) if priority in PRIORITIES else str(priority)


def error_word(code: str) -> str:
    """An error's name for people; the code of an agent's own errors as it is."""
    return str(ERRORS[code][1]) if code in ERRORS else code or str(_("Without a code"))


def cause_of(code: str) -> str:
    return ERRORS[code][0] if code in ERRORS else ""


def field_word(name: str) -> str:
    """A field's label: ours where we know it, else its name made readable."""
    return str(FIELDS.get(name) or readable(name))


def kind_word(kind: str) -> str:
    return str(KINDS.get(kind) or readable(kind))


def readable(name: str) -> str:
    """A name that we have no word for, such as those of an agent's own schema."""
    return name.replace("_", " ").capitalize()


def ordered(names: Iterable[str]) -> list[str]:
    """Field names in the order people read them; names of other agents' own keep theirs, at the end. (jsonb keeps no order.)"""
    known = list(FIELDS)
    return sorted(dict.fromkeys(names), key=lambda name: known.index(name) if name in FIELDS else len(known))


def pruned(at: datetime) -> str:
    """What pages and exports say of an extraction that was pruned at this moment."""
    return gettext(
        "The documents and results of this extraction were deleted on %(day)s, after their retention time. When something was done and what it cost stays."
    ) % {"day": timezone.localtime(at).strftime("%Y-%m-%d")}


def incomplete(extraction: Extraction) -> str:
    """What pages and exports say where files may be missing, because their sender has not said that this was all; empty where he has."""
    if not extraction.more_until:
        return ""
    return gettext(
        "Files may be missing: not all of them had been sent when this was looked at. What has arrived is read all the same."
    )


def gone(extraction: Extraction) -> str:
    """Why its documents and results are not there any more; empty where they are."""
    if extraction.client.deletion_began_at:
        return gettext(
            "All data of this client were deleted, or are being deleted: documents, results, logs and traces. When something was done and what it cost stays."
        )
    return pruned(extraction.pruned_at) if extraction.pruned_at else ""


def too_many_files(number: int | None = None) -> str:
    if number is None:
        sentence = gettext(
            "At most %(limit)d files can be handed in at once. Nothing was taken; hand them in in several parts."
        )
    else:
        sentence = gettext(
            "These are %(number)d files; at most %(limit)d can be handed in at once. Nothing was taken; hand them in in several parts."
        )
    return sentence % {"number": number, "limit": settings.UPLOAD_MAX_FILES}
