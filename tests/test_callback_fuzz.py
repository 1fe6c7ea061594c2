"""Whatever is sent, the answer is one of the agreed ones, and nothing changes without a valid signature."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from requests import PreparedRequest
from schemathesis.checks import CheckFunction, load_all_checks
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi import checks as openapi_checks

from tasks import callbacks
from tasks.agent import signatures
from tasks.models import Attempt, Delivery, Task
from tasks.orders import callback_secrets
from tests.callback_tools import body_of, claim_attempts, post, signed
from webhooks.openapi import document

FUZZ = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)  # fmt: skip
HEADER = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=120)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
MEMBERS = ("version", "attempt", "type", "result", "result_uri", "result_sha256", "usage", "trace_id", "code", "message", "retryable",
           "retry_after", "pages_done", "pages_total", "run_id", "run_page_url")  # fmt: skip
PAID = {"calls": 2, "model": "m", "input_tokens": 700, "output_tokens": 30, "cost_usd": "0.25"}


@pytest.fixture(autouse=True)
def refusals_are_written_at_once(monkeypatch):
    monkeypatch.setattr(callbacks.refusals, "seconds", 0.0)


@pytest.fixture
def attempt(db):
    return claim_attempts()[0].attempt_id


def everything() -> list[Any]:
    return [
        *Task.objects.order_by("pk").values(),
        *Attempt.objects.order_by("pk").values(),
        *Delivery.objects.order_by("pk").values(),
    ]


@FUZZ
@given(
    headers=st.fixed_dictionaries({}, optional=dict.fromkeys((signatures.ID, signatures.TIMESTAMP, signatures.SIGNATURE), HEADER)),
    body=st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()),
)  # fmt: skip
def test_nothing_that_is_not_signed_changes_anything(client, attempt, headers, body) -> None:
    before = everything()
    client.raise_request_exception = False
    assert post(client, attempt, body, headers=headers).status_code == 401
    assert everything() == before


@FUZZ
@given(
    cut=st.integers(0, 400),
    instead=st.binary(max_size=3),
    where=st.sampled_from(["body", *signatures.headers("whsec_AAAA", "a", 1, b"")]),
)
def test_a_signed_message_that_was_changed_anywhere_is_refused(client, attempt, cut, instead, where) -> None:
    body = json.dumps(body_of(attempt, "completed")).encode()
    headers = signed(attempt, body)
    text = body if where == "body" else headers[where].encode()
    cut %= len(text)
    changed = text[:cut] + instead + text[cut + 1 :]
    if changed == text:
        return
    before = everything()
    given_headers = headers if where == "body" else {**headers, where: changed.decode("latin-1")}
    client.raise_request_exception = False
    answer = post(client, attempt, changed if where == "body" else body, headers=given_headers)
    # A signature is also right with another one beside it; everything else is not
    if not (where == signatures.SIGNATURE and headers[where] in given_headers[where].split(" ")):
        assert answer.status_code == 401
        assert everything() == before


@FUZZ
@given(body=st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()))
def test_a_signed_body_that_is_no_event_is_unprocessable_and_changes_nothing(client, attempt, body) -> None:
    before = everything()
    client.raise_request_exception = False
    answer = post(client, attempt, body)
    assert answer.status_code == 422
    assert answer.json()["error"].endswith(".")
    assert everything() == before


@FUZZ
@given(
    kind=st.sampled_from(["started", "progress", "completed", "failed"]),
    member=st.sampled_from(MEMBERS),
    value=JSON,
)
def test_a_signed_event_with_any_member_spoilt_is_answered_in_the_agreed_words(
    client, attempt, kind, member, value
) -> None:
    client.raise_request_exception = False
    answer = post(client, attempt, {**body_of(attempt, kind), member: value})
    assert answer.status_code in (200, 422), answer.content
    assert set(answer.json()) <= {"outcome", "error"}


@pytest.mark.parametrize(
    "member, value",
    [
        ("message", "a\x00b"), ("message", "\ud800"), ("trace_id", "\x00"), ("usage", {"model": "\x00"}), ("usage", {"input_tokens": 10**30}),
        ("usage", {"cost_usd": "1e400"}), ("usage", {"cost_usd": "NaN"}), ("retry_after", 1e308), ("retry_after", -1),
    ],
)  # fmt: skip
def test_texts_and_numbers_that_a_database_cannot_hold_are_no_fault_of_ours(
    client, attempt, member, value
) -> None:
    client.raise_request_exception = False
    answer = post(client, attempt, {**body_of(attempt, "failed"), member: value})
    assert answer.status_code in (200, 422), answer.content


@pytest.mark.parametrize("where", ["notes", "kind", "language"])
def test_a_result_that_cannot_be_stored_fails_its_attempt_with_a_reason(client, attempt, where: str) -> None:
    result = {**body_of(attempt, "completed")["result"], where: ["\x00"] if where == "notes" else "\x00"}
    client.raise_request_exception = False
    answer = post(client, attempt, body_of(attempt, "completed", result=result, usage=PAID, trace_id="tr-1"))
    assert answer.status_code == 200, answer.content
    row = Attempt.objects.get(pk=attempt)
    assert (row.status, row.error_code) == ("failed", "invalid_result")
    assert "stored" in row.error_message
    told = (row.calls, row.model, row.input_tokens, row.output_tokens, row.cost_usd, row.trace_id)
    assert told == (2, "m", 700, 30, Decimal("0.25"), "tr-1"), "it is paid for all the same"


def test_usage_that_cannot_be_stored_either_is_left_out(client, attempt) -> None:
    spoilt = body_of(
        attempt, "completed", result={**body_of(attempt, "completed")["result"], "kind": "\x00"}, usage={"model": "\x00"}
    )  # fmt: skip
    assert post(client, attempt, spoilt).status_code == 200
    assert Attempt.objects.get(pk=attempt).error_code == "invalid_result"


NOBODYS = "5f0c6d0e-3f61-4b44-9c1a-7a52f0f4a9de"


@pytest.mark.parametrize("path", ["", "not-a-uuid/", "../../admin/", NOBODYS, f"{NOBODYS}/more/"])
def test_other_addresses_are_not_found(client, db, path: str) -> None:
    client.raise_request_exception = False
    assert client.post(f"/webhooks/attempts/{path}", b"{}", content_type="application/json").status_code in (
        301,
        404,
    )


# Against the OpenAPI

load_all_checks()
schema = schemathesis.openapi.from_dict(document())
# A result or its name in the storage has to be there: one of two, which the schema leaves to the sentence of a 422
UNFIT: list[CheckFunction] = [openapi_checks.positive_data_acceptance]


@pytest.fixture
def answers():
    """What was answered; a test that only meets refusals proves little."""
    found: set[int] = set()
    yield found
    assert {200, 401, 422} <= found


class Signing:
    """Signs what is about to be sent, whatever it is, as its attempt would."""

    def __init__(self, attempt: Any) -> None:
        self.attempt = attempt

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        request.headers.update(signed(self.attempt, body))
        return request


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@schema.parametrize()
@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_it_answers_as_its_openapi_says(case, live_server, answers) -> None:
    broken = {place for place, component in case.meta.components.items() if component.mode.is_negative}
    if ParameterLocation.PATH in broken:
        return  # another address: see above
    attempt = Attempt.objects.values_list("pk", flat=True).first() or claim_attempts()[0].attempt_id
    case.path_parameters = {"attempt": str(attempt)}
    if isinstance(case.body, dict) and "attempt" in case.body and ParameterLocation.BODY not in broken:
        case.body["attempt"] = str(attempt)
    signing = None if ParameterLocation.HEADER in broken else Signing(attempt)
    response = case.call(base_url=live_server.url, auth=signing)
    answers.add(response.status_code)
    case.validate_response(response, excluded_checks=UNFIT)


def test_the_secret_that_signs_is_the_attempts_own(attempt) -> None:
    assert callback_secrets(attempt)[0] != callback_secrets(uuid4())[0]
