"""Settings, storage, disks and memory of this machine."""

from __future__ import annotations

import io
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core import checks
from django.db.models import Max

from tasks.management.checkups import Finding, fault, hint, ok
from tasks.models import Agent
from tasks.storage import StorageError, get_storage

GIB = 2**30
DISK_FAULT_GIB, DISK_HINT_GIB = 1, 5
MEMORY_SHARE = 0.7


def settings_fit() -> Iterator[Finding]:
    messages = checks.run_checks(tags=["agentaudit"], include_deployment_checks=True)
    for message in messages:
        made = fault if message.is_serious() else hint
        yield made("settings", message.msg, message.hint or "")
    if not messages:
        at = settings.PUBLIC_URL
        if at == f"http://127.0.0.1:{settings.PORT}":  # nobody said otherwise to this process
            at += ", or at the port that they were started with"
        yield ok("settings", f"Pages at {at}; everything else below {settings.AGENTAUDIT_HOME}.")


def storage_keeps_files() -> Iterator[Finding]:
    """Writes, reads and deletes a probe, as attempts and uploads will."""
    name, content = f"attempts/doctor-{secrets.token_hex(8)}.json", secrets.token_bytes(1000)
    try:
        storage = get_storage()
        storage.put(name, io.BytesIO(content))
        with storage.open(name) as stored:
            same = stored.read() == content
        storage.delete(name)
    except (StorageError, OSError) as error:
        yield fault(
            "storage", str(error), f"STORAGE_URL is {settings.STORAGE_URL}: may this user write there?"
        )
        return
    if same:
        yield ok("storage", f"{settings.STORAGE_URL} keeps what is written.")
    else:
        yield fault(
            "storage", f"{settings.STORAGE_URL} gave back other bytes than were written.", "Check the disk."
        )


def disks_have_room() -> Iterator[Finding]:
    places = {
        "documents": Path(settings.STORAGE_URL.removeprefix("file:")),
        "home": Path(settings.AGENTAUDIT_HOME),
        "uploads on their way": Path(tempfile.gettempdir()),
    }
    tight = False
    for what, path in places.items():
        while not path.exists():
            path = path.parent
        free = shutil.disk_usage(path).free / GIB
        if free < DISK_HINT_GIB:
            tight = True
            made = fault if free < DISK_FAULT_GIB else hint
            yield made(
                "disk",
                f"{free:.1f} GiB are free for {what} ({path}).",
                "Make room, or move it: AGENTAUDIT_HOME, STORAGE_URL, TMPDIR.",
            )
    if not tight:
        yield ok("disk", f"More than {DISK_HINT_GIB} GiB are free everywhere.")


def memory_suffices() -> Iterator[Finding]:
    """Attempts that all use what they may must leave room for the rest."""
    largest = Agent.objects.aggregate(most=Max("memory_mib"))["most"] or 0
    needed, there = settings.WORKER_SLOTS * largest * 2**20, memory_bytes()
    sentence = f"{settings.WORKER_SLOTS} attempts of {largest:,} MiB could use {needed / GIB:.1f} GiB of {there / GIB:.1f} GiB."
    if needed > MEMORY_SHARE * there:
        fitting = max(1, int(MEMORY_SHARE * there / (largest * 2**20)))
        yield hint("memory", sentence, f"Set WORKER_SLOTS={fitting}, or give the agents less memory.")
    else:
        yield ok("memory", sentence)


def memory_bytes() -> int:
    """What this machine, or the container that we are in, has."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            limit = Path(name).read_text().strip()
        except OSError:
            continue
        if limit.isdigit():
            total = min(total, int(limit))
    return total
