"""Storage in a volume when the workspace is slow, full, shut or gone in the middle; and that what goes over the wire is what we know."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tasks import databricks
from tasks.audit import Actor
from tasks.intake import Upload, take_in, unlock
from tasks.storage import StorageError
from tasks.storage.volumes import VolumeStorage
from tests.factories import make_agent, make_client
from tests.fakes.wire import golden, seen

pytest_plugins = ["tests.fakes.fixtures"]
pytestmark = pytest.mark.slow
NAME = f"documents/ab/{'ab' * 32}.pdf"
FILES = "/fs/files/"


@pytest.fixture
def storage(workspace) -> VolumeStorage:
    return VolumeStorage(workspace.files.volume)


def put(storage, content: bytes = b"a document", name: str = NAME):
    return storage.put(name, io.BytesIO(content))


@pytest.mark.parametrize("kind", ["lose", "drop", "429", "503"])
def test_an_upload_that_goes_wrong_once_is_repeated_and_stands_there_once(storage, workspace, kind):
    workspace.fault(kind, FILES, method="PUT", times=1)
    put(storage)
    assert storage.open(NAME).read() == b"a document"
    assert list(storage.names("documents/")) == [NAME]


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_an_upload_that_is_called_good_and_is_not_all_there_is_refused_and_can_be_repeated(
    storage, workspace, monkeypatch, share
):
    keep, name = workspace.files._store, f"attempts/{'1' * 32}.json"
    with monkeypatch.context() as patch:
        patch.setattr(
            workspace.files,
            "_store",
            lambda path, data, over: keep(path, data[: int(len(data) * share)], over),
        )
        for given in (NAME, name):
            with pytest.raises(StorageError, match=rf"{int(10 * share)} of 10 bytes") as caught:
                put(storage, name=given)
            assert caught.value.retryable
    for given in (NAME, name):
        put(storage, name=given)
        assert storage.open(given).read() == b"a document"


@pytest.mark.parametrize("kind", ["cut", "429", "503", "drop"])
def test_a_download_that_goes_wrong_once_is_whole(storage, workspace, kind):
    content = bytes(range(256)) * 20_000
    put(storage, content)
    workspace.fault(kind, "/cloud/", method="GET", times=1)
    assert storage.open(NAME).read() == content


def test_a_download_that_stays_cut_is_an_error_and_not_half_a_file(storage, workspace, monkeypatch):
    monkeypatch.setenv("DATABRICKS_DISABLE_EXPERIMENTAL_FILES_API_CLIENT", "true")
    databricks.forget()
    put(storage, bytes(range(256)) * 20_000)
    workspace.fault("cut", FILES, method="GET")
    with pytest.raises(StorageError) as caught:
        storage.open(NAME)
    assert caught.value.retryable


def test_the_way_past_the_cloud_storage_is_taken_where_that_cannot_be_reached(storage, workspace):
    put(storage)
    workspace.fault("403", "/cloud/")
    assert storage.open(NAME).read() == b"a document"


def test_a_workspace_that_stays_busy_is_a_reason_to_try_later(storage, workspace, monkeypatch):
    monkeypatch.setattr(databricks, "PATIENT", (1.0, 1))
    databricks.forget()
    workspace.fault("429", FILES, retry_after="1", code="REQUEST_LIMIT_EXCEEDED")
    with pytest.raises(StorageError, match="could not be stored") as caught:
        put(storage)
    assert caught.value.retryable
    assert storage.root in str(caught.value)


def test_a_principal_without_rights_is_told_which_it_needs(storage, workspace):
    workspace.fault("403", FILES, code="PERMISSION_DENIED")
    with pytest.raises(StorageError, match="WRITE VOLUME") as caught:
        put(storage)
    assert not caught.value.retryable
    assert "Config" not in str(caught.value)


def test_a_volume_that_does_not_exist_is_named(workspace):
    with pytest.raises(StorageError, match="no volume /Volumes/main/agentaudit/other"):
        put(VolumeStorage("/Volumes/main/agentaudit/other"))


def test_a_login_that_runs_out_is_renewed(storage, workspace):
    put(storage)
    workspace.expire_tokens()
    assert storage.exists(NAME)


def test_folders_that_somebody_removed_are_made_again(storage, workspace):
    put(storage)
    workspace.files.clear()
    with pytest.raises(StorageError):
        put(storage)
    put(storage)
    assert storage.exists(NAME)


def test_saying_where_a_document_is_asks_nothing(storage, workspace):
    assert str(storage.path_for_attempt(NAME)) == f"{storage.root}/{NAME}"
    assert workspace.log == []


def test_a_file_is_put_once(storage):
    assert storage.put_once("attempts/1.in.json", b"one")
    assert not storage.put_once("attempts/1.in.json", b"two")
    assert storage.open("attempts/1.in.json").read() == b"one"


def test_a_missing_outcome_costs_one_request(storage, workspace):
    storage.exists(NAME)
    before = len(workspace.log)
    with pytest.raises(StorageError):
        storage.open("attempts/1.json")
    assert len(workspace.log) == before + 1


def test_a_large_file_goes_up_in_parts(storage, workspace, tmp_path):
    large = tmp_path / "large.pdf"
    with large.open("wb") as file:
        for number in range(60):
            file.write(bytes([number]) * (1 << 20))
    with large.open("rb") as file:
        stored = storage.put(NAME, file)
    assert stored.size == 60 << 20
    assert len(workspace.requests("/cloud/", "PUT")) == 6
    with storage.open(NAME) as file:
        file.seek(59 << 20)
        assert file.read() == bytes([59]) * (1 << 20)
    assert workspace.files.path(f"{storage.root}/{NAME}").read_bytes() == large.read_bytes()


def test_a_part_that_goes_wrong_is_sent_again(storage, workspace):
    content = b"x" * (51 << 20)
    workspace.fault("503", "/cloud/", method="PUT", times=1)
    workspace.fault("lose", FILES, method="POST", times=1)
    put(storage, content)
    assert storage.open(NAME).read() == content


def test_the_requests_are_those_that_were_seen_before(storage, workspace):
    """Compared with a log of the SDK's version that is pinned: an upgrade that says something else shows here."""
    put(storage)
    put(storage)
    storage.open(NAME).close()
    storage.exists("attempts/1.json")
    list(storage.names("documents/"))
    storage.delete(NAME)
    assert seen(workspace) == golden("volumes")


@pytest.mark.django_db
def test_a_locked_document_on_a_volume_is_opened_with_its_password(on_databricks, tmp_path):
    """What only a local path can be read from works on a volume too: handing in, and unlocking afterwards."""
    client, agent = make_client(), make_agent(executor="databricks")
    actor = Actor.system("test")
    content = (Path(__file__).parents[1] / "tasks" / "agent" / "samples" / "09-encrypted.pdf").read_bytes()
    extraction = take_in(
        actor, client=client, agent=agent, uploads=[Upload("locked.pdf", io.BytesIO(content))]
    )
    [refused] = extraction.refused
    assert refused["code"] == "encrypted"
    assert unlock(actor, extraction, {refused["document_id"]: "demo"}) == []
    document = extraction.tasks.get().document
    assert (
        on_databricks.files.path(f"{on_databricks.files.volume}/{document.storage_name}").read_bytes()
        == content
    )
