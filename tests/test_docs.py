"""What the documents say is what the code does: variables, states, targets, and links between pages."""

from __future__ import annotations

import ast
import re
import runpy
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def variables_read() -> set[str]:
    """Names that settings.py and environment.py read: the first arguments, in capitals, of the reading functions."""
    found = set()
    for file in ("settings.py", "environment.py"):
        for node in ast.walk(ast.parse((ROOT / "agentaudit" / file).read_text())):
            if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
                continue
            name = str(node.args[0].value)
            if re.fullmatch(r"[A-Z][A-Z_]+", name) and not ast.unparse(node.func).endswith(("wrong", ".get")):
                found.add(name)
    return found


def test_the_readme_lists_exactly_the_variables_that_are_read():
    listed = re.findall(r"^\| `([A-Z][A-Z_]+)` \|", README, re.M)
    assert len(listed) == len(set(listed)), "a variable stands twice in the README"
    assert set(listed) == variables_read()


def test_the_example_file_lists_exactly_the_variables_that_are_read():
    listed = re.findall(r"^#?([A-Z][A-Z_]+)=", (ROOT / ".env.example").read_text(), re.M)
    assert len(listed) == len(set(listed)), "a variable stands twice in .env.example"
    assert set(listed) == variables_read()


def test_settings_are_the_only_place_that_reads_the_environment():
    allowed = {"agentaudit/environment.py", "agentaudit/settings.py"}
    readers = []
    for path in sorted(ROOT.glob("*/**/*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(("agentaudit/", "tasks/", "dashboard/", "webhooks/")) or name in allowed:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            reads = ast.unparse(node) if isinstance(node, (ast.Call, ast.Subscript)) else ""
            if re.match(r"os\.(environ\.get\(|environ\[|getenv\()['\"]", reads) and not _is_a_write(node):
                readers.append(f"{name}: {reads}")
    assert readers == []


def _is_a_write(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del))


def test_what_an_example_writes_into_the_checkout_is_no_part_of_it():
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    written = re.findall(r"--csv (\S+)", README)
    assert written and all(any(fnmatch(f"/{name}", line) for line in ignored) for name in written)


def test_the_page_of_states_equals_the_code():
    generated = runpy.run_path(str(ROOT / "docs" / "generate.py"))["page"]()
    assert (ROOT / "docs" / "states.md").read_text() == generated, "run: make docs"


@pytest.mark.parametrize("path_of_page", PAGES, ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(path_of_page: Path):
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", path_of_page.read_text())
    assert [link for link in links if not (path_of_page.parent / link).exists()] == []


@pytest.mark.parametrize("path_of_page", PAGES, ids=lambda path: path.name)
def test_commands_that_pages_name_exist(path_of_page: Path):
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.M))
    commands = {path.stem for path in (ROOT / "tasks/management/commands").glob("*.py")}
    commands |= {"createsuperuser", "changepassword", "check", "migrate", "dbshell", "help"}  # Django's own
    text = path_of_page.read_text()
    assert set(re.findall(r"`(?:[A-Z]+=\S+ )*make ([a-z-]+)", text)) - targets == set()
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) - commands == set()
