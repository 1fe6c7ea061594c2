"""`manage.py delete_client`: asks before it does anything, and a deletion that was killed or left is brought to its end."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command

from tasks import erasure
from tests.commands import ROOT, SAMPLES, Place, wait_until
from tests.erasure_tools import rows_of, stored

pytest_plugins = ["tests.erasure_fixtures"]
pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("delete_client", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_a_dry_run_says_what_would_go_and_changes_nothing(world) -> None:
    before = rows_of(world.client), stored()
    said = run("Nordwind", "--dry-run")
    assert "4 documents" in said and "1 waiting tasks are cancelled" in said
    told = json.loads(run("Nordwind", "--dry-run", "--json"))
    assert (told["documents"], told["tasks"], told["attempts"], told["running"]) == (4, 3, 2, 0)
    assert (rows_of(world.client), stored()) == before


def test_where_nobody_can_be_asked_it_needs_yes(world) -> None:
    with pytest.raises(CommandError, match="needs --yes"):
        run("Nordwind")
    assert not erasure.unfinished().exists()
    assert json.loads(run("Nordwind", "--yes", "--json"))["documents"] == 4
    with pytest.raises(CommandError, match="There is no client 'Ostwind'"):
        run("Ostwind", "--yes")


@pytest.mark.slow
def test_on_a_terminal_it_asks_for_the_name(place: Place) -> None:
    read_and_marked(place, "Nordwind")
    for typed, code in (("nordwind\n", 1), ("Nordwind\n", 0)):
        ours, theirs = pty.openpty()
        os.write(ours, typed.encode())
        ended = subprocess.run(
            [sys.executable, "manage.py", "delete_client", "Nordwind"], stdin=theirs, capture_output=True, text=True, timeout=120,
            env=place.environment, cwd=ROOT,
        )  # fmt: skip
        os.close(ours)
        os.close(theirs)
        assert ended.returncode == code, ended.stderr
        assert "Type the client's name" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("point", ["erase:files", "erase:rows"])
def test_killed_in_the_middle_it_is_repeated_and_nothing_is_left(place: Place, point: str) -> None:
    """Real documents, read by real attempts, with what these left in the storage."""
    name, other = f"Killed at {point}", f"Not killed at {point}"
    marks = [read_and_marked(place, client) for client in (name, other)]
    before = files(place)
    of_name, of_other = ({path for path in before if any(mark in path for mark in of)} for of in marks)
    assert len(of_name) == len(of_other) >= 2
    dying = {"DJANGO_SETTINGS_MODULE": "tests.erasure_dying_settings", "DIES_AT": point}
    assert place.run("delete_client", name, "--yes", **dying).returncode == -signal.SIGKILL
    assert place.ask(f"Client.objects.get(name={name!r}).deleted_at is None")
    done = place.run("delete_client", name, "--yes")
    assert done.returncode == 0 and "was deleted" in done.stdout, done.stderr
    assert files(place) == before - of_name
    assert place.ask(f"Document.objects.filter(client__name={name!r}).exclude(storage_name='').count()") == 0
    assert place.ask(f"Attempt.objects.filter(client__name={name!r}, erased_at=None).count()") == 0
    assert place.ask(f"Attempt.objects.filter(client__name={other!r}, result__isnull=False).count()") == 1


@pytest.mark.slow
def test_a_worker_goes_on_with_what_a_page_began(place: Place) -> None:
    """The page only begins it; whoever was at it may also have died."""
    marks = read_and_marked(place, "Begun in a page")
    begin = (
        "from tasks import erasure; from tasks.audit import Actor; from tasks.models import Client; "
        "erasure.begin(Actor('erika'), Client.objects.get(name='Begun in a page'), 'over')"
    )
    assert place.run("shell", "--no-imports", "-c", begin).returncode == 0
    worker = place.begin("worker")
    try:
        through = "Client.objects.filter(name='Begun in a page', deleted_at__isnull=False).exists()"
        wait_until(lambda: place.ask(through), what="the end of the deletion")
    finally:
        worker.terminate()
        worker.communicate(timeout=60)
    assert not [path for path in files(place) if any(mark in path for mark in marks)]


def files(place: Place) -> set[str]:
    storage = place.home / "storage"
    return {str(path.relative_to(storage)) for path in storage.rglob("*") if path.is_file()}


def read_and_marked(place: Place, client: str) -> list[str]:
    """What the names of a client's files hold, after one document of it was read."""
    run = place.run("extract", SAMPLES / "01-invoice-english.pdf", "--client", client, "--create-client")
    assert run.returncode == 0, run.stderr
    of = f"filter(client__name={client!r}).values_list"
    folders = place.ask(f"[f'client-{{pk}}/' for pk in Document.objects.{of}('client', flat=True)]")
    return folders + place.ask(f"list(map(str, Attempt.objects.{of}('pk', flat=True)))")
