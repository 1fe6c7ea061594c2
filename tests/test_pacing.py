"""Replicas that know nothing of each other stay below the workspace's rates together."""

from __future__ import annotations

import pytest

from tasks.executors.pacing import OURS, PER_SECOND, Pace, Paces


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize("replicas", [1, 4, 10])
def test_all_replicas_together_make_no_more_calls_than_the_workspace_takes(replicas):
    moments = []
    for _ in range(replicas):
        clock = Clock()
        paces = Paces(clock, clock.sleep)
        paces.replicas = replicas
        while paces.wait("start", until=10.0):
            moments.append(clock.now)
    for second in range(9):
        assert sum(second <= at < second + 1 for at in moments) <= PER_SECOND["start"]
    assert len(moments) == pytest.approx(10 * PER_SECOND["start"] * OURS, abs=2 * replicas)


def test_a_turn_that_would_come_too_late_takes_nothing():
    clock = Clock()
    pace = Pace(1.0, clock)
    assert pace.turn(1, until=0.5) == 0
    assert pace.turn(1, until=0.5) is None
    assert pace.turn(1, until=2.0) == pytest.approx(1 / OURS)


def test_a_pause_that_was_asked_for_is_kept():
    clock = Clock()
    paces = Paces(clock, clock.sleep)
    paces.rest("start", 30.0)
    assert not paces.wait("start", until=5.0)
    assert paces.wait("get", until=5.0)
    assert paces.wait("start", until=31.0) and clock.now == pytest.approx(30.0)
