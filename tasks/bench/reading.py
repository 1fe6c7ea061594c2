"""How quickly documents are read: beside a bare PDFium loop, beside the OCR engine alone, and through the queue beside a plain loop.

`text_pages_per_cpu_s` is the whole rules agent, from the file to the result. `ratio_to_bare_pdfium` is the reading of the file into words
with boxes alone, beside the calls that it makes of PDFium: what rules make of the words is no part of it (a note tells that ratio).
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

from django.conf import settings

from tasks.bench import Measured, Say
from tasks.bench.accuracy import read_all
from tasks.bench.scans import scan

SAMPLES = Path(settings.BASE_DIR) / "tasks" / "agent" / "samples"
LOOP_SECONDS = 600
MOST_FILES, MOST_SCANS = 25, 2
PLAIN_KINDS = {"invoice", "receipt", "credit_note", "quotation"}


def run(full: bool, say: Say) -> Measured:
    """Quick: two scans and one round through the queue; full: six scans and three rounds."""
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
    figures |= through_the_queue(files, 3 if full else 1, say)
    return Measured(figures, notes)


def text_files() -> list[Path]:
    """Business documents with a text layer: those with known values where they are at hand, else the samples of the demonstration."""
    corpus = Path(settings.CORPUS_DIR)
    if (corpus / "manifest.json").exists():
        entries = json.loads((corpus / "manifest.json").read_text())
        names = [e["file"] for e in entries if e["kind"] in PLAIN_KINDS and not e.get("scan")]
    else:
        corpus, names = (
            SAMPLES,
            sorted(path.name for path in SAMPLES.glob("0[1-7]*.pdf") if "scan" not in path.name),
        )
    return [corpus / name for name in names[:MOST_FILES]]


def loop(kind: str, files: list[Path]) -> dict[str, Any]:
    command = [sys.executable, "-m", "tasks.bench.reading_loops", kind, *map(str, files)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=settings.BASE_DIR, timeout=LOOP_SECONDS
    )
    return json.loads(done.stdout)


def through_the_queue(files: list[Path], rounds: int, say: Say) -> dict[str, Any]:
    """Documents a minute from handing in to the last result, and the time of as many plain loops as there are slots ÷ that of the queue."""
    seconds, ratios = [], []
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            # The same document is not read twice, so that each round and copy has a byte of its own
            copies = [
                copied(path, Path(folder) / f"{number}-{i}-{path.name}", f"{number}-{i}")
                for i in range(4)
                for path in files
            ]
            read_all(copies[:1], say)  # a worker's start belongs to no document
            begun = time.monotonic()
            read_all(copies[1:], say)
            seconds.append(time.monotonic() - begun)
            begun = time.monotonic()
            plain_loops(copies[1:])
            ratios.append((time.monotonic() - begun) / seconds[-1])
    return {
        "documents_per_min": round(60 * (4 * len(files) - 1) / median(seconds), 1),
        "ratio_to_plain_loop": round(median(ratios), 2),
    }


def copied(source: Path, target: Path, mark: str) -> Path:
    target.write_bytes(source.read_bytes() + f"\n% {mark}\n".encode())
    return target


def plain_loops(files: list[Path]) -> None:
    """As many processes as a worker has slots, each with its share of the files."""
    slots = settings.WORKER_SLOTS
    shares = [files[first::slots] for first in range(slots)]
    command = [sys.executable, "-m", "tasks.bench.reading_loops", "plain"]
    running = [
        subprocess.Popen([*command, *map(str, share)], stdout=subprocess.DEVNULL, cwd=settings.BASE_DIR)
        for share in shares
        if share
    ]
    for process in running:
        process.wait(LOOP_SECONDS)
