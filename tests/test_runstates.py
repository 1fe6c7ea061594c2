"""Every word that Databricks has for the end of a run means something here, and an unknown one never means that it has ended."""

from __future__ import annotations

import pytest
from databricks.sdk.service import jobs

from tasks.agent.contract import Code
from tasks.executors import RunState
from tasks.executors.runstates import _BY_WORD, ending_of, state_of
from tasks.sweeper import TRANSIENT


def run_of(state: str | None, code: str = "", kind: str = "", old: str = "", message: str = "") -> jobs.Run:
    """A run as the SDK reads it from the wire."""
    told = {"status": {"state": state}, "state": {"life_cycle_state": state, "result_state": old}}
    if code or kind:
        told["status"]["termination_details"] = {"code": code, "type": kind, "message": message}
    return jobs.Run.from_dict(told)


def test_every_word_of_the_sdk_is_known():
    assert {word.value for word in jobs.TerminationCodeCode} == set(_BY_WORD)


@pytest.mark.parametrize(
    "state", [word.value for word in jobs.RunLifecycleStateV2State if word.value != "TERMINATED"]
)
def test_a_run_that_has_not_terminated_lives(state):
    assert state_of(run_of(state)) in (RunState.STARTING, RunState.RUNNING)


@pytest.mark.parametrize("state", ["PONDERING", None])
def test_an_unknown_word_is_asked_for_again(state):
    assert state_of(run_of(state)) is RunState.UNREACHABLE
    assert state_of(jobs.Run()) is RunState.UNREACHABLE


@pytest.mark.parametrize(
    ("word", "kind", "code"),
    [
        ("USER_CANCELED", "SUCCESS", Code.CANCELLED),
        ("SKIPPED", "CLIENT_ERROR", Code.RELEASED),
        ("MAX_CONCURRENT_RUNS_EXCEEDED", "CLIENT_ERROR", Code.RELEASED),
        ("CLOUD_FAILURE", "CLOUD_FAILURE", Code.UPSTREAM),
        ("STORAGE_ACCESS_ERROR", "CLIENT_ERROR", Code.STORAGE),
        ("LIBRARY_INSTALLATION_ERROR", "CLIENT_ERROR", Code.BAD_CONFIGURATION),
        ("UNAUTHORIZED_ERROR", "CLIENT_ERROR", Code.BAD_CONFIGURATION),
        ("SUCCESS", "SUCCESS", Code.CRASHED),
        ("A_NEW_WORD", "INTERNAL_ERROR", Code.UPSTREAM),
        ("A_NEW_WORD", "A_NEW_TYPE", Code.UPSTREAM),
    ],
)
def test_an_end_is_one_of_our_codes(word, kind, code):
    run = run_of("TERMINATED", word, kind)
    assert state_of(run) is RunState.ENDED
    assert ending_of(run).code is code


def test_a_program_of_ours_that_failed_on_serverless_is_not_taken_for_a_fault_of_databricks():
    run = run_of(
        "TERMINATED",
        "RUN_EXECUTION_ERROR",
        "CLIENT_ERROR",
        old="FAILED",
        message="ValueError: Acme Ltd, 12,000 EUR",
    )
    run.state.life_cycle_state = jobs.RunLifeCycleState.INTERNAL_ERROR
    ending = ending_of(run)
    assert ending.code is Code.CRASHED
    assert "Acme" not in ending.message


def test_only_the_older_words_tell_a_timeout():
    assert ending_of(run_of("TERMINATED", "", "CLIENT_ERROR", old="TIMEDOUT")).code is Code.TIMEOUT


def test_what_a_person_has_to_change_is_not_tried_again():
    assert Code.BAD_CONFIGURATION not in TRANSIENT
    assert {Code.UPSTREAM, Code.RELEASED, Code.CRASHED, Code.STORAGE, Code.CANCELLED} <= TRANSIENT


def test_the_reason_is_shown_where_it_is_the_platforms_own():
    ending = ending_of(
        run_of("TERMINATED", "LIBRARY_INSTALLATION_ERROR", "CLIENT_ERROR", message="no wheel\nat x")
    )
    assert "no wheel" in ending.message and "at x" not in ending.message
