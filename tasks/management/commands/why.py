"""`manage.py why`: says why a task has not started."""

from __future__ import annotations

import json
from argparse import ArgumentParser

from tasks.management import base
from tasks.why import why_waiting


class Command(base.Command):
    help = """Say why a task waits: what is paused, which limit it meets, what is before it, and when it will probably start.

It asks by the same rows and the same arithmetic as a worker that claims. Exit code 0, also for a task that does not wait."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", type=int, metavar="TASK", help="the task's number, as its page shows it")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")

    def handle(self, *args, **options) -> None:
        try:
            why = why_waiting(options["task"])
        except LookupError as error:
            raise base.wrong_call(str(error.args[0])) from error
        if options["json"]:
            reasons = [
                {
                    "code": reason.code,
                    "sentence": reason.sentence,
                    "until": reason.until and reason.until.isoformat(),
                }
                for reason in why.reasons
            ]
            self.say(
                json.dumps(
                    {"task": options["task"], "reasons": reasons, "ahead": why.ahead, "eta_seconds": why.eta}
                )
            )
            return
        for sentence in (*(reason.sentence for reason in why.reasons), why.eta_sentence):
            if sentence:
                self.say(sentence)
