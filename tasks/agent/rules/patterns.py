"""What names, addresses and registrations of companies look like, and the name that a label announces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.agent.layout import Cell
from tasks.agent.rules import names
from tasks.agent.rules.labels import LEGAL_FORM, Hit, fold
from tasks.agent.rules.text import Candidate, Text, words_at

LEGAL = re.compile(
    rf"^(?P<name>.{{2,60}}?[\w)\"’'.&])[\s,]+(?P<form>(?:{LEGAL_FORM})\.?)(?=$|[\s,;•|(\-–/])|^.*(?:株式会社|有限会社).*$"
)
FORMS = re.compile(rf"(?:(?:{LEGAL_FORM})(?![^\W_])[\s.,&]*){{1,4}}")
"""Nothing but a legal form, folded: what a name set in two lines ends in."""
SEAT = re.compile(
    r"\s+(?=(?i:sede (?:legale|operativa|sociale?)|registered (?:office|address)|si[eè]ge social|domicilio (?:social|fiscal)|z siedzib[aą]|statutaire zetel)\b)"
)
"""Where a company's name ends before its seat; who is written to is hardly printed so."""
SPLIT = re.compile(
    r"\s+[•·|–—−*]\s*|\s*[•·|]\s+|\s-\s|,\s(?!(?i:inc|llc|ltd|limited|corp|co|llp|lp|plc|l\.l\.c|s\.l|s\.a|s\.r\.l|s\.p\.a|lda|s\.a\.u|unipessoal|sl|sa|gmbh|s\.r\.o|a\.s)\b)|\s/\s|;\s"
    rf"|{SEAT.pattern}"
)
"""What parts the things said in one line, a company's name from its seat; the comma before a legal form parts nothing ("Redwood Data, LLC")."""
IN_BRACKETS = re.compile(r"\([^)]{0,200}\)")
"""A remark; a bracket that nothing closes opens none."""
TOWN = re.compile(
    r"(?:^|\s)(?:[A-Z]{1,2}-)?\d{4,5} [A-Z]{0,2} ?[^\W\d_]{3,}|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b|\b\d{2}-\d{3} |\b[A-Z]{2},? \d{5}\b"
)
POSTCODE = re.compile(
    r"\b(?:[A-Z]{1,2}-)?\d{4,5}\b(?!\.\d)|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b|\b\d{2}-\d{3}\b|^\d{3} \d{2}(?: [^\W\d_]|$)|〒"
)
STREET = re.compile(
    r"\b\d{1,5}[a-z]?\b.{0,80}\b(?:st|street|rd|road|ave|avenue|blvd|lane|ln|drive|dr|way|cir|circle|ct|court|pkwy|parkway|hwy|highway|terrace|close|crescent|square|rue|place|suite|floor)\b|(?:stra(?:ss|ß)e|str\.|weg|allee|platz|gasse"
    r"|ring|damm|straat|laan|katu|tie)\s*\d|^(?:ul\.|rue|via|calle|c/|av\.)\s|\b(?:rue|chemin|avenue|boulevard|ulica|piazza|plaza)\b(?=.{0,80}\d)|(?:stra(?:ss|ß)e|str\.)$",
    re.IGNORECASE,
)
DOMAIN = re.compile(r"(?:@|www\.|https?://(?:www\.)?)([\w.-]+)\.[a-z]{2,6}\b")
FREE_MAIL = frozenset(
    [
        "gmail",
        "googlemail",
        "outlook",
        "hotmail",
        "yahoo",
        "gmx",
        "web",
        "icloud",
        "t-online",
        "aol",
        "orange",
        "wanadoo",
        "free",
        "laposte",
        "proton",
        "protonmail",
        "live",
        "mail",
    ]
)
ADDRESSED = (
    r"^(?:herrn?|hr|frau|fr|firma|fa|familie|mr|mrs|ms|mme|m|an|to|mess?rs|signore?|sig|se[ñn]or(?:es)?)\.?$"
)
"""Forms of address, which stand alone over a name."""
GREETINGS = (
    r"^(?:thank you|thanks (?:for|to)|welcome to|dear\b|hi [\w ]+,$|hello[\w ]*,$|vielen dank|danke f|herzlichen dank|willkommen (?:bei|im|in)|sehr geehrte|guten tag|liebe[rs]? "
    r"|merci (?:de|pour|d'|à|beaucoup)|bienvenue (?:à|chez|au)|bonjour|ch[eè]re? |madame, monsieur|gracias por|bienvenid[oa]s? a|estimad|grazie (?:per|di|mille)|benvenut\w (?:a|da|in)|gentile "
    r"|bedankt voor|dank u|welkom (?:bij|in)|geachte|beste |dzi[eę]kujemy|witamy|szanown|kiitos |tervetuloa|hyvä |tack f|välkommen till|tak for|velkommen til|takk for|obrigad|bem-vind|d[eě]kujeme|v[aá]žen)"
)
"""How documents speak to their readers."""
HEADINGS = (
    r"^(?:dane|adres|address|contact|kontakt|anschrift|adresse|coordonn[ée]es|direcci[óo]n|datos|dati|detalles|d[ée]tails|dettagli|indirizzo|contactgegevens|yhteystiedot|osoite)\w*"
    r"(?: (?:kontaktowe|details|data|de contacto|di contatto|of|du|del?|de l'))*"
    r"(?: (?:podatnika|nabywcy|sprzedawcy|seller|buyer|supplier|customer|client|cliente|klant\w*|vendeur|acheteur|vendedor|fornitore))*$"
    r"|^(?:dati (?:anagrafici|fiscali|generali|identificativi|(?:della|di) sede|relativi)|datos (?:fiscales|identificativos|generales)|dane (?:identyfikacyjne|rejestrowe))\b|^recapiti$"
)
"""What stands over the data of a party: "Contact details", "Dane kontaktowe nabywcy"."""
NOT_NAMES = re.compile(
    ADDRESSED + "|" + GREETINGS + "|"
    r"@|www\.|https?:|^\W*$|^\d[\d\s./-]*$|\bpowered by\b|^\W*(?:page|seite|tel|fax|phone|email|e-mail|original|copy|kopie|duplicata)\b|[:?!。]$"
    r"|[都道府県].*[市区町村郡].*[\d０-９]|^(?:customer |authori[sz]ed )?(?:signature|signatory)\b|^unterschrift|\d{1,2}:\d\d|^[=\-_*#.]{3,}|#$|^\w[\w-]{2,}\.[\w-]{3,}\.[a-z]{2,6}$"
    r"|^(?:御中|様|殿)$|^\w{1,4} ?\(\d+\)$|^\(.*\)$|^(?:your |ihr |votre )?logo$|" + HEADINGS + "|"
    r"^[aà]n? [\w&.]{3,}(?: [\w&.]+){0,2} (?:company|brand)$|^(?:an? )?(?:division|part|member|subsidiary|brand|trading name) of\b|^eine? (?:unternehmen|marke|betrieb|gesellschaft) (?:der|von)\b|^une (?:société|marque|entreprise) d"
    r"|^(?:(?:dipl|mag|prof|dr|ing|univ|fh|med|b\.?sc|m\.?sc|ll\.?m)[.\- ]*)+$|^(?:nif|cif|rfc|nip|siret|siren|vat|ust|uid|gst|gstin|abn|tva|btw|kvk)\b(?:.*\d){5}"
    r"|^\W*\d[\d.,'’ ]*\W*(?:nos?|pcs?|pieces?|stk|stück|units?|ea|each|hrs?|hours?|std|kg|ltr|eur|usd|gbp|inr|chf)\.?$|^\W*\d[\d.,'’ ]*[.,]\d{2}\W*$",
    re.IGNORECASE,
)
RUNNING = re.compile(r"(?=[a-zà-öø-ÿœ])(?:\w{1,3}|[^\WA-Z\d_]+(?:[ ,'’-]+[^\WA-Z\d_]+)+)[.,;]?$")
"""Words of a sentence, and no name: none has a capital, and a single one is of three letters at most."""
BANK = re.compile(rf"\b\w*(?:{names.BANKS})\b")
CONTACT = re.compile(
    r"^(?:tel|phone|telefon|fon|fax|mobil|e-?mail|puh)\b|@|^www\.|\bvat\b|\btva\b|ust-?id|\bp\.? ?iva\b|\bbtw\b|\bnip\b|^[a-z]{1,2}[- ]?\d{7,9}[a-z]?$"
)
REACHED = re.compile(r"^\W*(?:tel|phone|telefon|fon|fax|mobil|puh|call us)\b|@|www\.")
"""How somebody can be reached."""
FOOTER_WORDS = re.compile(
    r"siege social|au capital|registergericht|amtsgericht|handelsregister|geschae?ftsfue?hr|sitz der gesellschaft|\brcs\b|registered (?:office|in)|company (?:no|reg)"
    r"|vorstand|\bhrb\b|\bkvk\b|\borg\.? ?nr\b|\bcvr\b|y-tunnus|\bregon\b|\bregistration (?:no|number)\b|\btax id\b|\bcnpj\b|\babn\b|登録番号|\bsiret\b|ust-?id|\bvat\b|\btva\b|gstin|\biban\b"
    r"|sede legale|\bcap(?:itale|\.) soc|\brea\b|registro (?:delle )?imprese|registro mercantil|\bkrs\b|kapital zakladowy|sad rejonowy"
)
PREFIX = re.compile(
    r"^(?:attn|att|attention|z\.? ?hd|(?:imie i nazwisko lub |pelna )?nazwa|imie i nazwisko|(?:full |company )?name|firma|company|nom(?: ou raison sociale)?|societe"
    r"|nombre(?: (?:o|y) razon social)?|razon social|nome|ragione sociale|denominazione|cognome e nome|raison sociale|(?:bedrijfs)?naam|bedrijf|(?:yrityksen )?nimi"
    r"|obchodni jmeno|navn|namn)\s*[:.]\s*",
    re.IGNORECASE,
)
TITLES = re.compile(
    r"^(?:herrn?|hr|frau|mr|mrs|ms|mme|m|dr|prof|madame|monsieur|z\.? ?hd\.?|attn|c/o)\b\.?", re.IGNORECASE
)
DOCTOR = re.compile(r"^(?:prof\.? )?dr\.? ?(?:med|iur|jur|vet|dent|rer|ing|phil)\b", re.IGNORECASE)
"""Who is called so at the head of a page has a practice; who is written to is seldom called by faculty and all."""
PERSON = re.compile(
    r"^(?:herrn?|hr|frau|mr|mrs|ms|mme|madame|monsieur|z\.? ?hd\.?|attn|c/o)\b\.? \w", re.IGNORECASE
)
"""A person by name, below the company that is written to."""
HONOURED = ("御中", "様", "殿")
"""What follows the name of who is written to in Japanese."""
GREETED = re.compile(
    r"(?:sehr geehrte[rs]?|liebe[rs]?|guten tag|hallo|dear|hello|hi|bonjour|chere?|madame|monsieur|estimad[oa]|gentil[ei]|egregi[ao]|geachte|beste|szanown[ya]|hyva|basta|kære|kjære"
    r"|prezad[oa]|vazen[ya])\b[^,:!]*?([^\W\d_]{4,})\s*[,:!]?$"
)
"""Who is greeted, by the last of the words, folded: "Sehr geehrter Herr Dr. Brandes,"."""
ADDRESSING = re.compile(
    r"^(?:your|ihre?|votre|vos|uw|je|jouw|su|tu|la (?:tua|sua|vostra)|twoj[ae]?|panstwa|din|deres|vase|a sua) ",
)
"""What opens the title of a document that speaks to its reader: "Your bill", "Ihre Mobilfunkrechnung"."""
STATEMENT = re.compile(
    r"^(?:[^\W\d_]+ ){0,3}(?:statements?|konto\w*auszug|kontoauszug|releve|extracto|estratto|rekeningoverzicht|wyciag)(?: (?:of|for|de|di|du|no|nr|conto|compte|cuenta)\b.*)?$"
)
"""The title of a statement, folded: "Your Statement", "Savings account statement", "Relevé de compte"."""
TWO_TITLES = re.compile(r"^[^\W\d_][\w .]{2,24} ?/ ?[\w .]{3,24}$")
""" "Repair order / Invoice"."""
NOUGHTS = re.compile(r"(?<=\w\. )z [0o]\. ?[0o]\.?$", re.IGNORECASE)
"""A Polish legal form as OCR reads it: "Sp. z 0.0."."""
LABELLED = re.compile(r"^[^:]{3,45}:\s*\S")
"""A line that says what it is, and so is no name."""


CODED = re.compile(r"[a-z]{0,4}[\d .\-/]{6,}")
"""A number with the letters of its country."""
PICTURES = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]")
MOST_BELOW = 6
"""Lines below the label of a party, of which some may say other things than its name."""
NEAR = 2.0
"""Heights between a colon and what it announces on its own line."""

FROM = frozenset(["from", "de", "da", "von", "van", "fra", "fran", "od"])
TO = frozenset(["to", "para", "a", "an", "aan", "per", "til", "till", "pour", "dla"])


COPYRIGHT = re.compile(r"\s*(?:©|\(c\)|copyright)[\s\d,–-]*", re.IGNORECASE)
"""What stands before the name of who has a right to what is printed."""
BARE_CODE = re.compile(r"(?:[A-Z]{1,2}-)?\d{4,5}")
"""A code of the post whose town stands in the next line."""
TWICE = re.compile(r"\s*/\s*[^\W\d_][^:]{1,30}:?\s*$")
"""A label's second language: "Seller / Pardavėjas:"."""


def little(text: Text, words: frozenset[str]) -> Iterator[tuple[Cell, Hit]]:
    """Labels of one little word, which are some only if nothing else stands in their cell: "DE", "Von:"."""
    for cell in text.cells:
        if text.folded[cell].strip(" :") in words:
            yield cell, Hit(0, len(cell.text), frozenset(), frozenset(), 2)


def named(text: Text, cell: Cell, hit: Hit) -> Iterator[Candidate]:
    """The name that a label announces: behind it or right behind its colon, else below it, else to its right."""
    behind = "" if TWICE.match(cell.text, hit.end) else cell.text[hit.end :].lstrip(" :.-–")
    if any(
        not cell.text[hit.end : other.start].strip(" -")
        for other in text.hits.get(cell, ())
        if other.start >= hit.end
    ):
        return  # "Customer VAT ID": not who, but what of them
    if re.search(r"[^\W\d_]{2}", behind):
        if cell.text[hit.end :].lstrip().startswith((":", "-", "–")) or behind[:1].isupper():
            start = len(cell.text) - len(behind)
            name = SPLIT.split(behind)[0]
            yield Candidate(name, 0.85, words_at(cell, start, start + len(name)))
        return
    precise = 0.8 if hit.words > 1 or hit.end - hit.start > 5 else 0.65
    below = list(text.below(cell, MOST_BELOW))
    # A number right below the label says who it is: what stands beside it heads a column of its own
    numbered = (
        bool(below) and re.fullmatch(r"[\W\d_]*\d[\W\d_]*", below[0].text) and not cell.text.endswith(":")
    )
    beside = [] if numbered else list(text.right_of(cell))[:1] or _called(text, cell)
    near = cell.text.endswith(":") and beside and beside[0].x0 - cell.x1 < NEAR * cell.height
    for other in [*beside, *below] if near else [*below, *beside]:
        leading = text.leading_hit(other)
        name = PREFIX.sub("", fold(other.text))
        start = len(other.text) - len(name)
        if start == 0 and leading is not None and (leading.end - leading.start) * 2 > len(other.text):
            continue
        if leading is not None and start == 0 and not re.match(r"\s*[^\W_:]", other.text[leading.end :]):
            continue
        if (
            not re.search(r"[^\W\d_]{2}", name)
            or CODED.fullmatch(name)
            or (start == 0 and LABELLED.match(other.text))
            or other.text.rstrip().endswith(":")
            or re.match(r"^(?:gln|nip|id|ust)\b", name)
            or TITLES.fullmatch(name)
            or re.search(HEADINGS, name)
        ):
            continue
        value = SPLIT.split(other.text[start:])[0]
        yield Candidate(value, precise, words_at(other, start, start + len(value)))
        return


def _called(text: Text, cell: Cell) -> list[Cell]:
    """The name in the line below a heading over the whole form: "SELLER" over "Name: | Miller Ltd"."""
    below = text.lines[cell.line + 1 : cell.line + 2]
    if len(text.lines[cell.line].cells) > 1 or not below or below[0].page != cell.page:
        return []
    label, *rest = below[0].cells
    return rest[:1] if PREFIX.fullmatch(text.folded[label]) else []


def is_name(name: str) -> bool:
    """Whether cleaned words can be somebody's name, and not a street, a number, an address of the web or a form of address."""
    return (
        len(key_of(name)) > 2
        and re.search(r"[^\W\d_]{3}", name) is not None
        and not (NOT_NAMES.search(name) or STREET.search(name) or RUNNING.match(name))
    )


def clean(name: str) -> str:
    """Without the signs and labels around it, and without pictures of a font that stand among letters."""
    name = re.sub(r"\s+", " ", PICTURES.sub("", name).strip(" \t:;,|•·*–—-"))
    return NOUGHTS.sub("z o.o.", name)


def key_of(name: str) -> str:
    return re.sub(r"[\W_]+", "", fold(name))
