"""Lakebase of the local workspace: logins for a real Postgres, branches, snapshots, roles and secrets."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.fakes.databricks import CLIENT_ID, Answer, Refused, Request, Route

if TYPE_CHECKING:
    from tests.fakes.databricks import Workspace

PROJECT = "projects/agentaudit"
PRODUCTION = f"{PROJECT}/branches/production"
ENDPOINT = f"{PRODUCTION}/endpoints/primary"
INSTANCE = "agentaudit-db"


class Lakebase:
    """`host` is where the database is; `login` gives the password of this moment, which is the token."""

    def __init__(
        self, workspace: Workspace, *, host: str = "127.0.0.1", login: Callable[[], str] = str
    ) -> None:
        self.host, self.login, self.token_seconds = host, login, 3600
        self.make_role: Callable[[str], None] = lambda name: None
        self.minted = 0
        self.native: dict[str, str] = {}
        """Native roles → the passwords that Lakebase tells; a role that is not here is not told."""
        self.secrets: dict[str, str] = {}
        self.roles: dict[str, Any] = {}
        self.branches: dict[str, Any] = {PRODUCTION: {"name": PRODUCTION, "status": {"branch_id": "production", "default": True, "current_state": "READY"}}}  # fmt: skip
        self.snapshots: dict[str, Any] = {}
        self._operations: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        parent = r"/api/2\.0/postgres/(?P<parent>projects/[^/]+)"
        branch = r"/api/2\.0/postgres/(?P<name>projects/[^/]+/branches/[^/]+)"
        snapshot = r"/api/2\.0/postgres/(?P<name>projects/[^/]+/snapshots/[^/]+)"
        pages = frozenset({"page_size", "page_token", "show_deleted"})
        workspace.add(
            [
                Route("POST", r"/api/2\.0/postgres/credentials", self._mint),
                Route("GET", rf"{branch}/endpoints/(?P<endpoint>[^/]+)", self._endpoint),
                Route("POST", r"/api/2\.0/database/credentials", self._mint_provisioned),
                Route("GET", r"/api/2\.0/database/instances/(?P<name>[^/]+)", self._instance),
                Route("GET", r"/api/2\.0/secrets/get", self._secret, frozenset({"scope", "key"})),
                Route("GET", f"{branch}/roles", self._list_roles, pages),
                Route("POST", f"{branch}/roles", self._create_role, frozenset({"role_id"})),
                Route("POST", f"{branch}/roles/(?P<role>[^/]+)/password", self._reveal),
                Route("GET", f"{parent}/branches", self._list_branches, pages),
                Route("POST", f"{parent}/branches", self._create_branch, frozenset({"branch_id"})),
                Route("GET", branch, self._get_branch),
                Route("DELETE", branch, self._delete_branch, frozenset({"purge"})),
                Route("GET", f"{parent}/snapshots", self._list_snapshots, pages),
                Route("POST", f"{parent}/snapshots", self._create_snapshot, frozenset({"snapshot_id"})),
                Route("GET", snapshot, self._get_snapshot),
                Route("DELETE", snapshot, self._delete_snapshot),
                Route("GET", r"/api/2\.0/postgres/(?P<name>.+/operations/[^/]+)", self._operation),
            ]
        )

    # Logins

    def _mint(self, request: Request) -> Answer:
        from databricks.sdk.service.postgres import DatabaseCredential

        body = request.json({"endpoint"})
        if (body.get("endpoint") or "").partition("/endpoints/")[0] not in self.branches:
            raise Refused(404, "NOT_FOUND", f"The endpoint {body.get('endpoint')} does not exist.")
        self.minted += 1
        end = {"expire_time": stamp(timedelta(seconds=self.token_seconds)), "token": self.login()}
        return Answer(DatabaseCredential.from_dict(end).as_dict())

    def _mint_provisioned(self, request: Request) -> Answer:
        from databricks.sdk.service.database import DatabaseCredential

        body = request.json({"instance_names", "request_id"})
        if body.get("instance_names") != [INSTANCE]:
            raise Refused(404, "NOT_FOUND", f"No instance among {body.get('instance_names')} exists.")
        self.minted += 1
        end = stamp(timedelta(seconds=self.token_seconds))
        return Answer(DatabaseCredential(expiration_time=end, token=self.login()).as_dict())

    def _endpoint(self, request: Request) -> Answer:
        from databricks.sdk.service.postgres import Endpoint, EndpointHosts, EndpointStatus

        name = f"{request.groups['name']}/endpoints/{request.groups['endpoint']}"
        if request.groups["name"] not in self.branches:
            raise Refused(404, "NOT_FOUND", f"The endpoint {name} does not exist.")
        status = EndpointStatus(hosts=EndpointHosts(host=self.host))
        return Answer(Endpoint(name=name, status=status).as_dict())

    def _instance(self, request: Request) -> Answer:
        from databricks.sdk.service.database import DatabaseInstance

        if request.groups["name"] != INSTANCE:
            raise Refused(404, "NOT_FOUND", f"The instance {request.groups['name']} does not exist.")
        return Answer(DatabaseInstance(name=INSTANCE, read_write_dns=self.host).as_dict())

    def _secret(self, request: Request) -> Answer:
        from databricks.sdk.service.workspace import GetSecretResponse

        name = f"{request.query['scope']}/{request.query['key']}"
        if name not in self.secrets:
            raise Refused(404, "RESOURCE_DOES_NOT_EXIST", f"Secret {name} does not exist.")
        value = base64.b64encode(self.secrets[name].encode()).decode()
        return Answer(GetSecretResponse(key=request.query["key"], value=value).as_dict())

    # Roles

    def _list_roles(self, _: Request) -> Answer:
        native = [
            {"name": f"{PRODUCTION}/roles/id-{name}", "status": {"postgres_role": name}}
            for name in self.native
        ]
        return Answer({"roles": [*self.roles.values(), *native]})

    def _create_role(self, request: Request) -> Answer:
        from databricks.sdk.service.postgres import Role

        role = request.like(Role)
        known = [made["spec"]["postgres_role"] for made in self.roles.values()]
        if role.spec.postgres_role in known:
            raise Refused(409, "ALREADY_EXISTS", f"The role {role.spec.postgres_role} exists.")
        name = f"{request.groups['name']}/roles/{request.query.get('role_id') or role.spec.postgres_role}"
        self.roles[name] = {"name": name, "spec": role.as_dict()["spec"], "status": {"postgres_role": role.spec.postgres_role}}  # fmt: skip
        self.make_role(role.spec.postgres_role)
        return self._begin(request.groups["name"], self.roles[name])

    def _reveal(self, request: Request) -> Answer:
        from databricks.sdk.service.postgres import RevealRolePasswordResponse

        request.json(())
        password = self.native.get(request.groups["role"].removeprefix("id-"))
        if password is None:
            raise Refused(403, "PERMISSION_DENIED", "The password of this role is not yours to see.")
        return Answer(RevealRolePasswordResponse(password=password).as_dict())

    # Branches and snapshots

    def _list_branches(self, _: Request) -> Answer:
        return Answer({"branches": list(self.branches.values())})

    def _get_branch(self, request: Request) -> Answer:
        return Answer(self._known(self.branches, request))

    def _create_branch(self, request: Request) -> Answer:
        from databricks.sdk.service.postgres import Branch

        branch, name = (
            request.like(Branch),
            f"{request.groups['parent']}/branches/{request.query['branch_id']}",
        )
        ends = [branch.spec.ttl, branch.spec.expire_time, branch.spec.no_expiry]
        if sum(end is not None for end in ends) != 1:
            raise Refused(400, "INVALID_PARAMETER_VALUE", "Exactly one of ttl, expire_time, no_expiry.")
        if branch.spec.source_snapshot and branch.spec.source_snapshot not in self.snapshots:
            raise Refused(404, "NOT_FOUND", f"The snapshot {branch.spec.source_snapshot} does not exist.")
        if name in self.branches:
            raise Refused(409, "ALREADY_EXISTS", f"The branch {name} exists.")
        spec = branch.as_dict()["spec"]
        status = {"branch_id": request.query["branch_id"], "current_state": "READY"}
        if branch.spec.ttl is not None:
            status["expire_time"] = stamp(branch.spec.ttl.ToTimedelta())
        self.branches[name] = {"name": name, "spec": spec, "status": status}
        return self._begin(name, self.branches[name])

    def _delete_branch(self, request: Request) -> Answer:
        found = self._known(self.branches, request)
        if found["status"].get("default"):
            raise Refused(400, "BAD_REQUEST", "The default branch cannot be deleted.")
        del self.branches[request.groups["name"]]
        return self._begin(request.groups["name"], None)

    def _list_snapshots(self, _: Request) -> Answer:
        return Answer({"snapshots": list(self.snapshots.values())})

    def _get_snapshot(self, request: Request) -> Answer:
        return Answer(self._known(self.snapshots, request))

    def _create_snapshot(self, request: Request) -> Answer:
        from databricks.sdk.service.postgres import Snapshot

        snapshot = request.like(Snapshot)
        name = f"{request.groups['parent']}/snapshots/{request.query['snapshot_id']}"
        if snapshot.spec.source_branch not in self.branches:
            raise Refused(404, "NOT_FOUND", f"The branch {snapshot.spec.source_branch} does not exist.")
        self.snapshots[name] = {"name": name, "create_time": stamp(timedelta()), "spec": snapshot.as_dict()["spec"],
                                "status": {"source_branch": snapshot.spec.source_branch}}  # fmt: skip
        return self._begin(name, self.snapshots[name])

    def _delete_snapshot(self, request: Request) -> Answer:
        del self.snapshots[self._known(self.snapshots, request)["name"]]
        return self._begin(request.groups["name"], None)

    def _known(self, kept: dict[str, Any], request: Request) -> dict[str, Any]:
        if request.groups["name"] not in kept:
            raise Refused(404, "NOT_FOUND", f"{request.groups['name']} does not exist.")
        return kept[request.groups["name"]]

    # Operations that take their time: done when asked for the second time

    def _begin(self, about: str, response: dict[str, Any] | None) -> Answer:
        name = f"{about}/operations/op{len(self._operations) + 1}"
        self._operations[name] = {"name": name, "asked": 0, "response": response or {}}
        return Answer({"name": name, "done": False})

    def _operation(self, request: Request) -> Answer:
        with self._lock:
            kept = self._known(self._operations, request)
            kept["asked"] += 1
        if kept["asked"] < 2:
            return Answer({"name": kept["name"], "done": False})
        return Answer({"name": kept["name"], "done": True, "response": kept["response"]})


def stamp(later: timedelta) -> str:
    """A time from now on, as the API writes it."""
    return (datetime.now(UTC) + later).strftime("%Y-%m-%dT%H:%M:%SZ")


class RotatingPassword:
    """A real role whose password `change` sets anew every `seconds`; the old one is refused from then on."""

    def __init__(self, change: Callable[[str], None], seconds: float) -> None:
        self._change, self._seconds, self._ending = change, seconds, threading.Event()
        self._changing = threading.Lock()
        self._password, self.changes = "", 0

    def now(self) -> str:
        with self._changing:
            return self._password

    def __enter__(self) -> RotatingPassword:
        self._rotate()
        self._thread = threading.Thread(target=self._run, name="rotating", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ending.wait(self._seconds):
            self._rotate()

    def _rotate(self) -> None:
        with self._changing:
            self._password, self.changes = f"token-{time.monotonic_ns()}", self.changes + 1
            self._change(self._password)


ROLE = CLIENT_ID
"""The role that belongs to the identity that the SDK logs in as."""
