"""What the fork server does once is not done again by each attempt, and leaves a process that may fork."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.samples.generate import FOLDER
from tests.test_imports import HEAVY

ROOT = Path(__file__).resolve().parent.parent
MADE_READY = """
import json, os, sys, threading
from uuid import UUID
from tasks.agent import ocr
from tasks.agent.contract import Order
from tasks.executors.preload import preload
preload()
before = set(sys.modules)
from tasks.agent.program import run
events = []
run(Order(attempt=UUID(int=1), task=1, number=1, program="rules", document=sys.argv[1], document_sha256=""), events.append)
print(json.dumps({
    "loaded": sorted(before), "new": sorted(set(sys.modules) - before), "said": type(events[-1]).__name__,
    "threads": threading.active_count(), "asked": ocr.installed.cache_info().currsize,
}))
"""


@pytest.fixture(scope="module")
def ready() -> dict[str, Any]:
    """What there is in a process that was made ready, and what one reading there needs beyond that."""
    done = subprocess.run(
        [sys.executable, "-c", MADE_READY, str(FOLDER / "07-facture-contradicted.pdf")],
        capture_output=True, text=True, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def test_a_reading_imports_nothing_more(ready: dict[str, Any]) -> None:
    assert ready["said"] == "Completed" and ready["new"] == []
    assert {"PIL.Image", "PIL.PpmImagePlugin", "pypdf"} <= set(ready["loaded"])


def test_nothing_heavy_is_loaded_and_no_thread_was_started(ready: dict[str, Any]) -> None:
    assert not {name.partition(".")[0] for name in ready["loaded"]} & set(HEAVY)
    assert ready["threads"] == 1


def test_the_languages_of_an_engine_are_asked_for_beforehand(ready: dict[str, Any]) -> None:
    from tasks.agent.ocr import Engine

    if Engine.find({}) is None:
        pytest.skip("There is no OCR engine here.")
    assert ready["asked"] == 1
