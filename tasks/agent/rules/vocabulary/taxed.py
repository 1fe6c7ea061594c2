"""What says beside the name of a sum that it is without the tax, whatever the sum is called: "Suma sin IVA", "Total de la facture HT"."""

from __future__ import annotations

from tasks.agent.rules.vocabulary import Words

TAXES: Words = {
    "en": "vat|tax|taxes|gst|hst|sales tax|value added tax",
    "de": "mwst|ust|steuer|steuern|mehrwertsteuer|umsatzsteuer",
    "fr": "tva|taxe|taxes|impôt|impôts",
    "es": "iva|igic|impuestos|impuesto",
    "it": "iva|imposta|imposte|tasse",
    "nl": "btw|belasting|omzetbelasting",
    "pl": "vat|podatku|ptu",
    "fi": "alv|alvia|arvonlisäveroa|veroa|veroja",
    "sv": "moms|skatt",
    "da": "moms|afgift",
    "no": "mva|moms|avgift",
    "pt": "iva|impostos|imposto|tributos",
    "cs": "dph|daně",
}

WITHOUT: Words = {
    "en": "excluding|exclusive of|excl|exc|ex|without|w/o|before|pre|net of|not including",
    "de": "ohne|exkl|exklusive|vor",
    "fr": "hors|sans|avant",
    "es": "sin|antes de",
    "it": "senza|ante|al netto|al netto di|esclusa|escluse|prima delle",
    "nl": "exclusief|zonder|voor",
    "pl": "bez|przed",
    "fi": "ilman|ennen",
    "sv": "exklusive|utan|före",
    "da": "ekskl|eksklusive|uden|før",
    "no": "eks|uten|før",
    "pt": "sem|antes de|antes dos",
    "cs": "před",
}
"""What stands before the tax; together with it, it says so."""

NET: Words = {
    "en": "pretax",
    "fr": "ht|htva",
    "es": "iva excluido|iva no incluido",
    "it": "iva esclusa|iva escl",
    "nl": "ex btw",
}
"""What says so alone."""
