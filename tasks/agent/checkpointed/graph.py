"""An agent written with LangGraph: one step per window of the document, each kept by LangGraph's own checkpointer before the next one begins."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from langsmith import tracing_context
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from tasks.agent.checkpointed.thread import Thread, in_words
from tasks.agent.contract import Order, Problem, Result, Usage
from tasks.agent.llm.asking import Asking
from tasks.agent.llm.kept import Answered, Kept
from tasks.agent.llm.reader import Portions, address_of, opened, patience
from tasks.agent.llm.server import Server
from tasks.agent.reading import Tell

POOL_SECONDS = 15.0
STEPS_BESIDES = 10


class State(TypedDict):
    """`answers`: hash of a question → what was answered. `window`: the next one to ask about, from 0."""

    answers: Annotated[dict[str, dict[str, Any]], operator.or_]
    window: int


class Answers(Kept):
    """Paid answers in memory; the graph's state is where they are kept."""

    def __init__(self) -> None:
        super().__init__("")
        self.said: dict[str, Answered] = {}

    def get(self, key: str) -> Answered | None:
        return self.said.get(key)

    def put(self, key: str, answered: Answered) -> None:
        self.said[key] = answered


def read(order: Order, tell: Tell) -> tuple[Result, Usage]:
    """As the program "llm" reads, but for where answers are kept. Raises Problem."""
    with opened(order, tell) as (reading, options), in_words():
        thread = Thread.of(order)
        server = Server(order.endpoint, address_of(order), patience(order))
        try:
            answers = Answers()
            portions = Portions(
                reading, options, Asking(server, list(options.chain), answers, reading.meter), tell
            )
            with saver(thread) as checkpoints:
                run(portions, answers, checkpoints, thread.name)
            return portions.result()
        finally:
            server.close()


@contextmanager
def saver(thread: Thread) -> Iterator[PostgresSaver]:
    """LangGraph's checkpointer, on connections that are looked at before use and made anew, with the password of that moment, where they are dead."""
    pool = ConnectionPool(
        kwargs=lambda: {**thread.parameters(), "autocommit": True, "row_factory": dict_row, "prepare_threshold": 0},
        min_size=1,
        max_size=2,
        timeout=POOL_SECONDS,
        check=ConnectionPool.check_connection,
        open=False,
    )  # fmt: skip
    with pool:
        yield PostgresSaver(pool)  # type: ignore[arg-type]


def run(portions: Portions, answers: Answers, checkpoints: PostgresSaver, name: str) -> None:
    """Ask about each window that the thread `name` has no answers for; `answers` holds all of them afterwards. Raises Problem."""
    windows = portions.windows()

    def ask(state: State) -> dict[str, Any]:
        answers.said = {key: Answered(**said) for key, said in state["answers"].items()}
        for _ in portions.answers(windows[state["window"]]):
            pass
        fresh = {key: asdict(said) for key, said in answers.said.items() if key not in state["answers"]}
        return {"answers": fresh, "window": state["window"] + 1}

    def onward(state: State) -> str:
        return "ask" if state["window"] < len(windows) else END

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_conditional_edges(START, onward, ["ask", END])
    builder.add_conditional_edges("ask", onward, ["ask", END])
    graph = builder.compile(checkpointer=checkpoints)
    config: Any = {"configurable": {"thread_id": name}, "recursion_limit": len(windows) + STEPS_BESIDES}
    before = graph.get_state(config)
    if not before.values or before.next:
        first: State = {"answers": {}, "window": 0}
        try:
            # LangGraph's own traces would go to LangSmith. sync: an answer is in the database before the next question is paid for
            with tracing_context(enabled=False):
                graph.invoke(None if before.next else first, config, durability="sync")
        except Problem as problem:
            problem.usage = portions.asking.meter.usage
            raise
    kept = graph.get_state(config).values["answers"]
    answers.said = {key: Answered(**said) for key, said in kept.items()}
