"""The loops that the reading bench compares, in a process of their own: `python -m tasks.bench.reading_loops KIND FILE…` prints JSON.

The bare loop makes exactly the calls of PDFium's text interface that reading a file into words with boxes makes (characters, boxes,
text objects), recorded beforehand, with the same arguments and on the same pages, and does nothing with what they answer.
"""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pypdfium2.raw as raw

from tasks.agent import pdf, quick
from tasks.agent.contract import Completed, Event, Order, Result
from tasks.agent.ocr import Engine
from tasks.agent.pdf import Document
from tasks.agent.program import run
from tasks.agent.reading import read_document

ROUNDS, SCAN_ROUNDS = 15, 3
Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function of PDFium, and its arguments behind the text page."""


def order(path: str) -> Order:
    return Order(attempt=UUID(int=1), task=1, number=1, program="rules", document=path, document_sha256="")


def read(path: str) -> Result:
    """The whole agent, from the file to the result."""
    events: list[Event] = []
    run(order(path), events.append)
    outcome = events[-1]
    if not isinstance(outcome, Completed) or outcome.result is None:
        raise SystemExit(f"{path} could not be read: {outcome}")
    return outcome.result


def words(wanted: Order) -> int:
    """The reading alone, from the file to its words with boxes, hidden and garbled text told apart; how many words there are."""
    with Document.open(wanted.document) as document:
        reading = read_document(document, wanted, lambda *_: None)
        return sum(len(page.words) for page in reading.pages)


def calls_of(path: str) -> list[list[Call]]:
    """What reading the file asks of PDFium's text interface, page by page."""
    pages: list[list[Call]] = []

    def recording(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(text: Any, *arguments: Any) -> Any:
            if name == "FPDFText_LoadPage":
                pages.append([])
            elif name != "FPDFText_ClosePage":
                pages[-1].append((function, arguments))
            return function(text, *arguments)

        return call

    kept, swept = pdf.raw, {n: f for n, f in vars(quick).items() if name_of(f).startswith("FPDFText_")}
    functions = {name: getattr(raw, name) for name in dir(raw)}
    recorded = {n: recording(f, n) for n, f in functions.items() if n.startswith("FPDFText_")}
    pdf.raw = SimpleNamespace(**functions | recorded)
    vars(quick).update({n: recording(f, name_of(f)) for n, f in swept.items()})
    try:
        words(order(path))
    finally:
        pdf.raw = kept
        vars(quick).update(swept)
    return pages


def name_of(function: Any) -> str:
    return getattr(function, "__name__", "")


def bare(path: str, pages: list[list[Call]]) -> None:
    """Open the file, load every page with its text, and make the page's calls."""
    document = raw.FPDF_LoadDocument(path.encode(), None)
    for number in range(raw.FPDF_GetPageCount(document)):
        page = raw.FPDF_LoadPage(document, number)
        text = raw.FPDFText_LoadPage(page)
        for function, arguments in pages[number]:
            function(text, *arguments)
        raw.FPDFText_ClosePage(text)
        raw.FPDF_ClosePage(page)
    raw.FPDF_CloseDocument(document)


def text_loops(paths: list[str]) -> dict[str, float]:
    """Of CPU seconds of this process; `agent_to_bare` is the whole agent beside the same bare loop.

    The ratios are of the least that each file took: what it takes more at other times is what else the machine does.
    """
    orders, calls = [order(path) for path in paths], [calls_of(path) for path in paths]
    pages = sum(read(path).pages for path in paths)
    # What was recorded is not for the collector to look through; an attempt's process is forked from a frozen one, too
    gc.collect()
    gc.freeze()
    loops: list[Callable[[int], Any]] = [
        lambda file: read(paths[file]),
        lambda file: words(orders[file]),
        lambda file: bare(paths[file], calls[file]),
    ]
    took = [[[0.0] * ROUNDS for _ in paths] for _ in loops]
    for number in range(ROUNDS):
        for file in range(len(paths)):
            for turn in range(len(loops)):  # each is the first in turn: it finds the file and the caches cold
                loop = (turn + number) % len(loops)
                took[loop][file][number] = cpu_seconds(loops[loop], [file])
    agent, reading, alone = (sum(map(min, files)) for files in took)
    return {
        "pages": pages,
        "text_pages_per_cpu_s": round(pages / median(map(sum, zip(*took[0], strict=True))), 1),
        "ratio_to_bare_pdfium": round(reading / alone, 2),
        "agent_to_bare": round(agent / alone, 2),
    }


def ratio(times: list[float], others: list[float]) -> float:
    """The median of the rounds' ratios."""
    return round(median(a / b for a, b in zip(times, others, strict=True)), 2)


def scan_loops(paths: list[str]) -> dict[str, float]:
    """CPU seconds of the whole agent with its engine ÷ those of the engine alone, once over the same pictures; each with its children."""
    engine = Engine.find({})
    if engine is None:
        return {}
    agent, alone = [], []
    for _ in range(SCAN_ROUNDS):
        agent.append(0.0)
        alone.append(0.0)
        for path in paths:
            with Document.open(path) as document:
                pictures = [document.render(number) for number in range(1, document.page_count + 1)]
            agent[-1] += cpu_seconds(read, [path], family=True)
            alone[-1] += cpu_seconds(lambda picture: recognised(engine, picture), pictures, family=True)
    return {"ocr_ratio_to_engine": ratio(agent, alone)}


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


def plain_loop(paths: list[str]) -> dict[str, int]:
    """The whole agent for one file after the other that no other such process has taken, once the input of this one is closed."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    return {"read": sum(bool(read(path)) for path in paths if taken(path))}


def taken(path: str) -> bool:
    """Whether the file is this process's to read: whoever makes the mark beside it has it."""
    try:
        os.close(os.open(f"{path}.taken", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


LOOPS = {
    "text": text_loops,
    "scans": scan_loops,
    "plain": plain_loop,
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(LOOPS[sys.argv[1]](sys.argv[2:])))
