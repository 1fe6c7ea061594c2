"""Draws contracts in many wordings and layouts, the same for the same seed: parties, dates, terms, sums and law, with sentences beside them that mislead."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from fpdf import FPDF

from tests.samples.generate import MADE
from tests.samples.layouts import FIRST, NUMBERS, SECOND, TONGUES, Drawn


@dataclass(frozen=True)
class Wording:
    """How one language says things; texts hold alternatives split by |. `{a}` and `{b}` are parties, `{d}` a date, `{t}` a time, `{m}` money, `{l}` a law."""

    titles: str
    openings: str
    labelled: str
    roles: str
    starts: str
    terms: str
    ends: str
    renewals: str
    notices: str
    prices: str
    laws: str
    countries: str
    units: str
    misleading: str
    forms: str


ENGLISH = Wording(
    "SERVICES AGREEMENT|Lease Agreement|Consulting Contract|MASTER SUPPLY AGREEMENT|Software Licence Agreement|Employment Contract|Maintenance Contract|Loan Agreement",
    'This agreement is entered into between {a} (the "{ra}") and {b} (the "{rb}").|This Agreement is made by and between {a}, a company registered at 4 Dock Road ("{ra}"), '
    'and {b}, whose office is at 9 Hill Street ("{rb}").|BETWEEN: (1) {a}, having its seat in Leeds (the "{ra}"); and (2) {b}, having its seat in York (the "{rb}").'
    "|{a} (hereinafter {ra}) and {b} (hereinafter {rb}) agree as follows.|The parties to this contract are {a}, referred to as {ra}, and {b}, referred to as {rb}.",
    "{ra}: |Name of the {ra}: |{ra} name: ", "Client/Contractor|Landlord/Tenant|Supplier/Customer|Licensor/Licensee|Lender/Borrower|Owner/Operator",
    "It becomes effective on {d}.|This Agreement is dated {d}.|The effective date of this Agreement is {d}.|The services commence on {d}.|It takes effect from {d}.|Start date: {d}|Signed in London on {d}.",
    "The initial term of this Agreement is {t}.|It is concluded for a period of {t}.|It shall remain in force for {t} from its beginning.|Duration: {t}",
    "It ends on {d}.|It expires on {d} without notice.|The agreement is valid until {d}.|Last day: {d}",
    "It renews for further terms of {t} each.|It is renewed automatically for successive periods of {t}.|Thereafter it continues for {t} at a time.",
    "Either party may end it by giving {t} written notice.|The period of notice is {t}.|It may be terminated with {t} prior notice.|A party that wants to leave tells the other {t} ahead.",
    "The total fee for all services is {m}.|The annual rent is {m}, payable monthly.|The purchase price amounts to {m}.|The Client pays {m} for the whole of the work.|Contract value: {m}",
    "This Agreement shall be governed by the laws of {l}.|It is governed by {l} law.|The law of {l} applies.|This contract is subject to and construed in accordance with the laws of {l}, without regard to its conflict rules.",
    "England and Wales|Scotland|Ireland|New Zealand", "day/days|month/months|year/years",
    "Invoices are payable within 30 days.|The Act of 12 May 1999 remains untouched.|Insurance of {m} has to be kept for each case.|Records are kept for 10 years.|A price list of 3 January 2011 is attached."
    "|Notices between the offices are sent by post.|Damages are limited to {m} in total.|Faults are repaired within 5 business days.|The parties met on 7 March 2012 for the first time.|After notice of a fault the other side has 14 days to mend it.|Renewed goods are tested for 7 days.|The term of payment is 30 days.|The previous agreement was made on 4 May 2010 and ended on 30 April 2015.|The rent of the year before was {m}.|A price increase of {m} was agreed before.|Data are handled subject to the laws of Finland.|Warranty is given for a period of 2 years.|Interest is due from 1 July 2014 on open sums.|A deposit of {m} is paid back at the end.",
    "Ltd|LLC|Inc.|plc",
)  # fmt: skip
GERMAN = Wording(
    "Mietvertrag|DIENSTLEISTUNGSVERTRAG|Kaufvertrag|Wartungsvertrag|Rahmenvereinbarung|Arbeitsvertrag|Lizenzvertrag",
    "zwischen {a}, Hafenstraße 4, Bremen (nachfolgend {ra}) und {b}, Am Berg 9, Kassel (nachfolgend {rb}) wird Folgendes vereinbart:"
    "|Zwischen der {a} (im Folgenden „{ra}“) und der {b} (im Folgenden „{rb}“) wird dieser Vertrag geschlossen.|Die {a} als {ra} und die {b} als {rb} schließen diesen Vertrag.",
    "{ra}: |Name {ra}: ", "Vermieter/Mieter|Auftraggeber/Auftragnehmer|Verkäufer/Käufer|Lizenzgeber/Lizenznehmer|Anbieter/Kunde",
    "Der Vertrag beginnt am {d}.|Vertragsbeginn: {d}|Er tritt mit Wirkung zum {d} in Kraft.|Dieser Vertrag wurde geschlossen am {d}.|Das Mietverhältnis fängt am {d} an.|Köln, den {d}",
    "Die Laufzeit beträgt {t}.|Die Dauer des Vertrags: {t}|Er wird für {t} abgeschlossen.",
    "Er endet am {d}.|Vertragsende: {d}|Er gilt bis zum {d}.|Letzter Tag ist der {d}.",
    "Er verlängert sich jeweils um {t}.|Die Verlängerung beträgt jeweils {t}.|Danach läuft er je {t} weiter.",
    "Die Kündigungsfrist beträgt {t}.|Die Kündigung ist mit einer Frist von {t} möglich.|Wer gehen will, sagt das {t} vorher.",
    "Die Vergütung beträgt {m} im Jahr.|Die Miete beläuft sich auf {m}.|Der Kaufpreis beträgt {m}.|Gezahlt werden {m} für alle Leistungen.|Vertragswert: {m}",
    "Es gilt das Recht der {l}.|Dieser Vertrag unterliegt dem Recht der {l} unter Ausschluss des UN-Kaufrechts.|Anwendbar ist das Recht der {l}.|Maßgeblich ist {l}, soweit es um Recht geht.",
    "Bundesrepublik Deutschland|Republik Österreich|Schweiz", "Tag/Tage|Monat/Monate|Jahr/Jahre",
    "Rechnungen sind binnen 30 Tagen zu zahlen.|Das Gesetz vom 12.05.1999 bleibt unberührt.|Eine Versicherung über {m} je Fall ist nachzuweisen.|Unterlagen werden 10 Jahre verwahrt."
    "|Die Preisliste vom 03.01.2011 liegt bei.|Die Haftung ist auf {m} begrenzt.|Mängel werden in 5 Tagen behoben.|Nach Kündigung sind die Räume in 14 Tagen zu leeren.|Die Laufzeit der Garantie beträgt 2 Jahre.|Der frühere Vertrag wurde geschlossen am 04.05.2010 und endete am 30.04.2015.|Die Miete des Vorjahres betrug {m}.|Eine Preiserhöhung um {m} war vereinbart.|Für Daten gilt das Recht der Republik Finnland.|Die Zahlungsfrist verlängert sich um 7 Tage.|Zinsen laufen ab dem 01.07.2014.|Eine Kaution von {m} ist zu stellen.",
    "GmbH|AG|KG|UG",
)  # fmt: skip
FRENCH = Wording(
    "Contrat de prestation de services|CONTRAT DE BAIL|Convention de partenariat|Contrat de maintenance|Contrat de vente|Accord de licence",
    "Entre les soussignés : {a}, dont le siège est à Lille (le « {ra} »), et {b}, dont le siège est à Brest (le « {rb} »), il est convenu ce qui suit."
    "|Le présent contrat est conclu entre {a}, représentée par son gérant (le « {ra} »), et {b}, représentée par son directeur (le « {rb} »).|La société {a}, ci-après le {ra}, et la société {b}, ci-après le {rb}, conviennent de ce qui suit.",
    "{ra} : |Nom du {ra} : ", "Bailleur/Locataire|Prestataire/Client|Vendeur/Acheteur|Fournisseur/Client|Exploitant/Propriétaire",
    "Il prend effet le {d}.|Date d'effet : {d}|Il s'applique à compter du {d}.|Conclu le {d}.|Il entre en vigueur le {d}.|Fait à Lyon, le {d}.",
    "Sa durée est de {t}.|Il est conclu pour une durée de {t}.|Il court sur {t}.",
    "Il prend fin le {d}.|Il expire le {d}.|Il est valable jusqu'au {d}.|Dernier jour : {d}",
    "Il se renouvelle par tacite reconduction pour {t}.|Le renouvellement est de {t}.|Il repart ensuite pour {t}.",
    "Le préavis est de {t}.|Chaque partie peut y mettre fin moyennant un préavis de {t}.|Qui veut partir le dit {t} avant.",
    "Le prix total est de {m}.|Le loyer annuel s'élève à {m}.|La rémunération est fixée à {m}.|Le client verse {m} pour le tout.|Montant du contrat : {m}",
    "Le présent contrat est régi par le droit de la {l}.|Il est soumis au droit de la {l}.|La loi de la {l} s'applique.", "France|Belgique|Suisse", "jour/jours|mois/mois|an/ans",
    "Les factures sont payables sous 30 jours.|La loi du 12 mai 1999 reste applicable.|Une assurance de {m} par sinistre est exigée.|Les pièces sont gardées 10 ans.|Le tarif du 3 janvier 2011 est joint.|La responsabilité est limitée à {m}.|Après le préavis les lieux sont vidés sous 14 jours.|La durée de la garantie est de 2 ans.|L'ancien contrat conclu le 4 mai 2010 a pris fin le 30 avril 2015.|Le loyer de l'année passée était de {m}.|Une hausse du prix de {m} a été convenue.|Les données sont soumises au droit de la Finlande.|Le renouvellement des pièces se fait en 7 jours.|Un dépôt de {m} est versé.",
    "SARL|SAS|SA",
)  # fmt: skip
WORDINGS = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH}
FIGURES = {"en": "point", "de": "comma", "fr": "space"}
WORDS = {
    1: "one",
    2: "two",
    3: "three",
    5: "five",
    6: "six",
    10: "ten",
    12: "twelve",
    30: "thirty",
    60: "sixty",
    90: "ninety",
}
PARTS = ("starts", "terms", "ends", "renewals", "notices", "prices", "laws")


class Agreement:
    """One contract of one seed. A `hard` one has more misleading sentences, and its sentences stand in any order."""

    def __init__(self, seed: int, hard: bool = False):
        self.chance, self.hard = random.Random(seed), hard
        self.language = self.pick(list(WORDINGS))
        self.words = WORDINGS[self.language]
        self.truth: dict[str, Any] = dict.fromkeys(("title", "effective_date", "end_date", "term", "renewal", "notice_period", "amount", "currency", "governing_law"))  # fmt: skip
        self.pdf = FPDF()
        self.pdf.set_creation_date(MADE)
        self.pdf.set_auto_page_break(True, 25)
        self.pdf.set_margins(22, 20)
        self.pdf.add_page()
        self.family = self.pick(["Helvetica", "Times"])

    def pick(self, among: Any) -> Any:
        return self.chance.choice(among.split("|") if isinstance(among, str) else among)

    def draw(self) -> Drawn:
        title = self.pick(self.words.titles)
        self.truth["title"] = title
        self.write(title, self.pick([13, 16]), "B", self.pick("C|L"))
        self._parties()
        sentences = [
            self._sentence(part) for part in PARTS if self.chance.random() < (0.6 if self.hard else 0.8)
        ]
        misleading = self.words.misleading.split("|")
        for text in self.chance.sample(
            misleading, self.chance.randrange(4, 8) if self.hard else self.chance.randrange(3)
        ):
            place = self.chance.randrange(len(sentences) + 1)
            sentences.insert(place, text.format(m=self._money(self._sum())))
        if self.hard:
            self.chance.shuffle(sentences)
        self._body(sentences)
        if self.chance.random() < 0.6:
            self.write(
                f"______________________          ______________________\n{self.names[0]}          {self.names[1]}"
            )
        return Drawn(bytes(self.pdf.output()), "contract", self.language, self.truth)

    def write(self, text: str, size: float = 10, style: str = "", align: str = "L") -> None:
        self.pdf.set_font(self.family, style, size)
        plain = (
            text.translate(str.maketrans({"€": "EUR", "„": '"', "“": '"', "”": '"'}))
            .encode("latin-1", "ignore")
            .decode("latin-1")
        )
        self.pdf.multi_cell(0, size * 0.5, plain, align=align, new_x="LMARGIN", new_y="NEXT")
        self.pdf.ln(2.5)

    def _parties(self) -> None:
        roles = self.pick(self.words.roles).split("/")
        self.names = [f"{self.pick(FIRST)} {self.pick(SECOND)} {self.pick(self.words.forms)}" for _ in roles]
        if self.names[0] == self.names[1]:
            self.names[1] = "Zenit " + self.names[1]
        self.truth["party_1"], self.truth["party_2"] = self.names
        if self.chance.random() < 0.3:
            label = self.pick(self.words.labelled)
            for role, name in zip(roles, self.names, strict=True):
                self.write(label.format(ra=role) + name)
            return
        self.write(
            self.pick(self.words.openings).format(a=self.names[0], b=self.names[1], ra=roles[0], rb=roles[1])
        )

    def _body(self, sentences: list[str]) -> None:
        """As numbered clauses, as one running text, or each on a line of its own."""
        form = self.pick(["numbered", "running", "lines"])
        if form == "running":
            self.write(" ".join(sentences), align="J")
            return
        for number, text in enumerate(sentences, 1):
            self.write(f"{number}. {text}" if form == "numbered" else text, align="J")

    def _sentence(self, part: str) -> str:
        text = self.pick(getattr(self.words, part))
        if part in ("starts", "ends"):
            day = (
                date(2016, 1, 1) + timedelta(days=self.chance.randrange(3000))
                if part == "starts"
                else self._end()
            )
            self.truth["effective_date" if part == "starts" else "end_date"] = day.isoformat()
            return text.format(d=self._day(day))
        if part in ("terms", "renewals", "notices"):
            printed, said = self._time()
            self.truth[{"terms": "term", "renewals": "renewal", "notices": "notice_period"}[part]] = said
            return text.format(t=printed)
        if part == "prices":
            self.truth["amount"] = float(value := self._sum())
            self.truth["currency"] = "EUR" if self.language != "en" else "GBP"
            return text.format(m=self._money(value))
        self.truth["governing_law"] = law = self.pick(self.words.countries)
        return text.format(l=law)

    def _end(self) -> date:
        start = self.truth["effective_date"]
        first = date.fromisoformat(start) if start else date(2022, 1, 1)
        return first + timedelta(days=self.pick([364, 365, 729, 1095, 200]))

    def _time(self) -> tuple[str, str]:
        count = self.pick([1, 2, 3, 5, 6, 12, 30, 60, 90])
        one, many = self.pick(self.words.units).split("/")
        unit = one if count == 1 else many
        figure = (
            f"{WORDS[count]} ({count})"
            if self.language == "en" and self.chance.random() < 0.4
            else str(count)
        )
        return f"{figure} {unit}", f"{count} {unit}"

    def _sum(self) -> Decimal:
        return Decimal(self.chance.randrange(50000, 90000000)) / 100

    def _money(self, value: Decimal) -> str:
        figure = NUMBERS[FIGURES[self.language]](value)
        if self.language == "en":
            return self.pick([f"GBP {figure}", f"£{figure}"])
        return f"{figure} EUR"

    def _day(self, day: date) -> str:
        name = TONGUES[self.language].months.split()[day.month - 1]
        forms = {"en": [f"{day.day} {name} {day.year}", f"{name} {day.day}, {day.year}"], "de": [day.strftime("%d.%m.%Y"), f"{day.day}. {name} {day.year}"]}  # fmt: skip
        return self.pick(forms.get(self.language, [day.strftime("%d/%m/%Y"), f"{day.day} {name} {day.year}"]))


def draw(seed: int, hard: bool = False) -> Drawn:
    """The contract of this seed."""
    return Agreement(seed, hard).draw()
