"""What the document's own number is called, and what others are that stand beside it."""

from __future__ import annotations

from tasks.agent.rules.vocabulary import Words

NUMBERS: dict[str, Words] = {
    "number": {
        "en": "invoice number|invoice no|invoice nr|invoice num|invoice id|invoice #|invoice ref|invoice reference|inv no|inv #|bill number"
        "|bill no|bill #|receipt number|receipt no|receipt #|receipt id|credit note number|credit note no|credit note #"
        "|credit memo number|credit memo no|credit memo #|quote number|quote no|quote #|quote ref|quotation number|quotation no"
        "|quotation #|estimate number|estimate no|estimate #|document number|document no|doc no|txn|txn id|transaction no"
        "|transaction number|transaction id|booking id|tax invoice no|tax invoice number|number|folio no|statement no|sales invoice no"
        "|sales invoice number|invoice code|inv number|inv ref|inv id|num|bill ref|proforma no|proforma invoice no|pro forma no|pi no"
        "|pi number|folio number|folio #|folio|proposal no|proposal number|proposal #|quote reference|quote id|credit #|ro #|ro no"
        "|repair order #|repair order no|trans|trans no|trans #|transaction #|check #|check no|chk|receipt ref|statement number|memo no"
        "|credit no|credit number|sales receipt no|sales receipt #|order receipt no|voucher no|docket no|ticket number|slip no"
        "|slip number|slip #|sales #|sale #|sales no|sale no|sale number",
        "de": "rechnungsnummer|rechnungs nummer|rechnungsnr|rechnungs nr|rechnung nr|rechnung nummer|nummer|re nr|rg nr|rechn nr|belegnummer"
        "|beleg nr|belegnr|beleg nummer|gutschriftnummer|gutschriftsnummer|gutschrift nr|gutschrifts nr|angebotsnummer|angebots nr"
        "|angebot nr|bon nr|bonnummer|quittung nr|quittungsnummer|dokumentnummer|dokument nr|offerte nr|offertnummer|rechnungs id"
        "|rechnungskennung|rg nummer|rechn nummer|rechnungs no|honorarnote nr|honorarnote|angebotsnr|angebot nummer|gutschriftsnr"
        "|gutschriftnr|bon|beleg|bonnr|kassenbon nr|stornorechnung nr|bon id|vorgang nr|rechnungsnummer bitte bei zahlung angeben"
        "|abrechnungsnummer|abrechnung nr",
        "fr": "facture n°|facture numéro|facture no|n° facture|n° de facture|n° de la facture|numéro de facture|numéro de la facture"
        "|numéro facture|no de facture|no facture|réf facture|référence facture|avoir n°|n° d'avoir|numéro d'avoir|numéro de l'avoir"
        "|devis n°|n° devis|n° de devis|numéro de devis|reçu n°|ticket n°|n° ticket|n° de reçu|numéro du document|n° de document"
        "|pièce n°|numéro|numéro de document|n° de pièce|n° du document|facture réf|réf de la facture|n° de ticket|note d'honoraires n°"
        "|n° avoir|ticket|n° pièce|reçu no|devis réf|référence devis|n° du devis|note n°|numéro de reçu",
        "es": "número de factura|nº de factura|n° de factura|nº factura|num factura|factura nº|factura n°|factura no|factura núm"
        "|factura número|número factura|no factura|nº documento|número de documento|presupuesto nº|nº de presupuesto|ticket nº"
        "|número de recibo|número|recibo nº|nota de crédito nº|núm de factura|núm factura|num de factura|nº de fra|nº fra|fra nº"
        "|n° factura|factura simplificada|factura simplificada nº|nº ticket|nº de documento|factura rectificativa nº|documento nº"
        "|presupuesto núm|nº presupuesto|número de presupuesto|nº de ticket|minuta nº|serie y número|nº factura simplificada"
        "|serie número|comp nro|comprobante nro|comprobante nº|nº comprobante|nro comprobante|nº de comprobante|número de comprobante"
        "|nro de comprobante",
        "it": "numero fattura|n fattura|n° fattura|nr fattura|fattura n|fattura n°|fattura nr|fattura numero|numero documento|numero"
        "|documento n|n documento|nr documento|preventivo n|ricevuta n|nota di credito n|fattura no|n doc|doc n|fattura immediata n"
        "|parcella n|scontrino n|n scontrino|preventivo nr|preventivo numero|numero preventivo|offerta n|n preventivo"
        "|nota di credito nr|numero nota di credito|ricevuta nr|documento numero|documento nr|nr doc|n fatt|fatt n|bolletta n"
        "|n bolletta|bolletta nr|numero bolletta",
        "nl": "factuurnummer|declaratienummer|declaratienr|creditfactuurnummer|factuur nummer|factuurnr|factuur nr|factuur no|nummer factuur"
        "|creditnotanummer|offertenummer|offerte nr|bonnummer|bonnr|documentnummer|rekeningnummer factuur|factuurnr nr|nota nr"
        "|notanummer|factuurcode|creditnota nr|creditnotanr|creditfactuur nr|kassabon nr|bon nr|kwitantie nr|transactienummer|offertenr"
        "|documentnr|nr factuur|transactie|ons factuurnummer|notanr",
        "pl": "numer faktury|nr faktury|faktura nr|faktura vat nr|faktura numer|numer dokumentu|nr dokumentu|paragon nr|numer oferty"
        "|oferta nr|faktura korygująca nr|nr paragonu|numer|faktura końcowa nr|faktura zaliczkowa nr|faktura pro forma nr"
        "|faktura proforma nr|nr wydr|nr wydruku|nr oferty|numer paragonu|fv nr|nr fv|korekta nr|faktura vat korygująca nr|nr korekty",
        "fi": "laskun numero|laskunumero|laskun nro|laskunro|lasku nro|lasku nr|laskun nr|kuitin numero|kuitti nro|tarjousnumero|tarjous nro"
        "|tositenumero|hyvityslasku nro|laskun tunnus|laskutunnus|lasku numero|kuittinro|kuitti nr|kuitti n:o|hyvityslaskun numero"
        "|tarjouksen numero|tosite nro|tosite|kuitti|kuittinumero",
        "sv": "fakturanummer|fakturanr|faktura nr|fakturanr nr|kvittonummer|kvitto nr|offertnummer|offertnr|offert nr|kreditfakturanr"
        "|kvittonr|kreditnota nr|kreditfaktura nr|faktura nummer|verifikationsnummer",
        "da": "fakturanummer|fakturanr|faktura nr|faktura nummer|kreditnota nr|kreditnotanr|bonnr|bon nr|tilbudsnr|tilbudsnummer"
        "|kvittering nr",
        "no": "fakturanummer|fakturanr|faktura nr|faktura nummer|kreditnota nr|kreditnotanr|kvittering nr|bongnr|tilbudsnummer|tilbudsnr",
        "pt": "fatura n|fatura nº|fatura n°|nº da fatura|número da fatura|nº fatura|número de fatura|fatura ft|nota de crédito nº|recibo nº"
        "|nº documento|número do documento|orçamento nº|documento nº|factura nº|número|nota fiscal nº",
        "cs": "faktura č|faktura číslo|číslo faktury|číslo dokladu|doklad č|daňový doklad č|faktura daňový doklad č"
        "|faktura daňový doklad číslo|č faktury|č dokladu|dobropis č|nabídka č|účtenka č|číslo účtenky",
        "ja": "請求書番号|請求番号|書類番号|見積番号|見積書番号|伝票番号",
    },
    "other_number": {
        "en": "order number|order no|order #|po number|po no|p o number|po #|po|purchase order|purchase order no|purchase order number"
        "|customer no|customer number|customer id|account no|account number|account #|reference|ref|ref no|reference number"
        "|your reference|our reference|your ref|our ref|page|phone|tel|fax|mobile|delivery note|client id|client no|customer #|order id"
        "|order ref|routing number|sort code|swift|bic|iban|contract no|contract number|project|project no|job no|store #|terminal"
        "|register|cashier|auth|seq #|seq no|sequence no|app code|approval code|auth code|authorization code|authorisation code"
        "|tran type|transaction type|entry mode|merchant id|merchant no|terminal id|terminal no|member id|delivery note no|company no"
        "|company number|registration no|registered no|reg no|website|email|e mail|ticket no|ifsc code|cin|requisition no|your order"
        "|our order|quote valid|meter no|meter number|account ref|customer ref|booking reference|room no|member no|awb|p n|lot no"
        "|hs code|lease no|claim no|policy no|policy number|case no|original invoice|invoice reference original|customer code|cust no"
        "|cust id|your po|our reference no|abn|acn|bsb|mc no|confirmation no|confirmation number|reservation no|purchase order #"
        "|total points|points total|points|points earned|points balance|registration number|reg number|registered number|serial number"
        "|serial no|batch no|batch number|model number|model no|phone number|telephone number|fax number|certificate number"
        "|certificate no|licence number|license number|licence no|license no|tracking number|tracking no|card number|card no"
        "|passport number|account id|user id|login",
        "de": "kundennummer|kunden nr|kundennr|kunden nummer|bestellnummer|bestell nr|bestellung nr|auftragsnummer|auftrags nr|auftrag nr"
        "|auftragsnr|lieferscheinnummer|lieferschein nr|lieferschein|seite|telefon|tel|fax|debitorennummer|debitoren nr|vertragsnummer"
        "|vertrags nr|referenz|ihre referenz|unsere referenz|ihr zeichen|unser zeichen|mandatsreferenz|projekt|projekt nr"
        "|handelsregister|hrb|hrb nr|konto nr|kto nr|blz|konto|gläubiger id|leasingnummer|artikelnummer|serienummer|filiale|kasse"
        "|terminal id|auftrag nr lief|lief nr|gln|lieferantennummer|lieferanten nr|bestellung|vorgangsnummer|internet|email|kd nr|kdnr"
        "|kunden id|debitor|debitor nr|zähler nr|zählernummer|vertragskonto|vertragskontonummer|buchungsnummer|zimmer nr|bediener"
        "|verwendungszweck|zu rechnung|zur rechnung|ursprungsrechnung|originalrechnung|zahlungsreferenznummer|zahlungsreferenz|auftrag"
        "|mitgliedsnummer|patientennummer|aktenzeichen|unsere zeichen|kundenreferenz|rechnungsbezug|transaktionsnummer|ta nr|trace nr"
        "|beleg nr terminal|punkte|punktestand|bonuspunkte|punkte gesamt|summe punkte|registernummer|registrierungsnummer|seriennummer"
        "|serien nr|chargennummer|handelsregisternummer|kartennummer|telefonnummer|faxnummer|sendungsnummer|zulassungsnummer"
        "|genehmigungsnummer|bestellcode|buchungscode|ursprüngliche rechnung|ursprüngl rechnung",
        "fr": "n° client|numéro client|numéro de client|code client|réf client|référence client|votre référence|notre référence|n° commande"
        "|n° de commande|numéro de commande|commande n°|bon de commande|page|tél|téléphone|fax|siret|siren|rcs|ape|naf|facture liée"
        "|numéro de dossier|id client|réf marché|n° de contrat|numéro de ligne|référence|réf|bon de livraison|n° de compte|capital"
        "|bl n°|code ape|n° abonné|numéro d'abonné|mandat|compte client|n° compte client|n° de client|facture d'origine"
        "|facture initiale|sur facture n°|n° de commande client|numéro de compte|contrat n°|référence contrat|point de livraison"
        "|n° adhérent|n° dossier|dossier n°|n° de bl|commande|points|total points|points fidélité|solde de points"
        "|numéro d'enregistrement|numéro d'immatriculation|n° d'immatriculation|numéro de série|n° de série|numéro de téléphone"
        "|numéro de suivi|numéro de carte|numéro de lot|n° d'enregistrement|code de commande|code commande|facture originale",
        "es": "número de pedido|nº pedido|pedido|número de cliente|nº cliente|cliente nº|referencia|página|teléfono|su referencia|cuenta"
        "|nº de cliente|cód cliente|código cliente|código de cliente|nº albarán|albarán|nº contrato|número de cuenta|cups"
        "|factura original|factura rectificada|nº de pedido|expediente|nº expediente|ref catastral|puntos|total puntos|saldo de puntos"
        "|número de registro|nº de registro|número de serie|nº de serie|número de teléfono|número de tarjeta|número de lote"
        "|número de seguimiento|numero de orden|número de orden|nº de orden|orden nº|tarjeta fidelidad|código de pedido|código pedido"
        "|punto de venta|pto de venta|cae nº|cae|cuit",
        "it": "numero ordine|codice cliente|ordine n|riferimento|pagina|telefono|ddt|ordine|cod cliente|n ordine|vs ordine"
        "|codice destinatario|ns rif|vs rif|n cliente|n° cliente|nr cliente|ordine nr|ordine numero|ddt n|ddt nr|contratto n"
        "|rif fattura|fattura di riferimento|iban|c c|pratica n|punti|totale punti|saldo punti|numero di registrazione|numero di serie"
        "|numero di telefono|numero rea|numero carta|numero lotto|numero di iscrizione|codice ordine|fattura originale|ordine di vendita",
        "nl": "klantnummer|ordernummer|bestelnummer|referentie|uw referentie|ons kenmerk|uw kenmerk|pagina|telefoon|kvk|kvk nummer"
        "|debiteurnummer|rekeningnummer|serienummer|klantnr|projectnummer|klant nr|bestelling|order nr|ordernr|oorspronkelijke factuur"
        "|betreft factuur|projectnr|project nr|contractnummer|polisnummer|meternummer|debiteur|debiteur nr|debiteurnr|inkoopordernummer"
        "|uw ordernummer|ean code|uw bestelling|dossiernummer|lidnummer|punten|totaal punten|puntensaldo|registratienummer|kaartnummer"
        "|telefoonnummer|inschrijvingsnummer|partijnummer|bestelcode|verkooporder|originele factuur|kenmerk",
        "pl": "numer zamówienia|nr zamówienia|numer klienta|nr klienta|strona|numer rachunku|nr rachunku|konto|numer rachunku bankowego"
        "|nr konta|numer ksef|id nabywcy|regon|krs|telefon|zamówienie nr|wz nr|do faktury|do faktury nr|dotyczy faktury"
        "|dotyczy faktury nr|numer konta|nr zam|zamówienie|nr rej|pesel|nr umowy|umowa nr|numer umowy|nr licznika|bdo|nr wz|nr zlecenia"
        "|zlecenie nr|punkty|suma punktów|stan punktów|numer rejestracyjny|numer seryjny|nr seryjny|numer telefonu|numer karty"
        "|numer partii|kod zamówienia|oryginalna faktura|referencja|faktura pierwotna",
        "fi": "asiakasnumero|asiakasnro|tilausnumero|viite|viitenumero|viitteenne|viitteemme|sivu|puhelin|puh|tilinumero|tilausnro"
        "|asiakas nro|sopimusnumero|asiakasnumeronne|tilauksen numero|sopimus nro|alkuperäinen lasku|hyvitettävä lasku|projektinumero"
        "|myyjän viite|ostajan viite|käyttöpaikka|mittarinumero|asiakkaan viite|pisteet|pisteet yhteensä|bonuspisteet|rekisterinumero"
        "|sarjanumero|puhelinnumero|korttinumero|eränumero|tilauskoodi",
        "sv": "kundnummer|kundnr|ordernummer|ordernr|organisationsnummer|org nr|orgnr|bankgiro|plusgiro|ocr|ocr nummer|referens|sida|telefon"
        "|poäng|registreringsnummer|serienummer|telefonnummer|kortnummer|bokningsnummer|bokningskod|originalfaktura|ursprunglig faktura",
        "da": "kundenr|kundenummer|ordrenr|ordrenummer|kontonr|reg nr|side|telefon|tlf|cvr|cvr nr|betalings id|rekvisition|point i alt|point"
        "|registreringsnummer|serienummer|telefonnummer|kortnummer|bestillingsnr|bestillingsnummer|oprindelig faktura",
        "no": "kundenr|kundenummer|ordrenr|ordrenummer|kontonr|kontonummer|kid|kid nummer|side|telefon|tlf|org nr|orgnr|bankkonto|poeng"
        "|registreringsnummer|serienummer|telefonnummer|kortnummer|bestillingskode|ordrekode|opprinnelig faktura|referanse",
        "pt": "nº cliente|nº de cliente|encomenda|encomenda nº|referência|página|telefone|contribuinte|atcud|código de cliente|pontos"
        "|total pontos|número de registo|número de registro|número de série|número de telefone|número do cartão|código do pedido"
        "|fatura original|chave de acesso|protocolo de autorização",
        "cs": "variabilní symbol|konstantní symbol|specifický symbol|číslo objednávky|objednávka č|číslo účtu|ičo|ič|strana|telefon|tel"
        "|objednávka|body|body celkem|registrační číslo|sériové číslo|výrobní číslo|telefonní číslo|číslo karty|kód objednávky"
        "|původní faktura|originální faktura",
        "ja": "登録番号|電話番号|会員番号|取引番号|承認番号|カード番号|端末番号",
    },
    "tax_id": {
        "en": "vat no|vat number|vat id|vat reg no|vat registration no|vat registration number|vat reg|tax id|tax no|tax number|gstin|gst no"
        "|gst number|gst registration no|tin|ein|abn|tax reg no|vat identification number|tax registration number|gst reg no|vatin"
        "|vat id no|tax registration no|gst registration number|vat registration|tax identification number|business tax number",
        "de": "ust idnr|ust id|ust id nr|ustid|ustidnr|umsatzsteuer id|umsatzsteuer identifikationsnummer|ust ident nr|mwst nr|uid|uid nr"
        "|steuernummer|steuer nr|steuernr|mwst nummer|st nr|umsatzsteuer id nr|ust idnummer|vat nr|mehrwertsteuernummer|ust identnr"
        "|ust ident nummer|ust identifikationsnummer|umsatzsteueridentnummer|umsatzsteueridentifikationsnummer|ust identnummer"
        "|umsatzsteuer ident nr|mwst id|steuer id|steueridentifikationsnummer|umsatzsteuernummer",
        "fr": "n° tva|n° tva intracommunautaire|tva intracommunautaire|n° de tva|numéro de tva|n° tva intra|tva intra"
        "|n° de tva intra communautaire|n° de tva intracommunautaire|numéro tva|n° tva client|id tva|identifiant tva"
        "|tva intra communautaire|numéro de tva intracommunautaire|numéro d'identification fiscale|identifiant fiscal",
        "es": "nif|cif|nif iva|n i f|c i f|cif nif|dni|número de iva|identificador iva|identificación fiscal|identificador fiscal"
        "|número de identificación fiscal|cuit|cuil|rut|rfc",
        "it": "p iva|partita iva|p i|codice fiscale|c f|part iva|cod fiscale|p iva c f|cf|identificativo fiscale"
        "|identificativo fiscale ai fini iva|numero partita iva|n partita iva",
        "nl": "btw nummer|btw nr|btw id|btw identificatienummer|btw id nr|belastingnummer",
        "pl": "nip|nip ue|numer vat|id vat|identyfikator podatkowy|numer nip|nr nip",
        "fi": "y tunnus|alv nro|alv numero|vat tunnus|alv tunniste|alv tunnus",
        "sv": "momsreg nr|momsregistreringsnummer|vat nr|momsnr|vat nummer|momsnummer",
        "da": "cvr nr|se nr|momsnr|cvr nummer|moms nr",
        "no": "org nr no|mva nr|mva nummer",
        "pt": "nif|nipc|contribuinte nº|nº contribuinte|cnpj|cpf|cnpj cpf|cpf cnpj|número de iva|iva id|identificação fiscal"
        "|número de identificação fiscal|número de contribuinte",
        "cs": "dič|dič cz|daňové identifikační číslo",
    },
}
