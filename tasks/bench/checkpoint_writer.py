"""Threads of agents that keep checkpoints, as LangGraph writes them, in a process of its own: `python -m tasks.bench.checkpoint_writer THREADS`."""

from __future__ import annotations

import operator
import secrets
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Annotated, Any, TypedDict
from uuid import uuid4

from tasks.agent.contract import Order

SCHEMA = "checkpoints"
STEPS = 10
"""Windows of a document of some hundred pages; then the next document's thread begins."""
ANSWER = 2_000
"""Characters of an answer: some forty fields or rows."""


class State(TypedDict):
    answers: Annotated[dict[str, str], operator.or_]


def credentials() -> dict[str, Any]:
    """Of the bench's own database, with the schema of checkpoints for its search path."""
    from tasks.bench import server

    found = server.parameters()
    return found | {"options": f"{found.get('options') or ''} -c search_path={SCHEMA}".strip()}


def write(stop: Event) -> None:
    """One thread after the other until `stop`, each answer a step that is in the database before the next begins."""
    from langgraph.graph import END, START, StateGraph

    from tasks.agent.checkpointed.graph import saver
    from tasks.agent.checkpointed.thread import Thread

    def step(state: State) -> dict[str, Any]:
        return {"answers": {secrets.token_hex(8): secrets.token_hex(ANSWER // 2)}}

    def onward(state: State) -> str:
        return END if stop.is_set() or len(state["answers"]) >= STEPS else "step"

    builder = StateGraph(State)
    builder.add_node("step", step)
    builder.add_edge(START, "step")
    builder.add_conditional_edges("step", onward, ["step", END])
    while not stop.is_set():
        order = Order(attempt=uuid4(), task=secrets.randbelow(2**53), number=1, program="", document="", document_sha256="")  # fmt: skip
        thread = Thread.of(order, credentials)
        with saver(thread) as checkpoints:
            config: Any = {"configurable": {"thread_id": thread.name}}
            builder.compile(checkpointer=checkpoints).invoke({"answers": {}}, config, durability="sync")


def main(threads: int) -> None:
    import django

    django.setup()
    from tasks.bench.gate import serve

    def work(stop: Event) -> None:
        with ThreadPoolExecutor(threads) as pool:
            for writing in [pool.submit(write, stop) for _ in range(threads)]:
                writing.result()

    serve(work)


if __name__ == "__main__":
    main(int(sys.argv[1]))
