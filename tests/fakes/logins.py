"""Logging in at the local workspace: what the SDK asks before anything else, and tokens that run out."""

from __future__ import annotations

import base64
import secrets
import threading
import time
from collections.abc import Callable
from urllib.parse import parse_qsl

from tests.fakes.http import Answer, Refused, Request, Route

CLIENT_ID, CLIENT_SECRET = "sp-client-id", "sp-secret-of-tests"
WORKSPACE_ID = "123"


class Logins:
    """One service principal. `host` is where the workspace is reached; a token is good for so many seconds."""

    def __init__(self, host: Callable[[], str], seconds: float) -> None:
        self._host, self.seconds = host, seconds
        self._tokens: dict[str, float] = {}
        self._lock = threading.Lock()

    def expire(self) -> None:
        """Let every token that was given so far be refused."""
        with self._lock:
            self._tokens.clear()

    def routes(self) -> list[Route]:
        return [
            Route("GET", "/.well-known/databricks-config", self._discovery, open=True),
            Route("GET", "/oidc/.well-known/oauth-authorization-server", self._endpoints, open=True),
            Route("POST", "/oidc/v1/token", self._token, open=True),
            Route("GET", "/api/2.0/preview/scim/v2/Me", self._me),
        ]

    def _discovery(self, _: Request) -> Answer:
        return Answer(
            {
                "oidc_endpoint": f"{self._host()}/oidc",
                "account_id": "acc",
                "workspace_id": WORKSPACE_ID,
                "cloud": "aws",
            }
        )

    def _endpoints(self, _: Request) -> Answer:
        return Answer(
            {
                "token_endpoint": f"{self._host()}/oidc/v1/token",
                "authorization_endpoint": f"{self._host()}/oidc/v1/authorize",
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
            self._tokens[token] = time.monotonic() + self.seconds
        return Answer({"access_token": token, "token_type": "Bearer", "expires_in": int(self.seconds)})

    def _me(self, _: Request) -> Answer:
        from databricks.sdk.service.iam import User

        return Answer(User(user_name=CLIENT_ID, display_name="tests", active=True).as_dict())

    def check(self, headers: dict[str, str]) -> None:
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if self._tokens.get(token, 0.0) <= time.monotonic():
            raise Refused(401, "UNAUTHENTICATED", "The access token has expired or is not known.")
