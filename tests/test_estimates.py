"""What documents take is learnt from what finished, robustly, and used for what is handed in and for what is about to start."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks import learning, operations, queue
from tasks.estimates import (
    DEFAULT_PAGES,
    FEWEST_SAMPLES,
    Estimate,
    Figures,
    Sample,
    estimate,
    figures_of,
    learn,
)
from tasks.models import AgentVersion, Attempt, Task
from tests.factories import (
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_document,
    make_extraction,
    make_task,
)
from tests.queue_tools import SYSTEM, claim, hand_in

PRIOR = Figures(
    input_tokens_per_page=1000,
    output_tokens_per_page=100,
    tokens_per_document=50,
    requests_per_page=1,
    seconds_per_page=2,
)


def sample(pages: int, *, prompt: int = 2000, per_page: int = 500, wild: float = 1.0) -> Sample:
    """An attempt of an agent with a fixed prompt and so many tokens per page."""
    return Sample(
        pages, int((prompt + per_page * pages) * wild), int(60 * pages * wild), pages + 1, 3.0 * pages * wild
    )


def test_a_prior_holds_until_enough_has_finished():
    assert learn(PRIOR, [sample(2)] * (FEWEST_SAMPLES - 1)) == {}
    assert learn(PRIOR, [sample(pages) for pages in (1, 2, 3, 4, 5)])["samples"] == 5


def test_a_fixed_prompt_is_not_taken_for_pages():
    learnt = learn(PRIOR, [sample(pages) for pages in (1, 1, 1, 2, 3, 5, 20)])
    assert learnt["input_tokens_per_page"] == pytest.approx(500)
    assert learnt["tokens_per_document"] == pytest.approx(2000)
    figures = Figures(**{name: value for name, value in learnt.items() if name != "samples"})
    assert estimate(figures, 100) == Estimate(2000 + 500 * 100 + 6000, 6000, 101, pytest.approx(300.0))


def test_wild_outliers_move_nothing():
    """A fifth of the attempts used a hundred times as much, or nothing."""
    rng = random.Random(1)
    usual = [sample(rng.randint(1, 30)) for _ in range(80)]
    wild = [sample(rng.randint(1, 30), wild=rng.choice([0.0, 100.0])) for _ in range(20)]
    for samples in (usual, usual + wild):
        learnt = learn(PRIOR, samples)
        assert learnt["input_tokens_per_page"] == pytest.approx(500, rel=0.05)
        assert learnt["seconds_per_page"] == pytest.approx(3.0, rel=0.05)
    assert estimate(
        Figures(**{k: v for k, v in learnt.items() if k != "samples"}), 10
    ).tokens == pytest.approx(7600, rel=0.05)


def test_documents_of_one_length_leave_the_documents_own_part_to_the_prior():
    learnt = learn(PRIOR, [sample(1)] * 10)
    assert learnt["tokens_per_document"] == 50
    assert learnt["input_tokens_per_page"] == 2450


def test_what_was_not_reported_keeps_its_prior():
    learnt = learn(PRIOR, [Sample(pages, None, None, None, 2.0 * pages) for pages in range(1, 9)])
    assert set(learnt) == {"seconds_per_page", "seconds_per_document", "samples"}


@given(st.lists(st.builds(Sample, st.integers(0, 3000), *[st.one_of(st.none(), st.integers(0, 2_000_000_000))] * 3, st.floats(0, 1e6)), max_size=30), st.one_of(st.none(), st.integers(0, 3000)))  # fmt: skip
def test_whatever_was_seen_an_estimate_is_positive_and_fits_its_column(samples, pages):
    learnt = {name: value for name, value in learn(PRIOR, samples).items() if name != "samples"}
    guess = estimate(Figures(**learnt), pages)
    assert all(1 <= number <= 2_000_000_000 for number in (guess.tokens, guess.output_tokens, guess.requests))
    assert guess.seconds > 0


def test_unknown_length_is_taken_for_a_few_pages():
    assert estimate(PRIOR, None) == estimate(PRIOR, DEFAULT_PAGES)


def test_estimates_differ_from_a_tenth_on():
    assert not Estimate(1000, 100, 1, 60.0).differs(Estimate(1090, 100, 1, 55.0))
    assert Estimate(1000, 100, 1, 60.0).differs(Estimate(1000, 111, 1, 60.0))


# From the database


@pytest.fixture
def agent(db):
    agent = make_agent()
    AgentVersion.objects.filter(pk=agent.current_version_id).update(
        input_tokens_per_page=100, tokens_per_document=10
    )
    agent.refresh_from_db()
    return agent


def finish(agent, lengths, *, version: AgentVersion | None = None, **fields) -> None:
    """Completed attempts that used 2,000 tokens and 700 per page, 50 output tokens and 4 seconds per page."""
    client = make_client()
    extraction = make_extraction(client, agent)
    for pages in lengths:
        task = make_task(
            extraction, make_document(client, pages=pages), status="cancelled", finished_at=database_now()
        )
        end = database_now()
        values = {
            "input_tokens": 2000 + 700 * pages, "output_tokens": 50 * pages, "calls": pages, "started_at": end - timedelta(seconds=4 * pages),
            "finished_at": end, "result": {}, "rate_held_until": end + timedelta(seconds=60), **fields,
        }  # fmt: skip
        attempt = make_attempt(task, "completed", **values)
        if version:
            Attempt.objects.filter(pk=attempt.pk).update(agent_version=version)


def learnt(agent) -> dict:
    return AgentVersion.objects.get(pk=agent.current_version_id).learnt


def test_a_version_learns_from_what_it_finished_and_new_work_is_estimated_by_it(agent):
    finish(agent, [1, 2, 3, 5, 8])
    assert learning.step(queue.connection(), 0) == 1
    assert learnt(agent)["input_tokens_per_page"] == pytest.approx(700)
    assert figures_of(
        AgentVersion.objects.get(pk=agent.current_version_id)
    ).tokens_per_document == pytest.approx(2000)
    agent.refresh_from_db()
    (task,) = hand_in(agent, 1, pages=10)
    found = Task.objects.get(pk=task)
    assert (found.estimated_tokens, found.estimated_output_tokens, found.estimated_requests) == (
        9500,
        500,
        10,
    )
    assert found.estimated_seconds == pytest.approx(40, rel=0.01)


def test_each_version_learns_for_itself(agent):
    finish(agent, [1, 2, 3, 5, 8])
    newer = AgentVersion.objects.create(agent=agent, number=2, program="rules")
    finish(agent, [1, 2, 3, 4], version=newer)
    learning.step(queue.connection(), 0)
    newer.refresh_from_db()
    assert learnt(agent)["samples"] == 5
    assert newer.learnt == {} and newer.learnt_at is not None


def test_only_the_last_attempts_count_and_failed_ones_never(agent):
    finish(agent, [1, 2, 3, 5, 8] * 2, input_tokens=1, rate_held_until=database_now() - timedelta(days=1))
    finish(agent, [1, 2, 3, 4, 5, 6, 7] * 15)
    learning.step(queue.connection(), 0)
    assert learnt(agent)["samples"] == learning.SAMPLES
    assert learnt(agent)["input_tokens_per_page"] == pytest.approx(700)


def test_one_worker_learns_for_all_and_not_again_for_a_while(agent):
    finish(agent, [1, 2, 3, 5, 8])
    assert [learning.step(queue.connection(), 60) for _ in range(3)] == [1, 0, 0]


def test_waiting_tasks_at_the_head_are_refreshed_and_running_ones_keep_what_they_reserved(agent):
    running, *waiting = hand_in(agent, 4, pages=10)
    claim(1)
    before = Attempt.objects.get().reserved_tpm
    finish(agent, [1, 2, 3, 5, 8])
    learning.step(queue.connection(), 0)
    assert set(Task.objects.filter(pk__in=waiting).values_list("estimated_tokens", flat=True)) == {9500}
    assert Task.objects.get(pk=running).estimated_tokens != 9500
    assert Attempt.objects.get(task=running).reserved_tpm == before


def test_no_more_than_the_head_of_a_line_is_refreshed(agent, monkeypatch):
    monkeypatch.setattr(learning, "HEAD", 3)
    waiting = hand_in(agent, 6, pages=10)
    finish(agent, [1, 2, 3, 5, 8])
    learning.step(queue.connection(), 0)
    estimates = list(
        Task.objects.filter(pk__in=waiting)
        .order_by("start_key", "id")
        .values_list("estimated_tokens", flat=True)
    )
    assert [tokens == 9500 for tokens in estimates] == [True] * 3 + [False] * 3


def test_a_task_that_another_agent_reprocesses_is_estimated_for_that_one(agent):
    other = make_agent()
    AgentVersion.objects.filter(pk=other.current_version_id).update(
        input_tokens_per_page=7, tokens_per_document=0
    )
    (task,) = hand_in(agent, 1, pages=10)
    operations.cancel(SYSTEM, [task])
    other.refresh_from_db()
    operations.reprocess(SYSTEM, [task], agent=other)
    assert Task.objects.get(pk=task).estimated_tokens == 70
