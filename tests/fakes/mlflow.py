"""The MLflow of a workspace: one request to find an experiment, one to begin a trace, and its spans as a file behind a signed address."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.fakes.databricks import Answer, Refused, Request, Route, Workspace

NUMBER = "77"


class Mlflow:
    """`traces`: what was begun, by id, as sent; `files`: the spans of each, as sent. `begun` counts requests, also repeated ones."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.experiments: dict[str, str] = {}
        self.traces: dict[str, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.begun = 0
        trace = r"/api/(?:2|3)\.0/mlflow/traces/(?P<id>tr-[0-9a-f]{32})"
        workspace.add([
            Route("GET", r"/api/2\.0/mlflow/experiments/get-by-name", self._experiment, frozenset({"experiment_name"})),
            Route("POST", r"/api/2\.0/mlflow/experiments/create", self._create),
            Route("POST", r"/api/3\.0/mlflow/traces", self._begin),
            Route("GET", trace, self._get, frozenset({"trace_id"})),
            Route("GET", trace + r"/credentials-for-data-(?P<what>upload|download)", self._signed, frozenset({"request_id"})),
            Route("PUT", r"/signed/(?P<id>tr-[0-9a-f]{32})", self._put, open=True),
            Route("GET", r"/signed/(?P<id>tr-[0-9a-f]{32})", self._file, open=True),
        ])  # fmt: skip

    def _experiment(self, request: Request) -> Answer:
        name = request.query["experiment_name"]
        if name not in self.experiments:
            raise Refused(404, "RESOURCE_DOES_NOT_EXIST", f"Node {name} does not exist.")
        return Answer(
            {
                "experiment": {
                    "experiment_id": self.experiments[name],
                    "name": name,
                    "lifecycle_stage": "active",
                }
            }
        )

    def _create(self, request: Request) -> Answer:
        name = request.json({"name", "artifact_location", "tags"})["name"]
        if not name.startswith("/"):
            raise Refused(
                400,
                "INVALID_PARAMETER_VALUE",
                f"Got an invalid experiment name '{name}'. An absolute path is needed.",
            )
        self.experiments[name] = NUMBER
        return Answer({"experiment_id": NUMBER})

    def _begin(self, request: Request) -> Answer:
        info = request.json({"trace"})["trace"]["trace_info"]
        if not re.fullmatch(r"tr-[0-9a-f]{32}", info["trace_id"]):
            raise Refused(400, "INVALID_PARAMETER_VALUE", "This is no id of a trace.")
        self.begun += 1
        info.setdefault("tags", {})["mlflow.artifactLocation"] = (
            f"dbfs:/databricks/mlflow-tracking/{NUMBER}/{info['trace_id']}/artifacts"
        )
        self.traces[info["trace_id"]] = info
        return Answer({"trace": {"trace_info": info}})

    def _known(self, request: Request) -> str:
        name = request.groups["id"]
        if name not in self.traces:
            raise Refused(404, "RESOURCE_DOES_NOT_EXIST", f"Trace {name} does not exist.")
        return name

    def _get(self, request: Request) -> Answer:
        return Answer({"trace": {"trace_info": self.traces[self._known(request)]}})

    def _signed(self, request: Request) -> Answer:
        uri = f"{self.workspace.host}/signed/{self._known(request)}"
        return Answer({"credential_info": {"type": "AWS_PRESIGNED_URL", "signed_uri": uri, "headers": []}})

    def _put(self, request: Request) -> Answer:
        json.loads(request.data)
        self.files[self._known(request)] = request.data
        return Answer()

    def _file(self, request: Request) -> Answer:
        return Answer(self.files[self._known(request)])
