"""A small process that has the agent program loaded and forks one child per attempt: `python -m tasks.executors.forkserver`.

It holds no database, no settings and no secret: an order goes from the worker to the child past it. It ends attempts
(on request, at their limits, with the worker's leases, with the worker itself) and says how each of them ended.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import selectors
import shutil
import signal
import socket
import sys
import time
from dataclasses import dataclass, field

from tasks.agent.contract import Limits
from tasks.executors import child, system
from tasks.executors.attempt_log import AttemptLog
from tasks.executors.channel import Message, Messenger
from tasks.executors.lease import LeaseClock
from tasks.executors.preload import preload

TICK_SECONDS = 0.25
STRAY_SECONDS = 2.0
MAX_PROCESSES = 64
"""Per attempt. RLIMIT_NPROC counts all processes of the user and does not bind root, so the fork server counts itself."""


@dataclass
class Attempt:
    """One forked child, from its fork until its whole family is gone and its end was told."""

    id: str
    pid: int
    log: AttemptLog
    stop: mmap.mmap
    wall_at: float
    grace: float
    out_of_memory_kills: int | None
    kill_at: float | None = None
    why: str = ""
    """Why this process ended it: cancelled, released, finished, timeout, lease, processes; empty: it ended by itself."""
    ending: Message = field(default_factory=dict)
    ended_at: float = 0.0


class ForkServer:
    """One `tick` per round; single-threaded, because it forks."""

    def __init__(self, worker: Messenger, lease: LeaseClock):
        self.worker, self.lease = worker, lease
        self.running: dict[int, Attempt] = {}
        self.ending: list[Attempt] = []
        self.quiet_count = system.process_count()
        self.selector = selectors.DefaultSelector()
        self.selector.register(worker, selectors.EVENT_READ, self._hear)
        self._wake_on_child()

    def _wake_on_child(self) -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.setblocking(False)
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._wakers = (ours, theirs)
        self.selector.register(ours, selectors.EVENT_READ, lambda: ours.recv(4096))

    def tick(self) -> None:
        """One round. Raises EOFError when the worker is gone."""
        for key, _ in self.selector.select(self._patience()):
            key.data()
        self._reap()
        self._enforce(time.monotonic())
        self._announce(time.monotonic())

    def _patience(self) -> float | None:
        if self.ending:
            return 0.01
        return TICK_SECONDS if self.running else None

    def close(self) -> None:
        """Kill every attempt and wait until all are gone; what comes after the worker's end has nobody to be told to."""
        deadline = time.monotonic() + STRAY_SECONDS
        while (self.running or system.children()) and time.monotonic() < deadline:
            for attempt in self.running.values():
                self._kill(attempt, "released")
            self._kill_strays()
            self._reap()
            time.sleep(0.005)
        for attempt in [*self.running.values(), *self.ending]:
            shutil.rmtree(child.scratch_folder(attempt.id), ignore_errors=True)

    # What the worker says

    def _hear(self) -> None:
        for message, descriptors in self.worker.receive():
            if message["do"] == "start":
                self._start(message, *descriptors)
            else:
                self._stop(message["attempt"], message["why"], message["grace"])

    def _start(self, message: Message, channel: int, log: int) -> None:
        limits = Limits.model_validate(message["limits"])
        stop = mmap.mmap(-1, 1)
        printed, output = os.pipe()
        birth = child.Birth(message["attempt"], channel, output, stop, self.lease, limits, os.getpid())
        try:
            pid = os.fork()
        except OSError as error:
            for descriptor in (channel, log, printed, output):
                os.close(descriptor)
            self.say({"say": "refused", "attempt": birth.attempt, "error": error.strerror})
            return
        if pid == 0:
            child.become(birth)
        os.close(channel)
        os.close(output)
        attempt = Attempt(
            id=birth.attempt,
            pid=pid,
            log=AttemptLog(printed, log),
            stop=stop,
            wall_at=time.monotonic() + limits.wall_seconds,
            grace=message["grace"],
            out_of_memory_kills=system.out_of_memory_kills(),
        )
        self.running[pid] = attempt
        self.selector.register(printed, selectors.EVENT_READ, lambda: self._copy_log(attempt))
        self.say({"say": "running", "attempt": attempt.id, "pid": pid})

    def say(self, message: Message) -> None:
        """Raises EOFError when the worker is gone."""
        try:
            self.worker.send(message)
        except OSError as error:
            raise EOFError from error

    def _copy_log(self, attempt: Attempt) -> None:
        if not attempt.log.copy():
            self.selector.unregister(attempt.log.pipe)

    def _stop(self, attempt_id: str, why: str, grace: float) -> None:
        for attempt in self.running.values():
            if attempt.id == attempt_id:
                self._end(attempt, why, grace)

    # Ending attempts

    def _end(self, attempt: Attempt, why: str, grace: float) -> None:
        """Ask an attempt to end, and kill it after `grace` seconds. Asked again, the sooner moment holds."""
        moment = time.monotonic() + grace
        if attempt.kill_at is None or moment < attempt.kill_at:
            attempt.kill_at = moment
        if attempt.why:
            return
        attempt.why = why
        if why != "finished":  # it has said its outcome and only has to leave
            attempt.stop[0] = 1
            with contextlib.suppress(ProcessLookupError):
                os.kill(attempt.pid, signal.SIGTERM)

    def _kill(self, attempt: Attempt, why: str) -> None:
        attempt.why = attempt.why or why
        # The process first (it may not have its own group yet; its pid is safe while it is not waited for), then the
        # group in one call of the kernel, which no fork in that group can slip through.
        for kill in (os.kill, os.killpg):
            with contextlib.suppress(ProcessLookupError):
                kill(attempt.pid, signal.SIGKILL)

    def _enforce(self, now: float) -> None:
        if self.running and self.lease.passed():
            for attempt in self.running.values():
                self._kill(attempt, "lease")
        for attempt in self.running.values():
            if attempt.kill_at is None and now >= attempt.wall_at:
                self._end(attempt, "timeout", attempt.grace)
            if attempt.kill_at is not None and now >= attempt.kill_at:
                self._kill(attempt, attempt.why)
        self._end_fork_bombs()

    def _end_fork_bombs(self) -> None:
        count = system.process_count()
        if count - self.quiet_count <= MAX_PROCESSES:
            self.quiet_count = min(count, self.quiet_count)
            return
        self.quiet_count = count
        for pid, below in system.descendants(set(self.running)).items():
            if below > MAX_PROCESSES:
                self._kill(self.running[pid], "processes")

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status, used = os.wait4(-1, os.WNOHANG)
                if pid == 0:
                    return
                attempt = self.running.pop(pid, None)
                if attempt is not None:
                    self._has_ended(attempt, status, used.ru_utime + used.ru_stime, used.ru_maxrss)

    def _has_ended(self, attempt: Attempt, status: int, cpu_seconds: float, max_rss: int) -> None:
        # The number of a dead leader is not given away while its group has members.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(attempt.pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(status)
        kills = system.out_of_memory_kills()
        attempt.ending = {
            "say": "ended",
            "attempt": attempt.id,
            "exit": code,
            "why": "lease" if code == child.EXIT_LEASE else attempt.why,
            "cpu_seconds": cpu_seconds,
            "max_rss_bytes": max_rss if sys.platform == "darwin" else max_rss * 1024,
            "kernel_killed": kills is None or kills != attempt.out_of_memory_kills,
        }
        attempt.ended_at = time.monotonic()
        self.ending.append(attempt)

    def _announce(self, now: float) -> None:
        """Tell the end of attempts of which no process is left. Their orphans have become this process's own children."""
        strays = self._kill_strays() if self.ending else 0
        for attempt in list(self.ending):
            if not strays or now - attempt.ended_at > STRAY_SECONDS:
                self.ending.remove(attempt)
                with contextlib.suppress(KeyError):
                    self.selector.unregister(attempt.log.pipe)
                attempt.log.finish()
                shutil.rmtree(child.scratch_folder(attempt.id), ignore_errors=True)
                self.say(attempt.ending)

    def _kill_strays(self) -> int:
        """Kill what attempts that ended left behind; how many there were. Orphans in a running attempt's session stay."""
        strays = 0
        for pid in system.children():
            if pid not in self.running:
                with contextlib.suppress(ProcessLookupError):
                    if os.getsid(pid) not in self.running:
                        os.kill(pid, signal.SIGKILL)
                        strays += 1
        return strays


def main() -> None:
    control, lease = int(sys.argv[1]), int(sys.argv[2])
    for descriptor in (control, lease):
        os.set_inheritable(descriptor, False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the worker decides when this process ends
    system.adopt_orphans()
    preload()
    gc.collect()
    gc.freeze()  # the collector of a child would touch, and so copy, every shared page
    server = ForkServer(Messenger(socket.socket(fileno=control)), LeaseClock(lease))
    try:
        server.say({"say": "ready"})
        while True:
            server.tick()
    except EOFError:
        pass
    finally:
        server.close()


if __name__ == "__main__":
    main()
