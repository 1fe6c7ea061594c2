"""Counts what an attempt's calls used: totals by kind, and which models answered. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tasks.agent.contract import Usage

MOST = 10_000_000
"""Tokens of one call; whoever tells more tells nonsense, which is not counted."""


@dataclass(slots=True)
class Meter:
    """Totals so far. A call whose usage the server did not tell makes the totals unknown, for nobody can say what they are."""

    calls: int = 0
    models: list[str] = field(default_factory=list)
    _known: bool = True
    _input: int = 0
    _output: int = 0
    _cache_read: int = 0
    _cache_write: int = 0

    def add(self, model: str, told: Any) -> None:
        """`told`: the answer's usage as the openai package gives it, or None. Cached tokens are part of the input, reasoning of the output."""
        self.calls += 1
        if model not in self.models:
            self.models.append(model)
        counts = [_count(told, "prompt_tokens"), _count(told, "completion_tokens")]
        if None in counts:
            self._known = False
            return
        self._input += counts[0] or 0
        self._output += counts[1] or 0
        details = getattr(told, "prompt_tokens_details", None)
        self._cache_read += _count(details, "cached_tokens") or 0
        self._cache_write += _count(details, "cache_write_tokens") or 0

    @property
    def usage(self) -> Usage:
        """`model` names all that answered, joined with " + "; such a name has no price, so the cost of a mixed attempt stays unknown."""
        if not self.calls:
            return Usage()
        counts = (
            (self._input, self._output, self._cache_read, self._cache_write) if self._known else (None,) * 4
        )
        return Usage(
            calls=self.calls, model=" + ".join(self.models)[:200], input_tokens=counts[0], output_tokens=counts[1],
            cache_read_tokens=counts[2], cache_write_tokens=counts[3],
        )  # fmt: skip


def _count(told: Any, name: str) -> int | None:
    value = getattr(told, name, None)
    return value if isinstance(value, int) and 0 <= value <= MOST else None
