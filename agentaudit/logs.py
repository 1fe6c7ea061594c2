"""One event is one log line: control characters of names and messages are escaped, so that no line can be forged."""

from __future__ import annotations

import logging
import re
import time

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def escaped(text: str) -> str:
    """`text` with every control character and line separator written as an escape."""
    return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)


class OneLine(logging.Formatter):
    """`2026-11-29T17:00:00Z INFO tasks.worker: message`; a traceback follows on the same line, escaped."""

    converter = staticmethod(time.gmtime)

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%SZ")

    def format(self, record: logging.LogRecord) -> str:
        if getattr(record, "status_code", None) == 403:
            record.exc_info = None  # a refusal is an answer, not a fault of the program
        return escaped(super().format(record))
