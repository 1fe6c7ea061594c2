"""Cells too narrow for what stands in them: a figure over its currency, a sender's line in two; and sums that explain themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import Record
from tests.pdfs import page_pdf, result_of, stored, text_at

Placed = tuple[float, float, str]
"""x and y from the top, and what is printed there."""


def read(folder: Path, words: list[Placed], size: float = 9) -> Record:
    content = "".join(text_at(x, 780 - y, text, size) for x, y, text in words)
    (record,) = result_of(stored(folder, page_pdf(content))).records
    return record


def column(x: float, *rows: str, top: float = 20, step: float = 14) -> list[Placed]:
    return [(x, top + step * at, text) for at, text in enumerate(rows)]


def values(record: Record, *names: str) -> list[str | None]:
    return [record.fields[name].value if name in record.fields else None for name in names]


def table(y: float, label: float, rows: list[tuple[str, str]], unit: str, over: bool) -> list[Placed]:
    """Rows whose figures share narrow cells with their currency, one over the other, beside labels at the middle of the two."""
    words: list[Placed] = []
    for at, (name, figure) in enumerate(rows):
        middle = y + 30 * at
        upper, lower = (unit, figure) if over else (figure, unit)
        words += [(label, middle, name), (460, middle - 6, upper), (460, middle + 6, lower)]
    return words


@pytest.mark.parametrize("over", [False, True], ids=["figure first", "currency first"])
@pytest.mark.parametrize(
    ("title", "heads", "sums", "unit"),
    [
        ("Rechnung Nr. R-77", ("Beschreibung", "Menge", "Betrag"), ("Zwischensumme", "MwSt (19%)", "Gesamt"), "EUR"),
        ("Invoice no. R-77", ("Description", "Qty", "Amount"), ("Subtotal", "VAT (19%)", "Total"), "GBP"),
        ("Facture n° R-77", ("Désignation", "Quantité", "Montant"), ("Total HT", "TVA (19%)", "Total TTC"), "EUR"),
        ("Factuur nr. R-77", ("Omschrijving", "Aantal", "Bedrag"), ("Subtotaal", "BTW (19%)", "Totaal"), "EUR"),
    ],
)  # fmt: skip
def test_a_figure_over_its_currency_belongs_to_the_row_between_the_two(
    tmp_path: Path, title: str, heads: tuple[str, str, str], sums: tuple[str, str, str], unit: str, over: bool
) -> None:
    items = table(110, 60, [("Oak shelf", "240.00"), ("Wall bracket", "60.00")], unit, over)
    record = read(
        tmp_path,
        [
            *column(60, "Kite & Loom Ltd", title, "14.05.2024"),
            (60, 85, heads[0]), (360, 85, heads[1]), (460, 85, heads[2]),
            (360, 110, "2"), *items, (360, 140, "5"),
            *table(190, 360, list(zip(sums, ("300.00", "57.00", "357.00"), strict=True)), unit, over),
        ],
    )  # fmt: skip
    assert values(record, "net", "tax", "total", "currency") == ["300.00", "57.00", "357.00", unit]
    assert [line["amount"].value for line in record.lines] == ["240.00", "60.00"]
    assert [line["quantity"].value for line in record.lines] == ["2", "5"]


def test_a_figure_over_its_currency_stays_beside_its_own_label(tmp_path: Path) -> None:
    """Lines of another column stand between the two; the nearest words stand at the height of the figure."""
    left = column(60, "Kite & Loom Ltd", "INVOICE R-77", "Mill Lane 5", "14 May 2024", "Leeds", "Call us", step=12)  # fmt: skip
    right: list[Placed] = []
    for at, (label, figure) in enumerate([("Net", "300.00"), ("VAT", "57.00"), ("Total", "357.00")]):
        right += [(360, 26 + 24 * at, label), (460, 26 + 24 * at, figure), (460, 38 + 24 * at, "GBP")]
    assert values(read(tmp_path, [*left, *right]), "net", "tax", "total") == ["300.00", "57.00", "357.00"]


SUMS = [*column(300, "Netto", "MwSt 19%", "Gesamt", top=300), *column(460, "300,00", "57,00", "357,00", top=300)]  # fmt: skip


@pytest.mark.parametrize("line", [["Nordhof Verleih, Seestr. 64, 67059", "Ludwigshafen"], ["Nordhof Verleih, Seestr. 64,", "67059 Ludwigshafen"], ["Nordhof Verleih - Seestr. 64 - 67059 Ludwigshafen"]])  # fmt: skip
@pytest.mark.parametrize("company", ["Segelfreunde Mitte e. V.", "Ruderclub Mitte GmbH"])
def test_all_in_the_window_of_an_envelope_are_written_to(
    tmp_path: Path, line: list[str], company: str
) -> None:
    address = column(60, *line, "Leonie Ebert", company, "Mundenheimer Str. 12", "67061 Ludwigshafen", top=100, step=11)  # fmt: skip
    record = read(tmp_path, [*address, *column(60, "Rechnung R-77", "14.05.2024", top=220), *SUMS])
    assert values(record, "supplier", "buyer") == ["Nordhof Verleih", "Leonie Ebert"]


@pytest.mark.parametrize("title", ["Vereinsrechnung", "Clubfactuur", "Hyresfaktura"])
def test_a_title_in_one_word_with_what_it_is_for_is_no_name(tmp_path: Path, title: str) -> None:
    head = column(60, title, "Nr. R-77", "14.05.2024") + column(360, "Kite & Loom", "Mill Lane 5")
    record = read(tmp_path, [*head, *SUMS])
    assert (record.kind, record.fields["supplier"].value) == ("invoice", "Kite & Loom")


@pytest.mark.parametrize("title", ["Zinsberechnung", "Gewinn- und Verlustrechnung", "Reisekostenabrechnung"])
def test_calculations_and_accounts_of_profits_bear_no_title_of_an_invoice(tmp_path: Path, title: str) -> None:
    content = "".join(text_at(60, 780 - 20 * at, text, 9) for at, text in enumerate(["Kite & Loom", title, "Nr. R-77", "Summe 357,00"]))  # fmt: skip
    assert not result_of(stored(tmp_path, page_pdf(content))).records


@pytest.mark.parametrize(
    "sentence",
    [
        "Gelieve te betalen op NL68 RABO 0314 6872 01 t.n.v. De Groene Terp",
        "Zahlbar auf DE02 2625 0001 0000 4177 33 lautend auf De Groene Terp",
        "A verser sur FR76 3000 6000 0112 3456 7890 189 au nom de De Groene Terp",
        "Please pay into GB29 NWBK 6016 1331 9268 19 in the name of De Groene Terp",
    ],
)
def test_who_a_sentence_says_to_pay_to_writes(tmp_path: Path, sentence: str) -> None:
    head = column(60, "Fam. Terpstra", "Lindelaan 27", "8442 BX Heerenveen") + column(360, "Hoveniers De Groene Terp", "Ule Straat 5", "8411 SZ Jubbega")  # fmt: skip
    record = read(tmp_path, [*head, *column(60, "Factuur R-77", "14.05.2024", top=120), *SUMS, (60, 400, sentence)])  # fmt: skip
    assert record.fields["supplier"].value in ("De Groene Terp", "Hoveniers De Groene Terp")
    assert not record.fields["supplier"].reasons


def test_a_mail_address_below_one_of_two_names_does_not_say_who_writes(tmp_path: Path) -> None:
    head = column(60, "Okafor Heating", "41 Dunstans Grove", "London SE22 0HJ") + column(360, "Penrose Lettings", "hannah@penroselettings.co.uk")  # fmt: skip
    record = read(tmp_path, [(360, 8, "Invoice 2219"), *head, *column(60, "14 May 2024", top=120), *SUMS])
    assert record.fields["supplier"].reasons


def test_a_dash_parts_labels_at_the_head_as_a_colon_does(tmp_path: Path) -> None:
    head = column(60, "Quote", "Quote no - 482", "Quote date - 14 May 2024", "Looked after by - Ann Tallis")
    assert read(tmp_path, [*head, *SUMS]).fields["supplier"].value is None


@pytest.mark.parametrize(
    "rows",
    [
        [("Subtotal", "58.00"), ("Spring offer", "-8.70"), ("VAT 23%", "11.34"), ("Total", "60.64")],
        [("Netto", "158,00"), ("MwSt 19%", "30,02"), ("Bettensteuer", "5,50"), ("Gesamt", "193,52")],
        [("Netto", "200,00"), ("Rabatt: 10 %", ""), ("MwSt 19%", "34,20"), ("Gesamt", "214,20")],
        [("Subtotaal", "200,00"), ("Korting: 10 %", ""), ("BTW 21%", "37,80"), ("Totaal", "217,80")],
    ],
    ids=["offer", "levy", "rate de", "rate nl"],
)
def test_a_change_among_the_sums_explains_them(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    sums = [*column(300, *(row[0] for row in rows), top=300), *[p for p in column(460, *(row[1] for row in rows), top=300) if p[2]]]  # fmt: skip
    fields = read(tmp_path, [*column(60, "Kite & Loom Ltd", "Invoice R-77", "14.05.2024"), *sums]).fields
    assert not any(fields[name].reasons for name in ("net", "tax", "total"))


@pytest.mark.parametrize(("name", "value", "total"), [("Old friends", "-50.00", "307.00"), ("Bring-a-friend", "12.00", "345.00")])  # fmt: skip
def test_what_is_taken_off_below_the_tax_explains_nothing(
    tmp_path: Path, name: str, value: str, total: str
) -> None:
    rows = [("Subtotal", "300.00"), ("VAT 19%", "57.00"), (name, value), ("Total", total)]
    sums = [*column(300, *(row[0] for row in rows), top=300), *column(460, *(row[1] for row in rows), top=300)]  # fmt: skip
    fields = read(tmp_path, [*column(60, "Kite & Loom Ltd", "Invoice R-77", "14.05.2024"), *sums]).fields
    assert fields["total"].reasons


@pytest.mark.parametrize(
    ("words", "rate"),
    [(("Summe", "Rabatt: 20 %", "Gesamtbetrag", "Enthaltene USt. (19 %)"), "25,42"), (("Totaal", "Korting: 20 %", "Totaalbedrag", "Waarvan BTW (21 %)"), "27,63")],
)  # fmt: skip
def test_a_sum_with_its_tax_before_a_discount_is_no_net(
    tmp_path: Path, words: tuple[str, ...], rate: str
) -> None:
    figures = ("199,00", "", "159,20", rate)
    sums = [*column(300, *words, top=300), *[p for p in column(460, *figures, top=300) if p[2]]]
    fields = read(tmp_path, [*column(60, "Kite & Loom GmbH", "Rechnung R-77", "14.05.2024"), *sums]).fields
    assert (fields["total"].value, "net" in fields) == ("159.20", False)
    assert not fields["total"].reasons


@pytest.mark.parametrize(
    ("net", "tax", "total"),
    [("Total (tax excl.)", "Total tax", "Total (tax incl.)"), ("Totaal (btw excl.)", "Totaal btw", "Totaal (btw incl.)"), ("Totale (IVA esclusa)", "Totale IVA", "Totale (IVA inclusa)")],
)  # fmt: skip
def test_a_remark_in_brackets_behind_the_tax_says_which_sum_it_is(
    tmp_path: Path, net: str, tax: str, total: str
) -> None:
    sums = [*column(300, net, tax, total, top=300), *column(460, "300,00", "57,00", "357,00", top=300)]
    record = read(tmp_path, [*column(60, "Kite & Loom Ltd", "Invoice R-77", "14.05.2024"), *sums])
    assert values(record, "net", "tax", "total") == ["300.00", "57.00", "357.00"]


def test_a_credit_slip_bears_its_number_below_its_day(tmp_path: Path) -> None:
    record = read(tmp_path, [*column(60, "Kite & Loom Ltd"), *column(360, "CREDIT SLIP", "25/04/2024", "#CS000057"), *SUMS])  # fmt: skip
    assert (record.kind, *values(record, "number", "date")) == ("credit_note", "CS000057", "2024-04-25")


@pytest.mark.parametrize(("label", "day"), [("Rechnung Nr.", "Datum"), ("Invoice no.", "Date")])
def test_what_looks_like_a_day_below_the_label_of_the_number_is_the_number(
    tmp_path: Path, label: str, day: str
) -> None:
    head = column(360, label, "2024-05-03", f"{day}: 2024-05-14")
    assert values(read(tmp_path, [(60, 20, "Kite & Loom Ltd"), *head, *SUMS]), "number", "date") == ["2024-05-03", "2024-05-14"]  # fmt: skip


@pytest.mark.parametrize(("heads", "off"), [(("Bezeichnung", "Menge", "Betrag"), "Rabatt (Treuebonus Q3):"), (("Description", "Qty", "Amount"), "Discount (loyal customers):")])  # fmt: skip
def test_a_discount_with_a_remark_is_no_item(tmp_path: Path, heads: tuple[str, str, str], off: str) -> None:
    items = [(60, 100, heads[0]), (360, 100, heads[1]), (460, 100, heads[2]), *column(60, "Oak shelf", "Bracket", off, top=116), *column(360, "2", "5", top=116), *column(460, "240,00", "80,00", "-20,00", top=116)]  # fmt: skip
    record = read(tmp_path, [*column(60, "Kite & Loom GmbH", "Rechnung R-77", "14.05.2024"), *items, *SUMS])
    assert [line["amount"].value for line in record.lines] == ["240.00", "80.00"]


@pytest.mark.parametrize(
    ("due", "total"), [("Scadenza", "Totale €"), ("Due date", "Total GBP"), ("Fällig", "Summe €")]
)
def test_a_label_over_its_figure_is_no_currency_whatever_stands_at_the_left(
    tmp_path: Path, due: str, total: str
) -> None:
    """The figure went to the line of the day of payment, and the net amount was taken as the total."""
    words = [
        *column(60, "INVOICE", "Invoice number: P-9", "Invoice date: 2024-05-14", "Northgate Ltd"),
        *[(60, 200, "Net amount"), (460, 200, "100.00")],
        *[(60, 320, due), (220, 320, "2024-06-14"), (460, 313, total), (460, 327, "120.00")],
    ]
    assert values(read(tmp_path, words), "net", "total") == ["100.00", "120.00"]
