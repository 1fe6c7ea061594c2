"""The program "contract-rules": parties, dates, term, amount and governing law of a contract, where a label or a sentence states them."""

from __future__ import annotations

import re

from tasks.agent import confidence
from tasks.agent.agreement_parties import parties_of
from tasks.agent.agreement_terms import amount_of, dates_of, law_of, spans_of
from tasks.agent.contract import FieldValue, Order, Record, Result, Usage
from tasks.agent.pdf import Document
from tasks.agent.reading import Tell
from tasks.agent.rules.flow import Flow
from tasks.agent.rules.patterns import clean
from tasks.agent.rules.text import Candidate, Text
from tasks.agent.rules.values import Judge, missing
from tasks.agent.single import Kind
from tasks.agent.single_checks import check_contract

NOTHING = "No contract was recognised in this document."
REQUIRED = ("party_1", "party_2", "effective_date")
STATED, LABELLED, GUESSED = 0.9, 0.88, 0.6

TITLE = re.compile(
    r"\b(?:agreement|contract|lease|deed|licen[cs]e|policy|memorandum of understanding|terms of engagement|\w*vertrag|\w*vereinbarung"
    r"|contrat|convention|bail|accord|contrato|contratto|overeenkomst|umowa|sopimus)\b"
)
NO_TITLE = re.compile(r"\b(?:number|no|nr|nummer|numero|date|datum|page|seite)\.?$|\b(?:our|your|this|the)\b")
AMERICAN = re.compile(r"\bUSD\b|US\$|\bU\.?S\.? dollars|\bUnited States\b|\b[A-Z]{2},? \d{5}\b")


def read(order: Order, tell: Tell) -> tuple[Result, Usage]:
    """The program "contract-rules". Raises Problem for a document that cannot be opened."""
    return Kind("contract", REQUIRED, NOTHING, record_of).read(order, tell)


def record_of(document: Document, text: Text) -> Record | None:
    """The contract in the text; None where neither a title nor parties say that it is one."""
    flow = Flow(text)
    title, parties = title_of(text), parties_of(text, flow)
    found: dict[str, Candidate | None] = {"title": title}
    found |= {f"party_{position}": party for position, party in enumerate(parties, 1)}
    found |= dates_of(text, flow) | spans_of(flow)
    found["governing_law"], found["amount"] = law_of(flow), amount_of(text, flow)
    signs = (title is not None) + (len(parties) >= 2) + (found["governing_law"] is not None)
    if signs + (found.get("effective_date") is not None) < 2 or not (title or len(parties) >= 2):
        return None
    judge = Judge(document, text, confidence.CONTRACT, check_contract(found, flow))
    fields = {
        name: judge.field(name, candidate) for name, candidate in found.items() if candidate is not None
    }
    amount = found["amount"]
    if amount is not None:
        currency = Candidate(amount.label, amount.score, amount.words)
        if amount.label == "USD" and not AMERICAN.search(flow.text):
            currency.reasons.append(
                "The dollars may be those of another country; nothing says whose they are."
            )
        fields["currency"] = judge.field("currency", currency)
    for name in REQUIRED:
        fields.setdefault(name, FieldValue(value=None, confidence=0.0, reasons=(missing(name),)))
    return Record(kind="contract", fields=fields, first_page=min(text.pages), last_page=max(text.pages))


def title_of(text: Text) -> Candidate | None:
    """The largest heading near the top of the first page that names a kind of contract."""
    first = min(text.pages)
    best: tuple[float, Candidate] | None = None
    for cell in text.cells:
        if cell.page != first or cell.y0 > 0.4 * text.pages[first].height or len(cell.words) > 14:
            continue
        if (
            TITLE.search(text.folded[cell])
            and not NO_TITLE.search(text.folded[cell])
            and not cell.text.rstrip().endswith((".", ",", ";", ":"))
        ):
            size = cell.height * (1.3 if cell.text.isupper() else 1.0)
            if best is None or size > best[0] * 1.05:
                best = (size, Candidate(clean(cell.text), LABELLED, cell.words))
    return best[1] if best else None
