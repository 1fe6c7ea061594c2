"""How quickly documents are read: beside a bare PDFium loop, beside the OCR engine alone, and through the queue beside a plain loop.

`text_pages_per_cpu_s` is the whole rules agent, from the file to the result. `ratio_to_bare_pdfium` is the reading of the file into words
with boxes alone, beside the calls that it makes of PDFium: what rules make of the words is no part of it (a note tells that ratio).
`ocr_ratio_to_engine` is the whole agent again, with any second look at a page. Through the queue go all business documents, scans among
them; a note tells the same of those with text alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

from django.conf import settings

from tasks.bench import Measured, Say
from tasks.bench.accuracy import read_all
from tasks.bench.scans import scan
from tasks.management.hands import Hands, workers_alive

SAMPLES = Path(settings.BASE_DIR) / "tasks" / "agent" / "samples"
LOOP_SECONDS, LOOK_SECONDS = 600, 0.05
ROUNDS = 3
MOST_FILES, MOST_SCANS = 25, 2
PLAIN_KINDS = {"invoice", "receipt", "credit_note", "quotation"}


def run(full: bool, say: Say) -> Measured:
    """Quick: two scans, and two copies of each document through the queue; full: six scans, four copies."""
    files = text_files()
    figures: dict[str, Any] = {
        "text_pages_per_cpu_s": None, "ratio_to_bare_pdfium": None, "ocr_ratio_to_engine": None, "documents_per_min": None,
        "ratio_to_plain_loop": None,
    }  # fmt: skip
    say(f"Reading {len(files)} documents beside a bare loop over their text and boxes")
    text = loop("text", files)
    notes = [
        f"{len(files)} documents with {text.pop('pages')} pages of text.",
        f"The whole agent, from the file to the result, takes {text.pop('agent_to_bare')} times as long as the bare loop.",
    ]
    figures |= text
    with tempfile.TemporaryDirectory() as folder:
        say("Scans beside the engine alone")
        scans = [Path(folder) / path.name for path in files[: MOST_SCANS * (3 if full else 1)]]
        for source, target in zip(files, scans, strict=False):
            scan(source, target)
        found = loop("scans", scans)
        figures |= found
        if not found:
            notes.append("ocr_ratio_to_engine is not measured: there is no OCR engine here.")
    with Hands(say) as hands:
        while not (workers_alive() or hands.given_up):
            hands.tick()
            time.sleep(LOOK_SECONDS)
        figures |= through_the_queue(business_documents(), full, say)
        text = through_the_queue(files, full, say)
        notes.append(
            f"The {len(files)} documents with text alone, of some 10 ms each: {text['documents_per_min']} a minute, "
            f"{text['ratio_to_plain_loop']} of the plain loop."
        )
    return Measured(figures, notes)


def text_files() -> list[Path]:
    """The business documents that have a text layer."""
    return [path for path, is_scan in _documents() if not is_scan][:MOST_FILES]


def business_documents() -> list[Path]:
    """With text or scanned, as they come."""
    return [path for path, _ in _documents()][:MOST_FILES]


def _documents() -> list[tuple[Path, bool]]:
    """Files and whether each is a scan: those with known values where they are at hand, else the samples of the demonstration."""
    corpus = Path(settings.CORPUS_DIR)
    if not (corpus / "manifest.json").exists():
        return [(path, "scan" in path.name) for path in sorted(SAMPLES.glob("0[1-8]*.pdf"))]
    entries = json.loads((corpus / "manifest.json").read_text())
    return [(corpus / e["file"], bool(e.get("scan"))) for e in entries if e["kind"] in PLAIN_KINDS]


def loop(kind: str, files: list[Path]) -> dict[str, Any]:
    command = [sys.executable, "-m", "tasks.bench.reading_loops", kind, *map(str, files)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=settings.BASE_DIR, timeout=LOOP_SECONDS
    )
    return json.loads(done.stdout)


def through_the_queue(files: list[Path], full: bool, say: Say) -> dict[str, Any]:
    """Documents a minute from handing in to the last result, and the time of as many plain loops as there are slots ÷ that of the queue.

    The worker and the loops are up before the clock starts: their start belongs to no document.
    """
    copies = 4 if full else 2
    seconds, ratios = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            # The same document is not read twice, so that each copy has bytes of its own
            documents = [copied(path, Path(folder)) for _ in range(copies) for path in files]
            begun = time.monotonic()
            read_all(documents, say)
            seconds.append(time.monotonic() - begun)
            ratios.append(plain_loops(documents) / seconds[-1])
    return {
        "documents_per_min": round(60 * copies * len(files) / median(seconds), 1),
        "ratio_to_plain_loop": round(median(ratios), 2),
    }


def copied(source: Path, folder: Path) -> Path:
    mark = uuid4().hex
    target = folder / f"{mark}-{source.name}"
    target.write_bytes(source.read_bytes() + f"\n% {mark}\n".encode())
    return target


def plain_loops(files: list[Path]) -> float:
    """Seconds that as many processes as a worker has slots need for the files together, from their being ready on."""
    command = [sys.executable, "-m", "tasks.bench.reading_loops", "plain", *map(str, files)]
    running = [
        # Sessions of their own, as attempts have them: Linux shares a busy machine out by session
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=settings.BASE_DIR,
            start_new_session=True,
        )
        for _ in range(settings.WORKER_SLOTS)
    ]
    for process in running:
        assert process.stdin and process.stdout  # noqa: S101 - they are pipes
        process.stdout.readline()
    begun = time.monotonic()
    for process in running:
        process.stdin.close()  # type: ignore[union-attr]
    for process in running:
        process.wait(LOOP_SECONDS)
    return time.monotonic() - begun
