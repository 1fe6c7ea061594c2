"""The form of an agent: its row, and the settings of its current version beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, MinValueValidator, RegexValidator
from django.forms.fields import InvalidJSONInput
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from tasks import versions
from tasks.agent.contract import PROGRAMS
from tasks.agent.schema import storable
from tasks.estimates import PRIOR
from tasks.models import Agent
from tasks.models.agents import BUDGET_FIELDS

MODEL_NAME = re.compile(r"[\w.:/@+-]{1,200}", re.ASCII)
MOST_FALLBACKS = 5
LEAST = {"max_attempts": 1, "timeout_seconds": 1, "memory_mib": 64, **dict.fromkeys(BUDGET_FIELDS, 1)}
"""Said in words, before the database says it in its own."""
LONGEST_SETTINGS = 20_000
VERSION_INPUTS = ("program", "model", *versions.OF_MODELS, "options", *PRIOR)
"""What a version is made of in this form; the schema has a page of its own."""


def is_endpoint(value: str) -> None:
    """An address that a key may be sent to: no other scheme, and no password in it."""
    try:
        parts = urlsplit(value)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise ValidationError(_("This is no address such as https://models.example.com/v1."))
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValidationError(_("An address holds no key or password; those are set where the workers run."))


class ModelNames(forms.CharField):
    """Names of models, one per line, as a list."""

    widget = forms.Textarea(attrs={"rows": 2, "cols": 40})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return value if isinstance(value, list) else (value or "").split()

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.to_python(initial) != self.to_python(data)

    def validate(self, value: Any) -> None:
        super().validate(value)
        for name in value:
            if not MODEL_NAME.fullmatch(name):
                raise ValidationError(_("“%(name)s” is no name of a model."), params={"name": name[:60]})
        if len(value) > MOST_FALLBACKS:
            raise ValidationError(_("At most %(most)d models are tried."), params={"most": MOST_FALLBACKS})

    def run_validators(self, value: Any) -> None:
        """Those of one line of text do not fit a list; `validate` has said everything."""


class Settings(forms.JSONField):
    """JSON that is not nested beyond what can be read, and has no number longer than that."""

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except (RecursionError, ValueError):
            raise ValidationError(self.error_messages["invalid"], code="invalid") from None

    def bound_data(self, data: Any, initial: Any) -> Any:
        try:
            found = super().bound_data(data, initial)
        except (RecursionError, ValueError):
            return InvalidJSONInput(data)
        return found if storable(found) else InvalidJSONInput(data)


def _figure(label: Any, least: float = 0) -> forms.FloatField:
    return forms.FloatField(
        label=label,
        required=False,
        min_value=least,
        max_value=1e9,
        help_text=_("Empty: as fields and pages say"),
    )


class AgentForm(forms.ModelForm):
    """An agent's row, and the settings of its current version beside it."""

    program = forms.CharField(
        label=_("program"), max_length=200, validators=[RegexValidator(r"^[A-Za-z_][\w.-]*(:[A-Za-z_]\w*)?$")],
        help_text=_("rules, llm, or package.module:function"),
    )  # fmt: skip
    model = forms.CharField(
        label=_("model"), required=False, validators=[MaxLengthValidator(200), RegexValidator(rf"^{MODEL_NAME.pattern}$")],
        help_text=_("As its provider names it. Only agents that ask a model need one."),
    )  # fmt: skip
    endpoint = forms.CharField(
        label=_("endpoint"), required=False, max_length=500, validators=[is_endpoint],
        help_text=_("Address of a server that speaks OpenAI's protocol; empty: OPENAI_BASE_URL. The key is set where the workers run."),
    )  # fmt: skip
    fallback_models = ModelNames(
        label=_("fallback models"), required=False, help_text=_("One per line; asked in this order when the model does not answer."),
    )  # fmt: skip
    max_output_tokens = forms.IntegerField(
        label=_("most output tokens per request"), required=False, min_value=1, max_value=200_000
    )
    window_pages = forms.IntegerField(
        label=_("pages per request"), required=False, min_value=1, max_value=200,
        help_text=_("Longer documents are read in several requests."),
    )  # fmt: skip
    vision = forms.ChoiceField(
        label=_("pictures of pages"), required=False,
        choices=(("", _("where the text is poor")), ("never", _("never")), ("always", _("always"))),
    )  # fmt: skip
    options = Settings(
        label=_("further settings"),
        required=False,
        initial=dict,
        help_text=_("A JSON object, for programs of your own"),
    )
    input_tokens_per_page = _figure(_("input tokens per page"))
    output_tokens_per_page = _figure(_("output tokens per page"))
    tokens_per_document = _figure(_("tokens per document"))
    requests_per_page = _figure(_("requests per page"))
    seconds_per_page = _figure(_("seconds per page"), 0.001)

    class Meta:
        model = Agent
        fields = "__all__"  # noqa: DJ007 - the admin's fieldsets say which

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        version = self.instance.current_version
        if version:
            options = dict(version.options)
            self.initial |= {"program": version.program, "model": version.model, **versions.said(version)}
            self.initial |= {name: options.pop(name, None) for name in ("schema", *versions.OF_MODELS)}
            self.initial["vision"] = (self.initial["vision"] or "").replace("auto", "")
            self.initial["options"] = options
        reckoned = versions.unlearnt(versions.figures_from(version.options if version else {}))
        for name in PRIOR:
            self.fields[name].widget.attrs["placeholder"] = f"{reckoned[name]:g}"
        for name, least in LEAST.items():
            if name in self.fields:
                self.fields[name].validators.append(MinValueValidator(least))
        for name in VERSION_INPUTS:
            self.fields[name].label = capfirst(self.fields[name].label)

    def clean_program(self) -> str:
        program = self.cleaned_data["program"]
        if ":" not in program and program not in PROGRAMS:
            raise ValidationError(
                _("There is no program “%(name)s”. There are: %(known)s; one of your own is named package.module:function."),
                params={"name": program, "known": ", ".join(PROGRAMS)},
            )  # fmt: skip
        return program

    def clean_options(self) -> dict[str, Any]:
        options = self.cleaned_data["options"] or {}
        if not isinstance(options, dict):
            raise ValidationError(_("This has to be a JSON object, such as {}."))
        if own := [name for name in ("schema", *versions.OF_MODELS) if name in options]:
            raise ValidationError(_("%(name)s has a place of its own on this page."), params={"name": own[0]})
        if len(json.dumps(options)) > LONGEST_SETTINGS or not storable(options):
            raise ValidationError(_("These settings are too long, or hold characters that cannot be stored."))
        return options

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if versions.needs_this_machine(cleaned.get("executor", ""), cleaned.get("options", {})):
            self.add_error("executor", capfirst(versions.CHECKPOINTS_STAY_HERE))
        return cleaned

    def version_changes(self) -> dict[str, Any]:
        """What this person changed of the version, for `tasks.versions.changed`."""
        wanted: Sequence[str] = VERSION_INPUTS if self.instance.current_version is None else self.changed_data
        return {name: self.cleaned_data[name] for name in VERSION_INPUTS if name in wanted}
