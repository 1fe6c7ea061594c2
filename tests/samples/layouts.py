"""Draws business documents in many layouts, the same for the same seed: languages, labels, columns, number forms and sums vary."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from fpdf import FPDF


@dataclass(frozen=True)
class Tongue:
    """How one language names things; each text holds alternatives split by |. `numbers` and `dates` are keys of the forms below."""

    title: str
    credit: str
    quotation: str
    number: str
    date: str
    due: str
    net: str
    tax: str
    total: str
    columns: tuple[str, str, str, str]
    buyer: str
    forms: str
    months: str
    charge: str
    customer: str
    paid_in: str
    address: tuple[str, str]
    numbers: str
    dates: str
    thanks: str


TONGUES = {
    "en": Tongue(
        "INVOICE|Tax Invoice|Invoice", "CREDIT NOTE|Credit Note", "QUOTATION|Quote|Estimate", "Invoice No.|Invoice #|Invoice Number|Inv. No|Document No.",
        "Invoice Date|Date|Issue date|Date of issue", "Due Date|Payment due|Due date|Pay by", "Subtotal|Net amount|Total excl. VAT|Sub-total|Net total",
        "VAT {}%|Tax ({}%)|Sales Tax {}%|VAT @ {}%", "Total|Grand Total|Total incl. VAT|TOTAL|Invoice total",
        ("Description|Item|Product|Details", "Qty|Quantity|Hours|Units", "Unit Price|Rate|Price|Unit cost", "Amount|Line total|Total"),
        "Bill To|Billed to:|Customer:|Invoice to:|Client:", "Ltd|LLC|Inc.|Limited|",
        "January February March April May June July August September October November December", "Shipping|Delivery", "Customer ID|Your reference",
        "Amount paid", ("12 High Street", "London SW1A 1AA"), "point", "iso month day", "Thank you for your business.",
    ),
    "de": Tongue(
        "Rechnung|RECHNUNG", "Gutschrift|Rechnungskorrektur", "Angebot|ANGEBOT", "Rechnungsnummer|Rechnungs-Nr.|Rechnung Nr.|Beleg-Nr.|Re.-Nr.",
        "Rechnungsdatum|Datum|Belegdatum", "Fällig am|Zahlbar bis|Fälligkeitsdatum", "Nettobetrag|Summe netto|Zwischensumme|Gesamt netto",
        "MwSt. {}%|zzgl. {} % USt.|Umsatzsteuer {} %|{}% MwSt", "Gesamtbetrag|Rechnungsbetrag|Gesamtsumme|Endbetrag|Bruttobetrag",
        ("Bezeichnung|Beschreibung|Artikel|Leistung", "Menge|Anzahl", "Einzelpreis|Preis|E-Preis", "Gesamt|Betrag|Gesamtpreis"),
        "Kunde|Rechnungsempfänger:|Rechnung an", "GmbH|AG|KG|UG|e.K.",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember", "Versandkosten|Fracht", "Kundennummer|Ihr Zeichen",
        "Anzahlung", ("Hauptstraße 5", "50667 Köln"), "comma", "dot name", "Vielen Dank für Ihren Auftrag.",
    ),
    "fr": Tongue(
        "Facture|FACTURE", "Avoir|AVOIR", "Devis|DEVIS", "Facture n°|N° de facture|Numéro de facture", "Date de facture|Date|Date d'émission",
        "Échéance|Date d'échéance|À payer avant le", "Total HT|Montant HT|Sous-total HT", "TVA {}%|TVA ({} %)|Montant TVA {}%",
        "Total TTC|Montant TTC|Net à payer", ("Désignation|Description|Libellé", "Quantité|Qté", "Prix unitaire HT|P.U. HT|Prix unitaire", "Montant HT|Total HT|Montant"),
        "Facturé à|Client|Destinataire", "SARL|SAS|SA|", "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "Frais de port", "N° client|Votre référence", "Acompte versé", ("5 rue des Lilas", "75011 Paris"), "space", "slash name", "Merci de votre confiance.",
    ),
    "es": Tongue(
        "Factura|FACTURA", "Factura rectificativa|Abono", "Presupuesto|PRESUPUESTO", "Factura nº|Nº factura|Número de factura", "Fecha|Fecha factura|Fecha de emisión",
        "Vencimiento|Fecha de vencimiento", "Base imponible|Subtotal", "IVA {}%|IVA ({}%)", "Total|TOTAL FACTURA|Importe total",
        ("Descripción|Concepto", "Cantidad|Uds.", "Precio|Precio unitario", "Importe|Total"), "Cliente|Facturar a", "S.L.|S.A.|",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", "Gastos de envío", "Nº cliente", "Anticipo",
        ("Calle Mayor 3", "28013 Madrid"), "comma", "slash", "Gracias por su confianza.",
    ),
    "it": Tongue(
        "Fattura|FATTURA", "Nota di credito", "Preventivo", "Fattura n.|Numero fattura|N. fattura", "Data|Data fattura|Data documento", "Scadenza|Data scadenza",
        "Imponibile|Totale imponibile", "IVA {}%|Totale IVA {}%", "Totale fattura|Totale|Totale documento", ("Descrizione|Articolo", "Quantità|Q.tà", "Prezzo unitario|Prezzo", "Importo|Totale"),
        "Cliente|Spett.le|Destinatario", "S.r.l.|S.p.A.", "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "Spese di spedizione", "Codice cliente", "Acconto", ("Via Roma 10", "20121 Milano"), "comma", "slash", "Grazie per la fiducia.",
    ),
    "nl": Tongue(
        "Factuur|FACTUUR", "Creditnota|Creditfactuur", "Offerte|OFFERTE", "Factuurnummer|Factuurnr.|Factuur nr", "Factuurdatum|Datum", "Vervaldatum|Te betalen voor",
        "Subtotaal|Totaal excl. btw", "BTW {}%|{}% btw", "Totaal|Totaal incl. btw|Totaalbedrag", ("Omschrijving|Artikel", "Aantal", "Prijs|Stuksprijs|Tarief", "Bedrag|Totaal"),
        "Klant|Factuuradres", "B.V.|N.V.", "januari februari maart april mei juni juli augustus september oktober november december", "Verzendkosten", "Klantnummer",
        "Aanbetaling", ("Dorpsstraat 1", "1012 AB Amsterdam"), "comma", "dash name", "Bedankt voor uw opdracht.",
    ),
    "fi": Tongue(
        "Lasku|LASKU", "Hyvityslasku", "Tarjous", "Laskun numero|Laskunumero", "Päivämäärä|Laskun päivä", "Eräpäivä", "Veroton yhteensä|Yhteensä ilman ALV", "ALV {}%|Arvonlisävero {} %",
        "Yhteensä|Verollinen yhteensä", ("Kuvaus|Tuote", "Määrä", "Hinta|Yksikköhinta", "Summa|Yhteensä"), "Asiakas|Laskutusosoite", "Oy|Oyj",
        "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta", "Toimituskulut", "Asiakasnumero",
        "Ennakkomaksu", ("Mannerheimintie 5", "00100 Helsinki"), "space", "dot", "Kiitos tilauksestanne.",
    ),
}  # fmt: skip

NUMBERS: dict[str, Callable[[Decimal], str]] = {
    "point": lambda value: f"{value:,.2f}",
    "comma": lambda value: f"{value:,.2f}".translate(str.maketrans(",.", ".,")),
    "space": lambda value: f"{value:,.2f}".translate(str.maketrans(",.", " ,")),
    "bare": lambda value: f"{value:.2f}".replace(".", ","),
}
FIRST = [
    "Blue",
    "Green",
    "Silver",
    "North",
    "Alpha",
    "Delta",
    "Rosen",
    "Linden",
    "Nova",
    "Terra",
    "Castor",
    "Orbis",
    "Amber",
    "Falk",
    "Meridian",
]
SECOND = [
    "Werke",
    "Systems",
    "Consulting",
    "Design",
    "Foods",
    "Logistics",
    "Studio",
    "Media",
    "Technik",
    "Bau",
    "Textil",
    "Print",
    "Energy",
    "Motors",
]
BUYERS = ["Muller", "Janssen", "Garcia", "Rossi", "Smith", "Dubois", "Virtanen", "Okafor"]
ITEMS = [
    "Consulting",
    "Paper A4",
    "Cable 2 m",
    "Licence basic",
    "Office chair black",
    "Support package",
    "Cleaning service weekly",
    "Bolt M8 x 40",
    "Coffee beans 1 kg",
    "Hosting plan S",
    "Training day",
    "Steel plate 3 mm",
    "Travel costs",
    "Wall paint white 10 l",
    "Annual maintenance",
]
CENT = Decimal("0.01")
BOTTOM = 262.0


@dataclass
class Drawn:
    """A PDF and what it says; `kind` is invoice, credit_note or quotation, `language` that of its labels."""

    content: bytes
    kind: str
    language: str
    truth: dict[str, Any]


class Sheet:
    """The page that is drawn on, in millimetres from the top left."""

    def __init__(self, family: str):
        self.pdf, self.family = FPDF(), family
        self.pdf.set_creation_date(date_of_making())
        self.pdf.add_page()
        self.size(9)

    def size(self, size: float, style: str = "") -> None:
        self.pdf.set_font(self.family, style, size)

    def put(
        self, x: float, y: float, text: str, size: float = 9, style: str = "", right: bool = False
    ) -> None:
        """`right`: the text ends at x."""
        self.size(size, style)
        plain = text.replace("€", "EUR").encode("latin-1", "ignore").decode("latin-1")
        self.pdf.text(x - (self.pdf.get_string_width(plain) if right else 0), y, plain)


def date_of_making():  # type: ignore[no-untyped-def]
    from tests.samples.generate import MADE

    return MADE


class Layout:
    """One document of one seed: what it says is fixed first, then drawn part by part.

    A `hard` one lacks labels, or has words in their place that say nothing, and prints dates, numbers and sums that are none of its own.
    """

    def __init__(self, seed: int, hard: bool = False):
        self.chance = random.Random(seed)
        self.hard = hard
        self.language = self.pick(list(TONGUES))
        self.words = TONGUES[self.language]
        self.kind = self.pick(["invoice"] * 8 + ["credit_note", "quotation"])
        self.sheet = Sheet(self.pick(["Helvetica", "Times", "Courier"]))
        self._say()

    def pick(self, among: Any) -> Any:
        return self.chance.choice(among.split("|") if isinstance(among, str) else among)

    def _say(self) -> None:
        chance, words = self.chance, self.words
        self.supplier = f"{self.pick(FIRST)} {self.pick(SECOND)} {self.pick(words.forms)}".strip()
        self.buyer = f"{self.pick(BUYERS)} {self.pick(['Handel', '& Sons', 'Partners', 'Group'])} {self.pick(words.forms)}".strip()
        self.date = date(2019, 1, 1) + timedelta(days=chance.randrange(2200))
        self.due = (
            self.date + timedelta(days=self.pick([10, 14, 30, 45]))
            if chance.random() < 0.6 and self.kind == "invoice"
            else None
        )
        self.currency = self.pick(["USD", "GBP", "EUR"]) if self.language == "en" else "EUR"
        self.form = "bare" if words.numbers == "comma" and chance.random() < 0.2 else words.numbers
        self.style = self.pick(["symbol", "code", "heading"])
        year, serial = self.date.year, chance.randrange(100, 99999)
        self.number = self.pick(
            [f"{serial}", f"INV-{serial}", f"{year}-{serial % 1000:04d}", f"RE{serial:07d}", f"F/{year}/{serial % 100}", f"{serial % 97}-{year}-A"]
        )  # fmt: skip
        long = chance.random() < 0.12
        self.lines = [
            (self.pick(ITEMS), chance.randrange(1, 20), Decimal(chance.randrange(100, 50000)) / 100)
            for _ in range(chance.randrange(22, 40) if long else chance.randrange(1, 9))
        ]
        self.charge = Decimal("9.90") if chance.random() < 0.25 else Decimal(0)
        self.rates = self.pick([[20], [19], [21], [7], [10], [20, 10]]) if len(self.lines) > 1 else [20]
        self._sum()

    def _sum(self) -> None:
        shares = [Decimal(0)] * len(self.rates)
        for index, (_, count, price) in enumerate(self.lines):
            shares[index % len(shares)] += count * price
        shares[0] += self.charge
        self.taxes = [
            (share * rate / 100).quantize(CENT) for share, rate in zip(shares, self.rates, strict=True)
        ]
        self.net, self.tax = sum(shares, Decimal(0)), sum(self.taxes, Decimal(0))
        self.total = self.net + self.tax
        self.paid = (
            (self.total / 4).quantize(CENT)
            if self.kind == "invoice" and self.chance.random() < 0.12
            else Decimal(0)
        )

    def truth(self) -> dict[str, Any]:
        return {
            "supplier": self.supplier, "number": self.number, "date": self.date.isoformat(), "due_date": self.due and self.due.isoformat(),
            "currency": self.currency, "net": float(self.net), "tax": float(self.tax), "total": float(self.total), "line_count": len(self.lines),
        }  # fmt: skip

    # How figures and dates are printed

    def figure(self, value: Decimal) -> str:
        return NUMBERS[self.form](value)

    def money(self, value: Decimal) -> str:
        figure = self.figure(value)
        symbol = {"USD": "$", "GBP": "£", "EUR": "€"}[self.currency]
        if self.style == "symbol":
            return symbol + figure if self.language == "en" else f"{figure} {symbol}"
        return f"{figure} {self.currency}" if self.style == "code" else figure

    def day(self, value: date) -> str:
        months = self.words.months.split()
        name = months[value.month - 1]
        forms = {
            "iso": value.isoformat(), "month": f"{name} {value.day}, {value.year}", "day": f"{value.day} {name} {value.year}",
            "dot": value.strftime("%d.%m.%Y"), "slash": value.strftime("%d/%m/%Y"), "dash": value.strftime("%d-%m-%Y"),
            "name": f"{value.day}. {name} {value.year}" if self.language == "de" else f"{value.day} {name} {value.year}",
        }  # fmt: skip
        return forms[self.date_form]

    # The parts of the page

    def draw(self) -> Drawn:
        self.date_form = self.pick(self.words.dates.split())
        self._parties()
        y = self._sums(self._table(self._head()))
        if self.chance.random() < 0.4:
            self.sheet.put(20, min(y + 10, 275), self.words.thanks)
        return Drawn(bytes(self.sheet.pdf.output()), self.kind, self.language, self.truth())

    def _parties(self) -> None:
        put, words = self.sheet.put, self.words
        self.place = self.pick(["large", "right", "window", "middle"])
        if self.hard and self.chance.random() < 0.3:
            put(
                20,
                20,
                self.pick(["Quality since 1968", "Partner of the trade", "Member of Terra Group"]),
                14,
                "B",
            )
            self.place = "window"
        elif self.place == "large":
            put(20, 20, self.supplier, self.pick([12, 16]), "B")
            put(20, 26, words.address[0])
            put(20, 31, words.address[1])
        elif self.place == "right":
            for row, text in enumerate([self.supplier, *words.address, "Tel. 0123 456789"]):
                put(140, 20 + 5 * row, text, 10 if row == 0 else 9, "B" if row == 0 else "")
        if self.place == "window":
            put(20, 45, f"{self.supplier} - {words.address[0]} - {words.address[1]}", 7)
        elif self.place == "middle":
            put(105 - len(self.supplier) * 1.5, 18, self.supplier, 14, "B")
            put(80, 24, ", ".join(words.address), 8)
        if self.place == "window" or self.chance.random() < 0.5:
            domain = "".join(self.supplier.lower().split()[:2])
            put(20, 285, f"{self.supplier}  |  info@{domain}.com  |  IBAN DE89 3704 0044 0532 0130 00", 7)
        y = 52.0
        if self.chance.random() < 0.6:
            put(20, y, self.pick(words.buyer), 9, "B")
            y += 5
        street, town = self.pick(
            [
                ("Marktplatz 8", "10115 Berlin"),
                ("7 Station Road", "Leeds LS1 4AP"),
                ("Rue Neuve 2", "1000 Bruxelles"),
            ]
        )
        for row, text in enumerate((self.buyer, street, town)):
            put(20, y + 5 * row, text)

    def _head(self) -> float:
        """Title, number and dates; returns the height at which the table may begin."""
        put, words = self.sheet.put, self.words
        title = {"invoice": words.title, "credit_note": words.credit, "quotation": words.quotation}[self.kind]
        top = self.place == "large" and self.chance.random() < 0.5
        put(190 if top else 20, 20 if top else 85, self.pick(title), self.pick([12, 16, 18]), "B", right=top)
        pairs = [(self.pick(words.number), self.number), (self.pick(words.date), self.day(self.date))]
        if self.due:
            pairs.append((self.pick(words.due), self.day(self.due)))
        if self.chance.random() < 0.5:
            pairs.append((self.pick(words.customer), str(self.chance.randrange(1000, 9999))))
        if self.hard:
            pairs = self._blurred(pairs)
        if self.chance.random() < 0.4:
            self.chance.shuffle(pairs)
        way = self.pick(["inline", "columns", "table"])
        colon = self.pick([":", ""])
        for index, (label, value) in enumerate(pairs):
            y = 52 + 5.5 * index
            if way == "inline":
                put(125, y, f"{label}: {value}")
            elif way == "columns":
                put(125, y, label + colon)
                put(172, y, value)
            else:
                put(20 + 45 * index, 92, label, 8, "B")
                put(20 + 45 * index, 97, value)
        return 110.0

    def _blurred(self, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Some labels say nothing, and some more values stand beside the document's own."""
        other = self.date - timedelta(days=self.chance.randrange(1, 40))
        pairs = [
            (self.pick(["Info", "Ref", "Vorgang", "Data 1"]) if self.chance.random() < 0.3 else label, value)
            for label, value in pairs
        ]
        more = [
            ("Order", self.day(other)),
            ("No.", str(self.chance.randrange(10**4, 10**6))),
            ("Printed", self.day(other)),
        ]
        return pairs + [pair for pair in more if self.chance.random() < 0.4]

    def _table(self, y: float) -> float:
        description, count, price, amount = (self.pick(names) for names in self.words.columns)
        if self.style == "heading":
            amount = f"{amount} {self.currency}"
        columns = [
            (20.0, description, False),
            (118.0, count, True),
            (150.0, price, True),
            (190.0, amount, True),
        ]
        counted = self.chance.random() < 0.4
        if counted:
            columns = [
                (20.0, self.pick(["Pos", "#", "No."]), False),
                (30.0, description, False),
                *columns[1:],
            ]
        in_money = self.chance.random() < 0.4
        remarks = self.chance.random() < 0.3

        def head(at: float) -> float:
            for x, text, right in columns:
                self.sheet.put(x, at, text, 9, "B", right=right)
            return at + 7

        y = head(y)
        for index, (name, number, each) in enumerate(self.lines):
            if y > BOTTOM:
                self.sheet.pdf.add_page()
                y = head(30)
            show = self.money if in_money else self.figure
            values = [name, str(number), show(each), show(number * each)]
            values = [str(index + 1), *values] if counted else values
            for (x, _, right), value in zip(columns, values, strict=True):
                self.sheet.put(x, y, value, right=right)
            y += 6
            if remarks and self.chance.random() < 0.5:
                self.sheet.put(
                    columns[1][0] if counted else 20,
                    y - 1.5,
                    self.pick(["incl. accessories", "Serial 12345-AB", "as discussed"]),
                    8,
                )
                y += 5
        return y + 5

    def _sums(self, y: float) -> float:
        words = self.words
        if y > BOTTOM - 30:
            self.sheet.pdf.add_page()
            y = 30
        rows = [(self.pick(words.charge), self.charge)] if self.charge else []
        rows.append((self.pick(words.net), self.net))
        tax = self.pick(words.tax)
        rows += [(tax.format(rate), value) for rate, value in zip(self.rates, self.taxes, strict=True)]
        rows.append((self.pick(words.total), self.total))
        if self.paid:
            rows.append((words.paid_in, self.paid))
        if self.hard:
            rows = [
                (
                    self.pick(["Sum", "Value", "All", "Gesamt", "Total"])
                    if self.chance.random() < 0.25
                    else label,
                    value,
                )
                for label, value in rows
            ]
            more = [("Balance", self.total + 100), ("Total points", Decimal(35)), ("Total net", self.net - 1)]
            rows += [row for row in more if self.chance.random() < 0.2]
        x = self.pick([95, 95, 20] if self.sheet.family == "Courier" else [120, 135, 135, 135, 20])
        colon = self.pick([":", ""])
        for label, value in rows:
            self.sheet.put(x, y, label + colon, 10, "B" if value == self.total else "")
            self.sheet.put(190, y, self.money(value), 10, right=True)
            y += 6
        if self.style == "heading" and self.chance.random() < 0.5:
            self.sheet.put(20, y + 4, f"All amounts in {self.currency}.", 8)
        return y


def draw(seed: int, hard: bool = False) -> Drawn:
    """The document of this seed."""
    return Layout(seed, hard).draw()
