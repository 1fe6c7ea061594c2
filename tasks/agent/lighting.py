"""Makes the paper of a photographed page white: a shadow across it would pass for ink."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

COARSE = 8
"""So many pixels a side become one; the paper shows between letters and lines all the same."""
REACH, REPEATED = 9, 3
"""Coarse pixels around a place in which its paper is looked for: wider than any letter, and than most boxes with white letters."""
UNEVEN = 40
"""Shades (of 255) by which paper that is lit evenly does not differ."""


def evened(picture: Image) -> Image:
    """The grey picture as if it were lit evenly; itself where it is."""
    from PIL import ImageChops
    from PIL.Image import Resampling
    from PIL.ImageFilter import BoxBlur, MaxFilter

    paper = picture.reduce(COARSE)
    for _ in range(REPEATED):
        paper = paper.filter(MaxFilter(REACH))
    shades = paper.tobytes()
    if max(shades) - min(shades) < UNEVEN:
        return picture
    shadow = ImageChops.invert(paper.filter(BoxBlur(REACH)))
    return ImageChops.add(picture, shadow.resize(picture.size, Resampling.BICUBIC))
