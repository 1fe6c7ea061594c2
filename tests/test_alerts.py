"""Alerts: found once, told once by all replicas together, quiet in between, recovered, signed, and tried again until they are taken."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.db import connection, transaction
from django.test import Client as Browser
from django.urls import reverse

from tasks.agent import signatures
from tasks.alerts import delivery, findings, outbox, rounds
from tasks.alerts.watch import Watch
from tasks.models import (
    Agent,
    Alert,
    AlertRule,
    AuditEntry,
    Extraction,
    ExtractionWatch,
    Notice,
    SpendNotice,
    Task,
    Worker,
)
from tests.attempts import wait_for
from tests.factories import (
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_completed,
    make_document,
    make_extraction,
    make_task,
    make_user,
    result_json,
)

pytestmark = pytest.mark.django_db
SECRET = signatures.PREFIX + "c2VjcmV0LW9mLXRoZS10ZXN0cy0yNC1ieXRlcw=="


@pytest.fixture(autouse=True)
def no_rules_yet(db) -> None:
    AlertRule.objects.all().delete()


@pytest.fixture
def by_mail(settings) -> None:
    settings.CAN_MAIL, settings.ALERT_EMAILS = True, ["ops@example.com"]


def rule(kind: str = "workers", minutes: int = 5, **more: Any) -> AlertRule:
    return AlertRule.objects.create(kind=kind, minutes=minutes, **more)


def look() -> None:
    """A round, whenever the last one was."""
    AlertRule.objects.update(looked_at=None)
    rounds.look()


def found(one: AlertRule) -> findings.Findings:
    return findings.find(one, database_now())


def ago(minutes: float):
    return database_now() - timedelta(minutes=minutes)


def worker(heard_minutes_ago: float = 0, **more: Any) -> Worker:
    at = ago(heard_minutes_ago)
    return Worker.objects.create(
        id=uuid4(), host="h", pid=1, version="1", **{"slots": 4, "started_at": at, "heartbeat_at": at} | more
    )


def waiting(minutes: float = 0, **more: Any) -> Task:
    """A task that has been ready for so long, of an agent and a client of its own."""
    at = ago(minutes)
    return make_task(make_extraction(make_client(), make_agent()), enqueued_at=at, available_at=at, **more)


def failed(extraction: Extraction) -> Task:
    return make_task(
        extraction, status="failed", finished_at=database_now(), error_code="x", error_message="x"
    )


def told(event: str) -> int:
    return Notice.objects.filter(event=event).count()


# What is found


def test_a_task_that_waits_too_long_is_found_for_its_agent_and_not_while_somebody_paused_it() -> None:
    task = waiting(61)
    one = rule("waiting", 60)
    [(subject, sentence)] = found(one).items()
    assert subject == f"agent {task.agent_id}" and task.agent.name in sentence and "61 minutes" in sentence
    assert found(rule("waiting", 62)) == {}
    Agent.objects.filter(pk=task.agent_id).update(is_paused=True)
    assert found(one) == {}
    Agent.objects.filter(pk=task.agent_id).update(is_paused=False)
    type(task.client).objects.filter(pk=task.client_id).update(is_paused=True)
    assert found(one) == {}


def test_a_failure_rate_is_told_of_ten_tasks_or_more_and_only_of_lately() -> None:
    extraction = make_extraction(make_client(), make_agent("reader"))
    one = rule("failures", 60, percent=30)
    for _number in range(3):
        failed(extraction)
    for number in range(6):
        make_completed(extraction, make_document(extraction.client, f"{number}.pdf"), result=result_json())
    assert found(one) == {}, "nine tasks tell no share"
    make_completed(extraction, make_document(extraction.client, "10.pdf"), result=result_json())
    [sentence] = found(one).values()
    assert "3 of the 10" in sentence and "30 %" in sentence
    assert found(rule("failures", 60, percent=31)) == {}
    Task.objects.update(finished_at=ago(61))
    assert found(one) == {}


def test_no_worker_is_told_once_all_are_silent_or_stopped_and_a_sweeper_is_none() -> None:
    one = rule("workers", 5)
    assert found(one) == {}, "an installation that is new and has nothing to do"
    worker(slots=0)
    task = waiting(6)
    assert "ever" in found(one)[""]
    Task.objects.filter(pk=task.pk).update(enqueued_at=ago(1))
    first = worker(heard_minutes_ago=7)
    assert "7 minutes" in found(one)[""]
    second = worker()
    assert found(one) == {}
    Worker.objects.filter(pk=second.pk).update(stopped_at=ago(0))
    assert found(one) == {}, "stopped just now"
    Worker.objects.filter(pk=second.pk).update(stopped_at=ago(6), heartbeat_at=ago(6))
    assert "6 minutes" in found(one)[""] and first


def test_ready_work_of_which_nothing_is_claimed_is_found_and_a_claim_ends_it() -> None:
    task = waiting(31)
    one = rule("claims", 30)
    assert "31 minutes" in found(one)[""]
    attempt = make_attempt(make_task(task.extraction))
    type(attempt).objects.filter(pk=attempt.pk).update(claimed_at=ago(29))
    assert found(one) == {}
    type(attempt).objects.filter(pk=attempt.pk).update(claimed_at=ago(32))
    assert found(one)
    Agent.objects.filter(pk=task.agent_id).update(cooldown_until=ago(-5))
    assert found(one) == {}, "its provider cools down"


def test_silent_runs_are_found_and_those_that_speak_are_not() -> None:
    attempt = make_attempt(waiting())
    type(attempt).objects.filter(pk=attempt.pk).update(claimed_at=ago(11), last_seen_at=ago(11))
    assert f"task {attempt.task_id}" in found(rule("silent", 10))[""]
    assert found(rule("silent", 12)) == {}


def test_a_reached_spend_limit_is_found_until_the_limit_is_raised() -> None:
    agent = make_agent("reader", spend_stop_per_day=5)
    today = database_now().date()
    SpendNotice.objects.create(
        holder="agent",
        holder_id=agent.pk,
        period="day",
        starts_on=today,
        level="stop",
        limit_usd=5,
        at=ago(0),
    )
    one = rule("budget", 1)
    [sentence] = found(one).values()
    assert "reader" in sentence and "5.00 USD per day" in sentence and "nothing more" in sentence
    Agent.objects.filter(pk=agent.pk).update(spend_stop_per_day=10)
    assert found(one) == {}


# Told once


def test_an_alert_is_told_once_repeated_after_the_quiet_time_and_its_end_is_told(by_mail) -> None:
    worker(heard_minutes_ago=6)
    one = rule(quiet_minutes=60)
    look()
    look()
    assert (told("alert.fired"), told("alert.repeated")) == (1, 0)
    Alert.objects.update(told_at=ago(60), started_at=ago(61))
    look()
    look()
    assert (told("alert.fired"), told("alert.repeated"), told("alert.recovered")) == (1, 1, 0)
    worker()
    look()
    look()
    assert (told("alert.repeated"), told("alert.recovered")) == (1, 1)
    assert not rounds.open_alerts()
    assert list(AuditEntry.objects.filter(object_type="alertrule", object_id=one.pk).order_by("id").values_list("verb", flat=True)) == ["alert", "recover"]  # fmt: skip


def test_what_flaps_within_the_quiet_time_is_told_once_but_told_if_it_stays(by_mail) -> None:
    worker(heard_minutes_ago=6)
    rule(quiet_minutes=60)
    look()
    for _again in range(3):
        alive = worker()
        look()
        Worker.objects.filter(pk=alive.pk).update(heartbeat_at=ago(6))
        look()
    assert (told("alert.fired"), told("alert.recovered")) == (1, 1)
    assert Alert.objects.filter(ended_at=None).count() == 1, "it is shown all the same"
    Alert.objects.update(told_at=ago(61))
    look()
    assert told("alert.fired") == 2, "what stays longer than the quiet time is told"


@pytest.mark.django_db(transaction=True)
def test_of_many_processes_that_look_at_once_one_tells(by_mail) -> None:
    rule()
    worker(heard_minutes_ago=6)
    start = threading.Barrier(6)

    def one_process() -> None:
        start.wait()
        rounds.look()
        delivery.send_due()
        connection.close()

    threads = [threading.Thread(target=one_process) for _number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert Alert.objects.count() == 1
    assert len(mail.outbox) == 1


def test_a_rule_that_is_switched_off_has_no_open_alerts_and_one_that_breaks_silences_no_other(by_mail, monkeypatch) -> None:  # fmt: skip
    worker(heard_minutes_ago=6)
    broken, good = rule("silent"), rule()

    def breaks(*_args: Any) -> None:
        raise ValueError("no such column")

    monkeypatch.setitem(findings.KINDS, "silent", breaks)
    look()
    assert [alert.rule_id for alert in rounds.open_alerts()] == [good.pk] and broken
    AlertRule.objects.update(is_on=False)
    look()
    assert not rounds.open_alerts() and told("alert.recovered") == 0


# Sent


class Receiver(BaseHTTPRequestHandler):
    got: list[tuple[dict[str, str], bytes]]
    status = 204

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.status)
        if self.status == 302:
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
        self.end_headers()

    def do_GET(self) -> None:
        self.got.append(({"followed": "yes"}, b""))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        """Quiet."""


@pytest.fixture
def receiver(settings):
    handler = type("OneReceiver", (Receiver,), {"got": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.ALERT_WEBHOOK_URL = f"http://127.0.0.1:{server.server_port}/hook"
    settings.ALERT_WEBHOOK_SECRET = SECRET
    yield handler
    server.shutdown()
    server.server_close()


def test_a_webhook_is_signed_so_that_its_receiver_can_check_it(receiver) -> None:
    worker(heard_minutes_ago=6)
    rule()
    look()
    assert delivery.send_due() == 1
    [(headers, body)] = receiver.got
    assert signatures.verify([SECRET], headers, body, database_now().timestamp())
    message = json.loads(body)
    assert message["type"] == "alert.fired" and message["data"]["rule"] == "workers"
    assert message["data"]["url"].endswith(reverse("operations"))
    assert delivery.send_due() == 0, "sent once"


@pytest.mark.parametrize("status", [302, 400, 500])
def test_what_is_not_taken_is_tried_again_with_the_same_id_and_no_redirect_is_followed(
    receiver, status: int
) -> None:
    receiver.status = status
    worker(heard_minutes_ago=6)
    rule()
    look()
    delivery.send_due()
    notice = Notice.objects.get()
    assert notice.sent_at is None and str(status) in notice.error and notice.next_try_at > database_now()
    assert delivery.send_due() == 0, "not before its time"
    Notice.objects.update(next_try_at=ago(0))
    receiver.status = 200
    assert delivery.send_due() == 1
    ids = [headers.get(signatures.ID) for headers, _body in receiver.got]
    assert len(ids) == 2 and len(set(ids)) == 1
    assert Notice.objects.get().sent_at and Notice.objects.get().error == ""


def test_what_is_never_taken_is_given_up_into_the_trail_and_can_be_sent_again(receiver) -> None:
    receiver.status = 500
    outbox.test(rule())
    for _try in range(delivery.MOST_TRIES):
        Notice.objects.update(next_try_at=ago(0))
        delivery.send_due()
    notice = Notice.objects.get()
    assert notice.given_up_at and AuditEntry.objects.get(verb="give_up").object_id == str(notice.pk)
    assert delivery.send_due() == 0
    receiver.status = 200
    browser = Browser()
    browser.force_login(make_user("bob", "Operator", is_staff=True))
    url = reverse("admin:tasks_notice_changelist")
    browser.post(url, {"action": "send_again", "_selected_action": [notice.pk], "confirmed": "1"})
    assert delivery.send_due() == 1 and Notice.objects.get().sent_at


def test_a_mail_server_that_is_away_stops_nothing(by_mail, settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    outbox.test(rule())
    assert delivery.send_due() == 1
    assert Notice.objects.get().error == "ConnectionRefusedError"


def test_nothing_is_sent_inside_a_transaction(receiver, monkeypatch) -> None:
    outbox.test(rule())
    depth = len(connection.savepoint_ids)
    seen = []
    monkeypatch.setitem(
        delivery.CHANNELS, "webhook", lambda _notice: seen.append(len(connection.savepoint_ids))
    )
    delivery.send_due()
    assert seen == [depth]


def test_a_name_with_a_line_break_makes_no_header(by_mail) -> None:
    agent = make_agent("reader")
    Agent.objects.filter(pk=agent.pk).update(name="reader\nBcc: all@example.com")
    make_task(make_extraction(make_client(), agent), enqueued_at=ago(61))
    rule("waiting", 60)
    look()
    delivery.send_due()
    [message] = mail.outbox
    assert "\n" not in message.subject and "reader Bcc" in message.subject and message.bcc == []


# Extractions that somebody waits for


def test_who_waits_for_an_extraction_is_written_to_once_when_its_last_task_has_ended(by_mail) -> None:
    extraction = make_extraction(make_client("Nordwind"), make_agent("reader"))
    user = make_user("alice", "Auditor", clients=(extraction.client,), email="alice@example.com")
    ExtractionWatch.objects.create(extraction=extraction, user=user)
    assert rounds.extractions_ended() == 0, "nothing was handed in yet"
    task = make_task(extraction)
    assert rounds.extractions_ended() == 0
    Task.objects.filter(pk=task.pk).update(status="cancelled", finished_at=ago(0))
    assert (rounds.extractions_ended(), rounds.extractions_ended()) == (1, 0)
    delivery.send_due()
    [message] = mail.outbox
    assert message.to == ["alice@example.com"] and f"Extraction {extraction.pk}" in message.subject
    assert "Nordwind" not in message.subject + message.body, "who is audited stays in the product"


def test_who_may_not_see_an_extraction_any_more_hears_nothing_of_it(by_mail) -> None:
    extraction = make_extraction(make_client("Nordwind"), make_agent("reader"))
    user = make_user("alice", "Auditor", email="alice@example.com")
    ExtractionWatch.objects.create(extraction=extraction, user=user)
    failed(extraction)
    assert rounds.extractions_ended() == 0
    assert not ExtractionWatch.objects.exists() and not Notice.objects.exists()


# The thread


@pytest.mark.django_db(transaction=True)
def test_the_thread_of_a_web_process_tells_that_no_worker_is_alive_while_the_claim_is_stuck_in_a_lock(
    by_mail,
) -> None:
    worker(heard_minutes_ago=6)
    rule()
    watch = Watch(every_seconds=0.05)
    with transaction.atomic():
        with connection.cursor() as cursor:  # what DEP-367 tells of: everything that claims waits behind this
            cursor.execute("LOCK TABLE agents IN ACCESS EXCLUSIVE MODE")
        watch.start()
        try:
            wait_for(lambda: mail.outbox, 20)
        finally:
            watch.end()
    watch.join(20)
    assert "No worker" in mail.outbox[0].subject
