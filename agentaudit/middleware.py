"""What goes around every request: a Content Security Policy on its answer, static files, signing in, pages for faults, and word that the database is needed."""

from __future__ import annotations

from collections.abc import Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest
from django.core.handlers.exception import response_for_exception
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

from dashboard import errors
from tasks import idleness

POLICY = (
    "default-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
    "form-action 'self'; base-uri 'none'; object-src 'none'"
)


class OfBothModes:
    """Middleware that is a coroutine wherever what it wraps is one, so that it costs no thread hop under ASGI."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)  # type: ignore[type-var]


class ContentSecurityPolicy(OfBothModes):
    """Nothing from elsewhere, no inline script or style."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if iscoroutinefunction(self):
            return self.answer_later(request)
        return self.mark(self.get_response(request))

    async def answer_later(self, request: HttpRequest) -> HttpResponse:
        return self.mark(await self.get_response(request))

    @staticmethod
    def mark(response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class KeepsDatabaseAwake(OfBothModes):
    """Every request needs the database, except those of machines that only ask how we are."""

    def __init__(self, get_response: Callable) -> None:
        super().__init__(get_response)
        self.machines = {reverse(name) for name in ("healthz", "readyz")}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info not in self.machines:
            idleness.needed()
        return self.get_response(request)


class SignInFirst(LoginRequiredMiddleware):
    """Who sent a form when their session was over comes back to its page: the address that takes a form cannot be opened."""

    def handle_no_permission(self, request: HttpRequest, view_func: Callable) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return super().handle_no_permission(request, view_func)
        if (
            request.headers.get("Accept") == "application/json"
        ):  # a page's script, which keeps what it has to send
            return errors.signed_out(request)
        page = request.headers.get("Referer", "")
        if not url_has_allowed_host_and_scheme(page, {request.get_host()}, request.is_secure()):
            page = reverse("home")
        return redirect_to_login(page, self.get_login_url(view_func), self.get_redirect_field_name(view_func))


class FaultPages(OfBothModes):
    """What a view raises becomes its page in the view's own thread, and so does an answer to a browser that says no without a word.

    Left to Django, an exception gets its page in another thread, where it needs a second connection while the first is still held: as
    many requests for what is not there as the pool has connections waited for each other, and every page behind them for seconds.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if iscoroutinefunction(self):
            return self.answer_later(request)
        response = self.get_response(request)
        return errors.in_words(request, response) if errors.is_wordless(request, response) else response

    async def answer_later(self, request: HttpRequest) -> HttpResponse:
        response = await self.get_response(request)
        if errors.is_wordless(request, response):
            return await sync_to_async(errors.in_words)(request, response)
        return response

    @staticmethod
    def process_exception(request: HttpRequest, exception: Exception) -> HttpResponse:
        if errors.is_no_text(exception):
            exception = BadRequest("The request holds a character that no text has.")
        return response_for_exception(request, exception)


class StaticFiles(WhiteNoiseMiddleware):
    """Answers with files whole: they are small, and under ASGI Django reads them whole all the same, with a warning for each."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        # Not by way of WhiteNoise's own answer: closing a response tells Django that the request is over, in the middle of it.
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with found.file:
                content = found.file.read()
        response = HttpResponse(content, status=int(found.status))
        del response.headers["Content-Type"]
        for name, value in found.headers:
            response.headers[name] = value
        return response
