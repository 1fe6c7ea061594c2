"""A password is read once for all who ask, replaced before it ends and when it is refused, whatever the clocks do."""

from __future__ import annotations

import threading

import pytest

from agentaudit.postgres.credentials import PAUSE_SECONDS, Credentials, Password
from agentaudit.postgres.errors import CredentialError

HOUR = 3600.0


class Bank:
    """A source that gives t1, t2, …; `away` makes it fail, `gate` makes it slow."""

    def __init__(self, seconds: float | None = HOUR) -> None:
        self.reads, self.seconds, self.away = 0, seconds, False
        self.gate: threading.Event | None = None
        self.fixed = ""

    def read(self) -> Password:
        self.reads += 1
        number = self.reads
        if self.gate:
            assert self.gate.wait(10)
        if self.away:
            raise CredentialError("the workspace is away")
        return Password(self.fixed or f"t{number}", "a bank", self.seconds)


class Clocks:
    def __init__(self) -> None:
        self.monotonic, self.wall = 1000.0, 1_800_000_000.0

    def pass_by(self, seconds: float) -> None:
        self.monotonic += seconds
        self.wall += seconds


@pytest.fixture
def bank() -> Bank:
    return Bank()


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def credentials(bank: Bank, clocks: Clocks) -> Credentials:
    return Credentials(bank, (lambda: clocks.monotonic, lambda: clocks.wall))


def test_it_is_kept_and_replaced_five_minutes_before_it_ends(credentials, clocks):
    assert [credentials.password(), credentials.password()] == ["t1", "t1"]
    clocks.pass_by(HOUR - 301)
    assert credentials.password() == "t1"
    clocks.pass_by(1)
    assert credentials.password() == "t2"


def test_a_machine_that_slept_is_told_by_the_wall_clock(credentials, clocks):
    credentials.password()
    clocks.wall += 2 * HOUR  # the monotonic clock stood still
    assert credentials.password() == "t2"


def test_a_wall_clock_that_is_put_back_makes_nothing_younger(credentials, clocks):
    credentials.password()
    clocks.wall -= 10 * HOUR
    clocks.monotonic += HOUR - 200
    assert credentials.password() == "t2"


def test_one_that_still_serves_is_used_while_the_next_cannot_be_had(credentials, bank, clocks):
    credentials.password()
    bank.away = True
    clocks.pass_by(HOUR - 200)
    assert credentials.password() == "t1"
    assert credentials.password() == "t1"
    assert bank.reads == 2, "the source is left alone for a while"
    clocks.pass_by(PAUSE_SECONDS)
    credentials.password()
    assert bank.reads == 3
    clocks.pass_by(200)
    with pytest.raises(CredentialError, match="away"):
        credentials.password()
    bank.away = False
    assert credentials.password() == "t5"


def test_a_refused_one_is_replaced_once_for_all_who_were_refused(credentials, bank):
    first = credentials.password()
    assert credentials.refused(first) is True
    assert credentials.refused(first) is True
    assert bank.reads == 2
    assert credentials.password() == "t2"


def test_where_the_source_gives_the_same_again_there_is_nothing_to_try(credentials, bank):
    bank.fixed, bank.seconds = "from the environment", None
    assert credentials.refused(credentials.password()) is False


def test_one_without_an_end_is_kept(credentials, bank, clocks):
    bank.seconds = None
    credentials.password()
    clocks.pass_by(100 * HOUR)
    assert credentials.password() == "t1"


def test_of_many_who_ask_at_once_one_reads(bank):
    credentials = Credentials(bank)
    bank.gate = threading.Event()
    got: list[str] = []
    threads = [threading.Thread(target=lambda: got.append(credentials.password())) for _ in range(20)]
    for thread in threads:
        thread.start()
    bank.gate.set()
    for thread in threads:
        thread.join()
    assert got == ["t1"] * 20
    assert bank.reads == 1


def test_while_one_reads_early_the_others_do_not_wait(bank, credentials, clocks):
    credentials.password()
    clocks.pass_by(HOUR - 100)
    bank.gate = threading.Event()
    early = threading.Thread(target=credentials.password)
    early.start()
    while bank.reads < 2:
        pass
    assert credentials.password() == "t1"
    bank.gate.set()
    early.join()
    assert credentials.password() == "t2"


def test_a_password_is_never_shown():
    assert "geheim" not in repr(Password("geheim", "a bank"))
