"""What labels are called in Swedish, Danish, Norwegian, Portuguese and Czech. Data only, in the form of the vocabulary."""

from __future__ import annotations

from tasks.agent.rules.vocabulary import Words

KINDS: dict[str, Words] = {
    "invoice": {
        "sv": "faktura|räkning",
        "da": "faktura|regning",
        "no": "faktura|regning",
        "pt": "fatura|factura|fatura recibo|fatura proforma|nota fiscal|nf e|nfs e|danfe|nota fiscal eletrônica|documento auxiliar da nota fiscal eletrônica|nota fiscal de serviço eletrônica|nota fiscal de serviços eletrônica",
        "cs": "faktura|faktura daňový doklad|daňový doklad|zálohová faktura",
    },
    "credit_note": {
        "sv": "kreditfaktura|kreditnota|returkvitto",
        "da": "kreditnota|kreditfaktura|returbon",
        "no": "kreditnota|kreditfaktura|returkvittering",
        "pt": "nota de crédito|nota de devolução",
        "cs": "dobropis|opravný daňový doklad|opravný doklad|vratka",
    },
    "receipt": {
        "sv": "kvitto|kassakvitto|kortkvitto",
        "da": "kvittering|bon|kassebon|kortkvittering",
        "no": "kvittering|salgskvittering|kortkvittering",
        "pt": "recibo|talão|fatura simplificada|comprovante de pagamento|cupom fiscal|cupom fiscal eletrônico|nfc e|danfe nfc e|nota fiscal de consumidor eletrônica|documento auxiliar da nota fiscal de consumidor eletrônica",
        "cs": "účtenka|pokladní doklad|stvrzenka|paragon|zjednodušený daňový doklad",
    },
    "quotation": {
        "sv": "offert|anbud|kostnadsförslag",
        "da": "tilbud",
        "no": "tilbud|pristilbud",
        "pt": "orçamento|cotação|proposta",
        "cs": "nabídka|cenová nabídka",
    },
}

FIELDS: dict[str, Words] = {
    "number": {
        "sv": "fakturanummer|fakturanr|faktura nr|fakturanr nr|kvittonummer|kvitto nr|offertnummer|offertnr|offert nr|kreditfakturanr|kvittonr|kreditnota nr|kreditfaktura nr"
        "|faktura nummer|verifikationsnummer",
        "da": "fakturanummer|fakturanr|faktura nr|faktura nummer|kreditnota nr|kreditnotanr|bonnr|bon nr|tilbudsnr|tilbudsnummer|kvittering nr",
        "no": "fakturanummer|fakturanr|faktura nr|faktura nummer|kreditnota nr|kreditnotanr|kvittering nr|bongnr|tilbudsnummer|tilbudsnr",
        "pt": "fatura n|fatura nº|fatura n°|nº da fatura|número da fatura|nº fatura|número de fatura|fatura ft|nota de crédito nº|recibo nº"
        "|nº documento|número do documento|orçamento nº|documento nº|factura nº|número|nota fiscal nº",
        "cs": "faktura č|faktura číslo|číslo faktury|číslo dokladu|doklad č|daňový doklad č|faktura daňový doklad č|faktura daňový doklad číslo"
        "|č faktury|č dokladu|dobropis č|nabídka č|účtenka č|číslo účtenky",
    },
    "date": {
        "sv": "fakturadatum|datum|utfärdad|utskriftsdatum|offertdatum|kvittodatum",
        "da": "fakturadato|dato|udstedt|udstedelsesdato|tilbudsdato",
        "no": "fakturadato|dato|utstedt|tilbudsdato|kvitteringsdato",
        "pt": "data|data da fatura|data de emissão|data emissão|data do documento|emitida em|emitido em|data da factura",
        "cs": "datum vystavení|datum|vystaveno|vystaveno dne|datum vystavení dokladu",
    },
    "due_date": {
        "sv": "förfallodatum|förfallodag|förfaller|betalas senast|sista betalningsdag|att betala senast|betala senast|förf datum|oss tillhanda senast",
        "da": "forfaldsdato|betalingsdato|forfald|forfalder|betales senest|senest rettidig betaling|sidste rettidige betalingsdag|betalingsfrist",
        "no": "forfallsdato|forfall|forfaller|betalingsfrist|betales innen|betales senest",
        "pt": "vencimento|data de vencimento|data vencimento|data limite de pagamento|pagar até|pagamento até|pagável até|vence em",
        "cs": "datum splatnosti|splatnost|splatná dne|splatné do|splatnost dne|uhraďte do|splatné dne",
    },
    "net": {
        "sv": "netto|exkl moms|summa exkl moms|totalt exkl moms|belopp exkl moms|nettobelopp|delsumma|summa netto|exklusive moms|varuvärde|totalt exklusive moms|totalt utan moms",
        "da": "subtotal|netto|ekskl moms|i alt ekskl moms|total ekskl moms|momsgrundlag|nettobeløb|beløb ekskl moms|momspligtigt beløb|excl moms|total excl moms|i alt uden moms",
        "no": "netto|eks mva|sum eks mva|beløp eks mva|totalt eks mva|ekskl mva|sum ekskl mva|nettobeløp|delsum|mva grunnlag|netto sum|sum uten mva",
        "pt": "subtotal|total ilíquido|total líquido|valor líquido|base tributável|incidência|base de incidência|total sem iva|valor sem iva|total mercadoria|soma|valor tributável|total sem impostos",
        "cs": "základ daně|celkem bez dph|základ|cena bez dph|celková cena bez dph|součet bez dph|bez dph|mezisoučet|základ dph|celkem bez daně",
    },
    "tax": {
        "sv": "moms|varav moms|momsbelopp|summa moms|moms totalt|mervärdesskatt",
        "da": "moms|momsbeløb|heraf moms|moms i alt",
        "no": "mva|merverdiavgift|mva beløp|herav mva|sum mva|utgående mva",
        "pt": "iva|total iva|valor iva|total do iva|valor do iva|total de imposto|imposto|impostos",
        "cs": "dph|výše dph|daň|dph celkem|celkem dph|částka dph|výše daně",
    },
    "total": {
        "sv": "totalt|summa|totalbelopp|summa inkl moms|totalt inkl moms|total|inkl moms|fakturabelopp|slutsumma|summa att betala|belopp inkl moms|totalsumma|totalt efter rabatt|summa efter rabatt",
        "da": "total|i alt|total inkl moms|i alt inkl moms|fakturabeløb|beløb inkl moms|totalbeløb|fakturatotal|samlet beløb|total efter rabat|i alt efter rabat",
        "no": "total|totalt|sum|sum inkl mva|totalt inkl mva|totalsum|totalbeløp|fakturabeløp|beløp inkl mva|inkl mva|sum totalt|sum etter rabatt|totalt etter rabatt",
        "pt": "total|total documento|total geral|total com iva|valor total|total da fatura|total do documento|total fatura|montante total|total com desconto|total após desconto|valor após desconto",
        "cs": "celkem|celkem s dph|celková částka|celkem včetně dph|cena celkem|celková cena|součet|částka celkem|celkem vč dph|celkem po slevě|cena po slevě",
    },
    "amount_due": {
        "sv": "att betala|summa att betala|belopp att betala|att betala totalt",
        "da": "at betale|til betaling|beløb til betaling|skyldigt beløb|i alt at betale",
        "no": "å betale|beløp å betale|til betaling|sum å betale|utestående|å betale totalt",
        "pt": "total a pagar|a pagar|valor a pagar|montante a pagar|saldo|líquido a pagar|importância a pagar",
        "cs": "k úhradě|celkem k úhradě|zbývá uhradit|částka k úhradě|k zaplacení|celkem k zaplacení",
    },
    "discount": {
        "sv": "rabatt|total rabatt|summa rabatt|besparing|du sparar|kassarabatt",
        "da": "rabat|rabat i alt|samlet rabat|besparelse|du sparer|sparet|kontantrabat",
        "no": "rabatt|rabatt totalt|sum rabatt|besparelse|du sparer|spart|kontantrabatt",
        "pt": "desconto|descontos|total descontos|total de descontos|desconto total|poupança|poupou|total poupado|retenção|retenção na fonte|irs|desconto de pronto pagamento|desconto financeiro",
        "cs": "sleva|sleva celkem|celková sleva|úspora|ušetřeno|ušetřili jste|skonto",
    },
    "of_payment": {
        "sv": "kassarabatt",
        "da": "kontantrabat",
        "no": "kontantrabatt",
        "pt": "retenção|retenção na fonte|irs|desconto de pronto pagamento|desconto financeiro",
        "cs": "skonto",
    },
    "charge": {
        "sv": "frakt|öresavr|öresutjämning|öresavrundning|avrundning|porto|expeditionsavgift|faktureringsavgift",
        "da": "fragt|gebyr|porto|afrunding|forsendelse",
        "no": "frakt|gebyr|porto|øreavrunding|avrunding",
        "pt": "portes|transporte|arredondamento|portes de envio",
        "cs": "doprava|poštovné|zaokrouhlení|balné",
    },
    "received": {
        "sv": "mottaget|mottaget belopp|betalt|betalt belopp|belopp",
        "da": "modtaget|modtaget beløb|betalt|betalt beløb|beløb",
        "no": "mottatt|mottatt beløp|betalt|betalt beløp|beløp",
        "pt": "recebido|recebemos|valor recebido|valor pago|a quantia de|quantia de|a importância de|importância de|valor|pago",
        "cs": "přijato|přijatá částka|zaplaceno|částka|částku",
    },
    "paid_on": {
        "sv": "betald den|betalningsdatum",
        "da": "betalt den|betalingsdato",
        "no": "betalt den|betalingsdato",
        "pt": "data de pagamento|pago em|data do pagamento",
        "cs": "datum platby|zaplaceno dne|datum úhrady",
    },
    "in_words": {"pt": "por extenso|valor por extenso|a quantia de|a importância de"},
    "settled": {
        "sv": "betalt|förskott|kontant|växel|kort",
        "da": "betalt|forudbetalt|kontant|byttepenge|dankort",
        "no": "betalt|forskudd|kontant|vekslepenger",
        "pt": "pago|adiantamento|troco|entregue|numerário|multibanco",
        "cs": "zaplaceno|záloha|uhrazeno|hotovost|vráceno|uhrazená záloha",
    },
    "supplier": {
        "sv": "säljare|leverantör|avsändare",
        "da": "sælger|leverandør|afsender",
        "no": "selger|leverandør|avsender",
        "pt": "vendedor|fornecedor|emitente|prestador|identificação do emitente|dados do emitente|emissor|prestador de serviços|vendido por",
        "cs": "dodavatel|prodávající|zhotovitel|poskytovatel|poskytovatel služby|vystavil|vystavovatel",
    },
    "buyer": {
        "sv": "köpare|kund|fakturaadress|faktureras|beställare|faktureras till|kundens adress",
        "da": "køber|kunde|faktureres til|faktureringsadresse|faktureres til kunde|kundens adresse",
        "no": "kjøper|kunde|fakturaadresse|faktureres|faktureres til|kundens adresse",
        "pt": "cliente|comprador|adquirente|exmo s sr s|exmos senhores|faturar a|destinatário|destinatário remetente|tomador|tomador de serviços|dados do cliente",
        "cs": "odběratel|kupující|zákazník|objednatel|fakturační adresa|fakturováno",
    },
    "other_party": {
        "sv": "leveransadress|er referens|vår referens",
        "da": "leveringsadresse|leveres til|vores ref|deres ref",
        "no": "leveringsadresse|vår ref|deres ref",
        "pt": "local de entrega|morada de entrega",
        "cs": "dodací adresa|konečný příjemce|příjemce",
    },
    "other_date": {
        "sv": "leveransdatum|orderdatum|period",
        "da": "leveringsdato|ordredato|periode",
        "no": "leveringsdato|ordredato|periode",
        "pt": "data de entrega|data da encomenda|período|data de carga",
        "cs": "datum uskutečnění zdanitelného plnění|datum zdanitelného plnění|datum uskutečnění plnění|duzp|datum dodání|datum objednávky|datum uskut zd plnění",
    },
    "expiry": {
        "pt": "válido até|válida até|validade|data de validade|expira em|caduca em",
        "sv": "giltig till|giltigt till|giltig t o m|går ut|utgångsdatum|bäst före",
        "da": "gyldig til|udløber|udløbsdato|bedst før",
        "no": "gyldig til|utløper|utløpsdato|best før",
        "cs": "platnost do|platí do|platnost nabídky|datum expirace",
    },
    "other_number": {
        "sv": "kundnummer|kundnr|ordernummer|ordernr|organisationsnummer|org nr|orgnr|bankgiro|plusgiro|ocr|ocr nummer|referens|sida|telefon|poäng|registreringsnummer|serienummer|telefonnummer|kortnummer",
        "da": "kundenr|kundenummer|ordrenr|ordrenummer|kontonr|reg nr|side|telefon|tlf|cvr|cvr nr|betalings id|rekvisition|point i alt|point|registreringsnummer|serienummer|telefonnummer|kortnummer",
        "no": "kundenr|kundenummer|ordrenr|ordrenummer|kontonr|kontonummer|kid|kid nummer|side|telefon|tlf|org nr|orgnr|bankkonto|poeng|registreringsnummer|serienummer|telefonnummer|kortnummer",
        "pt": "nº cliente|nº de cliente|encomenda|encomenda nº|referência|página|telefone|contribuinte|atcud|código de cliente|pontos|total pontos|número de registo|número de registro|número de série|número de telefone|número do cartão",
        "cs": "variabilní symbol|konstantní symbol|specifický symbol|číslo objednávky|objednávka č|číslo účtu|ičo|ič|strana|telefon|tel|objednávka|body|body celkem|registrační číslo|sériové číslo|výrobní číslo|telefonní číslo|číslo karty",
    },
    "tax_id": {
        "sv": "momsreg nr|momsregistreringsnummer|vat nr|momsnr",
        "da": "cvr nr|se nr|momsnr",
        "no": "org nr no|mva nr",
        "pt": "nif|nipc|contribuinte nº|nº contribuinte|cnpj|cpf|cnpj cpf|cpf cnpj",
        "cs": "dič|dič cz",
    },
}

COLUMNS: dict[str, Words] = {
    "description": {
        "sv": "benämning|beskrivning|artikel|produkt|tjänst|vara|specifikation",
        "da": "beskrivelse|varenavn|tekst|vare|ydelse|produkt|varebeskrivelse",
        "no": "beskrivelse|varenavn|tekst|vare|produkt|tjeneste|varetekst",
        "pt": "descrição|designação|artigo|produto|serviço|descrição do artigo",
        "cs": "popis|označení dodávky|název|položka|předmět|název položky|text|popis položky|zboží",
    },
    "quantity": {
        "sv": "antal|antal tim|timmar|antal timmar|kvantitet|lev ant|ant",
        "da": "antal|timer|mængde|stk",
        "no": "antall|timer|mengde|ant",
        "pt": "quantidade|qtd|quant|qtde|horas|qt",
        "cs": "množství|počet|ks|počet mj|hodin|mn",
    },
    "unit_price": {
        "sv": "à pris|a pris|pris|styckpris|apris|enhetspris|pris st|pris enhet",
        "da": "enhedspris|stk pris|stykpris|pris pr stk|à pris|salgspris",
        "no": "pris|enhetspris|stk pris|à pris|pris pr enhet",
        "pt": "preço|preço unitário|p unit|preço unit|preço un|valor unitário|pr unitário|p unitário",
        "cs": "cena za mj|cena|jednotková cena|cena mj|cena za jednotku|cena ks|j cena",
    },
    "amount": {
        "sv": "belopp|summa|totalt|total|radsumma|netto",
        "da": "beløb|pris|total|i alt|linjebeløb|pris i alt",
        "no": "beløp|sum|totalt|total|linjesum|netto",
        "pt": "valor|total|total líquido|importância|valor total|montante|total linha",
        "cs": "celkem|celkem bez dph|cena celkem|celkem s dph|částka|bez dph|cena bez dph",
    },
    "tax_rate": {
        "sv": "moms|moms %",
        "da": "moms|moms %",
        "no": "mva|mva %",
        "pt": "iva|% iva|taxa|taxa iva",
        "cs": "dph|dph %|sazba|sazba dph",
    },
    "other": {
        "sv": "enhet|artnr|art nr|rabatt|datum|pos|rad",
        "da": "enhed|varenr|vare nr|rabat|dato|pos|nr",
        "no": "enhet|varenr|art nr|rabatt|dato|pos|nr",
        "pt": "ref|código|un|unidade|desc|desconto|data|cód",
        "cs": "mj|kód|č|sleva|poř|jednotka|označení",
    },
}

INCLUDED: Words = {"sv": "varav", "da": "heraf", "no": "herav", "pt": "dos quais", "cs": "z toho"}
