"""Asks about one window: from what was paid for already, else the first model of the chain that answers."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from tasks.agent import tracing
from tasks.agent.contract import Code, Problem
from tasks.agent.llm.kept import Answered, Kept
from tasks.agent.llm.prompt import Question
from tasks.agent.llm.server import Said
from tasks.agent.llm.troubles import Elsewhere, TooLong
from tasks.agent.llm.usage import Meter

log = logging.getLogger(__name__)


class Answers(Protocol):
    """Who answers a question: a model's server, or a function of the platform."""

    def takes_pictures(self, model: str) -> bool: ...

    def ask(self, model: str, question: Question) -> Said:
        """Raises Problem, Elsewhere or TooLong (tasks.agent.llm.troubles)."""


@dataclass(slots=True)
class Asking:
    """One attempt's questions. A model that did not answer is not asked again in this attempt."""

    server: Answers
    chain: list[str]
    kept: Kept
    meter: Meter = field(default_factory=Meter)
    notes: list[str] = field(default_factory=list)
    _first: str = field(init=False)

    def __post_init__(self) -> None:
        self._first = self.chain[0]

    def ask(self, question: Question) -> str:
        """The answer's JSON. Raises TooLong, or the Problem of the last model that was asked."""
        key = question.key(self._first)
        answered = self.kept.get(key) or self._paid(key, question)
        if answered.too_long:
            raise TooLong
        return answered.text

    def _paid(self, key: str, question: Question) -> Answered:
        try:
            answered = self._answered(question)
        except TooLong:
            answered = Answered(model=self.chain[0], too_long=True)
        try:
            self.kept.put(key, answered)
        except OSError as error:  # costs a second payment after a crash, and nothing now
            log.warning("An answer could not be kept for later attempts: %s.", error.strerror)
        return answered

    def _answered(self, question: Question) -> Answered:
        while True:
            model = self.chain[0]
            try:
                return Answered(self._answer_of(model, question), model)
            except Elsewhere as error:
                if len(self.chain) == 1:
                    raise error.problem from None
                self.notes.append(f"{error.problem.message} “{self.chain[1]}” was asked instead."[:300])
                self.chain.pop(0)

    def _answer_of(self, model: str, question: Question) -> str:
        """Raises Elsewhere for a refusal and for what is no JSON, TooLong for an answer that was cut."""
        with tracing.span("model call", kind="LLM", model=model, pictures=len(question.pictures)) as step:
            step.content(inputs=question.text)
            try:
                said = self.server.ask(model, question)
            except Elsewhere as error:
                if error.sent:
                    self.meter.add(model, None)
                raise
            self.meter.add(model, said.usage)
            step.set(finish_reason=said.finish, provider=said.served_by, **_of_call(said))
            step.content(outputs=said.text)
        if question.pictures and not self.server.takes_pictures(model):
            self.notes.append(f"The model “{model}” takes no pictures; only the text of the pages was sent.")
        if said.refused:
            message = f"The model “{model}” refused to read this document. Another model may do it."
            raise Elsewhere(Problem(Code.INVALID_RESULT, message))
        if said.finish == "length":
            raise TooLong
        for text in candidates(said.text):
            try:
                if isinstance(json.loads(text), dict):
                    return text
            except (ValueError, RecursionError):
                continue
        message = f"The model “{model}” answered with something else than the JSON that it was asked for."
        raise Elsewhere(Problem(Code.INVALID_RESULT, message, retryable=True))


def _of_call(said: Said) -> dict[str, int | None]:
    usage = Meter()
    usage.add("", said.usage)
    told = usage.usage
    return {
        "input_tokens": told.input_tokens, "output_tokens": told.output_tokens, "cache_read_tokens": told.cache_read_tokens,
        "cache_write_tokens": told.cache_write_tokens,
    }  # fmt: skip


def candidates(text: str) -> Iterator[str]:
    """The answer, and what stands between its outermost braces: some models put words or a fence around their JSON."""
    yield text
    first, last = text.find("{"), text.rfind("}")
    if 0 <= first < last:
        yield text[first : last + 1]
