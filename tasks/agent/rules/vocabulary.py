"""What labels are called in which language. Data only: a new language is a new column of words, not new code.

Written as people print them; accents, case and punctuation do not matter when they are looked up. Inside a label
currencies and rates are skipped ("Montant EUR HT", "zzgl. 19 % MwSt.").
"""

from __future__ import annotations

Words = dict[str, str]
"""Language → phrases, separated by "|"."""

KINDS: dict[str, Words] = {
    "invoice": {
        "en": "invoice|tax invoice|commercial invoice|sales invoice|proforma invoice|pro forma invoice|vat invoice|bill"
        "|freight invoice|service invoice|final invoice|interim invoice|pro forma"
        "|patient statement|billing statement|electricity bill|water bill|gas bill|utility bill|phone bill|fee note",
        "de": "rechnung|warenrechnung|schlussrechnung|abschlagsrechnung|teilrechnung|honorarnote"
        "|kostenrechnung|sammelrechnung|monatsrechnung|proformarechnung|proforma rechnung|handelsrechnung|beitragsrechnung|arztrechnung"
        "|jahresabrechnung|verbrauchsabrechnung|stromrechnung|endabrechnung|mobilfunkrechnung|jahresrechnung|liquidation|kostennote",
        "fr": "facture|facture d'acompte|note d'honoraires"
        "|facture proforma|facture pro forma|facture de solde|note de frais"
        "|facture d'électricité|note d'hotel|décompte",
        "es": "factura|factura proforma|minuta|factura de venta|factura electrónica",
        "it": "fattura|parcella"
        "|fattura immediata|fattura accompagnatoria|fattura differita|td01 fattura|td24 fattura|fattura elettronica|notula|fattura proforma"
        "|bolletta|fattura commerciale",
        "nl": "factuur|rekening|verkoopfactuur|voorschotfactuur|verzamelfactuur|pro forma factuur|declaratie"
        "|jaarafrekening|energienota|eindafrekening|jaarnota",
        "pl": "faktura|faktura vat|faktura podstawowa|faktura końcowa|faktura zaliczkowa|faktura pro forma|faktura proforma",
        "fi": "lasku|myyntilasku|loppulasku|ennakkolasku",
        "ja": "請求書|御請求書|ご請求書|請求明細書|適格請求書",
    },
    "credit_note": {
        "en": "credit note|credit memo|credit invoice|sale return|sales return|refund receipt|refund note|refund slip|return note",
        "de": "gutschrift|rechnungskorrektur|stornorechnung"
        "|rechnungsstorno|storno|gutschriftsanzeige|korrekturrechnung"
        "|rechnungs korrektur|korrektur rechnung|storno rechnung|rechnungsberichtigung|berichtigte rechnung|retourenbeleg",
        "fr": "avoir|facture d'avoir|note de crédit|note d'avoir|avoir client|facture rectificative|note de remboursement|ticket d'avoir",
        "es": "factura rectificativa|nota de crédito|abono|factura de abono|nota de abono|nota de devolución|ticket de devolución",
        "it": "nota di credito|nota di accredito|td04 nota di credito|nota credito|nota di reso|storno fattura",
        "nl": "creditnota|creditfactuur|retourbon|credit nota",
        "pl": "faktura korygująca|nota uznaniowa|korekta faktury|faktura vat korygująca|korekta|zwrot towaru",
        "fi": "hyvityslasku|palautuskuitti",
        "ja": "返品伝票|返品書|クレジットノート",
    },
    "receipt": {
        "en": "receipt|payment receipt|sales receipt|cash receipt"
        "|official receipt|till receipt|rent receipt|donation receipt|cash bill|cash memo"
        "|credit card receipt|debit card receipt|card receipt|credit card slip|card slip|sales slip|card sales slip|sales draft|transaction receipt",
        "de": "quittung|spendenquittung|zuwendungsbestätigung|barquittung|kassenbon|kassenbeleg|kassenzettel|bon"
        "|kartenbeleg|kartenzahlungsbeleg|zahlungsbeleg|kundenbeleg",
        "fr": "reçu|ticket de caisse|quittance|ticket client|justificatif de paiement|ticket"
        "|ticket de carte bancaire|ticket carte bancaire|facturette",
        "es": "recibo|ticket|factura simplificada|ticket de compra|tique|recibo de pago"
        "|comprobante de pago|comprobante de venta|comprobante de tarjeta",
        "it": "ricevuta|scontrino|documento commerciale|ricevuta fiscale|scontrino fiscale"
        "|ricevuta di pagamento|scontrino carta",
        "nl": "kassabon|kwitantie|betaalbewijs|kassaticket|bon|betalingsbewijs|aankoopbewijs|pinbon",
        "pl": "paragon|paragon fiskalny|pokwitowanie|dowód zakupu|potwierdzenie transakcji",
        "fi": "kuitti|kassakuitti|ostokuitti|käteiskuitti|korttikuitti",
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
        "ja": "見積書|御見積書",
    },
}

OTHERS: Words = {
    "en": "statement of account|account statement|purchase order|delivery note|packing slip|packing list|order confirmation|remittance advice"
    "|payment reminder|reminder|final notice|timesheet|bank statement|price list|goods received note"
    "|payslip|pay slip|salary slip|wage slip|earnings statement|pay statement|overdue notice|overdue invoice|past due notice|delivery receipt|goods receipt",
    "de": "kontoauszug|lieferschein|mahnung|zahlungserinnerung|bestellung|auftragsbestätigung|zahlungsavis|packzettel|preisliste|saldenbestätigung"
    "|lohnabrechnung|gehaltsabrechnung|entgeltabrechnung|verdienstabrechnung|lohn und gehaltsabrechnung|bezügemitteilung",
    "fr": "bon de livraison|bon de commande|relevé de compte|rappel|relance|confirmation de commande|mise en demeure|relevé bancaire|bulletin de paie|bulletin de salaire|fiche de paie",
    "es": "albarán|pedido|extracto|extracto de cuenta|recordatorio de pago|nota de entrega|orden de compra|confirmación de pedido|nómina|recibo de salarios|recibo de nómina",
    "it": "documento di trasporto|bolla di consegna|ordine di acquisto|estratto conto|sollecito|sollecito di pagamento|conferma d'ordine|busta paga|cedolino paga",
    "nl": "pakbon|bestelbon|herinnering|betalingsherinnering|aanmaning|orderbevestiging|rekeningoverzicht|inkooporder|loonstrook|salarisstrook|salarisspecificatie",
    "pl": "wezwanie do zapłaty|zamówienie|przypomnienie|potwierdzenie zamówienia|wyciąg|wyciąg bankowy|list przewozowy|lista płac|pasek wynagrodzenia",
    "fi": "lähete|muistutus|maksumuistutus|maksukehotus|tilausvahvistus|tiliote|ostotilaus|palkkalaskelma|palkkaerittely",
    "sv": "följesedel|påminnelse|orderbekräftelse|kontoutdrag|inköpsorder|lönespecifikation|lönebesked",
    "da": "følgeseddel|rykker|ordrebekræftelse|kontoudtog|indkøbsordre|lønseddel",
    "no": "pakkseddel|purring|ordrebekreftelse|kontoutskrift|innkjøpsordre|lønnsslipp",
    "pt": "guia de remessa|guia de transporte|extrato|nota de encomenda|aviso de pagamento|recibo de vencimento|holerite",
    "cs": "dodací list|upomínka|objednávka|výpis z účtu|potvrzení objednávky|výplatní páska",
    "ja": "納品書|注文書|発注書|給与明細|給与明細書|督促状|注文確認書",
}
"""Titles of documents that speak of money without asking for it here."""

FIELDS: dict[str, Words] = {
    "number": {
        "en": "invoice number|invoice no|invoice nr|invoice num|invoice id|invoice #|invoice ref|invoice reference|inv no|inv #|bill number"
        "|bill no|bill #|receipt number|receipt no|receipt #|receipt id|credit note number|credit note no|credit note #|credit memo number"
        "|credit memo no|credit memo #|quote number|quote no|quote #|quote ref|quotation number|quotation no|quotation #|estimate number"
        "|estimate no|estimate #|document number|document no|doc no|txn|txn id|transaction no|transaction number|transaction id|booking id"
        "|tax invoice no|tax invoice number|number|folio no|statement no|sales invoice no|sales invoice number|invoice code"
        "|inv number|inv ref|inv id|num|bill ref|proforma no|proforma invoice no|pro forma no|pi no|pi number|folio number|folio #|folio|proposal no|proposal number|proposal #|quote reference|quote id|credit #|ro #|ro no|repair order #|repair order no|trans|trans no|trans #|transaction #|check #|check no|chk|receipt ref|statement number|memo no|credit no|credit number|sales receipt no|sales receipt #|order receipt no|voucher no|docket no|ticket number|slip no|slip number|slip #",
        "de": "rechnungsnummer|rechnungs nummer|rechnungsnr|rechnungs nr|rechnung nr|rechnung nummer|nummer|re nr|rg nr|rechn nr|belegnummer"
        "|beleg nr|belegnr|beleg nummer|gutschriftnummer|gutschriftsnummer|gutschrift nr|gutschrifts nr|angebotsnummer|angebots nr"
        "|angebot nr|bon nr|bonnummer|quittung nr|quittungsnummer|dokumentnummer|dokument nr|offerte nr|offertnummer"
        "|rechnungs id|rechnungskennung|rg nummer|rechn nummer|rechnungs no|honorarnote nr|honorarnote|angebotsnr|angebot nummer|gutschriftsnr|gutschriftnr|bon|beleg|bonnr|kassenbon nr|stornorechnung nr|bon id|vorgang nr|rechnungsnummer bitte bei zahlung angeben"
        "|abrechnungsnummer|abrechnung nr",
        "fr": "facture n°|facture numéro|facture no|n° facture|n° de facture|n° de la facture|numéro de facture|numéro de la facture"
        "|numéro facture|no de facture|no facture|réf facture|référence facture|avoir n°|n° d'avoir|numéro d'avoir|numéro de l'avoir"
        "|devis n°|n° devis|n° de devis|numéro de devis|reçu n°|ticket n°|n° ticket|n° de reçu|numéro du document|n° de document|pièce n°|numéro"
        "|numéro de document|n° de pièce|n° du document|facture réf|réf de la facture|n° de ticket|note d'honoraires n°|n° avoir|ticket|n° pièce|reçu no|devis réf|référence devis|n° du devis|note n°|numéro de reçu",
        "es": "número de factura|nº de factura|n° de factura|nº factura|num factura|factura nº|factura n°|factura no|factura núm"
        "|factura número|número factura|no factura|nº documento|número de documento|presupuesto nº|nº de presupuesto|ticket nº"
        "|número de recibo|número|recibo nº|nota de crédito nº|núm de factura|núm factura|num de factura"
        "|nº de fra|nº fra|fra nº|n° factura|factura simplificada|factura simplificada nº|nº ticket|nº de documento|factura rectificativa nº|documento nº|presupuesto núm|nº presupuesto|número de presupuesto|nº de ticket|minuta nº|serie y número|nº factura simplificada|serie número",
        "it": "numero fattura|n fattura|n° fattura|nr fattura|fattura n|fattura n°|fattura nr|fattura numero|numero documento|numero"
        "|documento n|n documento|nr documento|preventivo n|ricevuta n|nota di credito n|fattura no"
        "|n doc|doc n|fattura immediata n|parcella n|scontrino n|n scontrino|preventivo nr|preventivo numero|numero preventivo|offerta n|n preventivo|nota di credito nr|numero nota di credito|ricevuta nr|documento numero|documento nr|nr doc|n fatt|fatt n"
        "|bolletta n|n bolletta|bolletta nr|numero bolletta",
        "nl": "factuurnummer|declaratienummer|declaratienr|creditfactuurnummer|factuur nummer|factuurnr|factuur nr|factuur no|nummer factuur|creditnotanummer|offertenummer|offerte nr"
        "|bonnummer|bonnr|documentnummer|rekeningnummer factuur"
        "|factuurnr nr|nota nr|notanummer|factuurcode|creditnota nr|creditnotanr|creditfactuur nr|kassabon nr|bon nr|kwitantie nr|transactienummer|offertenr|documentnr|nr factuur|transactie"
        "|ons factuurnummer|notanr",
        "pl": "numer faktury|nr faktury|faktura nr|faktura vat nr|faktura numer|numer dokumentu|nr dokumentu|paragon nr|numer oferty|oferta nr"
        "|faktura korygująca nr|nr paragonu|numer|faktura końcowa nr|faktura zaliczkowa nr|faktura pro forma nr|faktura proforma nr|nr wydr"
        "|nr wydruku|nr oferty|numer paragonu|fv nr|nr fv|korekta nr|faktura vat korygująca nr|nr korekty",
        "fi": "laskun numero|laskunumero|laskun nro|laskunro|lasku nro|lasku nr|laskun nr|kuitin numero|kuitti nro|tarjousnumero"
        "|tarjous nro|tositenumero|hyvityslasku nro"
        "|laskun tunnus|laskutunnus|lasku numero|kuittinro|kuitti nr|kuitti n:o|hyvityslaskun numero|tarjouksen numero|tosite nro|tosite|kuitti|kuittinumero",
        "ja": "請求書番号|請求番号|書類番号|見積番号|見積書番号|伝票番号",
    },
    "date": {
        "en": "invoiced|invoice date|date of invoice|issue date|date of issue|date issued|issued on|issued|bill date|billing date|receipt date"
        "|credit note date|credit memo date|quote date|quotation date|estimate date|document date|invoiced on|tax point|tax date|date|dated"
        "|transaction date|billed|billed on|invoice dt|inv date|issue dt|date of bill|statement date|folio date|date printed|date created"
        "|created|created on|purchase date|date of purchase|proposal date|credit date|date of receipt|sale date|sales date|trans date",
        "de": "rechnungsdatum|rechnungs datum|belegdatum|beleg datum|ausstellungsdatum|ausgestellt am|gutschriftsdatum|gutschriftdatum"
        "|angebotsdatum|datum|rechnung vom|datum der rechnung|quittungsdatum|angebot vom|gutschrift vom|rechnungstag|erstellt am"
        "|rechnungsdatum lieferdatum|rechnungsdatum leistungsdatum|rechnungs dat|rg datum|datum der ausstellung|belegdat|kaufdatum|datum uhrzeit|bondatum|verkaufsdatum|angebot erstellt am",
        "fr": "date de facture|date de la facture|date facture|date de facturation|date d'émission|date d'édition|émise le|émis le|date"
        "|en date du|facture du|date de l'avoir|date du devis|date d'avoir|facturé le|fait le|établi le|établie le|date d'établissement|émission|créé le|créée le|date de création"
        "|date pièce|date du document|date de la pièce|facture émise le|émis en date du|date d'achat|date avoir|date devis|date de vente",
        "es": "fecha de factura|fecha factura|fecha de la factura|fecha de emisión|fecha emisión|fecha de expedición|fecha expedición"
        "|fecha|fecha del documento|emitida el|expedida el|fecha de facturación"
        "|creada el|creado el|fecha de creación|fecha fra|fecha de la fra|fecha ticket|fecha de compra|fecha presupuesto|fecha de expedición de la factura|fecha y hora|fecha doc",
        "it": "data fattura|data della fattura|data emissione|data di emissione|data documento|data del documento|data|emessa il|emesso il"
        "|emesso in data|data doc|data e ora|data preventivo|data offerta|data scontrino|data di emissione fattura|data acquisto|creata il|creato il|data creazione",
        "nl": "factuurdatum|datum factuur|datum|offertedatum|creditdatum|uitgiftedatum"
        "|datum van factuur|facturatiedatum|notadatum|aankoopdatum|transactiedatum|bondatum|opgesteld op|datum tijd|aangemaakt op|aangemaakt",
        "pl": "data wystawienia|data faktury|data wystawienia faktury|wystawiono dnia|data|wystawiono|wystawiona dnia|data dokumentu"
        "|data sporządzenia|wystawiono w dniu|utworzono|data utworzenia|data paragonu|data oferty",
        "fi": "päivämäärä|laskun päivä|laskun päiväys|laskun päivämäärä|laskun pvm|päiväys|pvm|laskutuspäivä|laskupäivä|päivätty"
        "|laskutuspvm|kuitin päivä|myyntipäivä|tarjouspäivä|laskun antopäivä|ostopäivä",
        "ja": "発行日|請求日|見積日|日付|取引日|お取扱日|ご利用日|利用日|領収日|取引日時|ご利用日時",
    },
    "due_date": {
        "en": "due date|payment due date|payment due|payment due by|due by|due on|pay by|please pay by|date due|payable by|payable on or before"
        "|payable on|pay before|payment date|payment deadline|due|settle by|to be paid by|pay no later than|payment required by"
        "|payment is due|payment due on|due for payment|pay on or before|payable|direct debit date|collection on|balance due by|balance due on|to be collected on|amount due by|amount due on|total due by|payment by|must be paid by|please settle by|due dt|pay due date",
        "de": "fällig am|fälligkeitsdatum|fälligkeit|zahlbar bis|zahlbar bis zum|zahlungsziel|fällig bis|fällig|zahlbar am|zahlungsfrist"
        "|zahlung bis|bitte zahlen sie bis zum|zu zahlen bis|spätestens bis|zu begleichen bis|zahlbar spätestens|zahlbar spätestens am|überweisen bis|bitte zahlen sie bis|zahlen sie bis"
        "|zahlungstermin|zahlbar ohne abzug bis|ohne abzug bis|netto bis|rein netto bis|fälligkeitstag|fälligkeit zum|fällig zum|fällig per|zu zahlen bis zum|zahlung erbeten bis|zahlung bis zum|zahlbar per|bitte begleichen bis|abbuchung am|abbuchungsdatum|einzug am|lastschrift am|zahlungsfälligkeit|valuta|zahlungsfrist bis",
        "fr": "date d'échéance|échéance|date limite de paiement|à payer avant le|payable le|à régler avant le|payable avant le|échéance le"
        "|date échéance|paiement dû le|à payer pour le|date de paiement|échéance de paiement|règlement avant le|date d'exigibilité|payable au plus tard le|au plus tard le|date limite de règlement|à régler au plus tard le|règlement attendu le|règlement pour le|règlement le"
        "|règlement avant|à payer au plus tard le|à régler pour le|limite de paiement|date d'échéance de paiement|prélevé le|prélèvement le|date de prélèvement|échéance au|paiement avant le|à payer le|payable jusqu'au|régler avant le|paiement au plus tard le|date de règlement"
        "|échoit le|exigible le",
        "es": "fecha de vencimiento|vencimiento|fecha vencimiento|vence el|pagar antes del|fecha límite de pago|vto|pagadera antes del|pago antes del|fecha límite"
        "|vencimientos|fecha de pago|fecha vto|vto fra|fecha de cargo|a pagar antes del|pagadero antes del|fecha de cobro|pagar hasta|vencimiento el|fecha límite pago"
        "|vence",
        "it": "scadenza|data scadenza|data di scadenza|scadenza pagamento|da pagare entro|pagamento entro|pagare entro|da saldare entro"
        "|scadenze|scad|scadenza il|data di pagamento|pagamento entro il|da pagare entro il|termine di pagamento|scadenza rata|pagare entro il|entro il|data scad|da versare entro il"
        "|scade il|scade",
        "nl": "vervaldatum|vervaldag|uiterste betaaldatum|te betalen voor|betalen voor|betaaldatum|uiterlijk te betalen|te voldoen voor"
        "|betalen uiterlijk|uiterlijk te voldoen|te betalen uiterlijk|betalen vóór|te betalen vóór|uiterste betaaldag|betaling vóór"
        "|betaling voor|betaling uiterlijk|betaling uiterlijk op|incassodatum|te voldoen vóór|voldoen vóór|gelieve te betalen voor"
        "|gelieve te betalen vóór|betaaltermijn tot|vervalt op|uiterlijk op"
        "|vervalt",
        "pl": "termin płatności|termin zapłaty|płatne do|data płatności|zapłata do|płatność do|zapłacić do|termin"
        "|termin zapłaty do|płatność do dnia|termin płatn|zapłata do dnia|płatne do dnia|zapłacić do dnia|termin płatności do",
        "fi": "eräpäivä|eräpvm|maksettava viimeistään|maksupäivä"
        "|eräpv|erääntyy|maksettava viim|maksuehto eräpäivä|maksetaan viimeistään|maksun eräpäivä|viimeinen maksupäivä",
        "ja": "支払期限|お支払期限",
    },
    "net": {
        "en": "subtotal|sub total|net amount|net total|total net|total net amount|net|amount excl vat|total excl vat|total excl tax"
        "|total excluding vat|total excluding tax|total ex vat|total exc vat|taxable amount|total before tax|amount before tax"
        "|excl vat|net value|subtotal excl vat|subtotal without vat|total without vat|taxable value|subtotal less discount"
        "|amount excl tax|total exclusive of vat|total exclusive of tax|subtotal before tax|net price|total taxable|net invoice amount"
        "|total excl gst|goods services|net goods|before vat|before tax|goods total|goods value|merchandise total|product total"
        "|net sales|value of goods|total ex tax|amount ex gst|total ex gst|subtotal ex gst|total before gst|total before vat"
        "|amount before vat|net of vat|net total excl vat|taxable|taxable sales|ex vat|total charges before vat|charges before vat"
        "|total charges before tax|items subtotal|item subtotal|taxable total|total net value|sub tot|subtl|merchandise subtotal"
        "|total services|labor and materials|total exclusive of gst|total net of vat|net payable before tax"
        "|total without taxes|total without tax|untaxed amount|total untaxed",
        "de": "summe netto|nettobetrag|rechnungssumme netto|netto|nettosumme|gesamt netto|zwischensumme|netto gesamt|nettowert|gesamtbetrag netto|betrag netto"
        "|summe ohne mwst|rechnungsbetrag netto|total exkl mwst|total ohne mwst|gesamtsumme netto|zwischensumme netto|summe exkl mwst"
        "|netto summe|nettogesamtbetrag|gesamtnettobetrag|total netto|netto betrag|warenwert netto|summe der positionen|netto rechnungsbetrag"
        "|zwischentotal|betrag exkl mwst|subtotal|summe vor steuern"
        "|warenwert|positionssumme|gesamtnetto|honorar netto|angebotssumme netto|auftragssumme netto|zwischensumme ohne ust|summe ohne ust|betrag ohne ust|betrag ohne mwst|gesamtbetrag ohne mwst|gesamtbetrag ohne ust|summe exkl ust|exkl mwst|exkl ust|total exkl ust|entgelt|nettoentgelt|bemessungsgrundlage|steuerpflichtiger betrag|warennettowert|rechnungsnetto|nettoumsatz|total vor mwst|netto total|zwischensumme exkl mwst|gutschriftsbetrag netto|angebotsbetrag netto|summe positionen netto|lieferwert|nettorechnungsbetrag|summe nettobeträge|gesamtpreis netto|summe nettopreise"
        "|total ohne steuern|summe ohne steuern|betrag ohne steuern",
        "fr": "total ht|montant ht|total hors taxes|total hors taxe|sous total|total net ht|net ht|montant hors taxes|montant net|sous total ht"
        "|total h t|montant total ht|prix total ht|montant hors taxe|base ht|somme ht|hors taxes|ht|total avant taxes|montant avant taxes"
        "|total net hors taxes|total général ht|montant net ht|montant total hors taxes|total brut ht|net commercial|base hors taxe|total hors tva|montant hors tva|hors tva|base imposable|montant htva|total htva|prix hors tva|total prestations ht|honoraires ht|total honoraires ht|total devis ht"
        "|total sans taxes|total hors t v a",
        "es": "base imponible|subtotal|total neto|importe neto|base|suma|total base imponible|total sin iva|importe sin iva|importe antes de impuestos|total antes de impuestos"
        "|suma bases|total bases|base imp|suma de bases|base imponible total|total bruto|importe bruto|suma importes|total antes de iva|importe base|suma base imponible|bases imponibles|subtotal sin iva|total honorarios"
        "|total sin impuestos|importe sin impuestos",
        "it": "imponibile|totale imponibile|subtotale|totale netto|totale imponibile iva|importo netto|totale merce|netto|totale senza iva"
        "|totale imponibili|imponibile totale|base imponibile|totale merci|totale servizi|importo imponibile|netto merce|totale compensi imponibile|totale esente|totale lavori|imponibile iva|totale parziale|totale al netto iva|totale prestazioni|tot imponibile"
        "|totale senza imposte|totale esclusa iva",
        "nl": "exclusief btw|excl btw|totaal excl btw|subtotaal|bedrag excl btw|netto|totaal exclusief btw|subtotaal excl btw|netto bedrag"
        "|nettobedrag|totaalbedrag excl btw|bedrag exclusief btw|totaal netto|grondslag|totaal voor btw|tussentotaal"
        "|goederen excl btw|totaal goederen|maatstaf|btw grondslag|belastbaar|belastbaar bedrag|maatstaf van heffing|netto totaal|subtotaal exclusief btw|totaal zonder btw|goederenbedrag|bedrag zonder btw|ex btw|totaal ex btw|totaal excl|nettototaal"
        "|totaal zonder belasting",
        "pl": "razem netto|wart netto|kwota netto|wartość netto|suma netto|netto|łącznie netto|ogółem netto"
        "|suma wartości netto|wartość sprzedaży netto|wartość ogółem netto|do zapłaty netto|razem wartość netto|wartość razem netto|podstawa opodatkowania|netto razem"
        "|razem bez podatku|kwota bez podatku",
        "fi": "veroton|veroton yhteensä|yhteensä veroton|veroton summa|veroton hinta yhteensä|alv 0% yhteensä|verot. yhteensä|yhteensä alv 0%"
        "|summa veroton|veroton hinta"
        "|veroton loppusumma|netto|netto yhteensä|verottomat yhteensä|veron peruste|alv peruste|välisumma|hinta ilman alv|yhteensä ilman alv|yhteensä alv 0|yhteensä netto|veroton kokonaissumma"
        "|yhteensä ilman veroa",
        "ja": "小計|税抜金額|税抜合計|標準価格計|税抜小計|税抜対象額",
    },
    "tax": {
        "en": "vat|sales tax|tax|gst|total tax|tax amount|vat amount|total vat|tax total|hst|pst|vat total|total gst|total sales tax|plus vat"
        "|tax rate|vat at|vat rate|cgst|sgst|igst|total taxes|taxes|state tax|city tax|county tax|local tax"
        "|vat charged|vat on charges|tax due|qst|gst amount|hst amount|total tax amount|sales tax total|value added tax|tax collected|tax total amount|vat payable|estimated tax|gst hst|occupancy tax|vat standard rate|vat @",
        "de": "umsatzsteuer|versicherungsteuer|versicherungssteuer|mwst|ust|mehrwertsteuer|mwst betrag|mwst summe|zzgl mwst|zzgl ust|zuzüglich mwst|zuzüglich umsatzsteuer"
        "|zzgl mehrwertsteuer|zzgl umsatzsteuer|enthaltene mwst|enthaltene ust|summe mwst|summe ust|umsatzsteuerbetrag|steuerbetrag"
        "|gesetzl mwst|zuzüglich mehrwertsteuer|gesamt mwst|gesamt ust|mwst gesamt|ust gesamt|steuern|ust betrag|inkl mwst|inkl ust"
        "|darin enthaltene mwst|enthaltene umsatzsteuer|mwst satz"
        "|mwst gesamtbetrag|summe umsatzsteuer|mehrwertsteuerbetrag|gesetzliche mwst|gesetzliche umsatzsteuer|gesetzliche mehrwertsteuer|zzgl gesetzl mwst|zzgl gesetzlicher mwst|zzgl gesetzliche mwst|zzgl gesetzlicher ust|umsatzsteuer gesamt|gesamtbetrag mwst|gesamtbetrag ust|mwst total|total mwst|plus mwst|plus ust|vorsteuer|ust gesamtbetrag|enth mwst|enth ust",
        "fr": "tva|total tva|montant tva|total taxes|dont tva|montant de la tva|total t v a|t v a|montant total tva|tva collectée|tps|tvq|tvh"
        "|taxes|montant des taxes|total des taxes|total tva à payer|dont tva incluse|tva sur les débits|montant de tva"
        "|taxe sur la valeur ajoutée",
        "es": "iva|total iva|cuota iva|cuota|importe iva|i v a|total impuestos|impuestos"
        "|suma cuotas|total cuotas|suma de cuotas|cuota total|importe del iva|impuesto|iva repercutido|igic|total igic|cuotas iva|total cuota iva",
        "it": "iva|totale iva|imposta|importo iva|totale imposta|imposte|totale imposte|i v a"
        "|totale imposta iva|imposta totale|totale iva a debito|iva totale|importo imposta|di cui iva|tot iva|totale imposte iva|tasse|totale tasse",
        "nl": "btw|btw bedrag|totaal btw|btw totaal|bedrag btw"
        "|btw te betalen|totaal bedrag btw|omzetbelasting|bedrag aan btw|waarvan btw|totale btw",
        "pl": "vat|kwota podatku|podatek|kwota vat|razem vat|podatek vat|suma vat|ogółem vat|łącznie vat"
        "|suma ptu|kwota ptu|razem kwota vat|wartość vat|suma podatku|podatek ptu|wartość podatku|vat razem|razem podatek",
        "fi": "alv|alv yhteensä|vero|arvonlisävero|veron osuus|alv osuus|verot yhteensä|yhteensä alv|alv summa"
        "|alv yht|arvonlisäveron osuus|arvonlisävero yhteensä|verot|sis alv|veroa yhteensä|veron määrä|alv euroa",
        "ja": "消費税|消費税額|消費税等|内消費税|内消費税額|内消費税等|うち消費税|うち消費税額|うち消費税等|税額|外税|内税",
    },
    "total": {
        "en": "total|totals|grand total|total amount|invoice total|amount total|total incl vat|total inc vat|total including vat"
        "|total including tax|total price|invoice amount|total invoice|gross amount|total gross|gross total|gross|total incl tax"
        "|total inclusive of vat|total cost|total invoice amount|credit total|total credit|quote total|quotation total|estimate total"
        "|order total|total value|total incl gst|total invoice value|total charges|amount incl vat|total sum|total inc gst"
        "|receipt total|estimated total|total estimate|total proposal|total amount incl vat|total with vat|total incl|credit amount"
        "|total credited|total sale|order amount|amount charged|invoice value|total amount inc vat|gross value|total cost incl vat"
        "|total this invoice|total for this invoice|total charges this period|total charges incl vat|amount incl gst"
        "|total amount incl gst|total due this invoice|net invoice value incl vat|invoice grand total|total invoice amount incl vat"
        "|sum total|final total|total fee|total fees|total with tax|total after tax|bill total|bill amount|total bill"
        "|total bill amount|cost total|project total|total project cost|total estimated cost"
        "|amount credited|total credit amount|credited amount|amount|sale amount|purchase amount|transaction amount"
        "|total after discount|total less discount|amount after discount|discounted total|total after discounts",
        "de": "gesamtbetrag|rechnungsbetrag|gesamtsumme|summe|brutto|bruttobetrag|gesamt|endbetrag|summe brutto|total inkl mwst"
        "|netto inkl mwst|summe gesamt|endsumme|gesamtbetrag brutto|rechnungssumme|gesamtbetrag inkl mwst|total|bruttosumme"
        "|gesamt brutto|brutto gesamt|rechnungsbetrag brutto|betrag brutto|gutschriftsbetrag|gutschriftbetrag|gesamtpreis"
        "|angebotssumme|rechnungsendbetrag|summe inkl mwst|gesamtsumme brutto|rechnungstotal|total brutto|betrag inkl mwst"
        "|honorar brutto|angebotssumme brutto|auftragssumme|auftragssumme brutto|gesamtbetrag inkl ust|gesamtbetrag inklusive mwst"
        "|rechnungsbetrag inkl mwst|rechnungsbetrag inkl ust|bruttorechnungsbetrag|brutto rechnungsbetrag|rechnungssumme brutto"
        "|totalbetrag|zwischensumme inkl ust|total inkl ust|summe inkl ust|gesamtsumme inkl mwst|gesamtsumme inkl ust"
        "|gesamtpreis brutto|gutschriftbetrag brutto|gutschriftsbetrag brutto|bruttogesamtbetrag|rechnungsbetrag gesamt"
        "|betrag inkl ust|endpreis|endsumme brutto|endbetrag brutto|gesamtforderung|gutschriftssumme|gesamtkosten|angebotspreis"
        "|angebotsbetrag|angebotsbetrag brutto|gesamtbruttobetrag|gesamt inkl mwst|gesamt inkl ust"
        "|gutgeschriebener betrag|gutschrift gesamt"
        "|summe nach rabatt|gesamtbetrag nach rabatt|betrag nach rabatt|total nach rabatt|endbetrag nach rabatt|gesamt nach rabatt",
        "fr": "total ttc|total payé|total réglé|montant ttc|total facture|montant total|total général|total|total t t c|montant total ttc"
        "|total toutes taxes comprises|prix total ttc|ttc|montant de la facture|total avoir|total devis|montant total de la facture"
        "|total tvac|montant tvac|tvac|total tva comprise|total à payer ttc|montant global ttc|total général ttc|total de la facture"
        "|total avoir ttc|total devis ttc|coût total|total net ttc|prix ttc|montant total tvac|montant toutes taxes comprises"
        "|total facture ttc|montant de l'avoir|montant facture ttc|montant de la facture ttc|honoraires ttc|somme ttc"
        "|montant crédité|total crédité"
        "|total après remise|montant après remise|total après réduction|total remisé",
        "es": "total|total factura|importe total|total con iva|total iva incluido|total general|total documento|total presupuesto"
        "|total recibo|importe total factura|total factura iva incluido|total a abonar|total abono|importe total iva incluido"
        "|total euros|total compra|total ticket|total importe|importe factura|importe de la factura|suma total|total venta"
        "|importe abonado"
        "|total con descuento|total después del descuento|total tras descuento|total con dto",
        "it": "totale|totale fattura|totale documento|importo totale|totale ivato|totale complessivo|totale generale|totale iva inclusa"
        "|totale lordo|totale preventivo|totale euro|totale complessivo iva inclusa|totale a saldo|totale iva compresa"
        "|importo totale documento|totale fattura euro|totale da pagare iva inclusa|totale nota di credito|totale lordo documento"
        "|tot documento|tot fattura|importo documento|importo complessivo|totale offerta|totale scontrino|totale con iva"
        "|totale ivato euro|totale parcella"
        "|importo accreditato|totale accredito"
        "|totale scontato|totale dopo sconto|totale al netto dello sconto",
        "nl": "totaal|totaal incl btw|totaalbedrag|inclusief btw|incl btw|totaal inclusief btw|totaalbedrag incl btw|factuurbedrag"
        "|totaal bedrag|factuurtotaal|eindtotaal|bedrag incl btw|totaalbedrag inclusief btw|factuurbedrag incl btw|te betalen incl btw"
        "|totaal te betalen incl btw|totaal inc btw|totaal met btw|totaalprijs|totaal factuur|totaal creditnota|creditbedrag"
        "|totaal offerte|totaal factuurbedrag|brutototaal"
        "|gecrediteerd bedrag|totaal credit"
        "|totaal na korting|bedrag na korting",
        "pl": "razem|wart brutto|kwota należności ogółem|suma|brutto|razem brutto|wartość brutto|kwota brutto|ogółem|łącznie|suma brutto|łącznie brutto"
        "|ogółem brutto|wartość całkowita|wartość ogółem|wartość ogółem brutto|suma wartości brutto|wartość razem brutto"
        "|ogółem do zapłaty|razem wartość brutto|do zapłaty brutto|kwota razem|łączna kwota|kwota ogółem|wartość faktury"
        "|razem po rabacie|kwota po rabacie|suma po rabacie",
        "fi": "yhteensä|verollinen|loppusumma|summa|verollinen yhteensä|yhteensä verollinen|laskun summa|kokonaissumma|laskun loppusumma"
        "|verollinen summa|yhteensä euroa|loppusumma yhteensä|yhteensä alv|hinta yhteensä alv|summa yhteensä|verollinen loppusumma"
        "|yhteensä sis alv|yhteensä sisältäen alv|kokonaishinta|brutto|laskun kokonaissumma|hyvitys yhteensä|tarjous yhteensä"
        "|yhteensä alennuksen jälkeen|summa alennuksen jälkeen",
        "ja": "合計|総合計|御見積金額|御請求金額|合計金額|税込合計|ご請求金額|ご利用金額|取引金額|領収金額|お買上金額|お買上計|金額",
    },
    "amount_due": {
        "en": "amount due|balance due|total due|amount payable|total payable|balance|please pay|pay this amount|total amount due|total to pay"
        "|amount to pay|balance outstanding|outstanding balance|total balance due|total now due|net payable|amount owed|balance to pay|amount now due|now due|total now payable|payable now|please remit|remit|amount to remit"
        "|to pay|what you need to pay|you owe|total you owe|total owing|amount outstanding|net amount due|net due|total payable now|balance to be paid|final balance|remaining balance|balance remaining|payment requested|total remaining|amount due now|amount now payable|please transfer|balance owing",
        "de": "zu zahlen|zahlbetrag|zu zahlender betrag|offener betrag|zu überweisen|noch zu zahlen|zu bezahlen|restbetrag|fälliger betrag"
        "|zahlungsbetrag|zu zahlen bitte|rechnungsbetrag zu zahlen|gesamtbetrag zu zahlen|abbuchungsbetrag|überweisungsbetrag"
        "|noch offen|verbleibender betrag|offene summe|restzahlung|verbleibend|noch offener betrag|verbleibender rechnungsbetrag"
        "|noch zu entrichten|zu erstatten|erstattungsbetrag|auszahlungsbetrag|schlusszahlung|restforderung|nachzahlung",
        "fr": "net à payer|reste à payer|à payer|somme à payer|montant à payer|montant dû|solde à payer|total à payer|solde dû|solde"
        "|à régler|net à payer ttc|montant à régler|montant du prélèvement|total à régler|net à régler|reste dû|montant restant dû"
        "|restant dû|montant prélevé|à payer ttc|reste à régler|solde à régler|net à verser|montant net à payer|à rembourser"
        "|montant à rembourser|total dû|solde restant",
        "es": "total a pagar|importe a pagar|saldo|pendiente de pago|líquido a percibir|a pagar|importe pendiente|total pendiente"
        "|total a percibir|líquido a pagar|importe líquido|resto a pagar|importe a abonar|a devolver|total líquido|pendiente|neto a pagar|a percibir|importe a percibir|importe pendiente de pago",
        "it": "netto a pagare|totale da pagare|importo da pagare|saldo|totale a pagare|da pagare|importo dovuto"
        "|netto da pagare|importo a saldo|residuo|residuo da pagare|rimanenza|da versare|netto a saldo|saldo da pagare|saldo a pagare|a saldo|rimborso|netto ricavo",
        "nl": "te betalen|te betalen bedrag|openstaand bedrag|nog te betalen|totaal te betalen|te voldoen|door u te betalen|te voldoen bedrag"
        "|nog te voldoen|restbedrag|te ontvangen|restant|restant te betalen|resterend bedrag|door u te voldoen|te betalen totaal|terug te betalen|af te schrijven bedrag",
        "pl": "do zapłaty|pozostało do zapłaty|razem do zapłaty|kwota do zapłaty|należność"
        "|do zwrotu|kwota do zwrotu|pozostaje do zapłaty|pozostało|razem do zwrotu|zostaje do zapłaty|suma do zapłaty|ogółem do zapłaty|kwota pozostała do zapłaty",
        "fi": "maksettava|maksettavaa|maksettava yhteensä|maksettavaa yhteensä|avoinna|maksettava summa|avoin summa|maksettavana"
        "|maksettava euroa|maksettavaa jää|jäljellä|palautetaan|hyvitetään",
        "ja": "お支払金額",
    },
    "discount": {
        "en": "discount|less discount|member discount|rebate|loyalty discount|rewards applied|coupon|voucher|total discount|savings"
        "|trade discount|promotional discount|promo|early payment discount|total savings|withholding tax|withholding"
        "|total saving|you saved|you save|your savings|total saved|cash discount|discount total|points discount"
        "|prompt payment discount|retention|tds",
        "de": "rabatt|skonto|nachlass|abzgl|abzüglich|gesamtrabatt|rechnungsrabatt|gutschein"
        "|abzüglich rabatt|abzgl rabatt|mengenrabatt|treuerabatt|sondernachlass|preisnachlass|sonderrabatt|aktionsrabatt"
        "|ersparnis|ihre ersparnis|gesamtersparnis|sie sparen|gespart|sie haben gespart|barzahlungsrabatt|summe rabatt|rabatt gesamt"
        "|sicherheitseinbehalt|einbehalt",
        "fr": "remise|réduction|escompte|rabais|ristourne|bon d'achat"
        "|remise commerciale|remise globale|remise exceptionnelle|total remise|remise fidélité|retenue de garantie"
        "|économie|économies|total économies|vous économisez|vous avez économisé|total remises|total réductions|remise totale"
        "|retenue à la source",
        "es": "descuento|dto|dto pp|dto comercial|retención|retención irpf|irpf|bonificación|total dto|ret irpf"
        "|ahorro|ahorro total|total ahorro|total ahorrado|total descuento|total descuentos|descuento total|descuento por pronto pago",
        "it": "sconto"
        "|sconto incondizionato|abbuono|sconto merce|sconto totale|ritenuta d'acconto|ritenuta|ritenuta acconto"
        "|risparmio|risparmio totale|totale risparmio|hai risparmiato|totale sconti|totale sconto",
        "nl": "korting|klantkorting|kwantumkorting|betalingskorting|kredietbeperking|totale korting"
        "|besparing|totale besparing|uw voordeel|totaal voordeel|totaal korting|u bespaart|contantkorting",
        "pl": "rabat|upust|oszczędność|oszczędzasz|suma rabatów|kwota rabatu|łączny rabat|suma upustów"
        "|skonto",
        "fi": "alennus|säästö|säästät|säästösi|alennus yhteensä|alennukset yhteensä",
        "ja": "割引|割引合計額",
    },
    "of_payment": {
        "en": "early payment discount|prompt payment discount|withholding tax|withholding|cash discount|retention|tds",
        "de": "skonto|barzahlungsrabatt|sicherheitseinbehalt|einbehalt",
        "fr": "escompte|retenue de garantie|retenue à la source",
        "es": "dto pp|retención|retención irpf|irpf|ret irpf|descuento por pronto pago",
        "it": "ritenuta d'acconto|ritenuta|ritenuta acconto",
        "nl": "kredietbeperking|betalingskorting|contantkorting",
        "pl": "skonto",
    },
    "charge": {
        "en": "shipping|shipping and handling|shipping & handling|delivery|freight|postage|handling|carriage|delivery charge|tip|gratuity"
        "|service charge|rounding|surcharge"
        "|insurance|packing|packaging|fuel surcharge|rush surcharge|late fee|booking fee|service fee|delivery fee|postage and packing|p&p|adjustment|freight charges|import duty|round off|rounding off",
        "de": "versand|versandkosten|porto|fracht|transportkosten|lieferkosten|rundung|rundungsdifferenz|frachtkosten|zuschlag|trinkgeld"
        "|versand und verpackung|verpackung|versandpauschale|mindermengenzuschlag|expresszuschlag|bearbeitungsgebühr|versand verpackung|speditionskosten|maut|energiekostenzuschlag|lieferpauschale|zzgl versandkosten|zzgl versand|zzgl porto|zzgl fracht|zuzüglich versandkosten",
        "fr": "frais de port|livraison|port|frais de livraison|transport|arrondi|éco participation"
        "|frais d'expédition|frais de dossier|frais de gestion|emballage|frais de transport|participation aux frais de port|éco contribution|timbre fiscal",
        "es": "gastos de envío|portes|transporte|envío|redondeo"
        "|gastos de transporte|recargo|recargo de equivalencia|embalaje|suplidos|recargo equivalencia|gastos",
        "it": "spese di trasporto|spedizione|spese di spedizione|trasporto|arrotondamento|bollo|spese"
        "|imballo|spese incasso|spese di incasso|imposta di bollo|bolli|marca da bollo|spese varie|spese trasporto|contributo conai|cassa previdenza|contributo integrativo|cassa avvocati|spese generali",
        "nl": "verzendkosten|verzending|bezorging|bezorgkosten|porto|afronding"
        "|verpakking|administratiekosten|transportkosten|vracht|orderkosten|statiegeld|toeslag|emballage|vrachtkosten|leveringskosten",
        "pl": "koszt dostawy|wysyłka|transport"
        "|koszty dostawy|przesyłka|koszt wysyłki|koszty wysyłki|opakowanie|dostawa|zaokrąglenie|koszt transportu",
        "fi": "toimitus|toimituskulut|postikulut|rahti|pyöristys|laskutuslisä"
        "|toimitusmaksu|pakkaus|lähetyskulut|pientoimituslisä|käsittelykulut|laskutuskulut|rahtikulut",
    },
    "received": {
        "en": "received|amount received|payment received|amount paid|paid|total paid|payment amount|sum received|sum of|the sum of|amount of|payment of|we have received|received amount",
        "de": "erhalten|betrag erhalten|erhaltener betrag|bezahlt|bezahlter betrag|gezahlt|gezahlter betrag|betrag von|den betrag von|in höhe von|betrag|zahlung von",
        "fr": "reçu|montant reçu|montant payé|somme reçue|la somme de|somme de|payé|réglé|montant|total payé|montant réglé",
        "es": "recibido|importe recibido|la cantidad de|cantidad de|la suma de|importe pagado|pagado|importe|monto|monto pagado|importe abonado",
        "it": "ricevuto|importo ricevuto|la somma di|somma di|importo pagato|pagato|importo|somma ricevuta",
        "nl": "ontvangen|ontvangen bedrag|bedrag ontvangen|betaald bedrag|betaald|het bedrag van|bedrag van|bedrag|de som van",
        "pl": "otrzymano|kwota otrzymana|zapłacono|wpłacono|kwota|kwota wpłaty|kwotę",
        "fi": "vastaanotettu|maksettu|maksettu summa|saatu",
    },
    "paid_on": {
        "en": "date paid|paid on|payment date|date of payment|payment received on|received on",
        "de": "bezahlt am|zahlungsdatum|zahlung erhalten am|erhalten am|gezahlt am",
        "fr": "payé le|date de paiement|réglé le|date du paiement|date de règlement",
        "es": "fecha de pago|pagado el|fecha del pago|recibido el",
        "it": "data pagamento|pagato il|data di pagamento|data del pagamento",
        "nl": "betaald op|betaaldatum|ontvangen op|datum betaling",
        "pl": "data zapłaty|zapłacono dnia|data wpłaty",
        "fi": "maksettu pvm|maksupäivä",
    },
    "in_words": {
        "en": "in words|amount in words|total in words|amount chargeable in words|rupees|sum of rupees|sum of|the sum of|total amount in words",
        "de": "in worten|betrag in worten|summe in worten",
        "fr": "en lettres|montant en lettres|la somme de|à la somme de|en toutes lettres",
        "es": "en letra|en letras|importe en letra|importe en letras|importe con letra|cantidad con letra|la cantidad de|la suma de|son",
        "it": "in lettere|importo in lettere|la somma di",
        "nl": "in woorden|bedrag in woorden|zegge|het bedrag van",
        "pl": "słownie|kwota słownie|słownie złotych",
    },
    "settled": {
        "en": "previous unpaid balance|previous balance|balance forward|amount paid|paid|deposit|payment|payments|less paid|advance|prepaid"
        "|payment received|total paid|cash|change|card|credit applied|brought forward|prior balance|less deposit|payments received"
        "|amount received|deposit received|less advance|advance paid|advance received|tendered|cash tendered|visa|mastercard|credit card"
        "|eftpos|balance brought forward|your last bill|previous bill|previous bill amount|last bill amount|less amount paid|amount tendered|deposit paid|payment made",
        "de": "anzahlung|bereits bezahlt|bezahlt|vorauszahlung|gezahlt|gegeben|rückgeld|guthaben|bar|abschlagszahlung|saldo|vortrag|ec karte"
        "|abzüglich anzahlung|abzgl anzahlung|geleistete anzahlung|erhaltene anzahlung|abzgl abschlag|bereits gezahlt|geg bar|rückgeld bar|rückgabe|girocard|kartenzahlung|mastercard|visa|erhalten|bereits geleistet|bereits geleistete zahlung|geleistete zahlungen|geleistete abschläge|abschläge|kreditkarte|zurück",
        "fr": "acompte|déjà payé|payé|règlement|solde précédent|acompte versé|déjà réglé|réglé|rendu|espèces|avance|total payé"
        "|acompte reçu|acompte déduit|cb|carte bancaire|acompte réglé|à déduire|montant reçu|chèque|rendu monnaie|versement|versements|paiement reçu|montant payé|carte bleue|monnaie rendue",
        "es": "pagado|anticipo|entregado|cambio|efectivo|a cuenta|saldo anterior"
        "|tarjeta|anticipos|pago a cuenta|importe pagado|ya pagado|efectivo entregado|anticipo recibido|total pagado|visa",
        "it": "acconto|pagato|versato|contanti|resto|già pagato|saldo precedente"
        "|pagamento elettronico|pagamento contante|importo pagato|bancomat|carta di credito|acconti|acconto versato|non riscosso|totale pagato",
        "nl": "betaald|aanbetaling|voldaan|contant|wisselgeld|reeds betaald|reeds voldaan"
        "|pin|pinbetaling|voorschot|voorschotten|reeds ontvangen|betaald bedrag|aanbetaling voldaan|gepind|maestro|ontvangen|bancontact",
        "pl": "zapłacono|zaliczka|gotówka|reszta|wpłacono"
        "|karta|karta płatnicza|zapłacono przelewem|zaliczki|wpłata|wpłaty|płatność kartą|już zapłacono|zapłacona kwota|przedpłata",
        "fi": "maksettu|ennakkomaksu|käteinen|takaisin|suoritettu"
        "|pankkikortti|korttimaksu|luottokortti|ennakko|käteismaksu|jo maksettu|maksettu yhteensä|suoritus|vaihtoraha|ennakot",
    },
    "supplier": {
        "en": "seller|landlord|lessor|vendor|supplier|from|bill from|sold by|issued by|remit to|service provider|merchant|payable to|pay to|payee|beneficiary"
        "|account name|account holder|in favor of|in favour of|make checks payable to|make cheques payable to|company name"
        "|shipper|exporter|shipper exporter|billed by|invoice from|our company",
        "de": "verkäufer|vermieter|lieferant|rechnungssteller|kontoinhaber|zahlungsempfänger|leistungserbringer|zahlbar an|konto zahlbar an|absender"
        "|auftragnehmer|aussteller|empfänger des zahlungsbetrags"
        "|verkauft von|leistungserbringerin|rechnungsaussteller|rechnung von|anbieter|verkauf und versand durch|verkauft durch",
        "fr": "vendeur|bailleur|fournisseur|émetteur|titulaire du compte|bénéficiaire|prestataire|titulaire|expéditeur"
        "|vendu par|facturé par|émis par|prestataire de services|vendu et expédié par",
        "es": "vendedor|proveedor|emisor|beneficiario|titular|titular de la cuenta"
        "|vendido por|emitida por|datos del emisor|datos fiscales del emisor|proveedor de servicios|expedidor|empresa emisora",
        "it": "fornitore|cedente|venditore|cedente prestatore|emittente|intestatario|beneficiario|mittente"
        "|venduto da|cedente prestatore fornitore|prestatore|emessa da|dati del fornitore|denominazione cedente|fornitore emittente|dati del cedente prestatore|dati del cedente",
        "nl": "verkoper|leverancier|afzender|ten name van|t n v|rekeninghouder|begunstigde"
        "|verkocht door|gefactureerd door|factuur van|dienstverlener|opdrachtnemer",
        "pl": "sprzedawca|wystawca|dostawca|odbiorca płatności"
        "|wystawiający|usługodawca|sprzedający|wykonawca",
        "fi": "myyjä|toimittaja|laskuttaja|saaja|saajan nimi|maksun saaja"
        "|laskun lähettäjä|lähettäjä|palveluntarjoaja|laskun laatija",
    },
    "buyer": {
        "en": "bill to|tenant|lessee|billed to|invoice to|sold to|customer|customer name|client|buyer|purchaser|billing address|guest name|invoiced to"
        "|bill to address|client name|prepared for|recipient|quote to|quotation for|issued to|attention|to|credit to|invoice for"
        "|invoice address|consignee|buyer bill to|bill to party|invoiced customer|importer|bill address|billing to|bill to name|billing information|billing details|issued for|invoice issued for|charge to|charged to|customer details|customer address|client details|client address|buyer name|attn",
        "de": "käufer|rechnungsempfänger|kunde|rechnungsadresse|rechnungsanschrift|auftraggeber|rechnung an|leistungsempfänger|kundenname"
        "|empfänger|zahlbar durch|rechnungsempfängerin|gutschrift an|angebot für|besteller|rechnung für|mieter"
        "|leistungsempfängerin|empfängerin|kundin|rechnung geht an|rechnungsempfänger adresse|rechnungsanschrift kunde|fakturaadresse|an firma|kundenanschrift|kundenadresse",
        "fr": "acheteur|client|facturé à|adresse de facturation|destinataire|nom de l'abonné|facturer à|nom du client|adressé à|facture à"
        "|client facturé|facturation à|à l'attention de|locataire|adresse de la facturation|coordonnées du client|facture pour|preneur|facturation|adresse client|adresse du client|facturé pour|destinataire de la facture|à facturer à|informations client",
        "es": "cliente|comprador|facturar a|datos del cliente|destinatario|facturado a"
        "|datos de facturación|facturación|inquilino|adquirente|a la atención de|señor es|cobrar a|facturar|dirección de facturación|dirección del cliente|facturación a|datos del comprador|receptor|a nombre de|titular de la factura",
        "it": "cliente|acquirente|destinatario|spett le|spettabile|cessionario|intestata a|cessionario committente"
        "|cessionario committente cliente|intestatario fattura|committente|fatturare a|destinatario fattura|dati del cessionario committente|dati del cessionario|dati del committente"
        "|dati del cliente|indirizzo di fatturazione|fatturato a|dati cliente|intestato a|dati di fatturazione|fattura intestata a",
        "nl": "koper|factuuradres|aan|factuur aan|opdrachtgever|geadresseerde|klantgegevens"
        "|gefactureerd aan|afnemer|factuur voor|huurder|t a v|ter attentie van|debiteur naam|facturatieadres|factuurgegevens|gefactureerd aan klant|factureren aan|klantadres",
        "pl": "nabywca|klient|kupujący|zamawiający|płatnik|usługobiorca|zleceniodawca|adresat|nabywca usługi|nabywca adres|dane nabywcy|adres nabywcy|faktura dla|dane do faktury",
        "fi": "ostaja|asiakas|laskutusosoite|maksaja|laskun saaja|tilaaja"
        "|laskutetaan|laskutettava|vastaanottaja laskun|asiakkaan nimi|laskutusasiakas|laskun maksaja|laskutustiedot|asiakkaan tiedot|laskutettava asiakas",
    },
    "other_party": {
        "en": "ship to|deliver to|delivery address|shipping address|service address|shipped to|c/o|salesperson|sales rep|contact|deliver address|send to|ship to address|shipping details|delivered to",
        "de": "warenempfänger|lieferadresse|lieferanschrift|lieferung an|ansprechpartner|sachbearbeiter|versandadresse|versandanschrift|geliefert an|liefern an|lieferempfänger",
        "fr": "adresse de livraison|livré à|contact commercial|livraison à|adresse de l'installation|adresse d'expédition|expédié à|livrer à|envoyé à",
        "es": "dirección de envío|dirección de entrega|enviar a|envíe a|envie a|envío a|entregar a|enviado a|dirección de entrega del pedido",
        "it": "dati del terzo intermediario|terzo intermediario|luogo di destinazione|destinazione|destinazione merce|spedire a|indirizzo di spedizione|indirizzo di consegna|consegnare a|consegna a",
        "nl": "afleveradres|bezorgadres|verzendadres|leveren aan|geleverd aan|verzenden naar|leveradres|bezorgen bij",
        "pl": "odbiorca|podmiot inny|adres dostawy|wystawca faktury|adres wysyłki|wysłano do|adres do wysyłki",
        "fi": "toimitusosoite|vastaanottaja|toimitettu osoitteeseen|lähetysosoite",
    },
    "other_date": {
        "en": "delivery date|delv date|order date|ship date|shipping date|service date|date of service|date of supply|date shipped"
        "|print date|printed|period|billing period|service period|check|check out"
        "|supply date|start date|end date|coll date|collection date|po date|statement period|date of delivery|from date|date paid"
        "|paid on|payment received|birth date|arrival|departure|next bill date|reading date|tax year"
        "|date of order|date of shipment|return date|your order of|last payment date",
        "de": "lieferdatum|leistungsdatum|liefer bzw leistungsdatum|bestelldatum|bestell datum|leistungs datum|auftragsdatum|auftrag datum"
        "|leistungszeitraum|lieferschein datum|lieferschein vom|druckdatum|zeitraum|versanddatum|lieferzeitraum|lieferung am"
        "|tag der lieferung|auftrag datum lief|auftrag vom|bestellung vom|liefertermin|anreise|abreise|leistung vom"
        "|leistungsmonat|abrechnungszeitraum|bestellt am|geliefert am|liefertag|zählerstand am|kündigungsfrist|mahndatum|eingangsdatum",
        "fr": "date de livraison|date de commande|période|date de prestation|commande du|date de service"
        "|date d'expédition|prélèvement à partir du|date de vente|bon de livraison du"
        "|commandé le|livré le|date de début|date de fin|période du|consommation du|date de naissance|arrivée|départ|date de relevé",
        "es": "fecha de pedido|fecha de entrega|período|fecha pedido|fecha de operación|fecha entrega|fecha operación"
        "|período de facturación|periodo de facturación|fecha albarán|fecha del pedido|entrada|salida|fecha de entrada|fecha de salida|periodo",
        "it": "data ordine|data consegna|periodo|data di consegna|data ddt|data dell'ordine"
        "|data trasporto|data di trasporto|periodo di riferimento|periodo di fatturazione|arrivo|partenza|data inizio|data fine|data nascita",
        "nl": "orderdatum|besteldatum|leverdatum|periode|afleverdatum|verzenddatum|datum levering"
        "|besteld op|geleverd op|leveringsdatum|aankomst|vertrek|periode van|facturatieperiode|verbruiksperiode",
        "pl": "data sprzedaży|data dostawy|data dokonania lub zakończenia dostawy towarów lub wykonania|data wykonania|okres|data zamówienia"
        "|data zakończenia dostawy"
        "|okres rozliczeniowy|data wydania|data zakończenia|data otrzymania|data realizacji|z dnia|data wykonania usługi",
        "fi": "toimituspäivä|tilauspäivä|jakso|huomautusaika|toimituspvm|tilauspvm"
        "|toimitettu|tilattu|laskutusjakso|laskutuskausi|saapumispäivä|lähtöpäivä|toimitusaika|reklamaatioaika",
    },
    "expiry": {
        "en": "valid until|valid till|valid through|valid thru|valid to|valid up to|valid for use until|validity|expiry|expiry date|expiration date|expires|expires on|expire on|expires at|will expire on|exp date|good until|good through|best before|use by|use before|redeemable until|renews on|renewal date|quote valid until|offer valid until",
        "de": "gültig bis|gültig bis zum|gültigkeit|angebot gültig bis|bindefrist|ablaufdatum|läuft ab am|läuft aus am|verfällt am|verfallen am|verfallsdatum|einlösbar bis|einzulösen bis|haltbar bis|mindestens haltbar bis|verlängert sich am",
        "fr": "valable jusqu'au|date de validité|validité|devis valable jusqu'au|valable jusqu|offre valable jusqu'au|valide jusqu'au|expire le|expirent le|expirera le|date d'expiration|à utiliser avant le|à consommer avant le|date de péremption",
        "es": "válido hasta|válida hasta|válido hasta el|válida hasta el|validez|expira el|expiran el|caduca el|caducan el|caducidad|fecha de caducidad|fecha de expiración|consumir antes del",
        "it": "valido fino al|valida fino al|validità|validità offerta|offerta valida fino al|data di validità|da utilizzare entro il|da consumarsi entro",
        "nl": "geldig tot|offerte geldig tot|geldig tot en met|geldig t m|verloopt op|verlopen op|houdbaar tot|te gebruiken voor",
        "pl": "ważna do|ważny do|ważne do|oferta ważna do|ważność oferty|data ważności|termin ważności|wygasa|wygasa dnia",
        "fi": "voimassa|tarjous voimassa|voimassa asti|vanhenee|vanhentumispäivä|viimeinen voimassaolopäivä",
    },
    "other_number": {
        "en": "order number|order no|order #|po number|po no|p o number|po #|po|purchase order|purchase order no|purchase order number"
        "|customer no|customer number|customer id|account no|account number|account #|reference|ref|ref no|reference number|your reference"
        "|our reference|your ref|our ref|page|phone|tel|fax|mobile|delivery note|client id|client no|customer #|order id|order ref"
        "|routing number|sort code|swift|bic|iban|contract no|contract number|project|project no|job no|store #|terminal|register|cashier"
        "|auth|seq #|seq no|sequence no|app code|approval code|auth code|authorization code|authorisation code|tran type|transaction type|entry mode|merchant id|merchant no|terminal id|terminal no|member id|delivery note no|company no|company number|registration no|registered no|reg no|website|email|e mail|ticket no"
        "|ifsc code|cin|requisition no|your order|our order|quote valid|meter no|meter number|account ref|customer ref|booking reference"
        "|room no|member no|awb|p n|lot no|hs code|lease no|claim no|policy no|policy number|case no|original invoice"
        "|invoice reference original|customer code|cust no|cust id|your po|our reference no|abn|acn|bsb|mc no|confirmation no"
        "|confirmation number|reservation no|purchase order #"
        "|total points|points total|points|points earned|points balance|registration number|reg number|registered number|serial number|serial no|batch no|batch number|model number|model no|phone number|telephone number|fax number|certificate number|certificate no|licence number|license number|licence no|license no|approval code|tracking number|tracking no|card number|card no|passport number",
        "de": "kundennummer|kunden nr|kundennr|kunden nummer|bestellnummer|bestell nr|bestellung nr|auftragsnummer|auftrags nr|auftrag nr"
        "|auftragsnr|lieferscheinnummer|lieferschein nr|lieferschein|seite|telefon|tel|fax|debitorennummer|debitoren nr|vertragsnummer"
        "|vertrags nr|referenz|ihre referenz|unsere referenz|ihr zeichen|unser zeichen|mandatsreferenz|projekt|projekt nr|handelsregister|hrb"
        "|hrb nr|konto nr|kto nr|blz|konto|gläubiger id|leasingnummer|artikelnummer|serienummer|filiale|kasse|terminal id|auftrag nr lief"
        "|lief nr|gln|lieferantennummer|lieferanten nr|bestellung|vorgangsnummer|internet|email"
        "|kd nr|kdnr|kunden id|debitor|debitor nr|zähler nr|zählernummer|vertragskonto|vertragskontonummer|buchungsnummer|zimmer nr|bediener|verwendungszweck|zu rechnung|zur rechnung|ursprungsrechnung|originalrechnung|zahlungsreferenznummer|zahlungsreferenz|auftrag|mitgliedsnummer|patientennummer|aktenzeichen|unsere zeichen|kundenreferenz|rechnungsbezug|transaktionsnummer|ta nr|trace nr|beleg nr terminal"
        "|punkte|punktestand|bonuspunkte|punkte gesamt|summe punkte|registernummer|registrierungsnummer|seriennummer|serien nr|chargennummer|handelsregisternummer|kartennummer|telefonnummer|faxnummer|sendungsnummer|zulassungsnummer|genehmigungsnummer",
        "fr": "n° client|numéro client|numéro de client|code client|réf client|référence client|votre référence|notre référence|n° commande"
        "|n° de commande|numéro de commande|commande n°|bon de commande|page|tél|téléphone|fax|siret|siren|rcs|ape|naf|facture liée"
        "|numéro de dossier|id client|réf marché|n° de contrat|numéro de ligne|référence|réf|bon de livraison|n° de compte|capital|bl n°"
        "|code ape|n° abonné|numéro d'abonné|mandat"
        "|compte client|n° compte client|n° de client|facture d'origine|facture initiale|sur facture n°|n° de commande client|numéro de compte|contrat n°|référence contrat|point de livraison|n° adhérent|n° dossier|dossier n°|n° de bl|commande"
        "|points|total points|points fidélité|solde de points|numéro d'enregistrement|numéro d'immatriculation|n° d'immatriculation|numéro de série|n° de série|numéro de téléphone|numéro de suivi|numéro de carte|numéro de lot|n° d'enregistrement",
        "es": "número de pedido|nº pedido|pedido|número de cliente|nº cliente|cliente nº|referencia|página|teléfono|su referencia|cuenta"
        "|nº de cliente|cód cliente|código cliente|código de cliente|nº albarán|albarán|nº contrato|número de cuenta|cups|factura original|factura rectificada|nº de pedido|expediente|nº expediente|ref catastral"
        "|puntos|total puntos|saldo de puntos|número de registro|nº de registro|número de serie|nº de serie|número de teléfono|número de tarjeta|número de lote|número de seguimiento|numero de orden|número de orden|nº de orden|orden nº|tarjeta fidelidad",
        "it": "numero ordine|codice cliente|ordine n|riferimento|pagina|telefono|ddt|ordine|cod cliente|n ordine|vs ordine|codice destinatario"
        "|ns rif|vs rif|n cliente|n° cliente|nr cliente|ordine nr|ordine numero|ddt n|ddt nr|contratto n|rif fattura|fattura di riferimento|iban|c c|pratica n"
        "|punti|totale punti|saldo punti|numero di registrazione|numero di serie|numero di telefono|numero rea|numero carta|numero lotto|numero di iscrizione",
        "nl": "klantnummer|ordernummer|bestelnummer|referentie|uw referentie|ons kenmerk|uw kenmerk|pagina|telefoon|kvk|kvk nummer|debiteurnummer"
        "|rekeningnummer|serienummer|klantnr|projectnummer"
        "|klant nr|bestelling|order nr|ordernr|oorspronkelijke factuur|betreft factuur|projectnr|project nr|contractnummer|polisnummer|meternummer|debiteur|debiteur nr|debiteurnr|inkoopordernummer|uw ordernummer|ean code|uw bestelling|dossiernummer|lidnummer"
        "|punten|totaal punten|puntensaldo|registratienummer|kaartnummer|telefoonnummer|inschrijvingsnummer|partijnummer",
        "pl": "numer zamówienia|nr zamówienia|numer klienta|nr klienta|strona|numer rachunku|nr rachunku|konto|numer rachunku bankowego|nr konta"
        "|numer ksef|id nabywcy|regon|krs|telefon|zamówienie nr|wz nr"
        "|do faktury|do faktury nr|dotyczy faktury|dotyczy faktury nr|numer konta|nr zam|zamówienie|nr rej|pesel|nr umowy|umowa nr|numer umowy|nr licznika|bdo|nr wz|nr zlecenia|zlecenie nr"
        "|punkty|suma punktów|stan punktów|numer rejestracyjny|numer seryjny|nr seryjny|numer telefonu|numer karty|numer partii",
        "fi": "asiakasnumero|asiakasnro|tilausnumero|viite|viitenumero|viitteenne|viitteemme|sivu|puhelin|puh|tilinumero|tilausnro"
        "|asiakas nro|sopimusnumero|asiakasnumeronne|tilauksen numero|sopimus nro|alkuperäinen lasku|hyvitettävä lasku"
        "|projektinumero|myyjän viite|ostajan viite|käyttöpaikka|mittarinumero|asiakkaan viite"
        "|pisteet|pisteet yhteensä|bonuspisteet|rekisterinumero|sarjanumero|puhelinnumero|korttinumero|eränumero",
        "ja": "登録番号|電話番号|会員番号|取引番号|承認番号|カード番号|端末番号",
    },
    "tax_id": {
        "en": "vat no|vat number|vat id|vat reg no|vat registration no|vat registration number|vat reg|tax id|tax no|tax number|gstin|gst no"
        "|gst number|gst registration no|tin|ein|abn|tax reg no|vat identification number|tax registration number|gst reg no|vatin|vat id no|tax registration no|gst registration number|vat registration|tax identification number|business tax number",
        "de": "ust idnr|ust id|ust id nr|ustid|ustidnr|umsatzsteuer id|umsatzsteuer identifikationsnummer|ust ident nr|mwst nr|uid|uid nr"
        "|steuernummer|steuer nr|steuernr|mwst nummer|st nr|umsatzsteuer id nr|ust idnummer|vat nr|mehrwertsteuernummer|ust identnr|ust ident nummer|ust identifikationsnummer|umsatzsteueridentnummer|umsatzsteueridentifikationsnummer|ust identnummer|umsatzsteuer ident nr|mwst id",
        "fr": "n° tva|n° tva intracommunautaire|tva intracommunautaire|n° de tva|numéro de tva|n° tva intra|tva intra|n° de tva intra communautaire"
        "|n° de tva intracommunautaire|numéro tva|n° tva client|id tva|identifiant tva|tva intra communautaire|numéro de tva intracommunautaire",
        "es": "nif|cif|nif iva|n i f|c i f|cif nif|dni",
        "it": "p iva|partita iva|p i|codice fiscale|c f|part iva|cod fiscale|p iva c f|cf|identificativo fiscale|identificativo fiscale ai fini iva",
        "nl": "btw nummer|btw nr|btw id|btw identificatienummer|btw id nr",
        "pl": "nip|nip ue",
        "fi": "y tunnus|alv nro|alv numero|vat tunnus|alv tunniste",
    },
}
