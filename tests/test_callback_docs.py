"""What is told to people who write agents elsewhere is so: the schema, the page, and the example, which is run as it stands."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from tasks.agent.contract import EVENTS
from tasks.bench.web import Web
from tasks.models import Attempt
from tasks.orders import callback_secrets
from tasks.outcomes import Word
from tests.callback_tools import claim_attempts, environment
from webhooks.openapi import document

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "callbacks.md").read_text()


def test_the_schema_in_the_docs_is_the_contracts_own() -> None:
    text = (ROOT / "docs" / "callbacks.schema.json").read_text()
    assert text == runpy.run_path(str(ROOT / "docs" / "generate.py"))["schema"](), "run: make docs"
    assert json.loads(text)["$defs"] == EVENTS.json_schema()["$defs"]


def test_the_page_names_every_event_member_and_word() -> None:
    schemas = EVENTS.json_schema()["$defs"]
    for name in ("Started", "Progress", "Completed", "Failed"):
        row = next(
            line for line in PAGE.splitlines() if f"`attempt.{name.lower()}`" in line and line.startswith("|")
        )
        members = set(schemas[name]["properties"]) - {"version", "attempt", "type"}
        assert members <= set(re.findall(r"`(\w+)`", row)), name
    assert set(re.findall(r'{"outcome": "(\w+)"}', PAGE)) == {str(word) for word in Word}


def test_the_page_and_the_openapi_name_the_same_answers() -> None:
    answers = document()["paths"]["/webhooks/attempts/{attempt}/"]["post"]["responses"]
    assert set(re.findall(r"^\| (\d{3}) \|", PAGE, re.M)) == set(answers)


def test_the_page_for_people_shows_the_same_and_needs_no_login(client) -> None:
    page = client.get("/webhooks/").content.decode()
    for expected in (
        "attempt.started",
        "attempt.completed",
        "retry_after",
        "webhook-signature",
        "already_terminal",
        "/webhooks/openapi.json",
    ):
        assert expected in page
    assert "https://" not in page, "nothing is loaded from elsewhere"


def test_the_openapi_is_json_and_tells_nothing_of_this_installation(client, settings) -> None:
    answer = client.get("/webhooks/openapi.json")
    assert answer["Content-Type"] == "application/json"
    text = answer.content.decode()
    assert answer.json()["openapi"].startswith("3.1")
    assert not any(
        secret in text for secret in (*settings.WEBHOOK_SECRETS, settings.SECRET_KEY, settings.VERSION)
    )


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("openssl")),
    reason="needs curl and openssl: apt-get install curl openssl",
)
@pytest.mark.django_db(transaction=True)
def test_the_example_with_curl_and_openssl_completes_a_task() -> None:
    (script,) = re.findall(r"```sh\n(.*?)```", PAGE, re.S)
    attempt = claim_attempts()[0].attempt_id
    with Web(workers=1, variables=environment()) as web:
        order = {
            "ATTEMPT": str(attempt),
            "CALLBACK_URL": f"{web.url}/webhooks/attempts/{attempt}/",
            "CALLBACK_SECRET": callback_secrets(attempt)[0],
        }
        said = [
            subprocess.run(
                ["sh", "-ec", script],
                env={"PATH": os.environ["PATH"], **order},
                capture_output=True,
                text=True,
                timeout=60,
            )
            for _ in range(2)
        ]
    assert [done.stdout for done in said] == ['{"outcome": "applied"}', '{"outcome": "duplicate"}'], said
    row = Attempt.objects.select_related("task").get(pk=attempt)
    assert (row.status, row.task.status, row.result["confidence"]) == ("completed", "completed", 0.9)
