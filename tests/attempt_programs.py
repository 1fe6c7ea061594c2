"""Agent programs that end in every way an attempt can end; named in an order as `tests.attempt_programs:<name>`."""

from __future__ import annotations

import ctypes
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

from tasks.agent import program
from tasks.agent.contract import Code, Completed, Order, Problem, Progress, Result, Usage
from tasks.agent.tracing import span

EVENTS = 3
"""The descriptor over which an attempt speaks."""
RESULT = Result(kind="invoice", pages=1, confidence=0.9, needs_review=False), Usage()


def completes(order: Order, progress):
    progress(1, 1, Usage())
    return RESULT


def gives_a_large_result(order: Order, progress):
    return Result(
        kind="invoice", pages=1, confidence=0.9, needs_review=False, notes=("n" * 300,) * 20_000
    ), Usage()


def fails(order: Order, progress):
    raise Problem(Code.CORRUPT, "The file is damaged.")


def waits(order: Order, progress):
    """Until it is asked to stop."""
    while True:
        progress(0, 2, Usage())
        time.sleep(0.01)


def stays_after_its_outcome(order: Order, progress):
    """Says that it has completed and does not leave."""
    os.write(EVENTS, Completed(attempt=order.attempt, result=RESULT[0]).model_dump_json().encode() + b"\n")
    while True:
        time.sleep(60)


def ignores_sigterm(order: Order, progress):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    while True:
        time.sleep(60)


def stops_itself(order: Order, progress):
    os.kill(os.getpid(), signal.SIGSTOP)
    return RESULT


def spins_in_c(order: Order, progress):
    """Holds the interpreter's lock for ever: neither a signal handler nor another thread of it ever runs again."""
    re.match(r"(a+)+$", "a" * 64 + "b")
    return RESULT


def crashes_in_c(order: Order, progress):
    ctypes.string_at(0)


def kills_itself(order: Order, progress):
    os.kill(os.getpid(), signal.SIGKILL)


def reports_every_page(order: Order, progress):
    """Far more progress than the channel holds, then a line into settings["note"]."""
    program.PROGRESS_SECONDS = -1
    for page in range(20_000):
        progress(page, 20_000, Usage())
    Path(order.settings["note"]).write_text("all pages read")
    return RESULT


def lingers(order: Order, progress):
    """Says how far it is right before its outcome, and takes a while to leave."""
    time.sleep(0.05)
    progress(2, 2, Usage())
    sys.stdout.flush = lambda: time.sleep(0.4)
    return RESULT


def leaves(order: Order, progress):
    os._exit(7)


def hogs_memory(order: Order, progress):
    blocks = []
    while True:
        blocks.append(bytearray(16 << 20))


def forks_without_end(order: Order, progress):
    while True:
        if os.fork() == 0:
            time.sleep(600)
        time.sleep(0.001)


def leaves_processes_behind(order: Order, progress):
    """Two of them: one in the attempt's session, one in a session of its own. Their pids go to settings["note"]."""
    pids = [subprocess.Popen(["sleep", "600"], start_new_session=own).pid for own in (False, True)]
    Path(order.settings["note"]).write_text(json.dumps([os.getpid(), *pids]))
    if order.settings.get("wait"):
        waits(order, progress)
    return RESULT


def prints_much(order: Order, progress):
    sys.stdout.write("first line\n")
    for _ in range(3 * 1024):
        sys.stdout.write("x" * 1023 + "\n")
    return RESULT


def prints_a_little(order: Order, progress):
    sys.stdout.write("to standard output\n")
    sys.stderr.write("to standard error\n")
    os.system("echo and from a child")
    return RESULT


def _session_nice() -> str | None:
    """What the kernel schedules this session by; None where it does not schedule by session."""
    try:
        return Path("/proc/self/autogroup").read_text().rpartition(" ")[2].strip()
    except OSError:
        return None


def tells_its_surroundings(order: Order, progress):
    """Everything that an attempt can see of where it runs, into settings["note"]."""
    seen = {
        "environ": dict(os.environ),
        "cmdline": Path("/proc/self/cmdline").read_text(),
        "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd")),
        "stdin": os.readlink("/proc/self/fd/0"),
        "session": os.getsid(0) == os.getpid(),
        "nice": os.nice(0),
        "session_nice": _session_nice(),
        "umask": os.umask(0o077),
        "oom_score_adj": Path("/proc/self/oom_score_adj").read_text().strip(),
        "core": resource.getrlimit(resource.RLIMIT_CORE)[0],
        "cpu": resource.getrlimit(resource.RLIMIT_CPU)[0],
        "cwd": os.getcwd(),
        "heavy": [name for name in ("django", "mlflow", "databricks") if name in sys.modules],
        "password": order.password,
    }
    Path("left.tmp").write_text("a temporary file")
    Path(order.settings["note"]).write_text(json.dumps(seen))
    return RESULT


def says_garbage(order: Order, progress):
    os.write(EVENTS, b"this is no event\n")
    waits(order, progress)


def says_too_much(order: Order, progress):
    block = b"x" * (1 << 20)
    for _ in range(40):
        sent = 0
        while sent < len(block):
            sent += os.write(EVENTS, block[sent:])


def speaks_for_another(order: Order, progress):
    os.write(
        EVENTS, Progress(attempt=uuid4(), pages_done=1, pages_total=1).model_dump_json().encode() + b"\n"
    )
    waits(order, progress)


def chatters(order: Order, progress):
    """Progress as fast as it can be written, for settings["seconds"]."""
    until = time.monotonic() + order.settings["seconds"]
    done = 0
    while time.monotonic() < until:
        done += 1
        line = Progress(attempt=order.attempt, pages_done=done, pages_total=done).model_dump_json() + "\n"
        os.write(EVENTS, line.encode() * 50)
    return RESULT


def sleeps(order: Order, progress):
    """For settings["seconds"], whether it is to stop or not."""
    time.sleep(order.settings.get("seconds", 2.0))
    return RESULT


def kills_itself_after_a_step(order: Order, progress):
    _one_call()
    os.kill(os.getpid(), signal.SIGKILL)


def runs_out_of_memory_after_a_step(order: Order, progress):
    """In a way that leaves no outcome."""
    _one_call()
    os._exit(92)


def calls_a_model(order: Order, progress):
    """Tells the tokens that its spans tell, and one more where its settings say so."""
    with span("reading", kind="PARSER", pages=1):
        pass
    _one_call()
    usage = Usage(
        calls=1, model="gpt-4o-mini", input_tokens=100 + order.settings.get("more", 0), output_tokens=10
    )
    return RESULT[0], usage


def _one_call() -> None:
    with span("model call", kind="LLM", model="gpt-4o-mini") as call:
        call.set(input_tokens=100, output_tokens=10, cache_read_tokens=0)
