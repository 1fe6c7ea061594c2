"""What every storage promises, the same tests for each kind."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path

import pytest

from tasks.storage import Storage, StorageError
from tasks.storage.folder import FolderStorage
from tasks.storage.volumes import VolumeStorage

pytest_plugins = ["tests.fakes.fixtures"]
NAME = "documents/ab/abc.pdf"


@pytest.fixture
def folder(tmp_path: Path) -> Storage:
    return FolderStorage(tmp_path / "kept here")


@pytest.fixture
def volume(workspace) -> Storage:
    return VolumeStorage(workspace.files.volume)


@pytest.fixture(params=["folder", "volume"])
def storage(request: pytest.FixtureRequest) -> Storage:
    return request.getfixturevalue(request.param)


def mounted(request: pytest.FixtureRequest, path: Path) -> Path:
    """Where a program that an attempt runs finds this path: volumes are mounted where its job runs."""
    volumes = "volume" in request.fixturenames
    return request.getfixturevalue("workspace").files.path(str(path)) if volumes else path


def put(storage: Storage, name: str, content: bytes, **more):
    return storage.put(name, io.BytesIO(content), **more)


def test_what_was_put_is_read_again_with_its_size_and_digest(storage):
    content = bytes(range(256)) * 10_000
    stored = put(storage, NAME, content)
    assert (stored.name, stored.size, stored.sha256) == (
        NAME,
        len(content),
        hashlib.sha256(content).hexdigest(),
    )
    with storage.open(NAME) as file:
        assert file.read() == content


def test_an_empty_file_is_kept_as_one(storage):
    assert put(storage, NAME, b"").size == 0
    assert storage.exists(NAME)


def test_the_same_bytes_may_be_put_again(storage):
    assert put(storage, NAME, b"one") == put(storage, NAME, b"one")


def test_other_bytes_under_a_stored_name_are_refused_and_change_nothing(storage):
    put(storage, NAME, b"one")
    with pytest.raises(StorageError, match="already stored"):
        put(storage, NAME, b"two")
    assert storage.open(NAME).read() == b"one"


def test_an_outcome_may_be_replaced(storage):
    put(storage, "attempts/1.json", b"one")
    put(storage, "attempts/1.json", b"two")
    assert storage.open("attempts/1.json").read() == b"two"


def test_more_than_the_limit_is_refused_and_leaves_nothing(storage):
    with pytest.raises(StorageError, match="larger than 10 bytes"):
        put(storage, NAME, b"x" * 11, limit=10)
    assert not storage.exists(NAME)
    assert list(storage.names("")) == []
    assert put(storage, NAME, b"x" * 10, limit=10).size == 10


def test_content_that_breaks_off_leaves_nothing(storage):
    class Broken(io.RawIOBase):
        def __init__(self):
            self.chunks = [b"half"]

        def read(self, size=-1):
            if self.chunks:
                return self.chunks.pop()
            raise ConnectionResetError("the browser went away")

    with pytest.raises(ConnectionResetError):
        storage.put(NAME, Broken())
    assert list(storage.names("")) == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/etc/passwd",
        "../settings.py",
        "documents/../../x",
        "documents//x",
        "documents/",
        "./x",
        "a\0b",
        "a\nb",
        "a\x1bb",
        "a\\b",
        ".hidden",
        "documents/.hidden",
        "ä.pdf",
        "x.part",
        "x" * 300,
    ],
)
def test_names_that_are_not_ours_are_refused_everywhere(storage, name):
    for call in (
        lambda: put(storage, name, b"x"),
        lambda: storage.open(name),
        lambda: storage.path_for_attempt(name),
    ):
        with pytest.raises(StorageError, match="not a name"):
            call()
    for call in (lambda: storage.exists(name), lambda: storage.delete(name)):
        with pytest.raises(StorageError):
            call()


def test_a_missing_file_is_named_with_what_to_do(storage):
    with pytest.raises(StorageError, match=r"documents/ab/abc\.pdf.*backup") as caught:
        storage.open(NAME)
    assert not caught.value.retryable
    assert not storage.exists(NAME)


def test_deleting_is_final_and_may_be_repeated(storage):
    put(storage, NAME, b"x")
    storage.delete(NAME)
    storage.delete(NAME)
    assert not storage.exists(NAME)


def test_names_are_found_by_their_beginning(storage):
    for name in ("attempts/1.json", "attempts/12.log", "attempts/2.json", NAME):
        put(storage, name, b"x")
    assert sorted(storage.names("attempts/1")) == ["attempts/1.json", "attempts/12.log"]
    assert sorted(storage.names("documents/")) == [NAME]
    assert len(list(storage.names(""))) == 4
    assert list(storage.names("nothing/")) == []


def test_an_attempt_finds_and_leaves_files_where_it_is_told(storage, request):
    put(storage, NAME, b"a document")
    assert mounted(request, storage.path_for_attempt(NAME)).read_bytes() == b"a document"
    mounted(request, storage.path_for_attempt("attempts/9.json")).write_bytes(b"an outcome")
    assert storage.open("attempts/9.json").read() == b"an outcome"


def test_what_was_opened_can_be_read_from_any_place(storage):
    put(storage, NAME, b"0123456789")
    with storage.open(NAME) as file:
        assert file.seek(0, 2) == 10
        file.seek(4)
        assert file.read(3) == b"456"


def test_a_program_of_this_machine_reads_a_local_copy(storage):
    put(storage, NAME, b"a document")
    with storage.local_copy(NAME) as path:
        assert path.read_bytes() == b"a document"
    with pytest.raises(StorageError), storage.local_copy("documents/zz/none.pdf") as path:
        path.read_bytes()


def test_cleaning_removes_no_whole_file_however_old(storage: Storage):
    put(storage, NAME, b"whole")
    if isinstance(storage, FolderStorage):
        os.utime(storage.root / NAME, (0, 0))
    assert storage.clean() == 0
    assert storage.exists(NAME)
