"""Named points at which a test may kill the process or cut it off. In production they do nothing."""

from __future__ import annotations

from collections.abc import Callable


def _nothing(_name: str) -> None:
    return None


point: Callable[[str], None] = _nothing
"""Called as `faults.point("claim:committed")`; a test replaces it."""
