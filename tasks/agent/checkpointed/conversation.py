"""An agent written with OpenAI's Agents SDK: one run per window of the document, all in one of its sessions in Postgres."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import httpx
import openai
import psycopg
from agents import Agent, ModelBehaviorError, ModelSettings, OpenAIChatCompletionsModel, RunConfig, Runner
from agents.agent_output import AgentOutputSchemaBase
from agents.extensions.memory import SQLAlchemySession
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from tasks.agent import tracing
from tasks.agent.checkpointed.thread import Thread, in_words, problem_of
from tasks.agent.contract import Code, Order, Problem, Result, Usage
from tasks.agent.llm.prompt import Question
from tasks.agent.llm.reader import Portions, address_of, opened, patience
from tasks.agent.llm.server import CHATTY, CONNECT_SECONDS, NO_ADDRESS, host_of, key_for
from tasks.agent.llm.troubles import Elsewhere, trouble
from tasks.agent.llm.usage import Meter
from tasks.agent.reading import Tell


def read(order: Order, tell: Tell) -> tuple[Result, Usage]:
    """As the program "llm" reads with the text of pages and one model, but for where answers are kept. Raises Problem."""
    with opened(order, tell) as (reading, options), in_words():
        options = options.model_copy(update={"vision": "never"})
        with asyncio.Runner() as loop:
            asking = Conversation(order, options.model, Thread.of(order), loop, reading.meter)
            try:
                return Portions(reading, options, asking, tell).result()
            finally:
                loop.run(asking.close())


def engine_of(parameters: Callable[[], dict[str, Any]]) -> AsyncEngine:
    """Connections are looked at before use, and made anew, with the parameters of that moment, where they are dead."""

    async def connect() -> psycopg.AsyncConnection:
        return await psycopg.AsyncConnection.connect(**parameters())

    return create_async_engine(
        "postgresql+psycopg://", async_creator=connect, pool_pre_ping=True, pool_size=1, max_overflow=1
    )


async def make_tables(parameters: Callable[[], dict[str, Any]]) -> None:
    """The tables of the SDK's sessions, where they are missing."""
    engine = engine_of(parameters)
    await SQLAlchemySession("", engine=engine, create_tables=True).get_items(1)
    await engine.dispose()


class Form(AgentOutputSchemaBase):
    """Binds an answer to a question's schema, as the program "llm" does."""

    def __init__(self, question: Question):
        self.question = question

    def is_plain_text(self) -> bool:
        return False

    def name(self) -> str:
        return self.question.name

    def json_schema(self) -> dict[str, Any]:
        return self.question.schema

    def is_strict_json_schema(self) -> bool:
        return True

    def validate_json(self, json_str: str) -> str:
        if not is_object(json_str):
            raise ModelBehaviorError("no JSON object")
        return json_str


class Conversation:
    """Asks one model, in one session. What the session has an answer to is not asked again."""

    def __init__(self, order: Order, model: str, thread: Thread, loop: asyncio.Runner, meter: Meter):
        self.meter, self.notes = meter, list[str]()
        self.model, self._loop, self._seconds = model, loop, patience(order)
        self._host = host_of(address_of(order))
        self._client, self._headers = client_of(order)
        self._engine = engine_of(thread.parameters)
        self._session = SQLAlchemySession(thread.name, engine=self._engine)

    async def close(self) -> None:
        await self._client.close()
        await self._engine.dispose()

    def ask(self, question: Question) -> str:
        """The answer's JSON. Raises TooLong, or a Problem."""
        # Half a pair of UTF-16, which JSON can say, is kept by no file
        return self._loop.run(self._answer(question)).encode(errors="replace").decode()

    async def _answer(self, question: Question) -> str:
        kept = answer_in(await self._session.get_items(), question)
        if kept is not None:
            return kept
        with tracing.span("model call", kind="LLM", model=self.model):
            try:
                ran = await Runner.run(
                    self._agent(question), question.text, session=self._session, run_config=ALONE, max_turns=1
                )
            except ModelBehaviorError:
                self.meter.add(self.model, None)
                message = f"The model “{self.model}” answered with something else than the JSON that it was asked for, or was cut off. "
                advice = "Raise max_output_tokens of the agent, or lower window_pages."
                raise Problem(Code.INVALID_RESULT, message + advice, retryable=True) from None
            except Exception as error:  # noqa: BLE001 - whatever a server sends, it is said in a sentence
                raise self._meaning(error) from None
        self.meter.add(self.model, usage_of(ran))
        return str(ran.final_output)

    def _meaning(self, error: Exception) -> Exception:
        of_database = problem_of(error)
        if of_database is not None:
            self.meter.add(
                self.model, None
            )  # the answer may have come, and been paid for, before it could not be kept
            return of_database
        meaning = trouble(error, self.model, self._host, self._seconds)
        if not isinstance(meaning, Elsewhere):
            return meaning
        if meaning.sent:
            self.meter.add(self.model, None)
        return meaning.problem

    def _agent(self, question: Question) -> Agent:
        settings = ModelSettings(max_tokens=question.max_tokens, temperature=0, extra_headers=self._headers)
        return Agent(
            name="reader",
            instructions=question.system,
            model=OpenAIChatCompletionsModel(model=self.model, openai_client=self._client),
            model_settings=settings,
            output_type=Form(question),
        )


ALONE = RunConfig(
    # The SDK's own traces would go to OpenAI
    tracing_disabled=True,
    # A question is complete; with all earlier ones before it each window would be paid for again with each later one
    session_input_callback=lambda _history, new: new,
)


def answer_in(items: list[Any], question: Question) -> str | None:
    """What stands right after the question in a session; None where nothing does that can be used."""
    for asked, said in pairwise(items):
        if (
            asked.get("role") == "user"
            and asked.get("content") == question.text
            and said.get("role") == "assistant"
        ):
            text = "".join(part.get("text", "") for part in said["content"] if isinstance(part, dict))
            if is_object(text):
                return text
    return None


def usage_of(ran: Any) -> SimpleNamespace | None:
    """As a chat completion tells it. The SDK says 0 where the server says nothing."""
    told = ran.context_wrapper.usage
    if not told.input_tokens:
        return None
    details = SimpleNamespace(cached_tokens=told.input_tokens_details.cached_tokens)
    return SimpleNamespace(
        prompt_tokens=told.input_tokens, completion_tokens=told.output_tokens, prompt_tokens_details=details
    )


def client_of(order: Order) -> tuple[openai.AsyncOpenAI, dict[str, Any] | None]:
    """What asks the order's server, and the headers for it. Raises Problem: bad_configuration."""
    address = address_of(order)
    key = key_for(order.endpoint, address)
    try:
        client = openai.AsyncOpenAI(
            base_url=address,
            api_key=asked_each_time(key) if callable(key) else key or "none",
            max_retries=0,
            timeout=httpx.Timeout(patience(order), connect=CONNECT_SECONDS),
            # A document goes to the address that was set, or nowhere
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
        )
    except httpx.InvalidURL:
        raise Problem(Code.BAD_CONFIGURATION, NO_ADDRESS) from None
    for name in CHATTY:
        # What they log in detail holds the key and the document
        logging.getLogger(name).setLevel(logging.WARNING)
    return client, None if key else {"Authorization": openai.Omit()}


def asked_each_time(key: Callable[[], str]) -> Callable[[], Any]:
    async def present() -> str:
        return key()

    return present


def is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
