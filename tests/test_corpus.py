"""Real documents with known values. Skipped unless CORPUS_DIR names their folder."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.agent.predictions import prediction
from tests.pdfs import outcome_of

FOLDER = Path(os.environ.get("CORPUS_DIR", ""))
pytestmark = pytest.mark.skipif(
    not os.environ.get("CORPUS_DIR") or not (FOLDER / "manifest.json").is_file(),
    reason="set CORPUS_DIR to the folder of the corpus (manifest.json, score.py) to run these",
)
FLOOR = 0.95
SHARE_WRONG_UNFLAGGED, SHARE_RIGHT_FLAGGED = 0.02, 0.12
FIELD_FLOORS = {
    "supplier": 0.85, "number": 0.9, "date": 0.95, "due_date": 0.95, "currency": 0.95, "net": 0.9, "tax": 0.9, "total": 0.9, "line_count": 0.85,
}  # fmt: skip
MEMORY = 1536 << 20


def manifest() -> list[dict[str, object]]:
    return json.loads((FOLDER / "manifest.json").read_text()) if (FOLDER / "manifest.json").is_file() else []


def figures(tmp_path: Path) -> dict[str, object]:
    path = tmp_path / "predictions.json"
    path.write_text(
        json.dumps({str(e["file"]): prediction(outcome_of(FOLDER / str(e["file"]))) for e in manifest()})
    )
    done = subprocess.run(
        [sys.executable, str(FOLDER / "score.py"), str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.slow
def test_accuracy_stays_above_its_floor(tmp_path: Path) -> None:
    found = figures(tmp_path)
    assert found["accuracy_text"] >= FLOOR, found
    assert found["wrong_unflagged"] <= SHARE_WRONG_UNFLAGGED, found
    assert found["right_flagged"] <= SHARE_RIGHT_FLAGGED, found
    below = {
        name: row for name, row in found["fields"].items() if row["right"] < FIELD_FLOORS[name] * row["n"]
    }
    assert not below, below
    assert found["invented"] <= 3, found
    assert found["hostile_right"] == found["hostile_n"], found["hostile_wrong"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "entry", [e for e in manifest() if e["kind"] == "hostile"], ids=lambda e: str(e["file"])
)
def test_hostile_files_stay_within_memory_and_time(entry: dict[str, object]) -> None:
    command = [sys.executable, "-m", "tasks.agent", str(FOLDER / str(entry["file"]))]
    done = subprocess.run(
        command,
        capture_output=True,
        timeout=180,
        cwd=Path(__file__).resolve().parents[1],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    assert done.returncode in (0, 1), done.stderr[-500:]
    assert json.loads(done.stdout)
