"""Requests from several threads at once, as web processes make them, and what went wrong with them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from agentaudit.postgres.base import DatabaseWrapper
from tests.lakebase_tools import answer

REQUESTERS = 4


class Load:
    """Threads that do `request` until the end, and what went wrong."""

    def __init__(self, request: Callable[[], Any]) -> None:
        self._request, self._ending = request, threading.Event()
        self.done, self.failures = 0, []
        self._threads = [threading.Thread(target=self._run) for _ in range(REQUESTERS)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while not self._ending.wait(0.02):
            try:
                self._request()
                self.done += 1
            except Exception as error:
                self.failures.append(repr(error))


def requester(alias: str, settings_dict: dict[str, Any]) -> Callable[[], None]:
    """One request of a thread that has a wrapper of its own, as Django's threads do; a pool is shared by its alias."""
    local = threading.local()

    def request() -> None:
        if not hasattr(local, "wrapper"):
            local.wrapper = DatabaseWrapper(settings_dict, alias)
        assert answer(local.wrapper, "SELECT current_schema()::text") == ("agentaudit",)

    return request
