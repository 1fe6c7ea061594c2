"""Job notifications of Databricks: believed only with the agreed name and password, and then nothing but a hint."""

from __future__ import annotations

import base64
import json
import threading

import pytest

from tasks import notify
from tasks.models import Attempt, Task
from tests.callback_tools import claim_attempts

pytestmark = pytest.mark.django_db(transaction=True)
LOGIN = "databricks:a-password-of-enough-characters"
BODY = {"event_type": "jobs.on_success", "workspace_id": 1, "run": {"run_id": 555}, "job": {"job_id": 7}}


@pytest.fixture(autouse=True)
def agreed(settings):
    settings.DATABRICKS_WEBHOOK_LOGIN = LOGIN


def post(client, body=BODY, login: str | None = LOGIN):
    headers = (
        {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"} if login is not None else {}
    )
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post("/webhooks/databricks/", content, content_type="application/json", headers=headers)


@pytest.mark.parametrize(
    "login", [None, "", ":", "databricks:wrong", "other:a-password-of-enough-characters", LOGIN + "x"]
)
def test_without_the_agreed_name_and_password_nothing_is_read(client, login) -> None:
    assert post(client, login=login).status_code == 401
    assert post(client, b"{", login=login).status_code == 401


def test_unset_it_lets_nobody_in(client, settings) -> None:
    settings.DATABRICKS_WEBHOOK_LOGIN = ""
    for login in (LOGIN, "", ":"):
        assert post(client, login=login).status_code == 401


@pytest.mark.parametrize("header", ["Basic", "Basic !!!", "Bearer x", "Basic " + "A" * 10_000])
def test_a_broken_header_is_refused(client, header: str) -> None:
    answer = client.post(
        "/webhooks/databricks/", b"{}", content_type="application/json", headers={"Authorization": header}
    )
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"[" * 60_000,
        {"run": 1},
        {"run": {"run_id": "5"}},
        {"run": {"run_id": True}},
        {"run": {"run_id": -1}},
    ],
)
def test_what_names_no_run_is_refused_with_the_member(client, body) -> None:
    answer = post(client, body)
    assert answer.status_code == 422
    assert "run_id" in answer.json()["error"]


def test_a_large_body_is_refused(client) -> None:
    assert post(client, b" " * 70_000).status_code == 413


def test_it_wakes_the_workers_and_changes_nothing(client) -> None:
    attempt = claim_attempts()[0].attempt_id
    before = (Task.objects.values().get(), Attempt.objects.values().get(pk=attempt))
    heard = threading.Event()
    listener = notify.Listener(notify.WORK, heard.set)
    listener.start()
    try:
        assert listener.probed.wait(20)
        notify.notifier().flush()
        heard.clear()
        answer = post(client, {**BODY, "run": {"run_id": 555, "status": "SUCCESS", "result": "forged"}})
        assert (answer.status_code, answer.json()) == (200, {"outcome": "noted"})
        assert heard.wait(10)
    finally:
        listener.end()
        listener.join(5)
    assert (Task.objects.values().get(), Attempt.objects.values().get(pk=attempt)) == before
