"""`manage.py maintenance`: closes the installation for maintenance, says when nothing runs any more, and opens it again."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from typing import Any

from tasks import maintenance
from tasks.management.acting import Acting
from tasks.models import BulkAction, Switches

LOOK_SECONDS = 1.0


class Command(Acting):
    help = """Take nothing in and start nothing, let what runs end, and tell everybody on every page; or open again.

  manage.py maintenance begin --reason "database upgrade" --wait     returns when nothing runs any more
  manage.py maintenance status --json
  manage.py maintenance end

Exit code of status: 0 open, 1 in maintenance."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=("begin", "end", "status"))
        parser.add_argument("--wait", action="store_true", help="after begin: until nothing runs any more")
        self.add_common(parser)

    def handle(self, *args: Any, what: str, wait: bool, **options: Any) -> None:
        if what == "status":
            return self._tell_how_it_stands(options["json"])
        self.verb = f"{what}_maintenance"
        self.do(Switches.objects.all(), "", {}, options)
        if what == "begin" and wait and not options["dry_run"]:
            while (now := maintenance.now()) is not None and now.running:
                self.tell(f"{now.running} attempts still run.")
                time.sleep(LOOK_SECONDS)

    def _tell(self, action: BulkAction, as_json: bool) -> None:
        if as_json or not action.done:  # refused, or as it was before
            return super()._tell(action, as_json)
        self.say(
            "Maintenance has begun: nothing is taken in and nothing is started."
            if self.verb == "begin_maintenance"
            else "Maintenance is over: documents are taken in, and waiting work starts again."
        )

    def _tell_how_it_stands(self, as_json: bool) -> None:
        now = maintenance.now()
        if as_json:
            told = (
                {"since": now.since.isoformat(), "reason": now.reason, "running": now.running} if now else {}
            )
            self.say(json.dumps({"maintenance": now is not None, **told}))
        elif now is None:
            self.say("No maintenance is under way.")
        else:
            reason = f" ({now.reason})" if now.reason else ""
            self.say(
                f"Maintenance since {now.since:%Y-%m-%d %H:%M} UTC{reason}; {now.running} attempts still run."
            )
        if now is not None:
            raise SystemExit(1)
