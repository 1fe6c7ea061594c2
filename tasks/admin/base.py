"""What the pages of the admin share: who sees what, edits that write only what was changed, verbs that ask first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.forms import Form, ModelForm
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks import operations
from tasks.access import visible_to
from tasks.audit import Actor, Entry, record

FIRST = 5


def actor_of(request: HttpRequest) -> Actor:
    return Actor.person(request.user, "admin")


class Page(admin.ModelAdmin):
    """A list that stays fast with many rows. `belongs_to_client`: people see the rows of their clients only."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 100
    belongs_to_client = False

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        rows = super().get_queryset(request)
        return visible_to(request.user, rows) if self.belongs_to_client else rows

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """What actions with `permissions=["operate"]` ask for, on the server."""
        return request.user.has_perm("tasks.operate_task")


class ReadOnly(Page):
    """Rows that only the product itself writes: no form of the admin, however old, can change one."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class Audited(Page):
    """Edits write the fields that this person changed and no other, below a lock that lets claims read, and leave a trail."""

    def get_form(
        self, request: HttpRequest, obj: Model | None = None, change: bool = False, **kwargs: Any
    ) -> type[ModelForm]:
        form = super().get_form(request, obj, change=change, **kwargs)
        if change:
            # What the person saw is sent along, so that a form opened before somebody else's edit does not undo it
            for field in form.base_fields.values():
                field.show_hidden_initial = True
        return form

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm, change: bool) -> None:
        name = obj._meta.model_name
        if not change:
            obj.save()
            record(
                actor_of(request),
                [Entry("add", name, str(obj.pk), after=told(obj, own_fields(obj, form.cleaned_data)))],
            )
            return
        changed = own_fields(obj, form.changed_data)
        before = self.model.objects.select_for_update(no_key=True).get(pk=obj.pk)
        if changed:
            obj.save(update_fields=changed)
            record(
                actor_of(request),
                [Entry("change", name, str(obj.pk), told(before, changed), told(obj, changed))],
            )

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self.delete_queryset(request, self.model.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        names = [field.name for field in self.model._meta.concrete_fields]
        record(
            actor_of(request),
            [Entry("delete", row._meta.model_name, str(row.pk), before=told(row, names)) for row in queryset],
        )
        queryset.delete()


def own_fields(obj: Model, names: Iterable[str]) -> list[str]:
    concrete = {field.name for field in obj._meta.concrete_fields}
    return [name for name in names if name in concrete]


def told(obj: Model, names: Iterable[str]) -> dict[str, Any]:
    """Values as the trail keeps them: JSON, money and times as text."""
    values = {name: getattr(obj, obj._meta.get_field(name).attname) for name in names}
    return {
        name: value if isinstance(value, (str, int, float, bool, dict, list, type(None))) else str(value)
        for name, value in values.items()
    }


def confirmed(
    page: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet, *, action: str, title: str,
    do: Callable[[list[Any], str, dict[str, Any]], operations.Outcome], form_class: type[Form] | None = None, needs_reason: bool = False,
) -> HttpResponse | None:  # fmt: skip
    """Show how many rows an action concerns, the first of them and a reason to fill in; on the second post do it and say what came of it.

    `do` gets ids, reason, and what `form_class` asked for besides. Rows may have changed in between: `do` skips what no longer fits.
    """
    if not page.has_operate_permission(request):
        raise PermissionDenied
    is_sure = "confirmed" in request.POST
    form = form_class(request.POST if is_sure else None) if form_class else None
    reason = request.POST.get("reason", "").strip()
    complaint = _("Say why; the audit log keeps it.") if is_sure and needs_reason and not reason else ""
    if not is_sure or complaint or (form is not None and not form.is_valid()):
        return _ask(
            page,
            request,
            queryset,
            action,
            title,
            {"form": form, "needs_reason": needs_reason, "complaint": complaint},
        )
    ids = list(queryset.order_by("pk").values_list("pk", flat=True))
    try:
        outcome = do(ids, reason, form.cleaned_data if form is not None else {})
    except operations.Refused as refusal:
        page.message_user(request, refusal.message, messages.ERROR)
        return None
    if outcome.done:
        rows = page.model.objects.filter(pk__in=outcome.done)
        LogEntry.objects.log_actions(
            request.user.pk, rows, CHANGE, f"{title} {reason}".strip(), single_object=False
        )
    page.message_user(request, outcome.sentence, messages.SUCCESS if outcome.done else messages.WARNING)
    return None


def _ask(
    page: admin.ModelAdmin,
    request: HttpRequest,
    queryset: QuerySet,
    action: str,
    title: str,
    extra: dict[str, Any],
) -> HttpResponse:
    count = queryset.count()
    context = {
        **page.admin_site.each_context(request), **extra, "title": title, "action": action, "opts": page.model._meta, "media": page.media,
        "sentence": ngettext("%(number)d row is concerned.", "%(number)d rows are concerned.", count) % {"number": count},
        "first": queryset.order_by("pk")[:FIRST], "more": max(0, count - FIRST), "checkbox": ACTION_CHECKBOX_NAME,
        "selected": request.POST.getlist(ACTION_CHECKBOX_NAME), "select_across": request.POST.get("select_across", "0"),
        "reason": request.POST.get("reason", ""),
    }  # fmt: skip
    return TemplateResponse(request, "admin/confirm_action.html", context)


def switched(
    page: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet, verb: Callable, action: str, title: str
) -> HttpResponse | None:
    """Pause or resume each row of a model that has a switch."""

    def do(ids: list[Any], reason: str, _chosen: dict[str, Any]) -> operations.Outcome:
        outcome = operations.Outcome()
        for row in page.model.objects.filter(pk__in=ids).order_by("pk"):
            if verb(actor_of(request), row, reason):
                outcome.done.append(row.pk)
            else:
                outcome.skipped[row.pk] = _("already so")
        return outcome

    return confirmed(page, request, queryset, action=action, title=title, do=do)


class Pausable(Page):
    """Actions that pause and resume what a row stands for."""

    actions = ("pause", "resume")

    @admin.action(description=gettext_lazy("Pause"), permissions=["operate"])
    def pause(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return switched(
            self,
            request,
            queryset,
            operations.pause,
            "pause",
            _("Pause: nothing more is started, what runs goes on"),
        )

    @admin.action(description=gettext_lazy("Resume"), permissions=["operate"])
    def resume(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return switched(self, request, queryset, operations.resume, "resume", _("Resume"))
