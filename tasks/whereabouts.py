"""Whether the storage of this machine is the one that documents were handed in to, and takes files; while it does not, its worker claims nothing."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from uuid import uuid4

from django.conf import settings

from tasks.agent.contract import Code, Failed
from tasks.events import News
from tasks.models import Document
from tasks.outcomes import Answer
from tasks.states import AttemptStatus
from tasks.storage import StorageError, get_storage
from tasks.storage.names import REPLACEABLE

log = logging.getLogger(__name__)

FEW, LATELY = 3, 100
"""Documents that are looked for, and among how many of the last: where all of these were deleted, each claim would search a long table."""
UNREAD = (Code.DOCUMENT_MISSING, Code.STORAGE)
"""What is said of an attempt whose document could not be read, or whose outcome could not be written."""


def trouble() -> str | None:
    """Why no document can be read or nothing can be written here, and what to do; empty if one of those that were handed in last is here.

    None: there is none to look for.
    """
    names = Document.objects.order_by("-pk").values_list("storage_name", flat=True)[:LATELY]
    wanted = [name for name in names if name][:FEW]  # what was deleted has none
    if not wanted:
        return None
    storage, trial = get_storage(), f"{REPLACEABLE}{uuid4()}.trial"
    try:
        if any(map(storage.exists, wanted)):
            storage.put(trial, BytesIO(b"-"))
            storage.delete(trial)
            return ""
    except StorageError as error:
        return str(error)
    return (
        f"{settings.STORAGE_URL} holds none of the last documents, so that it is not the storage that they were handed in to, or an older "
        "copy of it. Mount the right one, or set STORAGE_URL to what the pages have; tasks wait for that. What is lost has to be handed in again."
    )


class Whereabouts:
    """What a worker knows of its storage since it first looked. `trouble`: why nothing can be read or written; looked at again every `seconds`.

    Until the first document is handed in nobody can tell, and so every claim looks.
    """

    def __init__(self, seconds: float) -> None:
        self.trouble = ""
        self._untold, self._seconds, self._at = False, seconds, 0.0

    def look(self) -> None:
        told = trouble()
        self._untold, found = told is None, told or ""
        if found and not self.trouble:
            log.error("Nothing is claimed: %s", found)
        elif self.trouble and not found:
            log.info(
                "Documents are found and files are taken in %s again; claiming goes on.", settings.STORAGE_URL
            )
        self.trouble, self._at = found, time.monotonic() + self._seconds

    def is_known_wrong(self) -> bool:
        if self._untold or (self.trouble and time.monotonic() >= self._at):
            self.look()
        return bool(self.trouble)

    def heed(self, batch: Sequence[News]) -> list[News]:
        """The news; where nothing can be read or written here, that this failed is no fault of its task, which is given back."""
        unread = {news.attempt for news in batch if _code(news) in UNREAD}
        if unread:
            self.look()
        if not self.trouble:
            return list(batch)
        return [self._given_back(news) if news.attempt in unread else news for news in batch]

    def _given_back(self, news: News) -> News:
        answer = Answer(AttemptStatus.RELEASED, news.ended, Code.STORAGE, self.trouble, True)
        return replace(news, event=None, answer=answer)


def _code(news: News) -> str:
    if isinstance(news.event, Failed):
        return news.event.code
    return news.answer.code if news.answer else ""
