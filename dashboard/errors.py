"""Error pages of our own: what happened, what it means, what to do, and the way back. Pages of faults (5xx) ask nothing that may be the fault."""

from __future__ import annotations

import errno
import sys
from datetime import datetime
from typing import Any, TypeAlias

import psycopg
from django.contrib.auth.context_processors import PermWrapper
from django.core.exceptions import TooManyFilesSent
from django.core.handlers.asgi import ASGIRequest
from django.db import DataError, InterfaceError, OperationalError, connections
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from psycopg.errors import QueryCanceled

from dashboard import words
from tasks.storage import StorageError

Words: TypeAlias = str | Promise

STORAGE_IS_AWAY = _("The storage of the documents cannot be read at the moment. Nothing is lost.")
NOT_UNDERSTOOD = (
    _("This request cannot be understood"),
    _("Something in it is missing or malformed; nothing was changed."),
)
NOT_ALLOWED = (
    _("Not allowed"),
    _("Your role does not include this; nothing was changed."),
    _("Ask an operator if you need it."),
)
ONLY_FOR_FORMS = (
    _("Nothing to see here"),
    _("This address only takes what a button sends; nothing was changed."),
    _("Go to the page that has the button, and press it there."),
)
OUR_FAULT = (
    _("Something went wrong"),
    _("The fault is ours and has been written to the log. Try again; if it stays, tell an operator."),
)


def signed_out(request: HttpRequest) -> HttpResponse:
    return _page(
        request,
        401,
        _("Signed out"),
        _("You are signed out, so this was not done."),
        _("Sign in again in another tab, then try once more here: what is on this page is kept."),
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, TooManyFilesSent):
        return _page(
            request,
            400,
            _("Too many files"),
            words.too_many_files(),
            _("Go back: your choice is still there."),
        )
    return _page(request, 400, *NOT_UNDERSTOOD)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _page(request, 403, *NOT_ALLOWED)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _page(
        request,
        404,
        _("Nothing here"),
        _("This address leads nowhere, or to something that you may not see."),
    )


def gone(request: HttpRequest, pruned_at: datetime | None = None) -> HttpResponse:
    """For files and results of an extraction that was pruned, or of a client whose data were deleted, or are being deleted."""
    if pruned_at:
        return _page(request, 410, _("Deleted"), words.pruned(pruned_at))
    return _page(
        request,
        410,
        _("Deleted"),
        _("All data of this client were deleted, or are being deleted; this was among them."),
        _("What it cost stays in the reports."),
    )


def is_wordless(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether somebody with a browser is refused by an empty page."""
    return (
        response.status_code >= 400
        and not response.streaming
        and not response.content  # type: ignore[attr-defined]  # which only streams lack
        and "text/html" in request.headers.get("Accept", "")
    )


def in_words(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The same answer with a page that says what its status means."""
    status = response.status_code
    known = {403: NOT_ALLOWED, 405: ONLY_FOR_FORMS}
    page = _page(request, status, *known.get(status, NOT_UNDERSTOOD if status < 500 else OUR_FAULT))
    response.content = page.content  # type: ignore[attr-defined]
    response.headers["Content-Type"] = page.headers["Content-Type"]
    return response


def is_no_text(error: Exception) -> bool:
    """Whether the database was asked about a text with NUL: it can hold none, so that only who sent the request can have put it there."""
    return isinstance(error, (DataError, psycopg.DataError)) and "NUL" in str(error)


def failed(request: HttpRequest) -> HttpResponse:
    """What broke decides what is said: a database that is away and a full disk are no riddles."""
    error = sys.exc_info()[1]
    if isinstance(error, QueryCanceled) or isinstance(getattr(error, "__cause__", None), QueryCanceled):
        return too_long(request)
    if isinstance(error, (OperationalError, InterfaceError)):
        sentence = _(
            "The database does not answer at the moment. Nothing is lost; running work goes on when it is back."
        )
        response = _page(request, 503, _("Just a moment"), sentence, _("Try again in a few seconds."))
        response.headers["Retry-After"] = "10"
        return response
    if isinstance(error, StorageError):
        advice = _("Try again in a few seconds. If it stays, tell an operator: the log says why.")
        response = _page(request, 503, _("Just a moment"), STORAGE_IS_AWAY, advice)
        response.headers["Retry-After"] = "10"
        return response
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        sentence = _("The disk is full, so nothing was taken.")
        return _page(request, 507, _("No room left"), sentence, _("Make room on the server, then try again."))
    return _page(request, 500, *OUR_FAULT)


def too_long(request: HttpRequest) -> HttpResponse:
    """For what was stopped because it took longer than a request may. Whether something was changed, only a look can tell."""
    if request.method in ("GET", "HEAD"):
        sentence = _("This took longer than a page may take and was stopped. Nothing was changed.")
        advice = _(
            "Ask for less: a shorter time, one client or one agent. If that is slow too, tell an operator."
        )
    else:
        sentence = _("This took longer than a page may take. It may have been done, in part or as a whole.")
        advice = _("Look at what it was about before you do it again.")
    response = _page(request, 503, _("This takes too long"), sentence, advice)
    response.headers["Retry-After"] = "60"
    return response


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    sentence = _("The page that sent this was too old, or its cookie was blocked; nothing was changed.")
    return _page(
        request, 403, _("Please try again"), sentence, _("Go back, reload the page and send it once more.")
    )


def _page(
    request: HttpRequest, status: int, title: Words, sentence: Words, what_to_do: Words = ""
) -> HttpResponse:
    if request.headers.get("Accept") == "application/json":
        message = f"{sentence} {what_to_do}".strip()
        return JsonResponse({"errors": {"__all__": [{"message": message}]}}, status=status)
    context = {"status": status, "title": title, "sentence": sentence, "what_to_do": what_to_do}
    if status >= 500:
        return HttpResponse(render_to_string("error.html", context | _known(request)), status=status)
    try:
        return HttpResponse(render_to_string("error.html", context, request), status=status)
    finally:
        if isinstance(request, ASGIRequest):  # in a thread of its own, at whose end nobody does this
            connections.close_all()


def _known(request: HttpRequest) -> dict[str, Any]:
    """What the head of a page needs, as far as it was asked before the fault; neither session nor database is asked now."""
    user = getattr(request, "_cached_user", None)
    known: dict[str, Any] = {"user": user, "csrf_token": get_token(request)}
    if user and (user.is_superuser or hasattr(user, "_perm_cache")):
        known["perms"] = PermWrapper(user)
    return known
