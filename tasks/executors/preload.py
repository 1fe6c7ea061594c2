"""Does once, in the fork server, what each attempt would do anew: imports, and the first reading, by which Python gets quicker.

A process that reads its first document compiles patterns, fills caches and specialises its code; what is forked from one that has
read inherits all that. The documents are the samples that come with the program, never somebody's.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
from pathlib import Path
from uuid import UUID

from tasks.agent.contract import Event, Order
from tasks.executors import child

SAMPLES = Path(importlib.import_module("tasks.agent").__path__[0]) / "samples"
READ = ("01-*.pdf", "02-*.pdf", "03-*.pdf", "04-*.pdf", "05-*.pdf", "06-*.pdf")
"""With text each: an invoice of several pages, other languages and kinds, an electronic invoice inside."""


def preload() -> None:
    """What cannot be had here is left to the attempt that needs it, which then says so."""
    modules = ["pypdfium2", "pypdf", child.PROGRAM]
    with contextlib.suppress(ImportError):
        built_in = importlib.import_module(child.PROGRAM).BUILT_IN
        modules += [path.partition(":")[0] for path in built_in.values()]
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    for make_ready in (_read_samples, _find_engine):
        try:
            make_ready()
        except Exception as error:  # noqa: BLE001 - only time is lost without it
            logging.getLogger(__name__).info("Not made ready beforehand: %s", type(error).__name__)


def _read_samples() -> None:
    run = importlib.import_module(child.PROGRAM).run
    events: list[Event] = []
    for path in sorted(path for pattern in READ for path in SAMPLES.glob(pattern)):
        run(
            Order(
                attempt=UUID(int=0), task=0, number=1, program="rules", document=str(path), document_sha256=""
            ),
            events.append,
        )


def _find_engine() -> None:
    """Pillow with its formats, and which languages Tesseract has: a scan's process would ask for them each time."""
    image = importlib.import_module("PIL.Image")
    importlib.import_module("PIL.ImageFilter")
    image.preinit()
    ocr = importlib.import_module("tasks.agent.ocr")
    if ocr.Engine.find({}) is None:
        ocr.installed.cache_clear()  # it may be there by the time that somebody needs it
