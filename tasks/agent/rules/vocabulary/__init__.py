"""What labels are called in which language. Data only: a new language is one more text in each table, not new code.

Written as people print them; accents, case and punctuation do not matter when they are looked up. Inside a label
currencies and rates are skipped ("Montant EUR HT", "zzgl. 19 % MwSt.").
"""

from __future__ import annotations

Words = dict[str, str]
"""Language → phrases, separated by "|"."""
