"""A number that its supplier has used before for the same client is marked, whoever reads it, however it is written."""

from __future__ import annotations

import pytest

from tasks import events, operations, queue, seen
from tasks.agent.contract import Completed, FieldValue, Record, Result
from tasks.audit import Actor
from tasks.models import Attempt, SeenNumber, Task
from tests.factories import make_agent, make_client, make_document
from tests.queue_tools import claim, new_worker, session, together

pytestmark = pytest.mark.django_db

SYSTEM = Actor.system("test")


@pytest.fixture(autouse=True)
def worker(db):
    return new_worker()


def record(kind: str = "invoice", **values: str | None) -> Record:
    """An invoice with everything that tells it, but for what is said."""
    values = {"number": "INV 47-11", "supplier": "Harbour Lane Books Ltd", "date": "2026-03-01", **values}
    return Record(
        kind=kind, fields={name: FieldValue(value=value, confidence=0.98) for name, value in values.items()}
    )


def result(*records: Record) -> Result:
    return Result(kind="invoice", pages=1, records=records, confidence=0.98, needs_review=False)


def read(*records: Record, client=None, agent=None, document=None) -> Task:
    """A new document in which this was found."""
    client = client or make_client()
    agent = agent or make_agent()
    handed = operations.Handed(document or make_document(client))
    operations.submit(SYSTEM, client=client, agent=agent, documents=[handed])
    (row,) = claim(1)
    events.apply_event(
        queue.connection(), Completed(attempt=row.attempt_id, result=result(*records)), ended=True
    )
    return Task.objects.get(pk=row.task_id)


def reasons(task: Task, place: int = 0) -> list[str]:
    return Attempt.objects.get(pk=task.result_attempt).result["records"][place]["fields"]["number"]["reasons"]


def test_the_second_document_with_it_needs_a_look_and_says_where_the_first_is():
    client = make_client()
    first = read(record(), client=client)
    second = read(record(number="inv 4711", supplier="HARBOUR LANE BOOKS LTD."), client=client)
    assert not first.needs_review and reasons(first) == []
    assert second.needs_review
    assert reasons(second) == [f"The number inv 4711 of this supplier was read before: in task {first.pk}."]


@pytest.mark.parametrize(
    "other",
    [
        record(number="INV 47-12"),
        record(supplier="Another Ltd"),
        record(kind="credit_note"),
        record(number=None),
        record(supplier=None),
    ],
)
def test_what_differs_or_is_not_known_repeats_nothing(other):
    client = make_client()
    read(record(), client=client)
    assert not read(other, client=client).needs_review


def test_a_tax_number_tells_the_supplier_where_the_name_was_read_otherwise():
    client = make_client()
    read(record(supplier_tax_id="GB 111 2233 43"), client=client)
    assert read(record(supplier="Harbour Lane", supplier_tax_id="GB111223343"), client=client).needs_review


def test_numbers_of_receipts_begin_again_every_day():
    client = make_client()
    read(record(kind="receipt", number="17"), client=client)
    assert not read(record(kind="receipt", number="17", date="2026-03-02"), client=client).needs_review
    assert read(record(kind="receipt", number="17"), client=client).needs_review


def test_another_client_may_have_it_too():
    read(record())
    assert not read(record(), client=make_client("Other")).needs_review


def test_the_same_document_read_again_repeats_nothing():
    client = make_client()
    document = make_document(client)
    read(record(), client=client, document=document)
    assert not read(record(), client=client, document=document).needs_review


def test_of_several_records_each_is_looked_up_by_itself():
    client = make_client()
    read(record(), client=client)
    task = read(record(number="INV 1"), record(), client=client)
    assert reasons(task) == [] and len(reasons(task, 1)) == 1


def test_a_number_that_a_second_reading_corrects_is_free_again():
    client, agent = make_client(), make_agent()
    task = read(record(number="INV 4771"), client=client, agent=agent)
    operations.reprocess(SYSTEM, [task.pk])
    (row,) = claim(1)
    events.apply_event(
        queue.connection(), Completed(attempt=row.attempt_id, result=result(record())), ended=True
    )
    assert not read(record(number="INV 4771"), client=client, agent=agent).needs_review
    assert read(record(), client=client, agent=agent).needs_review


def test_a_result_that_comes_after_the_end_changes_nothing():
    client, agent = make_client(), make_agent()
    task = read(record(), client=client, agent=agent)
    late = Completed(attempt=task.result_attempt, result=result(record(number="INV 99")))
    events.apply_event(queue.connection(), late, ended=True)
    assert read(record(), client=client, agent=agent).needs_review
    assert not read(record(number="INV 99"), client=client, agent=agent).needs_review


def test_nothing_of_the_document_is_in_what_is_kept():
    read(record())
    (kept,) = SeenNumber.objects.all()
    assert set(SeenNumber.objects.values_list("key", flat=True)) == set(seen.keys_of(record()))
    assert "4711" not in str(kept.key) and "harbour" not in str(kept.key)


@pytest.mark.django_db(transaction=True)
def test_of_two_that_are_settled_at_once_one_is_the_later():
    client, agent = make_client(), make_agent()
    handed = [operations.Handed(make_document(client)) for _ in range(2)]
    operations.submit(SYSTEM, client=client, agent=agent, documents=handed)
    rows = claim(2)

    def settle(row):
        with session() as db:
            events.apply_event(db, Completed(attempt=row.attempt_id, result=result(record())), ended=True)

    together(*(lambda row=row: settle(row) for row in rows))
    assert sorted(Task.objects.values_list("needs_review", flat=True)) == [False, True]
