"""Draws one page of a PDF for people: `python -m tasks.agent.draw FILE PAGE [SHA256]` writes a WebP to standard output.

Where there is no picture it ends with EX_DATAERR and a sentence on standard error. A program of its own with bounds of its own: a file that swells or
crashes PDFium ends this and nothing else.
"""

from __future__ import annotations

import os
import resource
import sys

from tasks.agent.contract import NOT_HANDED_IN, Limits, Problem, is_handed_in
from tasks.agent.pdf import Document

MEMORY_BYTES = 1 << 30
CPU_SECONDS = 20
LONGEST_SIDE = 2000
"""Pixels: small print of a page of A4 can still be read, and the picture has some 100 KiB."""
QUALITY = 85


def main(path: str, number: int, sha256: str = "") -> int:
    """`sha256`: of the file's bytes, so that no place of a value is framed on another one's page; empty: not looked at."""
    os.nice(5)  # pages of the server come before pictures in them
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    try:
        if not is_handed_in(path, sha256):
            return _undrawable(NOT_HANDED_IN)
        with Document.open(path, limits=Limits(raster_pixels=LONGEST_SIDE)) as document:
            picture = document.render(number, grey=False) if 1 <= number <= document.page_count else None
    except Problem as problem:
        return _undrawable(problem.message)
    except FileNotFoundError:
        return _undrawable("The file of this document is not where it was stored.")
    except MemoryError:
        picture = None
    if picture is None:
        return _undrawable("This page is missing, or too large to be drawn safely.")
    picture.save(sys.stdout.buffer, "WEBP", quality=QUALITY, method=1)
    return 0


def _undrawable(sentence: str) -> int:
    sys.stderr.write(sentence)
    return os.EX_DATAERR


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]))
