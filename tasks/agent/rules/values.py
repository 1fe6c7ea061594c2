"""Turns a rule's candidate into a field's value with its proof on the page, its confidence and its doubts."""

from __future__ import annotations

from tasks.agent import confidence
from tasks.agent.confidence import Signals
from tasks.agent.contract import FieldValue, Source
from tasks.agent.grounding import PLACELESS, evidence, is_placeless
from tasks.agent.pdf import Document
from tasks.agent.rules.text import Candidate, Text

MOST_REASONS = 20


def source_of(candidate: Candidate) -> Source:
    """What the candidate's words were read from: a form or a picture, where any of them was."""
    return next(
        (Source(word.source) for word in candidate.words if word.source != "page"), Source(candidate.source)
    )


def grounded(document: Document, text: Text, candidate: Candidate) -> FieldValue:
    """The value as it stands, without checks against others."""
    proof = evidence(document, text.pages, candidate.words)
    reasons = list(candidate.reasons)
    if is_placeless(text.pages, candidate.words):
        reasons.append(PLACELESS)
    recognised, clear = confidence.letters_of(candidate.words)
    sure = confidence.supported(Signals(candidate.score, 0, bool(reasons), bool(proof), recognised, clear))
    if sure < confidence.READY and not reasons:
        reasons.append(weak(proof != ()))
    return FieldValue(
        value=candidate.value,
        confidence=sure,
        source=source_of(candidate),
        evidence=proof,
        reasons=tuple(reason[:300] for reason in reasons[:MOST_REASONS]),
    )


def weak(proven: bool) -> str:
    if not proven:
        return "The value could not be proven on the page."
    return "Nothing beside the value says clearly enough that it is this one."


def missing(key: str) -> str:
    return f"The {key.replace('_', ' ')} was not found."
