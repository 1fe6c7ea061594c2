"""Whether admission keeps its limits, exactly and under fire, and how well it uses them.

The first part runs the real claim in a real database (`fire`) and recounts every claim afterwards (`recount`, which says why the order of
its log is the order of commits). The second part runs `tasks.admission` itself in simulated time (`simulation`).
"""

from __future__ import annotations

from tasks.bench import Measured, Say, fire, simulation
from tasks.bench.recount import recount

QUICK_CLAIMS, QUICK_SECONDS, FEWEST = 20_000, 40.0, 5_000
FULL_CLAIMS, FULL_SECONDS = 200_000, 3_600.0


def run(full: bool, say: Say) -> Measured:
    """Quick: 20,000 claims or what fits into 40 s; full: 200,000."""
    claims, seconds = (FULL_CLAIMS, FULL_SECONDS) if full else (QUICK_CLAIMS, QUICK_SECONDS)
    burnt = fire.burn(seconds, claims, say)
    say("admission: recounting, and simulating")
    found = recount(burnt.log)
    figures = {
        "claims": found.claims,
        "over_admissions": found.over_admissions,
        "over_budget": found.over_budget,
    }
    notes = [
        f"{fire.AGENTS} agents on {fire.POOLS} pools, {fire.CLAIMERS} claimers, {burnt.kills} of them killed, {burnt.operations} changes by "
        f"the operator (the longest waited {burnt.longest_wait_s:.1f} s), {burnt.seconds:.0f} s; the database's clock ran {fire.SPEED} times faster.",
        f"{found.over_sized_alone} over-sized attempts ran alone; {found.while_closed} started at an agent or pool that was paused or cooling (0 is right).",
    ]  # fmt: skip
    notes += [f"At fault: {line}" for line in found.examples]
    if burnt.crashed:
        notes.append(
            f"{burnt.crashed} processes ended by an error of their own; their last words are on standard error."
        )
    if found.claims < (FULL_CLAIMS if full else FEWEST):
        notes.append(
            f"Fewer claims than the {FULL_CLAIMS if full else FEWEST:,} that this form is to make: the machine was too busy."
        )
    simulated = simulation.figures()
    shares = ", ".join(
        f"{name.removeprefix('utilisation_')} {value:.3f}"
        for name, value in simulated.items()
        if name not in CONTRACT
    )
    notes.append(
        f"Simulated: {simulation.TASKS} tasks in line at once, durations log-normal (median {simulation.MEDIAN_SECONDS:.0f} s, p95 "
        f"{simulation.P95_SECONDS:.0f} s) and independent of sizes; tokens used over the budget's while anybody was in line: {shares}. Minutes in which an "
        "over-sized document ran, which exceeds the budget by itself, are left out of the worst one."
    )
    return Measured(figures | {name: simulated[name] for name in CONTRACT}, notes)


CONTRACT = ("worst_60s_tokens_ratio", "utilisation_to_best", "longest_reservation_s", "reservation_bound_s")
