"""Whom an attempt may ask, and by what right, is in its order only where it asks a model; a key goes to its own address and no other."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from tasks.agent.contract import Endpoint, Order
from tasks.orders import order
from tasks.storage import get_storage

KEY = "sk-canary-of-this-test"
OURS = "https://models.example.com/v1"


def order_of(executor: str = "local", model: str = "reader-1", **options: Any) -> Order:
    row = SimpleNamespace(
        attempt_id=uuid4(), task_id=12, number=2, generation=3, agent_version_id=7, program="llm", model=model, options=json.dumps(options),
        storage_name="documents/ab/x.pdf", sha256="", original_name="x.pdf", sealed_password="", memory_mib=512, timeout_seconds=60, executor=executor,
    )  # fmt: skip
    return order(row, get_storage(), 100)


@pytest.fixture(autouse=True)
def configured(settings: Any, tmp_path: Path) -> Path:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY, settings.MODEL_KEYS_DIR = OURS, KEY, str(tmp_path)
    return tmp_path


def test_an_attempt_that_asks_no_model_gets_no_key_and_keeps_nothing() -> None:
    made = order_of(model="")
    assert (made.endpoint, made.kept) == (Endpoint(), "") and KEY not in made.model_dump_json()


def test_pages_that_databricks_reads_are_kept_without_a_key() -> None:
    made = order_of(model="", ocr_engine="databricks")
    assert "kept/12-3-7" in made.kept and made.endpoint == Endpoint() and KEY not in made.model_dump_json()


def test_the_key_is_for_the_configured_address_alone() -> None:
    assert order_of().endpoint == Endpoint(base_url=OURS, key=KEY)
    assert order_of(endpoint=f"{OURS}/special").endpoint.key == KEY
    for other in (
        "https://evil.example.com/v1",
        "http://models.example.com/v1",
        "https://models.example.com:8443/v1",
        "https://models.example.com@evil.example",
    ):
        assert order_of(endpoint=other).endpoint == Endpoint(base_url=other)


def test_other_addresses_have_keys_in_files_named_as_their_hosts(configured: Path) -> None:
    (configured / "other.example.com").write_text("k")
    (configured / "models.example.com").write_text("k")
    assert order_of(endpoint="https://other.example.com/v1").endpoint.key_file == str(
        configured / "other.example.com"
    )
    assert order_of().endpoint.key_file == str(configured / "models.example.com")
    assert len(order_of(endpoint="https://x/" + "a" * 1000).endpoint.base_url) == 500
    for odd in (
        "https://../v1",
        "https://nothing.example.com",
        "no address",
        "https://%2e%2e/x",
        "https://[x",
    ):
        assert order_of(endpoint=odd).endpoint.key_file == ""


def test_a_remote_attempt_gets_the_address_and_no_key(configured: Path) -> None:
    (configured / "models.example.com").write_text("k")
    assert order_of(executor="databricks").endpoint == Endpoint(base_url=OURS)


def test_the_model_of_the_version_is_among_the_settings() -> None:
    made = order_of(model="reader-2", vision="never")
    assert made.settings == {"vision": "never", "model": "reader-2"}
    assert made.kept.endswith("/kept/12-3-7") and Path(made.kept).parent.is_dir()


def test_no_key_is_shown_where_an_order_is() -> None:
    assert KEY not in repr(order_of()) and KEY not in str(order_of())
