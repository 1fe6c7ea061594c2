"""A server on this machine that speaks OpenAI's chat completions, strictly: what the protocol does not know is refused, and its answers are scripted.

It is our reading of the protocol, to be driven through the real openai package only.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-of-tests-only"
MODEL = "reader-1"
MEMBERS = {"model", "messages", "response_format", "max_tokens", "max_completion_tokens", "temperature"}
FORMATS = {"json_schema", "json_object", "text"}


class Refused(Exception):
    """An error in OpenAI's form."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        headers: dict[str, str] | None = None,
    ):
        super().__init__(message)
        self.status, self.headers = status, headers or {}
        self.body = {
            "error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}
        }


@dataclass(slots=True)
class Asked:
    """A request that was let in. `at` is the monotonic time of its arrival."""

    model: str
    messages: list[dict[str, Any]]
    body: dict[str, Any]
    key: str | None
    at: float

    @property
    def system(self) -> str:
        return str(self.messages[0]["content"])

    @property
    def text(self) -> str:
        """The text of the user's message."""
        content = self.messages[1]["content"]
        return content if isinstance(content, str) else content[0]["text"]

    @property
    def pictures(self) -> list[str]:
        content = self.messages[1]["content"]
        return (
            []
            if isinstance(content, str)
            else [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
        )

    @property
    def pages(self) -> list[int]:
        """The pages of the document that were sent, as our prompt marks them."""
        return [
            int(line[6:-1])
            for line in self.text.splitlines()
            if line.startswith("[page ") and line.endswith("]")
        ]


@dataclass(slots=True)
class Reply:
    """One scripted answer. `usage` None: the server tells none."""

    content: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    usage: dict[str, Any] | None = field(default_factory=lambda: usage(1000, 100))
    seconds: float = 0.0
    raw: bytes | None = None
    breaks: bool = False
    """The connection is closed instead."""


def usage(prompt: int, completion: int, cached: int = 0, reasoning: int = 0) -> dict[str, Any]:
    """As the protocol counts: cached tokens are part of the prompt, reasoning tokens of the completion."""
    return {
        "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached}, "completion_tokens_details": {"reasoning_tokens": reasoning},
    }  # fmt: skip


def answer(values: dict[str, Any], **members: Any) -> Reply:
    return Reply(json.dumps(values), **members)


def limited(retry_after: str | None = None, *, code: str = "rate_limit_exceeded", **headers: str) -> Refused:
    """429. `retry_after` as it stands in the header."""
    told = {
        **({"Retry-After": retry_after} if retry_after is not None else {}),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return Refused(429, "Too many requests.", code=code, headers=told)


def http_date(seconds_from_now: float) -> str:
    return formatdate(time.time() + seconds_from_now, usegmt=True)


Script = Callable[[Asked], Reply | Refused]


@dataclass(slots=True)
class ModelServer:
    """`script` decides every answer. The rest says what this server and its models can do."""

    script: Script
    models: set[str] = field(default_factory=lambda: {MODEL})
    key: str | None = KEY
    formats: set[str] = field(default_factory=lambda: set(FORMATS))
    limit: str = "max_tokens"
    most: int = 1_000_000
    """Tokens of an answer that a model can give."""
    temperature: bool = True
    pictures: bool = True
    asked: list[Asked] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    _http: ThreadingHTTPServer | None = None
    _stopped: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> ModelServer:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server._serve(self)

            def log_message(self, *_: object) -> None: ...

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._http is not None
        self._stopped.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        data = handler.rfile.read(int(handler.headers["Content-Length"]))
        try:
            if handler.path != "/v1/chat/completions":
                raise Refused(404, f"There is no {handler.path}.", code="not_found")
            asked = self._checked(json.loads(data), handler.headers["Authorization"])
            self.asked.append(asked)
            said = self.script(asked)
            if isinstance(said, Refused):
                raise said
        except Refused as refused:
            self.refused.append(str(refused))
            self._send(handler, refused.status, json.dumps(refused.body).encode(), refused.headers)
            return
        if said.breaks:
            handler.close_connection = True
            return
        if said.seconds:
            self._stopped.wait(said.seconds)
        self._send(
            handler,
            200,
            said.raw if said.raw is not None else json.dumps(completion(asked, said)).encode(),
            {},
        )

    def _send(
        self, handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str]
    ) -> None:
        try:
            handler.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                **headers,
            }.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(body)
        except OSError:
            pass  # the client has gone, as one that waits no longer does

    def _checked(self, body: Any, authorization: str | None) -> Asked:
        key = authorization.removeprefix("Bearer ") if authorization else None
        if key != self.key:
            raise Refused(401, "Incorrect API key provided.", code="invalid_api_key")
        if unknown := set(body) - MEMBERS:
            raise Refused(400, f"Unknown parameter: {sorted(unknown)[0]}.", code="unknown_parameter")
        if body.get("model") not in self.models:
            raise Refused(404, "The model does not exist.", code="model_not_found")
        self._check_abilities(body)
        check_messages(body.get("messages"), self.pictures)
        return Asked(body["model"], body["messages"], body, key, time.monotonic())

    def _check_abilities(self, body: dict[str, Any]) -> None:
        wrong = {"max_tokens", "max_completion_tokens"} - {self.limit}
        for name in wrong & set(body):
            raise Refused(
                400,
                f"Unsupported parameter: '{name}'. Use '{self.limit}' instead.",
                code="unsupported_parameter",
                param=name,
            )
        if not isinstance(body.get(self.limit), int) or body[self.limit] < 1:
            raise Refused(400, f"{self.limit} has to be a positive integer.", param=self.limit)
        if body[self.limit] > self.most:
            message = f"{self.limit} is too large: {body[self.limit]}. This model supports at most {self.most} completion tokens."
            raise Refused(400, message, code="invalid_value", param=self.limit)
        if "temperature" in body and not self.temperature:
            raise Refused(
                400, "Unsupported value: 'temperature'.", code="unsupported_value", param="temperature"
            )
        bound = body.get("response_format", {"type": "text"})
        if bound.get("type") not in self.formats:
            raise Refused(
                400, f"response_format of type {bound.get('type')} is not supported.", param="response_format"
            )
        if bound["type"] == "json_schema":
            check_schema(bound["json_schema"])


def completion(asked: Asked, said: Reply) -> dict[str, Any]:
    message = {"role": "assistant", "content": said.content, "refusal": said.refusal}
    made = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_760_000_000, "model": f"{asked.model}-2026-01-01",
        "choices": [{"index": 0, "message": message, "finish_reason": said.finish, "logprobs": None}],
    }  # fmt: skip
    return made if said.usage is None else {**made, "usage": said.usage}


def check_messages(messages: Any, pictures: bool) -> None:
    if not isinstance(messages, list) or [message.get("role") for message in messages] != ["system", "user"]:
        raise Refused(400, "messages has to be a list of one system and one user message.", param="messages")
    for message in messages:
        if set(message) != {"role", "content"}:
            raise Refused(400, "A message has a role and a content.", param="messages")
    content = messages[1]["content"]
    for part in content if isinstance(content, list) else []:
        if part.get("type") == "image_url":
            if not pictures:
                raise Refused(400, "This model does not support image input.", param="messages")
            if not part["image_url"]["url"].startswith("data:image/jpeg;base64,") or set(
                part["image_url"]
            ) - {"url", "detail"}:
                raise Refused(400, "Invalid image.", param="messages")
        elif set(part) != {"type", "text"}:
            raise Refused(400, "Invalid part of a message.", param="messages")


def check_schema(said: dict[str, Any]) -> None:
    """Strict structured outputs: every object is closed and every member of it required."""
    if set(said) != {"name", "strict", "schema"} or said["strict"] is not True:
        raise Refused(400, "json_schema needs a name, a schema and strict.", param="response_format")

    def look(schema: dict[str, Any]) -> None:
        if schema.get("type") == "object":
            closed = schema.get("additionalProperties") is False and schema.get("required") == list(
                schema["properties"]
            )
            if not closed:
                raise Refused(
                    400,
                    "Invalid schema for response_format: objects have to be closed.",
                    param="response_format",
                )
            for member in schema["properties"].values():
                look(member)
        if schema.get("type") == "array":
            look(schema["items"])

    look(said["schema"])
