"""What is asked of a Databricks workspace about a Lakebase database: its host, a login for it. The only importer of the SDK here."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from agentaudit.postgres.credentials import Password
from agentaudit.postgres.errors import CredentialError

if TYPE_CHECKING:
    from databricks.sdk import WorkspaceClient

ANSWER_SECONDS, RETRY_SECONDS, PATIENCE_SECONDS = 10, 15, 30.0
"""Of one request, of the SDK's own retries, and of all together: the SDK asks for its own token without any limit."""
SHORTEST_SECONDS, LONGEST_SECONDS = 60.0, 3600.0
"""A token's life is an hour. This machine's clock may be wrong, so that what it says about the end is only believed within limits."""


class Directory(Protocol):
    """One kind of Lakebase: autoscaling projects or provisioned instances. Every method raises CredentialError."""

    name: str

    def host(self) -> str: ...
    def mint(self) -> Password: ...


class Workspace:
    """A client with short limits, made when first needed: making it already talks to the workspace."""

    def __init__(self) -> None:
        self._making = threading.Lock()

    def ask(self, what: str, question: Callable[[WorkspaceClient], Any]) -> Any:
        """The answer to `question`, within half a minute. Raises CredentialError, which says what was wanted and what to do."""
        answer: Future[Any] = Future()

        def asking() -> None:
            try:
                with self._making:
                    client = self._client
                answer.set_result(question(client))
            except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to who waits
                answer.set_exception(error)

        threading.Thread(target=asking, name="lakebase", daemon=True).start()
        try:
            return answer.result(PATIENCE_SECONDS)
        except TooLate:
            raise CredentialError(
                f"{what}: Databricks did not answer within {PATIENCE_SECONDS:g} s. It is asked again at the next connect."
            ) from None
        except Exception as error:
            raise CredentialError(f"{what}: {in_words(error)}") from error

    @cached_property
    def _client(self) -> WorkspaceClient:
        from databricks.sdk import WorkspaceClient
        from databricks.sdk.core import Config

        return WorkspaceClient(
            config=Config(http_timeout_seconds=ANSWER_SECONDS, retry_timeout_seconds=RETRY_SECONDS)
        )


def in_words(error: BaseException) -> str:
    """What a refusal of the workspace means and what to do. The SDK appends its configuration to some messages; that is cut off."""
    from databricks.sdk import errors

    said = str(error).partition(". Config:")[0].strip() or type(error).__name__
    if isinstance(error, errors.PermissionDenied):
        return f"Databricks says no ({said}). Attach the database to the app with CAN_CONNECT_AND_CREATE, or let its principal use the project."
    if isinstance(error, errors.NotFound):
        return f"Databricks knows nothing of that name ({said}). See LAKEBASE_ENDPOINT or LAKEBASE_INSTANCE."
    if isinstance(error, (errors.Unauthenticated, ValueError)):
        return (
            f"Databricks does not know who asks ({said}). An app is given DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET; "
            "elsewhere set them and DATABRICKS_HOST, or DATABRICKS_CONFIG_PROFILE."
        )
    return f"Databricks did not answer as it should ({said}). It is asked again at the next connect."


class Autoscaling:
    """projects/P/branches/B/endpoints/E of the Postgres API."""

    def __init__(self, workspace: Workspace, endpoint: str) -> None:
        self._workspace, self.name = workspace, endpoint

    def host(self) -> str:
        found = self._workspace.ask(
            f"The address of {self.name}", lambda w: w.postgres.get_endpoint(self.name)
        )
        hosts = found.status.hosts if found.status else None
        if hosts is None or not hosts.host:
            raise CredentialError(f"The endpoint {self.name} has no address yet: it is still being made.")
        return hosts.host

    def mint(self) -> Password:
        made = self._workspace.ask(
            f"A login for {self.name}", lambda w: w.postgres.generate_database_credential(self.name)
        )
        end = made.expire_time.ToDatetime(tzinfo=UTC) if made.expire_time else None
        return _token(made.token, end, self.name)

    def reveal(self, role: str) -> Password:
        """The password that Lakebase made for a native role."""

        def revealed(w: WorkspaceClient) -> str | None:
            branch = self.name.partition("/endpoints/")[0]
            names = [
                found.name
                for found in w.postgres.list_roles(branch)
                if found.name and role in (found.role_id, found.status and found.status.postgres_role)
            ]
            return w.postgres.reveal_role_password(names[0] if names else f"{branch}/roles/{role}").password

        return _native(self._workspace.ask(f"The password of the role {role}", revealed), "Lakebase itself")


class Provisioned:
    """An instance of the Database API, known by its name."""

    def __init__(self, workspace: Workspace, instance: str) -> None:
        self._workspace, self.name = workspace, instance

    def host(self) -> str:
        found = self._workspace.ask(
            f"The address of {self.name}", lambda w: w.database.get_database_instance(self.name)
        )
        if not found.read_write_dns:
            raise CredentialError(f"The instance {self.name} has no address yet: it is still being made.")
        return found.read_write_dns

    def mint(self) -> Password:
        from uuid import uuid4

        made = self._workspace.ask(
            f"A login for {self.name}",
            lambda w: w.database.generate_database_credential(
                instance_names=[self.name], request_id=str(uuid4())
            ),
        )
        end = datetime.fromisoformat(made.expiration_time) if made.expiration_time else None
        return _token(made.token, end, self.name)


def identity(workspace: Workspace) -> str:
    """The name of the role that belongs to whoever asks: a service principal's application id, or a person's e-mail address."""
    return workspace.ask(
        "The name to log in under", lambda w: w.config.client_id or w.current_user.me().user_name
    )


def stored_secret(workspace: Workspace, scope: str, key: str) -> Password:
    """A password kept in Databricks Secrets, which gives it back in base64."""
    found = workspace.ask(f"The secret {scope}/{key}", lambda w: w.secrets.get_secret(scope, key))
    try:
        text = base64.b64decode(found.value or "", validate=True).decode()
    except ValueError as error:
        raise CredentialError(f"The secret {scope}/{key} is no text in base64.") from error
    return _native(text, f"the secret {scope}/{key}")


def _token(text: str | None, end: datetime | None, name: str) -> Password:
    if not text:
        raise CredentialError(f"Databricks gave no login for {name}.")
    left = LONGEST_SECONDS if end is None else (end - datetime.now(UTC)).total_seconds()
    return Password(text, f"a token for {name}", min(max(left, SHORTEST_SECONDS), LONGEST_SECONDS))


def _native(text: str | None, origin: str) -> Password:
    if not text:
        raise CredentialError(f"The password from {origin} is empty.")
    return Password(text, origin)
