"""The loops that the reading bench compares, in a process of their own: `python -m tasks.bench.reading_loops KIND FILE…` prints JSON.

The bare loop makes the same PDFium calls for text and boxes as reading does, as often and on the same pages, and does nothing with
what they answer.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pypdfium2.raw as raw

from tasks.agent import pdf, visibility
from tasks.agent.contract import Completed, Event, Order, Result
from tasks.agent.ocr import Engine
from tasks.agent.pdf import WORD, Document, page_text
from tasks.agent.program import run

ROUNDS = 5
COUNTED = (
    "FPDFText_GetLooseCharBox",
    "FPDFText_GetCharBox",
    "FPDFText_GetBoundedText",
    "FPDFText_GetTextObject",
)


def read(path: str) -> Result:
    """The whole agent, from the file to the result."""
    order = Order(attempt=UUID(int=1), task=1, number=1, program="rules", document=path, document_sha256="")
    events: list[Event] = []
    run(order, events.append)
    outcome = events[-1]
    if not isinstance(outcome, Completed) or outcome.result is None:
        raise SystemExit(f"{path} could not be read: {outcome}")
    return outcome.result


def calls_of(path: str) -> Counter[str]:
    """How often reading the file makes each call for boxes and bounded text."""
    counts: Counter[str] = Counter()

    def counting(name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            counts[name] += 1
            return getattr(raw, name)(*arguments)

        return call

    wrapped = SimpleNamespace(
        **{name: getattr(raw, name) for name in dir(raw)} | {name: counting(name) for name in COUNTED}
    )
    kept = pdf.raw, visibility.raw
    pdf.raw = visibility.raw = wrapped
    try:
        read(path)
    finally:
        pdf.raw, visibility.raw = kept
    return counts


def bare(path: str, counts: Counter[str]) -> None:
    """Load every page, take its text and two boxes a word; then the file's other calls, on its first page."""
    document = raw.FPDF_LoadDocument(path.encode(), None)
    rect, sides = raw.FS_RECTF(), [ctypes.c_double() for _ in range(4)]
    pointer, places = ctypes.byref(rect), [ctypes.byref(side) for side in sides]
    buffer = (ctypes.c_ushort * 64)()
    for number in range(raw.FPDF_GetPageCount(document)):
        page = raw.FPDF_LoadPage(document, number)
        text = raw.FPDFText_LoadPage(page)
        for match in WORD.finditer(page_text(text)):
            raw.FPDFText_GetLooseCharBox(text, match.start(), pointer)
            if match.end() - match.start() > 1:
                raw.FPDFText_GetLooseCharBox(text, match.end() - 1, pointer)
            raw.FPDFText_GetTextObject(text, match.start())
        if number == 0:
            size = max(raw.FPDFText_CountChars(text), 1)
            for index in range(counts["FPDFText_GetCharBox"]):
                raw.FPDFText_GetCharBox(text, index % size, *places)
            for _ in range(counts["FPDFText_GetBoundedText"]):
                raw.FPDFText_GetBoundedText(text, rect.left, rect.top, rect.right, rect.bottom, buffer, 64)
        raw.FPDFText_ClosePage(text)
        raw.FPDF_ClosePage(page)
    raw.FPDF_CloseDocument(document)


def text_loops(paths: list[str]) -> dict[str, float]:
    """Medians of interleaved rounds, in CPU seconds of this process."""
    counts = {path: calls_of(path) for path in paths}
    pages = sum(read(path).pages for path in paths)
    agent, loop = [], []
    for _ in range(ROUNDS):
        agent.append(cpu_seconds(read, paths))
        loop.append(cpu_seconds(lambda path: bare(path, counts[path]), paths))
    return {
        "pages": pages,
        "text_pages_per_cpu_s": round(pages / median(agent), 1),
        "ratio_to_bare_pdfium": round(median(a / b for a, b in zip(agent, loop, strict=True)), 2),
    }


def scan_loops(paths: list[str]) -> dict[str, float]:
    """CPU seconds of the agent with its engine ÷ those of the engine alone on the same pictures, each with its children."""
    engine = Engine.find({})
    if engine is None:
        return {}
    agent, alone = [], []
    for path in paths:
        with Document.open(path) as document:
            pictures = [document.render(number) for number in range(1, document.page_count + 1)]
        agent.append(cpu_seconds(read, [path], family=True))
        alone.append(cpu_seconds(lambda picture: recognised(engine, picture), pictures, family=True))
    return {"ocr_ratio_to_engine": round(median(a / b for a, b in zip(agent, alone, strict=True)), 2)}


def recognised(engine: Engine, picture: Any) -> None:
    content = io.BytesIO()
    picture.save(content, "PPM")
    subprocess.run(
        [engine.program, "-", "-", "--psm", "3", "-l", "+".join(engine.languages), "tsv"],
        input=content.getvalue(), capture_output=True, check=True, env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    )  # fmt: skip


def cpu_seconds(work: Callable[[Any], Any], items: Sequence[Any], family: bool = False) -> float:
    """Of this process, and with `family` of the children that it has waited for, while it does the work for each item."""

    def spent() -> float:
        return sum(os.times()[:4]) if family else time.process_time()

    before = spent()
    for item in items:
        work(item)
    return spent() - before


LOOPS = {
    "text": text_loops,
    "scans": scan_loops,
    "plain": lambda paths: {"read": sum(bool(read(path)) for path in paths)},
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(LOOPS[sys.argv[1]](sys.argv[2:])))
