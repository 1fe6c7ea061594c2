"""Finds how far a scanned page is turned, and where a place on the straightened picture stands on the page as it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

SMALL_SIDE = 600
"""Pixels; enough to tell lines of text from the gaps between them."""
STRIP = 8
"""Such pixels side by side are one: at any skew a line of text passes through them at nearly the same height."""
MOST_DEGREES = 6.0
COARSE, FINE = 0.5, 0.1
LEAST_DEGREES = 0.15
"""A smaller skew moves no word into another line."""
CLEARLY = 1.04
"""By so much sharper the lines must get; a picture without lines gets no sharper anywhere."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A shown page of `width` × `height` pixels was turned anticlockwise by `quarters` × 90° and then by `degrees`."""

    width: int
    height: int
    quarters: int = 0
    degrees: float = 0.0

    @property
    def upright(self) -> tuple[int, int]:
        """Width and height of the picture after the quarter turns, in pixels."""
        return (self.height, self.width) if self.quarters % 2 else (self.width, self.height)

    def apply(self, picture: Image) -> Image:
        """The straightened picture; its size is `upright`."""
        from PIL.Image import Resampling

        if self.quarters:
            picture = picture.rotate(90 * self.quarters, expand=True)
        if self.degrees:
            picture = picture.rotate(self.degrees, resample=Resampling.BICUBIC, fillcolor=255)
        return picture

    def shown(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        """The box around a box of the straightened picture, both as shares (0..1) of their picture's sides."""
        corners = [self._back(x, y) for x in (x0, x1) for y in (y0, y1)]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        left, top, right, bottom = (min(1.0, max(0.0, v)) for v in (min(xs), min(ys), max(xs), max(ys)))
        return left, top, right, bottom

    def _back(self, x: float, y: float) -> tuple[float, float]:
        width, height = self.upright
        dx, dy = (x - 0.5) * width, (y - 0.5) * height
        cos, sin = math.cos(math.radians(self.degrees)), math.sin(math.radians(self.degrees))
        x, y = (dx * cos - dy * sin) / width + 0.5, (dx * sin + dy * cos) / height + 0.5
        for _ in range(self.quarters % 4):
            x, y = 1.0 - y, x
        return x, y


def skew(picture: Image) -> float:
    """Degrees by which the grey picture has to be turned anticlockwise for its lines to lie level; 0 where nothing says so."""
    from PIL.Image import Resampling

    scale = SMALL_SIDE / max(picture.size)
    size = (max(int(picture.width * scale / STRIP), 1), max(int(picture.height * scale), 1))
    strips = picture.resize(size, Resampling.BOX).point(lambda value: 255 - value)
    known: dict[float, float] = {}

    def at(degrees: float) -> float:
        degrees = round(degrees, 2)
        if degrees not in known:
            known[degrees] = sharpness(strips, degrees)
        return known[degrees]

    steps = int(MOST_DEGREES / COARSE)
    best = max((COARSE * step for step in range(-steps, steps + 1)), key=at)
    best = max((best + FINE * step for step in range(-5, 6)), key=at)
    if abs(best) < LEAST_DEGREES or at(best) <= CLEARLY * at(0.0):
        return 0.0
    return round(best, 2)


def sharpness(strips: Image, degrees: float) -> float:
    """How much neighbouring rows differ in darkness once the picture is turned: the most where lines of text lie level.

    The strips are moved up and down instead, which does the same to the rows and costs a tenth.
    """
    from PIL.Image import Resampling, Transform

    fall = STRIP * math.tan(math.radians(degrees))
    turned = strips.transform(
        strips.size, Transform.AFFINE, (1, 0, 0, fall, 1, -fall * strips.width / 2), Resampling.BILINEAR
    )
    rows = turned.resize((1, strips.height), Resampling.BOX).tobytes()
    return float(sum((a - b) ** 2 for a, b in pairwise(rows)))
