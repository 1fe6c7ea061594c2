"""Who a name and a tax number belong to: the buyer is no heading, street or telephone, and the supplier not the box with the document's own name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.agent.rules.patterns import clean, is_name
from tests.test_agent_unusual import ITEMS, SUMS, TITLES, Rows, record, values

HEAD: Rows = ["Plain Paper Ltd", "INVOICE", "Invoice number: P-9", "Invoice date: 14 May 2024"]
REST: Rows = [*TITLES, *ITEMS, *SUMS]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["COBRAR A", "Ana Olivares", "Calle Mayor 5"], "Ana Olivares"),
        (["DIRECCIÓN DE FACTURACIÓN", "Jordi Puig", "Calle Mayor 5"], "Jordi Puig"),
        (["Bill to Address:", "ATTN: Blue Gum Traders", "93B Sai Yu Road"], "Blue Gum Traders"),
        (["Customer VAT ID: IE9876543W", "Bill to", "Blue Gum Traders", "12 Kent Street"], "Blue Gum Traders"),
        (["Bill to", "Blue Gum Traders", "Customer Signature"], "Blue Gum Traders"),
        (["Bill to", "12 Kent Street", "Blue Gum Traders"], None),
        (["Käufer", "Muster-Kunde GmbH", "Besteller: Hr. Mayer, Kostenstelle 5465"], "Muster-Kunde GmbH"),
        (["Client Name SA", "Bill to", "Blue Gum Traders"], "Blue Gum Traders"),
    ],
)  # fmt: skip
def test_who_is_written_to(tmp_path: Path, lines: Rows, expected: str | None) -> None:
    found = record(tmp_path, [*HEAD, *lines, *REST], step=14)
    assert values(found, "buyer") == [expected]


def test_pictures_of_a_font_are_no_part_of_a_name() -> None:
    assert clean("\ue0b3 Blue Gum Traders") == "Blue Gum Traders"
    assert not is_name(clean("\ue0b3 +33 4 50 44 68 99"))


@pytest.mark.parametrize(("form", "name"), [("Herrn", "Karl Muster"), ("Firma", "Muster Handel")])
def test_a_form_of_address_stands_over_the_buyers_name(tmp_path: Path, form: str, name: str) -> None:
    sender = "Plain Paper Ltd • Mill Road 4 • 80331 Munich"
    rows: Rows = [sender, form, name, "Musterstr. 11", "12346 Musterhausen", "", *HEAD[1:], *REST]
    assert values(record(tmp_path, rows, step=14), "supplier", "buyer") == ["Plain Paper Ltd", name]


def test_the_company_below_a_persons_name_is_written_to(tmp_path: Path) -> None:
    address: Rows = ["Mr John Smith", "Blue Gum Traders Ltd", "12 Kent Street", "Leeds LS1 4AP"]
    foot = "Plain Paper - Mill Road 4 - 80331 Munich"
    assert values(record(tmp_path, [*address, "", *HEAD[1:], *REST, foot], step=14), "supplier") == [
        "Plain Paper"
    ]


def test_a_box_with_the_documents_own_name_names_no_supplier(tmp_path: Path) -> None:
    box: Rows = ["NF-e", "", "Nº 000.456", "Data da emissão: 20/11/2024", "www.nfe.fazenda.gov.br"]
    rows: Rows = [*box, *[""] * 3, "Empresa Exemplo LTDA", "Rua das Palmeiras 100"]
    assert values(record(tmp_path, [*rows, *REST]), "supplier") == ["Empresa Exemplo LTDA"]


def test_who_is_numbered_below_the_label_is_not_named_beside_it(tmp_path: Path) -> None:
    rows: Rows = [
        "CARD RECEIPT",
        [(60, "Merchant"), (200, "Mode of payment")],
        [(60, "0123456"), (200, "Purchase")],
    ]
    rest: Rows = ["Date: 14 May 2024", [(60, "Total"), (400, "EUR 100.00")]]
    assert not {"Mode of payment", "Merchant"} & set(values(record(tmp_path, [*rows, *rest]), "supplier"))


def test_whose_company_it_is_is_no_name(tmp_path: Path) -> None:
    rows: Rows = ["A TIDEWAY COMPANY", "INVOICE", *HEAD[2:], *REST]
    assert values(record(tmp_path, rows), "supplier") == [None]


@pytest.mark.parametrize(
    "greeting",
    ["Thank you for shopping at", "Welcome to", "Vielen Dank für Ihren Einkauf bei", "Merci de votre visite"],
)
def test_a_greeting_is_no_supplier(tmp_path: Path, greeting: str) -> None:
    rows: Rows = [greeting, "PLAIN PAPER STORE", "RECEIPT", *HEAD[2:], "To: Blue Gum Traders", *REST]
    assert values(record(tmp_path, rows), "supplier", "buyer") == ["PLAIN PAPER STORE", "Blue Gum Traders"]


def test_a_town_in_colorado_is_no_company(tmp_path: Path) -> None:
    rows: Rows = ["INVOICE", [(300, "DENVER CO 80202")], *HEAD[2:], *REST]
    assert values(record(tmp_path, rows), "supplier") == [None]


def test_a_name_over_its_registration_at_the_foot_is_the_supplier(tmp_path: Path) -> None:
    rows: Rows = [
        "RECEIPT",
        "No. 1234",
        "Date: 14 May 2024",
        *REST,
        *["-"] * 20,
        "Ichiba Terminal",
        "5 Kudan, Chiyoda",
        "Registration Number T0123456789012",
    ]
    assert values(record(tmp_path, rows), "supplier") == ["Ichiba Terminal"]


@pytest.mark.parametrize(
    ("lines", "supplier", "buyer"),
    [
        (["Steuernr.: 201/113/40209", "USt.-Identnr.: DE811907980"], "DE811907980", None),
        (["USt-IdNr. Kunde: IE9876543W", "VAT Reg. No. GB980780684"], "GB980780684", "IE9876543W"),
        (["Ihre USt-IdNr.: IE9876543W", "Steuernummer 201/113/40209"], "20111340209", "IE9876543W"),
    ],
)
def test_whose_tax_number_it_is_and_which_of_two(
    tmp_path: Path, lines: Rows, supplier: str, buyer: str | None
) -> None:
    found = record(tmp_path, [*HEAD, *lines, *REST])
    assert values(found, "supplier_tax_id", "buyer_tax_id") == [supplier, buyer]


def test_the_tax_number_at_the_foot_is_the_writers(tmp_path: Path) -> None:
    rows: Rows = [
        "Plain Paper Ltd",
        *["."] * 14,
        "USt-ID Nr.: CHE-491.038.955",
        *HEAD[1:],
        *REST,
        *[""] * 24,
        "UID-NR.: ATU45549009",
    ]
    found = record(tmp_path, rows, step=14)
    assert values(found, "supplier_tax_id", "buyer_tax_id") == ["ATU45549009", "CHE491038955"]


def test_the_holder_of_the_account_stands_beside_his_label(tmp_path: Path) -> None:
    account: Rows = [[(60, "Account holder:"), (164, "Harbour Lane Books")], "Kent Savings, Leeds"]
    rows: Rows = ["Invoice", "Invoice number: P-9", "Invoice date: 14 May 2024", *REST, *account]
    assert values(record(tmp_path, rows, step=14), "supplier") == ["Harbour Lane Books"]


def test_a_label_that_calls_somebody_else_the_supplier_makes_the_letterhead_doubtful(tmp_path: Path) -> None:
    found = record(tmp_path, ["Plain Paper", *HEAD[1:], *REST, "Account holder: Harbour Lane Books"])
    assert values(found, "supplier") == ["Plain Paper"]
    assert "Harbour Lane Books" in "".join(found.fields["supplier"].reasons)


def test_a_month_beside_its_year_is_no_supplier(tmp_path: Path) -> None:
    date: Rows = [[(60, "Nov."), (110, "9,"), (150, "2022")]]
    rows: Rows = [*date, "Harbour Lane Books", "14 Mill Road", "RECEIPT", "Receipt no 8812", *REST]
    assert values(record(tmp_path, rows), "supplier") == ["Harbour Lane Books"]


@pytest.mark.parametrize(
    "block",
    [
        ["Gemeinde Quickborn", "Frau Petersen", "Lornsenweg 2", "25451 Quickborn"],
        ["Praxisklinik", "Dr. Klaus Brandes", "Birkenallee 3", "25462 Rellingen"],
    ],
)
def test_who_is_greeted_or_named_below_is_written_to(tmp_path: Path, block: Rows) -> None:
    greeting = "Sehr geehrte Frau Petersen," if "Frau" in str(block[1]) else "Sehr geehrter Herr Dr. Brandes,"
    rows: Rows = [*block, "", "Rechnung 2025-0117", "Datum: 14.05.2024", greeting, *REST]
    assert values(record(tmp_path, rows, step=14), "supplier") == [None]


def test_a_name_below_the_title_may_be_who_is_written_to_where_nothing_tells_of_the_writer(
    tmp_path: Path,
) -> None:
    block: Rows = ["Comunidad Alcala", "Calle Alcala 212", "28028 Madrid"]
    rows: Rows = ["FACTURA", *block, "Número 88", "Fecha: 14/05/2024", *REST]
    assert record(tmp_path, rows, step=14).fields["supplier"].reasons
    reachable: Rows = [*rows[:4], "Tel. 91 555 12 12", *rows[4:]]
    assert not record(tmp_path, reachable, step=14).fields["supplier"].reasons


def test_a_name_far_below_an_empty_head_may_be_who_is_written_to(tmp_path: Path) -> None:
    rows: Rows = [
        "Quickborn Turnverein",
        "Lornsenweg 2",
        "25451 Quickborn",
        "Rechnung 88",
        "Datum: 14.05.2024",
        *REST,
    ]
    low = record(tmp_path, [*[""] * 10, *rows], step=14).fields["supplier"]
    assert low.value == "Quickborn Turnverein" and low.reasons
    assert not record(tmp_path, rows, step=14).fields["supplier"].reasons


@pytest.mark.parametrize(
    "name", ["Your logo", "FA(3)", "(Not for payments)", "Dane kontaktowe nabywcy", "Contact details", "von"]
)
def test_what_is_no_name(name: str) -> None:
    assert not is_name(name)


def test_the_company_is_written_to_and_not_the_person_in_it(tmp_path: Path) -> None:
    block: Rows = ["BILLED TO", "Blue Gum Traders", "Attn: John Doe", "456 Customer Ave"]
    found = record(tmp_path, [*HEAD, *block, *REST], step=14).fields["buyer"]
    assert (found.value, found.reasons) == ("Blue Gum Traders", ())


TWO: Rows = [
    "Harbour Lane",
    "Books and Papers",
    "14 Mill Road",
    "Leeds LS1 4AP",
    "Tel 0113 555 22",
    *HEAD[1:],
]


def test_a_name_in_two_lines_is_whole_where_it_stands_in_one(tmp_path: Path) -> None:
    imprint = "Harbour Lane Books and Papers Ltd, registered in England 123456"
    rows: Rows = [TWO[0], "Books and Papers Ltd", *TWO[2:], *REST, imprint]
    found = record(tmp_path, rows, step=14).fields["supplier"]
    assert (found.value, found.reasons) == ("Harbour Lane Books and Papers Ltd", ())


def test_a_name_that_may_go_on_below_asks_for_a_look(tmp_path: Path) -> None:
    found = record(tmp_path, [*TWO, *REST], step=14).fields["supplier"]
    assert "Books and Papers" in "".join(found.reasons)
    street: Rows = [TWO[0], "Quay House", *TWO[3:], *REST]
    assert not record(tmp_path, street, step=14).fields["supplier"].reasons


def test_a_name_below_its_label_may_go_on_in_the_line_with_the_legal_form(tmp_path: Path) -> None:
    rows: Rows = [
        "INVOICE",
        "Seller",
        "Harbour Lane",
        "Books and Papers Ltd",
        "12 Quay Road",
        "Bristol BS1 4DJ",
    ]
    found = record(tmp_path, [*rows, *REST], step=14).fields["supplier"]
    assert "Books and Papers Ltd" in "".join(found.reasons)


def test_a_currency_is_no_supplier(tmp_path: Path) -> None:
    rows: Rows = [*HEAD[1:], "Bill to: Ana Olivares", "GBP", *REST, "Pay to: Harbour Lane Books"]
    assert values(record(tmp_path, rows, step=14), "supplier") == ["Harbour Lane Books"]


@pytest.mark.parametrize(
    ("label", "form"),
    [("From", "Pty Ltd"), ("Von:", "GmbH & Co. KG"), ("Myyjä", "Oy"), ("Vendeur", "SARL")],
)
def test_a_legal_form_alone_ends_the_name_over_it(tmp_path: Path, label: str, form: str) -> None:
    lines: Rows = [
        "INVOICE",
        "Invoice number: P-9",
        "14 May 2024",
        label,
        "Brushtail Grounds & Gardens",
        form,
    ]
    found = record(tmp_path, [*lines, "12 Kent Street", *REST], step=14).fields["supplier"]
    assert (found.value, found.reasons) == (f"Brushtail Grounds & Gardens {form}", ())


@pytest.mark.parametrize(
    "label",
    ["Name des Rechnungsstellers", "Laskuttajan nimi", "Nazwa sprzedawcy", "Nom du vendeur", "Vendor name"],
)
def test_the_label_of_a_party_with_the_word_for_name(tmp_path: Path, label: str) -> None:
    lines: Rows = ["INVOICE", "Invoice number: P-9", "14 May 2024", f"{label}: Eveliina Hakkarainen"]
    found = record(tmp_path, [*lines, *REST])
    assert values(found, "supplier") == ["Eveliina Hakkarainen"]


@pytest.mark.parametrize(
    ("number", "to"), [("Org.nr 7696148324", "Faktura till:"), ("CVR 12345678", "Faktureres til:")]
)
def test_a_name_with_a_colon_is_no_label_where_it_stands_again(tmp_path: Path, number: str, to: str) -> None:
    rows: Rows = [
        "FAKTURA",
        "Fakturanummer: P-9",
        "2024-05-14",
        [(60, "Bokskogens Tradvard Forening:"), (350, to)],
        [(60, "Elsa Rydqvist"), (350, "Brf Halleborg")],
        [(60, "elsa@example.org"), (350, "Ringvagen 41")],
        *REST,
        *[""] * 16,
        "Bokskogens Tradvard Forening",
        "Sosdalavagen 9",
        number,
    ]
    assert values(record(tmp_path, rows), "supplier") == ["Bokskogens Tradvard Forening"]


@pytest.mark.parametrize(("buyer", "seller"), [("Vastaanottaja", "Myyjä"), ("Ship to", "Seller")])
def test_who_has_the_label_writes_whoever_stands_at_the_left(tmp_path: Path, buyer: str, seller: str) -> None:
    rows: Rows = [
        "Lasku 20250917",
        "2024-05-14",
        [(60, buyer), (300, seller)],
        [(60, "Pirkan Messut Oy"), (300, "Leipomo Vehnanen Oy")],
        [(60, "Ilmailunkatu 20"), (300, "Satakunnankatu 21")],
        [(60, "33900 Tampere"), (300, "33210 Tampere")],
        *REST,
    ]
    assert values(record(tmp_path, rows), "supplier") == ["Leipomo Vehnanen Oy"]


@pytest.mark.parametrize(
    ("attention", "company"),
    [("Attention: Priya Raman", "Company"), ("T.a.v. Priya Raman", "Bedrijf"), ("À l'attention de Priya Raman", "Société")],
)  # fmt: skip
def test_the_company_below_a_person_who_is_written_to_is_the_buyer(
    tmp_path: Path, attention: str, company: str
) -> None:
    found = record(tmp_path, [*HEAD, attention, f"{company}: Derwent Analytics Pty Ltd", *REST])
    assert values(found, "supplier", "buyer") == ["Plain Paper Ltd", "Derwent Analytics Pty Ltd"]
    assert not found.fields["supplier"].reasons


@pytest.mark.parametrize(
    "label", [["Saaja", "Mottagare"], ["Zahlungsempfänger", "Bénéficiaire"], ["Toimittaja:", "Modtager:"]]
)
def test_a_label_in_two_languages_one_below_the_other_says_one_thing(
    tmp_path: Path, label: list[str]
) -> None:
    """Who is paid by a Finnish payment slip was read as the buyer, and who is written to as the supplier, unflagged."""
    rows: Rows = [
        "LASKU 1074",
        "Päivämäärä 26.3.2025",
        *["Tuulikello ry", "Valtakatu 44", "53100 Lappeenranta"],
        *REST,
        "",
        [(60, label[0])],
        [(60, label[1]), (200, "Kattopelti Saarinen Tmi")],
    ]
    found = record(tmp_path, rows, step=12)
    assert values(found, "supplier") == ["Kattopelti Saarinen Tmi"]


@pytest.mark.parametrize(
    ("name", "seat"),
    [
        ("TraccIA Flotte SRL", "Sede Legale: Via Emilia Ponente, 56 - 47522 - Cesena (FC)"),
        ("Harrow Mill Ltd", "Registered office: 4 Quay Street, Hull HU1 2PS"),
        ("Aciers Morel SAS", "Siège social : 3 rue des Forges, 59000 Lille"),
    ],
)
def test_a_company_is_told_from_its_seat_in_one_line(tmp_path: Path, name: str, seat: str) -> None:
    """It was too long for a name, and the company in the window was taken for the supplier."""
    rows: Rows = [
        f"{name} {seat}",
        [(60, "Fattura n. 884 del 30/06/2026"), (330, "Autotrasporti Bagnara S.r.l.")],
        [(330, "Via dell'Autoporto 3")],
        [(330, "48017 Conselice RA")],
        *REST,
    ]
    assert values(record(tmp_path, rows), "supplier") == [name]


@pytest.mark.parametrize(
    "heading", ["INVOICE INFORMATION", "Datos de la factura", "Dati fattura", "Invoice details"]
)
def test_the_heading_of_what_is_said_of_the_document_is_no_name(tmp_path: Path, heading: str) -> None:
    rows: Rows = [heading, "Invoice number: P-9", "Invoice date: 14 May 2024", *[""] * 3, *REST]
    assert values(record(tmp_path, rows), "supplier") == [None]


@pytest.mark.parametrize("label", ["BILLING ADDRESS", "Rechnungsadresse", "Adresse de facturation"])
def test_the_buyers_town_at_the_head_below_a_picture_is_no_supplier(tmp_path: Path, label: str) -> None:
    address = ["3 Quarry Lane", "SHEFFIELD", "S10 3QW"]
    rows: Rows = [
        *address,
        "Invoice number: P-9",
        "Invoice date: 14 May 2024",
        label,
        "Imogen Falkner",
        *address,
        *REST,
    ]
    assert values(record(tmp_path, rows), "supplier", "buyer") == [None, "Imogen Falkner"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Wir buchen den Betrag von Ihrem Konto DE89 3704 0044 0532 0130 00 lautend auf Blue Gum Traders Ltd ab.",
        "This licence was issued in the name of Blue Gum Traders Ltd at Hull.",
        "Insured by Blue Gum Traders Ltd registered office 4 Quay Street, Hull HU1 2PS",
    ],
)
def test_a_sentence_that_names_who_pays_or_insures_makes_him_no_supplier(
    tmp_path: Path, sentence: str
) -> None:
    rows: Rows = [*HEAD, "Bill to", "Blue Gum Traders Ltd", "12 Kent Street", *REST, "", sentence]
    assert values(record(tmp_path, rows, step=14), "supplier") == ["Plain Paper Ltd"]


@pytest.mark.parametrize(
    ("seller", "buyer"), [("Seller", "Acheteur"), ("Supplier", "Kunde"), ("Lieferant", "Client")]
)
def test_labels_in_two_languages_that_have_a_value_each_are_two(
    tmp_path: Path, seller: str, buyer: str
) -> None:
    names: Rows = [
        [(60, f"{seller}:"), (130, "Plain Paper Ltd")],
        [(60, f"{buyer}:"), (130, "Blue Gum Traders Ltd")],
    ]
    found = record(tmp_path, [*HEAD[1:], *names, *[""] * 9, *REST], step=12)
    assert values(found, "supplier", "buyer") == ["Plain Paper Ltd", "Blue Gum Traders Ltd"]
