"""What machines ask: whether this process lives, and whether it can serve and the queue moves. Neither asks for a login nor tells of content."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from psycopg.errors import LockNotAvailable

from dashboard.summary import shared
from tasks import idleness, queue

STILL_SECONDS = 90.0
"""So long ready work may wait with nothing running before that is called standing still; workers look at it every few seconds."""
REMEMBERED_SECONDS = 2.0
PATIENCE = "SET LOCAL lock_timeout = '2s'"
"""What everything waits behind is to be told, and not waited for."""
AWAY = (*queue.AWAY, ImproperlyConfigured)


@login_not_required
@require_safe
@never_cache
def alive(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers at all."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """200, or 503 with what is wrong: no database, tables that somebody has locked, migrations that are behind, or a queue that stands still. One that sleeps is not asked."""
    if idleness.asleep():  # whoever asks every few seconds must not be what keeps the database awake
        return JsonResponse({"database": "asleep"})
    found = shared.get("ready", REMEMBERED_SECONDS, _checks)
    return JsonResponse(found, status=200 if all(value == "ok" for value in found.values()) else 503)


def _checks() -> dict[str, Any]:
    try:
        with transaction.atomic():
            queue.connection().execute(PATIENCE)
            executor = MigrationExecutor(connection)
            if executor.migration_plan(executor.loader.graph.leaf_nodes()):
                return {"database": "ok", "migrations": "behind"}
            since = standing_still()
    except LockNotAvailable:
        return {"database": "locked"}
    except AWAY:
        return {"database": "away"}
    return {
        "database": "ok",
        "migrations": "ok",
        "queue": f"standing still since {since:%Y-%m-%dT%H:%M:%SZ}" if since else "ok",
    }


def standing_still() -> datetime | None:
    """Since when something could run and nothing does; None where the queue moves or has nothing to do."""
    return queue.read(queue.connection(), "summary_standstill", seconds=STILL_SECONDS)[0].since
