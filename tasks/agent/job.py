"""The program of a Lakeflow job: one attempt, as the order says to which its parameters point. Installed as `agentaudit-job`.

The order is read once, from the volume, and holds what parameters must not: the attempt's secret. The outcome is written to the volume
before it is spoken, so that a run which reaches nobody loses nothing; what was printed goes to the attempt's log beside it.
"""

from __future__ import annotations

import argparse
import io
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event as Flag
from uuid import UUID

from pydantic import ValidationError

from tasks.agent.bearer import bearer_for
from tasks.agent.contract import Completed, Event, Order, Started
from tasks.agent.program import run
from tasks.agent.sender import Sender
from tasks.agent.trace_store import Trace, TraceStore
from tasks.agent.tracing import Span

log = logging.getLogger(__name__)
MOST_LOG_CHARACTERS = 1 << 20
PATIENCE_SECONDS = 15.0
"""How long a run goes on, at its price, because nobody takes its outcome: a poll finds that it has ended, and the outcome on the volume."""


class NoOrder(Exception):
    """The order cannot be used: one sentence, without anything that it holds."""


def main(arguments: list[str] | None = None, should_stop: Callable[[], bool] | None = None) -> None:
    """Carry out the attempt. Leaves with SystemExit where it has not completed, so that the run is shown as failed.

    The job passes more than is needed here: what people see on the run's page. Names that are not known are for others.
    """
    made = argparse.ArgumentParser(prog="agentaudit-job", description=__doc__.partition("\n")[0], allow_abbrev=False)  # fmt: skip
    made.add_argument("--attempt", required=True, type=UUID, help="the attempt's id")
    made.add_argument("--order", required=True, type=Path, help="its order, a JSON file on the volume")
    made.add_argument("--run_id", default="", help="the run's id: {{job.run_id}}")
    options, _ = made.parse_known_args(sys.argv[1:] if arguments is None else arguments)
    printed = io.StringIO()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    handler = logging.StreamHandler(printed)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger("tasks").addHandler(handler)
    try:
        completed = _attempt(options.attempt, options.order, options.run_id, should_stop or told_to_stop())
    except NoOrder as error:
        log.error("%s", error)
        completed = False
    finally:
        logging.getLogger("tasks").removeHandler(handler)
        _keep(options.order.with_name(f"{options.attempt}.log"), printed.getvalue())
    if not completed:
        raise SystemExit(1)


def _attempt(attempt: UUID, path: Path, run_id: str, should_stop: Callable[[], bool]) -> bool:
    order = read_order(path)
    if order.attempt != attempt:
        raise NoOrder(f"The order {path} is for another attempt ({order.attempt}).")
    log.info("Attempt %s of task %d as run %s.", attempt, order.task, run_id or "without an id")
    spans: list[Span] = []
    completed = carry_out(
        order, should_stop, run_id=run_id, hand_over=spans.append, patience=PATIENCE_SECONDS
    )
    if spans:
        _export(order, spans)
    return completed


def read_order(path: Path) -> Order:
    """The order in a file, with an address and a secret for its events. Raises NoOrder."""
    try:
        order = Order.model_validate_json(path.read_bytes())
    except OSError as error:
        raise NoOrder(f"The order {path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        # Names of members only: an order holds secrets, which must not end in a log
        members = sorted({".".join(map(str, fault["loc"])) or "the whole" for fault in error.errors()})
        raise NoOrder(f"{path} is no valid order (look at: {', '.join(members)}).") from None
    if not (order.callback_url and order.callback_secret):
        raise NoOrder(f"The order {path} does not say where its events go (callback_url, callback_secret).")
    return order


def carry_out(
    order: Order, should_stop: Callable[[], bool], *, run_id: str = "", hand_over: Callable[[Span], None] | None = None,
    patience: float = float("inf"),
) -> bool:  # fmt: skip
    """Run the attempt and post its events, signed; whether it has completed, and its outcome was taken or is kept."""
    sender = Sender(order, bearer=bearer_for(order.callback_url), patience=patience)
    completed, taken = False, False

    def emit(event: Event) -> None:
        nonlocal completed, taken
        if isinstance(event, Started) and run_id:
            event = event.model_copy(update={"run_id": run_id})
        taken = sender(event)
        completed = isinstance(event, Completed)

    is_kept = run(order, emit, should_stop, hand_over)
    return completed and (taken or is_kept)


def told_to_stop() -> Callable[[], bool]:
    """Whether this process has got a SIGTERM since."""
    stop = Flag()
    with suppress(ValueError):  # a run whose program is not its process's main thread hears no signals
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
    return stop.is_set


def _export(order: Order, spans: list[Span]) -> None:
    """The run's own trace, where MLflow is installed; nobody waits for it, and nothing fails by it."""
    tracing = order.tracing
    if tracing is None or not tracing.uri:
        return
    try:
        TraceStore(tracing.uri, tracing.experiment).write([Trace(order.attempt, tracing.tags, tuple(spans))])
    except Exception as error:  # noqa: BLE001 - MLflow may raise anything, and the outcome stands already
        log.warning("The trace could not be written to %s (%s).", tracing.uri, type(error).__name__)


def _keep(path: Path, text: str) -> None:
    cut = "\n[The log was cut here: it reached 1 MiB.]\n" if len(text) > MOST_LOG_CHARACTERS else ""
    with suppress(OSError):
        path.write_text(text[:MOST_LOG_CHARACTERS] + cut, encoding="utf-8")


if __name__ == "__main__":
    main()
