"""Measurements. Each bench is one module with one function `run(full, say) -> Measured`, and stands in BENCHES."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

Say = Callable[[str], None]

BENCHES = {
    "admission": "whether limits hold exactly under fire, and how well the budget is used",
    "callbacks": "signed callbacks per second, beside an empty view and one UPDATE, and what a killed web server loses of them",
    "drain": "jobs per second with work that costs nothing, beside pgbench and three other queues on Postgres",
    "latency": "how soon a submission starts on an idle worker, and an urgent one behind a backlog",
    "backlog": "whether claims stay as quick behind a large backlog, and while an old transaction is held open",
    "notify": "what live updates cost committing sessions, and whether the last of them is ever lost",
    "recovery": "how long after a worker's death its tasks go on, with workers killed and suspended all the time",
    "reading": "how quickly documents are read: beside bare PDFium, beside the OCR engine alone, and through the queue",
    "live": "how soon two hundred open pages hear of a change, and what their streams hold",
    "scale": "claims and the operators' page over ten million finished tasks beside ten thousand, and how quickly old deliveries are removed",
    "dashboard": "the operators' page over a million tasks, and fifty viewers at once",
    "databricks": "attempts as runs of a job with lost answers and killed workers, and what watching a thousand of them asks of the API",
    "costs": "reports of money over a million attempts, beside a plain recount, and how often a bill of ten thousand runs asks the warehouse",
    "checkpoints": "what agents that keep checkpoints write at once beside the queue, and how long claims take beside them",
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
