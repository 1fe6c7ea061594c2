"""A Databricks workspace on this machine: an HTTP server for exactly the requests that agentaudit makes, which refuses every other.

It is our reading of the contract, to be driven through the real databricks-sdk only. Subjects add their requests by routes
(tests/fakes/jobs.py, files.py and others); faults and the log of requests are here.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.fakes.http import Answer, Refused, Request, Route, Server, like
from tests.fakes.logins import CLIENT_ID, CLIENT_SECRET, WORKSPACE_ID, Logins

__all__ = ["CLIENT_ID", "WORKSPACE_ID", "Answer", "Fault", "Refused", "Request", "Route", "Workspace", "like"]

LOGGED_BODY = 4096
LOGGED_HEADERS = ("Accept", "Content-Type", "X-Databricks-Workspace-Id", "Authorization")


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

        self.folder, self._logins = folder, Logins(lambda: self.host, token_seconds)
        self.faults: list[Fault] = []
        self.log: list[dict[str, Any]] = []
        self.unexpected: list[str] = []
        """Requests that no route was found for, or that held something unknown: a fault of ours, whatever became of it."""
        self._routes: list[Route] = []
        self._random = random.Random(seed)
        self._lock = threading.RLock()
        self._server: Server | None = None
        self.add(self._logins.routes())
        self.files, self.jobs = Files(self), Jobs(self)

    # Life

    def __enter__(self) -> Workspace:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._server = Server(self.answer)
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
        self._logins.expire()

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
                self._logins.check(headers)
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
