"""Copies of a Lakebase: branches and snapshots, made and removed, and told from the original before anything works on them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management import CommandError
from django.db import connection

from tasks import databricks
from tasks.models import Attempt

if TYPE_CHECKING:
    from databricks.sdk.service.postgres import PostgresAPI

NAME = re.compile(r"[a-z][a-z0-9-]{0,62}")
WAIT_SECONDS, PAUSE_SECONDS = 300.0, 1.0


@dataclass(frozen=True, slots=True)
class Copy:
    """A branch or snapshot as a list shows it."""

    name: str
    state: str
    source: str
    ends: str


def finished(operation: Any, seconds: float = WAIT_SECONDS) -> Any:
    """What a long-running operation of the postgres service made. Raises TimeoutError; by itself the SDK waits for ever."""
    deadline = time.monotonic() + seconds
    while not operation.done():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{operation.name()} goes on in the workspace after {seconds:g} s")
        time.sleep(PAUSE_SECONDS)
    return operation.wait()


class Copies:
    """Branches and snapshots of the project of LAKEBASE_ENDPOINT. Every method raises CommandError."""

    def __init__(self) -> None:
        if not settings.LAKEBASE_ENDPOINT:
            raise CommandError(
                "Branches and snapshots belong to an autoscaling Lakebase: set LAKEBASE_ENDPOINT. A provisioned instance is copied as a "
                "child instance, in the workspace's own pages."
            )
        self._production = settings.LAKEBASE_HOME
        self._project = self._production.partition("/branches/")[0]

    @property
    def _api(self) -> PostgresAPI:
        return databricks.client().postgres

    def branch(self, name: str, days: float, at: datetime | None, snapshot: str) -> Copy:
        """A copy of the production branch as it is, as it was `at` a time, or as in a snapshot; gone by itself after `days`."""
        from databricks.sdk.service.postgres import Branch, BranchSpec
        from google.protobuf.duration_pb2 import Duration

        spec = BranchSpec(source_branch=self._production, ttl=Duration(seconds=int(days * 86400)))
        if snapshot:
            spec.source_branch, spec.source_snapshot = None, self._snapshot_name(snapshot)
        if at:
            spec.source_branch_time = _timestamp(at)
        with _in_words(f"The branch {name}"):
            made = finished(self._api.create_branch(self._project, Branch(spec=spec), _named(name)))
        return _copy(made)

    def branches(self) -> Iterator[Copy]:
        with _in_words("The branches"):
            yield from (_copy(branch) for branch in self._api.list_branches(self._project))

    def delete_branch(self, name: str) -> None:
        full = f"{self._project}/branches/{_named(name)}"
        if full == self._production:
            raise CommandError(
                f"{name} is the branch that LAKEBASE_ENDPOINT names; it is not deleted from here."
            )
        with _in_words(f"The branch {name}"):
            finished(self._api.delete_branch(full))

    def snapshot(self, name: str, days: float) -> Copy:
        from databricks.sdk.service.postgres import Snapshot, SnapshotSpec
        from google.protobuf.duration_pb2 import Duration

        spec = SnapshotSpec(source_branch=self._production, ttl=Duration(seconds=int(days * 86400)))
        with _in_words(f"The snapshot {name}"):
            made = finished(self._api.create_snapshot(self._project, Snapshot(spec=spec), _named(name)))
        return _copy(made)

    def snapshots(self) -> Iterator[Copy]:
        with _in_words("The snapshots"):
            yield from (_copy(snapshot) for snapshot in self._api.list_snapshots(self._project))

    def delete_snapshot(self, name: str) -> None:
        with _in_words(f"The snapshot {name}"):
            finished(self._api.delete_snapshot(self._snapshot_name(name)))

    def _snapshot_name(self, name: str) -> str:
        return f"{self._project}/snapshots/{_named(name)}"


class _in_words:
    """What the workspace refuses becomes one sentence."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, _trace: Any) -> None:
        from databricks.sdk.errors import PermissionDenied

        if isinstance(error, Exception) and not isinstance(error, CommandError):
            advice = " CAN MANAGE on the project is needed." if isinstance(error, PermissionDenied) else ""
            raise CommandError(f"{self._what}: {databricks.in_words(error)}.{advice}") from error


def _copy(made: Any) -> Copy:
    status, spec = made.status, made.spec
    state = getattr(status, "current_state", None)
    source = (spec and (getattr(spec, "source_snapshot", None) or spec.source_branch)) or getattr(status, "source_branch", None)  # fmt: skip
    ends = status.expire_time if status else None
    return Copy(
        (made.name or "").rpartition("/")[2],
        state.value.lower() if state else "",
        (source or "").rpartition("/")[2],
        f"{ends.ToDatetime(tzinfo=UTC):%Y-%m-%d %H:%M} UTC" if ends else "",
    )


def _named(name: str) -> str:
    if not NAME.fullmatch(name):
        raise CommandError(
            f"{name!r} is no name: a letter, then up to 62 lower-case letters, digits and hyphens."
        )
    return name


def _timestamp(at: datetime) -> Any:
    from google.protobuf.timestamp_pb2 import Timestamp

    made = Timestamp()
    made.FromDatetime(at.astimezone(UTC))
    return made


def parse_time(text: str, now: datetime) -> datetime:
    """2026-11-03T14:05 (UTC unless it says another zone), or an age such as 30m, 4h, 2d. Raises ValueError."""
    if age := re.fullmatch(r"(\d+)([mhd])", text):
        return now - timedelta(**{{"m": "minutes", "h": "hours", "d": "days"}[age[2]]: int(age[1])})
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def refuse_copies(allowed: str = "") -> None:
    """Raises CommandError where the database is a copy of another one: what runs there belongs to the original, and would be stopped or read twice.

    allowed: the name of the branch that somebody means to work on; even then only where no copied attempt is under way.
    """
    here, marked = settings.LAKEBASE_HOME, _mark() if settings.LAKEBASE_HOME else None
    if not marked or marked == here:
        return
    name = here.rpartition("/")[2]
    if allowed != name:
        raise CommandError(
            f"This database ({here}) is a copy of {marked}. A worker here would take over the original's running attempts and stop its runs. "
            f"Point LAKEBASE_ENDPOINT at {marked}, or, to work on the copy: --on-branch {name}"
        )
    if count := Attempt.objects.filter(ended_at=None).count():
        raise CommandError(
            f"{count} attempts in this copy are the original's, and may still run there. Declare them ended under Admin › Attempts "
            "of this copy first; the original is not touched by that."
        )


def _mark() -> str | None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT obj_description(to_regnamespace(%s), 'pg_namespace')", [settings.LAKEBASE_SCHEMA]
        )
        return cursor.fetchone()[0]
