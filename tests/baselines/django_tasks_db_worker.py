"""django-tasks-db: `setup` makes its tables, `fill COUNT` adds jobs, `work` does them while the gate is open. Connects by PG* variables.

Its worker runs one job at a time, so there is no number of slots.
"""

from __future__ import annotations

import logging
import os
import sys
from threading import Event

import django
from django.conf import settings

from tasks.bench.gate import serve

if not settings.configured:
    settings.configure(
        SECRET_KEY="a secret of nobody",
        INSTALLED_APPS=["django_tasks", "django_tasks_db"],
        USE_TZ=True,
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.postgresql",
                "NAME": os.environ["PGDATABASE"],
                "USER": os.environ.get("PGUSER", ""),
                "PASSWORD": os.environ.get("PGPASSWORD", ""),
                "HOST": os.environ.get("PGHOST", ""),
                "PORT": os.environ.get("PGPORT", ""),
                "CONN_MAX_AGE": None,
            }
        },
        TASKS={"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}},
    )
    django.setup()

from django.core.management import call_command
from django_tasks import task
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult


@task()
def noop() -> None:
    return None


def fill(count: int) -> None:
    """Copies of one job that was enqueued as its documentation says: one at a time, a few hundred per second are possible."""
    row = DBTaskResult.objects.get(pk=noop.enqueue().id)
    copies = []
    for _ in range(count):
        row.pk = DBTaskResult._meta.pk.get_default()
        copies.append(DBTaskResult(**{f.attname: getattr(row, f.attname) for f in DBTaskResult._meta.fields}))
    DBTaskResult.objects.bulk_create(copies, batch_size=2_000)


def work_until(stop: Event) -> None:
    class Gated(Worker):
        """The worker of its command, which asks the gate whether to go on."""

        @property
        def running(self) -> bool:
            return not stop.is_set()

        @running.setter
        def running(self, value: bool) -> None:
            """The gate says it."""

    Gated(
        queue_names=["default"], interval=0.1, batch=False, backend_name="default", startup_delay=False,
        max_tasks=None, worker_id=str(os.getpid()), excluded_queue_names=[],
    ).run()  # fmt: skip


def main() -> None:
    logging.disable(logging.INFO)
    if sys.argv[1] == "setup":
        call_command("migrate", verbosity=0)
    elif sys.argv[1] == "fill":
        fill(int(sys.argv[2]))
    else:
        serve(work_until)


if __name__ == "__main__":
    import django_tasks_db_worker  # under its own name, by which jobs find their function

    django_tasks_db_worker.main()
