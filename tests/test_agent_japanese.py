"""Japanese invoices and receipts: who is honoured is written to, taxes within the total, totals without a label."""

from __future__ import annotations

from tasks.agent.page import Page, Word
from tasks.agent.rules.amounts import Amounts, amounts_of
from tasks.agent.rules.buyers import buyers_of
from tasks.agent.rules.kind import kind_of
from tasks.agent.rules.lines import table_of
from tasks.agent.rules.parties import Parties
from tasks.agent.rules.received import closed_of
from tasks.agent.rules.text import Text

Rows = list[list[tuple[float, str]]]


def text_of(rows: Rows) -> Text:
    page = Page(1, 600, 800)
    for place, row in enumerate(rows):
        top = 40 + 18 * place
        page.words += [Word(said, x, top, x + 10 * len(said), top + 12, 1, -1, -1) for x, said in row]
    return Text([page])


def sums(rows: Rows) -> Amounts:
    text = text_of(rows)
    return amounts_of(text, table_of(text))


def test_who_is_honoured_is_written_to() -> None:
    rows: Rows = [
        [(60, "請求書")],
        [(60, "株式会社見本商事御中")],
        [(400, "株式会社青空製作所")],
        [(400, "東京都港区一丁目")],
    ]
    text = text_of(rows)
    assert [found.value for found in buyers_of(text)] == ["株式会社見本商事"]
    assert [found.value for found in Parties(text).suppliers()] == ["株式会社青空製作所"]


def test_the_honour_may_stand_apart_from_the_name() -> None:
    text = text_of([[(60, "請求書")], [(60, "山田太郎"), (200, "様")], [(400, "株式会社青空製作所")]])
    assert [found.value for found in buyers_of(text)] == ["山田太郎"]


def test_a_tax_within_the_total() -> None:
    rate: Rows = [
        [(60, "(税率"), (120, "8%対象"), (300, "¥280)")],
        [(60, "(内消費税等"), (160, "8%"), (300, "¥20)")],
    ]
    found = sums(
        [
            [(60, "おにぎり"), (300, "¥280")],
            *rate,
            [(60, "合計"), (300, "¥280")],
            [(60, "お預り"), (300, "¥500")],
        ]
    )
    assert found.tax is not None and found.tax.value == "20"
    assert found.total is not None and found.total.value == "280"


def test_a_total_that_no_label_names() -> None:
    found = sums(
        [
            [(60, "領収書")],
            [(60, "¥5,500-")],
            [(60, "税抜金額"), (200, "¥5,000")],
            [(60, "消費税額"), (200, "¥500")],
        ]
    )
    assert found.total is not None and found.total.value == "5500"


def test_a_receipt_with_a_spaced_title_and_a_closed_sum() -> None:
    """Who writes stands over his registration at the foot; the tax of one rate of several asks for a look."""
    text = text_of(
        [
            [(60, "2022年11月9日"), (400, "No. 1234")],
            [(60, "領"), (75, "収"), (90, "証")],
            [(60, "¥12,080-")],
            [(60, "税率 8%"), (200, "¥1,000"), (300, "税額"), (400, "¥80")],
            [(60, "税率 10%"), (200, "¥10,000"), (300, "税額"), (400, "¥1,000")],
            *[[]] * 30,
            [(400, "市ヶ谷駅前店")],
            [(400, "東京都千代田区九段1-2-3")],
            [(400, "登録番号 T0123456789012")],
        ]
    )
    assert kind_of(text)[0] == "receipt"
    total = closed_of(text)
    assert total is not None and total.value == "12080"
    assert [found.value for found in Parties(text).suppliers()] == ["市ヶ谷駅前店"]
