"""What servers answer becomes the right outcome: forms that they lack, refusals, limits, faults, usage; all through the real openai package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tasks.agent import bearer
from tasks.agent.contract import Code, Completed, Endpoint
from tasks.agent.llm import reader, server
from tasks.agent.llm.troubles import retry_after
from tests.fakes.openai import MODEL, Asked, ModelServer, Refused, Reply, answer, http_date, limited, usage
from tests.llm_tools import attempt, bill, failure, field, honest, in_turn, record


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return bill(tmp_path / "bill.pdf", 1)


def test_an_answer_bound_to_the_schema_is_asked_for_once(document: Path) -> None:
    with ModelServer(honest) as there:
        outcome = attempt(there, document)
    (asked,) = there.asked
    assert field(outcome, "total").value == "203.00" and field(outcome, "supplier").evidence
    bound = asked.body["response_format"]["json_schema"]
    assert bound["strict"] is True and set(bound["schema"]["properties"]) == {
        "supplier",
        "date",
        "total",
        "lines",
    }
    assert asked.body["temperature"] == 0 and there.refused == []


@pytest.mark.parametrize(("formats", "refusals"), [({"json_object", "text"}, 1), ({"text"}, 2)])
def test_a_server_without_structured_outputs_is_asked_in_another_form_and_that_is_remembered(
    tmp_path: Path, formats: set[str], refusals: int
) -> None:
    with ModelServer(honest, formats=formats) as there:
        outcome = attempt(there, bill(tmp_path / "long.pdf", 4), window_pages=2)
    assert field(outcome, "total").value and len(there.refused) == refusals
    assert (
        all('"additionalProperties": false' in asked.system for asked in there.asked)
        and len(there.asked) == 3
    )


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_document_goes_to_the_address_that_was_set_or_nowhere(document: Path, status: int) -> None:
    with ModelServer(honest) as elsewhere:
        location = f"{elsewhere.url}/chat/completions"
        with ModelServer(lambda _: Refused(status, "over there", headers={"Location": location})) as there:
            fault = failure(attempt(there, document))
    assert elsewhere.asked == [] and elsewhere.refused == []
    assert fault.code == Code.BAD_CONFIGURATION and "sends elsewhere" in fault.message


@pytest.mark.parametrize("said", ["Harbour \ud800Books Ltd", "\udc00", "a\0\ud83d"])
@pytest.mark.parametrize("is_escaped", [True, False])
def test_what_no_file_and_no_database_can_hold_ends_no_attempt(
    document: Path, said: str, is_escaped: bool
) -> None:
    text = json.dumps(
        {"supplier": said, "date": None, "total": "203.00", "lines": []}, ensure_ascii=is_escaped
    )
    with ModelServer(lambda _: Reply(text)) as there:
        outcome = attempt(there, document)
    assert field(outcome, "total").evidence and outcome.usage.input_tokens == 1000
    outcome.model_dump_json()


def test_tokens_that_nobody_can_use_are_not_counted(document: Path) -> None:
    with ModelServer(lambda asked: honest(asked, usage=usage(10**30, 7))) as there:
        outcome = attempt(there, document)
    assert isinstance(outcome, Completed) and (outcome.usage.calls, outcome.usage.input_tokens) == (1, None)


def test_an_address_that_none_can_be_is_told(document: Path) -> None:
    with ModelServer(honest) as there:
        outcome = attempt(there, document, order={"endpoint": {"base_url": "http://\u2028x/"}})
    assert failure(outcome).code == Code.BAD_CONFIGURATION and there.asked == []


def test_models_that_want_another_limit_and_no_temperature_get_that(document: Path) -> None:
    with ModelServer(honest, limit="max_completion_tokens", temperature=False) as there:
        outcome = attempt(there, document, max_output_tokens=777)
    assert isinstance(outcome, Completed) and len(there.refused) == 2
    assert there.asked[-1].body["max_completion_tokens"] == 777 and "temperature" not in there.asked[-1].body


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_a_model_with_short_answers_is_asked_for_shorter_ones(document: Path, limit: str) -> None:
    with ModelServer(honest, limit=limit, most=2000) as there:
        outcome = attempt(there, document, max_output_tokens=15_000)
    assert isinstance(outcome, Completed)
    assert 1000 <= there.asked[-1].body[limit] <= 2000


def test_a_question_that_is_too_long_with_its_answer_is_asked_with_room_for_a_shorter_one(
    document: Path,
) -> None:
    def script(asked: Asked) -> Reply | Refused:
        if asked.body["max_tokens"] <= 1000:
            return honest(asked)
        said = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (900 in the messages, 4100 in the completion)."
        return Refused(400, said, code="context_length_exceeded", param="messages")

    with ModelServer(script) as there:
        assert field(attempt(there, document), "total").evidence
        assert {tuple(asked.pages) for asked in there.asked} == {(1,)}


@pytest.mark.parametrize("wrapped", ["```json\n{}\n```", "Here it is: {} Anything else?"])
def test_json_in_a_fence_or_between_words_is_read(document: Path, wrapped: str) -> None:
    with ModelServer(lambda asked: Reply(wrapped.replace("{}", str(honest(asked).content)))) as there:
        assert field(attempt(there, document), "total").evidence


def test_an_answer_in_parts_is_read(document: Path) -> None:
    def script(asked: Asked) -> Reply:
        parts = [
            {"type": "reasoning", "summary": [{"text": "{}"}]},
            {"type": "text", "text": honest(asked).content},
        ]
        return Reply(parts)  # type: ignore[arg-type]

    with ModelServer(script) as there:
        assert field(attempt(there, document), "total").evidence


# Limits


@pytest.mark.parametrize(
    ("refusal", "seconds"),
    [
        (limited("17"), 17),
        (limited("0.5"), 0.5),
        (limited(None, retry_after_ms="1500"), 1.5),
        (limited(None), None),
        (limited("nonsense"), None),
        (limited("nan"), None),
        (limited("999999999"), 86_400),
        (limited("10", code="insufficient_quota"), 900),
    ],
)
def test_too_many_requests_end_the_attempt_at_once_with_the_time_to_wait(
    document: Path, refusal: Refused, seconds: float | None
) -> None:
    with ModelServer(lambda _: refusal) as there:
        failed = failure(attempt(there, document, fallback_models=["other"]))
    assert len(there.asked) == 1, "nothing is repeated within the attempt, nor another model asked"
    assert (failed.code, failed.retryable, failed.retry_after) == (Code.RATE_LIMITED, True, seconds)
    assert failed.usage.calls == 0


def test_the_time_to_wait_may_be_a_date(document: Path) -> None:
    with ModelServer(lambda _: limited(http_date(30))) as there:
        failed = failure(attempt(there, document))
    assert failed.retry_after is not None and 27 <= failed.retry_after <= 31


def test_a_date_is_compared_with_the_servers_own_clock() -> None:
    headers = {"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}
    assert retry_after(headers) == 30
    assert retry_after({"retry-after": headers["date"], "date": headers["retry-after"]}) == 0


def test_what_was_paid_before_a_limit_is_told(tmp_path: Path) -> None:
    with ModelServer(in_turn(honest, limited("5"))) as there:
        failed = failure(attempt(there, bill(tmp_path / "long.pdf", 4), window_pages=2))
    assert (failed.code, failed.usage.calls, failed.usage.input_tokens) == (Code.RATE_LIMITED, 1, 1000)


# Faults


@pytest.mark.parametrize(
    ("said", "code", "retryable", "word"),
    [
        (Refused(500, "boom"), Code.UPSTREAM, True, "500"),
        (Refused(503, "busy", headers={"Retry-After": "9"}), Code.UPSTREAM, True, "503"),
        (Refused(403, "no"), Code.BAD_CONFIGURATION, False, "does not allow"),
        (Refused(400, "No such thing 4711.", param="messages"), Code.BAD_CONFIGURATION, False, "messages"),
        (Reply(None, refusal="I will not read 4711."), Code.INVALID_RESULT, False, "refused"),
        (Reply("", finish="content_filter"), Code.INVALID_RESULT, False, "refused"),
        (Reply('{"total": 4711', finish="stop"), Code.INVALID_RESULT, True, "JSON"),
        (Reply('{"total": "47', finish="length"), Code.INVALID_RESULT, False, "max_output_tokens"),
        (Reply(raw=b"<html>4711</html>"), Code.UPSTREAM, True, "understood"),
        (Reply(raw=b'{"choices": [], "model": "x", "usage": null}'), Code.INVALID_RESULT, True, "JSON"),
        (Reply(raw=b""), Code.UPSTREAM, True, "understood"),
    ],
)
def test_every_fault_has_its_code_and_sentence_and_repeats_nothing(
    document: Path,
    caplog: pytest.LogCaptureFixture,
    said: Reply | Refused,
    code: Code,
    retryable: bool,
    word: str,
) -> None:
    with ModelServer(lambda _: said) as there:
        failed = failure(attempt(there, document))
    assert (failed.code, failed.retryable) == (code, retryable) and word in failed.message
    assert failed.message.endswith(".") and "4711" not in failed.message + caplog.text
    answered = isinstance(said, Reply) and "understood" not in failed.message
    told = isinstance(said, Reply) and said.raw is None
    assert failed.usage.calls == answered and failed.usage.input_tokens == (1000 if told else None)


def test_a_model_that_the_server_does_not_know_is_a_matter_of_the_settings(document: Path) -> None:
    with ModelServer(honest) as there:
        failed = failure(attempt(there, document, model="reader-9"))
    assert (failed.code, failed.retryable) == (Code.BAD_CONFIGURATION, False) and "reader-9" in failed.message


def test_a_wrong_key_is_said_without_the_key(document: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with ModelServer(honest) as there:
        failed = failure(attempt(there, document, key="sk-wrong-canary"))
    assert failed.code is Code.BAD_CONFIGURATION and "OPENAI_API_KEY" in failed.message
    assert "canary" not in failed.message + caplog.text


def test_a_slow_model_is_not_waited_for_for_ever(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_ANSWER_SECONDS", 0.3)
    with ModelServer(lambda asked: honest(asked, seconds=30.0)) as there:
        failed = failure(attempt(there, document))
    assert (failed.code, failed.retryable) == (Code.UPSTREAM, True) and "did not answer" in failed.message
    assert (failed.usage.calls, failed.usage.input_tokens) == (1, None), (
        "it may be billed, and nobody says how much"
    )


def test_a_server_that_breaks_off_may_have_been_paid(document: Path) -> None:
    with ModelServer(lambda _: Reply(breaks=True)) as there:
        failed = failure(attempt(there, document))
    assert (failed.code, failed.retryable) == (Code.UPSTREAM, True) and "broke off" in failed.message
    assert (failed.usage.calls, failed.usage.input_tokens) == (1, None)


def test_a_server_that_is_not_there_is_worth_another_attempt(document: Path) -> None:
    with ModelServer(honest) as there:
        pass
    failed = failure(attempt(there, document, fallback_models=["other"]))
    assert (failed.code, failed.retryable) == (Code.UPSTREAM, True) and "cannot be reached" in failed.message
    assert failed.usage.calls == 0


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"model": ""}, "names no model"),
        ({"schema": None}, "schema"),
        ({"schema": {"kind": "x", "fields": []}}, "schema"),
        ({"window_pages": 0, "schema": None}, "schema"),
        ({"window_pages": -1}, "window_pages"),
        ({"vision": "sometimes"}, "vision"),
        ({"fallback_models": "other"}, "fallback_models"),
    ],
)
def test_settings_that_cannot_be_used_are_named_before_anything_is_paid(
    document: Path, wrong: dict[str, object], word: str
) -> None:
    with ModelServer(honest) as there:
        failed = failure(attempt(there, document, **wrong))
    assert failed.code is Code.BAD_CONFIGURATION and word in failed.message and there.asked == []


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://models.example.com", "https://", "https://[x"])
def test_an_address_that_is_none_is_a_matter_of_the_settings(document: Path, url: str) -> None:
    with ModelServer(honest) as there:
        failed = failure(attempt(there, document, order={"endpoint": {"base_url": url}}))
    assert failed.code is Code.BAD_CONFIGURATION and "OPENAI_BASE_URL" in failed.message


# Fallbacks


@pytest.mark.parametrize(
    "said",
    [
        Refused(404, "gone"),
        Refused(500, "boom"),
        Refused(403, "no"),
        Reply(None, refusal="No."),
        Reply("no JSON"),
    ],
)
def test_the_next_model_of_the_chain_answers_and_is_named(document: Path, said: Reply | Refused) -> None:
    with ModelServer(
        lambda asked: said if asked.model == MODEL else honest(asked), models={MODEL, "second"}
    ) as there:
        outcome = attempt(there, document, fallback_models=["second"])
    assert field(outcome, "total").value == "203.00"
    assert outcome.usage.model.endswith("second") and isinstance(outcome, Completed) and outcome.result
    assert any("second" in note for note in outcome.result.notes)


def test_a_model_that_failed_is_not_asked_again_in_the_attempt(tmp_path: Path) -> None:
    with ModelServer(
        lambda asked: Refused(500, "boom") if asked.model == MODEL else honest(asked),
        models={MODEL, "second"},
    ) as there:
        outcome = attempt(there, bill(tmp_path / "long.pdf", 6), window_pages=2, fallback_models=["second"])
    assert [asked.model for asked in there.asked] == [MODEL, *["second"] * 5]
    assert outcome.usage.model == "second" and outcome.usage.calls == 5


def test_when_several_models_answered_no_price_of_one_is_taken_for_all(tmp_path: Path) -> None:
    answers = {MODEL: in_turn(honest, Refused(500, "boom")), "second": honest}
    with ModelServer(lambda asked: answers[asked.model](asked), models={MODEL, "second"}) as there:
        outcome = attempt(there, bill(tmp_path / "long.pdf", 4), window_pages=2, fallback_models=["second"])
    assert outcome.usage.model == f"{MODEL} + second" and outcome.usage.input_tokens == 3000


def test_the_last_models_trouble_is_what_is_told(document: Path) -> None:
    with ModelServer(lambda _: Refused(500, "boom"), models={MODEL, "second"}) as there:
        failed = failure(attempt(there, document, fallback_models=["second"]))
    assert "second" in failed.message and len(there.asked) == 2


# Usage


def test_usage_is_the_totals_by_kind(tmp_path: Path) -> None:
    with ModelServer(
        lambda asked: honest(asked, usage=usage(2006, 300, cached=1920, reasoning=200))
    ) as there:
        outcome = attempt(there, bill(tmp_path / "long.pdf", 3), window_pages=2)
    told = outcome.usage
    assert (told.calls, told.input_tokens, told.output_tokens, told.cache_read_tokens) == (2, 4012, 600, 3840)
    assert told.cost_usd is None and told.model == MODEL


def test_usage_that_was_not_told_is_unknown_and_not_zero(tmp_path: Path) -> None:
    with ModelServer(in_turn(honest, lambda asked: honest(asked, usage=None))) as there:
        outcome = attempt(there, bill(tmp_path / "long.pdf", 3), window_pages=2)
    told = outcome.usage
    assert (told.calls, told.input_tokens, told.output_tokens, told.cache_read_tokens) == (
        2,
        None,
        None,
        None,
    )


# Keys


def test_a_key_from_a_file_is_read_again_for_each_request(tmp_path: Path) -> None:
    file = tmp_path / "127.0.0.1"
    file.write_text("first\n")

    def script(asked: object) -> Reply:
        keys.append(asked.key)  # type: ignore[attr-defined]
        there.key = "second"
        file.write_text("second\n")
        return honest(asked)  # type: ignore[arg-type]

    keys: list[str] = []
    with ModelServer(script, key="first") as there:
        endpoint = {"base_url": there.url, "key_file": str(file)}
        outcome = attempt(there, bill(tmp_path / "long.pdf", 3), window_pages=2, order={"endpoint": endpoint})
    assert isinstance(outcome, Completed) and keys == ["first", "second"]


def test_a_server_without_keys_is_sent_none(document: Path) -> None:
    with ModelServer(honest, key=None) as there:
        assert record(attempt(there, document, key=""))


def test_only_the_own_workspace_gets_the_runs_token(monkeypatch: pytest.MonkeyPatch) -> None:
    class Config:
        host = "https://ours.cloud.databricks.com"

        def authenticate(self) -> dict[str, str]:
            return {"Authorization": "Bearer ours"}

    monkeypatch.setattr(bearer, "_config", Config)
    ours = server.key_for(Endpoint(), "https://ours.cloud.databricks.com/serving-endpoints")
    assert callable(ours) and ours() == "ours"
    other = server.key_for(Endpoint(), "https://other.cloud.databricks.com/serving-endpoints")
    with pytest.raises(Exception, match="cannot log in"):
        other()  # type: ignore[operator]
    for url in (
        "https://api.example.com/v1",
        "http://ours.cloud.databricks.com/x",
        "https://ours.cloud.databricks.com.evil.example",
    ):
        assert server.key_for(Endpoint(), url) is None
    assert server.key_for(Endpoint(key="k"), "https://ours.cloud.databricks.com/x") == "k"


def test_an_empty_answer_is_a_result_that_needs_a_look(document: Path) -> None:
    with ModelServer(lambda _: answer({})) as there:
        outcome = attempt(there, document)
    assert isinstance(outcome, Completed) and outcome.result and outcome.result.needs_review
    assert field(outcome, "total").value is None and field(outcome, "total").reasons
