"""What the columns of line items are called."""

from __future__ import annotations

from tasks.agent.rules.vocabulary import Words

COLUMNS: dict[str, Words] = {
    "description": {
        "en": "description|item|items|product|details|service|item desc|item description|particulars|product description|services"
        "|description of goods|article|activity|products|work description|goods description|product service|item name|product name|work"
        "|style|activity description|project|task|description of services|job description|materials|labor|labour|article description"
        "|service description|item & description|parts",
        "de": "bezeichnung|beschreibung|artikel|leistung|produkt|artikelbezeichnung|produkt beschreibung|text|position|ware|leistungen"
        "|produktbeschreibung|leistungsbeschreibung|artikelbeschreibung|position beschreibung|material|tätigkeit|gegenstand"
        "|artikel bezeichnung|leistungsart|beschreibung der leistung|warenbezeichnung|arbeiten|gericht|titel",
        "fr": "désignation|description|libellé|article|prestation|produit|détail|désignation des produits|prestations|désignations"
        "|description des travaux|nature|intitulé|descriptif|désignation des travaux|produits|description de la prestation|ouvrage"
        "|libellé produit|articles",
        "es": "descripción|concepto|artículo|producto|detalle|conceptos|servicio|descripcion|descripción del servicio|trabajos|partida"
        "|descripción artículo|denominación|artículos|servicios|descripción producto",
        "it": "descrizione|articolo|prodotto|servizio|descrizione beni|descrizione prodotto|prestazione|descrizione articolo"
        "|descrizione della prestazione|descrizione merce|descrizione servizi|oggetto|lavori|descrizione dei beni"
        "|natura e qualità dei beni|denominazione|voce",
        "nl": "omschrijving|artikel|beschrijving|product|dienst|producten|artikelomschrijving|werkzaamheden|artikelen|diensten|specificatie"
        "|productomschrijving|naam|titel|activiteit",
        "pl": "nazwa|nazwa towaru lub usługi|opis|towar|nazwa towaru|nazwa usługi|nazwa towaru usługi|towar usługa|usługa"
        "|nazwa towaru lub usługi pkwiu|nazwa produktu|opis usługi|wyszczególnienie|produkt|tytuł|towary usługi|nazwa towaru i usługi"
        "|nazwa artykułu|towar lub usługa|produkty",
        "fi": "tuote|kuvaus|tuote palvelu|nimike|selite|palvelu|tuotenimi|tuotteen nimi|tuotekuvaus|artikkeli|työ|laji|tuotteet|erittely"
        "|tavara|tuote kuvaus|palvelun kuvaus",
        "sv": "benämning|beskrivning|artikel|produkt|tjänst|vara|specifikation",
        "da": "beskrivelse|varenavn|tekst|vare|ydelse|produkt|varebeskrivelse",
        "no": "beskrivelse|varenavn|tekst|vare|produkt|tjeneste|varetekst",
        "pt": "descrição|designação|artigo|produto|serviço|descrição do artigo",
        "cs": "popis|označení dodávky|název|položka|předmět|název položky|text|popis položky|zboží",
        "ja": "製品名|品名|品目|内容|摘要",
    },
    "quantity": {
        "en": "qty|quantity|units|hours|hrs|qty hr|no of units|qty hrs|pcs|nos|hours qty|days|nights|hour|quan|ordered|shipped|qty shipped"
        "|usage|hours worked|pieces|qnty|quant|hrs qty|used",
        "de": "menge|anzahl|stück|anz|std|stunden|stk|mge|mng|menge einheit|menge einh|zeit|dauer|tage|nächte|verbrauch|anz stk"
        "|gelieferte menge|anzahl stunden|aufwand|std anz",
        "fr": "quantité|qté|qte|nombre|nb|qtés|nbre|heures|jours|quant|unités|durée|nuits|nb heures|conso|volume|nb jours|qté livrée"
        "|quantités",
        "es": "cantidad|cant|unidades|uds|horas|ud|cantidad ud|cant ud|ctd|noches|días|consumo|nº uds|unid|ctdad",
        "it": "quantità|qta|q ta|q tà|ore|qtà|quant|q tà um|qtà um|numero pezzi|pezzi|giorni|notti|qt|quantita|n pezzi",
        "nl": "aantal|uren|hoeveelheid|st|hvh|stuks|dagen|nachten|aant|uur|verbruik",
        "pl": "ilość|liczba|il|ilość jm|ilość szt|szt|godziny|ilość godzin|zużycie|il szt|sztuk",
        "fi": "määrä|kpl|lkm|tunnit|määrä kpl|kpl määrä|tunteja|tuntia|tunti|päivää|vrk|yötä",
        "sv": "antal|antal tim|timmar|antal timmar|kvantitet|lev ant|ant",
        "da": "antal|timer|mængde|stk",
        "no": "antall|timer|mengde|ant",
        "pt": "quantidade|qtd|quant|qtde|horas|qt",
        "cs": "množství|počet|ks|počet mj|hodin|mn",
        "ja": "数量",
    },
    "unit_price": {
        "en": "unit price|price|rate|unit cost|price each|unit rate|price per unit|rate hr|cost|each|unit price excl vat|hourly rate"
        "|unit net price|unit price net|list price|fob price|unit value|price unit|price excl vat|daily rate|unit price ex vat"
        "|price per item|price item|unit amount|per unit|price ea|unit rate ex vat",
        "de": "einzelpreis|preis|e preis|ep|einzel|stückpreis|vk preis|nettopreis|einheitspreis|einzelpreis netto|preis stück|einzelpr"
        "|stundensatz|preis einheit|einzel netto|e preis netto|stk preis|ep netto|tagessatz|honorarsatz|vk|einzelpreis brutto"
        "|stückpreis netto|einzelpreis ohne ust|preis pro|preis pro stück|preis me|stückpreis ohne ust|preis einzeln|netto einzelpreis"
        "|stückpreis brutto|kosten",
        "fr": "prix unitaire|p u ht|pu ht|prix unitaire ht|p u|pu|prix unit|prix|prix u|prix u ht|prix unitaire mois|tarif|prix unit ht"
        "|pu h t|prix unitaire net|tarif horaire|taux horaire|prix unitaire hors taxe|prix unit ttc|pu ttc|prix unitaire ttc|pu net"
        "|p u net|p u ttc|unitaire|coût",
        "es": "precio|precio unitario|precio ud|p unitario|precio unidad|precio unit|tarifa|p u|precio unit sin iva|p v p|pvp|precio hora"
        "|precio neto|pr unit|ud|precio unidad sin iva|precio un|precio u|unitario|coste|costo",
        "it": "prezzo|prezzo unitario|prezzo unit|p unitario|prezzo un|tariffa|p u|prezzo netto|costo unitario|importo unitario|prezzo u"
        "|prezzo unitario netto|pr unitario|unitario|costo",
        "nl": "prijs|stuksprijs|prijs per stuk|eenheidsprijs|tarief|prijs stuk|stukprijs|uurtarief|prijs excl btw|stukprijs excl btw"
        "|bedrag per stuk|prijs per eenheid|eenh prijs|tarief per uur|prijs per uur|stuks prijs|kosten",
        "pl": "cena jedn|cena|cena netto|cena jednostkowa|cena jedn netto|cena jednostkowa netto|c jedn netto|cena jedn brutto|cena brutto"
        "|cena jednostkowa brutto|cena jedn zł|cena szt|cena zł|stawka godzinowa|cena za szt|cena j netto|koszt",
        "fi": "yksikköhinta|à hinta|a hinta|hinta|yks hinta|ahinta|kpl hinta|yksikkö hinta|hinta kpl|veroton hinta|hinta alv 0|tuntihinta"
        "|hinta euro|yksikköhinta alv 0|hinta yks|veroton yksikköhinta|verollinen hinta|kustannus",
        "sv": "à pris|a pris|pris|styckpris|apris|enhetspris|pris st|pris enhet|kostnad",
        "da": "enhedspris|stk pris|stykpris|pris pr stk|à pris|salgspris",
        "no": "pris|enhetspris|stk pris|à pris|pris pr enhet|kostnad",
        "pt": "preço|preço unitário|p unit|preço unit|preço un|valor unitário|pr unitário|p unitário|custo",
        "cs": "cena za mj|cena|jednotková cena|cena mj|cena za jednotku|cena ks|j cena",
        "ja": "単価",
    },
    "amount": {
        "en": "amount|total|line total|total price|price total|net amount|total amount|amount due|extended price|ext price|value|subtotal|sum"
        "|net value|net total|line amount|total excl vat|amount excl vat|gross amount|total net|ext amount|net|total cost|gross"
        "|total value|extended|extension|ext|charges|line value|amount net|total ex gst|amount ex gst|amount inc vat|total incl vat"
        "|net price|amt|line amt|total amt",
        "de": "gesamt|betrag|gesamtpreis|zeilenbetrag|summe|g preis|netto|gesamtbetrag|nettowert|total|wert|nettobetrag|gp|gesamt netto"
        "|preis gesamt|positionsbetrag|brutto|gesamtpreis netto|betrag netto|g preis netto|gesamtpr|ges preis|summe netto|bruttobetrag"
        "|endpreis|zeilensumme|zwischensumme inkl ust|gesamtwert|warenwert|gp netto|umsatz|nettopreis gesamt|positionswert"
        "|zwischensumme|entgelt",
        "fr": "montant ht|total ht|montant|prix ht|total|montant ttc|prix total|total ttc|prix total ht|montant net ht|montant net|prix net"
        "|total net ht|total h t|total ligne|montant total ht|total net|net ht|somme|sous total|valeur",
        "es": "importe|total|subtotal|importe total|total línea|precio total|importe neto|importe bruto|total sin iva|importe sin iva"
        "|subtotal sin iva|importe con iva|total neto",
        "it": "importo|totale|importo netto|totale riga|prezzo totale|imponibile|importo totale|totale netto|importo riga|valore|prezzo tot"
        "|totale imponibile",
        "nl": "bedrag|totaal|totaalprijs|prijs incl btw|subtotaal|totaal excl btw|bedrag excl btw|totaalbedrag|regeltotaal|prijs totaal"
        "|netto bedrag|bedrag ex btw|totaal ex btw|waarde",
        "pl": "wartość|wartość netto|kwota|wartość sprzedaży netto|wartość brutto|razem|kwota netto|wartość sprzedaży|kwota brutto|wartość zł"
        "|wartość netto zł|wartość brutto zł|razem netto|razem brutto|należność|suma|cena razem",
        "fi": "yhteensä|summa|verollinen|veroton|rivisumma|verollinen yhteensä|yht|veroton yhteensä|loppusumma|hinta yhteensä|yhteensä alv 0"
        "|veroton summa|yhteensä alv|brutto|verollinen summa",
        "sv": "belopp|summa|totalt|total|radsumma|netto",
        "da": "beløb|pris|total|i alt|linjebeløb|pris i alt",
        "no": "beløp|sum|totalt|total|linjesum|netto",
        "pt": "valor|total|total líquido|importância|valor total|montante|total linha",
        "cs": "celkem|celkem bez dph|cena celkem|celkem s dph|částka|bez dph|cena bez dph",
        "ja": "金額",
    },
    "tax_rate": {
        "en": "vat|tax|vat rate|tax rate|vat %|tax %|gst|taxes|sales tax|vat amount|tax amount|disc taxes|vat percent|gst %",
        "de": "mwst|ust|mwst satz|steuersatz|mwst betrag|ust satz|ust betrag",
        "fr": "tva|taux tva|montant tva|taux|% tva|taux d'imposition",
        "es": "iva|% iva|tipo iva|tasa impositiva|tipo impositivo",
        "it": "iva|aliquota|aliquota iva|% iva|al iva|aliquota tassa",
        "nl": "btw|btw tarief|btw %|belastingtarief",
        "pl": "vat|stawka|stawka podatku|stawka vat|kwota vat|kwota podatku|vat %|stopa podatkowa",
        "fi": "alv|alv %|vero|verokanta|veroprosentti",
        "sv": "moms|moms %|skattesats|momssats",
        "da": "moms|moms %|skatteprocent|momssats",
        "no": "mva|mva %|skattesats|avgiftsrate|mva sats",
        "pt": "iva|% iva|taxa|taxa iva",
        "cs": "dph|dph %|sazba|sazba dph|daňová sazba",
        "ja": "税率",
    },
    "other": {
        "en": "no|item no|item code|code|sku|date|unit|um|uom|discount|disc|part no|part number|ref|hsn|hsn code|pos|line|product code"
        "|article no|item #|hsn sac|sac|s no|sl no|sr no|serial no",
        "de": "pos|nr|art nr|artikelnummer|artikel nr|einheit|rabatt|datum|pos nr|art nr lieferant|gtin|einh|me|lfd nr|ean|rabatt %",
        "fr": "réf|référence|code|unité|remise|rem|date|n°|code article|unite|réf article|pos",
        "es": "ref|referencia|código|dto|descuento|fecha|cod|unidad",
        "it": "codice|cod|um|u m|sconto|sc|data|cod art|unità",
        "nl": "artikelnummer|artikelnr|eenheid|korting|datum|code|art nr|pos",
        "pl": "lp|l p|jedn|jm|j m|pkwiu|rabat|kod|indeks",
        "fi": "nro|tuotenro|yksikkö|yks|ale|alennus|ale %|pvm|tuotekoodi|koodi",
        "sv": "enhet|artnr|art nr|rabatt|datum|pos|rad",
        "da": "enhed|varenr|vare nr|rabat|dato|pos|nr",
        "no": "enhet|varenr|art nr|rabatt|dato|pos|nr",
        "pt": "ref|código|un|unidade|desc|desconto|data|cód",
        "cs": "mj|kód|č|sleva|poř|jednotka|označení",
        "ja": "単位|品目コード|品番",
    },
}

INCLUDED: Words = {
    "en": "of which|including|incl|included|thereof",
    "de": "davon|darin|inkl|enthalten",
    "fr": "dont|inclus",
    "es": "incluye",
    "it": "di cui",
    "nl": "incl|waarvan",
    "pl": "w tym",
    "fi": "sisältää",
    "sv": "varav",
    "da": "heraf",
    "no": "herav",
    "pt": "dos quais",
    "cs": "z toho",
}
"""A row that starts so belongs to the row above it and is no line item."""
