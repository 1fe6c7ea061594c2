"""Says at once what a PDF is (pages, encrypted or not) for the page where it is uploaded, in a child with limits of its own."""

from __future__ import annotations

import json
import resource
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from tasks.agent.contract import Code, Limits, Problem
from tasks.agent.pdf import Document


@dataclass(frozen=True, slots=True)
class Inspection:
    """`code` and `message` are None where the document can be read as it is."""

    pages: int | None = None
    encrypted: bool = False
    needs_password: bool = False
    code: str | None = None
    message: str | None = None


def inspect(path: str | Path, password: str = "", limits: Limits | None = None) -> Inspection:
    """Open the document, read none of its pages; never raises for what the file may be."""
    try:
        with Document.open(path, password, limits) as document:
            return Inspection(document.page_count, document.encrypted)
    except Problem as problem:
        locked = problem.code is Code.ENCRYPTED
        return Inspection(None, locked, locked, problem.code.value, problem.message)


def serve(requests: TextIO, answers: TextIO, limits: Limits, memory_mib: int, cpu_seconds: int) -> None:
    """Answer each JSON line {"path", "password"} with one JSON line, until the input ends.

    The process limits its own memory, and its CPU seconds for each file anew. A file that breaks a limit ends the process, and whoever
    asked knows by the missing answer which file it was.
    """
    resource.setrlimit(resource.RLIMIT_AS, (memory_mib << 20, memory_mib << 20))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    for line in requests:
        if not line.strip():
            continue
        used = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + cpu_seconds, hard))
        answers.write(json.dumps(answer(line, limits), ensure_ascii=False) + "\n")
        answers.flush()


def answer(line: str, limits: Limits) -> dict[str, object]:
    try:
        request = json.loads(line)
        path, password = str(request["path"]), str(request.get("password") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return asdict(
            Inspection(code=Code.BAD_CONFIGURATION.value, message='Expected {"path": …, "password": …}.')
        )
    try:
        return asdict(inspect(path, password, limits))
    except MemoryError:
        return asdict(Inspection(code=Code.LIMIT.value, message="This PDF needs too much memory to open."))
