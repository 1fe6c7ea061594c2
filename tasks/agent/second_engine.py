"""Recognises pages once more with rapidocr, where it is installed, for documents on which the first engine left gaps."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from tasks.agent.contract import Order
from tasks.agent.ocr import Seen, place
from tasks.agent.page import Page

if TYPE_CHECKING:
    from PIL.Image import Image

    from tasks.agent.reading import Reading

MODULES = ("rapidocr", "onnxruntime")
MEMORY_MIB = 3072
"""An attempt that may use less does not load it: a page takes about 1 GiB, and its address space half as much again."""
MOST_PAGES = 4
PAGE_SECONDS = 60
"""What has to be left of an attempt's time for OCR before another page is begun."""
LEAST_SURE = 0.5
ACROSS, DOWN = 0.15, 0.1
"""The engine's boxes are wider and higher than what is printed in them, by these shares of their height on each side."""


class Recognises(Protocol):
    """What reads a straightened grey picture: words with places in pixels from the top left."""

    def words(self, picture: Image) -> list[Seen]: ...


class Rapid:
    """rapidocr with the models inside its package, on one core; loaded with the first picture."""

    def __init__(self) -> None:
        self._engine: Any = None

    def words(self, picture: Image) -> list[Seen]:
        import numpy
        from rapidocr import RapidOCR

        if self._engine is None:
            alone = {"intra_op_num_threads": 1, "inter_op_num_threads": 1}
            settings = {f"EngineConfig.onnxruntime.{name}": value for name, value in alone.items()}
            self._engine = RapidOCR(
                params={**settings, "Global.log_level": "critical", "Global.use_cls": False}
            )
        read = self._engine(numpy.asarray(picture.convert("RGB")))
        if read.boxes is None:
            return []
        found = zip(read.boxes.tolist(), read.txts, read.scores, strict=True)
        return [word for box, text, sure in found if sure >= LEAST_SURE for word in parted(box, text, sure)]


def installed() -> bool:
    return all(find_spec(name) is not None for name in MODULES)


def parted(box: list[list[float]], text: str, sure: float) -> list[Seen]:
    """The words of a phrase in a box of four corners, each as wide as its share of the letters; `sure` is 0..1."""
    xs, ys = [x for x, _ in box], [y for _, y in box]
    height = max(ys) - min(ys)
    left, right = min(xs) + ACROSS * height, max(xs) - ACROSS * height
    top, bottom = min(ys) + DOWN * height, max(ys) - DOWN * height
    letter, at, found = (right - left) / max(len(text), 1), 0, []
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        found.append(Seen(word, left + letter * start, top, left + letter * at, bottom, 100 * sure))
    return found


def read_again(reading: Reading, order: Order, engine: Recognises | None = None) -> list[Page]:
    """The readable pages, those that were recognised with what the second engine sees on them; none where it cannot be used or fails.

    What was read before is left as it is. A sentence among the reading's notes tells why an engine that is there gave nothing.
    """
    recogniser = reading.recogniser
    if recogniser is None or not recogniser.done or not (engine or installed()):
        return []
    if order.limits.memory_mib < MEMORY_MIB:
        reading.notes.append(
            f"The second OCR engine was not tried: it needs {MEMORY_MIB:,} MiB, and the agent may use {order.limits.memory_mib:,}."
        )
        return []
    engine, read = engine or Rapid(), {}
    try:
        for number in recogniser.done[:MOST_PAGES]:
            if time.monotonic() + PAGE_SECONDS > recogniser.until:
                break
            page = read_page(reading, number, engine)
            if page is not None:
                read[number] = page
    except Exception as error:  # noqa: BLE001 - whatever becomes of the second engine, what the first one read stands
        reading.notes.append(f"The second OCR engine failed ({type(error).__name__}).")
        return []
    return [read.get(page.number, page) for page in reading.readable] if read else []


def read_page(reading: Reading, number: int, engine: Recognises) -> Page | None:
    """A copy of the page with the engine's words, straightened as the first engine's were; None without any."""
    page = reading.pages[number - 1]
    picture = reading.document.render(number)
    if picture is None or page.turn is None:
        return None
    seen = engine.words(page.turn.apply(picture.convert("L")))
    scale = page.width / page.turn.upright[0]
    return replace(page, words=[place(word, scale, number) for word in seen]) if seen else None
