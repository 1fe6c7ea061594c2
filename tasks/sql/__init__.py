"""Loads the named statements beside this file: a line `-- name: claim_take` begins one, comments below it explain it."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def load(folder: Path = Path(__file__).parent) -> dict[str, str]:
    """Every statement by name, with its comments (they show in the server's logs and statistics). Raises ValueError on a name used twice."""
    statements: dict[str, str] = {}
    for path in sorted(folder.glob("*.sql")):
        _, *parts = _NAME.split(path.read_text())
        for name, body in zip(parts[::2], parts[1::2], strict=True):
            if name in statements:
                raise ValueError(f"{path.name}: the statement {name} exists already")
            statements[name] = f"-- {name}\n{_without_notes(body)}"
    return statements


def _without_notes(body: str) -> str:
    """The statement without its comment lines, which may hold percent signs and would be parsed for parameters."""
    return "\n".join(line for line in body.strip().splitlines() if not line.lstrip().startswith("--"))


SQL = load()
