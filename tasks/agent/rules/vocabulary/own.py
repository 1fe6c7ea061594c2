"""What a document calls itself where its number, its date or its sum is named, and the words that are joined to that: "Numéro de l'avoir",
"Offertenummer", "Factuur totaal". Phrases of other tables that say something else come first."""

from __future__ import annotations

from tasks.agent.rules.vocabulary import Words

OWN: Words = {
    "en": "invoice|tax invoice|vat invoice|sales invoice|commercial invoice|proforma invoice|pro forma invoice|proforma|bill|receipt"
    "|sales receipt|payment receipt|credit note|credit memo|quote|quotation|estimate|document",
    "de": "rechnung|rechnungs|storno|korrektur|rechn|rg|beleg|beleg s|gutschrift|gutschrifts|angebot|angebots|quittung|quittungs|offerte|offert|dokument"
    "|proformarechnung|proformarechnungs|schlussrechnung|schlussrechnungs|abschlagsrechnung|abschlagsrechnungs|teilrechnung"
    "|teilrechnungs|stornorechnung|stornorechnungs|korrekturrechnung|korrekturrechnungs|kostenvoranschlag|kostenvoranschlags|honorarnote"
    "|honorarnoten|faktura|sammelrechnung|sammelrechnungs",
    "fr": "facture|avoir|devis|reçu|ticket|document|pièce|note d'honoraires|facture proforma|proforma|quittance|note de crédit|offre",
    "es": "factura|fra|recibo|ticket|presupuesto|documento|nota de crédito|abono|factura rectificativa|factura simplificada|proforma"
    "|factura proforma|cotización",
    "it": "fattura|fatt|ricevuta|documento|doc|preventivo|offerta|nota di credito|parcella|scontrino|proforma|fattura proforma|nota credito",
    "nl": "factuur|creditfactuur|creditnota|nota|offerte|kwitantie|bon|kassabon|document|proforma factuur|prijsofferte|verkoopfactuur"
    "|declaratie",
    "pl": "faktury|faktury vat|faktura|faktura vat|oferty|oferta|paragonu|paragon|dokumentu|faktury korygującej|faktury proforma|korekty"
    "|faktury pro forma",
    "fi": "laskun|lasku|hyvityslaskun|hyvityslasku|kuitin|kuitti|tarjouksen|tarjous|tositteen|tosite|ennakkolaskun|ennakkolasku",
    "sv": "faktura|fakturans|kreditfaktura|kvitto|kvittots|offert|offertens|kreditnota|verifikation",
    "da": "faktura|fakturaens|kreditnota|kvittering|kvitterings|tilbud|tilbuds|regning|regnings|kreditfaktura",
    "no": "faktura|fakturaens|kreditnota|kvittering|kvitterings|tilbud|tilbuds|regning|kreditfaktura",
    "pt": "fatura|factura|recibo|documento|orçamento|nota de crédito|fatura recibo|proposta|proforma|nota fiscal",
    "cs": "faktury|faktura|dokladu|doklad|účtenky|nabídky|nabídka|dobropisu|daňového dokladu|zálohové faktury",
}

JOINED: dict[str, Words] = {
    "number": {
        "en": "number|no|nr|num|#|id|ref|reference|code",
        "de": "nummer|nr|no|id|num",
        "fr": "numéro|n°|n|no|num|nr|réf|référence|id",
        "es": "número|nº|n|no|num|núm|nro|referencia|id",
        "it": "numero|n|n°|nr|num|no|rif",
        "nl": "nummer|nr|no|id|code",
        "pl": "numer|nr|id",
        "fi": "numero|nro|nr|tunnus|no|viite",
        "sv": "nummer|nr|id",
        "da": "nummer|nr|id",
        "no": "nummer|nr|id",
        "pt": "número|nº|n|n°|num|nro",
        "cs": "číslo|č",
    },
    "date": {
        "en": "date|issue date|date of issue",
        "de": "datum|dat|tag",
        "fr": "date|date d'émission|date de création",
        "es": "fecha|fecha de emisión|fecha de expedición",
        "it": "data|data emissione|data di emissione",
        "nl": "datum|uitgiftedatum",
        "pl": "data|data wystawienia",
        "fi": "päivä|päiväys|pvm|päivämäärä|antopäivä",
        "sv": "datum|dag",
        "da": "dato",
        "no": "dato",
        "pt": "data|data de emissão",
        "cs": "datum|datum vystavení",
    },
    "total": {
        "en": "total|total amount|grand total|amount|amount total|sum|value",
        "de": "summe|betrag|total|endbetrag|gesamtbetrag|gesamtsumme|endsumme",
        "fr": "total|montant|montant total|total général|somme",
        "es": "total|importe|importe total|monto|monto total",
        "it": "totale|importo|importo totale|totale complessivo",
        "nl": "totaal|bedrag|totaalbedrag|eindtotaal|som",
        "pl": "suma|kwota|wartość|łączna kwota|razem",
        "fi": "summa|loppusumma|yhteensä|kokonaissumma",
        "sv": "belopp|summa|total|totalt|totalbelopp",
        "da": "beløb|total|i alt|totalbeløb|sum",
        "no": "beløp|total|totalt|totalbeløp|sum",
        "pt": "total|valor|valor total|montante|montante total",
        "cs": "celkem|částka|celková částka",
    },
}
"""Role → what is joined to the document's own name, before or behind it."""

COMPOUND = frozenset(["de", "nl", "fi", "sv", "da", "no"])
"""Languages that write the two as one word as well."""
LAST = frozenset(["no", "#", "id", "code", "ref"])
"""What stands behind the document's name only: "no invoice" speaks of none."""

LITTLE: Words = {
    "en": "of|the",
    "de": "der|des|den|dem",
    "fr": "de|la|le|les|l|d|du|des",
    "es": "de|la|del",
    "it": "di|del|dei|della|dell",
    "nl": "de|het|van",
    "pt": "de|do|da|dos|das",
}
"""What may stand between the words of any label, and does not change it: "numéro de la facture"."""

NAME_OF: dict[str, tuple[str, str, str]] = {
    "en": ("name", "", ""),
    "de": ("name", "", "s"),
    "fr": ("nom", "", ""),
    "es": ("nombre", "", ""),
    "it": ("nome", "", ""),
    "nl": ("naam", "", ""),
    "pl": ("nazwa", "a", "y"),
    "fi": ("nimi", "", "n"),
    "sv": ("namn", "", "ns"),
    "da": ("navn", "", "s"),
    "no": ("navn", "", "s"),
    "pt": ("nome", "", ""),
}
"""The word for name, and what the label of a party beside it gives up and takes on: "nazwa sprzedawcy", "myyjän nimi", "Name des Verkäufers"."""
