"""Can a document be read here, and is somebody doing it?"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

from tasks import inspector, maintenance, queue, whereabouts
from tasks.agent.contract import Code, Completed, Failed, Limits, Order
from tasks.executors import RunState
from tasks.executors.local import LocalExecutor
from tasks.management.checkups import Finding, fault, hint, ok
from tasks.management.hands import workers_alive
from tasks.models import Agent, Task
from tasks.states import TaskStatus

ATTEMPT_SECONDS = 30.0
OCR_PROGRAM, OCR_SECONDS = "tesseract", 20.0
OCR_INSTALL = "apt-get install tesseract-ocr tesseract-ocr-eng tesseract-ocr-deu tesseract-ocr-fra"
SECOND_ENGINE, SECOND_ENGINE_MIB = ("rapidocr", "onnxruntime"), 3072
SILENT_SECONDS, MOST_SILENT = 600.0, 1000

TEXT = b"BT /F 12 Tf 20 150 Td (Invoice 1001) Tj 0 -20 Td (Total 12.00) Tj ET"
# A page with two lines of text, as small as a PDF can be; readers rebuild the table of contents that is missing
PDF = b"""%%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length %d>>stream
%s
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%%%EOF
""" % (len(TEXT), TEXT)


def pdfs_can_be_opened() -> Iterator[Finding]:
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(PDF)
        file.flush()
        try:
            opened = inspector.inspect(Path(file.name))
        except inspector.InspectorUnavailable as error:
            yield fault(
                "PDFs",
                f"The process that looks at uploads does not start: {error}.",
                "python -m tasks.agent inspect shows why.",
            )
            return
    if opened.pages == 1:
        yield ok("PDFs", "They can be opened.")
    else:
        yield fault(
            "PDFs",
            f"A good PDF could not be opened: {opened.message}",
            "Install the requirements again: make clean venv.",
        )


def attempts_can_run() -> Iterator[Finding]:
    said = tried(PDF)
    if isinstance(said, Failed):
        yield fault(
            "attempts",
            f"A small document could not be read in a child process: {said.message}",
            "The lines above say why; memory limits of a container are a frequent cause.",
        )
    else:
        yield ok("attempts", "They run in child processes.")


def tried(
    content: bytes, program: str = "rules", settings: dict[str, Any] | None = None
) -> Completed | Failed:
    """How a document is read the way a worker does it: in a child of a fork server, within limits, with the logins of attempts."""
    with tempfile.TemporaryDirectory(prefix="agentaudit-doctor-") as folder:
        document, log = Path(folder, "document.pdf"), Path(folder, "log")
        document.write_bytes(content)
        order = Order(
            attempt=uuid4(), task=0, number=1, program=program, settings=settings or {}, document=str(document),
            document_sha256=hashlib.sha256(content).hexdigest(), limits=Limits(wall_seconds=int(ATTEMPT_SECONDS)),
        )  # fmt: skip
        try:
            return _run(order, log)
        except OSError as error:
            return _failed(order, str(error))


def _run(order: Order, log: Path) -> Completed | Failed:
    executor = LocalExecutor(1, lambda attempt: log)
    try:
        executor.extend(ATTEMPT_SECONDS)
        answer = executor.start([order])
        if answer.refused:
            return _failed(order, answer.refused[0].message)
        deadline, failure = time.monotonic() + ATTEMPT_SECONDS, None
        while time.monotonic() < deadline:
            for report in executor.news(1.0):
                for event in report.events:
                    if isinstance(event, Completed):
                        return event
                    failure = event if isinstance(event, Failed) else failure
                if report.state is RunState.ENDED:
                    return failure or _failed(order, report.message or "it ended without a word")
        return _failed(order, f"it did not end within {ATTEMPT_SECONDS:.0f} s")
    finally:
        executor.close(1.0)


def _failed(order: Order, message: str) -> Failed:
    """What is said of an attempt that could not speak for itself."""
    return Failed(attempt=order.attempt, code=Code.CRASHED, message=message, retryable=True)


def scans_can_be_read() -> Iterator[Finding]:
    """Whether the engine is there that recognises the words of pages without text, and for which languages."""
    program = shutil.which(OCR_PROGRAM)
    if program is None:
        yield hint("OCR", "There is no OCR engine: pages without text are not read, and say so.", OCR_INSTALL)
        return
    try:
        command = [program, "--list-langs"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=OCR_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        yield fault("OCR", f"Tesseract does not start: {error}.", OCR_INSTALL)
        return
    languages = sorted({line.strip() for line in said.stdout.splitlines()[1:]} - {"osd", ""})
    if languages:
        yield ok("OCR", f"Tesseract reads pages without text, in {', '.join(languages)}.")
    else:
        yield hint("OCR", "Tesseract is there, but knows no language.", OCR_INSTALL)


def second_engine_is_tried() -> Iterator[Finding]:
    """An optional engine that somebody installed does nothing until an agent has the memory that it needs."""
    if any(find_spec(name) is None for name in SECOND_ENGINE):
        return
    able = Agent.objects.filter(current_version__program="rules", memory_mib__gte=SECOND_ENGINE_MIB)
    names = ", ".join(able.order_by("name").values_list("name", flat=True)[:5])
    if names:
        yield ok("second OCR", f"Where Tesseract leaves gaps, rapidocr reads scans again for {names}.")
    else:
        yield hint(
            "second OCR",
            f"rapidocr is installed, but no agent with the program rules may use the {SECOND_ENGINE_MIB:,} MiB that it needs.",
            f"Set the memory per attempt of such an agent to {SECOND_ENGINE_MIB} in the admin, or uninstall rapidocr.",
        )


def somebody_works() -> Iterator[Finding]:
    workers = workers_alive()
    waiting = Task.objects.filter(status=TaskStatus.ENQUEUED).count()
    advice = "manage.py up starts pages and a worker; manage.py worker only a worker."
    if workers:
        slots = sum(worker.slots for worker in workers)
        yield ok("workers", f"{len(workers)} alive with {slots} slots; {waiting} documents wait.")
    elif waiting:
        yield fault("workers", f"None is alive, and {waiting} documents wait.", advice)
    else:
        yield hint("workers", "None is alive; nothing waits.", advice)
    if names := maintenance.paused():
        yield hint(
            "pauses", f"Paused: {', '.join(names)}. Nothing of that is started.", "manage.py resume goes on."
        )


def documents_are_here() -> Iterator[Finding]:
    """Asked the way a worker asks itself before it claims anything."""
    if found := whereabouts.trouble():
        yield fault("storage", found, "A worker of this machine claims nothing until then.")


def runs_are_heard_of() -> Iterator[Finding]:
    silent = queue.silent_attempts(queue.connection(), SILENT_SECONDS, MOST_SILENT)
    if not silent:
        yield ok("runs", f"Every run was heard of in the last {SILENT_SECONDS / 60:.0f} minutes.")
        return
    first = silent[0]
    yield hint(
        "runs",
        f"{len(silent)} were not heard of for {SILENT_SECONDS / 60:.0f} minutes; the longest silence is that of attempt {first.id} "
        f"of task {first.task_id}, since {first.heard_at:%Y-%m-%d %H:%M} UTC.",
        "Long documents may be silent. If none should be: look for callbacks that are refused (Admin, Refused deliveries), and at the run itself.",
    )
