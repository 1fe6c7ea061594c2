"""The settings of an agent that asks a model, checked in words before anything is paid for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tasks.agent.contract import Code, Order, Problem
from tasks.agent.prior import WINDOW_PAGES
from tasks.agent.schema import Schema, SchemaError

Name = Annotated[str, Field(min_length=1, max_length=200)]


class Options(BaseModel):
    """What `AgentVersion.options` may say to the program "llm"; `model` comes from the version itself.

    max_output_tokens: 0 lets the schema decide. vision: whether pictures of pages are sent; auto: where their text is poor.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    fields: Schema
    model: Name
    fallback_models: Annotated[tuple[Name, ...], Field(max_length=5)] = ()
    max_output_tokens: Annotated[int, Field(ge=0, le=200_000)] = 0
    window_pages: Annotated[int, Field(ge=1, le=200)] = WINDOW_PAGES
    vision: Literal["auto", "never", "always"] = "auto"

    @property
    def chain(self) -> tuple[str, ...]:
        """Every model that may answer, in the order of preference."""
        return tuple(dict.fromkeys((self.model, *self.fallback_models)))

    @classmethod
    def of(cls, order: Order) -> Options:
        """Raises Problem: bad_configuration."""
        settings = {name: value for name, value in order.settings.items() if value not in (None, "")}
        if not settings.get("model"):
            raise Problem(
                Code.BAD_CONFIGURATION, "This agent names no model; choose one on its page in the admin."
            )
        try:
            return cls(**{**settings, "fields": Schema.of(settings.get("schema"))})
        except SchemaError as error:
            raise Problem(
                Code.BAD_CONFIGURATION, f"The schema of this agent cannot be used: {error}"[:1000]
            ) from None
        except ValidationError as error:
            fault = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(map(str, fault["loc"]))
            message = f"The setting {where} of this agent cannot be used ({fault['msg'].lower()}); change it in the admin."
            raise Problem(Code.BAD_CONFIGURATION, message) from None
