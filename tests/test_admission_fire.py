"""Under fire no claim ever takes an agent or a pool above its limits, recounted from the log of the run; and the recount can accuse."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tasks import queue
from tasks.bench import fire
from tasks.bench.recount import recount

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_32_claimers_that_are_killed_and_a_restless_operator_never_break_a_limit():
    burnt = fire.burn(20.0, 100_000, lambda _line: None)
    found = recount(burnt.log)
    assert (found.over_admissions, found.over_budget, found.while_closed) == (0, 0, 0), found.examples
    assert found.claims > 300 and burnt.kills >= 3
    assert burnt.crashed == 0


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_count_that_is_older_than_the_lock_is_found_out(monkeypatch):
    """The fire burns hot enough: with the count taken before the lock, limits are broken, and the recount sees it."""
    real = queue.open_claim

    def count_first(db, head, **terms):
        used = queue.rows(db, "claim_count", agent=head.agent_id)
        opened = real(db, head, **terms)
        opened.used = {row.holder: row for row in used}
        return opened

    monkeypatch.setattr(queue, "open_claim", count_first)
    found = recount(fire.burn(12.0, 100_000, lambda _line: None).log)
    assert found.over_admissions + found.over_budget > 0
