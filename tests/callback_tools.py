"""Attempts that wait for an answer, and an agent's hand to answer with."""

from __future__ import annotations

import itertools
import json
from typing import Any
from uuid import UUID, uuid4

from tasks import claims, operations, queue
from tasks.agent import signatures
from tasks.audit import Actor
from tasks.clock import database_seconds
from tasks.orders import callback_secrets
from tests.factories import make_agent, make_client, make_document

_ids = itertools.count(1)
RESULT = {"kind": "invoice", "pages": 1, "confidence": 0.9, "needs_review": False}


def claim_attempts(count: int = 1, **agent: Any) -> list[Any]:
    """Claimed attempts (rows of `claim_take`) of as many new tasks."""
    client = make_client()
    handed = [operations.Handed(make_document(client)) for _ in range(count)]
    operations.submit(Actor.system("test"), client=client, agent=make_agent(**agent), documents=handed)
    return claims.claim(queue.connection(), claims.Terms(uuid4(), 60), ["local"], count).rows


def body_of(attempt: UUID, kind: str, **members: Any) -> dict[str, Any]:
    """A valid event of that kind (started, progress, completed, failed)."""
    needed: dict[str, Any] = {
        "started": {},
        "progress": {"pages_done": 1, "pages_total": 2},
        "completed": {"result": RESULT},
        "failed": {"code": "upstream", "message": "It did not answer.", "retryable": True},
    }[kind]
    return {"type": f"attempt.{kind}", "attempt": str(attempt), **needed, **members}


def signed(
    attempt: UUID, body: bytes, *, message_id: str = "", at: float = 0.0, secret: str = ""
) -> dict[str, str]:
    """Headers as the attempt itself would send them, `at` seconds from now."""
    message_id = message_id or f"m{next(_ids)}"
    return signatures.headers(
        secret or callback_secrets(attempt)[0], message_id, round(database_seconds() + at), body
    )


def post(
    client: Any, attempt: UUID, event: Any, *, headers: dict[str, str] | None = None, **signing: Any
) -> Any:
    """Send an event (a dict, or raw bytes) to the webhook with Django's test client."""
    body = event if isinstance(event, bytes) else json.dumps(event).encode()
    headers = signed(attempt, body, **signing) if headers is None else headers
    return client.post(
        f"/webhooks/attempts/{attempt}/", body, content_type="application/json", headers=headers
    )
