"""What a freshly forked process does to become one attempt: cut loose, limited, watched, and then the agent program."""

from __future__ import annotations

import faulthandler
import importlib
import mmap
import os
import resource
import select
import signal
import socket
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tasks.agent.contract import Event, Limits, Order, Progress
from tasks.agent.tracing import SPAN_LINE, Span
from tasks.executors import system
from tasks.executors.channel import LENGTH, receive_exactly
from tasks.executors.lease import LeaseClock

WATCH_SECONDS = 0.25
PROGRAM = "tasks.agent.program"
OPEN_FILES = 256
FILE_BYTES = 512 << 20
CHANNEL = 3
# Exit codes with a meaning, above those that shells and Python use.
EXIT_LEASE, EXIT_WORKER_GONE, EXIT_MEMORY, EXIT_DISK = 90, 91, 92, 93


@dataclass(frozen=True, slots=True)
class Birth:
    """What a child takes over from its fork server, where it is still the same memory."""

    attempt: str
    channel: int
    output: int
    stop: mmap.mmap
    """One shared byte: not 0 once the worker wants the attempt to end."""
    lease: LeaseClock
    limits: Limits
    server: int


def scratch_folder(attempt: str) -> Path:
    """Where an attempt keeps temporary files; removed after its end however that came."""
    return Path(tempfile.gettempdir()) / f"agentaudit-{attempt}"


def become(birth: Birth) -> None:
    """Run the attempt and leave the process. Never returns, and runs no exit handler: the memory is the fork server's too."""
    code = 1
    try:
        code = _live(birth)
    except MemoryError:
        code = EXIT_MEMORY
    except BaseException as error:  # noqa: BLE001 - a forked copy must never go on as a second fork server
        # No message: it may quote the document, and logs hold none of it.
        sys.stderr.write(f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}")
    finally:
        os._exit(code)


def _live(birth: Birth) -> int:
    _cut_loose(birth)
    channel = socket.socket(fileno=CHANNEL)
    channel.setblocking(True)
    order = Order.model_validate_json(
        receive_exactly(channel, LENGTH.unpack(receive_exactly(channel, LENGTH.size))[0])
    )
    threading.Thread(target=_watch, args=(birth.lease,), daemon=True).start()
    try:
        scratch = scratch_folder(birth.attempt)
        scratch.mkdir(mode=0o700)
    except OSError as error:
        sys.stderr.write(f"The folder for temporary files could not be made: {error}\n")
        return EXIT_DISK
    tempfile.tempdir = os.environ["TMPDIR"] = str(scratch)
    os.chdir(scratch)
    _limit(birth.limits)
    run = importlib.import_module(PROGRAM).run
    run(order, _emitter(channel), lambda: birth.stop[0] != 0, _span_sender(channel))
    sys.stdout.flush()
    sys.stderr.flush()
    return 0


def _cut_loose(birth: Birth) -> None:
    """A session of its own, nothing open but its own channel and log, and the signals as a new program finds them."""
    system.die_with_parent()
    if os.getppid() != birth.server:  # it died before the line above
        os._exit(EXIT_WORKER_GONE)
    os.setsid()
    signal.set_wakeup_fd(-1)
    for ignored in (signal.SIGCHLD, signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_DFL)
    # SIGTERM only interrupts what waits. Whether to stop is in the shared byte: service managers send SIGTERM to all
    # processes of a service, and then it is for the worker to say what happens to its attempts.
    signal.signal(signal.SIGTERM, lambda *_: None)
    # 0 to 2 are open in the fork server, so none of the sources is overwritten before it was copied.
    null = os.open(os.devnull, os.O_RDONLY)
    for number, descriptor in enumerate((null, birth.output, birth.output, birth.channel)):
        os.dup2(descriptor, number)
    os.set_inheritable(CHANNEL, False)
    os.closerange(CHANNEL + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
        for number, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    faulthandler.enable()
    os.umask(0o077)


def _limit(limits: Limits) -> None:
    system.give_way(5)
    system.die_first()
    system.give_up_new_privileges()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    # SIGXCPU at the soft limit says why; the hard one kills what blocks it.
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 2))
    # What was loaded before the fork is shared by all attempts and not charged to one, so that each limit can be met.
    memory = system.address_space() + limits.memory_mib * (1 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _watch(lease: LeaseClock) -> None:
    """End this process when its worker is gone or the worker's leases have run out. The fork server does the same from
    outside; this thread is for the case that the fork server cannot."""
    poll = select.poll()
    poll.register(CHANNEL, select.POLLHUP)
    while True:
        if any(
            state & (select.POLLHUP | select.POLLERR | select.POLLNVAL)
            for _, state in poll.poll(WATCH_SECONDS * 1000)
        ):
            os._exit(EXIT_WORKER_GONE)
        if lease.passed():
            os._exit(EXIT_LEASE)


def _emitter(channel: socket.socket) -> Callable[[Event], None]:
    """What the agent program calls to say an event: one line of JSON each."""
    room = select.poll()
    room.register(channel, select.POLLOUT)

    def emit(event: Event) -> None:
        # Progress is only worth something now: a worker that is slow to read must not hold up the reading of pages.
        if isinstance(event, Progress) and not room.poll(0):
            return
        channel.sendall(event.model_dump_json().encode() + b"\n")

    return emit


def _span_sender(channel: socket.socket) -> Callable[[Span], None]:
    """What takes a finished span to the worker: a line like an event's, marked so that it is not taken for one."""

    def send(span: Span) -> None:
        channel.sendall(SPAN_LINE + span.model_dump_json(exclude_defaults=True).encode() + b"\n")

    return send
