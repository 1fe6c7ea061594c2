"""Users, their roles and clients, looked after by operators: nobody gives rights away that they do not have, or touches who has more."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from tasks.admin.base import Audited, actor_of
from tasks.admin.lists import in_words
from tasks.audit import Entry, record
from tasks.models import Membership

admin.site.unregister(User)
admin.site.unregister(Group)

OWN = ("username", "first_name", "last_name", "email")


def beyond(user: Any, permissions: QuerySet[Permission]) -> bool:
    """Whether these hold a right that `user` lacks."""
    if user.is_superuser:
        return False
    given = {f"{app}.{name}" for app, name in permissions.values_list("content_type__app_label", "codename")}
    return bool(given - user.get_all_permissions())


def grantable(user: Any) -> QuerySet[Group]:
    """The roles that `user` may give: those that hold no right that they lack."""
    groups = Group.objects.order_by("name")
    if user.is_superuser:
        return groups
    return groups.filter(pk__in=[group.pk for group in groups if not beyond(user, group.permissions.all())])


def may_look_after(user: Any, other: User) -> bool:
    """Nobody looks after themselves here, or after somebody with rights that they lack."""
    if user.is_superuser:
        return True
    rights = Permission.objects.filter(user=other) | Permission.objects.filter(group__user=other)
    return other.pk != user.pk and not other.is_superuser and not beyond(user, rights)


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 1
    autocomplete_fields = ("client",)
    verbose_name, verbose_name_plural = _("client"), _("clients whose documents this person sees")


class Related(Audited):
    """The trail of what is no field of its own: roles, rights, clients."""

    relations: tuple[str, ...] = ()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        before = self._related(form.instance)
        for name in set(self.relations) & set(form.cleaned_data) - set(form.changed_data):
            del form.cleaned_data[
                name
            ]  # nor does a form that was opened before somebody else's edit undo that
        super().save_related(request, form, formsets, change)
        after = self._related(form.instance)
        changed = [name for name in before if before[name] != after[name]]
        if changed:
            kind, pk = form.instance._meta.model_name, str(form.instance.pk)
            was, is_now = ({name: values[name] for name in changed} for values in (before, after))
            record(actor_of(request), [Entry("change", kind, pk, was, is_now)])

    def _related(self, obj: Model) -> dict[str, list[str]]:
        return {name: sorted(str(row) for row in getattr(obj, name).all()) for name in self.relations}


@admin.register(User)
class UserPage(Related, UserAdmin):
    relations = ("groups", "user_permissions", "memberships")
    list_display = (
        "username",
        "first_name",
        "last_name",
        "email",
        "roles",
        in_words("is_active", _("active")),
        in_words("is_staff", _("staff status")),
        "last_login",
    )
    list_filter = ("is_active", "is_staff", "groups")
    search_fields = ("username", "first_name", "last_name", "email")
    inlines = (MembershipInline,)
    actions = ()
    filter_horizontal = ("user_permissions",)
    readonly_fields = ("last_login", "date_joined")
    add_fieldsets = (
        (
            None,
            {
                "fields": (
                    "username",
                    "usable_password",
                    "password1",
                    "password2",
                    "first_name",
                    "last_name",
                    "email",
                    "groups",
                    "is_staff",
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).prefetch_related("groups")

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj is None:
            return self.add_fieldsets
        rights = ("is_superuser", "user_permissions") if request.user.is_superuser else ()
        return (
            (None, {"fields": (*OWN, "password")}),
            (_("Role"), {"fields": ("is_active", "is_staff", "groups", *rights)}),
            (_("Times"), {"fields": ("last_login", "date_joined")}),
        )

    @admin.display(description=_("roles"))
    def roles(self, user: User) -> str:
        return ", ".join(sorted(group.name for group in user.groups.all()))

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "groups":
            kwargs["queryset"] = grantable(request.user)
            kwargs["widget"] = (
                forms.CheckboxSelectMultiple
            )  # few, and a tick is not lost on the way to another box
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and (
            obj is None or may_look_after(request.user, obj)
        )

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """People leave, what they did stays theirs: they are made inactive."""
        return False

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            if request.method == "POST" and response.status_code == 302:
                record(actor_of(request), [Entry("set_password", "user", str(id))])
        return response


@admin.register(Group)
class GroupPage(Related, GroupAdmin):
    relations = ("permissions",)
    actions = ()
