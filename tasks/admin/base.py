"""What the pages of the admin share: who sees what, edits that write only what was changed, verbs that ask first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID, uuid4

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.forms import Form, ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks import bulk, consequences, operations
from tasks.access import visible_to
from tasks.admin.lists import CappedPaginator, in_words
from tasks.audit import Actor, Entry, reason_of, record
from tasks.verbs import VERBS

FIRST = 5
PAUSED = in_words("is_paused", gettext_lazy("paused"))


def actor_of(request: HttpRequest) -> Actor:
    return Actor.of(request, "admin")


class Page(admin.ModelAdmin):
    """A list that stays fast with many rows. `belongs_to_client`: people see the rows of their clients only."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 100
    paginator = CappedPaginator
    list_max_show_all = 0
    belongs_to_client = False

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        rows = super().get_queryset(request)
        return visible_to(request.user, rows) if self.belongs_to_client else rows

    def get_fieldsets(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Of a row that is not there yet nothing can be told: its form has only what is filled in."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is not None:
            return fieldsets
        told = set(self.get_readonly_fields(request, obj))
        return [
            (title, {**options, "fields": [name for name in options["fields"] if name not in told]})
            for title, options in fieldsets
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """An action that this person may not run is refused in so many words, whatever the page offered (and leaves a trail)."""
        wanted = request.POST.get("action", "")
        if (
            wanted
            and request.method == "POST"
            and wanted in self._every_action()
            and wanted not in self.get_actions(request)
        ):
            record(
                actor_of(request),
                [Entry("refused", self.model._meta.model_name, after={"action": wanted}, object_id="")],
            )
            raise PermissionDenied
        return super().changelist_view(request, extra_context)

    def described(self, row: Any) -> str:
        """A row on a confirmation page."""
        return str(row)

    def _every_action(self) -> set[str]:
        return {name for _function, name, _title in self._get_base_actions()}

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


class Internal(ReadOnly):
    """Parts of the machinery, for those who wonder about a figure or an order: by their address, not among what people look after."""

    def has_module_permission(self, request: HttpRequest) -> bool:
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
                field.show_hidden_initial = not field.disabled
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
    concrete = {field.name for field in obj._meta.concrete_fields} - {"password"}
    return [name for name in names if name in concrete]


def told(obj: Model, names: Iterable[str]) -> dict[str, Any]:
    """Values as the trail keeps them: JSON, money and times as text."""
    values = {name: getattr(obj, obj._meta.get_field(name).attname) for name in names}
    return {
        name: value if isinstance(value, (str, int, float, bool, dict, list, type(None))) else str(value)
        for name, value in values.items()
    }


def confirmed(
    page: Page, request: HttpRequest, queryset: QuerySet, verb: str, *, form_class: type[Form] | None = None,
    do: Callable[[list[Any], str], operations.Outcome] | None = None, title: str | Promise = "", needs_reason: bool = False,
) -> HttpResponse | None:  # fmt: skip
    """Show how many rows a verb concerns, the first of them, what it costs or loses, and a reason to fill in; on the second post begin it.

    Rows may have changed in between: the verb skips what no longer fits. `form_class` asks for its parameters. `do` is for what is no verb
    of `tasks.verbs`, and is done at once.
    """
    if not page.has_operate_permission(request):
        raise PermissionDenied
    is_sure = "confirmed" in request.POST
    form = form_class(request.POST if is_sure else None) if form_class else None
    reason = reason_of(request)
    needs_reason = needs_reason or (verb in VERBS and VERBS[verb].needs_reason)
    complaint = _("Say why; the audit log keeps it.") if is_sure and needs_reason and not reason else ""
    if not is_sure or complaint or (form is not None and not form.is_valid()):
        title = title or VERBS[verb].title
        return _ask(
            page,
            request,
            queryset,
            verb,
            title,
            {"form": form, "needs_reason": needs_reason, "complaint": complaint},
        )
    if do is not None:
        outcome = do(list(queryset.order_by("pk").values_list("pk", flat=True)), reason)
        page.message_user(request, outcome.sentence, messages.SUCCESS if outcome.done else messages.WARNING)
        return None
    return _begin(page, request, queryset, verb, reason, form.cleaned_data if form is not None else {})


def _begin(
    page: Page, request: HttpRequest, queryset: QuerySet, verb: str, reason: str, parameters: dict[str, Any]
) -> HttpResponse | None:
    selection = request.GET.urlencode() or "*" if request.POST.get("select_across") == "1" else ""
    try:
        action = bulk.begin(
            actor_of(request),
            verb,
            queryset,
            selection=selection,
            parameters=parameters,
            reason=reason,
            token=_token(request),
        )
    except operations.Refused as refusal:
        page.message_user(request, refusal.message, messages.ERROR)
        return None
    if not action.finished_at:
        return redirect("bulk_action", pk=action.pk)
    link = reverse("bulk_action", args=(action.pk,))
    told = format_html(
        '{} <a href="{}">{}</a>', action.error or bulk.sentence(action), link, _("See what became of each")
    )
    page.message_user(request, told, messages.SUCCESS if action.done else messages.WARNING)
    return None


def _token(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("token", ""))
    except ValueError:
        return None


def _ask(
    page: Page, request: HttpRequest, queryset: QuerySet, verb: str, title: Any, extra: dict[str, Any]
) -> HttpResponse:
    count = queryset.count()
    context = {
        **page.admin_site.each_context(request), **extra, "title": title, "opts": page.model._meta, "media": page.media,
        "action": request.POST.get("action", verb), "consequences": consequences.of(verb, queryset), "token": request.POST.get("token") or uuid4(),
        "sentence": ngettext("%(number)s row is concerned.", "%(number)s rows are concerned.", count)
        % {"number": number_format(count, force_grouping=True)},
        "later": count > bulk.AT_ONCE and verb in VERBS,
        "first": [page.described(row) for row in queryset.order_by("pk")[:FIRST]], "more": max(0, count - FIRST), "checkbox": ACTION_CHECKBOX_NAME,
        "selected": request.POST.getlist(ACTION_CHECKBOX_NAME), "select_across": request.POST.get("select_across", "0"),
        "reason": request.POST.get("reason", ""), "back": request.get_full_path(),
    }  # fmt: skip
    return TemplateResponse(request, "admin/confirm_action.html", context)


class Pausable(Page):
    """Actions that pause and resume what a row stands for."""

    actions: tuple[str, ...] = ("pause", "resume")

    @admin.action(description=gettext_lazy("Pause"), permissions=["operate"])
    def pause(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "pause")

    @admin.action(description=gettext_lazy("Resume"), permissions=["operate"])
    def resume(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return confirmed(self, request, queryset, "resume")
