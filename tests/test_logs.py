"""One event is one line, whatever names and messages hold."""

from __future__ import annotations

import logging
import re

import pytest
from django.conf import settings

from agentaudit.logs import OneLine, escaped


def line(message: str, *arguments: object, error: bool = False) -> str:
    try:
        if error:
            raise ValueError("first\nsecond")
        information = None
    except ValueError as caught:
        information = (ValueError, caught, caught.__traceback__)
    record = logging.LogRecord("tasks.worker", logging.INFO, __file__, 1, message, arguments, information)
    return OneLine().format(record)


@pytest.mark.parametrize("sign", ["\n", "\r\n", "\x0b", "\x1b[31m", "\x85", "\u2028", "\u2029", "\x00"])
def test_no_name_can_forge_a_line_or_steer_a_terminal(sign):
    written = line("document %s taken", f"a{sign}2026-01-01T00:00:00Z INFO forged: line")
    assert len(written.splitlines()) == 1
    assert "\x1b" not in written and "\x00" not in written


def test_a_traceback_stays_on_the_line_of_its_event():
    written = line("went wrong", error=True)
    assert len(written.splitlines()) == 1
    assert "ValueError: first\\nsecond" in written


def test_a_refusal_is_told_without_a_traceback():
    try:
        raise PermissionError("not yours")
    except PermissionError as caught:
        record = logging.LogRecord(
            "django.request",
            logging.WARNING,
            __file__,
            1,
            "Forbidden: /admin/",
            (),
            (type(caught), caught, None),
        )
    record.status_code = 403
    assert OneLine().format(record).endswith("WARNING django.request: Forbidden: /admin/")


def test_a_line_tells_time_in_utc_level_and_place():
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ INFO tasks\.worker: done$", line("done"))


def test_ordinary_text_is_left_alone():
    assert escaped("Rechnung für Müller & Söhne – 東京 🧾") == "Rechnung für Müller & Söhne – 東京 🧾"


def test_every_handler_writes_one_line_per_event():
    handlers = settings.LOGGING["handlers"].values()
    assert handlers and all(
        settings.LOGGING["formatters"][handler["formatter"]]["()"].endswith("OneLine") for handler in handlers
    )
