"""Attempts that wait for an answer, and an agent's hand to answer with."""

from __future__ import annotations

import itertools
import json
import urllib.error
import urllib.request
from decimal import Decimal
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection
from django.db.models import Sum

from agentaudit.postgres.base import connection_kwargs
from tasks import claims, operations, queue
from tasks.agent import signatures
from tasks.agent.contract import Limits, Order
from tasks.audit import Actor
from tasks.clock import database_seconds
from tasks.models import Spent
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


# Against a running server


def order_for(row: Any, url: str, *, outcome: str = "", wall_seconds: int = 60, **settings: Any) -> Order:
    """The order of a claimed attempt (a row of `claim_take`) whose run is told to call `url`."""
    return Order(
        attempt=row.attempt_id, task=row.task_id, number=row.number, generation=row.generation,
        program="tests.callback_programs:reads_three_pages", settings=settings, document="/nowhere.pdf", document_sha256="0" * 64, outcome=outcome,
        callback_url=f"{url}/webhooks/attempts/{row.attempt_id}/", callback_secret=callback_secrets(row.attempt_id)[0],
        limits=Limits(wall_seconds=wall_seconds),
    )  # fmt: skip


def environment() -> dict[str, str]:
    """Variables with which a process of its own works on the database, the storage and the secrets of the running test."""
    kwargs = connection_kwargs(connection.settings_dict)
    user, password = quote(kwargs.get("user", "")), quote(kwargs.get("password", "") or "")
    place = f"{kwargs.get('host', '')}:{kwargs.get('port', 5432)}"
    query = ""
    if str(kwargs.get("host", "")).startswith("/"):  # a folder of sockets
        place, query = f":{kwargs['port']}", f"?host={quote(kwargs['host'], safe='')}"
    return {
        "DATABASE_URL": f"postgres://{user}:{password}@{place}/{kwargs['dbname']}{query}",
        "STORAGE_URL": settings.STORAGE_URL,
        "WEBHOOK_SECRETS": ",".join(settings.WEBHOOK_SECRETS),
        "SECRET_KEY": settings.SECRET_KEY,
    }


def send_raw(
    url: str, headers: dict[str, str], body: bytes, seconds: float = 30.0
) -> tuple[int, dict[str, Any], Any]:
    """POST with nothing in between; status, JSON and headers of the answer."""
    request = urllib.request.Request(
        url, body, {**headers, "Content-Type": "application/json"}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return answer.status, json.loads(answer.read()), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read() or b"{}"), error.headers


def money_of_agents() -> Decimal:
    """What the counters say was spent, of which claims are decided."""
    total = Spent.objects.filter(holder="agent", period="month").aggregate(usd=Sum("usd"))["usd"]
    return total or Decimal(0)
