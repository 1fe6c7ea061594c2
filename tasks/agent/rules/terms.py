"""Finds the day of payment that a sentence states: "Please pay by 19 October", "überweisen Sie den Betrag bis zum 19.03."."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.agent.page import Word
from tasks.agent.rules import dates
from tasks.agent.rules.flow import Flow
from tasks.agent.rules.labels import fold
from tasks.agent.rules.text import Candidate, Text

PAYS = (
    r"\bpa(?:y|id|yable|yment)\b|\bsettle|\bdue\b|\bremit|\bdirect debit\b|\bcollect|\bue?berweis|\bzahl|\bbezahl|\bbegleich|\bbuchen wir\b|\bziehen wir\b|\babgebucht|\babbuch|\beingezogen|\beinzug"
    r"|\bfae?llig|\bnetto\b|\bohne abzug\b|\bregl(?:er|e|ement)|\bpay(?:er|e|able|ement)\b|\bpaiement\b|\bpreleve|\bpago\b|\bpaga|\babon(?:ar|e)\b|\bversa(?:re|to|mento)\b|\bsaldare\b|\bbetal|\bvoldoe"
    r"|\bvoldaan|\bincasso|\bafgeschreven|\bzaplac|\bplatn|\bprzelew|\bmaks|\bindbetal|\buhrad|\bpagamento\b|\bpague\b|\bliquidar\b"
)
UNTIL = (
    r"\bby\b|\bbefore\b|\bno later than\b|\bon or (?:before|after)\b|\bon\b|\bbis(?: zum| spae?testens)?\b|\bspae?testens(?: am)?\b|\bam\b|\bavant le\b|\bau plus tard le\b|\bsoit le\b"
    r"|\ble\b|\bpour le\b|\bjusqu'au\b|\bantes del?\b|\bhasta el\b|\bel\b|\bentro(?: e non oltre)?(?: il)?\b|\bil\b|\bvoor\b|\buiterlijk(?: op)?\b|\bop\b|\bdo(?: dnia)?\b"
    r"|\bviimeistaan\b|\bsenast(?: den)?\b|\bsenest(?: den| d\.)?\b|\binnen\b|\bate(?: ao? dia| a)?\b"
)
STATED = re.compile(rf"(?:{PAYS})(?: ?:)?[^.;:!?]{{0,90}}?(?:{UNTIL})[\s:]*$")
NAMED = re.compile(r"skonto|discount|escompte|sconto|descuento|korting|rabat|alennus")
REDUCED = re.compile(NAMED.pattern + "|%")
ENDS = re.compile(r"[.;:!?]")
ABBREVIATED = re.compile(r"(?<=\b[a-z])\.|(?<=\b[a-z]{2})\.(?= [a-z0-9])|(?<=\d)[.,](?=\d)|(?<=\d)\.(?= )")
PAST = re.compile(
    r"(?<!be )\bpaid\b|\breceived\b|\berhalten\b|\beingegangen\b|\bbezahlt am\b|\bpaye le\b|\bregle le\b|\bverse le\b|\bpagad[oa]s?\b|\bbetaald op\b|\bzaplacono\b|\bmaksettu\b"
)
REACH = 140
FULL = re.compile(r"ohne abzug|netto|\bnet\b|sans escompte|senza sconto|sin descuento|zonder korting|in full")
WITHOUT = re.compile(
    r"[\s,)]*(?:ohne (?:jeden )?abzug|rein netto|sans escompte|senza sconto|zonder korting|sin descuento)"
)
LIMIT = re.compile(rf"(?:{UNTIL})[\s:]*$")
"""What follows and precedes the day of a payment without discount, where no word of paying does: "bis 13.04.2025 ohne Abzug"."""
BEHIND = 30
WHOLE, PART = 0.82, 0.6


def _runs_on(text: Text, before: list[Word], words: list[Word]) -> bool:
    """Whether the date goes on a sentence: in the same cell, or behind a line that holds nothing else."""
    if not before or not words:
        return False
    one, other = text.cell_of(before[0]), text.cell_of(words[0])
    return one is other or (other.line == one.line + 1 and one.column == other.column == 0)


def unreduced(text: Text, found: list[Candidate]) -> list[Candidate]:
    """Without the days on which a discount ends: its name follows in the same words, and none of the whole sum stands before."""
    if not found or not any(NAMED.search(folded) for folded in text.folded.values()):
        return found
    return [candidate for candidate in found if not _is_reduced(text, candidate.words)]


def _is_reduced(text: Text, words: list[Word]) -> bool:
    before, behind = text.cell_of(words[0]).words, text.cell_of(words[-1]).words
    left = fold(" ".join(word.text for word in before[: before.index(words[0])]))
    right = fold(" ".join(word.text for word in behind[behind.index(words[-1]) + 1 :]))
    own = left[max((found.end for found in dates.find(left)), default=0) :]
    return NAMED.search(right[:BEHIND]) is not None and not FULL.search(own)


def stated_days(text: Text) -> Iterator[Candidate]:
    """Dates that stand behind a word of paying and one of a limit; where a discount ends before, the later one counts for more."""
    flow = Flow(text)
    for found in dates.find(flow.folded, text.month_first):
        before = ABBREVIATED.sub(" ", flow.folded[max(found.start - REACH, 0) : found.start])
        behind = flow.folded[found.end : found.end + BEHIND]
        match = STATED.search(before) or (LIMIT.search(before) if WITHOUT.match(behind) else None)
        if match is None or PAST.search(ENDS.split(before)[-1]):
            continue
        reduced = max([other.end() for other in REDUCED.finditer(match.group())], default=0)
        words = flow.words_at(found.start, found.end)
        if not _runs_on(text, flow.words_at(max(found.start - 2, 0), found.start - 1)[:1], words[:1]):
            continue
        score = PART if reduced and not FULL.search(match.group(), reduced) else WHOLE
        yield Candidate(found.value.isoformat(), score, words, label="sentence")
