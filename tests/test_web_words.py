"""Money, times, shares and days are written in one honest way everywhere, in each language."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django import forms
from django.urls import reverse
from django.utils import formats
from django.utils.translation import override

from dashboard.operations import moment
from dashboard.pace import Pace
from dashboard.templatetags import show
from tasks import why
from tests import page_tools
from tests.page_tools import page_of, task_named

world = page_tools.world


def test_an_unknown_cost_is_a_dash_and_a_known_one_is_money(world) -> None:
    task = task_named("good.pdf")
    attempt = task.attempts.get()
    url = reverse("task", args=(task.pk,))
    cell = re.compile(r'<td class="number">\s*([^<]*)')
    attempts = world[0].get(url).content.decode().split('id="attempts"')[1]
    assert "0.00" not in attempts and "—" in attempts
    type(attempt).objects.filter(pk=attempt.pk).update(
        cost_usd=Decimal("0.012345"), cost_state="estimated", input_tokens=12_345
    )
    attempts = world[0].get(url).content.decode().split('id="attempts"')[1]
    assert "0.012345\u202fUSD" in attempts and "estimated" in attempts and "12,345" in attempts
    assert cell.search(attempts)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "—"),
        (Decimal("0"), "0.00\u202fUSD"),
        (Decimal("1234567.891"), "1,234,567.89\u202fUSD"),
        (Decimal("0.000001"), "0.000001\u202fUSD"),
    ],
)
def test_money_is_shown_to_the_cent_and_small_money_to_the_millionth(
    value: Decimal | None, shown: str
) -> None:
    assert show.usd(value) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, "—"),
        (0.25, "0.2 s"),
        (59.9, "59 s"),
        (110, "1 min 50 s"),
        (8017, "2 h 13 min"),
        (180_000, "2 d 2 h"),
    ],
)
def test_a_time_is_told_in_the_largest_unit_that_it_fills(seconds: float | None, shown: str) -> None:
    """An extraction over a night took 1,520 minutes."""
    assert show.seconds(seconds).replace("\u202f", " ") == shown


@pytest.mark.parametrize(
    ("left", "shown"),
    [((30, 50), "less than a minute left"), ((100, 119), "about 2 minutes left"), ((600, 7_300), "10 to 122 minutes left"),
     ((7_300, 30_000), "2 to 9 hours left")],
)  # fmt: skip
def test_the_time_left_is_told_in_hours_where_it_is_hours(left: tuple[float, float], shown: str) -> None:
    pace = Pace(None, 0, 0, 1.0, left, None, 0.0, 0.0)
    assert pace.left_sentence == shown


def test_a_share_is_never_rounded_up_to_certainty() -> None:
    assert (show.share(0.999), show.share(1.0), show.share(0.29), show.share(None)) == (
        "99\u202f%",
        "100\u202f%",
        "29\u202f%",
        "—",
    )


def test_german_readers_get_german_words_numbers_and_dates(world) -> None:
    client, _ = world
    client.post(reverse("set_language"), {"language": "de", "next": "/"})
    page = page_of(world)
    for words in (
        '<html lang="de">',
        "Wartet",
        "Zu prüfen",
        "Diese PDF-Datei hat keine Seiten.",
        "3 von 5 fertig",
    ):
        assert words in page, words
    page = client.get(reverse("task", args=(task_named("good.pdf").pk,))).content.decode()
    assert "1.234,50" in page and "Lieferant" in page


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_day_is_written_in_one_way_everywhere(world, language: str) -> None:
    noon = datetime(2024, 3, 9, 15, 4, 5, tzinfo=UTC)
    with override(language):
        shown = [str(filter(noon)) for filter in (show.ago, show.exact)]
        shown += [
            why.clock(noon, noon + timedelta(days=1)),
            moment(noon),
            show.field_value("date", "2024-03-09"),
        ]
        shown += [
            formats.date_format(noon, name)
            for name in ("DATE_FORMAT", "DATETIME_FORMAT", "SHORT_DATE_FORMAT")
        ]
    texts = [re.sub('<[^>]*>|T15.*?"', "", text) for text in shown]
    assert all("2024-03-09" in text for text in shown), shown
    assert not [text for text in texts if re.search(r"Mar|März|9/|/9|09\.03|[ap]\.m\.", text)]


def test_german_forms_show_days_the_same_way_and_take_the_usual_one_too() -> None:
    field = forms.DateField()
    with override("de"):
        assert field.widget.format_value(date(2024, 3, 9)) == "2024-03-09"
        assert field.clean("09.03.2024") == field.clean("2024-03-09") == date(2024, 3, 9)
