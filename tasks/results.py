"""What people are shown of a stored result: all of it, or why not, where it breaks the contract (somebody's SQL or another version wrote it)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from tasks.agent.contract import Record

SHOWN_ALL_THE_SAME = ("string_too_long", "too_long", "extra_forbidden")
"""Faults of a result that no page minds."""


class _Shown(BaseModel):
    """What is asked of a result to show it; the rest of the contract is not looked at again."""

    records: tuple[Record, ...] = ()
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def fault(stored: Any) -> str:
    """In which way it breaks the contract, as a sentence; empty if it does not."""
    try:
        _Shown.model_validate({} if stored is None else stored)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_input=False):
            if one["type"] not in SHOWN_ALL_THE_SAME:
                place = ".".join(map(str, one["loc"])) or "result"
                return f"The stored result breaks the contract ({place}: {one['msg']}); only as JSON can it be shown."
    return ""


def shown(stored: Any) -> dict[str, Any]:
    """The result itself; nothing where there is none; of one that breaks the contract, a reason that says so and nothing else."""
    said = fault(stored)
    return {"reasons": [said]} if said else stored or {}
