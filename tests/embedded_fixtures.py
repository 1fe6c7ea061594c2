"""Fixtures: homes for embedded servers, and processes that use them."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from agentaudit.postgres.embedded import Server
from tests.embedded_homes import User


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that other accounts may pass through, unlike pytest's own."""
    path = Path(tempfile.mkdtemp(prefix="audit-", dir="/tmp")).resolve()
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def filled(folder: Path) -> Iterator[Path]:
    """A home with a database in it that several tests share; each leaves it in working order."""
    home = folder / "shared"
    server = Server(home)
    with psycopg.connect(**server.ensure_running()) as connection:
        connection.execute("CREATE TABLE marks (mark int)")
        connection.execute("INSERT INTO marks VALUES (42)")
    yield home
    server.remove()


@pytest.fixture
def fresh(folder: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A home of the test's own, in which nothing is yet."""
    home = folder / re.sub(r"\W", "-", request.node.name)[:60]
    yield home
    Server(home).remove()


@pytest.fixture
def users() -> Iterator[Callable[[Path], User]]:
    made: list[User] = []

    def make(home: Path) -> User:
        made.append(User(home))
        return made[-1]

    yield make
    for user in made:
        user.kill()
