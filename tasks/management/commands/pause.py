"""`manage.py pause`: nothing more is started of an agent, of a client, or at all."""

from __future__ import annotations

from tasks.management.switching import Switching


class Command(Switching):
    verb = "pause"
    help = """Start nothing more of an agent, of a client, or of anything; what runs goes on, and what waits keeps its place.

  manage.py pause --agent reader --reason "provider has an outage"
  manage.py pause --everything"""
