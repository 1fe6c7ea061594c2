"""What stands before the names of who writes, who is written to, and others."""

from __future__ import annotations

from tasks.agent.rules.vocabulary import Words

PARTIES: dict[str, Words] = {
    "supplier": {
        "en": "seller|landlord|lessor|vendor|supplier|from|bill from|sold by|issued by|remit to|service provider|merchant|payable to|pay to"
        "|payee|beneficiary|account name|account holder|in favor of|in favour of|make checks payable to|make cheques payable to"
        "|company name|shipper|exporter|shipper exporter|billed by|invoice from|our company",
        "de": "verkäufer|vermieter|lieferant|rechnungssteller|kontoinhaber|zahlungsempfänger|leistungserbringer|zahlbar an|konto zahlbar an"
        "|absender|auftragnehmer|aussteller|empfänger des zahlungsbetrags|verkauft von|leistungserbringerin|rechnungsaussteller"
        "|rechnung von|anbieter|verkauf und versand durch|verkauft durch",
        "fr": "vendeur|bailleur|fournisseur|émetteur|titulaire du compte|bénéficiaire|prestataire|titulaire|expéditeur|vendu par|facturé par"
        "|émis par|prestataire de services|vendu et expédié par",
        "es": "vendedor|proveedor|emisor|beneficiario|titular|titular de la cuenta|vendido por|emitida por|datos del emisor"
        "|datos fiscales del emisor|proveedor de servicios|expedidor|empresa emisora",
        "it": "fornitore|cedente|venditore|cedente prestatore|emittente|intestatario|beneficiario|mittente|venduto da"
        "|cedente prestatore fornitore|prestatore|emessa da|dati del fornitore|denominazione cedente|fornitore emittente"
        "|dati del cedente prestatore|dati del cedente",
        "nl": "verkoper|leverancier|afzender|ten name van|t n v|rekeninghouder|begunstigde|verkocht door|gefactureerd door|factuur van"
        "|dienstverlener|opdrachtnemer",
        "pl": "sprzedawca|wystawca|dostawca|odbiorca płatności|wystawiający|usługodawca|sprzedający|wykonawca",
        "fi": "myyjä|toimittaja|laskuttaja|saaja|saajan nimi|maksun saaja|laskun lähettäjä|lähettäjä|palveluntarjoaja|laskun laatija",
        "sv": "säljare|leverantör|avsändare",
        "da": "sælger|leverandør|afsender",
        "no": "selger|leverandør|avsender",
        "pt": "vendedor|fornecedor|emitente|prestador|identificação do emitente|dados do emitente|emissor|prestador de serviços|vendido por",
        "cs": "dodavatel|prodávající|zhotovitel|poskytovatel|poskytovatel služby|vystavil|vystavovatel",
    },
    "buyer": {
        "en": "bill to|tenant|lessee|billed to|invoice to|sold to|customer|customer name|client|buyer|purchaser|billing address|guest name"
        "|invoiced to|bill to address|client name|prepared for|recipient|quote to|quotation for|issued to|attention|to|credit to"
        "|invoice for|invoice address|consignee|buyer bill to|bill to party|invoiced customer|importer|bill address|billing to"
        "|bill to name|billing information|billing details|issued for|invoice issued for|charge to|charged to|customer details"
        "|customer address|client details|client address|buyer name|attn",
        "de": "käufer|rechnungsempfänger|kunde|rechnungsadresse|rechnungsanschrift|auftraggeber|rechnung an|leistungsempfänger|kundenname"
        "|empfänger|zahlbar durch|rechnungsempfängerin|gutschrift an|angebot für|besteller|rechnung für|mieter|leistungsempfängerin"
        "|empfängerin|kundin|rechnung geht an|rechnungsempfänger adresse|rechnungsanschrift kunde|fakturaadresse|an firma"
        "|kundenanschrift|kundenadresse",
        "fr": "acheteur|client|facturé à|adresse de facturation|destinataire|nom de l'abonné|facturer à|nom du client|adressé à|facture à"
        "|client facturé|facturation à|à l'attention de|locataire|adresse de la facturation|coordonnées du client|facture pour|preneur"
        "|facturation|adresse client|adresse du client|facturé pour|destinataire de la facture|à facturer à|informations client",
        "es": "cliente|comprador|facturar a|datos del cliente|destinatario|facturado a|datos de facturación|facturación|inquilino|adquirente"
        "|a la atención de|señor es|cobrar a|facturar|dirección de facturación|dirección del cliente|facturación a|datos del comprador"
        "|receptor|a nombre de|titular de la factura|destinatario de la factura|dirección de factura|factura para",
        "it": "cliente|acquirente|destinatario|spett le|spettabile|cessionario|intestata a|cessionario committente"
        "|cessionario committente cliente|intestatario fattura|committente|fatturare a|destinatario fattura"
        "|dati del cessionario committente|dati del cessionario|dati del committente|dati del cliente|indirizzo di fatturazione"
        "|fatturato a|dati cliente|intestato a|dati di fatturazione|fattura intestata a",
        "nl": "koper|factuuradres|aan|factuur aan|opdrachtgever|geadresseerde|klantgegevens|gefactureerd aan|afnemer|factuur voor|huurder"
        "|t a v|ter attentie van|debiteur naam|facturatieadres|factuurgegevens|gefactureerd aan klant|factureren aan|klantadres|klant"
        "|klantnaam|naam klant|ontvanger|factuur naar",
        "pl": "nabywca|klient|kupujący|zamawiający|płatnik|usługobiorca|zleceniodawca|adresat|nabywca usługi|nabywca adres|dane nabywcy"
        "|adres nabywcy|faktura dla|dane do faktury",
        "fi": "ostaja|asiakas|laskutusosoite|maksaja|laskun saaja|tilaaja|laskutetaan|laskutettava|vastaanottaja laskun|asiakkaan nimi"
        "|laskutusasiakas|laskun maksaja|laskutustiedot|asiakkaan tiedot|laskutettava asiakas|laskun vastaanottaja",
        "sv": "köpare|kund|fakturaadress|faktureras|beställare|faktureras till|kundens adress|faktureringsadress|fakturamottagare|mottagare"
        "|faktura till",
        "da": "køber|kunde|faktureres til|faktureringsadresse|faktureres til kunde|kundens adresse|fakturamodtager|modtager|faktura til",
        "no": "kjøper|kunde|fakturaadresse|faktureres|faktureres til|kundens adresse|fakturamottaker|mottaker|faktura til",
        "pt": "cliente|comprador|adquirente|exmo s sr s|exmos senhores|faturar a|destinatário|destinatário remetente|tomador"
        "|tomador de serviços|dados do cliente|morada de facturação|morada de faturação|endereço de cobrança|destinatário da fatura"
        "|fatura para",
        "cs": "odběratel|kupující|zákazník|objednatel|fakturační adresa|fakturováno|příjemce faktury",
    },
    "other_party": {
        "en": "ship to|deliver to|delivery address|shipping address|service address|shipped to|c/o|salesperson|sales rep|contact"
        "|deliver address|send to|ship to address|shipping details|delivered to",
        "de": "warenempfänger|lieferadresse|lieferanschrift|lieferung an|ansprechpartner|sachbearbeiter|versandadresse|versandanschrift"
        "|geliefert an|liefern an|lieferempfänger",
        "fr": "adresse de livraison|livré à|contact commercial|livraison à|adresse de l'installation|adresse d'expédition|expédié à|livrer à"
        "|envoyé à",
        "es": "dirección de envío|dirección de entrega|enviar a|envíe a|envie a|envío a|entregar a|enviado a|dirección de entrega del pedido",
        "it": "dati del terzo intermediario|terzo intermediario|luogo di destinazione|destinazione|destinazione merce|spedire a"
        "|indirizzo di spedizione|indirizzo di consegna|consegnare a|consegna a",
        "nl": "afleveradres|bezorgadres|verzendadres|leveren aan|geleverd aan|verzenden naar|leveradres|bezorgen bij|aflever adres",
        "pl": "odbiorca|podmiot inny|adres dostawy|wystawca faktury|adres wysyłki|wysłano do|adres do wysyłki",
        "fi": "toimitusosoite|vastaanottaja|toimitettu osoitteeseen|lähetysosoite",
        "sv": "leveransadress|er referens|vår referens",
        "da": "leveringsadresse|leveres til|vores ref|deres ref",
        "no": "leveringsadresse|vår ref|deres ref|leveranse adresse",
        "pt": "local de entrega|morada de entrega|endereço de entrega|morada para entrega",
        "cs": "dodací adresa|konečný příjemce|příjemce",
    },
}
