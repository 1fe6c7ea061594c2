"""`manage.py cancel`: waiting tasks are cancelled at once, running ones as soon as their run has ended."""

from __future__ import annotations

from tasks.management.acting import ActingOnTasks


class Command(ActingOnTasks):
    verb = "cancel"
    help = """Cancel tasks: waiting ones at once, running ones as soon as their run is confirmed to have ended (a result that comes first wins).

  manage.py cancel 17
  manage.py cancel --filter status=enqueued --filter client="Nordwind AG" --reason "handed in twice\""""
