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


CANARY = "Canary7c1f0e5d2b9a4386Canary7c1f"
NOWHERE = "127.0.0.1:1"
SECRETS = {
    "SECRET_KEY": f"key-{CANARY}",
    "WEBHOOK_SECRETS": f"callbacks-{CANARY}",
    "DATABRICKS_WEBHOOK_LOGIN": f"databricks:login-{CANARY}",
    "OPENAI_BASE_URL": f"http://{NOWHERE}/v1",
    "OPENAI_API_KEY": f"sk-{CANARY}",
    "EMAIL_URL": f"smtp://mail:{CANARY}@{NOWHERE}",
    "ALERT_EMAILS": "ops@example.com",
    "ALERT_WEBHOOK_URL": f"https://{NOWHERE}/{CANARY}",
    "ALERT_WEBHOOK_SECRET": f"whsec_{CANARY}",
    "CHECKPOINT_DATABASE_URL": f"postgres://checkpoints:{CANARY}@{NOWHERE}/checkpoints",
    "BILLING_WAREHOUSE_ID": "warehouse",
    "DATABRICKS_HOST": f"http://{NOWHERE}",
    "DATABRICKS_TOKEN": f"dapi-{CANARY}",
}
EVERYTHING_FAILS = """
import logging
from django.core.management import call_command
from tasks import databricks
from tasks.alerts import delivery, outbox
from tasks.models import AlertRule, Notice

logging.basicConfig(level=logging.DEBUG, force=True)
databricks.PATIENT = (1.0, 2)


def mail_and_webhook():
    outbox.test(AlertRule.objects.create(kind="workers", minutes=5))
    assert delivery.send_due()
    print([notice.error for notice in Notice.objects.all()])


for name, action in {
    "alerts": mail_and_webhook,
    "workspace": lambda: databricks.client().current_user.me(),
    "checkpoints": lambda: call_command("checkpoints", "--prepare"),
    "doctor": lambda: call_command("doctor"),
}.items():
    try:
        action()
    except BaseException:
        logging.exception("%s failed", name)
"""


@pytest.mark.slow
def test_no_secret_gets_into_what_is_printed_however_everything_fails(place):
    """At the most talkative level, with tracebacks, of every connection that a process makes."""
    assert place.run("migrate", "-v0").returncode == 0
    run = place.run("shell", "--no-imports", "-c", EVERYTHING_FAILS, **SECRETS)
    told = run.stdout + run.stderr
    assert all(f"{what} failed" in told for what in ("workspace", "checkpoints", "doctor")), told[-3000:]
    assert "the connection is refused" in told and "ConnectionRefusedError" in told and CANARY not in told
    away = f"postgres://agentaudit:{CANARY}@{NOWHERE}/agentaudit"
    for command in (["migrate"], ["worker", "--until-idle"], ["sweeper", "--once"], ["costs"], ["doctor"]):
        run = place.run(*command, DATABASE_URL=away)
        assert run.returncode != 0 and CANARY not in run.stdout + run.stderr, command
