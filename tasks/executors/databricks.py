"""Runs attempts as runs of one Lakeflow job: they outlive whoever started them, and every replica can ask after them and stop them.

Polling. A workspace allows 100 runs/get a second. 1,000 live runs asked for one by one every 10 s would be all of that; a page of
runs/list tells 24 at once, so that a replica that holds 250 of 1,000 makes 42 calls instead of 250. A list is good for every other
poll: four replicas make 9 calls a second together. Few runs among many are asked for one by one; whichever is fewer calls is done.
What is not on the list of active runs has ended, or has only just begun: that is asked for by itself.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, Protocol, TypeVar
from uuid import UUID

from tasks import databricks
from tasks.agent.contract import Code, Completed, Failed, Order, Started
from tasks.executors import Refusal, Report, Run, RunState, StartAnswer
from tasks.executors.pacing import Paces
from tasks.executors.runstates import ending_of, state_of
from tasks.storage import StorageError

log = logging.getLogger(__name__)

THREADS = 8
START_SECONDS, ASK_SECONDS, STOP_SECONDS = 5.0, 10.0, 5.0
"""For how long one call of the interface begins requests. What it does not come to is asked for again."""
REST_SECONDS = 5.0
"""How long no start is made after the workspace failed to take one and did not say for how long."""
PAGE, LIST_SECONDS = 24, 15.0
"""Runs that one runs/list may tell; how long a list of what is active is used."""
REMEMBERED = 20_000
PARAMETERS = ("attempt", "order", "document", "outcome", "callback_url", "agent_version")
"""What the job has to take; `order` alone is needed by its program, the rest is for people."""
T = TypeVar("T")
U = TypeVar("U")


class Volume(Protocol):
    """What the executor needs of the storage: the private order of an attempt goes through it."""

    def path_for_attempt(self, name: str) -> Any: ...

    def put_once(self, name: str, content: bytes) -> bool: ...

    def delete(self, name: str) -> None: ...


def order_name(attempt: UUID) -> str:
    """Where an attempt's order stands while it may be needed: it holds the attempt's secret, and is gone when the run has ended."""
    return f"attempts/{attempt}.in.json"


class DatabricksExecutor:
    """Used by one worker from one thread; only `wake` may be called from elsewhere. Its requests run in threads of its own."""

    name = "databricks"
    remote = True

    def __init__(
        self, job_id: int, storage: Volume, *, callback_url: Callable[[UUID], str],
        written: Callable[[UUID], Completed | Failed | None], replicas: Callable[[], int] = lambda: 1,
    ) -> None:  # fmt: skip
        """written: the signed outcome of an attempt, None if there surely is none, or it raises StorageError.  replicas: how many workers share the API's rates."""
        self.job_id, self._storage = job_id, storage
        self._callback_url, self._written, self._replicas = callback_url, written, replicas
        self._paces = Paces()
        self._begun: OrderedDict[UUID, Report] = OrderedDict()
        self._cleared: OrderedDict[UUID, None] = OrderedDict()
        self._active: dict[str, Any] = {}
        """Runs of the job that were active at the last look, by id, those of other replicas among them."""
        self._listed_at = float("-inf")
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="databricks")
        self._woken = threading.Event()

    # The interface of executors

    def start(self, orders: Sequence[Order]) -> StartAnswer:
        until = self._until(START_SECONDS)
        answers = self._all(lambda order: self._start(order, until), orders)
        return StartAnswer(
            tuple(answer for answer in answers if isinstance(answer, Report)),
            tuple(answer for answer in answers if isinstance(answer, Refusal)),
            tuple(order.attempt for order, answer in zip(orders, answers, strict=True) if answer is None),
        )

    def news(self, timeout: float) -> list[Report]:
        """Nothing: runs speak by callbacks, and are asked after. Returns early after `wake`."""
        self._woken.wait(timeout)
        self._woken.clear()
        return []

    def wake(self) -> None:
        """Let a waiting `news` return at once. Safe from other threads and signal handlers."""
        self._woken.set()

    def ask(self, runs: Sequence[Run]) -> list[Report]:
        """The state of runs. NOT_FOUND: none with this id, or none known to belong to the attempt."""
        until = self._until(ASK_SECONDS)
        ids = {run.attempt: run_id for run in runs if (run_id := self._run_id(run))}
        found = self._listed(until) if self._listing_is_cheaper(len(ids)) else {}
        return self._all(lambda run: self._asked(run.attempt, ids.get(run.attempt, ""), found, until), runs)

    def stop(self, runs: Sequence[Run]) -> None:
        """Cancel runs; one whose id is not known yet cannot be, and is asked for again by whoever learns it."""
        until = self._until(STOP_SECONDS)
        named = [run_id for run in runs if (run_id := self._run_id(run))]
        self._all(lambda run_id: self._cancel(run_id, until), named)

    def extend(self, seconds: float) -> None:
        """Leases mean nothing to these runs."""

    def close(self, grace: float) -> None:
        """Runs are left to whoever adopts them."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    # Starting

    def _start(self, order: Order, until: float) -> Report | Refusal | None:
        """Started, certainly not started, or (None) not known: then it is asked again with the same token, and is the same run."""
        if order.attempt in self._begun:
            return self._begun[order.attempt]
        if not self._paces.wait("start", until):
            return None
        order = order.model_copy(update={"callback_url": self._callback_url(order.attempt)})
        try:
            # Another replica may have asked for this start before; then a refusal now does not say that nothing runs
            is_first = self._storage.put_once(order_name(order.attempt), order.model_dump_json().encode())
        except StorageError as error:
            log.warning("The order of attempt %s could not be written: %s", order.attempt, error)
            return (
                None if error.retryable else Refusal(order.attempt, Code.STORAGE, str(error), retryable=True)
            )
        try:
            begun = databricks.asked(lambda workspace: self._run_now(workspace, order))
        except Exception as error:  # noqa: BLE001 - one start that goes wrong must not take the others with it
            return self._not_started(order.attempt, error, is_first)
        self._begun[order.attempt] = begun
        if len(self._begun) > REMEMBERED:
            self._begun.popitem(last=False)
        return begun

    def _run_now(self, workspace: Any, order: Order) -> Report:
        from databricks.sdk.service.jobs import QueueSettings

        answer = workspace.jobs.run_now(
            self.job_id,
            idempotency_token=str(order.attempt),
            job_parameters=self._parameters(order),
            queue=QueueSettings(enabled=True),
        )
        run_id, config = answer.response.run_id, workspace.config
        workspace_id = f"?o={config.workspace_id}" if config.workspace_id else ""
        page = f"{config.host}/jobs/{self.job_id}/runs/{run_id}{workspace_id}"
        return Report(order.attempt, RunState.STARTING, run_id=str(run_id), run_page_url=page)

    def _parameters(self, order: Order) -> dict[str, str]:
        """What the job's page shows of a run, and where it finds the rest: no secret, and no more than a few hundred bytes."""
        tags = order.tracing.tags if order.tracing else {}
        return {
            "attempt": str(order.attempt),
            "order": str(self._storage.path_for_attempt(order_name(order.attempt))),
            "document": order.document,
            "outcome": order.outcome,
            "callback_url": order.callback_url,
            "agent_version": f"{tags.get('agent', order.program)} v{tags.get('version', '?')}",
        }

    def _not_started(self, attempt: UUID, error: Exception, is_first: bool) -> Refusal | None:
        from databricks.sdk.errors import InvalidState, NotFound, PermissionDenied

        words = databricks.in_words(error)
        if isinstance(error, InvalidState):  # its run was deleted there: this token is used up for ever
            message = f"Databricks refuses this start for good: {words}. The next attempt starts anew."
            return Refusal(attempt, Code.UPSTREAM, message, retryable=True)
        if not is_first or databricks.is_passing(error) or isinstance(error, databricks.NotConfigured):
            log.warning("The start of attempt %s is not certain: %s", attempt, words)
            self._paces.rest("start", databricks.retry_after(error) or REST_SECONDS)
            return None
        hint = f"Look at job {self.job_id} (DATABRICKS_JOB_ID)"
        if isinstance(error, PermissionDenied | NotFound):
            hint = f"This principal needs CAN_MANAGE_RUN on job {self.job_id} (DATABRICKS_JOB_ID)"
        return Refusal(attempt, Code.BAD_CONFIGURATION, f"The job refuses this start: {words}. {hint}.", retryable=False)  # fmt: skip

    # Asking

    def _listing_is_cheaper(self, wanted: int) -> bool:
        return wanted > 1 + math.ceil(max(len(self._active), wanted) / PAGE)

    def _listed(self, until: float) -> dict[str, Any] | None:
        """Runs that are active, or were a moment ago, by id; None if the list cannot be had now, none if it is refused."""
        now = time.monotonic()
        if now - self._listed_at < LIST_SECONDS:
            return self._active
        try:
            active = databricks.asked(lambda workspace: self._active_runs(workspace, until))
        except Exception as error:  # noqa: BLE001 - it is asked for again at the next poll
            log.warning("Active runs cannot be listed: %s", databricks.in_words(error))
            return None if databricks.is_passing(error) else {}
        self._active, self._listed_at = {str(run.run_id): run for run in active}, now
        return self._active

    def _active_runs(self, workspace: Any, until: float) -> list[Any]:
        """Page by page, each when it is its turn; those pages for which there is time."""
        runs = iter(workspace.jobs.list_runs(job_id=self.job_id, active_only=True, limit=PAGE))
        active: list[Any] = []
        while self._paces.wait("list", until):
            page = list(islice(runs, PAGE))
            active += page
            if len(page) < PAGE:
                break
        return active

    def _asked(self, attempt: UUID, run_id: str, found: dict[str, Any] | None, until: float) -> Report:
        if not run_id:
            return Report(attempt, RunState.NOT_FOUND, code=Code.LOST)
        run = found.get(run_id) if found is not None else None
        if run is None:
            if found is None or not self._paces.wait("get", until):
                return Report(attempt, RunState.UNREACHABLE, run_id=run_id)
            try:
                run = databricks.asked(lambda workspace: workspace.jobs.get_run(int(run_id)))
            except Exception as error:  # noqa: BLE001 - whatever the answer is, it does not end a run that may live
                return Report(attempt, self._absence(error), run_id=run_id, code=Code.LOST)
        return self._report(attempt, run)

    def _absence(self, error: Exception) -> RunState:
        from databricks.sdk.errors import DatabricksError, NotFound

        if not isinstance(error, DatabricksError):
            # No answer at all: the others of this poll would wait as long, one by one
            self._paces.rest("get", REST_SECONDS)
        return RunState.NOT_FOUND if isinstance(error, NotFound) else RunState.UNREACHABLE

    def _report(self, attempt: UUID, run: Any) -> Report:
        state, run_id, page = state_of(run), str(run.run_id), run.run_page_url or ""
        begun = Started(attempt=attempt, run_id=run_id, run_page_url=page)
        if run.attempt_number:
            log.warning("Run %s was repeated by the job itself: set max_retries to 0 in its task.", run_id)
        if state is RunState.UNREACHABLE:
            log.warning("Run %s is in a state that is not known here; it is asked for again.", run_id)
            return Report(attempt, state, run_id=run_id, run_page_url=page)
        if state is not RunState.ENDED:
            return Report(attempt, state, (begun,), run_id, page)
        try:
            outcome = self._written(attempt)
        except StorageError as error:  # it may stand there: a new attempt now would be a second bill
            log.warning("The outcome of attempt %s cannot be read yet: %s", attempt, error)
            return Report(attempt, RunState.UNREACHABLE, run_id=run_id, run_page_url=page)
        self._clear(attempt)
        if outcome is not None:
            return Report(
                attempt, state, (begun, outcome), run_id, page, code=getattr(outcome, "code", Code.CRASHED)
            )
        ending = ending_of(run)
        return Report(attempt, state, (begun,), run_id, page, code=ending.code, message=ending.message)

    def _clear(self, attempt: UUID) -> None:
        """The order holds a secret, which nobody needs any more."""
        if attempt in self._cleared:
            return
        try:
            self._storage.delete(order_name(attempt))
        except StorageError as error:
            log.warning("The order of attempt %s could not be removed: %s", attempt, error)
            return
        self._cleared[attempt] = None
        if len(self._cleared) > REMEMBERED:
            self._cleared.popitem(last=False)

    # Stopping, and small things

    def _cancel(self, run_id: str, until: float) -> None:
        if not self._paces.wait("cancel", until):
            return
        try:
            databricks.asked(lambda workspace: workspace.jobs.cancel_run(int(run_id)))
        except Exception as error:  # noqa: BLE001 - it is asked again until its end is confirmed
            log.info("Run %s did not take its cancellation: %s", run_id, databricks.in_words(error))

    def _run_id(self, run: Run) -> str:
        begun = self._begun.get(run.attempt)
        return run.run_id or (begun.run_id if begun else "")

    def _until(self, seconds: float) -> float:
        self._paces.replicas = self._replicas()
        return time.monotonic() + seconds

    def _all(self, do: Callable[[T], U], items: Sequence[T]) -> list[U]:
        """Each in a thread, in order; a single one here."""
        return [do(item) for item in items] if len(items) < 2 else list(self._pool.map(do, items))
