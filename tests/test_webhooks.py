"""Callbacks of attempts: believed only when signed, applied once, answered in the agreed words."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import subprocess
import sys
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.db import OperationalError
from psycopg.errors import ReadOnlySqlTransaction

from tasks import callbacks, operations, queue
from tasks.agent import signatures
from tasks.audit import Actor
from tasks.models import Attempt, Delivery, RefusedDelivery, Task
from tasks.orders import callback_secrets
from tasks.queue import inbox
from tasks.storage import get_storage
from tests.callback_tools import RESULT, body_of, claim_attempts, post, signed
from tests.factories import make_user

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def refusals_are_written_at_once(monkeypatch):
    monkeypatch.setattr(callbacks.refusals, "seconds", 0.0)


@pytest.fixture
def attempt():
    return claim_attempts()[0].attempt_id


def state(attempt) -> tuple[str, str]:
    row = Attempt.objects.select_related("task").get(pk=attempt)
    return row.task.status, row.status


def test_a_valid_result_completes_the_task(client, attempt) -> None:
    answer = post(client, attempt, body_of(attempt, "completed"))
    assert (answer.status_code, answer.json()) == (200, {"outcome": "applied"})
    assert state(attempt) == ("completed", "completed")
    assert Attempt.objects.get(pk=attempt).result["kind"] == "invoice"


def test_the_same_message_again_is_a_duplicate_and_changes_nothing(client, attempt) -> None:
    event = body_of(
        attempt, "completed", usage={"calls": 1, "model": "m", "input_tokens": 10, "output_tokens": 5}
    )
    for word in ("applied", "duplicate", "duplicate"):
        answer = post(client, attempt, event, message_id="one")
        assert answer.json() == {"outcome": word}
    assert Attempt.objects.get(pk=attempt).input_tokens == 10
    assert Delivery.objects.get().repeats == 2


def test_what_changed_nothing_is_a_duplicate_too_when_it_comes_again(client, attempt) -> None:
    operations.cancel(Actor.system("test"), [Task.objects.get().pk])
    post(client, attempt, body_of(attempt, "failed", code="cancelled", message="Stopped."))
    words = [
        post(client, attempt, body_of(attempt, "completed"), message_id="one").json()["outcome"]
        for _ in range(2)
    ]
    assert words == ["already_terminal", "duplicate"]


def test_the_same_outcome_under_a_new_id_is_a_duplicate_too(client, attempt) -> None:
    assert post(client, attempt, body_of(attempt, "completed")).json() == {"outcome": "applied"}
    assert post(client, attempt, body_of(attempt, "completed")).json() == {"outcome": "duplicate"}


def test_one_id_for_two_bodies_is_a_conflict(client, attempt) -> None:
    post(client, attempt, body_of(attempt, "failed"), message_id="one")
    answer = post(client, attempt, body_of(attempt, "completed"), message_id="one")
    assert answer.status_code == 409
    assert state(attempt)[0] == "enqueued"


@pytest.mark.parametrize(
    "age, status", [(-301, 401), (-299, 200), (-1, 200), (1, 200), (60, 200), (299, 200), (302, 401)]
)
def test_only_messages_of_this_moment_are_believed(client, attempt, age: int, status: int) -> None:
    answer = post(client, attempt, body_of(attempt, "completed"), at=age)
    assert answer.status_code == status
    if status == 401:
        assert "clock" in answer.json()["error"]
        assert RefusedDelivery.objects.get().reason == "clock"


def test_nobody_without_the_attempts_own_secret_is_believed(client, attempt) -> None:
    other = claim_attempts()[0].attempt_id
    body = json.dumps(body_of(attempt, "completed")).encode()
    right = signed(attempt, body)
    forged = {
        "unsigned": {},
        "another attempt's": signed(attempt, body, secret=signatures.derive("x" * 40, attempt)),
        "a leaked one": signed(attempt, body, secret=callback_secrets(other)[0]),
        "an empty key": signed(attempt, body, secret="whsec_"),
        "a new time": {**right, signatures.TIMESTAMP: str(int(right[signatures.TIMESTAMP]) + 1)},
        "a new id": {**right, signatures.ID: "other"},
        "an unknown version": {
            **right,
            signatures.SIGNATURE: right[signatures.SIGNATURE].replace("v1,", "v2,"),
        },
        "no time": {name: text for name, text in right.items() if name != signatures.TIMESTAMP},
        "no id": {name: text for name, text in right.items() if name != signatures.ID},
        "no signature": {**right, signatures.SIGNATURE: "v1,"},
        "not ascii": {**right, signatures.SIGNATURE: "v1,ü"},
    }
    for name, headers in forged.items():
        assert post(client, attempt, body, headers=headers).status_code == 401, name
    assert post(client, attempt, body + b" ", headers=right).status_code == 401
    assert state(attempt) == ("processing", "claimed")
    assert sum(RefusedDelivery.objects.values_list("count", flat=True)) == len(forged) + 1


def test_nothing_can_be_shifted_across_the_borders_of_the_signed_text(client, attempt) -> None:
    """The same text and signature, cut into id, time and body at every two places at which anything stands that could be a border."""
    body = json.dumps(body_of(attempt, "completed", usage={"cost_usd": "0.25"}), indent=1).encode()
    headers = signed(attempt, body, message_id="a")
    time = headers[signatures.TIMESTAMP]
    text = f"a.{time}.".encode() + body
    dots = [place for place, byte in enumerate(text) if byte == ord(".")]
    cuts = [cut for cut in itertools.combinations(dots, 2) if cut != (1, 2 + len(time))]
    assert len(cuts) >= 5
    shifted = [(text[:one], text[one + 1 : two], text[two + 1 :]) for one, two in cuts]
    shifted += [(f"a{time[0]}".encode(), time[1:].encode(), body), (b"a", f"{time}.".encode(), body[1:])]
    for message, moment, rest in shifted:
        moved = {
            signatures.ID: message.decode(),
            signatures.TIMESTAMP: " ".join(moment.decode().split()),
            signatures.SIGNATURE: headers[signatures.SIGNATURE],
        }
        assert post(client, attempt, rest, headers=moved).status_code == 401, moved
    for message, moment in (("agent.7", time), ("a", f"{time}.5"), ("a\n", time), ("a", f"{time} ")):
        signature = signatures._digest(callback_secrets(attempt)[0], message, moment, body)
        headers = {
            signatures.ID: message,
            signatures.TIMESTAMP: moment,
            signatures.SIGNATURE: f"v1,{signature}",
        }
        with pytest.raises(signatures.SignatureError, match="digits"):
            signatures.verify(callback_secrets(attempt), headers, body, None)
    assert state(attempt) == ("processing", "claimed")


def test_a_rotated_secret_is_accepted_until_it_is_taken_away(client, attempt, settings) -> None:
    old, new = "o" * 40, "n" * 40
    settings.WEBHOOK_SECRETS = [new, old]
    for secret in (old, new):
        event = body_of(attempt, "progress", pages_done=1)
        assert post(client, attempt, event, secret=signatures.derive(secret, attempt)).status_code == 200
    settings.WEBHOOK_SECRETS = [new]
    answer = post(client, attempt, body_of(attempt, "completed"), secret=signatures.derive(old, attempt))
    assert answer.status_code == 401


def test_several_signatures_in_one_header_are_accepted(client, attempt) -> None:
    body = json.dumps(body_of(attempt, "completed")).encode()
    headers = signed(attempt, body)
    headers[signatures.SIGNATURE] = "v1,AAAA v1a,xyz " + headers[signatures.SIGNATURE]
    assert post(client, attempt, body, headers=headers).status_code == 200


def test_the_signature_is_that_of_the_standard(attempt) -> None:
    webhook = pytest.importorskip("standardwebhooks").Webhook(signatures.derive("m" * 40, attempt))
    from datetime import UTC, datetime

    at = datetime(2026, 11, 29, tzinfo=UTC)
    assert signatures.sign(
        signatures.derive("m" * 40, attempt), "msg_1", int(at.timestamp()), b'{"a":1}'
    ) == webhook.sign("msg_1", at, '{"a":1}')


def test_an_attempt_that_does_not_exist_is_unknown(client, attempt) -> None:
    stranger = uuid4()
    for kind in ("completed", "failed", "progress", "started"):
        assert post(client, stranger, body_of(stranger, kind)).status_code == 404


@pytest.mark.parametrize(
    "event, names",
    [
        (b"{", "JSON"),
        (b"[]", ""),
        ({"type": "attempt.melted"}, "attempt.melted"),
        ({"type": "attempt.progress", "pages_done": -1, "pages_total": 1}, "pages_done"),
        ({"type": "attempt.completed", "result": {**RESULT, "confidence": 7}}, "confidence"),
        ({"type": "attempt.completed", "result": RESULT, "status": "completed"}, "status"),
        ({"type": "attempt.completed"}, "result_uri"),
        ({"type": "attempt.failed", "code": "whatever", "message": "", "retryable": True}, "code"),
        (
            {
                "type": "attempt.completed",
                "result": RESULT,
                "result_uri": "http://10.0.0.1/x",
                "result_sha256": "0" * 64,
            },
            "result_uri",
        ),
    ],
)
def test_a_body_that_breaks_the_schema_is_told_where(client, attempt, event, names: str) -> None:
    if isinstance(event, dict):
        event = {"attempt": str(attempt), **event}
    answer = post(client, attempt, event)
    assert answer.status_code == 422
    assert names in answer.json()["error"]
    assert state(attempt) == ("processing", "claimed")


def test_the_body_has_to_name_the_attempt_of_the_address(client, attempt) -> None:
    other = claim_attempts()[0].attempt_id
    answer = post(client, attempt, body_of(other, "completed"))
    assert answer.status_code == 422
    assert state(other) == state(attempt) == ("processing", "claimed")


def test_a_body_above_the_limit_is_not_read(client, attempt) -> None:
    answer = post(client, attempt, b"x" * (256 * 1024 + 1))
    assert answer.status_code == 413
    assert "result_uri" in answer.json()["error"]


@pytest.mark.parametrize("length", ["²", "-1", "1e3", "many"])
def test_a_length_that_is_no_number_is_refused_in_words(client, attempt, length: str) -> None:
    answer = client.post(f"/webhooks/attempts/{attempt}/", b"{}", content_type="application/json", CONTENT_LENGTH=length)  # fmt: skip
    assert answer.status_code == 413


def test_only_post_is_answered(client, attempt) -> None:
    assert client.get(f"/webhooks/attempts/{attempt}/").status_code == 405


@pytest.mark.parametrize("error", [OperationalError("gone"), ReadOnlySqlTransaction("a failover")])
def test_a_database_that_is_away_asks_for_patience(client, attempt, error: Exception) -> None:
    with patch.object(queue, "execute", side_effect=error):
        answer = post(client, attempt, body_of(attempt, "completed"))
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0


# Order and time


def test_a_late_progress_never_moves_a_task_backwards(client, attempt) -> None:
    post(client, attempt, body_of(attempt, "completed"))
    for kind in ("started", "progress"):
        assert post(client, attempt, body_of(attempt, kind)).json() == {"outcome": "stale"}
    assert state(attempt) == ("completed", "completed")


def test_progress_never_goes_back_and_never_touches_the_lease(client, attempt) -> None:
    lease = Task.objects.get().lease_expires_at
    post(
        client,
        attempt,
        body_of(attempt, "progress", pages_done=5, pages_total=9, usage={"calls": 1, "input_tokens": 50}),
    )
    Attempt.objects.update(last_seen_at=None)
    post(
        client,
        attempt,
        body_of(attempt, "progress", pages_done=3, pages_total=9, usage={"calls": 1, "input_tokens": 30}),
    )
    row = Attempt.objects.get(pk=attempt)
    assert (row.pages_done, row.pages_total, row.input_tokens, row.status) == (5, 9, 50, "running")
    assert Task.objects.get().lease_expires_at == lease


def test_more_than_two_progress_messages_a_second_are_not_stored(client, attempt) -> None:
    words = {
        post(client, attempt, body_of(attempt, "progress", pages_done=n, pages_total=9)).json()["outcome"]
        for n in range(1, 9)
    }
    assert words == {"applied"}
    assert Delivery.objects.count() == 1


def test_a_stale_attempts_failure_leaves_the_new_attempt_alone(client, attempt) -> None:
    post(client, attempt, body_of(attempt, "failed"))
    Task.objects.update(deferred=False)
    from tasks import claims

    second = claims.claim(queue.connection(), claims.Terms(uuid4(), 60), ["local"], 1).rows[0].attempt_id
    event = body_of(attempt, "failed", message="Once more, differently.")
    assert post(client, attempt, event).json()["outcome"] in ("stale", "duplicate")
    assert state(second) == ("processing", "claimed")


def test_the_first_valid_result_wins_also_over_a_newer_attempt(client, attempt) -> None:
    post(client, attempt, body_of(attempt, "failed"))
    Task.objects.update(deferred=False)
    from tasks import claims

    second = claims.claim(queue.connection(), claims.Terms(uuid4(), 60), ["local"], 1).rows[0].attempt_id
    assert post(client, attempt, body_of(attempt, "completed")).json() == {"outcome": "applied"}
    assert state(second) == ("completed", "superseded")
    assert Attempt.objects.get(pk=second).stop_requested_at is not None
    assert Attempt.objects.get(pk=attempt).conflict is not None
    assert post(client, second, body_of(second, "completed")).json() == {"outcome": "already_terminal"}


def test_a_cancelled_task_stays_cancelled_and_its_late_bill_is_kept(client, attempt) -> None:
    operations.cancel(Actor.system("test"), [Task.objects.get().pk])
    post(client, attempt, body_of(attempt, "failed", code="cancelled", message="Stopped."))
    assert state(attempt)[0] == "cancelled"
    usage = {"calls": 1, "model": "m", "input_tokens": 7, "output_tokens": 3, "cost_usd": "0.01"}
    assert post(client, attempt, body_of(attempt, "completed", usage=usage)).json() == {
        "outcome": "already_terminal"
    }
    row = Attempt.objects.get(pk=attempt)
    assert (row.task.status, row.input_tokens, row.cost_usd) == ("cancelled", 7, Decimal("0.010000"))


# Results by reference


def stored(name: str, result: dict) -> tuple[str, str]:
    content = json.dumps(result).encode()
    get_storage().put(name, BytesIO(content))
    return name, hashlib.sha256(content).hexdigest()


def test_a_large_result_is_read_from_our_own_storage(client, attempt) -> None:
    name, checksum = stored(f"attempts/{attempt}.result.json", RESULT)
    event = {
        "type": "attempt.completed",
        "attempt": str(attempt),
        "result_uri": name,
        "result_sha256": checksum,
    }
    assert post(client, attempt, event).json() == {"outcome": "applied"}
    assert Attempt.objects.get(pk=attempt).result["kind"] == "invoice"


def test_a_reference_cannot_lead_anywhere_else(client, attempt) -> None:
    other, checksum = stored(f"attempts/{uuid4()}.result.json", RESULT)
    for name in (
        other,
        f"attempts/{attempt}/../../secrets",
        f"attempts/{attempt}.missing",
        "/etc/passwd",
        "file:///etc/passwd",
    ):
        event = {
            "type": "attempt.completed",
            "attempt": str(attempt),
            "result_uri": name,
            "result_sha256": checksum,
        }
        assert post(client, attempt, event).status_code == 422, name
    name, _ = stored(f"attempts/{attempt}.result.json", RESULT)
    event = {
        "type": "attempt.completed",
        "attempt": str(attempt),
        "result_uri": name,
        "result_sha256": "0" * 64,
    }
    assert post(client, attempt, event).status_code == 422
    assert state(attempt) == ("processing", "claimed")


# The log


def test_a_stored_delivery_can_be_applied_again(client, attempt) -> None:
    post(client, attempt, body_of(attempt, "completed"))
    (delivery,) = Delivery.objects.values_list("pk", flat=True)
    outcome = callbacks.apply_again(Actor.system("test"), [delivery, 12345])
    assert outcome.done == []
    assert "duplicate" in outcome.skipped[delivery]
    assert "not kept" in outcome.skipped[12345]


def test_old_deliveries_of_attempts_that_have_ended_are_removed(client, attempt) -> None:
    post(client, attempt, body_of(attempt, "completed"))
    Delivery.objects.update(received_at="2020-01-01T00:00:00Z")
    assert inbox.prune_callbacks(queue.connection(), days=30, most=10) == 0, "its attempt may still speak"
    Attempt.objects.update(ended_at="2020-01-01T00:00:00Z")
    assert inbox.prune_callbacks(queue.connection(), days=30, most=10) == 1


def test_a_signed_outcome_file_is_believed_and_another_is_not(attempt) -> None:
    body = json.dumps(body_of(attempt, "completed"))
    good = json.dumps({"headers": signed(attempt, body.encode(), at=-90_000), "body": body}).encode()
    assert callbacks.signed_outcome(attempt, good).attempt == attempt
    for bad in (
        b"",
        b"[]",
        b"{}",
        b"[" * 100_000,
        good.replace(b"0.9", b"0.1"),
        json.dumps({"headers": {}, "body": body}).encode(),
    ):
        assert callbacks.signed_outcome(attempt, bad) is None
    assert callbacks.signed_outcome(uuid4(), good) is None


def test_a_logged_in_session_is_no_signature(client, attempt) -> None:
    client.force_login(make_user("root", is_superuser=True, is_staff=True))
    assert post(client, attempt, body_of(attempt, "completed"), headers={}).status_code == 401


@pytest.mark.parametrize("value", ["changeme", "x" * 23, f"{'n' * 40},changeme"])
def test_a_secret_that_could_be_guessed_stops_the_start(value: str, tmp_path) -> None:
    variables = {**os.environ, "WEBHOOK_SECRETS": value, "AGENTAUDIT_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert "WEBHOOK_SECRETS" in done.stderr
    assert value not in done.stderr


@pytest.mark.parametrize("value", [None, ""])
def test_with_no_secret_set_a_strong_one_is_made_and_kept(value, tmp_path) -> None:
    variables = {name: text for name, text in os.environ.items() if name != "WEBHOOK_SECRETS"} | {
        "AGENTAUDIT_HOME": str(tmp_path)
    }
    variables |= {"WEBHOOK_SECRETS": value} if value is not None else {}
    code = "from django.conf import settings; print(*settings.WEBHOOK_SECRETS)"
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", code]
    first, second = (
        subprocess.run(
            command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=60
        ).stdout.split()
        for _ in range(2)
    )
    assert first == second
    assert len(first) == 1
    assert len(first[0]) >= 24
    assert (tmp_path / "webhook_secrets").stat().st_mode & 0o077 == 0
