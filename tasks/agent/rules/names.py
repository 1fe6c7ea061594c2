"""Names of months, currencies, legal forms and banks. Data only."""

from __future__ import annotations

MONTHS: dict[str, str] = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
}
SHORT_MONTHS: dict[str, str] = {
    "en": "jan feb mar apr may jun jul aug sep oct nov dec",
    "de": "jan feb mrz apr mai jun jul aug sep okt nov dez",
    "fr": "janv févr mars avr mai juin juil août sept oct nov déc",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "pl": "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "fi": "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
}
MORE_MONTHS = {
    "jänner": 1,
    "styczeń": 1,
    "luty": 2,
    "marzec": 3,
    "kwiecień": 4,
    "maj": 5,
    "czerwiec": 6,
    "lipiec": 7,
    "sierpień": 8,
    "wrzesień": 9,
    "październik": 10,
    "listopad": 11,
    "grudzień": 12,
    "setiembre": 9,
    "sept": 9,
    "mär": 3,
    "fev": 2,
    "dec": 12,
}

SYMBOLS = {
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "zł": "PLN",
    "us$": "USD",
    "a$": "AUD",
    "c$": "CAD",
    "rs": "INR",
    "₨": "INR",
    "kr": "SEK",
    "fr": "CHF",
    "円": "JPY",
    "euro": "EUR",
    "euros": "EUR",
    "euroa": "EUR",
    "sfr": "CHF",
    "kč": "CZK",
    "₽": "RUB",
    "₩": "KRW",
    "r$": "BRL",
    "hk$": "HKD",
    "s$": "SGD",
    "nz$": "NZD",
    "$": "USD",
    "₺": "TRY",
    "₪": "ILS",
}
CODES = frozenset(
    [
        "EUR",
        "USD",
        "GBP",
        "CHF",
        "PLN",
        "CZK",
        "SEK",
        "NOK",
        "DKK",
        "HUF",
        "RON",
        "BGN",
        "JPY",
        "CNY",
        "INR",
        "AUD",
        "CAD",
        "NZD",
        "SGD",
        "HKD",
        "ZAR",
        "BRL",
        "MXN",
        "ILS",
        "KRW",
        "AED",
        "SAR",
        "RUB",
        "UAH",
        "ISK",
        "THB",
    ]
)
_FURTHER = (
    "AFN ALL AMD AOA ARS AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BSD BTN BWP BYN BZD CDF CLP COP CRC CUP CVE DJF DOP DZD EGP ERN ETB FJD FKP "
    "GEL GHS GIP GMD GNF GTQ GYD HNL HTG IDR IQD IRR JMD JOD KES KGS KHR KMF KPW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT "
    "MOP MRU MUR MVR MWK MYR MZN NAD NGN NIO NPR OMR PAB PEN PGK PHP PKR PYG QAR RSD RWF SBD SCR SDG SHP SLE SOS SRD SSP STN SVC SYP SZL TJS "
    "TMT TND TOP TRY TTD TWD TZS UGX UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZMW ZWG "
)
FURTHER_CODES = frozenset(_FURTHER.split())
"""The rest of ISO 4217. Many are words or abbreviations too, so that these count only where they stand as the unit of a sum."""
LETTERS = {
    "R": "ZAR",
    "RM": "MYR",
    "Rp": "IDR",
    "KSh": "KES",
    "Ksh": "KES",
    "Ft": "HUF",
    "lei": "RON",
    "Lei": "RON",
    "₦": "NGN",
    "₱": "PHP",
    "₫": "VND",
    "฿": "THB",
    "₴": "UAH",
}
"""Signs that are letters, or seldom printed; they count where those of FURTHER_CODES do."""
SHARED = {
    "USD": {
        "US": "USD", "CA": "CAD", "AU": "AUD", "NZ": "NZD", "SG": "SGD", "HK": "HKD", "MX": "MXN", "TW": "TWD", "CL": "CLP", "CO": "COP", "AR": "ARS",
    },
    "INR": {"IN": "INR", "NP": "NPR", "PK": "PKR", "LK": "LKR", "MU": "MUR"},
    "SEK": {"SE": "SEK", "NO": "NOK", "DK": "DKK", "IS": "ISK"},
    "GBP": {"GB": "GBP", "EG": "EGP"},
    "JPY": {"JP": "JPY", "CN": "CNY"},
}  # fmt: skip
"""What the sign of a currency is read as → the currencies of the countries that have the same sign."""
USUAL = frozenset(["USD", "GBP", "JPY"])
"""Those that the sign means where nothing names a country; of rupees and crowns nobody can say."""
COUNTRY_CURRENCY = {
    "GB": "GBP",
    "UK": "GBP",
    "CH": "CHF",
    "LI": "CHF",
    "PL": "PLN",
    "SE": "SEK",
    "DK": "DKK",
    "NO": "NOK",
    "CZ": "CZK",
    "HU": "HUF",
}
for _country in [
    "DE",
    "FR",
    "ES",
    "IT",
    "NL",
    "FI",
    "AT",
    "BE",
    "IE",
    "PT",
    "LU",
    "GR",
    "SK",
    "SI",
    "EE",
    "LV",
    "LT",
    "MT",
    "CY",
    "HR",
]:
    COUNTRY_CURRENCY[_country] = "EUR"

LEGAL_FORMS = (
    "gmbh & co kg|gmbh|ag|kg|ohg|ug|e k|ek|gbr|se|mbh|inc|ltd|limited|llc|llp|plc|corp|corporation|company|co|lp|pty|pvt|pvt ltd|pvt limited|pte ltd|pty ltd|co ltd|private limited|pte"
    "|sarl|sagl|sas|sasu|sa|eurl|sci|scop|snc|s a r l|s a s|s a|bv|b v|nv|n v|vof|bvba|s l|sl|s l u|slu|srl|s r l|spa|s p a|snc|sas|sp z o o|spzoo"
    "|spolka|sp j|sp k|oy|oyj|ab|as|a s|aps|kk|株式会社|有限会社|合同会社|s c|stiftung|verein|e v|lda|unipessoal lda|s a u|sau|s l l|s r o|sro|spol s r o|ltda|d o o|kft|sa de cv|s de rl de cv|sapi de cv"
)
"""Endings of a company's name."""

BANKS = "bank|sparkasse|volksbank|raiffeisenbank|banque|banco|banca|credit union|pankki|caisse|bankhaus|postfinance|iban|bic|swift"

LANGUAGE_CURRENCY = {
    "fi": "EUR",
    "nl": "EUR",
    "it": "EUR",
    "pl": "PLN",
    "cs": "CZK",
    "da": "DKK",
    "no": "NOK",
    "sv": "SEK",
}

IBAN_LENGTHS = {
    "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27,
    "HR": 21, "HU": 28, "IE": 22, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25,
    "RO": 24, "SE": 24, "SI": 19, "SK": 24,
}  # fmt: skip
