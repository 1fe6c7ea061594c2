"""How many tokens and seconds a document will take, before anything of it is read; learnt from what finished. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from statistics import median
from typing import Any

DEFAULT_PAGES = 3
"""A document whose pages could not be counted is taken for one of this length."""
FEWEST_SAMPLES = 5
"""With fewer finished attempts the prior holds: one odd document would otherwise speak for all."""
MOST_TOKENS = 2_000_000_000
OFF_BY = 0.1
"""A waiting task's estimate is replaced when a new one differs by more than this share."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a version of an agent takes: so much per document whatever its length, and so much per page."""

    input_tokens_per_page: float = 0.0
    output_tokens_per_page: float = 0.0
    tokens_per_document: float = 1.0
    requests_per_page: float = 0.0
    seconds_per_page: float = 1.0
    output_tokens_per_document: float = 0.0
    requests_per_document: float = 0.0
    seconds_per_document: float = 0.0


@dataclass(frozen=True, slots=True)
class Sample:
    """A completed attempt. Seconds of its run; None: not reported."""

    pages: int
    input_tokens: int | None
    output_tokens: int | None
    requests: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """All at least one (or above zero): a task without an estimate would pass every token limit."""

    tokens: int
    output_tokens: int
    requests: int
    seconds: float

    def differs(self, other: Estimate) -> bool:
        """Whether another one is so far off that it should replace this one."""
        return any(
            abs(new - old) > OFF_BY * old for old, new in zip(astuple(self), astuple(other), strict=True)
        )


def figures_of(version: Any) -> Figures:
    """The figures of an agent version (or a row with its columns): the prior, and over it what was learnt."""
    prior = Figures(**{name: getattr(version, name) for name in PRIOR})
    return replace(prior, **known(version.learnt))


def known(learnt: Mapping[str, Any]) -> dict[str, float]:
    """Those of the stored figures that are figures."""
    return {name: float(learnt[name]) for name in ALL if name in learnt}


def estimate(figures: Figures, pages: int | None) -> Estimate:
    """Tokens (input and output together), output tokens, requests and seconds of a document with `pages` pages (None: unknown)."""
    count = pages or DEFAULT_PAGES
    output = figures.output_tokens_per_document + figures.output_tokens_per_page * count
    tokens = figures.tokens_per_document + figures.input_tokens_per_page * count + output
    requests = figures.requests_per_document + figures.requests_per_page * count
    return Estimate(
        tokens=_whole(tokens),
        output_tokens=_whole(output),
        requests=_whole(requests),
        seconds=max(0.1, figures.seconds_per_document + figures.seconds_per_page * count),
    )


def learn(prior: Figures, samples: Sequence[Sample]) -> dict[str, float]:
    """Figures from finished attempts, and how many those are; empty: too few for any.

    Each kind is a line over pages (Theil-Sen: the median of the slopes between all pairs), so that up to a quarter of wild
    outliers moves nothing and a fixed prompt is not taken for pages. A kind that was not reported keeps its prior.
    """
    kinds = {
        ("input_tokens_per_page", "tokens_per_document"): lambda one: one.input_tokens,
        ("output_tokens_per_page", "output_tokens_per_document"): lambda one: one.output_tokens,
        ("requests_per_page", "requests_per_document"): lambda one: one.requests,
        ("seconds_per_page", "seconds_per_document"): lambda one: one.seconds,
    }
    learnt: dict[str, float] = {}
    for (per_page, per_document), read in kinds.items():
        points = [
            (one.pages, float(value)) for one in samples if one.pages > 0 and (value := read(one)) is not None
        ]
        if len(points) >= FEWEST_SAMPLES:
            learnt[per_page], learnt[per_document] = _line(points, getattr(prior, per_document))
    return learnt | {"samples": len(samples)} if learnt else {}


def _line(points: Sequence[tuple[int, float]], fixed: float) -> tuple[float, float]:
    """(per page, per document) of these (pages, amount). Where all have the same length, `fixed` is taken for the document's own part."""
    slopes = [(y - v) / (x - u) for i, (x, y) in enumerate(points) for u, v in points[:i] if x != u]
    if len(slopes) < len(points):
        fixed = min(fixed, median(y for _, y in points))
        return max(0.0, median((y - fixed) / x for x, y in points)), fixed
    slope = max(0.0, median(slopes))
    rest = median(y - slope * x for x, y in points)
    return (slope, rest) if rest >= 0 else (median(y / x for x, y in points), 0.0)


def _whole(amount: float) -> int:
    return min(MOST_TOKENS, max(1, math.ceil(amount)))


ALL = tuple(field.name for field in fields(Figures))
PRIOR = ALL[:5]
"""What an agent's author says of a version before anything is learnt; columns of agent_versions."""
