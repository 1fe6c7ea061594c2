"""Draws statements in many layouts, the same for the same seed: balance sheets, bank accounts and plain tables, with figures beside them that mislead."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from tests.samples.layouts import CENT, FIRST, ITEMS, NUMBERS, SECOND, Drawn, Sheet


@dataclass(frozen=True)
class Wording:
    """How one language names things; texts hold alternatives split by |."""

    titles: str
    as_of: str
    units: str
    items: str
    sums: str
    account: str
    number: str
    opening: str
    closing: str
    columns: tuple[str, str, str, str]
    between: str
    forms: str
    figures: str
    dates: str
    currencies: str


WORDINGS = {
    "en": Wording(
        "Balance sheet|Statement of financial position|Consolidated balance sheet|Income statement", "As of {}|For the year ended {}|As at {}|{}", "in thousands|in millions|",
        "Cash and cash equivalents|Inventories|Trade receivables|Property and equipment|Goodwill|Other current assets|Share capital|Retained earnings|Long-term debt|Deferred tax|Cost of sales|Interest income",
        "Total assets|Total|Sum", "Account statement|Statement of account|Your account", "Account number|Account no.|Account", "Opening balance|Previous balance|Balance brought forward|Balance at start",
        "Closing balance|New balance|Ending balance|Balance at end", ("Date|Booked", "Description|Details|Transaction", "Amount|Value", "Balance|Running balance"), "{} to {}|{} - {}|from {} until {}",
        "Ltd|Inc.|plc|LLC", "point", "%d %B %Y|%Y-%m-%d|%B %d, %Y", "USD|GBP",
    ),
    "de": Wording(
        "Bilanz|Konzernbilanz|Gewinn- und Verlustrechnung", "zum {}|Stichtag {}|{}", "in Tausend|in Mio.|",
        "Kassenbestand|Vorräte|Forderungen|Sachanlagen|Firmenwert|Sonstige Vermögenswerte|Eigenkapital|Gewinnvortrag|Darlehen|Latente Steuern|Materialaufwand|Zinserträge",
        "Bilanzsumme|Summe", "Kontoauszug|Ihr Konto", "Kontonummer|Konto Nr.|Konto", "Anfangssaldo|Alter Saldo|Anfangsbestand|Stand zu Beginn", "Endsaldo|Neuer Saldo|Endbestand|Stand am Ende",
        ("Datum|Buchung", "Text|Vorgang|Beschreibung", "Betrag|Umsatz", "Saldo|Kontostand"), "{} bis {}|{} - {}", "GmbH|AG|KG", "comma", "%d.%m.%Y", "EUR",
    ),
    "fr": Wording(
        "Bilan|Bilan consolidé|Compte de résultat", "au {}|arrêté au {}|Exercice clos le {}|{}", "en milliers|en millions|",
        "Trésorerie|Stocks|Créances clients|Immobilisations|Écart d'acquisition|Autres actifs|Capital social|Report à nouveau|Emprunts|Impôts différés|Achats|Produits financiers",
        "Total actif|Total", "Relevé de compte|Votre compte", "Numéro de compte|Compte n°|Compte", "Solde initial|Ancien solde|Solde de départ", "Solde final|Nouveau solde|Solde à la fin",
        ("Date|Opération", "Libellé|Détail", "Montant|Valeur", "Solde"), "{} au {}|{} - {}", "SARL|SAS|SA", "space", "%d/%m/%Y", "EUR",
    ),
}  # fmt: skip
FOOT = ["Page 1 of 1", "Tel. 0123 456789", "Printed 14:05", "Customer since 1998", "Branch 4711"]


class Table:
    """One statement of one seed. A `hard` one has figures beside its table, labels in two lines and columns without a heading."""

    def __init__(self, seed: int, hard: bool = False):
        self.chance, self.hard = random.Random(seed), hard
        self.language = self.pick(list(WORDINGS))
        self.words = WORDINGS[self.language]
        self.currency = self.pick(self.words.currencies)
        self.date_form = self.pick(self.words.dates)
        self.sheet = Sheet(self.pick(["Helvetica", "Times"]))
        self.truth: dict[str, Any] = dict.fromkeys(("company", "period_from", "period_to", "period_end", "unit", "currency", "opening_balance", "closing_balance", "account"))  # fmt: skip
        self.truth["lines"] = []

    def pick(self, among: Any) -> Any:
        return self.chance.choice(among.split("|") if isinstance(among, str) else among)

    def draw(self) -> Drawn:
        company = f"{self.pick(FIRST)} {self.pick(SECOND)} {self.pick(self.words.forms)}"
        self.truth["company"] = company
        self.sheet.put(20, 20, company, self.pick([10, 14]), self.pick(["", "B"]))
        if self.hard and self.chance.random() < 0.5:
            for row, text in enumerate(self.chance.sample(FOOT, 2)):
                self.sheet.put(190, 20 + 5 * row, text, 8, right=True)
        self.pick([self._balance, self._balance, self._account])()
        if self.chance.random() < 0.5:
            self.sheet.put(20, 285, f"{company}  |  {self.pick(FOOT)}", 7)
        return Drawn(bytes(self.sheet.pdf.output()), "statement", self.language, self.truth)

    def day(self, day: date) -> str:
        from tests.samples.layouts import TONGUES

        name = TONGUES[self.language].months.split()[day.month - 1]
        return day.strftime(
            self.date_form.replace("%B", name).replace("%d", str(day.day) if "%B" in self.date_form else "%d")
        )

    def figure(self, value: Decimal, plain: bool) -> str:
        shown = NUMBERS[self.words.figures](abs(value))
        shown = shown[:-3] if plain else shown
        return shown if value >= 0 else (f"({shown})" if self.minus == "brackets" else f"-{shown}")

    def line(self, item: str, amount: Decimal, **more: str) -> None:
        self.truth["lines"].append({"item": item, "amount": float(amount), **more})

    # A balance sheet: items down, periods across

    def _balance(self) -> None:
        put, words, chance = self.sheet.put, self.words, self.chance
        self.minus = self.pick(["brackets", "sign"])
        last = date(chance.randrange(2015, 2025), *self.pick([(12, 31), (6, 30), (9, 30)]))
        ends = [last, *(last.replace(year=last.year - back) for back in range(1, self.pick([1, 2, 2, 3])))]
        put(20, 32, self.pick(words.titles), 12, "B")
        said, headed = self.pick(words.as_of), chance.random() < 0.8
        self.truth["period_end"] = last.isoformat()
        put(20, 38, said.format(self.day(last)))
        unit = self.pick(words.units)
        self.truth["unit"] = unit.split()[-1] if unit else None
        self.truth["currency"] = self.currency
        put(20, 44, f"({unit} {self.currency})" if unit else f"({self.currency})", 8)
        note = chance.random() < (0.5 if self.hard else 0.15)
        xs = [190 - 34 * column for column in reversed(range(len(ends)))]
        heads = [self.day(end) if chance.random() < 0.9 or not self.hard else str(end.year) for end in ends]
        for x, head in zip(xs, heads if headed else [], strict=False):
            put(x, 56, head, 8, "B", right=True)
        known = [
            {"column": head} | ({"period_end": end.isoformat()} if head == self.day(end) else {})
            for head, end in zip(heads, ends, strict=True)
        ]
        self._rows(xs, known if headed else [{}] * len(ends), note, plain=bool(unit) or chance.random() < 0.5)

    def _rows(self, xs: list[float], ends: list[dict[str, str]], note: bool, plain: bool) -> None:
        y, chance = 64.0, self.chance
        sums = [Decimal(0)] * len(ends)
        items = chance.sample(self.words.items.split("|"), chance.randrange(4, 11))
        for number, item in enumerate(items):
            if self.hard and chance.random() < 0.2:
                self.sheet.put(20, y, self.pick(["Section A", "Notes", "I.", "Other"]), 9, "B")
                y += 6
            values = [Decimal(chance.randrange(-300000, 9000000)) / 100 for _ in ends]
            values = [value.quantize(Decimal(1)) if plain else value for value in values]
            if self.hard and chance.random() < 0.15:
                self.sheet.put(22, y, "of which long term:")
                y += 5
            self._row(y, item, xs, values, ends, plain, str(number + 3) if note else "")
            sums = [one + other for one, other in zip(sums, values, strict=True)]
            y += self.pick([5.5, 6.5]) if not self.hard else 6
        self._row(y + 1, self.pick(self.words.sums), xs, sums, ends, plain, "")

    def _row(
        self,
        y: float,
        item: str,
        xs: list[float],
        values: list[Decimal],
        ends: list[dict[str, str]],
        plain: bool,
        note: str,
    ) -> None:
        self.sheet.put(20, y, item)
        if note:
            self.sheet.put(min(xs) - 30, y, note, 8)
        for x, value, end in zip(xs, values, ends, strict=True):
            if self.hard and self.chance.random() < 0.08:
                self.sheet.put(x, y, "-", right=True)
                continue
            self.sheet.put(x, y, self.figure(value, plain), right=True)
            self.line(item, value, **end)

    # An account: movements down

    def _account(self) -> None:
        put, words, chance = self.sheet.put, self.words, self.chance
        self.minus = "sign"
        first = date(chance.randrange(2015, 2025), chance.randrange(1, 12), 1)
        last = first + timedelta(days=27)
        self.truth |= {
            "period_from": first.isoformat(),
            "period_to": last.isoformat(),
            "period_end": last.isoformat(),
            "currency": self.currency,
        }
        put(20, 32, self.pick(words.account), 12, "B")
        number = "".join(self.pick("0|1|2|3|4|5|6|7|8|9") for _ in range(10))
        self.truth["account"] = number
        put(20, 40, self.pick(words.number) + self.pick([":", ""]))
        put(70, 40, number)
        put(20, 46, self.pick(words.between).format(self.day(first), self.day(last)))
        put(
            20,
            52,
            self.currency
            if chance.random() < 0.5
            else f"Alle Beträge in {self.currency}"
            if self.language == "de"
            else f"All amounts in {self.currency}",
        )
        balance = Decimal(chance.randrange(100000, 900000)) / 100
        beside = self.hard and chance.random() < 0.5
        xs = [20, 50, 150, 190]
        y = self._summary(60, balance, beside, "opening")
        self.heads = [self.pick(name) for name in words.columns]
        for x, name, right in zip(xs, self.heads, (False, False, True, True), strict=True):
            put(x, y, name, 8, "B", right=right)
        y, balance = self._movements(y + 7, balance, first, chance.random() < 0.8)
        self._summary(y + 4, balance, beside, "closing")

    def _summary(self, y: float, balance: Decimal, beside: bool, which: str) -> float:
        label = self.pick(getattr(self.words, which))
        self.truth[f"{which}_balance"] = float(balance)
        self.sheet.put(20, y, label + self.pick([":", ""]))
        self.sheet.put(95 if beside else 190, y, self.figure(balance, False), right=True)
        if beside:
            self.sheet.put(120, y, "Limit")
            self.sheet.put(190, y, self.figure(Decimal(1000), False), right=True)
            self.line("Limit", Decimal(1000))
        self.line(label, balance)
        return y + 10

    def _movements(self, y: float, balance: Decimal, first: date, running: bool) -> tuple[float, Decimal]:
        chance, day = self.chance, first
        for _ in range(chance.randrange(4, 12)):
            step = timedelta(days=self.pick([0, 1, 2]))
            merged = self.hard and not step and day != first
            day += step
            item, value = self.pick(ITEMS), (Decimal(chance.randrange(-60000, 60000)) / 100).quantize(CENT)
            balance += value
            if not merged:
                self.sheet.put(20, y, self.day(day))
            self.sheet.put(50, y, item)
            self.sheet.put(150, y, self.figure(value, False), right=True)
            self.line(item, value, date=day.isoformat(), column=self.heads[2])
            if running:
                self.sheet.put(190, y, self.figure(balance, False), right=True)
                self.line(item, balance, date=day.isoformat(), column=self.heads[3])
            y += 6
        return y, balance


def draw(seed: int, hard: bool = False) -> Drawn:
    """The statement of this seed."""
    return Table(seed, hard).draw()
