"""The words that pages use for states, levels, fields and sentences of other parts, so that all of them can be translated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

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
FIELDS = {
    "supplier": _("Supplier"), "buyer": _("Buyer"),
    "customer": _("Customer"), "number": _("Number"), "date": _("Date"), "due_date": _("Due date"),
    "currency": _("Currency"), "position": _("Position"), "description": _("Description"), "quantity": _("Quantity"), "unit": _("Unit"),
    "unit_price": _("Unit price"), "price": _("Price"), "discount": _("Discount"), "shipping": _("Shipping"), "net": _("Net"),
    "tax_rate": _("Tax rate"), "tax": _("Tax"), "amount": _("Amount"), "total": _("Total"), "payable": _("Payable"),
    "vat_id": _("VAT number"), "iban": _("IBAN"), "kind": _("Kind"),
}  # fmt: skip
KINDS = {
    "invoice": _("Invoice"), "receipt": _("Receipt"), "credit_note": _("Credit note"), "quotation": _("Quotation"),
    "quote": _("Quotation"), "contract": _("Contract"), "other": _("Other document"),
}  # fmt: skip
AMOUNTS = frozenset(
    {
        "net",
        "tax",
        "total",
        "payable",
        "discount",
        "shipping",
        "unit_price",
        "price",
        "amount",
        "quantity",
        "tax_rate",
    }
)

# What went wrong, grouped by where its cause lies: in the document, in the set-up, or in the moment (another attempt may do better)
CAUSES = {"document": _("the document"), "set-up": _("the set-up"), "moment": _("passing trouble"), "": _("other")}
ERRORS = {
    "not_pdf": ("document", _("No PDF")), "empty": ("document", _("Empty file")), "encrypted": ("document", _("Encrypted")),
    "no_pages": ("document", _("No pages")), "corrupt": ("document", _("Damaged")), "limit": ("document", _("Beyond a limit")),
    "agent_not_available": ("set-up", _("Agent not available")), "bad_configuration": ("set-up", _("Wrong configuration")),
    "document_missing": ("set-up", _("File missing in storage")), "invalid_result": ("set-up", _("Invalid result")),
    "over_budget": ("set-up", _("Over budget")), "rate_limited": ("moment", _("Rate limited")), "upstream": ("moment", _("Provider failed")),
    "crashed": ("moment", _("Crashed")), "timeout": ("moment", _("Timed out")), "out_of_memory": ("moment", _("Out of memory")),
    "storage": ("moment", _("Storage failed")), "lost": ("moment", _("Lost")), "cancelled": ("", _("Cancelled")), "released": ("", _("Handed back")),
}  # fmt: skip

# Sentences of the agent program and the inspector, which know no translations: named here, looked up when shown
SENTENCES = (
    gettext_noop("This file is empty (0 bytes)."),
    gettext_noop("This file is not a PDF, whatever its name says."),
    gettext_noop("This PDF has no pages."),
    gettext_noop("This PDF is encrypted and needs a password to open."),
    gettext_noop("The password does not open this PDF."),
    gettext_noop("This PDF is encrypted in a way that cannot be read here; save a copy without protection."),
    gettext_noop("This PDF is damaged or cut short and cannot be opened; ask for a fresh copy."),
    gettext_noop("This PDF could not be opened: reading it broke off or took too long."),
    gettext_noop("This PDF needs too much memory to open."),
    gettext_noop("The file of this document is not where it was stored."),
    gettext_noop("No invoice was recognised."),
)


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
    return str(FIELDS.get(name) or name.replace("_", " ").capitalize())


def ordered(names: Iterable[str]) -> list[str]:
    """Field names in the order people read them; names of other agents' own keep theirs, at the end. (jsonb keeps no order.)"""
    known = list(FIELDS)
    return sorted(dict.fromkeys(names), key=lambda name: known.index(name) if name in FIELDS else len(known))


def spoken(sentence: str) -> str:
    """A sentence of another part in the reader's language, where a translation exists."""
    return gettext(sentence) if sentence else ""
