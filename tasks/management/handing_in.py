"""From paths on this machine to one extraction: which files, for whom, by which agent, and which path each task came from."""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tasks import intake, operations
from tasks.audit import Actor
from tasks.management import naming
from tasks.management.base import wrong_call
from tasks.models import Agent, Client, Extraction
from tasks.states import Priority

FIRST_CLIENT = "My documents"
DEFAULT_AGENT = "invoice-rules"
DEMO_CLIENT = "Demo"
"""Holds the sample documents; nobody's own are put there by default."""
_NOT_FOR_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def files(paths: Sequence[str]) -> list[Path]:
    """The files that are meant: those named, and the PDFs below folders, each once. Raises CommandError for none."""
    found: dict[Path, None] = {}
    if "" in paths:  # Path("") would be the whole folder that the command runs in
        raise wrong_call("The name of a file is empty. Nothing was handed in.")
    for path in map(Path, paths):
        try:
            if path.is_dir():
                found.update(dict.fromkeys(_pdfs_below(path)))
            elif path.is_file():
                found[path] = None
            else:
                raise wrong_call(f"There is no file or folder {str(path)!r}. Nothing was handed in.")
        except OSError as error:
            where = str(error.filename or path)
            raise wrong_call(f"{where!r} cannot be read: {error.strerror}. Nothing was handed in.") from error
    if not found:
        raise wrong_call("There is no PDF in these folders. Nothing was handed in.")
    return list(found)


def _pdfs_below(folder: Path) -> list[Path]:
    """Those of folders that are linked, too, each folder once. Raises OSError for a folder that cannot be read: its documents must not be
    missing unnoticed, and nor may a link that leads nowhere, which is told as a file that cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise error

    found: list[Path] = []
    seen: set[tuple[int, int]] = set()
    for place, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        folders.sort()
        status = os.stat(place)
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        files = (Path(place, name) for name in names)
        found += [
            file for file in files if file.suffix.lower() == ".pdf" and (file.is_file() or not file.exists())
        ]
    return sorted(found)


def client(name: str, create: bool = False) -> Client:
    """The client of this name; without a name the only one there is. Raises CommandError."""
    if name := label("--client", name, most=200):
        if create:
            return Client.objects.get_or_create(name=name)[0]
        return naming.one(Client.objects.all(), "client", name, "--create-client makes it.")
    own = Client.objects.exclude(name=DEMO_CLIENT)
    return _only(own, "client") if own.exists() else Client.objects.create(name=FIRST_CLIENT)


def agent(name: str) -> Agent:
    """The agent of this name; without a name the one for invoices, else the only one there is. Raises CommandError."""
    if name:
        return naming.one(Agent.objects.all(), "agent", name, "Make it in the admin.")
    return Agent.objects.filter(name=DEFAULT_AGENT).first() or _only(Agent.objects, "agent")


def must_be_writable(path: Path) -> None:
    """Whether results can be written to it is found out before hours of work. Raises CommandError."""
    try:
        with open(path, "a"):
            pass
    except OSError as error:
        raise wrong_call(f"{path} cannot be written: {error.strerror}. Nothing was handed in.") from error


def label(option: str, text: str, *, most: int) -> str:
    """`text` without blanks around it, if it can be kept and shown; `most` characters. Raises CommandError."""
    kept = text.strip()
    if text and not kept:
        fault = "is blank"
    elif _NOT_FOR_NAMES.search(kept):
        fault = "holds characters that are no text"
    elif len(kept) > most:
        fault = f"has {len(kept)} characters, and at most {most} can be kept"
    else:
        return kept
    raise wrong_call(f"{option} {fault}. Nothing was handed in.")


def _only(among, word: str):
    found = list(among.all()[:2])
    if len(found) != 1:
        raise wrong_call(
            f"Say which {word} with --{word}. {naming.told(word, '', among.values_list('name', flat=True))}"
        )
    return found[0]


def asked_password() -> str:
    """The password, typed without echo or piped in: on the command line it would stand in every list of processes."""
    if sys.stdin.isatty():
        return getpass.getpass("Password of the encrypted files: ")
    typed = sys.stdin.readline().rstrip("\r\n")
    return typed.encode(
        errors="replace"
    ).decode()  # bytes that are no text open nothing, but can be handed on


def user_here() -> str:
    """Who runs this command, for the trail."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as containers have
        return f"uid {os.getuid()}"


@dataclass(slots=True)
class Batch:
    """Files on their way in. After `hand_in`, `paths` says which paths brought the bytes of which digest."""

    files: list[Path]
    password: str = field(default="", repr=False)
    advance: Callable[[], None] = lambda: None
    """Called as each file has been looked at."""
    paths: dict[str, list[Path]] = field(default_factory=dict)
    unreadable: dict[Path, str] = field(default_factory=dict)

    def hand_in(
        self,
        *,
        client: Client,
        agent: Agent,
        engagement: str = "",
        priority: Priority | None = None,
        again: bool = False,
    ) -> Extraction:
        """Raises CommandError when nothing could be taken."""
        actor = Actor(user_here(), None, "command line")
        try:
            return intake.take_in(
                actor, client=client, agent=agent, uploads=self._uploads(),
                engagement=engagement, priority=priority, run_again=again,
            )  # fmt: skip
        except (intake.NotTaken, operations.Refused) as error:
            raise wrong_call(error.message) from error

    def _uploads(self) -> Iterator[intake.Upload]:
        for path in self.files:
            try:
                with open(path, "rb") as content:
                    digest = hashlib.file_digest(content, "sha256").hexdigest()
                    self.paths.setdefault(digest, []).append(path)
                    content.seek(0)
                    yield intake.Upload(path.name, content, self.password)
            except OSError as error:
                self.unreadable[path] = error.strerror or str(error)
            self.advance()
