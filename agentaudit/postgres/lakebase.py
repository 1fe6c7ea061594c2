"""Where and as whom to connect to a Lakebase database, asked at each connect, and what a refusal there means."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agentaudit.postgres import workspace
from agentaudit.postgres.credentials import Credentials, Password, Source
from agentaudit.postgres.errors import CredentialError

log = logging.getLogger(__name__)

RESTART = "It is read once: when it is changed, restart every process."
NOT_THE_LOGIN = (
    "connection refused", "timeout expired", "connection timeout", "could not translate host name", "network is unreachable",
    "no route to host", "too many", "connection slots", "starting up", "shutting down", "recovery mode", "does not support ssl", "read-only",
)  # fmt: skip
"""Parts of libpq's words for failures that another password does not help against. psycopg gives no code for a failed connect."""


@dataclass(frozen=True)
class Place:
    """One Lakebase database as the settings describe it; exactly one of `endpoint` and `instance`.

    auth: "oauth" (tokens of an hour) or "native" (the password of `role`). `secret` is "scope/key". An empty host or role is asked for.
    """

    endpoint: str = ""
    instance: str = ""
    auth: str = "oauth"
    host: str = ""
    role: str = ""
    secret: str = ""
    password: str = field(default="", repr=False)


class NativePassword:
    """A native role's password: from Lakebase, else from Databricks Secrets, else from the environment."""

    def __init__(self, place: Place, asked: workspace.Workspace, directory: workspace.Directory) -> None:
        self._place, self._workspace, self._directory = place, asked, directory

    def read(self) -> Password:
        reasons = []
        for way in (self._revealed, self._from_secrets, self._from_environment):
            try:
                if found := way():
                    return found
            except CredentialError as error:
                reasons.append(str(error))
        advice = "Set LAKEBASE_SECRET=scope/key, or LAKEBASE_PASSWORD from a secret resource of the app."
        raise CredentialError(
            " ".join([f"No password for the role {self._place.role} is to be had.", *reasons, advice])
        )

    def _revealed(self) -> Password | None:
        if isinstance(self._directory, workspace.Autoscaling):
            return self._directory.reveal(self._place.role)
        return None  # the API of instances has no such call

    def _from_secrets(self) -> Password | None:
        scope, _, key = self._place.secret.partition("/")
        return workspace.stored_secret(self._workspace, scope, key) if key else None

    def _from_environment(self) -> Password | None:
        if not self._place.password:
            return None
        log.warning("The database password is that of LAKEBASE_PASSWORD. %s", RESTART)
        return Password(self._place.password, "LAKEBASE_PASSWORD")


class Tokens:
    """OAuth: a token of an hour, for whoever this process is in the workspace."""

    def __init__(self, directory: workspace.Directory) -> None:
        self._directory = directory

    def read(self) -> Password:
        return self._directory.mint()


class Access:
    """This process's way into one Lakebase database. Thread-safe."""

    def __init__(self, place: Place) -> None:
        self._place, asked = place, workspace.Workspace()
        directory: workspace.Directory = (
            workspace.Autoscaling(asked, place.endpoint)
            if place.endpoint
            else workspace.Provisioned(asked, place.instance)
        )
        native = place.auth == "native"
        source: Source = NativePassword(place, asked, directory) if native else Tokens(directory)
        self.credentials = Credentials(source)
        self._host = _Remembered(place.host, directory.host)
        self._role = _Remembered(place.role, lambda: workspace.identity(asked))

    def parameters(self) -> dict[str, Any]:
        """Host, user and password for psycopg.connect(). Raises CredentialError."""
        return {"host": self._host(), "user": self._role(), "password": self.credentials.password()}

    def refused(self, password: str, error: Exception) -> bool:
        """A connect failed. Whether trying again at once, with `parameters()` asked anew, makes sense."""
        words = str(error).lower()
        if any(part in words for part in NOT_THE_LOGIN):
            self._host.forget()  # it may have moved
            return False
        if self.credentials.refused(password):
            return True
        if self.credentials.origin == "LAKEBASE_PASSWORD":
            log.error("The database refuses the password of LAKEBASE_PASSWORD. %s", RESTART)
        return False


class _Remembered:
    """A fixed value, or one that is asked for once."""

    def __init__(self, fixed: str, ask: Callable[[], str]) -> None:
        self._fixed, self._ask, self._known = fixed, ask, fixed

    def __call__(self) -> str:
        if not self._known:
            self._known = self._ask()
        return self._known

    def forget(self) -> None:
        self._known = self._fixed


_accesses: dict[Place, Access] = {}
_one_at_a_time = threading.Lock()


def access_to(place: Place) -> Access:
    """The one of this process."""
    with _one_at_a_time:
        return _accesses.setdefault(place, Access(place))


def _begin_again_in_child() -> None:
    """After a fork, a thread that held a lock does not exist any more."""
    global _one_at_a_time
    _one_at_a_time = threading.Lock()
    _accesses.clear()


os.register_at_fork(after_in_child=_begin_again_in_child)
