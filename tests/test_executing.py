"""Where attempts run follows from where documents are, and a set-up that cannot work is said before anything is claimed."""

from __future__ import annotations

import io
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from tasks.management import executing
from tasks.models import Worker

pytest_plugins = ["tests.fakes.fixtures"]


def test_documents_in_a_folder_are_read_by_processes_of_this_machine():
    executor = executing.make_executor(1)
    executor.close(1.0)
    assert (executor.name, executor.remote) == ("local", False)


def test_documents_in_a_volume_are_read_by_runs_of_the_job(on_databricks):
    executor = executing.make_executor(1)
    executor.close(1.0)
    assert (executor.name, executor.remote) == ("databricks", True)


def test_a_volume_without_a_job_is_said_before_anything_is_claimed(on_databricks, settings):
    settings.DATABRICKS_JOB_ID = None
    with pytest.raises(CommandError, match="DATABRICKS_JOB_ID"):
        executing.make_executor(1)


@pytest.mark.django_db
def test_replicas_are_those_that_were_heard_of_within_a_lease(settings):
    now = timezone.now()
    for heard, stopped in ((0, None), (1, None), (settings.LEASE_SECONDS + 5, None), (0, now)):
        Worker.objects.create(
            id=uuid4(), host="h", pid=1, slots=1, started_at=now, heartbeat_at=now - timedelta(seconds=heard), stopped_at=stopped
        )  # fmt: skip
    assert executing.living_workers()() == 2


@pytest.mark.django_db
def test_nobody_at_all_is_one_replica():
    assert executing.living_workers()() == 1


@pytest.mark.django_db(transaction=True)
def test_the_sweeper_looks_after_runs_of_the_job(on_databricks):
    out = io.StringIO()
    call_command("sweeper", "--once", stdout=out)
    assert "recover" in out.getvalue()
