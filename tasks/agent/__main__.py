"""The agent on the command line: `FILE.pdf` prints what it reads as JSON, `run ORDER.in.json` carries out one attempt."""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import sys
from pathlib import Path
from uuid import uuid4

from tasks.agent.contract import VERSION, Completed, Event, Failed, Limits, Order
from tasks.agent.inspection import serve
from tasks.agent.job import NoOrder, carry_out, read_order, told_to_stop
from tasks.agent.program import BUILT_IN, run

ABOUT = """Read a PDF (invoice, receipt, credit note, quotation) and print its fields as JSON.

Each field has a value, a confidence (0..1), the place on the page that proves it, and, where it needs a look, the reasons
in words. Works offline, needs no account, and changes nothing.

  python -m tasks.agent invoice.pdf --pretty
  python -m tasks.agent locked.pdf --password secret
  python -m tasks.agent inspect < requests.jsonl       pages and encryption of many files, one JSON line each
  python -m tasks.agent run attempts/ID.in.json        one attempt of the queue, which answers by signed callbacks
"""
ENDS = """Exit code: 0 with the result; 1 with the failure as JSON (its "code" and one sentence in "message"); 2 for a wrong call."""


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    if arguments[:1] == ["inspect"]:
        return inspect_many(arguments[1:])
    if arguments[:1] == ["run"]:
        return run_order(arguments[1:])
    options = parser().parse_args(arguments)
    events: list[Event] = []
    run(order_for(options), events.append)
    outcome = events[-1]
    if isinstance(outcome, Completed) and outcome.result is not None:
        show(outcome.result.model_dump(mode="json"), options.pretty)
        return 0
    if isinstance(outcome, Failed):
        show(outcome.model_dump(mode="json", include={"code", "message", "retryable"}), options.pretty)
    return 1


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m tasks.agent",
        description=ABOUT,
        epilog=ENDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("file", metavar="FILE.pdf", help="the PDF to read; its content decides, not its name")
    made.add_argument("--password", default="", help="opens an encrypted PDF")
    names = ", ".join(BUILT_IN)
    made.add_argument(
        "--program", default="rules", help=f"what reads: {names}, or package.module:function (default: rules)"
    )
    made.add_argument("--pretty", action="store_true", help="indent the JSON for people")
    made.add_argument("--version", action="version", version=f"agent contract version {VERSION}")
    return made


def order_for(options: argparse.Namespace) -> Order:
    path = Path(options.file)
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    return Order(
        attempt=uuid4(),
        task=0,
        number=1,
        program=options.program,
        document=str(path),
        document_sha256=digest,
        document_name=path.name,
        password=options.password,
    )


def inspect_many(arguments: list[str]) -> int:
    made = argparse.ArgumentParser(
        prog="python -m tasks.agent inspect",
        description='Read JSON lines {"path", "password"} from standard input; answer each with one JSON line: '
        "pages, encrypted, needs_password, and code and message where the document cannot be read.",
    )
    made.add_argument(
        "--memory-mib", type=int, default=1024, help="address space of this process (default: 1024)"
    )
    made.add_argument("--cpu-seconds", type=int, default=10, help="CPU seconds for each file (default: 10)")
    made.add_argument(
        "--pages",
        type=int,
        default=Limits().pages,
        help="a file with more pages is refused (default: %(default)s)",
    )
    options = made.parse_args(arguments)
    serve(sys.stdin, sys.stdout, Limits(pages=options.pages), options.memory_mib, options.cpu_seconds)
    return 0


def run_order(arguments: list[str]) -> int:
    """One attempt as its order says. 0: it has completed, and the outcome was taken or is kept; 1: it has not."""
    made = argparse.ArgumentParser(
        prog="python -m tasks.agent run",
        description="Carry out one attempt: read the order file once, read the document, post the events to the order's callback "
        "address, signed. The outcome is written to the order's outcome file first. Nothing is removed.",
        epilog="Exit code: 0 completed; 1 failed, or an order that cannot be used; 2 for a wrong call.",
    )
    made.add_argument(
        "order", metavar="ORDER.in.json", help="the order: a JSON file that only this attempt can read"
    )
    path = Path(made.parse_args(arguments).order)
    try:
        order = read_order(path)
    except NoOrder as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0 if carry_out(order, told_to_stop()) else 1


def show(content: object, pretty: bool) -> None:
    sys.stdout.write(json.dumps(content, ensure_ascii=False, indent=2 if pretty else None) + "\n")


if __name__ == "__main__":
    sys.exit(main())
