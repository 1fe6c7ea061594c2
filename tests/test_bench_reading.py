"""What `bench reading` compares is comparable: the bare loop makes the calls that reading makes, and scans are the same each time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pypdfium2.raw as raw
import pytest

from tasks.bench import reading_loops
from tasks.bench.scans import scan
from tests.samples.generate import FOLDER

SAMPLE = str(FOLDER / "02-rechnung-drei-seiten.pdf")


class Counting:
    """PDFium's functions, counted by name."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        self.counts[name] += 1
        return getattr(raw, name)


def test_the_bare_loop_makes_as_many_calls_for_boxes_as_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = reading_loops.calls_of(SAMPLE)
    counting = Counting()
    monkeypatch.setattr(reading_loops, "raw", counting)
    reading_loops.bare(SAMPLE, counts)
    assert counts["FPDFText_GetLooseCharBox"] > 500 and counts["FPDFText_GetCharBox"] > 500
    for name in reading_loops.COUNTED:
        assert counting.counts[name] == counts[name], name


def test_the_loop_over_text_gives_its_figures() -> None:
    figures = reading_loops.text_loops([SAMPLE])
    assert (
        figures["pages"] == 3 and figures["text_pages_per_cpu_s"] > 0 and figures["ratio_to_bare_pdfium"] > 1
    )


def test_a_scan_is_the_same_each_time_and_holds_no_text(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        scan(Path(SAMPLE), tmp_path / name / "scan.pdf")
    pictures = [reading_loops.Document.open(tmp_path / name / "scan.pdf") for name in ("one", "two")]
    assert [document.page_count for document in pictures] == [3, 3]
    assert not next(iter(pictures[0].pages)).words
    first, second = (document.render(1) for document in pictures)
    assert first is not None and second is not None and first.tobytes() == second.tobytes()
