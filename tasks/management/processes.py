"""Child processes of a command: kept alive, stopped in time, and never left behind, even when the command is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from tasks.executors import system

MANAGE = str(settings.BASE_DIR / "manage.py")
STOP_SECONDS = 12.0
"""How long a child may take to end after SIGTERM; gunicorn gives open streams 8 s, the worker hands back within 10 s."""


def heed_stops(handler: Callable[[int, Any], Any]) -> dict[int, Any]:
    """Let `handler` hear every request to stop, also that of a terminal that is closed (SIGHUP); what held before.

    SIGHUP is left alone where it is ignored: `nohup` has asked for that.
    """
    heard = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        heard.append(signal.SIGHUP)
    return {number: signal.signal(number, handler) for number in heard}


def start(command: Sequence[str], **options) -> subprocess.Popen:
    """Start a child in a group of its own, which gets SIGTERM when this process dies in whatever way.

    Its own group, because Ctrl-C in a terminal reaches a whole group: the child would be told twice, by the
    terminal and by us, and a second request to stop means "at once".
    """
    parent = os.getpid()

    def prepare() -> None:
        system.die_with_parent(signal.SIGTERM)
        if os.getppid() != parent:  # it died before the line above
            os._exit(1)

    return subprocess.Popen(command, preexec_fn=prepare, start_new_session=True, **options)


def manage(*arguments: str) -> list[str]:
    """The command line of one of our own commands."""
    return [sys.executable, MANAGE, *arguments]


def stop(children: Sequence[subprocess.Popen], seconds: float = STOP_SECONDS) -> None:
    """End all of them: SIGTERM, and SIGKILL to the whole group of those that are left after `seconds`."""
    for child in children:
        if child.poll() is None:
            child.terminate()
    deadline = time.monotonic() + seconds
    for child in children:
        try:
            child.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            kill(child)


def kill(child: subprocess.Popen) -> None:
    """SIGKILL to a child and everything in its group."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


@dataclass(slots=True)
class Kept:
    """A child that is started again when it ends, later each time, and given up when it keeps ending."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = None
    cwd: Path | None = None
    log: Path | None = None
    """Where its standard error goes; None: where ours goes."""
    steady_seconds: float = 30.0
    """Having lived this long, a child's next end counts as its first."""
    most_ends: int = 6
    longest_pause: float = 15.0
    process: subprocess.Popen | None = None
    started_at: float = 0.0
    start_at: float = 0.0
    ends: int = 0

    @property
    def given_up(self) -> bool:
        return self.ends >= self.most_ends

    def begin(self, now: float) -> None:
        """Start it."""
        with open(self.log, "ab") if self.log else nullcontext() as log:
            self.process = start(self.command, env=self.environment, cwd=self.cwd, stderr=log)
        self.started_at = now

    def ended(self, code: int, now: float) -> str:
        """Note that it ended; says so in one sentence."""
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        self.ends = 1 if now - self.started_at >= self.steady_seconds else self.ends + 1
        self.process = None
        if self.given_up:
            return (
                f"{self.name} {how}, {self.ends} times in a row; giving up. {self.log or 'Its log'} says why."
            )
        pause = min(self.longest_pause, 2.0 ** (self.ends - 1) - 1)  # the first time at once
        self.start_at = now + pause
        return f"{self.name} {how}; starting it again" + (f" in {pause:.0f} s." if pause else ".")


@dataclass(slots=True)
class Supervisor:
    """Keeps several children running until it is asked to stop. `say` gets one sentence per thing that happens."""

    children: list[Kept]
    say: Callable[[str], None]
    changed: Callable[[], bool] = lambda: False
    """Whether the children's code has changed, so that they are to be started anew."""
    looked: Callable[[], None] = lambda: None
    """Called after each look at the children."""
    tick_seconds: float = 0.2
    stopping: bool = False
    _handlers: dict = field(default_factory=dict)

    def run(self) -> int:
        """Returns the exit code: 0 after a request to stop, 1 when a child keeps ending."""
        self._handlers = heed_stops(self._asked)
        try:
            while not self.stopping and not any(child.given_up for child in self.children):
                self.tick(time.monotonic())
                self.looked()
                time.sleep(self.tick_seconds)
            return int(any(child.given_up for child in self.children))
        finally:
            stop([child.process for child in self.children if child.process])
            for number, handler in self._handlers.items():
                signal.signal(number, handler)

    def tick(self, now: float) -> None:
        """One look at every child."""
        if self.changed():
            self.say("The code has changed; starting anew.")
            stop([child.process for child in self.children if child.process])
            for child in self.children:
                child.process, child.start_at, child.ends = None, now, 0
        for child in self.children:
            if child.process is not None and (code := child.process.poll()) is not None:
                self.say(child.ended(code, now))
            if child.process is None and not child.given_up and not self.stopping and now >= child.start_at:
                child.begin(now)

    def _asked(self, number: int, frame: object) -> None:
        if self.stopping:  # asked twice: at once
            for process in (child.process for child in self.children if child.process):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        self.stopping = True
