"""What a callback is compared with: a view that does nothing, and one that commits one UPDATE of one row, behind the same middleware."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST


@csrf_exempt
@login_not_required
@require_POST
def empty(request: HttpRequest, attempt: UUID) -> JsonResponse:
    return JsonResponse({"outcome": "read", "bytes": len(request.body)})


@csrf_exempt
@login_not_required
@require_POST
def one_update(request: HttpRequest, attempt: UUID) -> JsonResponse:
    """The row of the attempt itself, so that the indexes and the size of the row are the same."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE task_attempts SET last_seen_at = clock_timestamp() WHERE id = %s", [attempt])
        return JsonResponse({"outcome": "applied", "bytes": len(request.body), "rows": cursor.rowcount})


urlpatterns = [
    path("baselines/empty/<uuid:attempt>/", empty),
    path("baselines/one_update/<uuid:attempt>/", one_update),
    path("", include("agentaudit.urls")),
]
handler400 = "dashboard.errors.bad_request"
handler403 = "dashboard.errors.forbidden"
handler404 = "dashboard.errors.not_found"
handler500 = "dashboard.errors.failed"
