"""Where agents of one's own are kept: ./own_agents/NAME, a folder each, beside manage.py."""

from __future__ import annotations

import sys
from pathlib import Path

from tasks.agent.golden import Folder, FolderError
from tasks.management.base import wrong_call

AGENTS = "own_agents"
"""Not `agents`: that is what OpenAI's Agents SDK is imported as."""


def folder_of(name: str) -> Path:
    """delivery-notes is kept in ./own_agents/delivery_notes, whose program can be imported from here."""
    return Path(AGENTS) / name.replace("-", "_")


def found(name: str) -> Folder | None:
    """The agent in its folder; None where there is no such folder. Raises CommandError where its files cannot be used."""
    path = folder_of(name)
    if not (path / "agent.json").exists():
        return None
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        return Folder.of(path)
    except FolderError as error:
        raise wrong_call(str(error)) from error
