"""Databricks' own job notifications: a hint that something of a run has changed. Only ids are taken from them.

What became of the run is asked from the executor by whoever holds it, as always; this only makes that happen sooner.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from tasks import notify

log = logging.getLogger(__name__)
MOST_BODY_BYTES = 64 * 2**10


@csrf_exempt
@login_not_required
@require_POST
def job_notification(request: HttpRequest) -> JsonResponse:
    """200 for every notification that is ours to believe, whatever it says; 401 without the agreed name and password."""
    if not _believed(request.headers.get("Authorization", "")):
        return JsonResponse(
            {"error": "The name or the password is not right."},
            status=401,
            headers={"WWW-Authenticate": "Basic"},
        )
    body = request.read(MOST_BODY_BYTES + 1)
    if len(body) > MOST_BODY_BYTES:
        return JsonResponse({"error": f"A notification has at most {MOST_BODY_BYTES} bytes."}, status=413)
    run_id = _run_id(body)
    if run_id is None:
        return JsonResponse({"error": "run.run_id: a number is expected."}, status=422)
    notify.hint(notify.WORK)
    return JsonResponse({"outcome": "noted"})


def _believed(authorization: str) -> bool:
    """Basic authentication against DATABRICKS_WEBHOOK_LOGIN; refused altogether while that is unset."""
    expected = settings.DATABRICKS_WEBHOOK_LOGIN
    scheme, _, given = authorization.partition(" ")
    try:
        decoded = base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    matches = constant_time_compare(decoded, expected.encode())
    return bool(expected) and scheme.lower() == "basic" and matches


def _run_id(body: bytes) -> int | None:
    try:
        run_id = json.loads(body)["run"]["run_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return run_id if isinstance(run_id, int) and not isinstance(run_id, bool) and run_id > 0 else None
