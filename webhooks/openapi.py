"""The callback interface in OpenAPI 3.1, generated from the contract itself, for people who write agents in other languages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tasks.agent import signatures
from tasks.agent.contract import EVENTS, VERSION
from tasks.outcomes import Word

_ANSWERS = {
    "200": "Taken, and durable. `outcome` says what became of it.",
    "401": "The signature, the id or the time is not right. Nothing was read.",
    "404": "There is no such attempt.",
    "409": "The message id was used for another body before.",
    "413": "The body is larger than 256 KiB. Send a large result by `result_uri`.",
    "422": "The body does not follow the schema; the sentence names the member.",
    "503": "The database is away. Send the same message again after `Retry-After` seconds.",
}


@login_not_required
@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """The document. It holds nothing of this installation but its address."""
    return JsonResponse(document())


@login_not_required
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The same for people."""
    schemas = document()["components"]["schemas"]
    events = [
        {"type": _type(schema), "about": schema.get("description", ""), "members": list(_members(schema))}
        for schema in schemas.values()
        if "attempt" in schema.get("properties", ())
    ]
    words = [str(word) for word in Word]
    return render(
        request,
        "webhooks/callbacks.html",
        {"events": events, "answers": _ANSWERS, "words": words, "headers": _HEADERS},
    )


def _type(schema: dict[str, Any]) -> str:
    return schema["properties"]["type"]["const"]


def _members(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Name, kind and whether it has to be there, of each member but those that all events have."""
    for name, member in schema["properties"].items():
        if name not in ("version", "type", "attempt"):
            yield {"name": name, "kind": _kind(member), "needed": name in schema.get("required", ())}


def _kind(member: dict[str, Any]) -> str:
    if "anyOf" in member:
        return " | ".join(map(_kind, member["anyOf"]))
    kind = member.get("type") or member["$ref"].rpartition("/")[2]
    longest = f", at most {member['maxLength']} characters" if "maxLength" in member else ""
    return f"{kind}{longest}"


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    events = EVENTS.json_schema(ref_template="#/components/schemas/{model}")
    schemas = events.pop("$defs")
    return {
        "openapi": "3.1.0",
        "info": {"title": "agentaudit callbacks", "version": str(VERSION), "description": _DESCRIPTION},
        "servers": [{"url": settings.PUBLIC_URL}],
        "paths": {
            "/webhooks/attempts/{attempt}/": {
                "parameters": [
                    {
                        "name": "attempt",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string", "format": "uuid"},
                    },
                    *(_header(name, pattern) for name, pattern in _HEADERS.items()),
                ],
                "post": {
                    "operationId": "sendEvent",
                    "summary": "An event of an attempt",
                    "requestBody": {"required": True, "content": {"application/json": {"schema": events}}},
                    "responses": {status: _answer(status, text) for status, text in _ANSWERS.items()},
                },
            }
        },
        "components": {
            "schemas": {
                **schemas,
                "Outcome": _object("outcome", {"enum": [str(word) for word in Word]}),
                "Refusal": _object("error", {"type": "string"}),
            }
        },
    }


_HEADERS = {
    signatures.ID: "^[A-Za-z0-9_-]{1,100}$",
    signatures.TIMESTAMP: "^[0-9]{1,12}$",
    signatures.SIGNATURE: "^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$",
}
_DESCRIPTION = (
    "An attempt tells how it goes by signed messages after the Standard Webhooks specification. Repeat a message with the same "
    "webhook-id until it is answered with 200 or with a 4xx; order and repetition never matter."
)


def _header(name: str, pattern: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": True, "schema": {"type": "string", "pattern": pattern}}


def _object(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": [name], "properties": {name: schema}, "additionalProperties": False}


def _answer(status: str, text: str) -> dict[str, Any]:
    answer = {
        "description": text,
        "content": {
            "application/json": {
                "schema": {"$ref": f"#/components/schemas/{'Outcome' if status == '200' else 'Refusal'}"}
            }
        },
    }
    if status == "503":
        answer["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
    return answer
