"""Makes scans of PDFs: each page as a picture of 200 dpi, a little skewed and grainy, the same each time."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pypdfium2
from PIL import Image, ImageChops, ImageFilter

DPI = 200
MOST_SKEW = 1.5  # degrees to either side
GRAIN = 0.16  # of the full range of brightness, to either side
PAPER = 250
QUALITY = 70
MOST_PAGES = 4


def scan(source: Path, target: Path) -> None:
    """Write the first pages of `source` as a scanner without text recognition would. The file's name is the seed."""
    chance = random.Random(source.name)  # noqa: S311 - the same each time is the point
    document = pypdfium2.PdfDocument(source)
    pages = [
        scanned(document[number].render(scale=DPI / 72, grayscale=True).to_pil(), chance)
        for number in range(min(len(document), MOST_PAGES))
    ]
    document.close()
    pages[0].save(target, "PDF", resolution=DPI, save_all=True, append_images=pages[1:])


def scanned(picture: Image.Image, chance: random.Random) -> Image.Image:
    degrees = chance.uniform(-MOST_SKEW, MOST_SKEW)
    picture = picture.convert("L").rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=PAPER)
    picture = picture.filter(ImageFilter.GaussianBlur(0.5))
    noise = Image.frombytes("L", picture.size, chance.randbytes(picture.width * picture.height))
    noise = noise.point([int(128 + (value - 128) * GRAIN) for value in range(256)])
    grainy = ImageChops.add(picture, noise, 1, -128)
    content = io.BytesIO()
    grainy.save(content, "JPEG", quality=QUALITY)
    return Image.open(io.BytesIO(content.getvalue()))
