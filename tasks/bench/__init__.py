"""Measurements. Each bench is one module with one function `run(full, say) -> Measured`, and stands in BENCHES."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

Say = Callable[[str], None]

BENCHES = {
    "callbacks": "signed callbacks per second, beside an empty view and one UPDATE, and what a killed web server loses of them",
    "accuracy": "how many fields of documents with known values are read right, and which ask for a look",
}
"""Name, which is also the module's name in this package, → what it measures, in one line."""


@dataclass(slots=True)
class Measured:
    """What a bench found. A figure that could not be measured is None, and a note says why."""

    figures: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Bench(Protocol):
    """A module of this package."""

    def run(self, full: bool, say: Say) -> Measured:
        """Measure, in a database and a storage that hold nothing else. `full`: as long as it takes."""
