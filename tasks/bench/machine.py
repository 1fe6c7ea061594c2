"""What was measured, and on what: the commit and the machine, each in one line."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from django.conf import settings


def commit() -> str:
    """The commit that the code is at; `+changes` where files differ from it."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        return f"{head}+changes" if _git("status", "--porcelain", "--untracked-files=no") else head
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(settings.BASE_DIR), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def machine() -> str:
    """Processors, memory, system and Python."""
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores ({_processor()}), {gib:.0f} GiB, {platform.system()} {platform.release()}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
