"""Words for what the models leave to Django: columns without a name of their own, and states. Their models stay as they are, for each name there is a part of a migration."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_noop as _

COLUMNS = (
    _("spend warn per day"), _("spend stop per day"), _("spend warn per month"), _("spend stop per month"), _("created at"), _("learnt at"),
    _("created by"), _("sha256"), _("size bytes"), _("pages"), _("needs password"), _("original name"), _("storage name"), _("uploaded by"),
    _("refused"), _("key"), _("data"), _("usd"), _("quantity"), _("usage rows"), _("unpriced rows"), _("token"), _("touched at"), _("ids"),
    _("before"), _("after"), _("finished at"), _("body sha256"), _("body"), _("last attempt"), _("corrects"), _("uploader"), _("status"),
    _("metered"), _("input tokens"), _("output tokens"), _("cache read tokens"), _("cache write tokens"), _("llm settled"),
    _("llm estimated"), _("llm settled usd"), _("llm estimated usd"), _("compute settled"), _("compute estimated"),
    _("compute settled usd"), _("compute estimated usd"), _("expected tokens"), _("actual tokens"), _("expected usd"), _("actual usd"),
    _("id"), _("zone"), _("stored until"), _("executors"), _("stopping at"), _("actor"), _("object type"), _("holder"), _("holder id"),
    _("period"), _("starts on"), _("shard"), _("level"), _("limit usd"), _("starts at"), _("cost settled"), _("cost estimated"),
    _("settled usd"), _("estimated usd"), _("response"), _("closed until"), _("hours from"), _("next until"), _("fence"), _("start key"),
    _("raised from"), _("enqueued at"), _("available at"), _("deferred"), _("blocked since"), _("blocked by"), _("lease owner"),
    _("lease expires at"), _("current attempt"), _("cancel requested at"), _("attempts burnt"), _("attempts released"), _("timeouts"),
    _("estimated tokens"), _("estimated output tokens"), _("estimated requests"), _("estimated seconds"), _("result attempt"),
    _("error code"), _("error message"), _("sealed password"), _("run page url"), _("deadline at"), _("last seen at"),
    _("stop requested at"), _("stop reason"), _("pages done"), _("pages total"), _("reserved tpm"), _("reserved output tpm"),
    _("reserved rpm"), _("reserved usd"), _("rate held until"), _("calls"), _("cost usd"), _("cost state"), _("compute cost usd"),
    _("compute cost state"), _("compute as of"), _("settled at"), _("trace read at"), _("trace calls"), _("trace input tokens"),
    _("trace output tokens"), _("trace cache read tokens"), _("trace cache write tokens"), _("trace cost usd"), _("process seconds"),
    _("max rss bytes"), _("conflict"), _("last key"), _("output tokens per document"), _("requests per document"),
    _("seconds per document"),
)  # fmt: skip
STATES = (
    _("enqueued"), _("processing"), _("running"), _("completed"), _("failed"), _("cancelled"), _("claimed"), _("starting"), _("timeout"),
    _("lost"), _("released"), _("superseded"),
)  # fmt: skip


def name_columns() -> None:
    """Django calls such a column as its field is called, in English; here it can be translated."""
    for model in apps.get_app_config("tasks").get_models():
        for field in model._meta.local_fields:
            if field._verbose_name is None:
                field.verbose_name = gettext_lazy(field.name.replace("_", " "))


@admin.display(description=gettext_lazy("state"), ordering="status")
def state(row: Any) -> str:
    """A task's or an attempt's state in a word."""
    return gettext(row.status)
