"""What the folder storage does to a disk: modes, whole files only, full disks, what dead writers leave behind."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.storage import StorageError
from tasks.storage.folder import FolderStorage
from tests.attempts import wait_for

ROOT = Path(__file__).resolve().parent.parent
NAME = "documents/ab/abc.pdf"


@pytest.fixture
def storage(tmp_path: Path) -> FolderStorage:
    return FolderStorage(tmp_path / "store")


def files(storage: FolderStorage) -> list[str]:
    return sorted(path.name for path in storage.root.rglob("*") if path.is_file())


def test_only_our_own_user_may_read_what_is_stored(storage):
    storage.put(NAME, io.BytesIO(b"x"))
    modes = {
        stat.S_IMODE(path.stat().st_mode)
        for path in [storage.root, *storage.root.rglob("*")]
        if path.is_dir()
    }
    assert modes == {0o700}
    assert stat.S_IMODE((storage.root / NAME).stat().st_mode) == 0o600


def test_the_folder_above_the_storage_keeps_its_permissions(storage):
    storage.root.parent.chmod(0o750)
    storage.put(NAME, io.BytesIO(b"x"))
    assert stat.S_IMODE(storage.root.parent.stat().st_mode) == 0o750


def test_a_reader_never_sees_a_half_file(storage):
    """The name appears only when the last byte is there."""
    halfway, go_on = threading.Event(), threading.Event()

    class Slow(io.RawIOBase):
        chunks = [b"second", b"first "]

        def read(self, size=-1):
            if len(self.chunks) == 1:
                halfway.set()
                go_on.wait(10)
            return self.chunks.pop() if self.chunks else b""

    writer = threading.Thread(target=storage.put, args=(NAME, Slow()))
    writer.start()
    assert halfway.wait(10)
    assert not storage.exists(NAME)
    assert list(storage.names("")) == []
    go_on.set()
    writer.join()
    assert storage.open(NAME).read() == b"first second"


SLOW_WRITER = """
import sys
from pathlib import Path
from tasks.storage.folder import FolderStorage

print("begins", flush=True)
FolderStorage(Path(sys.argv[1])).put(sys.argv[2], sys.stdin.buffer)
"""


def test_a_writer_that_is_killed_half_way_leaves_nothing_under_the_name(storage):
    """What it had written is taken away a day later, by whoever cleans."""
    command = [sys.executable, "-c", SLOW_WRITER, str(storage.root), NAME]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "agentaudit.settings"}
    writer = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment
    )
    assert writer.stdout.readline() == b"begins\n"
    writer.stdin.write(b"x" * (3 << 20))  # more than is kept in memory on the way
    writer.stdin.flush()
    wait_for(lambda: any(path.stat().st_size for path in storage.root.rglob("*.part")), 20)
    writer.kill()
    writer.communicate()
    (partial,) = storage.root.rglob("*.part")
    assert not storage.exists(NAME) and list(storage.names("")) == []
    os.utime(partial, (time.time() - 90_000,) * 2)
    assert storage.clean() == 1 and files(storage) == []
    storage.put(NAME, io.BytesIO(b"whole"))
    assert storage.open(NAME).read() == b"whole"


def test_two_writers_of_the_same_document_at_once_both_succeed(storage):
    barrier, errors = threading.Barrier(8), []

    def write() -> None:
        barrier.wait()
        try:
            storage.put(NAME, io.BytesIO(b"the same" * 1000))
        except StorageError as error:
            errors.append(error)

    writers = [threading.Thread(target=write) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert errors == []
    assert files(storage) == ["abc.pdf"]


def test_what_a_dead_writer_left_is_cleaned_after_a_day_and_not_before(storage):
    storage.put(NAME, io.BytesIO(b"x"))
    folder = storage.root / "documents/ab"
    old, fresh = folder / "dead.pdf.1.part", folder / "alive.pdf.2.part"
    for path in (old, fresh):
        path.write_bytes(b"half")
    long_ago = time.time() - 90_000
    for path in (old, folder / "abc.pdf"):
        os.utime(path, (long_ago, long_ago))
    assert storage.clean() == 1
    assert files(storage) == ["abc.pdf", "alive.pdf.2.part"]


def test_cleaning_a_storage_that_does_not_exist_yet_is_harmless(storage):
    assert storage.clean() == 0


FULL_DISK = """
import io, sys
from collections.abc import Iterator
from pathlib import Path
from tasks.storage import StorageError
from tasks.storage.folder import FolderStorage

storage = FolderStorage(Path(sys.argv[1]) / "store")
storage.put("documents/small.pdf", io.BytesIO(b"x" * 1000))
try:
    storage.put("documents/large.pdf", io.BytesIO(b"x" * (4 << 20)))
except StorageError as error:
    print(error.retryable, error)
print(sorted(path.name for path in storage.root.rglob("*") if path.is_file()))
storage.put("documents/other.pdf", io.BytesIO(b"x" * 1000))
print("goes on")
"""


def run_script(command: list[str]) -> subprocess.CompletedProcess:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "agentaudit.settings", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)


def test_a_full_disk_is_said_in_words_and_leaves_no_half_file(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c"]
    mount = f"mount -t tmpfs -o size=1m none '{disk}'"
    try:
        allowed = run_script([*unshare, mount])
    except FileNotFoundError:
        pytest.skip("no unshare here: install util-linux")
    if allowed.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {allowed.stderr.strip()}")
    script = run_script([*unshare, f'{mount} && exec "$@"', "sh", sys.executable, "-c", FULL_DISK, str(disk)])
    assert script.stdout.splitlines() == [
        f"True The disk that holds {disk / 'store'} is full; free some space and try again.",
        "['small.pdf']",
        "goes on",
    ], script.stderr


def test_a_file_above_the_systems_limit_leaves_no_half_file(tmp_path):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
    script = run_script([sys.executable, "-c", limit + FULL_DISK, str(tmp_path)])
    said, left, after = script.stdout.splitlines()
    assert "cannot be stored" in said
    assert "File too large" in said
    assert (left, after) == ("['small.pdf']", "goes on")


@contextlib.contextmanager
def unprivileged() -> Iterator[None]:
    """Root may write anywhere; for a moment it is nobody."""
    user = os.geteuid()
    os.seteuid(65534 if user == 0 else user)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_folder_that_may_not_be_written_is_said_in_words(storage):
    storage.root.mkdir()
    storage.root.chmod(0o500)
    with unprivileged(), pytest.raises(StorageError, match="permissions") as caught:
        storage.put(NAME, io.BytesIO(b"x"))
    assert not caught.value.retryable


def test_a_folder_that_cannot_be_looked_through_is_no_empty_one(storage):
    """A deletion that took it for empty would say that everything of a client is gone."""
    storage.put(NAME, io.BytesIO(b"x"))
    folder = (storage.root / NAME).parent
    folder.chmod(0)
    try:
        with unprivileged(), pytest.raises(StorageError, match="cannot be looked through") as caught:
            list(storage.names("documents/"))
    finally:
        folder.chmod(0o700)
    assert caught.value.retryable
    assert list(storage.names("documents/")) == [NAME]
    assert list(storage.names("nothing/here/")) == []


def test_a_folder_that_goes_while_a_file_is_written_is_said_in_words(storage):
    """As when a mount is lost: callers know what to do with an error of the storage, and with no other."""

    class Lost(io.BytesIO):
        def read(self, size=-1):
            shutil.rmtree(storage.root)
            return b""

    with pytest.raises(StorageError, match="cannot be stored") as caught:
        storage.put(NAME, Lost())
    assert caught.value.retryable
    storage.put(NAME, io.BytesIO(b"x"))
    assert files(storage) == ["abc.pdf"]


def test_what_was_never_there_is_deleted_also_below_a_file(storage):
    storage.put("documents/ab", io.BytesIO(b"x"))
    storage.delete(NAME)
    assert files(storage) == ["ab"]


def test_a_file_where_a_folder_should_be_is_said_in_words(storage):
    storage.root.write_bytes(b"in the way")
    with pytest.raises(StorageError, match="cannot be stored"):
        storage.put(NAME, io.BytesIO(b"x"))
