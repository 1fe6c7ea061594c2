"""Prunings beside people who have documents read again by another agent, in processes of their own."""

from __future__ import annotations

import json

import pytest

from tests import prune_race
from tests.commands import Place, wait_until


@pytest.mark.slow
def test_each_old_extraction_is_either_pruned_or_read_again_by_another_agent(place: Place) -> None:
    """Two who prune and two who read again, each in a process of its own; whoever comes second finds it done."""

    def code(call: str) -> tuple[str, ...]:
        return ("shell", "--no-imports", "-c", f"from tests import prune_race; {call}")

    assert place.run("migrate", "-v0").returncode == 0
    made = place.run(*code("prune_race.prepare()"))
    assert made.returncode == 0, made.stderr
    home = str(place.home)
    racing = [
        place.begin(*code(f"prune_race.{what}({home!r}, {str(seed)!r})"))
        for what in ("read_again", "delete")
        for seed in range(2)
    ]
    wait_until(lambda: len(list(place.home.glob("ready-*"))) == len(racing), 60, "the start of all")
    (place.home / prune_race.STARTING_SHOT).touch()
    said = []
    for process in racing:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        said.append(json.loads(out))
    done = [pk for one in said[:2] for pk in one["done"]]
    skipped = {int(pk): why for one in said[:2] for pk, why in one["skipped"].items()}
    assert len(done) + len(skipped) == 2 * prune_race.NUMBER and not set(done) & set(skipped)
    assert all("after their retention time" in why for why in skipped.values()), skipped
    looked = place.run(*code(f"import json; print(json.dumps(prune_race.faults({done!r})))"))
    assert json.loads(looked.stdout) == [], looked.stderr
    assert done and sum(one["pruned"] for one in said[2:]), "both sides have won somewhere"
