"""Labels that no list holds as they are printed, made of words that are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.contract import Record
from tests.pdfs import lines_pdf, result_of, stored

Rows = list[str | list[tuple[float, str]]]
HEAD: Rows = ["Kite & Loom", "INVOICE", "Invoice no 2024-031", "14 May 2024", [(60, "Item"), (200, "Qty"), (280, "Price"), (360, "Amount")]]  # fmt: skip
ITEM: Rows = [[(60, "Silk ribbon"), (200, "2"), (280, "120,00"), (360, "240,00")]]


def read(folder: Path, rows: Rows) -> Record:
    (record,) = result_of(stored(folder, lines_pdf(rows))).records
    return record


def money(*rows: tuple[str, str]) -> Rows:
    return [[(60, label), (360, figure)] for label, figure in rows]


@pytest.mark.parametrize(
    ("net", "total"),
    [
        ("Suma sin IVA", "Importe total"), ("Total de la facture HT", "Total TTC"), ("total facture (EUR HT)", "somme à payer (EUR TTC)"),
        ("Montant total HTVA", "Montant total"), ("Eindtotaal (excl. BTW)", "Eindtotaal (incl. BTW)"), ("Pre-Tax Total", "Total Amount Due USD"),
        ("Gesamtsumme ohne 19 % USt", "Gesamtsumme mit USt"), ("Warenwert total", "TOTAL CHARGED TO CARD"), ("Totale al netto dell'IVA", "Totale documento"),
        ("Montant Hors T.V.A.", "Total T.T.C."), ("Totaal goederenbedrag", "Totaal"), ("H.T.", "T.T.C."),
    ],
)  # fmt: skip
def test_a_sum_without_its_tax_is_net_whatever_it_is_called(tmp_path: Path, net: str, total: str) -> None:
    fields = read(tmp_path, [*HEAD, *ITEM, *money((net, "240,00"), (total, "285,60"))]).fields
    assert (fields["net"].value, fields["total"].value) == ("240.00", "285.60")


@pytest.mark.parametrize("label", ["Total TTC (dont HT", "Total incl. VAT, before tax credits"])
def test_what_is_said_of_another_sum_makes_none_net(tmp_path: Path, label: str) -> None:
    assert "net" not in read(tmp_path, [*HEAD, *money((label, "285,60"))]).fields


def test_figures_stand_before_their_labels(tmp_path: Path) -> None:
    rows: Rows = [[(340, "240,00 HTVA")], [(340, "45,60 TVA")], [(300, "= EUR"), (360, "285,60 TVAC")]]
    fields = read(tmp_path, [*HEAD, *ITEM, *rows]).fields
    assert [fields[name].value for name in ("net", "tax", "total")] == ["240.00", "45.60", "285.60"]


def test_names_of_taxes_may_have_points(tmp_path: Path) -> None:
    fields = read(tmp_path, [*HEAD, *money(("B.T.W.", "45,60"), ("Totaal", "285,60"))]).fields
    assert fields["tax"].value == "45.60"


@pytest.mark.parametrize(
    ("number", "date", "total"),
    [
        ("Número de la factura", "Fecha de la factura", "Total de la factura"), ("N. de la facture", "Date de la facture", "Montant de la facture"),
        ("Numéro du reçu", "Date du reçu", "Total du reçu"), ("Commercial invoice number", "Date of the commercial invoice", "Commercial invoice total"),
        ("Kwitantienummer", "Kwitantiedatum", "Factuur totaal EUR"), ("Schlussrechnungs-Nr.", "Schlussrechnungsdatum", "Schlussrechnungsbetrag"),
        ("Numero della ricevuta", "Data della ricevuta", "Totale della ricevuta"), ("Numer faktury VAT", "Data faktury VAT", "Kwota faktury VAT"),
        ("Hyvityslaskun tunnus", "Hyvityslaskun pvm", "Hyvityslaskun loppusumma"), ("Kvitteringsnummer", "Kvitteringsdato", "Kvitteringsbeløp"),
    ],
)  # fmt: skip
def test_labels_are_made_of_what_the_document_calls_itself(
    tmp_path: Path, number: str, date: str, total: str
) -> None:
    rows: Rows = ["Kite & Loom", "INVOICE", f"{number}: 2024031", "Due 1 April 2024", f"{date}: 1 March 2024", *money((total, "285,60"))]  # fmt: skip
    fields = read(tmp_path, rows).fields
    assert [fields[name].value for name in ("number", "date", "total")] == ["2024031", "2024-03-01", "285.60"]


@pytest.mark.parametrize("label", ["No invoice", "Numéro de la commande", "Rekeningnummer"])
def test_labels_of_other_numbers_stay_what_they_are(tmp_path: Path, label: str) -> None:
    rows: Rows = ["Kite & Loom", "INVOICE", "14 May 2024", f"{label} 2024031", *money(("Total", "285,60"))]
    assert read(tmp_path, rows).fields["number"].value is None


@pytest.mark.parametrize(
    ("net", "tax", "total"),
    [
        ("Total (sem tributos)", "Tributos", "Total da encomenda"), ("Nettowert", "Steuer", "Bestellsumme"),
        ("Valeur nette", "Taxe fiscale", "Total de la commande"), ("Nettowaarde", "Belasting", "Totaalbedrag van bestelling"),
        ("Nettovärde", "Skatt", "Totalt belopp"), ("Nettoværdi", "Moms", "Ordretotal"),
    ],
)  # fmt: skip
def test_sums_as_programs_for_invoices_print_them(tmp_path: Path, net: str, tax: str, total: str) -> None:
    rows = money((net, "240,00"), (tax, "45,60"), (total, "285,60"))
    fields = read(tmp_path, ["Kite & Loom", "INVOICE", "14 May 2024", *rows]).fields
    assert [fields[name].value for name in ("net", "tax", "total")] == ["240.00", "45.60", "285.60"]
    assert not fields["total"].reasons
