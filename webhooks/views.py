"""Where attempts answer: authenticated by signature, never by session; every refusal is one sentence and changes nothing."""

from __future__ import annotations

import logging
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from tasks import callbacks
from tasks.callbacks import Rejected

log = logging.getLogger(__name__)

MOST_BODY_BYTES = 256 * 2**10
RETRY_AFTER_SECONDS = 5


@csrf_exempt
@login_not_required
@require_POST
def attempt_callback(request: HttpRequest, attempt: UUID) -> JsonResponse:
    """An event of an attempt. 200 with the outcome in a word, given only once it is durable."""
    try:
        return _answer(request, attempt)
    except callbacks.AWAY as error:
        log.warning(
            "A callback of attempt %s could not be stored (%s); its sender will try again.",
            attempt,
            type(error).__name__,
        )
        return _refusal(
            503, "The database is away for the moment. Send this message again later, with the same id."
        )


def _answer(request: HttpRequest, attempt: UUID) -> JsonResponse:
    try:
        message = callbacks.authenticate(attempt, request.headers, _body(request))
        return JsonResponse({"outcome": callbacks.receive(message)})
    except Rejected as rejected:
        callbacks.refusals.count(rejected.reason, attempt)
        return _refusal(rejected.status, rejected.message)
    finally:
        callbacks.refusals.write_due()


def _body(request: HttpRequest) -> bytes:
    """The raw body, which is what is signed. Raises Rejected (413) without reading what is too large."""
    too_large = Rejected(
        413,
        "too_large",
        f"A message has at most {MOST_BODY_BYTES} bytes; send a larger result by result_uri.",
    )
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > MOST_BODY_BYTES:
        raise too_large
    body = request.read(MOST_BODY_BYTES + 1)
    if len(body) > MOST_BODY_BYTES:
        raise too_large
    return body


def _refusal(status: int, sentence: str) -> JsonResponse:
    headers: dict[str, Any] = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status == 503 else {}
    return JsonResponse({"error": sentence}, status=status, headers=headers)
