"""Turns a rule's candidate into a field's value with its proof on the page, its confidence and its doubts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tasks.agent import confidence
from tasks.agent.checks import Findings
from tasks.agent.confidence import Scale, Signals
from tasks.agent.contract import FieldValue, Source
from tasks.agent.grounding import doubts_of, evidence
from tasks.agent.pdf import Document
from tasks.agent.rules.text import ANOTHER, Candidate, Text

MOST_REASONS = 20
PROVEN_LINES = 400
FURTHER = f"Only the first {PROVEN_LINES} lines were looked up on the page, and this is a later one."
LEGIBLE = 0.8
"""Below this the letters of a recognised value are doubtful themselves."""


def source_of(candidate: Candidate) -> Source:
    """What the candidate's words were read from: a form or a picture, where any of them was."""
    return next(
        (Source(word.source) for word in candidate.words if word.source != "page"), Source(candidate.source)
    )


@dataclass(frozen=True, slots=True)
class Judge:
    """Grounds the values of one kind of document, with what its checks found, on the scale that is fitted for it."""

    document: Document
    text: Text
    scale: Scale
    found: Findings

    def field(self, name: str, candidate: Candidate) -> FieldValue:
        """With what the checks say of the field; a rival value is no doubt any more once one of them decides."""
        confirmed = self.found.confirmed.get(name, 0)
        reasons = [*candidate.reasons, *self.found.reasons.get(name, ())]
        if confirmed:
            reasons = [reason for reason in reasons if not reason.startswith(ANOTHER)]
        return self.value(name, replace(candidate, reasons=reasons), confirmed)

    def value(self, name: str, candidate: Candidate, confirmed: int, *, looked_up: bool = True) -> FieldValue:
        """`confirmed`: how many checks confirm it. `looked_up`: whether it is looked up on the page, which takes its time."""

        def settle(signals: Signals) -> float:
            return confidence.settled(name, signals, self.scale)

        return _grounded(self.document, self.text, candidate, confirmed, settle, looked_up=looked_up)


def grounded(document: Document, text: Text, candidate: Candidate) -> FieldValue:
    """The value as it stands, without checks against others and without calibration: for agents of one's own."""
    return _grounded(document, text, candidate, 0, confidence.supported)


def _grounded(
    document: Document, text: Text, candidate: Candidate, confirmed: int, settle: Callable[[Signals], float], *, looked_up: bool = True
) -> FieldValue:  # fmt: skip
    printed = candidate.source == "page"
    proof = evidence(document, text.pages, candidate.words) if printed and looked_up else ()
    reasons = [*candidate.reasons, *(doubts_of(document, text.pages, candidate.words) if looked_up else ())]
    letters = confidence.letters_of(candidate.words)
    sure = settle(Signals(candidate.score, confirmed, bool(reasons), bool(proof), *letters))
    if sure < confidence.READY and not reasons:
        reasons.append(weak(bool(proof) or not printed, letters[1]) if looked_up else FURTHER)
    return FieldValue(
        value=candidate.value,
        confidence=sure,
        source=source_of(candidate),
        evidence=proof,
        reasons=tuple(reason[:300] for reason in reasons[:MOST_REASONS]),
    )


def weak(proven: bool, clear: float) -> str:
    """Why a value that no check doubts is not sure enough. `clear`: as of `Signals`."""
    if not proven:
        return "The value could not be proven on the page."
    if clear < LEGIBLE:
        return "Its letters were hard to recognise in the picture of the page."
    return "Nothing beside the value says clearly enough that it is this one."


def missing(key: str) -> str:
    return f"The {key.replace('_', ' ')} was not found."
