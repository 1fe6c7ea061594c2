"""Keeps paid answers beside a task, so that an attempt after a crash pays only for what is missing."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model said to a question. `too_long`: instead of an answer, that the question has to be cut."""

    text: str = ""
    model: str = ""
    too_long: bool = False


class Kept:
    """One small file per question, named by its hash, whole or not there: folders of Databricks volumes cannot append to files."""

    def __init__(self, prefix: str):
        """`prefix`: `Order.kept`; empty: nothing is kept."""
        self.prefix = prefix

    def get(self, key: str) -> Answered | None:
        """None also for a file that cannot be read: the question is asked again."""
        if not self.prefix:
            return None
        try:
            said = json.loads(self._path(key).read_text(encoding="utf-8"))
            return Answered(str(said["text"]), str(said["model"]), bool(said["too_long"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, answered: Answered) -> None:
        """Durable at return. Raises OSError."""
        if not self.prefix:
            return
        target = self._path(key)
        partial = target.with_name(f"{target.name}.{os.getpid()}.part")
        said = {"text": answered.text, "model": answered.model, "too_long": answered.too_long}
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(said, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)

    def _path(self, key: str) -> Path:
        return Path(f"{self.prefix}.{key}")
