"""What tests of pages and their pictures share: a task whose document is kept, and what was read from its two pages."""

from __future__ import annotations

import hashlib
import io
from typing import Any

from django.test import Client as Browser
from django.urls import reverse

from tasks.models import Client, Document, Extraction, Task
from tasks.storage import get_storage
from tests.factories import make_agent, make_client, make_completed, make_document, make_extraction

RED = "1 0 0 rg 60 400 120 40 re f\n"
"""On a page of 600 by 800 points: its middle is at 20 % of the width and 47.5 % of the height."""


def value(text: str, page: int, x0: float, *reasons: str) -> dict[str, Any]:
    box = {"x0": x0, "y0": 0.25, "x1": x0 + 0.1, "y1": 0.3}
    evidence = [{"page": page, "box": box, "quote": f"<{text}>"}]
    return {
        "value": text,
        "confidence": 0.9,
        "source": "page",
        "evidence": evidence,
        "reasons": list(reasons),
    }


def result() -> dict[str, Any]:
    nothing = {"value": None, "confidence": 0.5, "source": "page", "evidence": [], "reasons": ["Not found."]}
    fields = {
        "total": value("12.50", 2, 0.5, "It is far from its label."),
        "supplier": value("Acme & Sons", 1, 0.1),
        "due_date": nothing,
    }
    line = {"description": value("Paper", 1, 0.3), "amount": value("12.50", 1, 0.7)}
    record = {"kind": "invoice", "first_page": 1, "last_page": 2, "fields": fields, "lines": [line]}
    return {
        "schema": "invoice",
        "confidence": 0.9,
        "needs_review": True,
        "reasons": [],
        "notes": [],
        "records": [record],
    }


def made(content: bytes, **fields: Any) -> Task:
    """A completed task whose document is kept."""
    client = Client.objects.first() or make_client("Nordwind")
    extraction = Extraction.objects.first() or make_extraction(client, make_agent("reader"))
    sha256 = hashlib.sha256(content).hexdigest()
    document = make_document(client, **{"pages": 2, "sha256": sha256, **fields})
    get_storage().put(document.storage_name, io.BytesIO(content))
    return make_completed(extraction, document, result=result())


def keep(document: Document, content: bytes) -> None:
    """Store these bytes as the ones that were handed in."""
    Document.objects.filter(pk=document.pk).update(sha256=hashlib.sha256(content).hexdigest())
    get_storage().put(document.storage_name, io.BytesIO(content))


def picture(auditor: Browser, document: Document, number: int = 1, **headers: str) -> Any:
    return auditor.get(reverse("page_picture", args=(document.pk, number)), headers=headers)
