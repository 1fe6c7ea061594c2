"""How confidence is written: cut off and never rounded, so that what is below a bar does not look as if it had reached it."""

from __future__ import annotations

import math

BINARY_DUST = 1e-9
"""0.29 * 100 is 28.999999999999996."""


def shown(confidence: float, places: int = 2) -> float:
    """The figure of every page, table, file and workbook; only JSON has all digits."""
    scale = 10**places
    return math.floor(confidence * scale + BINARY_DUST) / scale
