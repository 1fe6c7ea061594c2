"""How the local workspace speaks HTTP: what a request and its answer are, and the server that loses or cuts answers as it is told to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Refused(Exception):
    """An answer that says no, in the form of every Databricks service."""

    def __init__(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, headers or {}


@dataclass(slots=True)
class Request:
    """One request that a route has been found for. `query` has one value per name."""

    method: str
    path: str
    groups: dict[str, str]
    query: dict[str, str]
    headers: dict[str, str]
    data: bytes

    def json(self, allowed: Iterable[str]) -> dict[str, Any]:
        """The body, a JSON object without any name but these."""
        try:
            body = json.loads(self.data or b"{}")
        except ValueError:
            raise Refused(400, "MALFORMED_REQUEST", "The body is no JSON.") from None
        unknown = set(body) - set(allowed)
        if unknown:
            raise Refused(400, "MALFORMED_REQUEST", f"Unknown fields in the body: {sorted(unknown)}.")
        return body

    def like(self, kind: Any) -> Any:
        """The body as one of the SDK's dataclasses; refused where the SDK would not write it so itself."""
        return like(kind, json.loads(self.data or b"{}"))


def like(kind: Any, body: Any) -> Any:
    """`body` as one of the SDK's dataclasses, or a refusal that names the difference."""
    made = kind.from_dict(body)
    if made.as_dict() != body:
        raise Refused(
            400, "MALFORMED_REQUEST", f"{kind.__name__} is written {made.as_dict()}, and this is {body}."
        )
    return made


@dataclass(slots=True)
class Answer:
    """`body`: a JSON object, or bytes as they are."""

    body: dict[str, Any] | bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Handler = Callable[[Request], Answer]


@dataclass(slots=True)
class Route:
    """`pattern` matches the whole path, percent-decoded. `query`: the names that may stand there. `open`: needs no login."""

    method: str
    pattern: str
    handler: Handler
    query: frozenset[str] = frozenset()
    open: bool = False


Answering = Callable[[str, str, dict[str, str], bytes], tuple[Answer, str]]
"""Method, target, headers and body → the answer, and what befalls it: "lose", "cut", "drop" or nothing."""


class Server(ThreadingHTTPServer):
    """Answers on a port of its own, each connection in a thread."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, answering: Answering) -> None:
        super().__init__(("127.0.0.1", 0), _handler(answering))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is not worth a line."""


def _handler(answering: Answering) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            data = self._body()
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer, mishap = answering(self.command, self.path, headers, data)
            if mishap in ("lose", "drop"):
                self.close_connection = True
                self.connection.close()
                return
            is_json = isinstance(answer.body, dict)
            body = json.dumps(answer.body).encode() if isinstance(answer.body, dict) else answer.body
            self.send_response(answer.status)
            for name, value in {
                "Content-Type": "application/json" if is_json else "application/octet-stream",
                **answer.headers,
            }.items():
                self.send_header(name, value)
            if "Content-Length" not in answer.headers:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body[: len(body) // 2] if mishap == "cut" else body)
            if mishap == "cut":
                self.close_connection = True

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet: who answers keeps a log."""

        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = _serve

    return Handler
