"""Runs attempts as processes of this machine: each one forked from a warm server, limited, watched, and gone with its worker."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

from tasks.agent.contract import Code, Order
from tasks.executors import Refusal, Report, Run, RunState, StartAnswer, system
from tasks.executors.channel import SEND_SECONDS, Message, frame
from tasks.executors.child import scratch_folder
from tasks.executors.endings import Exit, describe, reworded
from tasks.executors.lease import LeaseClock
from tasks.executors.link import Link, until
from tasks.executors.stream import EventStream
from tasks.traces.spool import Spool

READY_SECONDS, ANSWER_SECONDS = 60.0, 10.0
STOP_GRACE_SECONDS, LEAVE_SECONDS = 2.0, 2.0
BACKSTOP_SECONDS = 6.0
"""So much later than due is an end that the fork server should have told: then the server itself hangs."""
READ_BYTES = 1 << 18
LOG_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
QUIET_SECONDS = 0.25
REMEMBERED = 10_000


@dataclass(slots=True, eq=False)
class _Process:
    """An attempt that was handed to a fork server and whose end was not yet reported."""

    order: Order
    link: Link
    channel: socket.socket
    stream: EventStream
    backstop_at: float
    pid: int = 0
    open: bool = True
    """Whether somebody holds the other end of the channel."""
    leaving: bool = False
    quiet_until: float = 0.0
    started_ns: int = field(default_factory=time.time_ns)
    end: Exit | None = None
    refused: str = ""

    def report(self) -> Report:
        state = RunState.RUNNING if self.pid else RunState.STARTING
        return Report(self.order.attempt, state, run_id=f"pid:{self.pid}" if self.pid else "")

    def has_news(self) -> bool:
        """Whether it has said what is worth telling before its end; once it is leaving, its end comes at once and tells it all."""
        return self.stream.heard() and not self.leaving


class LocalExecutor:
    """Used by one worker from one thread; only `wake` may be called from elsewhere."""

    name = "local"
    remote = False

    def __init__(self, slots: int, log_path: Callable[[UUID], Path], spool: Spool | None = None):
        """`log_path`: where the output of an attempt is kept. `spool`: where its spans are; None: nowhere."""
        self.slots, self._log_path, self._spool = slots, log_path, spool
        self._lease = LeaseClock()
        self._processes: dict[UUID, _Process] = {}
        self._news: list[Report] = []
        self._ended: OrderedDict[UUID, Report] = OrderedDict()
        self._closed = False
        self._selector = selectors.DefaultSelector()
        self._waker, self._woken = socket.socketpair()
        for end in (self._waker, self._woken):
            end.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ, None)
        self._link: Link | None = None
        with contextlib.suppress(OSError):  # tried again at the first start, where it can be reported
            self._new_link()

    # The interface of executors

    def start(self, orders: Sequence[Order]) -> StartAnswer:
        """Fork a process for each order and wait until all are there (a few milliseconds each)."""
        started: list[Report] = []
        refused: list[Refusal] = []
        forked: list[_Process] = []
        for order in orders:
            if order.attempt in self._processes:
                started.append(self._processes[order.attempt].report())
                continue
            answer = self._hand_over(order)
            (forked if isinstance(answer, _Process) else refused).append(answer)  # type: ignore[arg-type]
        self._await_forks(forked)
        for process in forked:
            if process.refused:
                self._forget(process)
                refused.append(_refusal(process.order, Code.CRASHED, process.refused))
            else:
                started.append(process.report())
        return StartAnswer(tuple(started), tuple(refused))

    def news(self, timeout: float) -> list[Report]:
        """What was heard; returns early, and then maybe with nothing, after `wake`."""
        deadline = time.monotonic() + timeout
        while True:
            woken = self._round(0.0 if self._news else min(until(deadline), until(self._next_moment())))
            if self._news or woken or time.monotonic() >= deadline:
                news, self._news = self._news, []
                return news

    def wake(self) -> None:
        """Let a waiting `news` return at once. Safe from other threads and signal handlers."""
        with contextlib.suppress(OSError):  # full: it will wake anyway; closed: nobody waits
            self._waker.send(b"\0")

    def ask(self, runs: Sequence[Run]) -> list[Report]:
        """What is known of runs. NOT_FOUND: not one of this worker's; if its worker is gone, so is the run."""
        self._round(0.0)
        waiting = {report.attempt: report for report in self._news if report.state is RunState.ENDED}
        return [self._state(run.attempt, waiting) for run in runs]

    def stop(self, runs: Sequence[Run]) -> None:
        for run in runs:
            process = self._processes.get(run.attempt)
            if process is not None:
                self._ask_to_end(process, "cancelled", STOP_GRACE_SECONDS)

    def extend(self, seconds: float) -> None:
        self._lease.extend(seconds)

    def close(self, grace: float) -> None:
        """End all attempts within `grace` seconds, then the fork server. Their last reports wait in `news`."""
        if self._closed:
            return
        self._closed = True
        deadline = time.monotonic() + grace
        for process in self._processes.values():
            self._ask_to_end(process, "released", max(0.0, grace - 0.5))
        while self._processes and time.monotonic() < deadline:
            self._round(min(until(deadline), until(self._next_moment())))
        for link in {self._link, *(process.link for process in self._processes.values())}:
            if link is not None:
                link.close()
                self._lose(link, "released")
        deadline = time.monotonic() + LEAVE_SECONDS
        while self._processes and time.monotonic() < deadline:
            self._round(min(until(deadline), until(self._next_moment())))
        self._link = None
        for resource in (self._selector, self._waker, self._woken, self._lease):
            resource.close()

    # Starting

    def _hand_over(self, order: Order) -> _Process | Refusal:
        if self._closed:
            return _refusal(order, Code.RELEASED, "This worker is shutting down.")
        if order.attempt in self._ended:
            return _refusal(order, Code.RELEASED, "This attempt has already run here and has ended.")
        if len(self._processes) >= self.slots:
            return _refusal(order, Code.RELEASED, f"All {self.slots} slots of this worker are busy.")
        try:
            link = self._ready_link()
            log = os.open(self._log_path(order.attempt), LOG_FLAGS, 0o600)
        except Exception as error:  # noqa: BLE001 - one attempt without a log must not keep the others from starting
            reason = getattr(error, "strerror", None) or error
            return _refusal(order, Code.STORAGE, f"The attempt could not be started: {reason}")
        ours, theirs = socket.socketpair()
        backstop = time.monotonic() + order.limits.wall_seconds + STOP_GRACE_SECONDS + BACKSTOP_SECONDS
        process = _Process(order, link, ours, EventStream(order.attempt), backstop)
        self._processes[order.attempt] = process
        self._selector.register(ours, selectors.EVENT_READ, process)
        message = {
            "do": "start",
            "attempt": str(order.attempt),
            "limits": order.limits.model_dump(),
            "grace": STOP_GRACE_SECONDS,
        }
        link.send(message, (theirs.fileno(), log))
        theirs.close()
        os.close(log)
        self._tell(process)
        return process

    def _tell(self, process: _Process) -> None:
        """Give the child its order: past the fork server, whose memory all later children see."""
        process.channel.settimeout(SEND_SECONDS)
        try:
            process.channel.sendall(frame(process.order.model_dump_json().encode()))
        except OSError:
            self._hang_up(process)  # the child ends by that, and its end is reported as usual
        else:
            process.channel.setblocking(False)

    def _await_forks(self, forked: list[_Process]) -> None:
        deadline = time.monotonic() + ANSWER_SECONDS
        for process in forked:
            while not (process.pid or process.refused or process.end):
                if time.monotonic() >= deadline:
                    process.link.kill()
                self._listen(process.link, until(deadline))

    def _new_link(self) -> Link:
        self._link = Link(self._lease)
        self._selector.register(self._link.messenger, selectors.EVENT_READ, self._link)
        return self._link

    def _ready_link(self) -> Link:
        """A fork server that has said that it is ready. Raises OSError if there is none to be had."""
        link = self._link if self._link is not None and not self._link.lost else self._new_link()
        deadline = time.monotonic() + READY_SECONDS
        while not link.ready:
            self._listen(link, until(deadline))
            if link.lost or time.monotonic() >= deadline:
                link.kill()
                raise OSError("the process that forks attempts does not start; the worker's log says why")
        return link

    # Listening

    def _round(self, seconds: float) -> bool:
        """One bounded look at everything that may have something to say; whether waiting on is pointless: `wake` was called."""
        if self._closed and self._link is None:
            return True
        woken = False
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                woken = bool(self._woken.recv(4096))
            elif isinstance(key.data, Link):
                self._listen(key.data, 0.0)
            else:
                self._read(key.data)
        now = time.monotonic()
        for process in list(self._processes.values()):
            self._look_at(process, now)
        return woken

    def _listen(self, link: Link, seconds: float) -> None:
        for message in link.receive(seconds):
            self._heed(link, message)
        if link.lost:
            self._lose(link, "server")

    def _heed(self, link: Link, message: Message) -> None:
        said = message.pop("say")
        if said == "ready":
            link.ready = True
            return
        process = self._processes.get(UUID(message.pop("attempt")))
        if process is None:
            return
        if said == "running":
            process.pid = message["pid"]
        elif said == "refused":
            process.refused = f"The machine cannot start another process: {message['error']}."
        else:
            process.end = Exit(**message)

    def _lose(self, link: Link, why: str) -> None:
        """A fork server is gone, and the kernel has sent its children after it; what they started themselves is killed here."""
        self._unregister(link.messenger)
        link.messenger.close()
        for process in self._processes.values():
            if process.link is link:
                process.end = process.end or Exit(why=why, unconfirmed=True)

    def _read(self, process: _Process) -> bool:
        """Take what an attempt has sent, a bounded piece of it; whether there may be more."""
        try:
            data = process.channel.recv(READ_BYTES) if process.open else b""
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._hang_up(process)
            return False
        process.stream.feed(data)
        if self._spool is not None:
            self._spool.put(process.order, process.stream.take_spans())
        if not process.leaving and (process.stream.outcome or process.stream.fault):
            process.leaving = True
            faulty = bool(process.stream.fault)
            self._ask_to_end(process, "invalid" if faulty else "finished", 0.0 if faulty else LEAVE_SECONDS)
        return True

    def _look_at(self, process: _Process, now: float) -> None:
        """Make a report of what is new about a process, if anything is."""
        if process.end is None:
            if now >= process.backstop_at:
                process.link.kill()
            elif process.has_news() and now >= process.quiet_until:
                process.quiet_until = now + QUIET_SECONDS
                self._news.append(replace(process.report(), events=process.stream.take()))
            return
        if process.end.unconfirmed:
            self._kill_family(process)
        # What an ended process has sent fits into the socket; one that may still live is given a bounded look.
        while self._read(process) and not process.end.unconfirmed:
            pass
        if not (process.open and process.end.unconfirmed):
            self._finish(process, process.end)

    def _kill_family(self, process: _Process) -> None:
        """What the fork server would have done: a dead process's own children are nobody's now but the worker's to end."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if process.pid:
                os.killpg(process.pid, signal.SIGKILL)
        for pid in system.at_home_in(scratch_folder(str(process.order.attempt))):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    def _finish(self, process: _Process, end: Exit) -> None:
        limits, stream = process.order.limits, process.stream
        events: tuple = stream.take()
        if stream.fault:
            code, message = Code.INVALID_RESULT, stream.fault
        elif stream.outcome is not None:
            outcome = reworded(stream.outcome, end, limits)
            events += (outcome,)
            code, message = getattr(outcome, "code", Code.CRASHED), getattr(outcome, "message", "")
        else:
            code, message = describe(end, limits)
        report = replace(
            process.report(),
            state=RunState.ENDED,
            events=events,
            code=code,
            message=message,
            cpu_seconds=end.cpu_seconds,
            max_rss_bytes=end.max_rss_bytes,
        )
        if end.unconfirmed:  # the fork server did not live to do it
            shutil.rmtree(scratch_folder(str(report.attempt)), ignore_errors=True)
        if self._spool is not None:
            self._spool.end(process.order, process.started_ns, str(code))
        self._forget(process)
        self._news.append(report)
        self._ended[process.order.attempt] = replace(report, events=())
        if len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)

    # Small things

    def _ask_to_end(self, process: _Process, why: str, grace: float) -> None:
        process.backstop_at = min(process.backstop_at, time.monotonic() + grace + BACKSTOP_SECONDS)
        process.link.send({"do": "stop", "attempt": str(process.order.attempt), "why": why, "grace": grace})

    def _next_moment(self) -> float:
        """When something is due without anybody speaking."""
        now = time.monotonic()
        moments = [now + 3600.0]
        for process in self._processes.values():
            if process.end is not None:
                moments.append(now + 0.02)
            else:
                moments.append(process.quiet_until if process.has_news() else process.backstop_at)
        return min(moments)

    def _state(self, attempt: UUID, waiting: dict[UUID, Report]) -> Report:
        if attempt in self._processes:
            return self._processes[attempt].report()
        known = waiting.get(attempt) or self._ended.get(attempt)
        return known or Report(attempt, RunState.NOT_FOUND, code=Code.LOST)

    def _hang_up(self, process: _Process) -> None:
        process.open = False
        self._unregister(process.channel)
        process.channel.close()

    def _forget(self, process: _Process) -> None:
        self._processes.pop(process.order.attempt, None)
        self._hang_up(process)

    def _unregister(self, source: object) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(source)  # type: ignore[arg-type]


def _refusal(order: Order, code: Code, message: str) -> Refusal:
    return Refusal(order.attempt, code, message, retryable=True)
