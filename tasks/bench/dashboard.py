"""The operators' page over a million tasks: every look is a new reading by real web processes; then fifty viewers at once."""

from __future__ import annotations

import random
import re
import threading
import time
from datetime import timedelta
from statistics import median, quantiles
from typing import Any

from django.db import connection

from tasks import queue, rollup
from tasks.bench import Measured, Say, crowd
from tasks.bench.web import Web
from tasks.management.preparation import collect_static
from tasks.totals import Totals, percentile, start_of

FINISHED_FULL, FINISHED_QUICK, WAITING_SHARE = 1_000_000, 100_000, 0.02
VIEWERS, SEED, WEB_WORKERS, WARM_SECONDS = 50, 7, 2, 3.0
WARM_LOOKS = 6
"""Of which some reach either process: each connection to the database is new once, and each template is compiled."""
CACHED_SECONDS = 1.2 * WEB_WORKERS + 0.1
"""After so long the page has to be read anew."""
FILTERS = (
    "", "last=24h", "last=30d", "last=90d", "last=all", "last=all&agent=1001", "last=all&agent=1013", "last=all&client=1001",
    "last=all&client=1044", "last=all&agent=1001&client=1044", "last=all&status=review", "last=all&status=failed", "last=all&status=enqueued",
    "last=90d&client=1001&status=completed", "last=30d&agent=1001", "from={year}", "from={year}&to={month}&client=1002",
)  # fmt: skip


def run(full: bool, say: Say) -> Measured:
    finished = FINISHED_FULL if full else FINISHED_QUICK
    say(f"Filling {finished:,} finished tasks.")
    crowd.fill(finished, int(finished * WAITING_SHARE))
    began = time.monotonic()
    sum_up(600.0)
    notes = [f"All sums were made in {time.monotonic() - began:.1f} s, behind the queue's back."]
    figures: dict[str, Any] = {"tasks": finished + int(finished * WAITING_SHARE)}
    collect_static()
    with Web(workers=WEB_WORKERS) as web:
        viewer = Viewer(web.url, crowd.cookie())
        say("Looking.")
        number = 25 if full else 8
        figures |= looks(viewer, number)
        worst = {
            query: median(viewer.look(f"/operations/?{query}", fresh=True) for _ in range(3 if full else 1))
            for query in _filters()
        }
        slowest = max(worst, key=lambda query: worst[query])
        figures["worst_filter_ms"] = round(worst[slowest], 1)
        notes.append(f"The slowest filter was {slowest or 'none'}.")
        figures["percentile_error"] = _percentile_error()
        figures["summary_queries_per_s_50_viewers"] = _fifty(web.url, viewer.cookie, 20.0 if full else 10.0)
    return Measured(figures, notes)


def sum_up(seconds: float) -> None:
    """Until everything that is over is summed up; other databases of the server may hold that up for a while."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not rollup.catch_up(5.0):
            state = queue.first(queue.connection(), "summary_state")
            if state.fence is None:
                return
            time.sleep(0.05)
    raise RuntimeError("the sums were not made in time")


class Viewer:
    """Somebody who is signed in."""

    def __init__(self, url: str, cookie: str) -> None:
        self.url, self.cookie = url, cookie
        self._looked: dict[str, float] = {}

    def look(self, path: str, *, fresh: bool) -> float:
        """Milliseconds of one answer; fresh: long enough after the last one that nothing is remembered."""
        query = path.partition("?")[2]
        if fresh and (wait := self._looked.get(query, 0.0) + CACHED_SECONDS - time.monotonic()) > 0:
            time.sleep(wait)
        began = time.monotonic()
        crowd.get(self.url, path, self.cookie)
        self._looked[query] = time.monotonic()
        return (time.monotonic() - began) * 1000


def looks(viewer: Viewer, number: int) -> dict[str, float]:
    """Whole pages and refreshes in turn, none of them from memory; after some with which each process imports and prepares what it needs."""
    times: dict[str, list[float]] = {"page_p95_ms": [], "refresh_p95_ms": []}
    for turn in range(-WARM_LOOKS, number):
        # What somebody watches, in words that nobody has asked with before
        since = start_of("day", _now()) - timedelta(days=7 + turn % (number + WARM_LOOKS))
        page = viewer.look(f"/operations/?from={since.date()}", fresh=True)
        refresh = viewer.look(f"/operations/fragment/?from={since.date()}&to={_now().date()}", fresh=True)
        if turn >= 0:
            times["page_p95_ms"].append(page)
            times["refresh_p95_ms"].append(refresh)
    return {name: round(quantiles(values, n=20)[-1], 1) for name, values in times.items()}


def _now() -> Any:
    return queue.first(queue.connection(), "summary_state").now


def _filters() -> list[str]:
    today = start_of("day", _now()).date()
    return [
        query.format(year=today - timedelta(days=300), month=today - timedelta(days=30)) for query in FILTERS
    ]


def _percentile_error() -> float:
    """Median and 95th percentile of everything, from stored buckets, beside the exact ones."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - enqueued_at)::float8), min(finished_at)"
            " FROM tasks WHERE status = 'completed'"
        )
        exact, first = cursor.fetchone()
    totals = Totals()
    for row in rollup.counted(queue.connection(), [(start_of("hour", first), _now())]):
        if row.outcome in ("completed", "review"):
            totals.add(row)
    found = [percentile(totals.response, share) or 0.0 for share in (0.5, 0.95)]
    return round(max(abs(ours / theirs - 1) for ours, theirs in zip(found, exact, strict=True)), 5)


def _fifty(url: str, cookie: str, seconds: float) -> float:
    """How often per second everything was read, while all viewers refresh as often as a page may: once a second."""
    seen: set[str] = set()
    begun, luck = time.monotonic(), random.Random(SEED)  # noqa: S311

    def watch(delay: float) -> None:
        time.sleep(delay)
        while (at := time.monotonic() - begun) < WARM_SECONDS + seconds:
            found = re.search(
                r'class="source">[^<]*<time datetime="([^"]+)"',
                crowd.get(url, "/operations/fragment/", cookie),
            )
            if at >= WARM_SECONDS:
                seen.add(found[1] if found else "")
            time.sleep(max(0.0, 1.0 - (time.monotonic() - begun - at)))

    viewers = [threading.Thread(target=watch, args=(luck.random(),)) for _ in range(VIEWERS)]
    for viewer in viewers:
        viewer.start()
    for viewer in viewers:
        viewer.join()
    return round(
        max(0, len(seen) - WEB_WORKERS) / seconds, 2
    )  # what each process had read before is no reading of this time
