"""What labels are called in which language. Data only: a new language is a new column of words, not new code.

Written as people print them; accents, case and punctuation do not matter when they are looked up. Inside a label
currencies and rates are skipped ("Montant EUR HT", "zzgl. 19 % MwSt.").
"""

from __future__ import annotations

Words = dict[str, str]
"""Language → phrases, separated by "|"."""

KINDS: dict[str, Words] = {
    "invoice": {
        "en": "invoice|tax invoice|commercial invoice|sales invoice|proforma invoice|pro forma invoice|vat invoice|bill",
        "de": "rechnung|warenrechnung|schlussrechnung|abschlagsrechnung|teilrechnung|honorarnote",
        "fr": "facture|facture d'acompte|note d'honoraires",
        "es": "factura",
        "it": "fattura|parcella",
        "nl": "factuur|rekening",
        "pl": "faktura|faktura vat|faktura podstawowa",
        "fi": "lasku",
        "ja": "請求書",
    },
    "credit_note": {
        "en": "credit note|credit memo|credit invoice",
        "de": "gutschrift|rechnungskorrektur|stornorechnung",
        "fr": "avoir|facture d'avoir|note de crédit|note d'avoir",
        "es": "factura rectificativa|nota de crédito|abono",
        "it": "nota di credito|nota di accredito",
        "nl": "creditnota|creditfactuur",
        "pl": "faktura korygująca|nota uznaniowa",
        "fi": "hyvityslasku",
    },
    "receipt": {
        "en": "receipt|payment receipt|sales receipt|cash receipt",
        "de": "quittung|kassenbon|kassenbeleg|kassenzettel|bon",
        "fr": "reçu|ticket de caisse|quittance",
        "es": "recibo|ticket|factura simplificada",
        "it": "ricevuta|scontrino",
        "nl": "kassabon|kwitantie|betaalbewijs",
        "pl": "paragon|paragon fiskalny",
        "fi": "kuitti",
        "ja": "領収書",
    },
    "quotation": {
        "en": "quotation|quote|estimate|price quotation",
        "de": "angebot|kostenvoranschlag|offerte",
        "fr": "devis|offre de prix",
        "es": "presupuesto|cotización",
        "it": "preventivo|offerta",
        "nl": "offerte|prijsopgave",
        "pl": "oferta|oferta cenowa",
        "fi": "tarjous",
        "ja": "見積書|御見積書",
    },
}

FIELDS: dict[str, Words] = {
    "number": {
        "en": "invoice number|invoice no|invoice nr|invoice num|invoice id|invoice #|invoice ref|invoice reference|inv no|inv #|bill number"
        "|bill no|bill #|receipt number|receipt no|receipt #|receipt id|credit note number|credit note no|credit note #|credit memo number"
        "|credit memo no|credit memo #|quote number|quote no|quote #|quote ref|quotation number|quotation no|quotation #|estimate number"
        "|estimate no|estimate #|document number|document no|doc no|txn|txn id|transaction no|transaction number|transaction id|booking id"
        "|tax invoice no|tax invoice number|number|folio no|statement no|sales invoice no|sales invoice number|invoice code",
        "de": "rechnungsnummer|rechnungs nummer|rechnungsnr|rechnungs nr|rechnung nr|rechnung nummer|nummer|re nr|rg nr|rechn nr|belegnummer"
        "|beleg nr|belegnr|beleg nummer|gutschriftnummer|gutschriftsnummer|gutschrift nr|gutschrifts nr|angebotsnummer|angebots nr"
        "|angebot nr|bon nr|bonnummer|quittung nr|quittungsnummer|dokumentnummer|dokument nr|offerte nr|offertnummer",
        "fr": "facture n°|facture numéro|facture no|n° facture|n° de facture|n° de la facture|numéro de facture|numéro de la facture"
        "|numéro facture|no de facture|no facture|réf facture|référence facture|avoir n°|n° d'avoir|numéro d'avoir|numéro de l'avoir"
        "|devis n°|n° devis|n° de devis|numéro de devis|reçu n°|ticket n°|n° ticket|n° de reçu|numéro du document|n° de document|pièce n°|numéro",
        "es": "número de factura|nº de factura|n° de factura|nº factura|num factura|factura nº|factura n°|factura no|factura núm"
        "|factura número|número factura|no factura|nº documento|número de documento|presupuesto nº|nº de presupuesto|ticket nº"
        "|número de recibo|número|recibo nº|nota de crédito nº|núm de factura|núm factura|num de factura",
        "it": "numero fattura|n fattura|n° fattura|nr fattura|fattura n|fattura n°|fattura nr|fattura numero|numero documento|numero"
        "|documento n|n documento|nr documento|preventivo n|ricevuta n|nota di credito n|fattura no",
        "nl": "factuurnummer|factuur nummer|factuurnr|factuur nr|factuur no|nummer factuur|creditnotanummer|offertenummer|offerte nr"
        "|bonnummer|bonnr|documentnummer|rekeningnummer factuur",
        "pl": "numer faktury|nr faktury|faktura nr|faktura vat nr|faktura numer|numer dokumentu|nr dokumentu|paragon nr|numer oferty"
        "|oferta nr|faktura korygująca nr|nr paragonu|numer",
        "fi": "laskun numero|laskunumero|laskun nro|laskunro|lasku nro|lasku nr|laskun nr|kuitin numero|kuitti nro|tarjousnumero"
        "|tarjous nro|tositenumero|hyvityslasku nro",
        "ja": "請求書番号|請求番号|書類番号|見積番号|見積書番号|伝票番号",
    },
    "date": {
        "en": "invoice date|date of invoice|issue date|date of issue|date issued|issued on|issued|bill date|billing date|receipt date"
        "|credit note date|credit memo date|quote date|quotation date|estimate date|document date|invoiced on|tax point|tax date|date"
        "|dated|transaction date|billed|billed on",
        "de": "rechnungsdatum|rechnungs datum|belegdatum|beleg datum|ausstellungsdatum|ausgestellt am|gutschriftsdatum|gutschriftdatum"
        "|angebotsdatum|datum|rechnung vom|datum der rechnung|quittungsdatum|angebot vom|gutschrift vom|rechnungstag|erstellt am",
        "fr": "date de facture|date de la facture|date facture|date de facturation|date d'émission|date d'édition|émise le|émis le|date"
        "|en date du|facture du|date de l'avoir|date du devis|date d'avoir|facturé le|fait le|établi le|établie le|date d'établissement|émission",
        "es": "fecha de factura|fecha factura|fecha de la factura|fecha de emisión|fecha emisión|fecha de expedición|fecha expedición"
        "|fecha|fecha del documento|emitida el|expedida el|fecha de facturación",
        "it": "data fattura|data della fattura|data emissione|data di emissione|data documento|data del documento|data|emessa il|emesso il|emesso in data",
        "nl": "factuurdatum|datum factuur|datum|offertedatum|creditdatum|uitgiftedatum",
        "pl": "data wystawienia|data faktury|data wystawienia faktury|wystawiono dnia|data|wystawiono|wystawiona dnia|data dokumentu",
        "fi": "päivämäärä|laskun päivä|laskun päiväys|laskun päivämäärä|laskun pvm|päiväys|pvm|laskutuspäivä|laskupäivä|päivätty",
        "ja": "発行日|請求日|見積日|日付",
    },
    "due_date": {
        "en": "due date|payment due date|payment due|payment due by|due by|due on|pay by|please pay by|date due|payable by|payable on or before"
        "|payable on|pay before|payment date|payment deadline|due|settle by|to be paid by|pay no later than|payment required by",
        "de": "fällig am|fälligkeitsdatum|fälligkeit|zahlbar bis|zahlbar bis zum|zahlungsziel|fällig bis|fällig|zahlbar am|zahlungsfrist"
        "|zahlung bis|bitte zahlen sie bis zum|zu zahlen bis|spätestens bis|zu begleichen bis|zahlbar spätestens|zahlbar spätestens am|überweisen bis|bitte zahlen sie bis|zahlen sie bis",
        "fr": "date d'échéance|échéance|date limite de paiement|à payer avant le|payable le|à régler avant le|payable avant le|échéance le"
        "|date échéance|paiement dû le|à payer pour le|date de paiement|échéance de paiement|règlement avant le|date d'exigibilité|payable au plus tard le|au plus tard le|date limite de règlement|à régler au plus tard le|règlement attendu le|règlement pour le|règlement le",
        "es": "fecha de vencimiento|vencimiento|fecha vencimiento|vence el|pagar antes del|fecha límite de pago|vto|pagadera antes del|pago antes del|fecha límite",
        "it": "scadenza|data scadenza|data di scadenza|scadenza pagamento|da pagare entro|pagamento entro|pagare entro|da saldare entro",
        "nl": "vervaldatum|vervaldag|uiterste betaaldatum|te betalen voor|betalen voor|betaaldatum|uiterlijk te betalen|te voldoen voor|betalen uiterlijk|uiterlijk te voldoen|te betalen uiterlijk|betalen vóór",
        "pl": "termin płatności|termin zapłaty|płatne do|data płatności|zapłata do|płatność do|zapłacić do|termin",
        "fi": "eräpäivä|eräpvm|maksettava viimeistään|maksupäivä",
        "ja": "支払期限|お支払期限",
    },
    "net": {
        "en": "subtotal|sub total|net amount|net total|total net|total net amount|net|amount excl vat|total excl vat|total excl tax"
        "|total excluding vat|total excluding tax|total ex vat|total exc vat|taxable amount|total before tax|amount before tax|excl vat"
        "|net value|subtotal excl vat|subtotal without vat|total without vat|taxable value|subtotal less discount|amount excl tax"
        "|total exclusive of vat|total exclusive of tax|subtotal before tax|net price|total taxable|net invoice amount|total excl gst|goods services|net goods|before vat|before tax",
        "de": "summe netto|nettobetrag|netto|nettosumme|gesamt netto|zwischensumme|netto gesamt|nettowert|gesamtbetrag netto|betrag netto"
        "|summe ohne mwst|rechnungsbetrag netto|total exkl mwst|total ohne mwst|gesamtsumme netto|zwischensumme netto|summe exkl mwst"
        "|netto summe|nettogesamtbetrag|gesamtnettobetrag|total netto|netto betrag|warenwert netto|summe der positionen|netto rechnungsbetrag"
        "|zwischentotal|betrag exkl mwst|subtotal|summe vor steuern",
        "fr": "total ht|montant ht|total hors taxes|total hors taxe|sous total|total net ht|net ht|montant hors taxes|montant net|sous total ht"
        "|total h t|montant total ht|prix total ht|montant hors taxe|base ht|somme ht|hors taxes|ht|total avant taxes|montant avant taxes",
        "es": "base imponible|subtotal|total neto|importe neto|base|suma|total base imponible|total sin iva|importe sin iva|importe antes de impuestos|total antes de impuestos",
        "it": "imponibile|totale imponibile|subtotale|totale netto|totale imponibile iva|importo netto|totale merce|netto|totale senza iva",
        "nl": "exclusief btw|excl btw|totaal excl btw|subtotaal|bedrag excl btw|netto|totaal exclusief btw|subtotaal excl btw|netto bedrag"
        "|nettobedrag|totaalbedrag excl btw|bedrag exclusief btw|totaal netto|grondslag|totaal voor btw|tussentotaal",
        "pl": "razem netto|kwota netto|wartość netto|suma netto|netto|łącznie netto|ogółem netto",
        "fi": "veroton|veroton yhteensä|yhteensä veroton|veroton summa|veroton hinta yhteensä|alv 0% yhteensä|verot. yhteensä|yhteensä alv 0%"
        "|summa veroton|veroton hinta",
        "ja": "小計|税抜金額|税抜合計|標準価格計",
    },
    "tax": {
        "en": "vat|sales tax|tax|gst|total tax|tax amount|vat amount|total vat|tax total|hst|pst|vat total|total gst|total sales tax|plus vat"
        "|tax rate|vat at|vat rate|cgst|sgst|igst|total taxes|taxes|state tax|city tax|county tax|local tax",
        "de": "umsatzsteuer|mwst|ust|mehrwertsteuer|mwst betrag|mwst summe|zzgl mwst|zzgl ust|zuzüglich mwst|zuzüglich umsatzsteuer"
        "|zzgl mehrwertsteuer|zzgl umsatzsteuer|enthaltene mwst|enthaltene ust|summe mwst|summe ust|umsatzsteuerbetrag|steuerbetrag"
        "|gesetzl mwst|zuzüglich mehrwertsteuer|gesamt mwst|gesamt ust|mwst gesamt|ust gesamt|steuern|ust betrag|inkl mwst|inkl ust"
        "|darin enthaltene mwst|enthaltene umsatzsteuer|mwst satz|steuer",
        "fr": "tva|total tva|montant tva|total taxes|dont tva|montant de la tva|total t v a|t v a|montant total tva|tva collectée",
        "es": "iva|total iva|cuota iva|cuota|importe iva|i v a|total impuestos|impuestos",
        "it": "iva|totale iva|imposta|importo iva|totale imposta|imposte|totale imposte|i v a",
        "nl": "btw|btw bedrag|totaal btw|btw totaal|bedrag btw",
        "pl": "vat|kwota podatku|podatek|kwota vat|razem vat|podatek vat|suma vat|ogółem vat|łącznie vat",
        "fi": "alv|alv yhteensä|vero|arvonlisävero|veron osuus|alv osuus|verot yhteensä|yhteensä alv|alv summa",
        "ja": "消費税|消費税額",
    },
    "total": {
        "en": "total|grand total|total amount|invoice total|amount total|total incl vat|total inc vat|total including vat|total including tax"
        "|total price|invoice amount|total invoice|gross amount|total gross|gross total|gross|total incl tax|total inclusive of vat|total cost"
        "|total invoice amount|credit total|total credit|quote total|quotation total|estimate total|order total|total value|total incl gst"
        "|total invoice value|total charges|amount incl vat|total sum|total inc gst|receipt total",
        "de": "gesamtbetrag|rechnungsbetrag|gesamtsumme|summe|brutto|bruttobetrag|gesamt|endbetrag|summe brutto|total inkl mwst|netto inkl mwst"
        "|summe gesamt|endsumme|gesamtbetrag brutto|rechnungssumme|gesamtbetrag inkl mwst|total|bruttosumme|gesamt brutto|brutto gesamt"
        "|rechnungsbetrag brutto|betrag brutto|gutschriftsbetrag|gutschriftbetrag|gesamtpreis|angebotssumme|rechnungsendbetrag|summe inkl mwst"
        "|gesamtsumme brutto|rechnungstotal|total brutto|betrag inkl mwst|summe eur",
        "fr": "total ttc|montant ttc|total facture|montant total|total général|total|total t t c|montant total ttc|total toutes taxes comprises"
        "|prix total ttc|ttc|montant de la facture|total avoir|total devis|montant total de la facture",
        "es": "total|total factura|importe total|total con iva|total iva incluido|total general|total documento|total presupuesto|total recibo",
        "it": "totale|totale fattura|totale documento|importo totale|totale ivato|totale complessivo|totale generale|totale iva inclusa"
        "|totale lordo|totale preventivo|totale euro",
        "nl": "totaal|totaal incl btw|totaalbedrag|inclusief btw|incl btw|totaal inclusief btw|totaalbedrag incl btw|factuurbedrag|totaal bedrag"
        "|factuurtotaal|eindtotaal|bedrag incl btw",
        "pl": "razem|kwota należności ogółem|suma|brutto|razem brutto|wartość brutto|kwota brutto|ogółem|łącznie|suma brutto|łącznie brutto"
        "|ogółem brutto|wartość całkowita",
        "fi": "yhteensä|verollinen|loppusumma|summa|verollinen yhteensä|yhteensä verollinen|laskun summa|kokonaissumma|laskun loppusumma"
        "|verollinen summa",
        "ja": "合計|総合計|御見積金額|御請求金額|合計金額|税込合計|ご請求金額",
    },
    "amount_due": {
        "en": "amount due|balance due|total due|amount payable|total payable|balance|please pay|pay this amount|total amount due|total to pay"
        "|amount to pay|balance outstanding|outstanding balance|total balance due|total now due|net payable|amount owed|balance to pay|amount now due|now due|total now payable|payable now|please remit|remit|amount to remit",
        "de": "zu zahlen|zahlbetrag|zu zahlender betrag|offener betrag|zu überweisen|noch zu zahlen|zu bezahlen|restbetrag|fälliger betrag"
        "|zahlungsbetrag|zu zahlen bitte|rechnungsbetrag zu zahlen|gesamtbetrag zu zahlen",
        "fr": "net à payer|reste à payer|à payer|somme à payer|montant à payer|montant dû|solde à payer|total à payer|solde dû|solde|à régler"
        "|net à payer ttc|montant à régler|net à payer eur|montant du prélèvement",
        "es": "total a pagar|importe a pagar|saldo|pendiente de pago|líquido a percibir|a pagar|importe pendiente|total pendiente",
        "it": "netto a pagare|totale da pagare|importo da pagare|saldo|totale a pagare|da pagare|importo dovuto",
        "nl": "te betalen|te betalen bedrag|openstaand bedrag|nog te betalen|totaal te betalen|te voldoen|door u te betalen|te voldoen bedrag",
        "pl": "do zapłaty|pozostało do zapłaty|razem do zapłaty|kwota do zapłaty|należność",
        "fi": "maksettava|maksettavaa|maksettava yhteensä|maksettavaa yhteensä|avoinna|maksettava summa",
        "ja": "お支払金額",
    },
    "discount": {
        "en": "discount|less discount|member discount|rebate|loyalty discount|rewards applied|coupon|voucher|total discount|savings",
        "de": "rabatt|skonto|nachlass|abzgl|abzüglich|gesamtrabatt|rechnungsrabatt|gutschein",
        "fr": "remise|réduction|escompte|rabais|ristourne|bon d'achat",
        "es": "descuento|dto",
        "it": "sconto",
        "nl": "korting",
        "pl": "rabat|upust",
        "fi": "alennus",
        "ja": "割引|割引合計額",
    },
    "charge": {
        "en": "shipping|shipping and handling|shipping & handling|delivery|freight|postage|handling|carriage|delivery charge|tip|gratuity"
        "|service charge|rounding|surcharge",
        "de": "versand|versandkosten|porto|fracht|transportkosten|lieferkosten|rundung|rundungsdifferenz|frachtkosten|zuschlag|trinkgeld",
        "fr": "frais de port|livraison|port|frais de livraison|transport|arrondi|éco participation",
        "es": "gastos de envío|portes|transporte|envío|redondeo",
        "it": "spese di trasporto|spedizione|spese di spedizione|trasporto|arrotondamento|bollo|spese",
        "nl": "verzendkosten|bezorgkosten|porto|afronding",
        "pl": "koszt dostawy|wysyłka|transport",
        "fi": "toimitus|toimituskulut|postikulut|rahti|pyöristys|laskutuslisä",
    },
    "settled": {
        "en": "previous unpaid balance|previous balance|balance forward|amount paid|paid|deposit|payment|payments|less paid|advance|prepaid"
        "|payment received|total paid|cash|change|card|credit applied|brought forward|prior balance|less deposit|payments received",
        "de": "anzahlung|bereits bezahlt|bezahlt|vorauszahlung|gezahlt|gegeben|rückgeld|guthaben|bar|abschlagszahlung|saldo|vortrag|ec karte",
        "fr": "acompte|déjà payé|payé|règlement|solde précédent|acompte versé|déjà réglé|réglé|rendu|espèces|avance|total payé",
        "es": "pagado|anticipo|entregado|cambio|efectivo|a cuenta|saldo anterior",
        "it": "acconto|pagato|versato|contanti|resto|già pagato|saldo precedente",
        "nl": "betaald|aanbetaling|voldaan|contant|wisselgeld|reeds betaald|reeds voldaan",
        "pl": "zapłacono|zaliczka|gotówka|reszta|wpłacono",
        "fi": "maksettu|ennakkomaksu|käteinen|takaisin|suoritettu",
    },
    "supplier": {
        "en": "seller|vendor|supplier|from|bill from|sold by|issued by|remit to|service provider|merchant|payable to|pay to|payee|beneficiary"
        "|account name|account holder|in favor of|in favour of|make checks payable to|make cheques payable to|company name",
        "de": "verkäufer|lieferant|rechnungssteller|kontoinhaber|zahlungsempfänger|leistungserbringer|zahlbar an|konto zahlbar an|absender"
        "|auftragnehmer|aussteller|empfänger des zahlungsbetrags",
        "fr": "vendeur|fournisseur|émetteur|titulaire du compte|bénéficiaire|prestataire|titulaire|expéditeur",
        "es": "vendedor|proveedor|emisor|beneficiario|titular|titular de la cuenta",
        "it": "fornitore|cedente|venditore|cedente prestatore|emittente|intestatario|beneficiario|mittente",
        "nl": "verkoper|leverancier|afzender|ten name van|t n v|rekeninghouder|begunstigde",
        "pl": "sprzedawca|wystawca|dostawca|odbiorca płatności",
        "fi": "myyjä|toimittaja|laskuttaja|saaja|saajan nimi|maksun saaja",
    },
    "buyer": {
        "en": "bill to|billed to|invoice to|sold to|customer|customer name|client|buyer|purchaser|billing address|guest name|invoiced to"
        "|bill to address|client name|prepared for|recipient|quote to|quotation for|issued to|attention|to|credit to|invoice for",
        "de": "käufer|rechnungsempfänger|kunde|rechnungsadresse|rechnungsanschrift|auftraggeber|rechnung an|leistungsempfänger|kundenname"
        "|empfänger|zahlbar durch|rechnungsempfängerin|gutschrift an|angebot für|besteller",
        "fr": "acheteur|client|facturé à|adresse de facturation|destinataire|nom de l'abonné|facturer à|nom du client|adressé à|facture à",
        "es": "cliente|comprador|facturar a|datos del cliente|destinatario|facturado a",
        "it": "cliente|acquirente|destinatario|spett le|spettabile|cessionario|intestata a|cessionario committente",
        "nl": "klant|koper|factuuradres|aan|factuur aan|opdrachtgever|geadresseerde|klantgegevens",
        "pl": "nabywca|klient|kupujący|zamawiający",
        "fi": "ostaja|asiakas|laskutusosoite|maksaja|laskun saaja|tilaaja",
    },
    "other_party": {
        "en": "ship to|deliver to|delivery address|shipping address|service address|shipped to|c/o|salesperson|sales rep|contact",
        "de": "warenempfänger|lieferadresse|lieferanschrift|lieferung an|ansprechpartner|sachbearbeiter|lieferung an",
        "fr": "adresse de livraison|livré à|contact commercial|livraison à|adresse de l'installation",
        "es": "dirección de envío|dirección de entrega|enviar a",
        "it": "luogo di destinazione|destinazione|destinazione merce",
        "nl": "afleveradres|bezorgadres|verzendadres",
        "pl": "odbiorca|podmiot inny|adres dostawy|wystawca faktury",
        "fi": "toimitusosoite|vastaanottaja",
    },
    "other_date": {
        "en": "delivery date|delv date|order date|ship date|shipping date|service date|date of service|date of supply|date shipped|print date"
        "|printed|period|billing period|service period|valid until|valid till|expiry date|expiration date|check in|check out|supply date|start date"
        "|end date|coll date|collection date|po date|statement period|date of delivery|from date|date paid|paid on|payment received|birth date",
        "de": "lieferdatum|leistungsdatum|liefer bzw leistungsdatum|bestelldatum|bestell datum|leistungs datum|auftragsdatum|auftrag datum"
        "|leistungszeitraum|lieferschein datum|lieferschein vom|gültig bis|druckdatum|zeitraum|versanddatum|lieferzeitraum|lieferung am"
        "|tag der lieferung|auftrag datum lief|auftrag vom|bestellung vom|liefertermin|anreise|abreise|leistung vom",
        "fr": "date de livraison|date de commande|période|date de prestation|commande du|date de service|valable jusqu'au|date de validité"
        "|date d'expédition|validité|prélèvement à partir du|date de vente|bon de livraison du",
        "es": "fecha de pedido|fecha de entrega|período|fecha pedido|fecha de operación|válido hasta|fecha entrega|fecha operación",
        "it": "data ordine|data consegna|periodo|data di consegna|valido fino al|data ddt|validità|data dell'ordine",
        "nl": "orderdatum|besteldatum|leverdatum|periode|geldig tot|afleverdatum|verzenddatum|datum levering",
        "pl": "data sprzedaży|data dostawy|data dokonania lub zakończenia dostawy towarów lub wykonania|data wykonania|okres|data zamówienia"
        "|data zakończenia dostawy|ważna do",
        "fi": "toimituspäivä|tilauspäivä|jakso|huomautusaika|voimassa|toimituspvm|tilauspvm",
    },
    "other_number": {
        "en": "order number|order no|order #|po number|po no|p o number|po #|po|purchase order|purchase order no|purchase order number|customer no"
        "|customer number|customer id|account no|account number|account #|reference|ref|ref no|reference number|your reference|our reference|your ref"
        "|our ref|page|phone|tel|fax|mobile|delivery note|client id|client no|customer #|order id|order ref|routing number|sort code|swift|bic"
        "|iban|contract no|contract number|project|project no|job no|store #|terminal|register|cashier|auth|member id|delivery note no"
        "|company no|company number|registration no|registered no|reg no|website|email|e mail|ticket no|ifsc code|cin|requisition no",
        "de": "kundennummer|kunden nr|kundennr|kunden nummer|bestellnummer|bestell nr|bestellung nr|auftragsnummer|auftrags nr|auftrag nr"
        "|auftragsnr|lieferscheinnummer|lieferschein nr|lieferschein|seite|telefon|tel|fax|debitorennummer|debitoren nr|vertragsnummer"
        "|vertrags nr|referenz|ihre referenz|unsere referenz|ihr zeichen|unser zeichen|mandatsreferenz|projekt|projekt nr|handelsregister|hrb"
        "|hrb nr|konto nr|kto nr|blz|konto|gläubiger id|leasingnummer|artikelnummer|serienummer|filiale|kasse|terminal id|auftrag nr lief"
        "|lief nr|gln|lieferantennummer|lieferanten nr|bestellung|vorgangsnummer|internet|email",
        "fr": "n° client|numéro client|numéro de client|code client|réf client|référence client|votre référence|notre référence|n° commande"
        "|n° de commande|numéro de commande|commande n°|bon de commande|page|tél|téléphone|fax|siret|siren|rcs|ape|naf|facture liée"
        "|numéro de dossier|id client|réf marché|n° de contrat|numéro de ligne|référence|réf|bon de livraison|n° de compte|capital|bl n°"
        "|code ape|n° abonné|numéro d'abonné|mandat",
        "es": "número de pedido|nº pedido|pedido|número de cliente|nº cliente|cliente nº|referencia|página|teléfono|su referencia|cuenta",
        "it": "numero ordine|codice cliente|ordine n|riferimento|pagina|telefono|ddt|ordine|cod cliente|n ordine|vs ordine|codice destinatario",
        "nl": "klantnummer|ordernummer|bestelnummer|referentie|uw referentie|ons kenmerk|uw kenmerk|pagina|telefoon|kvk|kvk nummer|debiteurnummer"
        "|rekeningnummer|serienummer|klantnr|projectnummer",
        "pl": "numer zamówienia|nr zamówienia|numer klienta|nr klienta|strona|numer rachunku|nr rachunku|konto|numer rachunku bankowego|nr konta"
        "|numer ksef|id nabywcy|regon|krs|telefon|zamówienie nr|wz nr",
        "fi": "asiakasnumero|asiakasnro|tilausnumero|viite|viitenumero|viitteenne|viitteemme|sivu|puhelin|puh|tilinumero|tilausnro"
        "|asiakas nro|sopimusnumero|viitteenne",
    },
    "tax_id": {
        "en": "vat no|vat number|vat id|vat reg no|vat registration no|vat registration number|vat reg|tax id|tax no|tax number|gstin|gst no"
        "|gst number|gst registration no|tin|ein|abn|tax reg no|vat identification number|tax registration number|gst reg no|vatin|vat id no",
        "de": "ust idnr|ust id|ust id nr|ustid|ustidnr|umsatzsteuer id|umsatzsteuer identifikationsnummer|ust ident nr|mwst nr|uid|uid nr"
        "|steuernummer|steuer nr|steuernr|mwst nummer|st nr|umsatzsteuer id nr|ust idnummer|vat nr|mehrwertsteuernummer",
        "fr": "n° tva|n° tva intracommunautaire|tva intracommunautaire|n° de tva|numéro de tva|n° tva intra|tva intra|n° de tva intra communautaire"
        "|n° de tva intracommunautaire|numéro tva|n° tva client|id tva|identifiant tva|tva intra communautaire|numéro de tva intracommunautaire",
        "es": "nif|cif|nif iva|n i f|c i f|cif nif|dni",
        "it": "p iva|partita iva|p i|codice fiscale|c f|part iva|cod fiscale|p iva c f|cf",
        "nl": "btw nummer|btw nr|btw id|btw identificatienummer|btw id nr",
        "pl": "nip|nip ue",
        "fi": "y tunnus|alv nro|alv numero|vat tunnus|alv tunniste",
    },
}

COLUMNS: dict[str, Words] = {
    "description": {
        "en": "description|item|items|product|details|service|item desc|item description|particulars|product description|services"
        "|description of goods|article|activity|products|work description|goods description|product service|item name|product name",
        "de": "bezeichnung|beschreibung|artikel|leistung|produkt|artikelbezeichnung|produkt beschreibung|text|position|ware|leistungen"
        "|produktbeschreibung|leistungsbeschreibung|artikelbeschreibung",
        "fr": "désignation|description|libellé|article|prestation|produit|détail|désignation des produits|prestations|désignations",
        "es": "descripción|concepto|artículo|producto|detalle|conceptos|servicio",
        "it": "descrizione|articolo|prodotto|servizio|descrizione beni|descrizione prodotto|prestazione",
        "nl": "omschrijving|artikel|beschrijving|product|dienst|producten",
        "pl": "nazwa|nazwa towaru lub usługi|opis|towar|nazwa towaru|nazwa usługi|nazwa towaru usługi|towar usługa|usługa",
        "fi": "tuote|kuvaus|tuote palvelu|nimike|selite|palvelu|tuotenimi",
        "ja": "製品名|品名|品目|内容|摘要",
    },
    "quantity": {
        "en": "qty|quantity|units|hours|hrs|qty hr|no of units|qty hrs|pcs|nos|hours qty|days|nights|hour",
        "de": "menge|anzahl|stück|anz|std|stunden|stk|mge",
        "fr": "quantité|qté|qte|nombre|nb|qtés|nbre|heures|jours",
        "es": "cantidad|cant|unidades|uds|horas|ud",
        "it": "quantità|qta|q ta|q tà|ore|qtà|quant",
        "nl": "aantal|uren|hoeveelheid|st",
        "pl": "ilość|liczba|il",
        "fi": "määrä|kpl|lkm|tunnit|määrä kpl",
        "ja": "数量",
    },
    "unit_price": {
        "en": "unit price|price|rate|unit cost|price each|unit rate|price per unit|rate hr|cost|each|unit price excl vat|hourly rate|unit net price"
        "|unit price net|list price",
        "de": "einzelpreis|preis|e preis|ep|einzel|stückpreis|vk preis|nettopreis|einheitspreis|einzelpreis netto|preis stück|einzelpr|stundensatz"
        "|preis einheit|einzel netto|e preis netto|stk preis",
        "fr": "prix unitaire|p u ht|pu ht|prix unitaire ht|p u|pu|prix unit|prix|prix u|prix u ht|prix unitaire mois|tarif|prix unit ht|pu h t"
        "|prix unitaire net",
        "es": "precio|precio unitario|precio ud|p unitario|precio unidad|precio unit|tarifa|p u",
        "it": "prezzo|prezzo unitario|prezzo unit|p unitario|prezzo un|tariffa|p u",
        "nl": "prijs|stuksprijs|prijs per stuk|eenheidsprijs|tarief|prijs stuk|stukprijs|uurtarief",
        "pl": "cena jedn|cena|cena netto|cena jednostkowa|cena jedn netto|cena jednostkowa netto|c jedn netto",
        "fi": "yksikköhinta|à hinta|a hinta|hinta|yks hinta|ahinta|kpl hinta|yksikkö hinta|hinta kpl",
        "ja": "単価",
    },
    "amount": {
        "en": "amount|total|line total|total price|price total|net amount|total amount|amount due|extended price|ext price|value|subtotal|sum"
        "|net value|net total|line amount|total excl vat|amount excl vat|gross amount|total net|ext amount|net|total cost|gross|total value",
        "de": "gesamt|betrag|gesamtpreis|zeilenbetrag|summe|g preis|netto|gesamtbetrag|nettowert|total|wert|nettobetrag|gp|gesamt netto|preis gesamt"
        "|positionsbetrag|brutto|gesamtpreis netto|betrag netto|g preis netto|gesamtpr|ges preis|summe netto|bruttobetrag|endpreis",
        "fr": "montant ht|total ht|montant|prix ht|total|montant ttc|prix total|total ttc|prix total ht|montant net ht|montant net|prix net"
        "|total net ht|total h t|total ligne|montant total ht",
        "es": "importe|total|subtotal|importe total|total línea|precio total|importe neto",
        "it": "importo|totale|importo netto|totale riga|prezzo totale|imponibile|importo totale|totale netto",
        "nl": "bedrag|totaal|totaalprijs|prijs incl btw|subtotaal|totaal excl btw|bedrag excl btw|totaalbedrag|regeltotaal|prijs totaal",
        "pl": "wartość|wartość netto|kwota|wartość sprzedaży netto|wartość brutto|razem|kwota netto|wartość sprzedaży|kwota brutto",
        "fi": "yhteensä|summa|verollinen|veroton|rivisumma|verollinen yhteensä|yht|veroton yhteensä|loppusumma|hinta yhteensä",
        "ja": "金額",
    },
    "tax_rate": {
        "en": "vat|tax|vat rate|tax rate|vat %|tax %|gst|taxes|sales tax|vat amount|tax amount|disc taxes|vat percent|gst %",
        "de": "mwst|ust|mwst satz|steuer|steuersatz|mwst betrag|ust satz|mwst nettowert|ust betrag",
        "fr": "tva|taux tva|montant tva|taux|% tva",
        "es": "iva|% iva|tipo iva",
        "it": "iva|aliquota|aliquota iva|% iva|al iva",
        "nl": "btw|btw tarief|btw %",
        "pl": "vat|stawka|stawka podatku|stawka vat|kwota vat|kwota podatku|vat %",
        "fi": "alv|alv %|vero",
        "ja": "税率",
    },
    "other": {
        "en": "no|item no|item code|code|sku|date|unit|um|uom|discount|disc|part no|part number|ref|hsn|hsn code|pos|line|product code|article no"
        "|item #|hsn sac|sac|s no|sl no|sr no|serial no",
        "de": "pos|nr|art nr|artikelnummer|artikel nr|einheit|rabatt|datum|pos nr|art nr lieferant|gtin|einh|me|lfd nr|ean|rabatt %",
        "fr": "réf|référence|code|unité|remise|rem|date|n°|code article|unite|réf article|pos",
        "es": "ref|referencia|código|dto|descuento|fecha|cod|unidad",
        "it": "codice|cod|um|u m|sconto|sc|data|rif|cod art|unità",
        "nl": "artikelnummer|artikelnr|eenheid|korting|datum|code|art nr|pos",
        "pl": "lp|l p|jedn|jm|j m|pkwiu|rabat|kod|indeks",
        "fi": "nro|tuotenro|yksikkö|yks|ale|alennus|ale %|pvm|tuotekoodi|koodi",
        "ja": "単位|品目コード|品番",
    },
}

INCLUDED: Words = {
    "en": "of which|including|incl|included|thereof",
    "de": "davon|darin|inkl|enthalten",
    "fr": "dont|inclus",
    "nl": "incl|waarvan",
    "es": "incluye",
    "it": "di cui",
    "pl": "w tym",
    "fi": "sisältää",
}
"""A row that starts so belongs to the row above it and is no line item."""
