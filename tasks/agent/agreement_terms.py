"""Reads what the sentences of a contract state: when it begins and ends, how long it runs, what is paid, whose law holds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tasks.agent.rules import dates, numbers
from tasks.agent.rules.flow import Flow
from tasks.agent.rules.patterns import clean
from tasks.agent.rules.text import Candidate, Text

STATED, NEAR, RIVALLED, GUESSED = 0.9, 0.85, 0.7, 0.6
"""RIVALLED: something else in the document is stated in such words as well."""

EFFECTIVE = re.compile(
    r"(?:effective (?:date|as of|from|on)|becomes? effective(?: on)?|with effect from|in effect (?:from|as of)|(?:is |are )?(?:made|entered into|concluded|dated|executed)"
    r"(?: and entered into)?(?: this| as of| on)?|commenc\w+(?: on| date)?|starts? (?:on|from)|starting (?:on|from)|start(?:ing)? date|takes? effect(?: on| from| as of)?|comes into (?:force|effect)(?: on)?|period from|vertragsbeginn|mit wirkung (?:zum|vom|ab)|beginnt am|gultig ab|in kraft(?: am)?"
    r"|geschlossen am|fangt am|lauft ab(?: dem)?|entre en vigueur(?: le)?|prend effet(?: le)?|a compter du|en date du|conclu le|date d'effet)\W{0,4}(?:the |le |den |der |dem )?$"
)
ENDING = re.compile(
    r"(?:until|expir\w+(?: on| date)?|ends? on|end date|terminat\w+ on|through|up to and including|last day(?: is)?|letzter tag(?: ist)?|dernier jour|valable jusqu'au|bis(?: zum)?|endet am|vertragsende|jusqu'au|prend fin le|expire le)\W{0,4}(?:the |le |den |der |dem )?$"
)
SPAN = re.compile(
    r"(?:(?P<word>one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety)\s*)?(?:\(?(?P<number>\d{1,3})\)?)?\s*-?\s*"
    r"(?P<unit>calendar days?|business days?|days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?|jours?|semaines?|mois|ans?|annees?)\b"
)
SPANS = {
    "notice_period": re.compile(r"\b(?:notice|notif\w+|kundigungsfrist|kundigung|kundbar|preavis)\b"),
    "renewal": re.compile(
        r"\b(?:renew\w*|successive|thereafter|extended (?:by|for)|verlanger\w+|danach|reconduction|renouvel\w+|proroge\w*)\b"
    ),
    "term": re.compile(
        r"\b(?:initial term|term of|term|duration|period of|in force for|valid for|laufzeit|dauer|abgeschlossen|geschlossen fur|duree|conclue? pour)\b"
    ),
}
WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
         "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90}  # fmt: skip
LAW = (
    re.compile(
        r"(?:governed by|subject to|construed (?:under|in accordance (?:with|to)))[^.;]{0,90}?\blaws? of (?:the )?(?:state of |commonwealth of |country of |province of )?"
        r"(?P<law>[^.,;()]{3,60}?)(?=[.,;(]|\s(?:without|excluding|and the|and each|as|applicable|except|to the)\b)"
    ),
    re.compile(r"governed by (?:the )?(?P<law>[a-z]+(?: (?:and )?[a-z]+){0,2}) law\b"),
    re.compile(
        r"\blaws? of (?:the )?(?P<law>[^.,;()]{3,60}?) (?:applies|apply|governs?|shall apply|is applicable)\b"
    ),
    re.compile(
        r"(?:gilt|unterliegt|findet|anwendbar ist|massgeblich ist|es gilt)\b[^.;]{0,60}?\b(?:das )?recht (?:der |des |von )(?P<law>[^.,;()]{3,60}?)(?=[.,;(]|\s(?:unter|anwendung|mit)\b)"
    ),
    re.compile(r"(?:gilt|unterliegt|findet)\b[^.;]{0,50}?\b(?P<law>[a-z]+(?:es|em|em)) recht\b"),
    re.compile(
        r"(?:regie?s? par|soumise?s? au|soumise?s? a)\s+(?:la |le )?(?:loi |droit |lois )(?:de la |du |de )?(?P<law>[^.,;()]{3,40}?)(?=[.,;(]|\s(?:sans|a l'exclusion)\b)"
    ),
    re.compile(
        r"\b(?:loi|droit) (?:de la |de l'|du )(?P<law>[^.,;()]{3,40}?) (?:s'applique|est applicable|regit)\b"
    ),
)
VALUE = re.compile(
    r"\b(?:amount payable|contract (?:price|value|sum|amount)|purchase price|total (?:price|fee|amount)|fee|price|rent|premium|salary|consideration|sum of"
    r"|per year|annual|kaufpreis|verguetung|vergutung|miete|honorar|\w*preis|entgelt|pauschale|gehalt|\w+wert|prix|loyer|montant|remuneration|salaire|forfait|honoraires)\b"
)
PAID = re.compile(r"\b(?:pays?|paid|costs?|gezahlt|zahlt|kostet|verse|coute)\b")
"""Words that money stands beside in many sentences; counted only where none names a price."""
NO_PRICE = re.compile(
    r"\b(?:liab\w+|damages?|deposit|penalty|limited|exceed\w*|haftung|begrenzt|hochstens|kaution|vertragsstrafe|schaden\w*|responsabilite"
    r"|limitee?|increase|erhohung|hausse|depot|penalites?|dommages?)\b"
)
"""Sums of money that are owed only if something goes wrong, or are added to a price."""
SENTENCE_END = re.compile(r"[.;!?:]\s")
OTHER = re.compile(
    r"\b(?:previous|prior|former|earlier|replaces?|interest|fruher\w*|vorherig\w*|vorjahr\w*|ersetzt|zinsen|ancien\w*|precedent\w*|remplace|interets)\b"
)
"""Sentences with these tell of another contract, or of what is due besides."""
ASIDE = re.compile(r"\b(?:warranty|guarantee|payment|garantie|gewahrleistung|zahlung\w*|paiement)\b")
WITHIN = 250
"""Characters to either side in which a sentence is looked for."""


def sentence_of(flow: Flow, start: int, end: int) -> str:
    """The sentence around characters start..end, folded."""
    before = SENTENCE_END.split(flow.folded[max(start - WITHIN, 0) : start])[-1]
    behind = SENTENCE_END.split(flow.folded[end : end + WITHIN], maxsplit=1)[0]
    return before + flow.folded[start:end] + behind


def first_of(found: Iterable[Candidate]) -> Candidate | None:
    """The first one; less sure where another says something else."""
    candidates = list(found)
    if len({candidate.value for candidate in candidates}) > 1:
        candidates[0].score = min(candidates[0].score, RIVALLED)
    return candidates[0] if candidates else None


def dates_of(text: Text, flow: Flow) -> dict[str, Candidate | None]:
    """effective_date and end_date by the words right before them; else the first other date, which asks for a look."""
    stated: dict[str, list[Candidate]] = {"effective_date": [], "end_date": []}
    others: list[dates.Found] = []
    for one in dates.find(flow.folded, text.month_first):
        if OTHER.search(sentence_of(flow, one.start, one.end)):
            continue
        before = flow.folded[max(one.start - 60, 0) : one.start]
        names = [
            name
            for name, pattern in (("effective_date", EFFECTIVE), ("end_date", ENDING))
            if pattern.search(before)
        ]
        for name in names:
            stated[name].append(flow.dated(one, STATED))
        others += [] if names else [one]
    found = {name: first_of(candidates) for name, candidates in stated.items()}
    if found["effective_date"] is None and others:
        guess = flow.dated(others[0], GUESSED)
        guess.reasons.append("No words say that the contract takes effect on this date.")
        found["effective_date"] = guess
    return found


def spans_of(flow: Flow) -> dict[str, Candidate | None]:
    """Term, renewal and period of notice: the span of time that stands nearest to their word within its sentence."""
    found: dict[str, Candidate | None] = {}
    spans = [m for m in SPAN.finditer(flow.folded) if m["word"] or m["number"]]
    for name, pattern in SPANS.items():
        near: list[tuple[int, int, re.Match[str]]] = []
        for word in pattern.finditer(flow.folded):
            for span in spans:
                between = flow.folded[min(word.end(), span.end()) : max(word.start(), span.start())]
                if len(between) > 90 or re.search(r"[.;]\s", between):
                    continue
                if ASIDE.search(sentence_of(flow, span.start(), span.end())):
                    continue
                # What follows its word is meant rather than what stands before it
                distance = len(between) + (60 if span.start() < word.start() and name != "renewal" else 0)
                near.append((distance, span.start(), span))
        if near:
            span = min(near, key=lambda one: one[:2])[2]
            rivals = {other.group() for *_, other in near} - {span.group()}
            spans = [other for other in spans if other is not span]
            value = (
                f"{span['number'] or WORDS[span['word']]} {flow.text[span.start('unit') : span.end('unit')]}"
            )
            found[name] = Candidate(
                value, RIVALLED if rivals else NEAR, flow.words_at(span.start(), span.end())
            )
    return found


def law_of(flow: Flow) -> Candidate | None:
    matches = [match for pattern in LAW for match in pattern.finditer(flow.folded)]
    stretches = [match.span("law") for match in matches]
    return first_of(
        Candidate(clean(flow.text[start:end]), STATED, flow.words_at(start, end)) for start, end in stretches
    )


def amount_of(text: Text, flow: Flow) -> Candidate | None:
    """The largest sum of money that a word for a price stands before, or right behind; its label is the currency."""
    named, paid = [], []
    for amount in numbers.amounts(flow.text, text.mark):
        around = flow.folded[max(amount.start - 110, 0) : amount.end + 12]
        kind = named if VALUE.search(around) else paid if PAID.search(around) else None
        if not amount.currency or amount.percent or kind is None:
            continue
        sentence = sentence_of(flow, amount.start, amount.end)
        if not NO_PRICE.search(sentence) and not OTHER.search(sentence):
            words = flow.words_at(amount.start, amount.end)
            kind.append(Candidate(numbers.plain(amount.value), NEAR, words, label=amount.currency))
    return first_of(sorted(named or paid, key=lambda candidate: -candidate.amount))
