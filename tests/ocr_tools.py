"""Pages as pictures for tests of OCR, and what those tests do where there is no engine."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from fpdf import FPDF
from PIL import Image

from tasks.agent.ocr import INSTALL

REQUIRED = "REQUIRE_OCR"  # set where everything has to run: then these tests fail instead of skipping

needs_engine = pytest.mark.skipif(
    shutil.which("tesseract") is None and not os.environ.get(REQUIRED),
    reason=f"No OCR engine here. Type: {INSTALL}",
)


def picture_of(source: Path, scale: float = 2.5) -> Image.Image:
    """The first page in grey."""
    document = pypdfium2.PdfDocument(source)
    picture = document[0].render(scale=scale, grayscale=True).to_pil().convert("L")
    document.close()
    return picture


def scan_of(
    source: Path, target: Path, change: Callable[[Image.Image], Image.Image] = lambda picture: picture
) -> Path:
    """A PDF whose only page is the (changed) picture of `source`'s first page."""
    picture = change(picture_of(source))
    content = io.BytesIO()
    picture.convert("L").save(content, "PNG")
    pdf = FPDF(unit="pt", format=(picture.width / 2.5, picture.height / 2.5))
    pdf.add_page()
    pdf.image(content, 0, 0, picture.width / 2.5, picture.height / 2.5)
    pdf.output(str(target))
    return target
