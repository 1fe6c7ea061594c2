"""Makes the ten sample PDFs of the demonstration, byte for byte the same each time: `python -m tests.samples.generate [FOLDER]`.

Everything in them is invented. The truth about each stands in `TRUTH` and is written beside them as expected.json.
"""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import EncryptionMethod
from PIL import Image, ImageDraw, ImageFilter

from tests.samples.einvoice import cross_industry_invoice

FOLDER = Path(__file__).resolve().parents[2] / "tasks" / "agent" / "samples"
MADE = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
PASSWORD = "demo"


@dataclass
class Paper:
    """What is printed: parties, head, lines (description, quantity, unit price) and the rate of tax in percent."""

    kind: str
    supplier: str
    supplier_address: list[str]
    buyer: list[str]
    number: str
    date: str
    lines: list[tuple[str, str, str]]
    rate: Decimal
    currency: str
    due_date: str | None = None
    sign: int = 1
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def amounts(self) -> list[Decimal]:
        return [
            self.sign * (Decimal(quantity) * Decimal(price)).quantize(Decimal("0.01"))
            for _, quantity, price in self.lines
        ]

    @property
    def net(self) -> Decimal:
        return sum(self.amounts, Decimal(0))

    @property
    def tax(self) -> Decimal:
        return (self.net * self.rate / 100).quantize(Decimal("0.01"))

    @property
    def total(self) -> Decimal:
        return self.net + self.tax

    def truth(self, outcome: str = "result", flagged: tuple[str, ...] = ()) -> dict[str, object]:
        fields = {
            "supplier": self.supplier,
            "number": self.number,
            "date": self.date,
            "due_date": self.due_date,
        }
        fields |= {
            "currency": self.currency,
            "net": str(self.net),
            "tax": str(self.tax),
            "total": str(self.total),
        }
        fields = {name: value for name, value in fields.items() if value is not None}
        return {
            "outcome": outcome,
            "kind": self.kind,
            "fields": fields,
            "line_count": len(self.lines),
            "flagged": list(flagged),
        }


ENGLISH = Paper(
    "invoice",
    "Harbour Lane Books Ltd",
    ["14 Harbour Lane", "Bristol BS1 4QT", "VAT No. GB 111 2233 43"],
    ["Juniper Schools Trust", "3 Orchard Street", "Bath BA1 5LX"],
    "HLB-2024-0187",
    "2024-03-14",
    [
        ("Atlas of rivers, hardback", "12", "24.50"),
        ("Field notebooks A5", "150", "1.95"),
        ("Delivery within the county", "1", "18.00"),
    ],
    Decimal(20),
    "GBP",
    due_date="2024-04-13",
)
SCANNED = replace(ENGLISH, number="HLB-2024-0193")
"""The supplier's next one: the same number again would ask for a look."""
GERMAN = Paper(
    "invoice",
    "Lindenhof Werkzeugbau GmbH",
    ["Lindenallee 7", "04109 Leipzig"],
    ["Brauerei Sonnenfeld KG", "Am Markt 2", "99084 Erfurt"],
    "RE-2024-1093",
    "2024-09-05",
    [
        (
            f"Spezialschraube M{4 + index % 9} aus Edelstahl, Satz {index + 1}",
            str(index % 7 + 1),
            f"{11 + index * 3 % 40}.{index * 7 % 90 + 10}",
        )
        for index in range(64)
    ],
    Decimal(19),
    "EUR",
    due_date="2024-10-05",
)
FRENCH = Paper(
    "invoice",
    "Atelier des Trois Ponts SARL",
    ["8 quai des Tanneurs", "67000 Strasbourg"],
    ["Mairie de Belval", "1 place du Marché", "88210 Belval"],
    "F2024-0412",
    "2024-06-21",
    [
        ("Restauration de deux bancs publics", "2", "640.00"),
        ("Vernis extérieur, pot de 5 litres", "3", "58.90"),
    ],
    Decimal(20),
    "EUR",
    due_date="2024-07-21",
)
CREDIT = Paper(
    "credit_note",
    "Northfield Garden Supply LLC",
    ["2200 Prairie Road", "Boulder, CO 80301"],
    ["Mesa Verde Landscaping", "77 Canyon Drive", "Durango, CO 81301"],
    "CN-5531",
    "2024-05-28",
    [("Returned: drip irrigation kit", "4", "89.00"), ("Returned: cedar planter", "2", "135.50")],
    Decimal("8.5"),
    "USD",
    sign=-1,
    extra={"Original invoice": "INV-20417"},
)
RECEIPT = Paper(
    "receipt",
    "CORNER LAMP CAFE",
    ["19 Mill Street", "Portland, OR 97209"],
    [],
    "R-004718",
    "2024-02-17",
    [("Flat white", "2", "4.20"), ("Almond croissant", "3", "3.75"), ("Orange juice", "1", "5.10")],
    Decimal(10),
    "USD",
)
ZUGFERD = Paper(
    "invoice",
    "Weber & Falk Elektrotechnik GmbH",
    ["Industrieweg 31", "70565 Stuttgart"],
    ["Hotel Rebland GmbH", "Weinstraße 4", "79189 Bad Krozingen"],
    "2024-30288",
    "2024-11-18",
    [
        ("Wartung der Notbeleuchtung", "6", "92.00"),
        ("Ersatzakku 12 V", "8", "34.75"),
        ("Anfahrt", "1", "49.00"),
    ],
    Decimal(19),
    "EUR",
    due_date="2024-12-02",
)
CONTRADICTED = Paper(
    "invoice",
    "Brasserie du Vieux Phare SAS",
    ["5 rue du Port", "29200 Brest"],
    ["Cabinet Morvan", "12 avenue de la Mer", "29000 Quimper"],
    "FA-7741",
    "2024-08-09",
    [("Buffet froid, 30 personnes", "30", "21.50"), ("Location de vaisselle", "1", "85.00")],
    Decimal(10),
    "EUR",
    due_date="2024-09-08",
)


def english(value: Decimal) -> str:
    return f"{value:,.2f}"


def german(value: Decimal) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def french(value: Decimal) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", " ,"))


def day_first(iso: str, mark: str = ".") -> str:
    return mark.join(reversed(iso.split("-")))


def new_paper(unit: str = "mm", size: tuple[float, float] | str = "A4") -> FPDF:
    pdf = FPDF(unit=unit, format=size)
    pdf.set_creation_date(MADE)
    pdf.set_producer("sample generator")
    pdf.set_auto_page_break(True, 25)
    pdf.set_title("Sample")
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    return pdf


def put(
    pdf: FPDF, x: float, y: float, text: str, size: float = 10, style: str = "", right: bool = False
) -> None:
    """Print one line of text with its baseline at y; x is its left edge, or its right edge."""
    pdf.set_font("Helvetica", style, size)
    pdf.text(x - (pdf.get_string_width(text) if right else 0), y, text)


def english_invoice(paper: Paper) -> FPDF:
    pdf = new_paper()
    put(pdf, 20, 25, paper.supplier, 17, "B")
    for row, text in enumerate(paper.supplier_address):
        put(pdf, 20, 32 + 5 * row, text)
    put(pdf, 190, 25, "INVOICE", 20, "B", right=True)
    put(pdf, 20, 62, "Bill to", 10, "B")
    for row, text in enumerate(paper.buyer):
        put(pdf, 20, 68 + 5 * row, text)
    for row, (label, value) in enumerate(
        [("Invoice number", paper.number), ("Invoice date", "14 March 2024"), ("Due date", "13 April 2024")]
    ):
        put(pdf, 130, 62 + 6 * row, label)
        put(pdf, 190, 62 + 6 * row, value, right=True)
    columns = [(20, "Description"), (125, "Qty"), (157, "Unit price"), (190, "Amount")]
    y = item_table(pdf, paper, columns, english, 100)
    for row, (label, value) in enumerate(
        [("Subtotal", paper.net), ("VAT 20%", paper.tax), ("Total", paper.total)]
    ):
        put(pdf, 135, y + 10 + 7 * row, label, style="B" if label == "Total" else "")
        put(pdf, 190, y + 10 + 7 * row, "£" + english(value), right=True)
    put(
        pdf,
        20,
        y + 45,
        "Please pay within 30 days to Harbour Lane Books Ltd, account 12345678, sort code 00-00-00.",
    )
    return pdf


def item_table(
    pdf: FPDF, paper: Paper, columns: list[tuple[float, str]], show: object, y: float, bottom: float = 265
) -> float:
    """Print the heading and all lines, on as many pages as it takes; returns the height after the last line."""

    def head(at: float) -> float:
        for index, (x, name) in enumerate(columns):
            put(pdf, x, at, name, 9, "B", right=index > 0)
        pdf.line(20, at + 2, 190, at + 2)
        return at + 9

    y = head(y)
    for (description, quantity, price), amount in zip(paper.lines, paper.amounts, strict=True):
        if y > bottom:
            pdf.add_page()
            put(pdf, 20, 18, f"{paper.supplier} - {paper.number}", 8)
            y = head(30)
        values = [description, quantity, show(Decimal(price)), show(amount)]  # type: ignore[operator]
        for index, ((x, _), value) in enumerate(zip(columns, values, strict=True)):
            put(pdf, x, y, value, 9, right=index > 0)
        y += 8
    return y


def german_invoice(paper: Paper) -> FPDF:
    pdf = new_paper()
    put(pdf, 25, 50, f"{paper.supplier} · {paper.supplier_address[0]} · {paper.supplier_address[1]}", 7)
    for row, text in enumerate(paper.buyer):
        put(pdf, 25, 57 + 5 * row, text)
    head = [
        ("Rechnungsnummer:", paper.number),
        ("Rechnungsdatum:", day_first(paper.date)),
        ("Kundennummer:", "K-20815"),
    ]
    for row, (label, value) in enumerate(head):
        put(pdf, 135, 57 + 5.5 * row, label)
        put(pdf, 168, 57 + 5.5 * row, value)
    put(pdf, 25, 92, "Rechnung", 15, "B")
    columns = [(25, "Bezeichnung"), (128, "Menge"), (158, "Einzelpreis EUR"), (190, "Gesamt EUR")]
    y = item_table(pdf, paper, columns, german, 105, 240)
    sums = [
        ("Summe netto", paper.net),
        (f"zzgl. {paper.rate} % MwSt.", paper.tax),
        ("Rechnungsbetrag", paper.total),
    ]
    for row, (label, value) in enumerate(sums):
        put(pdf, 120, y + 6 + 6 * row, label, style="B" if row == 2 else "")
        put(pdf, 190, y + 6 + 6 * row, german(value) + " EUR", right=True, style="B" if row == 2 else "")
    put(pdf, 25, y + 32, f"Zahlbar bis {day_first(paper.due_date or '')} ohne Abzug.")
    for row, text in enumerate(
        [paper.supplier, "Amtsgericht Musterstadt HRB 99999", "USt-IdNr.: DE999999995"]
    ):
        put(pdf, 25, 280 + 3.5 * row, text, 7)
    return pdf


def french_invoice(paper: Paper) -> FPDF:
    pdf = new_paper()
    put(pdf, 20, 22, paper.supplier, 14, "B")
    put(pdf, 20, 28, " - ".join(paper.supplier_address), 9)
    for row, text in enumerate(paper.buyer):
        put(pdf, 120, 50 + 5 * row, text)
    put(pdf, 20, 82, f"Facture n° {paper.number}", 14, "B")
    put(pdf, 20, 90, f"Date de facture : {day_first(paper.date, '/')}")
    put(pdf, 20, 96, f"Date d'échéance : {day_first(paper.due_date or '', '/')}")
    columns = [(20, "Désignation"), (120, "Quantité"), (155, "Prix unitaire HT"), (190, "Montant HT")]
    y = item_table(pdf, paper, columns, french, 112)
    sums = [("Total HT", paper.net), (f"TVA {paper.rate} %", paper.tax), ("Total TTC", paper.total)]
    for row, (label, value) in enumerate(sums):
        put(pdf, 130, y + 8 + 7 * row, label, style="B" if row == 2 else "")
        put(pdf, 190, y + 8 + 7 * row, french(value) + " EUR", right=True)
    put(
        pdf,
        20,
        275,
        f"{paper.supplier} au capital de 10 000 EUR - RCS 999 999 999 - TVA intracommunautaire FR14999999999",
        7,
    )
    return pdf


def credit_note(paper: Paper) -> FPDF:
    pdf = new_paper(size="Letter")
    put(pdf, 20, 25, "CREDIT NOTE", 18, "B")
    put(pdf, 196, 22, paper.supplier, 12, "B", right=True)
    for row, text in enumerate(paper.supplier_address):
        put(pdf, 196, 28 + 5 * row, text, right=True)
    head = [
        ("Credit note no.", paper.number),
        ("Date", "05/28/2024"),
        ("Original invoice", paper.extra["Original invoice"]),
    ]
    for column, (label, value) in enumerate(head):
        put(pdf, 20 + 60 * column, 52, label, 8)
        put(pdf, 20 + 60 * column, 58, value, 11)
    put(pdf, 20, 72, "Credit to: " + paper.buyer[0])
    for row, text in enumerate(paper.buyer[1:]):
        put(pdf, 20, 78 + 5 * row, text)
    columns = [(20, "Item"), (125, "Quantity"), (157, "Price"), (190, "Amount")]
    y = item_table(pdf, paper, columns, english, 100)
    sums = [("Subtotal", paper.net), (f"Sales tax ({paper.rate}%)", paper.tax), ("Total credit", paper.total)]
    for row, (label, value) in enumerate(sums):
        put(pdf, 130, y + 8 + 7 * row, label)
        put(pdf, 190, y + 8 + 7 * row, f"-${english(-value)}", right=True)
    return pdf


def receipt(paper: Paper) -> FPDF:
    pdf = new_paper(size=(80, 150))
    for row, text in enumerate([paper.supplier, *paper.supplier_address]):
        pdf.set_font("Courier", "B" if row == 0 else "", 11 if row == 0 else 8)
        pdf.text(40 - pdf.get_string_width(text) / 2, 12 + 5 * row, text)
    pdf.set_font("Courier", "", 8)
    rows = ["-" * 38, "RECEIPT", f"Receipt no: {paper.number}", "02/17/2024 09:41", "-" * 38]
    for (name, quantity, price), amount in zip(paper.lines, paper.amounts, strict=True):
        rows += [name, f"  {quantity} x {price}".ljust(30) + f"{amount:>8}"]
    rows.append("-" * 38)
    for label, value in [("Subtotal", paper.net), ("Tax 10%", paper.tax), ("TOTAL", paper.total)]:
        rows.append(label.ljust(29) + f"{'$' + str(value):>9}")
    rows += ["Paid by card", "", "Thank you and come again"]
    for index, text in enumerate(rows):
        pdf.text(6, 32 + 4.5 * index, text)
    return pdf


def picture_of(pdf: bytes) -> FPDF:
    """The first page as a slightly turned, grainless grey picture: what a scanner without text recognition gives."""
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    picture = document[0].render(scale=2).to_pil().convert("L")
    document.close()
    picture = picture.rotate(0.6, fillcolor=250, resample=Image.Resampling.BILINEAR).filter(
        ImageFilter.GaussianBlur(0.4)
    )
    ImageDraw.Draw(picture).line([(0, 3), (picture.width, 3)], fill=190, width=2)
    content = io.BytesIO()
    picture.save(content, "JPEG", quality=45)
    scanned = new_paper()
    scanned.image(io.BytesIO(content.getvalue()), 0, 0, 210, 297)
    return scanned


def samples() -> dict[str, bytes]:
    """Name → content."""
    plain = bytes(english_invoice(ENGLISH).output())
    zugferd = german_invoice(ZUGFERD)
    zugferd.embed_file(
        bytes=cross_industry_invoice(ZUGFERD),
        basename="factur-x.xml",
        desc="Electronic invoice",
        modification_date=MADE,
    )
    contradicted = french_invoice(CONTRADICTED)
    wrong = cross_industry_invoice(CONTRADICTED, number="FA-7714", total=CONTRADICTED.total + 100)
    contradicted.embed_file(
        bytes=wrong, basename="factur-x.xml", desc="Electronic invoice", modification_date=MADE
    )
    locked = english_invoice(ENGLISH)
    locked.set_encryption(
        owner_password="owner", user_password=PASSWORD, encryption_method=EncryptionMethod.RC4
    )
    return {
        "01-invoice-english.pdf": plain,
        "02-rechnung-drei-seiten.pdf": bytes(german_invoice(GERMAN).output()),
        "03-facture-francaise.pdf": bytes(french_invoice(FRENCH).output()),
        "04-credit-note.pdf": bytes(credit_note(CREDIT).output()),
        "05-receipt.pdf": bytes(receipt(RECEIPT).output()),
        "06-rechnung-zugferd.pdf": bytes(zugferd.output()),
        "07-facture-contradicted.pdf": bytes(contradicted.output()),
        "08-scan-without-text.pdf": bytes(picture_of(bytes(english_invoice(SCANNED).output())).output()),
        "09-encrypted.pdf": bytes(locked.output()),
        "10-truncated.pdf": plain[: len(plain) // 4],
    }


TRUTH: dict[str, dict[str, object]] = {
    "01-invoice-english.pdf": ENGLISH.truth(),
    "02-rechnung-drei-seiten.pdf": GERMAN.truth(),
    "03-facture-francaise.pdf": FRENCH.truth(),
    "04-credit-note.pdf": CREDIT.truth(),
    "05-receipt.pdf": RECEIPT.truth(),
    "06-rechnung-zugferd.pdf": ZUGFERD.truth(),
    "07-facture-contradicted.pdf": CONTRADICTED.truth("review", ("number", "total")),
    # With an OCR engine on the machine, and without
    "08-scan-without-text.pdf": {
        "either": [
            SCANNED.truth(),
            {"outcome": "review", "kind": "other", "reason": "This document has no text; needs OCR."},
        ]
    },
    "09-encrypted.pdf": {"outcome": "error:encrypted", "password": PASSWORD},
    "10-truncated.pdf": {"outcome": "error:corrupt"},
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in samples().items():
        (folder / name).write_bytes(content)
    (folder / "expected.json").write_text(
        json.dumps(TRUTH, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
