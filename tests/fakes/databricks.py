"""A Databricks workspace on this machine: an HTTP server for exactly the requests that agentaudit makes, which refuses every other.

It is our reading of the contract, to be driven through the real databricks-sdk only. Subjects add their requests by routes
(tests/fakes/jobs.py, files.py, sql.py); logins, faults and the log of requests are here.
"""

from __future__ import annotations

import base64
import json
import random
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

CLIENT_ID, CLIENT_SECRET = "sp-client-id", "sp-secret-of-tests"
WORKSPACE_ID = "123"
LOGGED_BODY = 4096


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


@dataclass(slots=True)
class Fault:
    """What goes wrong with requests whose path holds `path`.

    kind: "lose" (applied, but the connection is closed without an answer), "drop" (closed before anything was applied),
    "cut" (half of the answer's body), "delay" (`seconds` before the answer), or a status such as "429" (nothing is applied).
    times: how often at most; share: of the requests that it fits.
    """

    kind: str
    path: str = ""
    method: str = ""
    times: float = float("inf")
    share: float = 1.0
    retry_after: str | None = None
    seconds: float = 0.0
    code: str = ""


class Workspace:
    """The server. `with Workspace(folder) as workspace:` runs it; `folder` is where files of Volumes are kept."""

    def __init__(self, folder: Path, *, token_seconds: float = 3600.0, seed: int = 7) -> None:
        from tests.fakes.files import Files
        from tests.fakes.jobs import Jobs

        self.folder, self.token_seconds = folder, token_seconds
        self.faults: list[Fault] = []
        self.log: list[dict[str, Any]] = []
        self.unexpected: list[str] = []
        """Requests that no route was found for, or that held something unknown: a fault of ours, whatever became of it."""
        self._tokens: dict[str, float] = {}
        self._routes: list[Route] = []
        self._random = random.Random(seed)
        self._lock = threading.RLock()
        self._server: ThreadingHTTPServer | None = None
        self.add(self._login_routes())
        self.files, self.jobs = Files(self), Jobs(self)

    # Life

    def __enter__(self) -> Workspace:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="workspace", daemon=True
        ).start()

    def stop(self) -> None:
        self.jobs.stop()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def host(self) -> str:
        assert self._server is not None, "the workspace has not been started"
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which the SDK finds this workspace, and nothing else of the user's."""
        return {
            "DATABRICKS_HOST": self.host,
            "DATABRICKS_CLIENT_ID": CLIENT_ID,
            "DATABRICKS_CLIENT_SECRET": CLIENT_SECRET,
            "DATABRICKS_CONFIG_FILE": str(self.folder / "none.cfg"),
        }

    def add(self, routes: Iterable[Route]) -> None:
        """Answer these requests too."""
        self._routes += routes

    # What tests do to it

    def fault(self, kind: str, path: str = "", **more: Any) -> Fault:
        """Let something go wrong from now on; remove it from `faults` to end that."""
        fault = Fault(kind, path, **more)
        with self._lock:
            self.faults.append(fault)
        return fault

    def expire_tokens(self) -> None:
        """Let every login that was made so far be refused."""
        with self._lock:
            self._tokens.clear()

    def requests(self, path: str = "", method: str = "") -> list[dict[str, Any]]:
        """The log's entries whose path holds `path`."""
        with self._lock:
            return [
                entry for entry in self.log if path in entry["path"] and entry["method"].startswith(method)
            ]

    # Answering

    def answer(self, method: str, target: str, headers: dict[str, str], data: bytes) -> tuple[Answer, str]:
        """The answer, and the fault that befalls it ("lose", "cut", "drop" or "")."""
        address = urlsplit(target)
        path, query = unquote(address.path), dict(parse_qsl(address.query, keep_blank_values=True))
        self._note(method, address.path, query, headers, data)
        fault = self._fault_for(method, path)
        try:
            if fault and fault.kind == "drop":
                return Answer(), "drop"
            if fault and fault.kind.isdigit():
                more = {"Retry-After": fault.retry_after} if fault.retry_after is not None else {}
                raise Refused(int(fault.kind), fault.code or "", "Let to happen by a test.", more)
            if fault and fault.kind == "delay":
                time.sleep(fault.seconds)
            answer = self._dispatch(method, path, query, headers, data)
        except Refused as refused:
            if refused.code in ("MALFORMED_REQUEST", "ENDPOINT_NOT_FOUND"):
                self.unexpected.append(f"{method} {path}: {refused.message}")
            body = (
                {"error_code": refused.code, "message": refused.message}
                if refused.code
                else {"message": refused.message}
            )
            answer = Answer(body, refused.status, refused.headers)
        return answer, fault.kind if fault and fault.kind in ("lose", "cut") else ""

    def _dispatch(self, method: str, path: str, query: dict, headers: dict, data: bytes) -> Answer:
        for route in self._routes:
            match = re.fullmatch(route.pattern, path) if route.method == method else None
            if match is None:
                continue
            unknown = set(query) - route.query
            if unknown:
                raise Refused(400, "MALFORMED_REQUEST", f"Unknown names in the query: {sorted(unknown)}.")
            if not route.open:
                self._check_login(headers)
            return route.handler(Request(method, path, match.groupdict(), query, headers, data))
        raise Refused(404, "ENDPOINT_NOT_FOUND", f"No request {method} {path} is known here.")

    def _fault_for(self, method: str, path: str) -> Fault | None:
        with self._lock:
            for fault in self.faults:
                fits = fault.path in path and fault.method in ("", method) and fault.times > 0
                if fits and not path.startswith("/.well-known") and self._random.random() < fault.share:
                    fault.times -= 1
                    return fault
        return None

    def _note(self, method: str, path: str, query: dict, headers: dict, data: bytes) -> None:
        told = {name: headers[name.lower()] for name in LOGGED_HEADERS if name.lower() in headers}
        body = data[:LOGGED_BODY].decode("utf-8", "replace")
        with self._lock:
            self.log.append(
                {
                    "method": method,
                    "path": path,
                    "query": query,
                    "body": body,
                    "headers": told,
                    "at": time.monotonic(),
                }
            )

    # Logging in

    def _login_routes(self) -> list[Route]:
        return [
            Route("GET", "/.well-known/databricks-config", self._discovery, open=True),
            Route("GET", "/oidc/.well-known/oauth-authorization-server", self._endpoints, open=True),
            Route("POST", "/oidc/v1/token", self._token, open=True),
            Route("GET", "/api/2.0/preview/scim/v2/Me", self._me),
        ]

    def _discovery(self, _: Request) -> Answer:
        return Answer(
            {
                "oidc_endpoint": f"{self.host}/oidc",
                "account_id": "acc",
                "workspace_id": WORKSPACE_ID,
                "cloud": "aws",
            }
        )

    def _endpoints(self, _: Request) -> Answer:
        return Answer(
            {
                "token_endpoint": f"{self.host}/oidc/v1/token",
                "authorization_endpoint": f"{self.host}/oidc/v1/authorize",
            }
        )

    def _token(self, request: Request) -> Answer:
        given = request.headers.get("authorization", "").removeprefix("Basic ")
        form = dict(parse_qsl(request.data.decode()))
        if (
            given != base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
            or form.get("grant_type") != "client_credentials"
        ):
            raise Refused(401, "invalid_client", "Client authentication failed.")
        token = secrets.token_urlsafe(16)
        with self._lock:
            self._tokens[token] = time.monotonic() + self.token_seconds
        return Answer({"access_token": token, "token_type": "Bearer", "expires_in": int(self.token_seconds)})

    def _me(self, _: Request) -> Answer:
        from databricks.sdk.service.iam import User

        return Answer(User(user_name=CLIENT_ID, display_name="tests", active=True).as_dict())

    def _check_login(self, headers: dict[str, str]) -> None:
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if self._tokens.get(token, 0.0) <= time.monotonic():
            raise Refused(401, "UNAUTHENTICATED", "The access token has expired or is not known.")


LOGGED_HEADERS = ("Accept", "Content-Type", "X-Databricks-Workspace-Id", "Authorization")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is not worth a line."""


def _handler(workspace: Workspace) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            data = self._body()
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer, mishap = workspace.answer(self.command, self.path, headers, data)
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
            """Quiet: the workspace keeps its own log."""

        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = _serve

    return Handler
