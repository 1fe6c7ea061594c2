"""Reads the documents with known values through the real queue, and scores what comes out with the scorer beside them."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings

from tasks.agent.contract import Completed, Result
from tasks.agent.predictions import prediction
from tasks.bench import Measured, Say
from tasks.bench.evidence import cited
from tasks.bench.scans import scan
from tasks.management import handing_in, rows, watching
from tasks.management.hands import Hands
from tasks.models import Task
from tasks.states import TaskStatus

SURE = 0.9
QUICK_SHARE = 3
JUDGE_SECONDS = 120


def run(full: bool, say: Say) -> Measured:
    """Both forms read every document as it is: there are only some fifty. Of the scans the quick form reads every third."""
    corpus = Path(settings.CORPUS_DIR)
    if not (corpus / "score.py").exists():
        return Measured(
            {"accuracy": None}, [f"There are no documents with known values at {corpus}; set CORPUS_DIR."]
        )
    read = read_all(sorted(corpus.glob("*.pdf")), say)
    predictions = {Path(row.file).name: predicted(row) for row in read}
    figures = scored(corpus, predictions)
    figures["accuracy_scan"], notes = accuracy_of_scans(corpus, full, say)
    figures |= calibration(corpus, read, predictions)
    figures["evidence_wrong"], remarks = evidence_wrong(read, say)
    return Measured(figures, notes + remarks)


def accuracy_of_scans(corpus: Path, full: bool, say: Say) -> tuple[float | None, list[str]]:
    """A run of its own: the scans among the documents, and the others as scans of their pages (200 dpi, seeded skew and noise)."""
    if shutil.which("tesseract") is None:
        return None, [
            "accuracy_scan is not measured: there is no OCR engine here (doctor says how to get one)."
        ]
    kinds = runpy.run_path(str(corpus / "score.py"))["KINDS"]
    entries = [e for e in json.loads((corpus / "manifest.json").read_text()) if e["kind"] in kinds]
    if not full:
        entries = [e for position, e in enumerate(entries) if e.get("scan") or position % QUICK_SHARE == 0]
    say(f"Scans of {len(entries)} documents")
    with tempfile.TemporaryDirectory() as folder:
        for entry in entries:
            target = Path(folder) / entry["file"]
            if entry.get("scan"):
                # One more byte: the same file has been read already, and is not read twice
                target.write_bytes((corpus / entry["file"]).read_bytes() + b"\n")
            else:
                scan(corpus / entry["file"], target)
        read = read_all([Path(folder) / entry["file"] for entry in entries], say)
        manifest = Path(folder) / "manifest.json"
        manifest.write_text(json.dumps([{**entry, "scan": True} for entry in entries]))
        figures = scored(corpus, {Path(row.file).name: predicted(row) for row in read}, manifest)
    return figures["accuracy_scan"], [
        f"accuracy_scan: {figures['right']} of {figures['fields_n']} fields of {len(entries)} scanned documents."
    ]


def read_all(files: list[Path], say: Say) -> list[rows.Row]:
    """One row per file, refused ones included."""
    batch = handing_in.Batch(files)
    extraction = batch.hand_in(client=handing_in.client("Accuracy", create=True), agent=handing_in.agent(""))
    ids = list(Task.objects.filter(extraction=extraction).values_list("pk", flat=True))
    with watching.Bar("Reading", len(ids)) as bar, Hands(say) as hands:
        watching.wait_for(ids, hands, bar)
    return rows.of_extraction(extraction, batch.paths, batch.unreadable)


def predicted(row: rows.Row) -> dict[str, Any]:
    """A row in the shape that score.py takes."""
    if row.state == TaskStatus.COMPLETED and row.result is not None:
        return prediction(Completed(attempt=UUID(int=0), result=Result.model_validate(row.result)))
    return {"outcome": f"error:{row.code}"}


def scored(
    corpus: Path, predictions: dict[str, dict[str, Any]], manifest: Path | None = None
) -> dict[str, Any]:
    """The figures of the scorer beside the documents, which is run as it is."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(predictions, file)
        file.flush()
        command = [
            sys.executable,
            str(corpus / "score.py"),
            file.name,
            *([str(manifest)] if manifest else []),
        ]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def calibration(
    corpus: Path, read: list[rows.Row], predictions: dict[str, dict[str, Any]]
) -> dict[str, float | None]:
    """right_at_09: of the fields that are sure, the share that is right. share_right_at_09: of the right ones, the share that is sure."""
    score = runpy.run_path(str(corpus / "score.py"))
    truths = {
        entry["file"]: entry
        for entry in json.loads((corpus / "manifest.json").read_text())
        if entry["kind"] in score["KINDS"]
    }
    sure = right = both = 0
    for row in read:
        name = Path(row.file).name
        if name not in truths:
            continue
        for field, confidence in confidences(row).items():
            given = predictions[name].get(field)
            if given is None:
                continue
            entry = truths[name]
            accepted = [entry["truth"].get(field), *entry["truth"].get(f"{field}_alt", [])]
            hit = any(
                score["same"](field, truth, given, entry["kind"] == "credit_note")
                for truth in accepted
                if truth is not None
            )
            sure, right, both = sure + (confidence >= SURE), right + hit, both + (hit and confidence >= SURE)
    return {"right_at_09": _share(both, sure), "share_right_at_09": _share(both, right)}


def confidences(row: rows.Row) -> dict[str, float]:
    """Confidence of each scored field of the first record; that of the line count is its least sure cell's."""
    records = (row.result or {}).get("records", ())
    if not records:
        return {}
    found = {
        name: records[0]["fields"][name]["confidence"] for name in rows.FIELDS if name in records[0]["fields"]
    }
    cells = [cell["confidence"] for line in records[0]["lines"] for cell in line.values()]
    return found | ({"line_count": min(cells)} if cells else {})


def evidence_wrong(read: list[rows.Row], say: Say) -> tuple[int, list[str]]:
    """How many boxes are too large or lie on other words than they quote; the notes name the first of them."""
    wrong, checked, notes = 0, 0, []
    for row in read:
        if row.result is None or not any(cited(row.result)):
            continue
        command = [sys.executable, "-m", "tasks.bench.evidence", row.file]
        try:
            run = subprocess.run(
                command, input=json.dumps(row.result), capture_output=True, text=True, check=True,
                cwd=settings.BASE_DIR, timeout=JUDGE_SECONDS,
            )  # fmt: skip
        except subprocess.SubprocessError as error:
            notes.append(f"The evidence of {Path(row.file).name} could not be judged: {error}")
            continue
        judged = json.loads(run.stdout)
        checked, wrong = checked + judged["checked"], wrong + len(judged["wrong"])
        for page, quote, why in judged["wrong"]:
            say(f"{Path(row.file).name}, page {page}, {quote!r}: {why}")
    return wrong, [*notes, f"{checked} pieces of evidence were compared with the pages."]


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
