"""One server that speaks OpenAI's protocol: whom the attempt may ask there, by what right, and in which form each model takes a question."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tasks.agent.bearer import workspace_token
from tasks.agent.contract import Code, Endpoint, Problem
from tasks.agent.llm.prompt import LEAST_OUTPUT, Question
from tasks.agent.llm.troubles import trouble

NO_ADDRESS = (
    "This agent has no web address of a model server; set its endpoint, or OPENAI_BASE_URL where workers run."
)
CONNECT_SECONDS = 10.0
CHATTY = ("openai", "httpx", "httpcore")
FORMATS = ("json_schema", "json_object", "text")
"""How an answer may be bound to its form, from the strictest on; servers that lack one refuse it."""
OF_FORMATS = ("response_format", "json_schema", "json_object", "schema")
OF_LIMITS = ("max_tokens", "max_completion_tokens", "completion tokens", "in the completion")


@dataclass(slots=True)
class Form:
    """What is known of the form in which a model takes questions; learnt from its refusals, which cost nothing."""

    format: int = 0
    limit: str = "max_tokens"
    temperature: bool = True
    pictures: bool = True
    most: int = 0
    """Tokens of an answer that the model takes as a limit; 0: any so far."""

    def arguments(self, question: Question) -> dict[str, Any]:
        """Arguments of a chat completion."""
        name = FORMATS[self.format]
        messages = question.messages(in_prose=name != "json_schema", pictures=self.pictures)
        made: dict[str, Any] = {
            "messages": messages,
            self.limit: min(question.max_tokens, self.most or question.max_tokens),
        }
        if name == "json_schema":
            schema = {"name": question.name, "strict": True, "schema": question.schema}
            made["response_format"] = {"type": name, "json_schema": schema}
        elif name == "json_object":
            made["response_format"] = {"type": name}
        if self.temperature:
            made["temperature"] = 0
        return made

    def adapt(self, said: str, asked: int) -> bool:
        """Take another form after a refusal that says why; whether there is one. `asked`: the limit that was asked for, in tokens."""
        if self.limit == "max_tokens" and "max_completion_tokens" in said:
            self.limit = "max_completion_tokens"
        elif self.temperature and "temperature" in said:
            self.temperature = False
        elif self.pictures and "image" in said:
            self.pictures = False
        elif any(word in said for word in OF_LIMITS):
            return self._shorter(asked)
        elif self.format < len(FORMATS) - 1 and any(word in said for word in OF_FORMATS):
            self.format += 1
        else:
            return False
        return True

    def _shorter(self, asked: int) -> bool:
        """Allow half as long answers; an answer that is cut then is asked for in parts. Back to the start where that does not help."""
        half = min(asked, self.most or asked) // 2
        self.most = half if half >= LEAST_OUTPUT else 0
        return self.most > 0


@dataclass(frozen=True, slots=True)
class Said:
    """A model's answer as it came: its text ("" if none), why it ended, whether it refused, its usage, and the name the server gave the model."""

    text: str
    finish: str
    refused: bool
    usage: Any
    served_by: str


class Server:
    """Asks one question of one model; nothing is repeated but in another form. Close it at the end."""

    def __init__(self, endpoint: Endpoint, base_url: str, seconds: float):
        """`seconds`: how long an answer may take. Raises Problem: bad_configuration."""
        import httpx
        import openai  # takes a second to load, which only those pay who ask a model

        self.host = host_of(base_url)
        self.seconds = seconds
        key = key_for(endpoint, base_url)
        try:
            self._client = openai.OpenAI(
                base_url=base_url,
                api_key=key or "none",
                max_retries=0,
                timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS),
                # A document goes to the address that was set, or nowhere
                http_client=openai.DefaultHttpxClient(follow_redirects=False),
            )
        except httpx.InvalidURL:
            raise Problem(Code.BAD_CONFIGURATION, NO_ADDRESS) from None
        self._headers: dict[str, Any] = {} if key else {"Authorization": openai.Omit()}
        self._forms: dict[str, Form] = {}
        for name in CHATTY:
            # What they log in detail holds the key and the document
            logging.getLogger(name).setLevel(logging.WARNING)

    def close(self) -> None:
        self._client.close()

    def takes_pictures(self, model: str) -> bool:
        return self._forms.setdefault(model, Form()).pictures

    def ask(self, model: str, question: Question) -> Said:
        """Raises Problem, Elsewhere or TooLong (tasks.agent.llm.troubles)."""
        import openai

        form = self._forms.setdefault(model, Form())
        while True:
            try:
                made = form.arguments(question)
                return said(
                    self._client.chat.completions.create(model=model, extra_headers=self._headers, **made)
                )
            except (Problem, MemoryError):
                raise
            except Exception as error:  # noqa: BLE001 - whatever a server sends, it is said in a sentence
                meaning = trouble(error, model, self.host, self.seconds)
                refused = isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError)
                if not (refused and self._takes_it_otherwise(form, question, error, meaning)):
                    raise meaning from None

    def _takes_it_otherwise(
        self, form: Form, question: Question, error: Exception, meaning: Exception
    ) -> bool:
        """Whether a refused question is to be asked in another form."""
        said = why(error)
        # One that is too long together with its answer may fit with a shorter one
        return (isinstance(meaning, Problem) or "completion" in said) and form.adapt(
            said, question.max_tokens
        )


def host_of(base_url: str) -> str:
    """Host and port. Raises Problem: bad_configuration."""
    try:
        address = urlsplit(base_url)
    except ValueError:
        address = urlsplit("")
    if address.scheme not in ("http", "https") or not address.hostname:
        raise Problem(Code.BAD_CONFIGURATION, NO_ADDRESS)
    return address.netloc.rpartition("@")[2]


def why(error: Any) -> str:
    """What a server says of the request that it refuses."""
    return f"{error.param} {error.message}".lower()


def said(answer: Any) -> Said:
    """What is in a chat completion. Raises AttributeError where it is none."""
    if not answer.choices:
        return Said("", "", False, answer.usage, str(answer.model))
    choice = answer.choices[0]
    refused = bool(getattr(choice.message, "refusal", None)) or choice.finish_reason == "content_filter"
    return Said(
        text_of(choice.message.content), str(choice.finish_reason), refused, answer.usage, str(answer.model)
    )


def text_of(content: Any) -> str:
    """A message's text; models that reason in the open give parts, of which the text is the answer."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
    # Half a pair of UTF-16, which JSON can say, is kept by no file
    return "".join(text.encode(errors="replace").decode() for text in texts if isinstance(text, str))


def key_for(endpoint: Endpoint, base_url: str) -> str | Callable[[], str] | None:
    """The key, or what is asked for it before each request, so that one that was changed meanwhile is used."""
    if endpoint.key_file:
        return lambda: _read(endpoint.key_file)
    if endpoint.key:
        return endpoint.key
    token = workspace_token(base_url)
    return (lambda: _own_token(token)) if token else None


def _own_token(token: Callable[[], str]) -> str:
    try:
        return token()
    except Exception as error:  # noqa: BLE001 - the package's errors tell of hosts and profiles at length
        message = f"This run cannot log in to the Databricks workspace of its models ({type(error).__name__}). Check its profile or its job's identity."
        raise Problem(Code.BAD_CONFIGURATION, message) from None


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except OSError as error:
        message = f"The key of the model server cannot be read from MODEL_KEYS_DIR ({error.strerror or 'input error'})."
        raise Problem(Code.BAD_CONFIGURATION, message) from None
