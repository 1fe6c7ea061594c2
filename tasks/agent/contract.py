"""The one schema that an attempt speaks: its order, its events, its result. Version 1.

An attempt is told what to do by an `Order` and answers with events. Both transports (a local pipe, the signed
webhook of a remote run) carry exactly these models, and `tasks.events.apply_event` is where both end.
Money and quantities travel as decimal strings, dates as ISO 8601, boxes as fractions of the page after rotation.
"""

from __future__ import annotations

import hashlib
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

VERSION = 1

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=0, le=2_000_000_000)]


class Model(BaseModel):
    """Unknown members are refused, so that a misspelt one is an error and not a silent loss."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Code(StrEnum):
    """Why an attempt failed, in a word. People see the message beside it; `retryable` decides what happens next."""

    # The document: no other attempt will do better
    NOT_PDF = "not_pdf"
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    NO_PAGES = "no_pages"
    CORRUPT = "corrupt"
    LIMIT = "limit"
    # The set-up: a person has to change something
    AGENT_NOT_AVAILABLE = "agent_not_available"
    BAD_CONFIGURATION = "bad_configuration"
    DOCUMENT_MISSING = "document_missing"
    INVALID_RESULT = "invalid_result"
    OVER_BUDGET = "over_budget"
    # The moment: worth another attempt
    RATE_LIMITED = "rate_limited"
    UPSTREAM = "upstream"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    STORAGE = "storage"
    LOST = "lost"
    # Stopped on purpose
    CANCELLED = "cancelled"
    RELEASED = "released"


class Box(Model):
    """A rectangle on a page in fractions of its width and height (0..1, origin top left, after rotation)."""

    x0: Share
    y0: Share
    x1: Share
    y1: Share


class Evidence(Model):
    """Where a value stands: page (1-based), box, and the words that are printed there."""

    page: Annotated[int, Field(ge=1)]
    box: Box
    quote: Annotated[str, Field(max_length=500)]


class Source(StrEnum):
    """What a value was read from."""

    PAGE = "page"
    XML = "xml"
    FORM = "form"
    OCR = "ocr"
    MODEL = "model"
    COMPUTED = "computed"


class FieldValue(Model):
    """One extracted value. `reasons` say in words why it needs a look; none means that it is ready.

    value: text, an ISO date, a decimal string or an integer, as the agent's schema says; None: not found.
    evidence: empty means "not found on page".
    """

    value: str | int | None
    confidence: Share
    source: Source = Source.PAGE
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=20)] = ()
    reasons: Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(max_length=20)] = ()


class Record(Model):
    """One business document found in the file: an invoice, a contract. A file may hold several."""

    kind: Annotated[str, Field(max_length=40)]
    fields: dict[Annotated[str, Field(max_length=60)], FieldValue]
    lines: tuple[dict[Annotated[str, Field(max_length=60)], FieldValue], ...] = ()
    first_page: Annotated[int, Field(ge=1)] = 1
    last_page: Annotated[int, Field(ge=1)] = 1


class Result(Model):
    """What an attempt read. `confidence` is the lowest confidence of the required fields of all records."""

    version: Literal[1] = 1
    kind: Annotated[str, Field(max_length=40)]
    language: Annotated[str, Field(max_length=12)] = ""
    pages: Count
    records: tuple[Record, ...] = ()
    confidence: Share
    needs_review: bool
    reasons: tuple[Annotated[str, Field(max_length=300)], ...] = ()
    notes: tuple[Annotated[str, Field(max_length=300)], ...] = ()
    """What a reader should know of the file itself: JavaScript inside, attachments, hidden text, OCR used."""


class Usage(Model):
    """Tokens of the attempt so far, as totals (never increments), and the model that answered.

    `input_tokens` includes both cache kinds, as providers report it. `calls` = 0 says that no model was asked, so the cost is
    known to be nothing; tokens that a provider did not report are None: unknown, not zero.
    """

    calls: Count = 0
    model: Annotated[str, Field(max_length=200)] = ""
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    cost_usd: Annotated[Decimal, Field(ge=0, max_digits=14, decimal_places=6)] | None = None


def _type_is_needed(schema: dict[str, Any]) -> None:
    """It has a default only for those who make events in Python; in JSON it tells the events apart."""
    if "type" in schema["properties"]:
        schema["required"] = [*schema.get("required", ()), "type"]


class Event(Model):
    """What every event carries. `attempt` must equal the attempt that the transport authenticated."""

    model_config = ConfigDict(json_schema_extra=_type_is_needed)
    version: Literal[1] = 1
    attempt: UUID


class Started(Event):
    type: Literal["attempt.started"] = "attempt.started"
    run_id: Annotated[str, Field(max_length=100)] = ""
    run_page_url: Annotated[str, Field(max_length=500)] = ""


class Progress(Event):
    type: Literal["attempt.progress"] = "attempt.progress"
    pages_done: Count
    pages_total: Count
    usage: Usage = Usage()


class Completed(Event):
    """`result` itself, or `result_uri` + `result_sha256`: of a file in the configured storage when it is too large, or of the attempt's row."""

    type: Literal["attempt.completed"] = "attempt.completed"
    result: Result | None = None
    result_uri: Annotated[str, Field(max_length=500)] = ""
    result_sha256: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    usage: Usage = Usage()
    trace_id: Annotated[str, Field(max_length=100)] = ""


def row_name(attempt: UUID) -> str:
    """The `result_uri` of a result that stands in the attempt's row of the database."""
    return f"attempt_results/{attempt}"


MOST_MESSAGE, LONGEST_WAIT_SECONDS = 2000, 86_400
"""Characters and seconds that a failure may have; what is longer is cut by whoever tells it."""


class Failed(Event):
    """`message` is one sentence for people. `retry_after` (seconds) is what the upstream asked for and wins over our backoff."""

    type: Literal["attempt.failed"] = "attempt.failed"
    code: Code
    message: Annotated[str, Field(max_length=MOST_MESSAGE)]
    retryable: bool
    retry_after: Annotated[float, Field(ge=0, le=LONGEST_WAIT_SECONDS)] | None = None
    usage: Usage = Usage()
    trace_id: Annotated[str, Field(max_length=100)] = ""


AnyEvent = Annotated[Started | Progress | Completed | Failed, Field(discriminator="type")]
EVENTS: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


def parse_event(body: bytes | str) -> Started | Progress | Completed | Failed:
    """The event in a JSON body. Raises pydantic.ValidationError, whose text names the member at fault."""
    return EVENTS.validate_json(body)


class Limits(Model):
    """What one attempt may use of the machine; the executor enforces it, the reader keeps below it."""

    memory_mib: Annotated[int, Field(ge=64)] = 1536
    cpu_seconds: Annotated[int, Field(ge=1)] = 600
    wall_seconds: Annotated[int, Field(ge=1)] = 1800
    pages: Annotated[int, Field(ge=1)] = 2000
    raster_pixels: Annotated[int, Field(ge=100)] = 2500
    """Longest side of a rendered page."""


class Endpoint(Model):
    """Where an attempt's models answer, and by what right. `key_file` is read again for each request, so that its key may change meanwhile.

    Without either key an address of Databricks gets the run's own token, and any other address none.
    """

    base_url: Annotated[str, Field(max_length=500)] = ""
    key: Annotated[str, Field(repr=False)] = ""
    key_file: str = ""


class Checkpoints(Model):
    """The database that an attempt keeps its thread in. `password_file` is read again for each connection, so that the password may change meanwhile."""

    url: Annotated[str, Field(max_length=1000, repr=False)]
    password_file: str = ""


class Tracing(Model):
    """What becomes of an attempt's spans. `uri` and `experiment` are MLflow's, for a run that writes its trace itself.

    content: whether text of the document and of prompts is kept in them (TRACE_CONTENT).
    """

    tags: dict[str, Annotated[str, Field(max_length=500)]] = {}
    content: bool = False
    uri: str = ""
    experiment: str = ""


class ResultTable(Model):
    """The Lakebase whose table `attempt_results` a remote run inserts its outcome into, under its own login; one of `endpoint` and `instance`."""

    endpoint: Annotated[str, Field(max_length=500)] = ""
    instance: Annotated[str, Field(max_length=200)] = ""
    database: Annotated[str, Field(max_length=100)]
    schema_name: Annotated[str, Field(max_length=100)]
    port: Annotated[int, Field(ge=1, le=65_535)] = 5432


PROGRAMS = ("rules", "contract-rules", "statement-rules", "llm", "databricks-ai-extract")
"""Names of those that come along; one of somebody's own is named "package.module:function"."""


class Order(Model):
    """Everything that an attempt needs to know. Secrets in it never leave the pipe or the private input file."""

    version: Literal[1] = 1
    attempt: UUID
    task: int
    number: Annotated[int, Field(ge=1)]
    generation: Annotated[int, Field(ge=1)] = 1
    program: Annotated[str, Field(max_length=200)]
    settings: dict[str, Any] = {}
    """The agent version's own settings: schema of fields, languages, model."""
    endpoint: Endpoint = Endpoint()
    kept: str = ""
    """What all files begin with in which attempts of this task, generation and version keep paid answers for each other; empty: nothing is kept."""
    checkpoints: Checkpoints | None = None
    """None: this agent keeps none, or there is no database for them where it runs."""
    document: str
    """Path of a readable file: a local one, or below /Volumes on a remote run."""
    document_sha256: str
    document_name: str = ""
    password: Annotated[str, Field(repr=False)] = ""
    outcome: str = ""
    """Path where the outcome is written before it is spoken; empty: not written."""
    result_table: ResultTable | None = None
    """Where the outcome is put before it is spoken, instead of `outcome`; which is for when that cannot be done."""
    callback_url: str = ""
    """Where a run that has no pipe to its worker posts its events; empty: it is heard over the pipe."""
    callback_secret: Annotated[str, Field(repr=False)] = ""
    """Signs this attempt's events and its outcome file, and nothing else."""
    limits: Limits = Limits()
    tracing: Tracing | None = None
    """None: nothing of this attempt is traced."""


class Problem(Exception):
    """An attempt cannot give a result: a code, one sentence for people, and whether another attempt may help."""

    def __init__(
        self, code: Code, message: str, *, retryable: bool = False, retry_after: float | None = None
    ):
        super().__init__(message)
        self.code, self.message, self.retryable, self.retry_after = code, message, retryable, retry_after
        self.usage: Usage | None = None
        """What was paid until then, where somebody knows it better than the attempt's last progress."""


NOT_HANDED_IN = (
    "The stored file is not the document that was handed in: it was cut short, damaged or replaced. "
    "Restore it from a backup, or hand the document in again."
)


def is_handed_in(path: str, sha256: str) -> bool:
    """Whether the file has these bytes; empty: nobody has said which. Raises OSError."""
    with open(path, "rb") as file:
        return sha256 in ("", hashlib.file_digest(file, "sha256").hexdigest())
