"""Taxes are added up where several are printed, and a figure that says something else is neither tax nor net nor total."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.test_agent_unusual import HEAD, Rows, record, sums, values

ADDED = [Decimal("1500"), Decimal("181.80"), Decimal("1681.80")]
GOODS: Rows = [[(60, "Net"), (480, "1,500.00")]]
TO_PAY: Rows = [[(60, "Total"), (480, "1,681.80")]]
RATES: dict[str, Rows] = {
    "lines": [[(60, "VAT 7% (860.00 GBP)"), (480, "60.20")], [(60, "VAT 19% (640.00 GBP)"), (480, "121.60")]],
    "authorities": [[(60, "CGST"), (480, "90.90")], [(60, "SGST"), (480, "90.90")], [(60, "IGST"), (480, "0.00")]],
    "one line": [[(60, "CGST 9%"), (160, "90.90"), (300, "SGST 9%"), (480, "90.90")]],
    "sum printed": [
        [(60, "VAT 7%"), (480, "60.20")],
        [(60, "VAT 19%"), (480, "121.60")],
        [(60, "Total VAT"), (480, "181.80")],
    ],
    "table": [
        [(60, "Rate"), (200, "Net"), (330, "VAT")],
        [(60, "7%"), (200, "860.00"), (330, "60.20")],
        [(60, "19%"), (200, "640.00"), (330, "121.60")],
    ],
}  # fmt: skip


@pytest.mark.parametrize("rates", RATES)
def test_several_taxes_are_one_together(tmp_path: Path, rates: str) -> None:
    found = record(tmp_path, [*HEAD, *GOODS, *RATES[rates], *TO_PAY])
    assert sums(found) == ADDED
    assert not any(found.fields[name].reasons for name in ("net", "tax", "total"))


def test_a_tax_may_be_called_taxes_and_nothing_else(tmp_path: Path) -> None:
    rows: Rows = [
        "Fattura numero: INV-1",
        [(60, "SubTotale:"), (480, "100 €")],
        [(60, "Tasse:"), (480, "22 €")],
        [(60, "Totale:"), (480, "122 €")],
    ]
    assert sums(record(tmp_path, [*HEAD, *rows])) == [Decimal("100"), Decimal("22"), Decimal("122")]


NETS: dict[str, Rows] = {
    "lines": [
        [(60, "Net 7%"), (480, "860.00")],
        [(60, "VAT 7%"), (480, "60.20")],
        [(60, "Net 19%"), (480, "640.00")],
        [(60, "VAT 19%"), (480, "121.60")],
    ],
    "figures before labels": [
        [(60, "7% Taxable"), (200, "860.00 Tax"), (330, "60.20")],
        [(60, "19% Taxable"), (200, "640.00 Tax"), (330, "121.60")],
    ],
    "table": RATES["table"],
}


@pytest.mark.parametrize("rates", NETS)
@pytest.mark.parametrize("total", [*TO_PAY, [(300, "1,681.80")]])
def test_what_is_printed_per_rate_is_added_up_if_the_total_proves_it(
    tmp_path: Path, rates: str, total: list[tuple[float, str]]
) -> None:
    found = record(tmp_path, [*HEAD, *NETS[rates], total])
    assert sums(found) == ADDED
    assert not any(found.fields[name].reasons for name in ("net", "tax", "total"))


def test_a_figure_alone_that_nothing_proves_is_no_total(tmp_path: Path) -> None:
    found = record(tmp_path, [*HEAD, *GOODS, *RATES["lines"], [(300, "1,680.80")]])
    assert values(found, "total") == [None]


def test_a_tax_named_in_brackets_is_a_remark(tmp_path: Path) -> None:
    rows: Rows = [[(60, "Drinks (19% VAT)"), (480, "640.00")], [(60, "Food (7% VAT)"), (480, "860.00")]]
    found = record(tmp_path, [*HEAD, *rows, *GOODS, *RATES["lines"], *TO_PAY])
    assert sums(found) == ADDED
    assert [line["amount"].value for line in found.lines] == ["640.00", "860.00"]


def test_a_rate_whose_sign_stands_in_a_column_of_its_own_is_no_tax(tmp_path: Path) -> None:
    rows: Rows = [[(390, "VAT:"), (480, "20"), (540, "%")], [(390, "Total:"), (480, "1,800.00")]]
    found = record(tmp_path, [*HEAD, *GOODS, *rows])
    assert sums(found) == [1500, None, 1800]
    assert not found.fields["total"].reasons


def test_a_figure_within_a_sentence_is_no_net_amount(tmp_path: Path) -> None:
    """The words over it happen to be a label: "net"."""
    rows: Rows = [
        [(390, "VAT"), (480, "0.00")],
        [(390, "Total incl. VAT"), (480, "1,500.00")],
        [(60, "Terms"), (250, "strictly net")],
        "The price includes a guarantee worth GBP 84.50 for three years.",
    ]
    found = record(tmp_path, [*HEAD, [(390, "Total"), (480, "1,500.00")], *rows])
    assert sums(found) == [1500, 0, 1500]


@pytest.mark.parametrize(
    "label",
    [
        "Total Saving",
        "You saved",
        "Total points",
        "Gesamtersparnis",
        "Total économies",
        "Totale sconti",
        "Ahorro total",
    ],
)
def test_what_is_saved_or_earned_is_no_total(tmp_path: Path, label: str) -> None:
    rows: Rows = [[(390, label), (480, "155.13")], [(390, "Cash discount"), (480, "20.00")]]
    found = record(tmp_path, [*HEAD, [(390, "Total"), (480, "1,500.00")], *rows])
    assert values(found, "total") == ["1500.00"]
    assert record(tmp_path, [*HEAD, [(390, "Total"), (480, "496")], *rows]).fields["total"].value == "496"


def test_a_balance_of_points_is_not_due(tmp_path: Path) -> None:
    rows: Rows = [[(390, "Total"), (480, "1,500.00")], [(390, "Total points balance"), (480, "155.00")]]
    assert values(record(tmp_path, [*HEAD, *rows]), "total", "amount_due") == ["1500.00", None]


def test_a_total_without_taxes_is_a_net_amount(tmp_path: Path) -> None:
    rows: Rows = [[(390, "Total Without Taxes"), (480, "1,500.00")], [(390, "Total"), (480, "1,500.00")]]
    assert sums(record(tmp_path, [*HEAD, *rows])) == [1500, None, 1500]


def test_the_taxes_of_several_columns_are_added_up(tmp_path: Path) -> None:
    rows: Rows = [
        [
            (60, "Item"),
            (180, "Qty"),
            (220, "Rate"),
            (270, "Taxable"),
            (330, "CGST"),
            (390, "SGST"),
            (450, "Total"),
        ],
        [
            (60, "Shelf"),
            (180, "2"),
            (220, "120.00"),
            (270, "240.00"),
            (330, "21.60"),
            (390, "21.60"),
            (450, "283.20"),
        ],
        [
            (60, "Hook"),
            (180, "5"),
            (220, "12.00"),
            (270, "60.00"),
            (330, "5.40"),
            (390, "5.40"),
            (450, "70.80"),
        ],
        [(60, "Total"), (270, "300.00"), (330, "27.00"), (390, "27.00"), (450, "354.00")],
    ]
    found = record(tmp_path, [*HEAD, *rows])
    assert sums(found) == [300, 54, 354]
    assert not any(found.fields[name].reasons for name in ("net", "tax", "total"))
    assert not any(cell.reasons for line in found.lines for cell in line.values())


GROSS: Rows = [
    [(60, "Bezeichnung"), (300, "Menge"), (390, "Preis"), (480, "Gesamt")],
    [(60, "Regal"), (300, "2"), (390, "119,00"), (480, "238,00")],
    [(60, "Buch"), (300, "1"), (390, "10,70"), (480, "10,70")],
    [(60, "Gesamtbetrag"), (480, "248,70 EUR")],
]


def test_a_table_of_rates_below_gross_items_says_net_and_tax(tmp_path: Path) -> None:
    rates: Rows = [
        [(60, "MwSt-Satz"), (200, "Netto"), (300, "MwSt"), (400, "Brutto")],
        [(60, "19 %"), (200, "200,00"), (300, "38,00"), (400, "238,00")],
        [(60, "7 %"), (200, "10,00"), (300, "0,70"), (400, "10,70")],
    ]
    head: Rows = ["Hafenbuch GmbH", "Rechnung Nr. 8812", "Datum: 14.05.2024"]
    assert sums(record(tmp_path, [*head, *GROSS, "", *rates])) == [210, Decimal("38.70"), Decimal("248.70")]
    assert sums(record(tmp_path, [*head, *GROSS]))[0] == Decimal("248.70")
    below: Rows = [[(60, "MwSt-Satz"), (200, "Gruppe")], [(60, "19 %"), (200, "A")]]
    assert sums(record(tmp_path, [*head, *GROSS, "", *below]))[0] is None


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("Monthly fee for the hall including 20 % VAT", "VAT included"),
        ("Monthly fee for the hall incl. sales tax", "Sales tax"),
        ("Monatsbeitrag für den Saal inklusive 20 % MwSt", "in diesem Beitrag enthaltene MwSt"),
        ("Monatsbeitrag inkl. MwSt", "darin enthaltene MwSt"),
    ],
)
def test_what_includes_a_tax_is_a_total_and_what_is_included_a_tax(
    tmp_path: Path, whole: str, part: str
) -> None:
    rows: Rows = [
        [(60, "Hall"), (480, "240.00 EUR")],
        [(60, "Heating"), (480, "120.00 EUR")],
        [(60, whole), (480, "360.00 EUR")],
        [(60, part), (480, "(60.00 EUR)")],
    ]
    found = record(tmp_path, [*HEAD[:3], *rows])
    assert sums(found)[1:] == [60, 360]
    assert [line["amount"].value for line in found.lines] == ["240.00", "120.00"]


@pytest.mark.parametrize(
    ("net", "tax", "total"),
    [
        ("Totale (Tasse escl.)", "Totale tasse", "Totale (Tasse incl.)"),
        ("Total (Tax excl.)", "Total Tax", "Total (Tax incl.)"),
        ("Total (impuestos excl.)", "Total impuestos", "Total (impuestos incl.)"),
    ],
)
def test_brackets_behind_a_total_say_whether_the_tax_is_in_it(
    tmp_path: Path, net: str, tax: str, total: str
) -> None:
    rows: Rows = [[(300, net), (480, "300.00")], [(300, tax), (480, "60.00")], [(300, total), (480, "360.00")]]  # fmt: skip
    assert sums(record(tmp_path, [*HEAD, *rows])) == [300, 60, 360]


@pytest.mark.parametrize("rate", ["TVA 20%", "VAT 20%", "IVA 20%"])
def test_a_row_less_its_discount_is_an_item_whatever_tax_stands_in_it(tmp_path: Path, rate: str) -> None:
    head: Rows = [[(60, "Description"), (230, "Qty"), (290, "Price"), (350, "Disc.%"), (400, "Taxes"), (500, "Amount")]]  # fmt: skip
    items: Rows = [
        [(60, "Oak shelf"), (235, "2"), (290, "120.00"), (350, "0.00"), (400, rate), (500, "240.00")],
        [(60, "Wall bracket"), (235, "1"), (290, "100.00"), (350, "5.00"), (400, rate), (500, "95.00")],
        [(60, "Hook"), (235, "1"), (290, "5.00"), (350, "0.00"), (400, rate), (500, "5.00")],
    ]
    said: Rows = [[(400, "Subtotal"), (500, "340.00")], [(400, rate), (500, "68.00")], [(400, "Total"), (500, "408.00")]]  # fmt: skip
    found = record(tmp_path, [*HEAD, *head, *items, *said])
    assert [line["amount"].value for line in found.lines] == ["240.00", "95.00", "5.00"]
    assert sums(found) == [340, 68, 408]
