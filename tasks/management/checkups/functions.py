"""Whether Databricks' own functions answer the agents that use them: each function is asked once, about as little as it takes."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from tasks import databricks
from tasks.agent.contract import Code, Completed, Failed
from tasks.management.checkups import Finding, fault, hint, ok
from tasks.management.checkups.running import PDF, TEXT, tried
from tasks.models import Agent
from tasks.versions import AI_EXTRACT, usable

SUBJECT = "AI functions"
PASSING = (Code.RATE_LIMITED, Code.UPSTREAM)
MOST_NAMED = 5
ADVICE = "docs/databricks.md (AI functions) says what they need. Until then these agents lack it: {}."
# The same page without a word: a line, so that it is not blank
SCAN = PDF.replace(TEXT, b"9 w 20 50 m 280 150 l S".ljust(len(TEXT)))


@dataclass(frozen=True, slots=True)
class Function:
    """One function: who uses it, how an attempt of this machine comes to ask it, and how this process asks it itself."""

    name: str
    users: Q
    document: bytes
    program: str
    settings: dict[str, Any]
    ask: Callable[[Any], Any]


def answer() -> Iterator[Finding]:
    """Nothing where no agent that may work uses one. Costs a fraction of a cent for each function."""
    agents = usable(Agent.objects.filter(is_paused=False)).order_by("name")
    for function in (EXTRACT, PARSE):
        users = agents.filter(function.users)
        for executor, looks in ((Agent.Executor.LOCAL, _from_here), (Agent.Executor.DATABRICKS, _from_there)):
            names = list(users.filter(executor=executor).values_list("name", flat=True)[:MOST_NAMED])
            if names:
                yield looks(function, ", ".join(names))


def _from_here(function: Function, names: str) -> Finding:
    """By an attempt: it logs in as the worker's user, and sees no variable of this process."""
    said = tried(function.document, function.program, function.settings)
    if isinstance(said, Failed):
        made = hint if said.code in PASSING else fault
        return made(SUBJECT, said.message, ADVICE.format(names))
    lack = _lack(said, function.name)
    if lack:
        return fault(SUBJECT, lack, ADVICE.format(names))
    return ok(SUBJECT, f"{function.name} answers the attempts of this machine ({names}).")


def _lack(said: Completed, name: str) -> str:
    """Why a page without text was not even sent; the attempt completes all the same."""
    reasons = said.result.reasons if said.result else ()
    return next((reason for reason in reasons if name in reason), "")


def _from_there(function: Function, names: str) -> Finding:
    """By this process: nothing but a run can log in as the job's own principal."""
    try:
        databricks.asked(function.ask, quick=True)
    except Exception as error:  # noqa: BLE001 - the SDK may raise anything, and the sentence says what it was
        made = hint if databricks.is_passing(error) else fault
        return made(SUBJECT, _refusal(error, function.name), ADVICE.format(names))
    return ok(SUBJECT, f"{function.name} answers this login. Runs of the job have their own, which needs the same right ({names}).")  # fmt: skip


def _refusal(error: Exception, name: str) -> str:
    from databricks.sdk import errors

    if isinstance(error, databricks.NotConfigured):
        return str(error)
    if isinstance(error, errors.PermissionDenied):
        return f"This login may not use {name}; an admin of the workspace has to allow AI functions for it, and for the job's principal."
    if isinstance(error, errors.NotFound | errors.NotImplemented):
        return f"The workspace has no {name}; not every region and edition has."
    return f"{name} did not answer: {databricks.in_words(error)}."


def _extract(workspace: Any) -> None:
    workspace.ai_functions.ai_extract(
        "Total 12.00", {"total": {"type": "string", "description": "the total"}}
    )


def _parse(workspace: Any) -> None:
    from databricks.sdk.service.aifunctions import AiParseDocumentOptions
    from PIL import Image

    packed = io.BytesIO()
    Image.new("L", (200, 100), 255).save(packed, "JPEG")
    url = f"data:image/jpeg;base64,{base64.b64encode(packed.getvalue()).decode()}"
    options = AiParseDocumentOptions(version="2.0", description_element_types="")
    workspace.ai_functions.ai_parse_document(url, options=options)


SCHEMA = {"kind": "probe", "fields": [{"name": "total", "type": "money"}]}
EXTRACT = Function(
    "ai_extract", Q(current_version__program=AI_EXTRACT), PDF, AI_EXTRACT, {"schema": SCHEMA, "model": "ai_extract"}, _extract,
)  # fmt: skip
PARSE = Function(
    "ai_parse_document", Q(current_version__options__contains={"ocr_engine": "databricks"}), SCAN, "rules", {"ocr_engine": "databricks"}, _parse,
)  # fmt: skip
