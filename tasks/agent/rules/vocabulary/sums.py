"""What sums are called, and what changes or has paid them."""

from __future__ import annotations

from tasks.agent.rules.vocabulary import Words

SUMS: dict[str, Words] = {
    "net": {
        "en": "subtotal|sub total|net amount|net total|total net|total net amount|net|amount excl vat|total excl vat|total excl tax"
        "|total excluding vat|total excluding tax|total ex vat|total exc vat|taxable amount|total before tax|amount before tax|excl vat"
        "|net value|subtotal excl vat|subtotal without vat|total without vat|taxable value|subtotal less discount|amount excl tax"
        "|total exclusive of vat|total exclusive of tax|subtotal before tax|net price|total taxable|net invoice amount|total excl gst"
        "|goods services|net goods|before vat|before tax|goods total|goods value|merchandise total|product total|net sales"
        "|value of goods|total ex tax|amount ex gst|total ex gst|subtotal ex gst|total before gst|total before vat|amount before vat"
        "|net of vat|net total excl vat|taxable|taxable sales|ex vat|total charges before vat|charges before vat"
        "|total charges before tax|items subtotal|item subtotal|taxable total|total net value|sub tot|subtl|merchandise subtotal"
        "|total services|labor and materials|total exclusive of gst|total net of vat|net payable before tax|total without taxes"
        "|total without tax|untaxed amount|total untaxed|untaxed|net worth|products total|total products|total goods|total items",
        "de": "summe netto|nettobetrag|rechnungssumme netto|netto|nettosumme|gesamt netto|zwischensumme|netto gesamt|nettowert"
        "|gesamtbetrag netto|betrag netto|summe ohne mwst|rechnungsbetrag netto|total exkl mwst|total ohne mwst|gesamtsumme netto"
        "|zwischensumme netto|summe exkl mwst|netto summe|nettogesamtbetrag|gesamtnettobetrag|total netto|netto betrag|warenwert netto"
        "|summe der positionen|netto rechnungsbetrag|zwischentotal|betrag exkl mwst|subtotal|summe vor steuern|warenwert|positionssumme"
        "|gesamtnetto|honorar netto|angebotssumme netto|auftragssumme netto|zwischensumme ohne ust|summe ohne ust|betrag ohne ust"
        "|betrag ohne mwst|gesamtbetrag ohne mwst|gesamtbetrag ohne ust|summe exkl ust|exkl mwst|exkl ust|total exkl ust|entgelt"
        "|nettoentgelt|bemessungsgrundlage|steuerpflichtiger betrag|warennettowert|rechnungsnetto|nettoumsatz|total vor mwst"
        "|netto total|zwischensumme exkl mwst|gutschriftsbetrag netto|angebotsbetrag netto|summe positionen netto|lieferwert"
        "|nettorechnungsbetrag|summe nettobeträge|gesamtpreis netto|summe nettopreise|total ohne steuern|summe ohne steuern"
        "|betrag ohne steuern|summe artikel|summe waren|summe leistungen|summe material|pauschalhonorar",
        "fr": "total ht|montant ht|total hors taxes|total hors taxe|sous total|total net ht|net ht|montant hors taxes|montant net"
        "|sous total ht|total h t|montant total ht|prix total ht|montant hors taxe|base ht|somme ht|hors taxes|ht|total avant taxes"
        "|montant avant taxes|total net hors taxes|total général ht|montant net ht|montant total hors taxes|total brut ht"
        "|net commercial|base hors taxe|total hors tva|montant hors tva|hors tva|base imposable|montant htva|total htva|prix hors tva"
        "|total prestations ht|honoraires ht|total honoraires ht|total devis ht|total sans taxes|total hors t v a|valeur nette|hors taxe"
        "|total produits|total articles ht|total marchandises",
        "es": "base imponible|subtotal|total neto|importe neto|base|suma|total base imponible|total sin iva|importe sin iva"
        "|importe antes de impuestos|total antes de impuestos|suma bases|total bases|base imp|suma de bases|base imponible total"
        "|total bruto|importe bruto|suma importes|total antes de iva|importe base|suma base imponible|bases imponibles|subtotal sin iva"
        "|total honorarios|total sin impuestos|importe sin impuestos|neto|valor neto|total sin tributos|total productos|total artículos"
        "|total mercancía|total mercancías|importe neto gravado|neto gravado",
        "it": "imponibile|totale imponibile|subtotale|totale netto|totale imponibile iva|importo netto|totale merce|netto|totale senza iva"
        "|totale imponibili|imponibile totale|base imponibile|totale merci|totale servizi|importo imponibile|netto merce"
        "|totale compensi imponibile|totale esente|totale lavori|imponibile iva|totale parziale|totale al netto iva|totale prestazioni"
        "|tot imponibile|totale senza imposte|totale esclusa iva|valore netto|ante imposte|totale ante imposte|totale prodotti"
        "|totale articoli|valore merce",
        "nl": "exclusief btw|excl btw|totaal excl btw|subtotaal|bedrag excl btw|netto|totaal exclusief btw|subtotaal excl btw|netto bedrag"
        "|nettobedrag|totaalbedrag excl btw|bedrag exclusief btw|totaal netto|grondslag|totaal voor btw|tussentotaal|goederen excl btw"
        "|totaal goederen|maatstaf|btw grondslag|belastbaar|belastbaar bedrag|maatstaf van heffing|netto totaal|subtotaal exclusief btw"
        "|totaal zonder btw|goederenbedrag|bedrag zonder btw|ex btw|totaal ex btw|totaal excl|nettototaal|totaal zonder belasting"
        "|nettowaarde|netto waarde|totaal artikelen|totaal producten",
        "pl": "razem netto|wart netto|kwota netto|wartość netto|suma netto|netto|łącznie netto|ogółem netto|suma wartości netto"
        "|wartość sprzedaży netto|wartość ogółem netto|do zapłaty netto|razem wartość netto|wartość razem netto|podstawa opodatkowania"
        "|netto razem|razem bez podatku|kwota bez podatku|podsuma|wartość produktów|suma produktów",
        "fi": "veroton|veroton yhteensä|yhteensä veroton|veroton summa|veroton hinta yhteensä|alv 0% yhteensä|verot. yhteensä|yhteensä alv 0%"
        "|summa veroton|veroton hinta|veroton loppusumma|netto|netto yhteensä|verottomat yhteensä|veron peruste|alv peruste|välisumma"
        "|hinta ilman alv|yhteensä ilman alv|yhteensä alv 0|yhteensä netto|veroton kokonaissumma|yhteensä ilman veroa|nettoarvo",
        "sv": "netto|exkl moms|summa exkl moms|totalt exkl moms|belopp exkl moms|nettobelopp|delsumma|summa netto|exklusive moms|varuvärde"
        "|totalt exklusive moms|totalt utan moms|nettovärde",
        "da": "subtotal|netto|ekskl moms|i alt ekskl moms|total ekskl moms|momsgrundlag|nettobeløb|beløb ekskl moms|momspligtigt beløb"
        "|excl moms|total excl moms|i alt uden moms|nettoværdi",
        "no": "netto|eks mva|sum eks mva|beløp eks mva|totalt eks mva|ekskl mva|sum ekskl mva|nettobeløp|delsum|mva grunnlag|netto sum"
        "|sum uten mva|nettoverdi|nett",
        "pt": "subtotal|total ilíquido|total líquido|valor líquido|base tributável|incidência|base de incidência|total sem iva|valor sem iva"
        "|total mercadoria|soma|valor tributável|total sem impostos|líquido|total sem tributos|valor total dos produtos|valor dos produtos"
        "|total dos produtos|total produtos|valor total dos serviços|total de produtos",
        "cs": "základ daně|celkem bez dph|základ|cena bez dph|celková cena bez dph|součet bez dph|bez dph|mezisoučet|základ dph"
        "|celkem bez daně|čistá hodnota",
        "ja": "小計|税抜金額|税抜合計|標準価格計|税抜小計|税抜対象額",
    },
    "tax": {
        "en": "vat|sales tax|tax|gst|total tax|tax amount|vat amount|total vat|tax total|hst|pst|vat total|total gst|total sales tax|plus vat"
        "|tax rate|vat at|vat rate|cgst|sgst|igst|total taxes|taxes|state tax|city tax|county tax|local tax|vat charged|vat on charges"
        "|tax due|qst|gst amount|hst amount|total tax amount|sales tax total|value added tax|tax collected|tax total amount|vat payable"
        "|estimated tax|gst hst|occupancy tax|vat standard rate|vat @",
        "de": "umsatzsteuer|versicherungsteuer|versicherungssteuer|mwst|ust|mehrwertsteuer|mwst betrag|mwst summe|zzgl mwst|zzgl ust"
        "|zuzüglich mwst|zuzüglich umsatzsteuer|zzgl mehrwertsteuer|zzgl umsatzsteuer|enthaltene mwst|enthaltene ust|summe mwst"
        "|summe ust|umsatzsteuerbetrag|steuerbetrag|gesetzl mwst|zuzüglich mehrwertsteuer|gesamt mwst|gesamt ust|mwst gesamt|ust gesamt"
        "|steuern|ust betrag|inkl mwst|inkl ust|darin enthaltene mwst|enthaltene umsatzsteuer|mwst satz|mwst gesamtbetrag"
        "|summe umsatzsteuer|mehrwertsteuerbetrag|gesetzliche mwst|gesetzliche umsatzsteuer|gesetzliche mehrwertsteuer"
        "|zzgl gesetzl mwst|zzgl gesetzlicher mwst|zzgl gesetzliche mwst|zzgl gesetzlicher ust|umsatzsteuer gesamt|gesamtbetrag mwst"
        "|gesamtbetrag ust|mwst total|total mwst|plus mwst|plus ust|vorsteuer|ust gesamtbetrag|enth mwst|enth ust|steuer",
        "fr": "tva|total tva|montant tva|total taxes|dont tva|montant de la tva|total t v a|t v a|montant total tva|tva collectée|tps|tvq|tvh"
        "|taxes|montant des taxes|total des taxes|total tva à payer|dont tva incluse|tva sur les débits|montant de tva"
        "|taxe sur la valeur ajoutée|taxe|taxe fiscale",
        "es": "iva|total iva|cuota iva|cuota|importe iva|i v a|total impuestos|impuestos|suma cuotas|total cuotas|suma de cuotas|cuota total"
        "|importe del iva|impuesto|iva repercutido|igic|total igic|cuotas iva|total cuota iva",
        "it": "iva|totale iva|imposta|importo iva|totale imposta|imposte|totale imposte|i v a|totale imposta iva|imposta totale"
        "|totale iva a debito|iva totale|importo imposta|di cui iva|tot iva|totale imposte iva|tasse|totale tasse",
        "nl": "btw|btw bedrag|totaal btw|btw totaal|bedrag btw|btw te betalen|totaal bedrag btw|omzetbelasting|bedrag aan btw|waarvan btw"
        "|totale btw|belasting|belastingen",
        "pl": "vat|kwota podatku|podatek|kwota vat|razem vat|podatek vat|suma vat|ogółem vat|łącznie vat|suma ptu|kwota ptu|razem kwota vat"
        "|wartość vat|suma podatku|podatek ptu|wartość podatku|vat razem|razem podatek|podatki",
        "fi": "alv|alv yhteensä|vero|arvonlisävero|veron osuus|alv osuus|verot yhteensä|yhteensä alv|alv summa|alv yht|arvonlisäveron osuus"
        "|arvonlisävero yhteensä|verot|sis alv|veroa yhteensä|veron määrä|alv euroa",
        "sv": "moms|varav moms|momsbelopp|summa moms|moms totalt|mervärdesskatt|skatt",
        "da": "moms|momsbeløb|heraf moms|moms i alt|skat",
        "no": "mva|merverdiavgift|mva beløp|herav mva|sum mva|utgående mva|skatt|skatter",
        "pt": "iva|total iva|valor iva|total do iva|valor do iva|total de imposto|imposto|impostos|tributos",
        "cs": "dph|výše dph|daň|dph celkem|celkem dph|částka dph|výše daně|daně",
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
        "|sum total|final total|total fee|total fees|total with tax|total after tax|bill total|bill amount|total bill|total bill amount"
        "|cost total|project total|total project cost|total estimated cost|amount credited|total credit amount|credited amount|amount"
        "|sale amount|purchase amount|transaction amount|total after discount|total less discount|amount after discount"
        "|discounted total|total after discounts|gross worth|total tax incl|total vat incl|total tax included|total gst incl",
        "de": "gesamtbetrag|rechnungsbetrag|gesamtsumme|summe|brutto|bruttobetrag|gesamt|endbetrag|summe brutto|total inkl mwst"
        "|netto inkl mwst|summe gesamt|endsumme|gesamtbetrag brutto|rechnungssumme|gesamtbetrag inkl mwst|total|bruttosumme"
        "|gesamt brutto|brutto gesamt|rechnungsbetrag brutto|betrag brutto|gutschriftsbetrag|gutschriftbetrag|gesamtpreis|angebotssumme"
        "|rechnungsendbetrag|summe inkl mwst|gesamtsumme brutto|rechnungstotal|total brutto|betrag inkl mwst|honorar brutto"
        "|angebotssumme brutto|auftragssumme|auftragssumme brutto|gesamtbetrag inkl ust|gesamtbetrag inklusive mwst"
        "|rechnungsbetrag inkl mwst|rechnungsbetrag inkl ust|bruttorechnungsbetrag|brutto rechnungsbetrag|rechnungssumme brutto"
        "|totalbetrag|zwischensumme inkl ust|total inkl ust|summe inkl ust|gesamtsumme inkl mwst|gesamtsumme inkl ust"
        "|gesamtpreis brutto|gutschriftbetrag brutto|gutschriftsbetrag brutto|bruttogesamtbetrag|rechnungsbetrag gesamt|betrag inkl ust"
        "|endpreis|endsumme brutto|endbetrag brutto|gesamtforderung|gutschriftssumme|gesamtkosten|angebotspreis|angebotsbetrag"
        "|angebotsbetrag brutto|gesamtbruttobetrag|gesamt inkl mwst|gesamt inkl ust|gutgeschriebener betrag|gutschrift gesamt"
        "|summe nach rabatt|gesamtbetrag nach rabatt|betrag nach rabatt|total nach rabatt|endbetrag nach rabatt|gesamt nach rabatt"
        "|bruttowert|bestellsumme|bestellwert|auftragswert|gesamthonorar|gesamtbeitrag|gesamtentgelt|gesamtgebühr|gesamtmiete"
        "|gesamt mwst inkl|total mwst inkl|gesamtpauschale|gesamtrechnungsbetrag|gesamtvergütung|gesamtleistung",
        "fr": "total ttc|total tva incl|total taxes incl|total taxes incluses|total payé|total réglé|montant ttc|total facture|montant total|total général|total|total t t c|montant total ttc"
        "|total toutes taxes comprises|prix total ttc|ttc|montant de la facture|total avoir|total devis|montant total de la facture"
        "|total tvac|montant tvac|tvac|total tva comprise|total à payer ttc|montant global ttc|montant global|total général ttc|total de la facture"
        "|total avoir ttc|total devis ttc|coût total|total net ttc|prix ttc|montant total tvac|montant toutes taxes comprises"
        "|total facture ttc|montant de l'avoir|montant facture ttc|montant de la facture ttc|honoraires ttc|somme ttc|montant crédité"
        "|total crédité|total après remise|montant après remise|total après réduction|total remisé|total de la commande"
        "|montant de la commande",
        "es": "total|total iva incl|total impuestos incl|total impuestos incluidos|total factura|importe total|total con iva|total iva incluido|total general|total documento|total presupuesto"
        "|total recibo|importe total factura|total factura iva incluido|total a abonar|total abono|importe total iva incluido"
        "|total euros|total compra|total ticket|total importe|importe factura|importe de la factura|suma total|total venta"
        "|importe abonado|total con descuento|total después del descuento|total tras descuento|total con dto|total del pedido|total pedido"
        "|importe del pedido",
        "it": "totale|totale iva incl|totale tasse incl|totale tasse incluse|totale imposte incluse|totale fattura|totale documento|importo totale|totale ivato|totale complessivo|totale generale|totale iva inclusa"
        "|totale lordo|totale preventivo|totale euro|totale complessivo iva inclusa|totale a saldo|totale iva compresa"
        "|importo totale documento|totale fattura euro|totale da pagare iva inclusa|totale nota di credito|totale lordo documento"
        "|tot documento|tot fattura|importo documento|importo complessivo|totale offerta|totale scontrino|totale con iva"
        "|totale ivato euro|totale parcella|importo accreditato|totale accredito|totale scontato|totale dopo sconto"
        "|totale al netto dello sconto|totale ordine|valore lordo|totale dovuto",
        "nl": "totaal|totaal incl btw|totaalbedrag|inclusief btw|incl btw|totaal inclusief btw|totaalbedrag incl btw|factuurbedrag"
        "|totaal bedrag|factuurtotaal|eindtotaal|bedrag incl btw|totaalbedrag inclusief btw|factuurbedrag incl btw|te betalen incl btw"
        "|totaal te betalen incl btw|totaal inc btw|totaal met btw|totaalprijs|totaal factuur|totaal creditnota|creditbedrag"
        "|totaal offerte|totaal factuurbedrag|brutototaal|gecrediteerd bedrag|totaal credit|totaal na korting|bedrag na korting"
        "|totaal bestelling|bestelling totaal|totaalbedrag bestelling|brutowaarde",
        "pl": "razem|wart brutto|kwota należności ogółem|suma|brutto|razem brutto|wartość brutto|kwota brutto|ogółem|łącznie|suma brutto"
        "|łącznie brutto|ogółem brutto|wartość całkowita|wartość ogółem|wartość ogółem brutto|suma wartości brutto|wartość razem brutto"
        "|ogółem do zapłaty|razem wartość brutto|do zapłaty brutto|kwota razem|łączna kwota|kwota ogółem|wartość faktury"
        "|razem po rabacie|kwota po rabacie|suma po rabacie|suma zamówienia|wartość zamówienia|kwota zamówienia|pełna kwota|całkowita kwota"
        "|kwota całkowita",
        "fi": "yhteensä|verollinen|loppusumma|summa|verollinen yhteensä|yhteensä verollinen|laskun summa|kokonaissumma|laskun loppusumma"
        "|verollinen summa|yhteensä euroa|loppusumma yhteensä|yhteensä alv|hinta yhteensä alv|summa yhteensä|verollinen loppusumma"
        "|yhteensä sis alv|yhteensä sisältäen alv|kokonaishinta|brutto|laskun kokonaissumma|hyvitys yhteensä|tarjous yhteensä"
        "|yhteensä alennuksen jälkeen|summa alennuksen jälkeen|tilauksen summa|tilauksen kokonaissumma|tilaus yhteensä|bruttoarvo"
        "|laskun kokonaismäärä",
        "sv": "totalt|summa|totalbelopp|summa inkl moms|totalt inkl moms|total|inkl moms|fakturabelopp|slutsumma|summa att betala"
        "|belopp inkl moms|totalsumma|totalt efter rabatt|summa efter rabatt|ordersumma|ordertotal|totalt belopp|bruttovärde",
        "da": "total|i alt|total inkl moms|i alt inkl moms|fakturabeløb|beløb inkl moms|totalbeløb|fakturatotal|samlet beløb"
        "|total efter rabat|i alt efter rabat|ordretotal|ordre total|bruttoværdi",
        "no": "total|totalt|sum|sum inkl mva|totalt inkl mva|totalsum|totalbeløp|fakturabeløp|beløp inkl mva|inkl mva|sum totalt"
        "|sum etter rabatt|totalt etter rabatt|ordresum|ordrebeløp|ordre total|bruttoverdi",
        "pt": "total|total documento|total geral|total com iva|valor total|total da fatura|total do documento|total fatura|montante total"
        "|total com desconto|total após desconto|valor após desconto|total da encomenda|total encomenda|total do pedido|total pedido"
        "|valor total da nota|total da nota|valor da nota|valor total da nf e|valor líquido da nota",
        "cs": "celkem|celkem s dph|celková částka|celkem včetně dph|cena celkem|celková cena|součet|částka celkem|celkem vč dph"
        "|celkem po slevě|cena po slevě|hodnota objednávky",
        "ja": "合計|総合計|御見積金額|御請求金額|合計金額|税込合計|ご請求金額|ご利用金額|取引金額|領収金額|お買上金額|お買上計|金額",
    },
    "amount_due": {
        "en": "amount due|balance due|total due|amount payable|total payable|balance|please pay|pay this amount|total amount due|total to pay"
        "|amount to pay|balance outstanding|outstanding balance|total balance due|total now due|net payable|amount owed|balance to pay"
        "|amount now due|now due|total now payable|payable now|please remit|remit|amount to remit|to pay|what you need to pay|you owe"
        "|total you owe|total owing|amount outstanding|net amount due|net due|total payable now|balance to be paid|final balance"
        "|remaining balance|balance remaining|payment requested|total remaining|amount due now|amount now payable|please transfer"
        "|balance owing|total amount due on",
        "de": "zu zahlen|zahlbetrag|zu zahlender betrag|offener betrag|zu überweisen|noch zu zahlen|zu bezahlen|restbetrag|fälliger betrag"
        "|zahlungsbetrag|zu zahlen bitte|rechnungsbetrag zu zahlen|gesamtbetrag zu zahlen|abbuchungsbetrag|überweisungsbetrag"
        "|noch offen|verbleibender betrag|offene summe|restzahlung|verbleibend|noch offener betrag|verbleibender rechnungsbetrag"
        "|noch zu entrichten|zu erstatten|erstattungsbetrag|auszahlungsbetrag|schlusszahlung|restforderung|nachzahlung",
        "fr": "net à payer|reste à payer|à payer|somme à payer|montant à payer|montant dû|solde à payer|total à payer|solde dû|solde|à régler"
        "|net à payer ttc|montant à régler|montant du prélèvement|total à régler|net à régler|reste dû|montant restant dû|restant dû"
        "|montant prélevé|à payer ttc|reste à régler|solde à régler|net à verser|montant net à payer|à rembourser|montant à rembourser"
        "|total dû|solde restant|montant restant",
        "es": "total a pagar|importe a pagar|saldo|pendiente de pago|líquido a percibir|a pagar|importe pendiente|total pendiente"
        "|total a percibir|líquido a pagar|importe líquido|resto a pagar|importe a abonar|a devolver|total líquido|pendiente"
        "|neto a pagar|a percibir|importe a percibir|importe pendiente de pago|importe restante|resta por pagar",
        "it": "netto a pagare|totale da pagare|importo da pagare|saldo|totale a pagare|da pagare|importo dovuto|netto da pagare"
        "|importo a saldo|residuo|residuo da pagare|rimanenza|da versare|netto a saldo|saldo da pagare|saldo a pagare|a saldo|rimborso"
        "|netto ricavo|importo residuo|importo restante",
        "nl": "te betalen|te betalen bedrag|openstaand bedrag|nog te betalen|totaal te betalen|te voldoen|door u te betalen|te voldoen bedrag"
        "|nog te voldoen|restbedrag|te ontvangen|restant|restant te betalen|resterend bedrag|door u te voldoen|te betalen totaal"
        "|terug te betalen|af te schrijven bedrag|bedrag te voldoen",
        "pl": "do zapłaty|pozostało do zapłaty|razem do zapłaty|kwota do zapłaty|należność|do zwrotu|kwota do zwrotu|pozostaje do zapłaty"
        "|pozostało|razem do zwrotu|zostaje do zapłaty|suma do zapłaty|ogółem do zapłaty|kwota pozostała do zapłaty|pozostała kwota"
        "|kwota pozostała",
        "fi": "maksettava|maksettavaa|maksettava yhteensä|maksettavaa yhteensä|avoinna|maksettava summa|avoin summa|maksettavana"
        "|maksettava euroa|maksettavaa jää|jäljellä|palautetaan|hyvitetään|jäljellä oleva summa",
        "sv": "att betala|summa att betala|belopp att betala|att betala totalt|återstående belopp|kvarstående belopp|restbelopp",
        "da": "at betale|til betaling|beløb til betaling|skyldigt beløb|i alt at betale|resterende beløb|restbeløb",
        "no": "å betale|beløp å betale|til betaling|sum å betale|utestående|å betale totalt|gjenstående beløp|restbeløp",
        "pt": "total a pagar|a pagar|valor a pagar|montante a pagar|saldo|líquido a pagar|importância a pagar|montante restante"
        "|valor restante",
        "cs": "k úhradě|celkem k úhradě|zbývá uhradit|částka k úhradě|k zaplacení|celkem k zaplacení|zbývající částka",
        "ja": "お支払金額",
    },
    "discount": {
        "en": "discount|less discount|member discount|rebate|loyalty discount|rewards applied|coupon|voucher|total discount|savings"
        "|trade discount|promotional discount|promo|early payment discount|total savings|withholding tax|withholding|total saving"
        "|you saved|you save|your savings|total saved|cash discount|discount total|points discount|prompt payment discount|retention"
        "|tds",
        "de": "rabatt|skonto|nachlass|abzgl|abzüglich|gesamtrabatt|rechnungsrabatt|gutschein|abzüglich rabatt|abzgl rabatt|mengenrabatt"
        "|treuerabatt|sondernachlass|preisnachlass|sonderrabatt|aktionsrabatt|ersparnis|ihre ersparnis|gesamtersparnis|sie sparen"
        "|gespart|sie haben gespart|barzahlungsrabatt|summe rabatt|rabatt gesamt|sicherheitseinbehalt|einbehalt|ermäßigung",
        "fr": "remise|réduction|escompte|rabais|ristourne|bon d'achat|remise commerciale|remise globale|remise exceptionnelle|total remise"
        "|remise fidélité|retenue de garantie|économie|économies|total économies|vous économisez|vous avez économisé|total remises"
        "|total réductions|remise totale|retenue à la source|réductions",
        "es": "descuento|dto|dto pp|dto comercial|retención|retención irpf|irpf|bonificación|total dto|ret irpf|ahorro|ahorro total"
        "|total ahorro|total ahorrado|total descuento|total descuentos|descuento total|descuento por pronto pago",
        "it": "sconto|sconto incondizionato|abbuono|sconto merce|sconto totale|ritenuta d'acconto|ritenuta|ritenuta acconto|risparmio"
        "|risparmio totale|totale risparmio|hai risparmiato|totale sconti|totale sconto",
        "nl": "korting|klantkorting|kwantumkorting|betalingskorting|kredietbeperking|totale korting|besparing|totale besparing|uw voordeel"
        "|totaal voordeel|totaal korting|u bespaart|contantkorting",
        "pl": "rabat|upust|oszczędność|oszczędzasz|suma rabatów|kwota rabatu|łączny rabat|suma upustów|skonto|całkowity upust",
        "fi": "alennus|säästö|säästät|säästösi|alennus yhteensä|alennukset yhteensä",
        "sv": "rabatt|total rabatt|summa rabatt|besparing|du sparar|kassarabatt",
        "da": "rabat|rabat i alt|samlet rabat|besparelse|du sparer|sparet|kontantrabat",
        "no": "rabatt|rabatt totalt|sum rabatt|besparelse|du sparer|spart|kontantrabatt",
        "pt": "desconto|descontos|total descontos|total de descontos|desconto total|poupança|poupou|total poupado|retenção|retenção na fonte"
        "|irs|desconto de pronto pagamento|desconto financeiro",
        "cs": "sleva|sleva celkem|celková sleva|úspora|ušetřeno|ušetřili jste|skonto",
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
        "sv": "kassarabatt",
        "da": "kontantrabat",
        "no": "kontantrabatt",
        "pt": "retenção|retenção na fonte|irs|desconto de pronto pagamento|desconto financeiro",
        "cs": "skonto",
    },
    "charge": {
        "en": "shipping|shipping and handling|shipping & handling|delivery|freight|postage|handling|carriage|delivery charge|tip|gratuity"
        "|service charge|rounding|surcharge|insurance|packing|packaging|fuel surcharge|rush surcharge|late fee|booking fee|service fee"
        "|delivery fee|postage and packing|p&p|adjustment|freight charges|import duty|round off|rounding off",
        "de": "versand|versandkosten|porto|fracht|transportkosten|lieferkosten|rundung|rundungsdifferenz|frachtkosten|zuschlag|trinkgeld"
        "|versand und verpackung|verpackung|versandpauschale|mindermengenzuschlag|expresszuschlag|bearbeitungsgebühr|versand verpackung"
        "|speditionskosten|maut|energiekostenzuschlag|lieferpauschale|zzgl versandkosten|zzgl versand|zzgl porto|zzgl fracht"
        "|zuzüglich versandkosten",
        "fr": "frais de port|livraison|port|frais de livraison|transport|arrondi|éco participation|frais d'expédition|expédition|frais de dossier"
        "|frais de gestion|emballage|frais de transport|participation aux frais de port|éco contribution|timbre fiscal",
        "es": "gastos de envío|portes|transporte|envío|redondeo|gastos de transporte|recargo|recargo de equivalencia|embalaje|suplidos"
        "|recargo equivalencia|gastos|coste de envío|costo de envío|costes de envío",
        "it": "spese di trasporto|spedizione|spese di spedizione|trasporto|arrotondamento|bollo|spese|imballo|spese incasso|spese di incasso"
        "|imposta di bollo|bolli|marca da bollo|spese varie|spese trasporto|contributo conai|cassa previdenza|contributo integrativo"
        "|cassa avvocati|spese generali",
        "nl": "verzendkosten|verzending|bezorging|bezorgkosten|porto|afronding|verpakking|administratiekosten|transportkosten|vracht"
        "|orderkosten|statiegeld|toeslag|emballage|vrachtkosten|leveringskosten",
        "pl": "koszt dostawy|wysyłka|transport|koszty dostawy|przesyłka|koszt wysyłki|koszty wysyłki|opakowanie|dostawa|zaokrąglenie"
        "|koszt transportu",
        "fi": "toimitus|toimituskulut|postikulut|rahti|pyöristys|laskutuslisä|toimitusmaksu|pakkaus|lähetyskulut|pientoimituslisä"
        "|käsittelykulut|laskutuskulut|rahtikulut|toimituskulu",
        "sv": "frakt|öresavr|öresutjämning|öresavrundning|avrundning|porto|expeditionsavgift|faktureringsavgift|fraktkostnad",
        "da": "fragt|gebyr|porto|afrunding|forsendelse",
        "no": "frakt|gebyr|porto|øreavrunding|avrunding|fraktkostnader",
        "pt": "portes|transporte|arredondamento|portes de envio|taxa de envio|frete|custo de envio",
        "cs": "doprava|poštovné|zaokrouhlení|balné",
    },
    "received": {
        "en": "received|amount received|payment received|amount paid|paid|total paid|payment amount|sum received|sum of|the sum of|amount of"
        "|payment of|we have received|received amount",
        "de": "erhalten|betrag erhalten|erhaltener betrag|bezahlt|bezahlter betrag|gezahlt|gezahlter betrag|betrag von|den betrag von"
        "|in höhe von|betrag|zahlung von",
        "fr": "reçu|montant reçu|montant payé|somme reçue|la somme de|somme de|payé|réglé|montant|total payé|montant réglé",
        "es": "recibido|importe recibido|la cantidad de|cantidad de|la suma de|importe pagado|pagado|importe|monto|monto pagado"
        "|importe abonado",
        "it": "ricevuto|importo ricevuto|la somma di|somma di|importo pagato|pagato|importo|somma ricevuta",
        "nl": "ontvangen|ontvangen bedrag|bedrag ontvangen|betaald bedrag|betaald|het bedrag van|bedrag van|bedrag|de som van",
        "pl": "otrzymano|kwota otrzymana|zapłacono|wpłacono|kwota|kwota wpłaty|kwotę",
        "fi": "vastaanotettu|maksettu|maksettu summa|saatu",
        "sv": "mottaget|mottaget belopp|betalt|betalt belopp|belopp",
        "da": "modtaget|modtaget beløb|betalt|betalt beløb|beløb",
        "no": "mottatt|mottatt beløp|betalt|betalt beløp|beløp",
        "pt": "recebido|recebemos|valor recebido|valor pago|a quantia de|quantia de|a importância de|importância de|valor|pago",
        "cs": "přijato|přijatá částka|zaplaceno|částka|částku",
    },
    "settled": {
        "en": "previous unpaid balance|previous balance|balance forward|amount paid|paid|deposit|payment|payments|less paid|advance|prepaid"
        "|payment received|total paid|cash|change|card|credit applied|brought forward|prior balance|less deposit|payments received"
        "|amount received|deposit received|less advance|advance paid|advance received|tendered|cash tendered|visa|mastercard"
        "|credit card|eftpos|balance brought forward|your last bill|previous bill|previous bill amount|last bill amount"
        "|less amount paid|amount tendered|deposit paid|payment made",
        "de": "anzahlung|bereits bezahlt|bezahlt|vorauszahlung|gezahlt|gegeben|rückgeld|guthaben|bar|abschlagszahlung|saldo|vortrag|ec karte"
        "|abzüglich anzahlung|abzgl anzahlung|geleistete anzahlung|erhaltene anzahlung|abzgl abschlag|bereits gezahlt|geg bar"
        "|rückgeld bar|rückgabe|girocard|kartenzahlung|mastercard|visa|erhalten|bereits geleistet|bereits geleistete zahlung"
        "|geleistete zahlungen|geleistete abschläge|abschläge|kreditkarte|zurück|eingegangene zahlungen|bereits eingegangene zahlungen"
        "|erhaltene zahlungen",
        "fr": "acompte|déjà payé|payé|règlement|solde précédent|acompte versé|déjà réglé|réglé|rendu|espèces|avance|total payé|acompte reçu"
        "|acompte déduit|cb|carte bancaire|acompte réglé|à déduire|montant reçu|chèque|rendu monnaie|versement|versements|paiement reçu"
        "|montant payé|carte bleue|monnaie rendue|paiements reçus|règlements reçus",
        "es": "pagado|anticipo|entregado|cambio|efectivo|a cuenta|saldo anterior|tarjeta|anticipos|pago a cuenta|importe pagado|ya pagado"
        "|efectivo entregado|anticipo recibido|total pagado|visa|pagos recibidos|pago recibido",
        "it": "acconto|pagato|versato|contanti|resto|già pagato|saldo precedente|pagamento elettronico|pagamento contante|importo pagato"
        "|bancomat|carta di credito|acconti|acconto versato|non riscosso|totale pagato|pagamenti ricevuti|pagamento ricevuto",
        "nl": "betaald|aanbetaling|voldaan|contant|wisselgeld|reeds betaald|reeds voldaan|pin|pinbetaling|voorschot|voorschotten"
        "|reeds ontvangen|betaald bedrag|aanbetaling voldaan|gepind|maestro|ontvangen|bancontact|ontvangen betalingen|betalingen",
        "pl": "zapłacono|zaliczka|gotówka|reszta|wpłacono|karta|karta płatnicza|zapłacono przelewem|zaliczki|wpłata|wpłaty|płatność kartą"
        "|już zapłacono|zapłacona kwota|przedpłata|otrzymane płatności",
        "fi": "maksettu|ennakkomaksu|käteinen|takaisin|suoritettu|pankkikortti|korttimaksu|luottokortti|ennakko|käteismaksu|jo maksettu"
        "|maksettu yhteensä|suoritus|vaihtoraha|ennakot|vastaanotetut maksut|saadut maksut",
        "sv": "betalt|förskott|kontant|växel|kort|mottagna betalningar|inbetalt",
        "da": "betalt|forudbetalt|kontant|byttepenge|dankort|modtagede betalinger|indbetalt",
        "no": "betalt|forskudd|kontant|vekslepenger|mottatte betalinger|innbetalt",
        "pt": "pago|adiantamento|troco|entregue|numerário|multibanco|pagamentos recebidos|pagamento recebido",
        "cs": "zaplaceno|záloha|uhrazeno|hotovost|vráceno|uhrazená záloha|přijaté platby|přijatá platba",
    },
    "in_words": {
        "en": "in words|amount in words|total in words|amount chargeable in words|rupees|sum of rupees|sum of|the sum of"
        "|total amount in words",
        "de": "in worten|betrag in worten|summe in worten",
        "fr": "en lettres|montant en lettres|la somme de|à la somme de|en toutes lettres",
        "es": "en letra|en letras|importe en letra|importe en letras|importe con letra|cantidad con letra|la cantidad de|la suma de|son",
        "it": "in lettere|importo in lettere|la somma di",
        "nl": "in woorden|bedrag in woorden|zegge|het bedrag van",
        "pl": "słownie|kwota słownie|słownie złotych",
        "pt": "por extenso|valor por extenso|a quantia de|a importância de",
    },
}
