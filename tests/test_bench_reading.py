"""What `bench reading` compares is comparable: the bare loop makes the calls that reading makes, and scans are the same each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pypdfium2.raw as raw
import pytest

from tasks.bench import reading_loops
from tasks.bench.scans import scan
from tests.samples.generate import FOLDER

SAMPLE = str(FOLDER / "02-rechnung-drei-seiten.pdf")


def counted(pages: list[list[reading_loops.Call]]) -> Counter[str]:
    return Counter(function.__name__ for calls in pages for function, _ in calls)


def test_the_calls_of_reading_are_recorded_page_by_page() -> None:
    pages = reading_loops.calls_of(SAMPLE)
    words = reading_loops.words(reading_loops.order(SAMPLE))
    assert len(pages) == 3
    counts = counted(pages)
    assert counts["FPDFText_GetText"] == 3
    # A box for each end of a word, and the object that says whether it can be seen
    assert words < counts["FPDFText_GetLooseCharBox"] <= 2 * words
    assert counts["FPDFText_GetTextObject"] == words


def test_the_bare_loop_makes_the_calls_of_reading_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def noting(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            made.append(function.__name__)
            return function(*arguments)

        return call

    pages = reading_loops.calls_of(SAMPLE)
    functions = {
        name: noting(getattr(raw, name)) for name in dir(raw) if name.startswith(("FPDF_", "FPDFText_"))
    }
    monkeypatch.setattr(reading_loops, "raw", SimpleNamespace(**functions))
    reading_loops.bare(SAMPLE, [[(noting(f), rest) for f, rest in calls] for calls in pages])
    loading = {"FPDF_LoadDocument", "FPDF_GetPageCount", "FPDF_CloseDocument"}
    loading |= {f"{page}_{verb}Page" for page in ("FPDF", "FPDFText") for verb in ("Load", "Close")}
    assert Counter(name for name in made if name not in loading) == counted(pages)


def test_the_loop_over_text_gives_its_figures() -> None:
    figures = reading_loops.text_loops([SAMPLE])
    assert figures["pages"] == 3 and figures["text_pages_per_cpu_s"] > 0
    assert 1 < figures["ratio_to_bare_pdfium"] < figures["agent_to_bare"]


def test_a_scan_is_the_same_each_time_and_holds_no_text(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        scan(Path(SAMPLE), tmp_path / name / "scan.pdf")
    pictures = [reading_loops.Document.open(tmp_path / name / "scan.pdf") for name in ("one", "two")]
    assert [document.page_count for document in pictures] == [3, 3]
    assert not next(iter(pictures[0].pages)).words
    first, second = (document.render(1) for document in pictures)
    assert first is not None and second is not None and first.tobytes() == second.tobytes()
