"""People, looked after by operators without a shell: roles and clients are given there, and nobody gives or takes more than they have."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client as Browser
from django.urls import reverse

from tasks.models import AuditEntry, Membership
from tests.factories import PASSWORD, make_client, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def bob(client: Browser) -> Browser:
    client.force_login(make_user("bob", "Operator", is_staff=True))
    return client


def memberships(
    *clients: object, existing: tuple[Membership, ...] = (), delete: bool = False
) -> dict[str, object]:
    """The inline form of memberships as a browser sends it."""
    data: dict[str, object] = {
        "memberships-TOTAL_FORMS": str(len(existing) + len(clients)), "memberships-INITIAL_FORMS": str(len(existing)),
    }  # fmt: skip
    for number, row in enumerate(existing):
        data |= {
            f"memberships-{number}-id": row.pk,
            f"memberships-{number}-user": row.user_id,
            f"memberships-{number}-client": row.client_id,
        }
        if delete:
            data[f"memberships-{number}-DELETE"] = "on"
    for number, client in enumerate(clients, len(existing)):
        data[f"memberships-{number}-client"] = client.pk  # type: ignore[attr-defined]
    return data


def person(user: User, **changed: object) -> dict[str, object]:
    """The form of a user, as it was opened now and with what is changed in it."""
    groups = [str(pk) for pk in user.groups.values_list("pk", flat=True)]
    data: dict[str, object] = {
        "username": user.username, "initial-username": user.username, "first_name": user.first_name, "initial-first_name": user.first_name,
        "last_name": user.last_name, "initial-last_name": user.last_name, "email": user.email, "initial-email": user.email,
        "groups": groups, "initial-groups": groups, **memberships(),
    }  # fmt: skip
    for name in ("is_active", "is_staff"):
        data[f"initial-{name}"] = str(getattr(user, name))
        if getattr(user, name):
            data[name] = "on"
    data |= changed
    return {name: value for name, value in data.items() if value is not None}


def group(name: str) -> str:
    return str(Group.objects.get(name=name).pk)


def url(user: User) -> str:
    return reverse("admin:auth_user_change", args=(user.pk,))


def test_an_operator_makes_an_auditor_with_role_and_clients_in_one_form(
    bob: Browser, client: Browser
) -> None:
    nordwind = make_client("Nordwind")
    data = {
        "username": "ann", "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD, "groups": [group("Auditor")],
        **memberships(nordwind),
    }  # fmt: skip
    assert 'type="checkbox" name="groups"' in bob.get(reverse("admin:auth_user_add")).content.decode()
    response = bob.post(reverse("admin:auth_user_add"), data)
    assert response.status_code == 302, response.context["errors"]
    ann = User.objects.get(username="ann")
    assert [g.name for g in ann.groups.all()] == ["Auditor"] and ann.memberships.get().client == nordwind
    assert not ann.is_staff and not ann.is_superuser
    trail = AuditEntry.objects.filter(object_type="user", object_id=str(ann.pk), actor_name="bob").order_by(
        "id"
    )
    assert [entry.verb for entry in trail] == ["add", "change"]
    assert trail[1].after == {"groups": ["Auditor"], "memberships": ["ann · Nordwind"]}
    client.logout()
    assert client.login(username="ann", password=PASSWORD)
    assert client.get(reverse("upload")).status_code == 200


def test_nothing_of_a_password_is_in_the_trail_or_on_a_page(bob: Browser) -> None:
    ann = make_user("ann", "Auditor")
    data = {
        "usable_password": "true",
        "password1": "another-long-password",
        "password2": "another-long-password",
    }
    assert bob.post(reverse("admin:auth_user_password_change", args=(ann.pk,)), data).status_code == 302
    ann.refresh_from_db()
    assert ann.check_password("another-long-password")
    assert (
        AuditEntry.objects.filter(verb="set_password", object_id=str(ann.pk), actor_name="bob").count() == 1
    )
    everything = json.dumps(list(AuditEntry.objects.values("before", "after", "reason")))
    page = bob.get(url(ann)).content.decode()
    for secret in ("another-long-password", ann.password, ann.password.rsplit("$", 1)[-1]):
        assert secret not in everything and secret not in page


def test_roles_and_clients_are_given_and_taken_with_a_trail(bob: Browser) -> None:
    nordwind, elsewhere = make_client("Nordwind"), make_client("Elsewhere")
    ann = make_user("ann", "Auditor", clients=(nordwind,))
    existing = tuple(ann.memberships.all())
    assert (
        bob.post(
            url(ann),
            person(
                ann,
                groups=[group("Operator (read only)")],
                **memberships(elsewhere, existing=existing, delete=True),
            ),
        ).status_code
        == 302
    )
    assert [g.name for g in ann.groups.all()] == [
        "Operator (read only)"
    ] and ann.memberships.get().client == elsewhere
    entry = AuditEntry.objects.get(object_type="user", verb="change")
    assert (entry.before, entry.after) == (
        {"groups": ["Auditor"], "memberships": ["ann · Nordwind"]},
        {"groups": ["Operator (read only)"], "memberships": ["ann · Elsewhere"]},
    )


def test_a_form_opened_before_somebody_elses_edit_does_not_undo_it(bob: Browser) -> None:
    ann = make_user("ann", "Auditor")
    stale = person(ann, first_name="Ann")
    ann.groups.set([Group.objects.get(name="Operator (read only)")])
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert bob.post(url(ann), stale).status_code == 302
    ann.refresh_from_db()
    assert (ann.first_name, ann.is_active, [g.name for g in ann.groups.all()]) == (
        "Ann",
        False,
        ["Operator (read only)"],
    )


@pytest.mark.parametrize("role", ["Finance", "Engineer"])
def test_a_role_with_rights_that_one_lacks_cannot_be_given(bob: Browser, role: str) -> None:
    ann = make_user("ann", "Auditor")
    assert f">{role}<" not in bob.get(url(ann)).content.decode()
    response = bob.post(url(ann), person(ann, groups=[group(role)]))
    assert response.status_code == 200 and "groups" in response.context["adminform"].form.errors
    assert [g.name for g in ann.groups.all()] == ["Auditor"]


def test_a_right_that_is_added_to_a_role_counts_at_once(bob: Browser) -> None:
    Group.objects.get(name="Auditor").permissions.add(
        Permission.objects.get(codename="delete_membership"), Permission.objects.get(codename="add_price")
    )
    ann = make_user("ann")
    assert bob.post(url(ann), person(ann, groups=[group("Auditor")])).status_code == 200
    assert not ann.groups.exists()


def test_forged_fields_make_nobody_a_superuser(bob: Browser) -> None:
    ann = make_user("ann", "Auditor")
    rights = [str(pk) for pk in Permission.objects.values_list("pk", flat=True)]
    bob.post(url(ann), person(ann, is_superuser="on", user_permissions=rights, first_name="Ann"))
    ann.refresh_from_db()
    assert ann.first_name == "Ann" and not ann.is_superuser and not ann.user_permissions.exists()
    data = {
        "username": "eve",
        "usable_password": "true",
        "password1": PASSWORD,
        "password2": PASSWORD,
        "is_superuser": "on",
        "user_permissions": rights,
    }
    bob.post(reverse("admin:auth_user_add"), data | memberships())
    eve = User.objects.get(username="eve")
    assert not eve.is_superuser and not eve.user_permissions.exists()


@pytest.mark.parametrize("who", ["root", "fiona", "eric", "bob", "special"])
def test_nobody_touches_themselves_or_who_has_more_rights(bob: Browser, who: str) -> None:
    make_user("root", is_superuser=True, is_staff=True)
    make_user("fiona", "Finance")
    make_user("eric", "Engineer")
    make_user("special").user_permissions.add(Permission.objects.get(codename="delete_price"))
    user = User.objects.get(username=who)
    before = User.objects.filter(pk=user.pk).values().get()
    assert bob.post(url(user), person(user, is_active=None, email="mine@example.com")).status_code == 403
    data = {"usable_password": "true", "password1": "mine-now-and-long", "password2": "mine-now-and-long"}
    assert bob.post(reverse("admin:auth_user_password_change", args=(user.pk,)), data).status_code == 403
    assert bob.post(reverse("admin:auth_user_delete", args=(user.pk,)), {"post": "yes"}).status_code == 403
    assert User.objects.filter(pk=user.pk).values().get() == before


@pytest.mark.parametrize("role", ["Auditor", "Operator (read only)", "Finance", "Engineer"])
def test_other_roles_change_nobody(client: Browser, role: str) -> None:
    client.force_login(make_user("somebody", role, is_staff=True))
    ann = make_user("ann")
    assert client.post(url(ann), person(ann, groups=[group("Operator")])).status_code == 403
    assert client.post(reverse("admin:auth_user_add"), {"username": "eve"}).status_code == 403
    assert not ann.groups.exists()


def test_who_is_made_inactive_is_out_at_once(bob: Browser) -> None:
    ann = make_user("ann", "Auditor")
    hers = Browser()
    hers.force_login(ann)
    assert hers.get(reverse("home")).status_code == 200
    assert bob.post(url(ann), person(ann, is_active=None)).status_code == 302
    assert hers.get(reverse("home")).status_code == 302


def test_rights_of_roles_are_for_superusers_and_leave_a_trail(bob: Browser, client: Browser) -> None:
    auditor = Group.objects.get(name="Auditor")
    page = reverse("admin:auth_group_change", args=(auditor.pk,))
    assert bob.post(page, {"name": "Auditor", "permissions": []}).status_code == 403
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    kept = [str(pk) for pk in auditor.permissions.values_list("pk", flat=True)]
    right = str(Permission.objects.get(codename="view_agent").pk)
    data = {
        "name": "Auditor",
        "initial-name": "Auditor",
        "permissions": [*kept, right],
        "initial-permissions": kept,
    }
    assert client.post(page, data).status_code == 302
    entry = AuditEntry.objects.get(object_type="group")
    assert len(entry.after["permissions"]) == len(entry.before["permissions"]) + 1
