"""The password of each connect: kept while it is good, read anew shortly before it ends and whenever it is refused."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from agentaudit.postgres.errors import CredentialError

log = logging.getLogger(__name__)

EARLY_SECONDS, EARLY_SHARE = 300.0, 0.25
"""A password is replaced when so much of its life is left: the smaller of five minutes and a quarter."""
PAUSE_SECONDS = 5.0
"""Between two tries to replace one that is still good."""


@dataclass(frozen=True, slots=True)
class Password:
    """`seconds`: how long it is good from the moment it was read; None: until it is refused. `origin`: where it is from, in words."""

    text: str = field(repr=False)
    origin: str
    seconds: float | None = None


class Source(Protocol):
    """Where passwords come from. `read` may take seconds and raises CredentialError."""

    def read(self) -> Password: ...


@dataclass(frozen=True, slots=True)
class _Kept:
    password: Password
    at: tuple[float, float]


class Credentials:
    """One per process and database: any number of threads ask, one of them reads.

    Two clocks count a password's age, and the older age holds: the monotonic one stands still while a machine sleeps, and the
    other one may be put back.
    """

    def __init__(
        self,
        source: Source,
        clocks: tuple[Callable[[], float], Callable[[], float]] = (time.monotonic, time.time),
    ) -> None:
        self._source, self._clocks = source, clocks
        self._reading = threading.Lock()
        self._kept: _Kept | None = None
        self._pause_until = 0.0

    @property
    def origin(self) -> str:
        """Where the present password is from; empty before the first one."""
        return self._kept.password.origin if self._kept else ""

    def password(self) -> str:
        """The password of this moment. Raises CredentialError where none can be had."""
        kept = self._kept
        if kept is None or self._left(kept) <= 0:
            with self._reading:
                kept = self._kept  # another thread may have read it meanwhile
                if kept is None or self._left(kept) <= 0:
                    kept = self._read()
        elif self._is_due(kept) and self._reading.acquire(blocking=False):
            try:
                kept = self._read_early(kept)
            finally:
                self._reading.release()
        return kept.password.text

    def refused(self, password: str) -> bool:
        """The server did not let this one in. Whether another one is there to try; reads at most once for all who were refused."""
        with self._reading:
            if self._kept is None or self._kept.password.text == password:
                self._read()
            return self._kept is not None and self._kept.password.text != password

    def _read(self) -> _Kept:
        began = self._now()  # the life of what is read counts from before it was asked for
        self._kept = _Kept(self._source.read(), began)
        return self._kept

    def _read_early(self, kept: _Kept) -> _Kept:
        """The next password, or this one as long as the next cannot be had."""
        if self._kept is not kept:
            return self._kept or kept
        try:
            return self._read()
        except CredentialError as error:
            self._pause_until = self._clocks[0]() + PAUSE_SECONDS
            log.warning(
                "The next database password cannot be had yet; the present one still serves. %s", error
            )
            return kept

    def _is_due(self, kept: _Kept) -> bool:
        if kept.password.seconds is None or self._clocks[0]() < self._pause_until:
            return False
        return self._left(kept) <= min(EARLY_SECONDS, EARLY_SHARE * kept.password.seconds)

    def _left(self, kept: _Kept) -> float:
        if kept.password.seconds is None:
            return float("inf")
        return kept.password.seconds - max(now - then for now, then in zip(self._now(), kept.at, strict=True))

    def _now(self) -> tuple[float, float]:
        return self._clocks[0](), self._clocks[1]()
