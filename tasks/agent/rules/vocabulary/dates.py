"""What the dates of a document are called."""

from __future__ import annotations

from tasks.agent.rules.vocabulary import Words

DATES: dict[str, Words] = {
    "date": {
        "en": "invoiced|invoice date|date of invoice|issue date|date of issue|date issued|issued on|issued|bill date|billing date"
        "|receipt date|credit note date|credit memo date|quote date|quotation date|estimate date|document date|invoiced on|tax point"
        "|tax date|date|dated|transaction date|billed|billed on|invoice dt|inv date|issue dt|date of bill|statement date|folio date"
        "|date printed|date created|created|created on|purchase date|date of purchase|proposal date|credit date|date of receipt"
        "|sale date|sales date|trans date",
        "de": "rechnungsdatum|rechnungs datum|belegdatum|beleg datum|ausstellungsdatum|ausgestellt am|gutschriftsdatum|gutschriftdatum"
        "|angebotsdatum|datum|rechnung vom|datum der rechnung|quittungsdatum|angebot vom|gutschrift vom|rechnungstag|erstellt am"
        "|rechnungsdatum lieferdatum|rechnungsdatum leistungsdatum|rechnungs dat|rg datum|datum der ausstellung|belegdat|kaufdatum"
        "|datum uhrzeit|bondatum|verkaufsdatum|angebot erstellt am",
        "fr": "date de facture|date de la facture|date facture|date de facturation|date d'émission|date d'édition|émise le|émis le|date"
        "|en date du|facture du|date de l'avoir|date du devis|date d'avoir|facturé le|fait le|établi le|établie le|date d'établissement"
        "|émission|créé le|créée le|date de création|date pièce|date du document|date de la pièce|facture émise le|émis en date du"
        "|date d'achat|date avoir|date devis|date de vente",
        "es": "fecha de factura|fecha factura|fecha de la factura|fecha de emisión|fecha emisión|fecha de expedición|fecha expedición|fecha"
        "|fecha del documento|emitida el|expedida el|fecha de facturación|creada el|creado el|fecha de creación|fecha fra"
        "|fecha de la fra|fecha ticket|fecha de compra|fecha presupuesto|fecha de expedición de la factura|fecha y hora|fecha doc",
        "it": "data fattura|data della fattura|data emissione|data di emissione|data documento|data del documento|data|emessa il|emesso il"
        "|emesso in data|data doc|data e ora|data preventivo|data offerta|data scontrino|data di emissione fattura|data acquisto"
        "|creata il|creato il|data creazione|data di fatturazione|data fatturazione",
        "nl": "factuurdatum|datum factuur|datum|offertedatum|creditdatum|uitgiftedatum|datum van factuur|facturatiedatum|notadatum"
        "|aankoopdatum|transactiedatum|bondatum|opgesteld op|datum tijd|aangemaakt op|aangemaakt",
        "pl": "data wystawienia|data faktury|data wystawienia faktury|wystawiono dnia|data|wystawiono|wystawiona dnia|data dokumentu"
        "|data sporządzenia|wystawiono w dniu|utworzono|data utworzenia|data paragonu|data oferty",
        "fi": "päivämäärä|laskun päivä|laskun päiväys|laskun päivämäärä|laskun pvm|päiväys|pvm|laskutuspäivä|laskupäivä|päivätty|laskutuspvm"
        "|kuitin päivä|myyntipäivä|tarjouspäivä|laskun antopäivä|ostopäivä",
        "sv": "fakturadatum|datum|utfärdad|utskriftsdatum|offertdatum|kvittodatum|faktureringsdatum",
        "da": "fakturadato|dato|udstedt|udstedelsesdato|tilbudsdato",
        "no": "fakturadato|dato|utstedt|tilbudsdato|kvitteringsdato",
        "pt": "data|data da fatura|data de emissão|data emissão|data do documento|emitida em|emitido em|data da factura",
        "cs": "datum vystavení|datum|vystaveno|vystaveno dne|datum vystavení dokladu",
        "ja": "発行日|請求日|見積日|日付|取引日|お取扱日|ご利用日|利用日|領収日|取引日時|ご利用日時",
    },
    "due_date": {
        "en": "due date|payment due date|payment due|payment due by|due by|due on|pay by|please pay by|date due|payable by"
        "|payable on or before|payable on|pay before|payment date|payment deadline|due|settle by|to be paid by|pay no later than"
        "|payment required by|payment is due|payment due on|due for payment|pay on or before|payable|direct debit date|collection on"
        "|balance due by|balance due on|to be collected on|amount due by|amount due on|total due by|payment by|must be paid by"
        "|please settle by|due dt|pay due date|total amount due on",
        "de": "fällig am|fälligkeitsdatum|fälligkeit|zahlbar bis|zahlbar bis zum|zahlungsziel|fällig bis|fällig|zahlbar am|zahlungsfrist"
        "|zahlung bis|bitte zahlen sie bis zum|zu zahlen bis|spätestens bis|zu begleichen bis|zahlbar spätestens|zahlbar spätestens am"
        "|überweisen bis|bitte zahlen sie bis|zahlen sie bis|zahlungstermin|zahlbar ohne abzug bis|ohne abzug bis|netto bis"
        "|rein netto bis|fälligkeitstag|fälligkeit zum|fällig zum|fällig per|zu zahlen bis zum|zahlung erbeten bis|zahlung bis zum"
        "|zahlbar per|bitte begleichen bis|abbuchung am|abbuchungsdatum|einzug am|lastschrift am|zahlungsfälligkeit|valuta"
        "|zahlungsfrist bis",
        "fr": "date d'échéance|échéance|date limite de paiement|à payer avant le|payable le|à régler avant le|payable avant le|échéance le"
        "|date échéance|paiement dû le|à payer pour le|date de paiement|échéance de paiement|règlement avant le|date d'exigibilité"
        "|payable au plus tard le|au plus tard le|date limite de règlement|à régler au plus tard le|règlement attendu le"
        "|règlement pour le|règlement le|règlement avant|à payer au plus tard le|à régler pour le|limite de paiement"
        "|date d'échéance de paiement|prélevé le|prélèvement le|date de prélèvement|échéance au|paiement avant le|à payer le"
        "|payable jusqu'au|régler avant le|paiement au plus tard le|date de règlement|échoit le|exigible le",
        "es": "fecha de vencimiento|vencimiento|fecha vencimiento|vence el|pagar antes del|fecha límite de pago|vto|pagadera antes del"
        "|pago antes del|fecha límite|vencimientos|fecha de pago|fecha vto|vto fra|fecha de cargo|a pagar antes del|pagadero antes del"
        "|fecha de cobro|pagar hasta|vencimiento el|fecha límite pago|vence|venc|fecha venc",
        "it": "scadenza|data scadenza|data di scadenza|scadenza pagamento|da pagare entro|pagamento entro|pagare entro|da saldare entro"
        "|scadenze|scad|scadenza il|data di pagamento|pagamento entro il|da pagare entro il|termine di pagamento|scadenza rata"
        "|pagare entro il|entro il|data scad|da versare entro il|scade il|scade",
        "nl": "vervaldatum|vervaldag|uiterste betaaldatum|te betalen voor|betalen voor|betaaldatum|uiterlijk te betalen|te voldoen voor"
        "|betalen uiterlijk|uiterlijk te voldoen|te betalen uiterlijk|betalen vóór|te betalen vóór|uiterste betaaldag|betaling vóór"
        "|betaling voor|betaling uiterlijk|betaling uiterlijk op|incassodatum|te voldoen vóór|voldoen vóór|gelieve te betalen voor"
        "|gelieve te betalen vóór|betaaltermijn tot|vervalt op|uiterlijk op|vervalt",
        "pl": "termin płatności|termin zapłaty|płatne do|data płatności|zapłata do|płatność do|zapłacić do|termin|termin zapłaty do"
        "|płatność do dnia|termin płatn|zapłata do dnia|płatne do dnia|zapłacić do dnia|termin płatności do",
        "fi": "eräpäivä|eräpvm|maksettava viimeistään|maksupäivä|eräpv|erääntyy|maksettava viim|maksuehto eräpäivä|maksetaan viimeistään"
        "|maksun eräpäivä|viimeinen maksupäivä",
        "sv": "förfallodatum|förfallodag|förfaller|betalas senast|sista betalningsdag|att betala senast|betala senast|förf datum"
        "|oss tillhanda senast",
        "da": "forfaldsdato|betalingsdato|forfald|forfalder|betales senest|senest rettidig betaling|sidste rettidige betalingsdag"
        "|betalingsfrist",
        "no": "forfallsdato|forfall|forfaller|betalingsfrist|betales innen|betales senest",
        "pt": "vencimento|data de vencimento|data vencimento|data limite de pagamento|pagar até|pagamento até|pagável até|vence em|venc"
        "|vencto|data de venc|data vencto",
        "cs": "datum splatnosti|splatnost|splatná dne|splatné do|splatnost dne|uhraďte do|splatné dne",
        "ja": "支払期限|お支払期限",
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
        "sv": "betald den|betalningsdatum",
        "da": "betalt den|betalingsdato",
        "no": "betalt den|betalingsdato",
        "pt": "data de pagamento|pago em|data do pagamento",
        "cs": "datum platby|zaplaceno dne|datum úhrady",
    },
    "other_date": {
        "en": "delivery date|delv date|order date|ship date|shipping date|service date|date of service|date of supply|date shipped|print date"
        "|printed|period|billing period|service period|check|check out|supply date|start date|end date|coll date|collection date"
        "|po date|statement period|date of delivery|from date|date paid|paid on|payment received|birth date|arrival|departure"
        "|next bill date|reading date|tax year|date of order|date of shipment|return date|your order of|last payment date",
        "de": "lieferdatum|leistungsdatum|liefer bzw leistungsdatum|bestelldatum|bestell datum|leistungs datum|auftragsdatum|auftrag datum"
        "|leistungszeitraum|lieferschein datum|lieferschein vom|druckdatum|zeitraum|versanddatum|lieferzeitraum|lieferung am"
        "|tag der lieferung|auftrag datum lief|auftrag vom|bestellung vom|liefertermin|anreise|abreise|leistung vom|leistungsmonat"
        "|abrechnungszeitraum|bestellt am|geliefert am|liefertag|zählerstand am|kündigungsfrist|mahndatum|eingangsdatum",
        "fr": "date de livraison|date de commande|période|date de prestation|commande du|date de service|date d'expédition"
        "|prélèvement à partir du|date de vente|bon de livraison du|commandé le|livré le|date de début|date de fin|période du"
        "|consommation du|date de naissance|arrivée|départ|date de relevé",
        "es": "fecha de pedido|fecha de entrega|período|fecha pedido|fecha de operación|fecha entrega|fecha operación|período de facturación"
        "|periodo de facturación|fecha albarán|fecha del pedido|entrada|salida|fecha de entrada|fecha de salida|periodo",
        "it": "data ordine|data consegna|periodo|data di consegna|data ddt|data dell'ordine|data trasporto|data di trasporto"
        "|periodo di riferimento|periodo di fatturazione|arrivo|partenza|data inizio|data fine|data nascita",
        "nl": "orderdatum|besteldatum|leverdatum|periode|afleverdatum|verzenddatum|datum levering|besteld op|geleverd op|leveringsdatum"
        "|aankomst|vertrek|periode van|facturatieperiode|verbruiksperiode",
        "pl": "data sprzedaży|data dostawy|data dokonania lub zakończenia dostawy towarów lub wykonania|data wykonania|okres|data zamówienia"
        "|data zakończenia dostawy|okres rozliczeniowy|data wydania|data zakończenia|data otrzymania|data realizacji|z dnia"
        "|data wykonania usługi",
        "fi": "toimituspäivä|tilauspäivä|jakso|huomautusaika|toimituspvm|tilauspvm|toimitettu|tilattu|laskutusjakso|laskutuskausi"
        "|saapumispäivä|lähtöpäivä|toimitusaika|reklamaatioaika",
        "sv": "leveransdatum|orderdatum|period",
        "da": "leveringsdato|ordredato|periode",
        "no": "leveringsdato|ordredato|periode",
        "pt": "data de entrega|data da encomenda|período|data de carga",
        "cs": "datum uskutečnění zdanitelného plnění|datum zdanitelného plnění|datum uskutečnění plnění|duzp|datum dodání|datum objednávky"
        "|datum uskut zd plnění",
    },
    "expiry": {
        "en": "valid until|valid till|valid through|valid thru|valid to|valid up to|valid for use until|validity|expiry|expiry date"
        "|expiration date|expires|expires on|expire on|expires at|will expire on|exp date|good until|good through|best before|use by"
        "|use before|redeemable until|renews on|renewal date|quote valid until|offer valid until",
        "de": "gültig bis|gültig bis zum|gültigkeit|angebot gültig bis|bindefrist|ablaufdatum|läuft ab am|läuft aus am|verfällt am"
        "|verfallen am|verfallsdatum|einlösbar bis|einzulösen bis|haltbar bis|mindestens haltbar bis|verlängert sich am",
        "fr": "valable jusqu'au|date de validité|validité|devis valable jusqu'au|valable jusqu|offre valable jusqu'au|valide jusqu'au"
        "|expire le|expirent le|expirera le|date d'expiration|à utiliser avant le|à consommer avant le|date de péremption|valide jusque",
        "es": "válido hasta|válida hasta|válido hasta el|válida hasta el|validez|expira el|expiran el|caduca el|caducan el|caducidad"
        "|fecha de caducidad|fecha de expiración|consumir antes del|fecha de vto de cae|vto cae|vencimiento cae|vencimiento del cae"
        "|fecha de vencimiento de cae|fecha vto cae|fecha de vto de cai|vencimiento cai|cae vto",
        "it": "valido fino al|valida fino al|validità|validità offerta|offerta valida fino al|data di validità|da utilizzare entro il"
        "|da consumarsi entro|valida fino a|valido fino a",
        "nl": "geldig tot|offerte geldig tot|geldig tot en met|geldig t m|verloopt op|verlopen op|houdbaar tot|te gebruiken voor"
        "|verloop datum|verloopdatum",
        "pl": "ważna do|ważny do|ważne do|oferta ważna do|ważność oferty|data ważności|termin ważności|wygasa|wygasa dnia",
        "fi": "voimassa|tarjous voimassa|voimassa asti|vanhenee|vanhentumispäivä|viimeinen voimassaolopäivä",
        "sv": "giltig till|giltigt till|giltig t o m|går ut|utgångsdatum|bäst före",
        "da": "gyldig til|udløber|udløbsdato|bedst før|gyldig indtil",
        "no": "gyldig til|utløper|utløpsdato|best før",
        "pt": "válido até|válida até|validade|data de validade|expira em|caduca em|data de expiração",
        "cs": "platnost do|platí do|platnost nabídky|datum expirace",
    },
}
