"""The groups that people are put in, and the agent that works offline from the first minute."""

from __future__ import annotations

from django.apps import apps as installed
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations

GROUPS = {
    "Auditor": ("view_client", "view_document", "view_extraction", "view_task", "view_attempt", "add_extraction"),
    "Operator": (
        "view_every_client", "view_client", "view_document", "view_extraction", "view_task", "view_attempt", "add_extraction",
        "operate_task", "view_agent", "change_agent", "view_agentversion", "view_pool", "change_pool", "view_worker", "view_auditentry",
        "change_client", "add_client", "view_membership", "add_membership", "change_membership", "delete_membership",
        "view_switches", "view_price", "view_delivery", "view_refuseddelivery", "view_spent", "view_spendnotice",
    ),
    "Finance": (
        "view_every_client", "view_client", "view_extraction", "view_task", "view_attempt", "view_agent",
        "view_price", "add_price", "change_price", "view_spent", "view_spendnotice",
    ),
    "Engineer": (
        "view_document", "view_extraction", "view_task", "view_attempt", "view_agent", "add_agent", "change_agent",
        "view_agentversion", "add_agentversion", "view_pool", "add_pool", "change_pool", "view_worker", "view_price",
        "view_lane", "view_delivery", "view_refuseddelivery",
    ),
}  # fmt: skip


def fill(apps, schema_editor) -> None:
    # Permissions are made after all migrations; a migration that uses them has to ask for them
    create_permissions(installed.get_app_config("tasks"), verbosity=0, using=schema_editor.connection.alias)
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for name, codenames in GROUPS.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.set(
            Permission.objects.filter(content_type__app_label="tasks", codename__in=codenames)
        )

    Agent, AgentVersion = apps.get_model("tasks", "Agent"), apps.get_model("tasks", "AgentVersion")
    agent = Agent.objects.create(
        name="invoice-rules", title="Invoices and receipts, read by rules, offline", executor="local",
        max_concurrent_tasks=settings.MAX_CONCURRENT_TASKS, max_tpm=settings.MAX_TPM, timeout_seconds=settings.TASK_TIMEOUT_SECONDS,
    )  # fmt: skip
    agent.current_version = AgentVersion.objects.create(
        agent=agent, number=1, program="rules", seconds_per_page=0.2
    )
    agent.save(update_fields=("current_version",))


class Migration(migrations.Migration):
    dependencies = (
        ("tasks", "0002_functions_triggers_storage"),
        ("auth", "0012_alter_user_first_name_max_length"),
    )
    operations = (migrations.RunPython(fill, migrations.RunPython.noop),)
