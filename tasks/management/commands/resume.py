"""`manage.py resume`: undoes `pause`."""

from __future__ import annotations

from tasks.management.switching import Switching


class Command(Switching):
    verb = "resume"
    help = """Start work again of an agent, of a client, or of everything that was paused.

  manage.py resume --agent reader
  manage.py resume --everything --reason "the outage is over\""""
