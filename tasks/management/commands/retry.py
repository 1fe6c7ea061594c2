"""`manage.py retry`: failed and cancelled tasks run again."""

from __future__ import annotations

from tasks.management.acting import ActingOnTasks


class Command(ActingOnTasks):
    verb = "retry"
    help = """Run tasks again that have failed or were cancelled, each as a new generation of the same version of its agent.
What waits for its next attempt runs now. Others are skipped, and why is said. Exit code 0, also if nothing was left to do.

  manage.py retry 17 18
  manage.py retry --filter status=failed --filter error=rate_limited --reason "quota was raised"
  manage.py retry --filter agent=reader --dry-run"""
