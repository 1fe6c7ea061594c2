"""The one way in which news of attempts enters: events of both transports, ends told by executors, losses found by sweepers.

`apply` settles a batch in one transaction of two round trips: lock, decide (tasks.outcomes, pure), write.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
from django.conf import settings
from pydantic_core import PydanticSerializationError

from tasks import faults, queue, seen
from tasks.agent.contract import MOST_MESSAGE, Code, Completed, Failed, Progress, Usage
from tasks.costs.prices import PriceRow, Tokens, cost, process_cost
from tasks.costs.running import prices_now
from tasks.outcomes import Answer, AttemptFacts, Decision, TaskFacts, Word, decide
from tasks.states import AttemptStatus, TaskStatus

RATE_LIMIT_SECONDS = 30.0
"""How long a provider is left alone that said "too many requests" and not for how long."""
_STATUS_OF_CODE = {
    Code.TIMEOUT: AttemptStatus.TIMEOUT,
    Code.CANCELLED: AttemptStatus.CANCELLED,
    Code.LOST: AttemptStatus.LOST,
    Code.RELEASED: AttemptStatus.RELEASED,
}


def status_of(code: Code) -> AttemptStatus:
    """What an attempt that gave no result is called, by its code."""
    return _STATUS_OF_CODE.get(code, AttemptStatus.FAILED)


@dataclass(frozen=True, slots=True)
class News:
    """One piece of news of one attempt: a terminal event, or an answer that somebody else found out, or only its end."""

    attempt: UUID
    event: Completed | Failed | None = None
    answer: Answer | None = None
    ended: bool = False
    run_id: str = ""
    process_seconds: float | None = None
    max_rss_bytes: int | None = None


def failed_answer(event: Failed, *, ended: bool) -> Answer:
    return Answer(status_of(event.code), ended, event.code, event.message, event.retryable, event.retry_after)


def _answer(news: News) -> Answer:
    if isinstance(news.event, Completed):
        if news.event.result is None:
            raise ValueError("a result that was sent by reference has to be read before it is settled")
        return Answer(AttemptStatus.COMPLETED, news.ended)
    if isinstance(news.event, Failed):
        return failed_answer(news.event, ended=news.ended)
    return news.answer or Answer(None, news.ended)


def apply_event(db: psycopg.Connection, event: Completed | Failed, *, ended: bool = False) -> Word | None:
    """Settle one terminal event. None: there is no such attempt. Durable when it returns (outside a transaction of the caller)."""
    return apply(db, [News(event.attempt, event, ended=ended)]).get(event.attempt)


def apply(db: psycopg.Connection, batch: Sequence[News]) -> dict[UUID, Word]:
    """Settle a batch; the word for each attempt that exists. Several pieces of news of one task are applied one after another."""
    _cool_down(db, batch)
    words: dict[UUID, Word] = {}
    rest = _with_repeated_numbers(db, batch)
    while rest:
        now, later = _one_per_attempt(rest)
        rest = _settle_or_refuse(db, now, words) + later
    return words


def _with_repeated_numbers(db: psycopg.Connection, batch: Sequence[News]) -> list[News]:
    """Results are marked before they are settled, in a transaction of its own: what was noted of one that then does not count is replaced by the next."""
    marked = list(batch)
    read = [
        (place, news.event, news.event.result)
        for place, news in enumerate(batch)
        if isinstance(news.event, Completed) and news.event.result is not None
    ]
    results = queue.retried(lambda: seen.marked(db, [(event.attempt, result) for _, event, result in read]))
    for (place, event, _), result in zip(read, results, strict=True):
        marked[place] = replace(batch[place], event=event.model_copy(update={"result": result}))
    return marked


def _settle_or_refuse(db: psycopg.Connection, batch: list[News], words: dict[UUID, Word]) -> list[News]:
    """Settle; what the database refuses to store (a NUL in a text, a number without end) fails its own attempt and no other."""
    try:
        return queue.retried(lambda: _settle(db, batch, words))
    except (psycopg.DataError, psycopg.IntegrityError, PydanticSerializationError, UnicodeError) as error:
        if len(batch) > 1:
            return [news for piece in batch for news in _settle_or_refuse(db, [piece], words)]
        [news] = batch
        if news.event is None:
            raise
        message = f"The result cannot be stored: {str(error).splitlines()[0]}"
        if isinstance(news.event, Completed):  # what was read cannot be kept; what it cost can
            return _settle_or_refuse(db, [replace(news, event=_unkept(news.event, message))], words)
        answer = Answer(AttemptStatus.FAILED, news.ended, Code.INVALID_RESULT, message, False)
        return queue.retried(lambda: _settle(db, [replace(news, event=None, answer=answer)], words))


def _unkept(event: Completed, message: str) -> Failed:
    """The failure that a result which cannot be stored is, with its usage and trace."""
    return Failed(
        attempt=event.attempt, code=Code.INVALID_RESULT, message=message[:MOST_MESSAGE], retryable=False,
        usage=event.usage, trace_id=event.trace_id,
    )  # fmt: skip


def _one_per_attempt(batch: list[News]) -> tuple[list[News], list[News]]:
    first: set[UUID] = set()
    now, later = [], []
    for news in batch:
        (later if news.attempt in first else now).append(news)
        first.add(news.attempt)
    return now, later


def _settle(db: psycopg.Connection, batch: list[News], words: dict[UUID, Word]) -> list[News]:
    """One transaction. Returns the news that has to wait for the next one, because its task was already moved in this one."""
    later: list[News] = []
    with queue.short_transaction(db):
        tasks, attempts = queue.lock_for_outcomes(db, [news.attempt for news in batch])
        faults.point("settle:locked")
        prices = _prices(db, batch, attempts)
        written: list[dict[str, Any]] = []
        moved: set[int] = set()
        for news in batch:
            attempt = attempts.get(news.attempt)
            if attempt is None:
                continue
            if attempt.task_id in moved:
                later.append(news)
                continue
            moved.add(attempt.task_id)
            task = tasks[attempt.task_id]
            answer = _as_stopped(_answer(news), attempt)
            decision = decide(_task_facts(task), _attempt_facts(attempt), answer, random.random())  # noqa: S311
            words[news.attempt] = decision.word
            written.append(_row(task, attempt, news, answer, decision, prices))
        if written:
            rivals = attempts.keys() - {row["attempt_id"] for row in written}
            queue.write_outcomes(db, written, [rival for rival in rivals if not attempts[rival].ended])
            _let_go(db, written, tasks)
        faults.point("settle:written")
    return later


def _let_go(db: psycopg.Connection, written: list[dict[str, Any]], tasks: dict[int, Any]) -> None:
    """A reprocessed task waits for its old runs; an end that was confirmed just now may have been the last of them."""
    waiting = [
        row["task_id"]
        for row in written
        if row["ended"] and row["new_status"] is None and tasks[row["task_id"]].status == TaskStatus.ENQUEUED
    ]
    if waiting:
        queue.promote_waiting(db, waiting)


def _as_stopped(answer: Answer, attempt: Any) -> Answer:
    """A run that was stopped ends as what it was stopped for, whatever its last word: past its deadline it is a timeout."""
    if attempt.stop_reason == "timeout" and answer.status in (
        AttemptStatus.CANCELLED,
        AttemptStatus.LOST,
        AttemptStatus.FAILED,
    ):
        message = "It ran longer than its agent allows and was stopped."
        return replace(
            answer, status=AttemptStatus.TIMEOUT, code=Code.TIMEOUT, message=message, retryable=True
        )
    if attempt.stop_reason == "released" and answer.status in (AttemptStatus.CANCELLED, AttemptStatus.LOST):
        message = "An operator took it back from its worker."
        return replace(
            answer, status=AttemptStatus.RELEASED, code=Code.RELEASED, message=message, retryable=True
        )
    return answer


def _task_facts(row: Any) -> TaskFacts:
    return TaskFacts(
        row.id, TaskStatus(row.status), row.generation, row.current_attempt, row.attempts_burnt, row.attempts_released,
        row.attempts_made, row.timeouts, row.cancel_requested, row.max_attempts, row.lease_owner,
    )  # fmt: skip


def _attempt_facts(row: Any) -> AttemptFacts:
    return AttemptFacts(
        row.id, row.generation, AttemptStatus(row.status), row.ended, row.error_code,
        row.stop_reason == "declared" or row.erased,
    )  # fmt: skip


def _usage(news: News) -> Usage:
    return news.event.usage if news.event else Usage()


def _prices(db: psycopg.Connection, batch: list[News], attempts: dict[UUID, Any]) -> dict[str, PriceRow]:
    models = {
        _usage(news).model or attempts[news.attempt].model for news in batch if news.attempt in attempts
    }
    return prices_now(db, models)


def _money(attempt: Any, news: News, prices: dict[str, PriceRow]) -> dict[str, Any]:
    """Tokens and cost of the attempt after this news. Totals only grow, so nothing is ever counted twice (I5)."""
    usage = _usage(news)
    tokens = Tokens(
        attempt.input_tokens, attempt.output_tokens, attempt.cache_read_tokens, attempt.cache_write_tokens
    ).at_least(
        Tokens(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    )
    model = usage.model or attempt.model
    price = prices.get(model)
    usd = usage.cost_usd
    # Calls whose tokens a provider did not tell cost something too, which what was told before them does not cover
    untold = usage.calls > 0 and None in (usage.input_tokens, usage.output_tokens)
    if price is not None and not untold and (known := cost(tokens, price)) is not None:
        usd = known
    if news.event is not None and usage.calls == 0 and not (tokens.input or tokens.output):
        usd = Decimal(0)  # no model was asked: known to be nothing
    if usd is None:
        usd, price_id = attempt.cost_usd, attempt.price_id
    else:
        price_id = price.id if price else None
    return {
        "model": model, "input_tokens": tokens.input, "output_tokens": tokens.output, "cache_read_tokens": tokens.cache_read,
        "cache_write_tokens": tokens.cache_write, "cost_usd": usd, "cost_state": "unknown" if usd is None else "estimated",
        "cost_delta": (usd or 0) - (attempt.cost_usd or 0), "agent_id": attempt.agent_id, "client_id": attempt.client_id,
        "calls": max(usage.calls, attempt.calls or 0) if news.event else attempt.calls,
        "price_id": price_id, "settled": news.event is not None,
    }  # fmt: skip


def _row(
    task: Any, attempt: Any, news: News, answer: Answer, decision: Decision, prices: dict[str, PriceRow]
) -> dict[str, Any]:
    """One row of `outcome_write`."""
    event = news.event
    result = event.result if isinstance(event, Completed) and not attempt.erased else None
    code, message = (
        (None, None)
        if decision.keeps_error or attempt.erased
        else ("", "")
        if result
        else (answer.code, answer.message)
    )
    return {
        "task_id": task.id, "attempt_id": attempt.id, "old_status": task.status, "generation": task.generation,
        "old_current": task.current_attempt, "new_status": decision.task_status, "wait_seconds": decision.wait_seconds,
        "burnt": decision.burnt, "released": decision.released, "timeouts": decision.timeouts,
        "error_code": decision.error_code if decision.task_status else "", "error_message": decision.error_message,
        "confidence": result.confidence if result else None, "needs_review": bool(result and result.needs_review),
        "attempt_status": decision.attempt_status, "attempt_error_code": code, "attempt_error_message": message,
        "ended": news.ended or answer.ended, "result": result,
        "conflict": _conflict(event, answer) if decision.conflict and not attempt.erased else None,
        "trace_id": event.trace_id if event and not attempt.erased else "", "run_id": news.run_id,
        "process_seconds": news.process_seconds, "max_rss_bytes": news.max_rss_bytes,
        "compute_usd": process_cost(news.process_seconds, settings.COMPUTE_USD_PER_HOUR),
        **_money(attempt, news, prices),
    }  # fmt: skip


def _conflict(event: Completed | Failed | None, answer: Answer) -> dict[str, Any]:
    return {
        "status": str(answer.status),
        "code": str(answer.code),
        "message": answer.message,
        "event": event.type if event else "",
    }


def _cool_down(db: psycopg.Connection, batch: Sequence[News]) -> None:
    """Before the failures are settled, so that nothing starts between. Its own transaction: agent and pool rows come first in the lock order."""
    limited = [
        news for news in batch if isinstance(news.event, Failed) and news.event.code == Code.RATE_LIMITED
    ]
    for news in limited:
        found = queue.describe(db, [news.attempt], 0)
        if found and found[0].status != AttemptStatus.FAILED:  # a repeated event asks for nothing new
            seconds = news.event.retry_after if news.event.retry_after is not None else RATE_LIMIT_SECONDS  # type: ignore[union-attr]
            queue.retried(partial(queue.cool_down, db, found[0].agent_id, seconds))
            faults.point("settle:cooled")


def progress(db: psycopg.Connection, events: Sequence[Progress]) -> None:
    """Store where attempts are. The last word of each attempt is enough; none of it touches a lease."""
    last = sorted({event.attempt: event for event in events}.values(), key=lambda event: event.attempt)
    if last:
        queue.retried(
            lambda: queue.progress(
                db,
                {
                    "attempts": [e.attempt for e in last], "pages_done": [e.pages_done for e in last],
                    "pages_total": [e.pages_total for e in last], "models": [e.usage.model for e in last],
                    "input": [e.usage.input_tokens for e in last], "output": [e.usage.output_tokens for e in last],
                    "cache_read": [e.usage.cache_read_tokens for e in last],
                    "cache_write": [e.usage.cache_write_tokens for e in last],
                },
            )
        )  # fmt: skip
