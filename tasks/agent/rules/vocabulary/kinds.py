"""Titles of documents."""

from __future__ import annotations

from tasks.agent.rules.vocabulary import Words

KINDS: dict[str, Words] = {
    "invoice": {
        "en": "invoice|tax invoice|commercial invoice|sales invoice|proforma invoice|pro forma invoice|vat invoice|bill|freight invoice"
        "|service invoice|final invoice|interim invoice|pro forma|patient statement|billing statement|electricity bill|water bill"
        "|gas bill|utility bill|phone bill|fee note",
        "de": "rechnung|warenrechnung|schlussrechnung|abschlagsrechnung|teilrechnung|honorarnote|kostenrechnung|sammelrechnung|monatsrechnung"
        "|proformarechnung|proforma rechnung|handelsrechnung|beitragsrechnung|arztrechnung|jahresabrechnung|verbrauchsabrechnung"
        "|stromrechnung|endabrechnung|mobilfunkrechnung|jahresrechnung|liquidation|kostennote",
        "fr": "facture|facture d'acompte|note d'honoraires|facture proforma|facture pro forma|facture de solde|note de frais"
        "|facture d'électricité|note d'hotel|décompte|facture tva",
        "es": "factura|factura proforma|minuta|factura de venta|factura electrónica|factura pro forma",
        "it": "fattura|parcella|fattura immediata|fattura accompagnatoria|fattura differita|td01 fattura|td24 fattura|fattura elettronica"
        "|notula|fattura proforma|bolletta|fattura commerciale|fattura pro forma",
        "nl": "factuur|rekening|verkoopfactuur|voorschotfactuur|verzamelfactuur|pro forma factuur|declaratie|jaarafrekening|energienota"
        "|eindafrekening|jaarnota|belastingfactuur",
        "pl": "faktura|faktura vat|faktura podstawowa|faktura końcowa|faktura zaliczkowa|faktura pro forma|faktura proforma",
        "fi": "lasku|myyntilasku|loppulasku|ennakkolasku",
        "sv": "faktura|räkning",
        "da": "faktura|regning",
        "no": "faktura|regning",
        "pt": "fatura|factura|fatura recibo|fatura proforma|nota fiscal|nf e|nfs e|danfe|nota fiscal eletrônica"
        "|documento auxiliar da nota fiscal eletrônica|nota fiscal de serviço eletrônica|nota fiscal de serviços eletrônica|fatura pro forma",
        "cs": "faktura|faktura daňový doklad|daňový doklad|zálohová faktura",
        "ja": "請求書|御請求書|ご請求書|請求明細書|適格請求書",
    },
    "credit_note": {
        "en": "credit note|credit memo|credit invoice|sale return|sales return|refund receipt|refund note|refund slip|return note"
        "|credit slip|credit receipt|refund invoice",
        "de": "gutschrift|rechnungskorrektur|stornorechnung|rechnungsstorno|storno|gutschriftsanzeige|korrekturrechnung|rechnungs korrektur"
        "|korrektur rechnung|storno rechnung|rechnungsberichtigung|berichtigte rechnung|retourenbeleg",
        "fr": "avoir|facture d'avoir|note de crédit|note d'avoir|avoir client|facture rectificative|note de remboursement|ticket d'avoir"
        "|facture de crédit",
        "es": "factura rectificativa|nota de crédito|abono|factura de abono|nota de abono|nota de devolución|ticket de devolución"
        "|factura de crédito",
        "it": "nota di credito|nota di accredito|td04 nota di credito|nota credito|nota di reso|storno fattura|fattura di credito",
        "nl": "creditnota|creditfactuur|retourbon|credit nota|credit factuur",
        "pl": "faktura korygująca|nota uznaniowa|korekta faktury|faktura vat korygująca|korekta|zwrot towaru",
        "fi": "hyvityslasku|palautuskuitti",
        "sv": "kreditfaktura|kreditnota|returkvitto",
        "da": "kreditnota|kreditfaktura|returbon",
        "no": "kreditnota|kreditfaktura|returkvittering",
        "pt": "nota de crédito|nota de devolução|fatura de crédito",
        "cs": "dobropis|opravný daňový doklad|opravný doklad|vratka",
        "ja": "返品伝票|返品書|クレジットノート",
    },
    "receipt": {
        "en": "receipt|payment receipt|sales receipt|cash receipt|official receipt|till receipt|rent receipt|donation receipt|cash bill"
        "|cash memo|credit card receipt|debit card receipt|card receipt|credit card slip|card slip|sales slip|card sales slip"
        "|sales draft|transaction receipt|cash sale",
        "de": "quittung|spendenquittung|zuwendungsbestätigung|barquittung|kassenbon|kassenbeleg|kassenzettel|bon|kartenbeleg"
        "|kartenzahlungsbeleg|zahlungsbeleg|kundenbeleg",
        "fr": "reçu|ticket de caisse|quittance|ticket client|justificatif de paiement|ticket|ticket de carte bancaire|ticket carte bancaire"
        "|facturette",
        "es": "recibo|ticket|factura simplificada|ticket de compra|tique|recibo de pago|comprobante de pago|comprobante de venta"
        "|comprobante de tarjeta",
        "it": "ricevuta|scontrino|documento commerciale|ricevuta fiscale|scontrino fiscale|ricevuta di pagamento|scontrino carta",
        "nl": "kassabon|kwitantie|betaalbewijs|kassaticket|bon|betalingsbewijs|aankoopbewijs|pinbon",
        "pl": "paragon|paragon fiskalny|pokwitowanie|dowód zakupu|potwierdzenie transakcji",
        "fi": "kuitti|kassakuitti|ostokuitti|käteiskuitti|korttikuitti",
        "sv": "kvitto|kassakvitto|kortkvitto",
        "da": "kvittering|bon|kassebon|kortkvittering",
        "no": "kvittering|salgskvittering|kortkvittering",
        "pt": "recibo|talão|fatura simplificada|comprovante de pagamento|cupom fiscal|cupom fiscal eletrônico|nfc e|danfe nfc e"
        "|nota fiscal de consumidor eletrônica|documento auxiliar da nota fiscal de consumidor eletrônica",
        "cs": "účtenka|pokladní doklad|stvrzenka|paragon|zjednodušený daňový doklad",
        "ja": "領収書|領収証|レシート|売上票|カード売上票|クレジットカード売上票|ご利用票|クレジットカードご利用票|クレジット売上票",
    },
    "quotation": {
        "en": "quotation|quote|estimate|price quotation|proposal|sales quote|sales quotation|cost estimate|formal quote",
        "de": "angebot|kostenvoranschlag|offerte|kostenschätzung|preisangebot|richtofferte",
        "fr": "devis|offre de prix",
        "es": "presupuesto|cotización",
        "it": "preventivo|offerta|offerta commerciale|preventivo di spesa",
        "nl": "offerte|prijsopgave|prijsofferte|aanbieding|begroting",
        "pl": "oferta|oferta cenowa|wycena|kosztorys",
        "fi": "tarjous",
        "sv": "offert|anbud|kostnadsförslag",
        "da": "tilbud",
        "no": "tilbud|pristilbud",
        "pt": "orçamento|cotação|proposta",
        "cs": "nabídka|cenová nabídka",
        "ja": "見積書|御見積書",
    },
    # Titles of documents that speak of money without asking for it here
    "none": {
        "en": "statement of account|account statement|purchase order|delivery note|packing slip|packing list|order confirmation"
        "|remittance advice|payment reminder|reminder|final notice|timesheet|bank statement|price list|goods received note|payslip"
        "|pay slip|salary slip|wage slip|earnings statement|pay statement|overdue notice|overdue invoice|past due notice"
        "|delivery receipt|goods receipt",
        "de": "kontoauszug|lieferschein|mahnung|zahlungserinnerung|bestellung|auftragsbestätigung|zahlungsavis|packzettel|preisliste"
        "|saldenbestätigung|lohnabrechnung|gehaltsabrechnung|entgeltabrechnung|verdienstabrechnung|lohn und gehaltsabrechnung"
        "|bezügemitteilung",
        "fr": "bon de livraison|bon de commande|relevé de compte|rappel|relance|confirmation de commande|mise en demeure|relevé bancaire"
        "|bulletin de paie|bulletin de salaire|fiche de paie",
        "es": "albarán|pedido|extracto|extracto de cuenta|recordatorio de pago|nota de entrega|orden de compra|confirmación de pedido|nómina"
        "|recibo de salarios|recibo de nómina",
        "it": "documento di trasporto|bolla di consegna|ordine di acquisto|estratto conto|sollecito|sollecito di pagamento|conferma d'ordine"
        "|busta paga|cedolino paga",
        "nl": "pakbon|bestelbon|herinnering|betalingsherinnering|aanmaning|orderbevestiging|rekeningoverzicht|inkooporder|loonstrook"
        "|salarisstrook|salarisspecificatie",
        "pl": "wezwanie do zapłaty|zamówienie|przypomnienie|potwierdzenie zamówienia|wyciąg|wyciąg bankowy|list przewozowy|lista płac"
        "|pasek wynagrodzenia",
        "fi": "lähete|muistutus|maksumuistutus|maksukehotus|tilausvahvistus|tiliote|ostotilaus|palkkalaskelma|palkkaerittely",
        "sv": "följesedel|påminnelse|orderbekräftelse|kontoutdrag|inköpsorder|lönespecifikation|lönebesked",
        "da": "følgeseddel|rykker|ordrebekræftelse|kontoudtog|indkøbsordre|lønseddel",
        "no": "pakkseddel|purring|ordrebekreftelse|kontoutskrift|innkjøpsordre|lønnsslipp",
        "pt": "guia de remessa|guia de transporte|extrato|nota de encomenda|aviso de pagamento|recibo de vencimento|holerite",
        "cs": "dodací list|upomínka|objednávka|výpis z účtu|potvrzení objednávky|výplatní páska",
        "ja": "納品書|注文書|発注書|給与明細|給与明細書|督促状|注文確認書",
    },
}
