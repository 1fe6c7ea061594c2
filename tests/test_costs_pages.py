"""The page of money: what it shows is what is exported, unknown is a dash, membership and permission hold, and it works for everybody at every width."""

from __future__ import annotations

import csv
import io
from datetime import date
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Permission
from django.test import Client as Browser
from django.urls import reverse

from tasks.costs import closing, reports
from tasks.models import (
    Attempt,
    AuditEntry,
    Client,
    ClosedMonth,
    CostState,
    MonthTerms,
    OtherSpend,
    Spent,
    Task,
)
from tests.browser_tools import chromium, visit  # noqa: F401 - fixtures
from tests.browser_tools import pytestmark as in_a_browser
from tests.factories import (
    database_now,
    make_agent,
    make_attempt,
    make_client,
    make_extraction,
    make_task,
    make_user,
    result_json,
)

EVIL = '=HYPERLINK("http://evil")'


@pytest.fixture
def money(db) -> dict[str, Any]:
    """Two clients, two agents: completed after a retry, failed, one with an unknown cost, one settled; and a budget that is used up."""
    return made_of_money()


def made_of_money() -> dict[str, Any]:
    north, evil = make_client("Nordwind & Söhne"), make_client(EVIL)
    reader, rules = make_agent("reader", model="small-1"), make_agent("plain")
    who = make_user("ana")
    first = make_extraction(north, reader, engagement="Year-end 2026", created_by=who)
    second = make_extraction(evil, rules, engagement="+49", created_by=who)
    done = make_task(first, estimated_tokens=1200)
    make_attempt(
        done,
        "timeout",
        model="small-1",
        cost_usd=Decimal("0.25"),
        cost_state="estimated",
        input_tokens=900,
        output_tokens=90,
    )
    good = make_attempt(
        done, "completed", result=result_json(), model="small-1", cost_usd=Decimal("1.5"), cost_state="settled", input_tokens=1000, output_tokens=100,
        reserved_usd=Decimal("1.2"), compute_cost_usd=Decimal("0.125"), compute_cost_state="estimated",
    )  # fmt: skip
    _end(done, "completed", result_attempt=good.pk)
    lost = make_task(first)
    make_attempt(
        lost,
        "failed",
        model="small-1",
        cost_usd=Decimal("0.75"),
        cost_state="estimated",
        input_tokens=700,
        output_tokens=9,
    )
    _end(lost, "failed", error_code="corrupt", error_message="x")
    unknown = make_task(second)
    odd = make_attempt(unknown, "completed", result=result_json())
    _end(unknown, "completed", result_attempt=odd.pk)
    now = database_now()
    Client.objects.filter(pk=north.pk).update(spend_warn_per_day=1, spend_stop_per_day=2)
    Spent.objects.create(
        holder="client", holder_id=north.pk, period="day", starts_on=now.date(), shard=0, usd=Decimal("2.5")
    )
    OtherSpend.objects.create(day=reports.today(), product="database", usd=Decimal("3.5"), as_of=now)
    return {"north": north, "evil": evil, "reader": reader, "who": who}


def _end(task: Task, status: str, **fields: Any) -> None:
    Task.objects.filter(pk=task.pk).update(
        status=status, finished_at=database_now(), attempts_made=task.attempts.count(), **fields
    )


def signed_in(user: Any) -> Browser:
    browser = Browser()
    browser.force_login(user)
    return browser


@pytest.fixture
def fiona(money) -> Browser:
    return signed_in(make_user("fiona", "Finance"))


def test_the_page_shows_sums_waste_and_a_dash_for_what_is_unknown(fiona) -> None:
    answer = fiona.get(reverse("costs"))
    report, text = answer.context["report"], answer.content.decode()
    assert report.total.money.total == Decimal("2.625") and ("2.62" in text or "2.63" in text)
    assert report.wasted.money.total == Decimal("1.00") and report.total.sums.llm_unknown == 1
    lines = {row.name: row.of for row in answer.context["sheet"].rows}
    assert lines["plain"].money.total is None and lines["plain"].per_document is None
    assert report.other_usd == Decimal("3.5")
    assert "stops at" in text, "the banner of the budget"


def test_a_dash_for_compute_says_which_price_is_missing(fiona, settings) -> None:
    assert "COMPUTE_USD_PER_HOUR is not set" in fiona.get(reverse("costs")).content.decode()
    settings.COMPUTE_USD_PER_HOUR = Decimal("0.12")
    assert "COMPUTE_USD_PER_HOUR" not in fiona.get(reverse("costs")).content.decode()


def test_what_was_not_wasted_is_zero_and_what_nobody_knows_is_a_dash(fiona, money) -> None:
    """Where each attempt had its result, the page did not know what the others have cost."""
    Attempt.objects.exclude(status="completed").delete()
    answer = fiona.get(reverse("costs"))
    report = answer.context["report"]
    assert (report.wasted.money.total, report.waste_share) == (0, 0.0)
    assert (report.retries.money.total, report.failures.money.total) == (0, 0)
    sums = {row.name: row.values for row in answer.context["sheet"].sums}
    assert None not in sums["of it failures"][3:8]
    task = Task.objects.get(result_attempt=None, status="failed")
    make_attempt(task, "failed")
    report = fiona.get(reverse("costs")).context["report"]
    assert (report.wasted.money.total, report.waste_share) == (None, None), "of one attempt nothing is known"
    nothing = fiona.get(reverse("costs") + "?from=2020-01-01&to=2020-01-31").context["report"]
    assert nothing.total.money.total == 0 and nothing.waste_share is None


def test_what_failed_tasks_cost_and_the_median_of_an_agent_are_two_clicks_away(fiona, money) -> None:
    start = fiona.get(reverse("costs"))
    failed = next(address for title, address in start.context["questions"] if "Failed" in title)
    assert fiona.get(reverse("costs") + failed).context["report"].total.money.total == Decimal("0.75")
    of_reader = next(row.url for row in start.context["sheet"].rows if row.name == "reader")
    median = fiona.get(reverse("costs") + of_reader).context["report"].median
    assert (median.tasks, median.known, median.usd) == (2, 2, Decimal("0.75"))


def test_files_hold_exactly_what_the_page_shows_with_its_filter_and_no_formula(fiona, money) -> None:
    query = f"?by=client&status=completed&client={money['evil'].pk}"
    page = fiona.get(reverse("costs") + query).context["sheet"]
    shown = [[str(value) for value in line] for line in page.lines()]
    raw = b"".join(fiona.get(reverse("costs_csv") + query).streaming_content).decode("utf-8-sig")
    lines = list(csv.reader(io.StringIO(raw)))
    plain = [[cell.removeprefix("'") for cell in line] for line in lines]
    without_time = [line for line in plain if not (line and line[0] == "As of")]
    assert without_time == [line for line in shown if not (line and line[0] == "As of")]
    assert ["Client", "'" + EVIL] in lines and ["State of the task", "Completed"] in lines
    book = openpyxl.load_workbook(
        io.BytesIO(b"".join(fiona.get(reverse("costs_xlsx") + query).streaming_content))
    )
    cells = [cell for row in book.active.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "n"} and all(cell.hyperlink is None for cell in cells)
    assert any(cell.value == EVIL for cell in cells) and any(cell.value == "—" for cell in cells)


@pytest.mark.parametrize(
    "query", ["from=0001-01-01", "to=9999-12-31", "from=x", "period=y", "by=z", "client=-1", "version=0", "version=99999999999999999999", "agent=%00", "engagement=%00"]
)  # fmt: skip
def test_what_cannot_be_asked_for_is_told_and_not_narrowed_by(fiona, query: str) -> None:
    answer = fiona.get(f"{reverse('costs')}?{query}")
    assert answer.status_code == 200 and answer.context["report"].total.money.total == Decimal("2.625")


def test_amounts_in_the_workbook_are_numbers_to_the_last_place(fiona) -> None:
    book = openpyxl.load_workbook(io.BytesIO(b"".join(fiona.get(reverse("costs_xlsx")).streaming_content)))
    rows = [[cell.value for cell in row] for row in book.active.iter_rows()]
    head = next(row for row in rows if row[0] == "Agent")
    total = next(row for row in rows if row[0] == "Total")
    assert total[head.index("Total")] == 2.625 and total[head.index("LLM")] == 2.5


def test_a_member_sees_the_money_of_their_clients_alone(money) -> None:
    member = make_user("mia", clients=(money["north"],))
    member.user_permissions.add(Permission.objects.get(codename="view_costs"))
    answer = signed_in(member).get(reverse("costs") + "?by=client")
    assert [row.name for row in answer.context["sheet"].rows] == ["Nordwind & Söhne"]
    assert answer.context["report"].other_usd is None, "what belongs to nobody is not theirs"
    narrowed = signed_in(member).get(reverse("costs") + f"?client={money['evil'].pk}").context
    assert narrowed["form"].errors and EVIL not in str([row.name for row in narrowed["sheet"].rows])


def test_terms_of_a_month_discount_mark_up_and_convert(fiona) -> None:
    MonthTerms.objects.create(
        month=reports.today().replace(day=1),
        discount_percent=20,
        markup_percent=10,
        currency="EUR",
        rate=Decimal("0.9"),
    )
    money = fiona.get(reverse("costs")).context["report"].total.money
    assert money.compute == Decimal("0.1") and money.total == Decimal("2.6")
    assert (
        money.charged == Decimal("2.86") and money.converted == Decimal("2.574") and money.currency == "EUR"
    )
    assert "Charged in EUR" in fiona.get(reverse("costs")).content.decode()


def test_a_month_is_closed_once_in_order_with_a_line_in_the_trail(fiona) -> None:
    today = reports.today()
    answer = fiona.post(reverse("costs_close"), {"month": f"{today:%Y-%m}"}, follow=True)
    assert "is not over" in answer.content.decode() and not ClosedMonth.objects.exists()
    for nonsense in ("nonsense", "9999-12", "0001-01"):
        answer = fiona.post(reverse("costs_close"), {"month": nonsense}, follow=True)
        assert "That is no month" in answer.content.decode(), nonsense
    Task.objects.all()[0].attempts.update(finished_at="2026-01-15T12:00:00Z")
    CostState.objects.create(zone="UTC", stored_until=today)
    later = fiona.post(reverse("costs_close"), {"month": "2026-02"}, follow=True).content.decode()
    assert "2026-01 comes before 2026-02" in later
    fiona.post(reverse("costs_close"), {"month": "2026-01", "reason": "bill is complete"}, follow=True)
    assert ClosedMonth.objects.get().month == date(2026, 1, 1)
    entry = AuditEntry.objects.get(verb="close")
    assert (entry.object_id, entry.actor_name, entry.reason) == ("2026-01", "fiona", "bill is complete")
    assert (
        "is closed already"
        in fiona.post(reverse("costs_close"), {"month": "2026-01"}, follow=True).content.decode()
    )


def test_spend_of_a_closed_month_is_corrected_in_the_open_one_and_only_once(money) -> None:
    today = reports.today()
    OtherSpend.objects.all().delete()
    january = date(2026, 1, 15)
    closing.book_other({(january, "app"): Decimal("2")})
    ClosedMonth.objects.create(month=date(2026, 1, 1), closed_by="fiona")
    for _ in range(2):
        closing.book_other({(january, "app"): Decimal("2.5"), (today, "app"): Decimal("1")})
    rows = {(row.day, row.corrects): row.usd for row in OtherSpend.objects.all()}
    assert rows == {(january, None): 2, (today, january): Decimal("0.5"), (today, None): 1}


@pytest.mark.slow
@pytest.mark.skipif(in_a_browser[1].args[0], reason="No Chromium here. Type: apt-get install -y chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_has_no_serious_barrier_and_never_scrolls_sideways(
    transactional_db,
    visit,  # noqa: F811
    scheme: str,
) -> None:
    made_of_money()
    MonthTerms.objects.create(
        month=reports.today().replace(day=1), markup_percent=10, currency="EUR", rate=Decimal("0.9")
    )
    site = visit(make_user("root", is_superuser=True), color_scheme=scheme, reduced_motion="reduce")
    for width in (320, 768, 1280):
        site.page.set_viewport_size({"width": width, "height": 900})
        for path in (
            "/costs/",
            "/costs/?by=engagement&period=7d",
            "/costs/?client=999&from=2000-01-01&to=2000-01-02",
        ):
            page = site.open(path)
            assert (
                page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                <= 0
            ), (path, width)
            assert page.locator("h1").count() == 1
            found = [
                fault
                for fault in Axe().run(page).response["violations"]
                if fault["impact"] in ("serious", "critical")
            ]
            assert [(path, fault["id"], fault["nodes"][0]["html"][:120]) for fault in found] == []
    assert site.complaints == []


@pytest.mark.parametrize(("page", "given", "sentence"), [
    ("monthterms", {"month": "2026-11-01", "discount_percent": "101", "markup_percent": "0"}, "A discount lies between"),
    ("monthterms", {"month": "2026-11-01", "discount_percent": "0", "markup_percent": "-100"}, "A mark-up is more than"),
    ("price", {"model": "m", "valid_from_0": "2026-01-01", "valid_from_1": "00:00", "input_usd": "-1", "output_usd": "1"}, "A price is 0 or more."),
])  # fmt: skip
def test_what_no_terms_and_no_price_can_be_is_said_in_words(
    db, page: str, given: dict[str, str], sentence: str
) -> None:
    browser = Browser()
    browser.force_login(make_user("fiona", "Finance", is_staff=True))
    told = browser.post(reverse(f"admin:tasks_{page}_add"), given).content.decode()
    assert sentence in told and "Constraint" not in told
