"""The agent on the command line, and the child that inspects many files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tasks.agent.inspection import inspect
from tests.samples.generate import FOLDER, PASSWORD


def call(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tasks.agent", *arguments]
    root = Path(__file__).resolve().parents[1]
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, cwd=root)


def test_a_result_is_json_and_exit_0() -> None:
    done = call(str(FOLDER / "03-facture-francaise.pdf"), "--pretty")
    assert done.returncode == 0 and done.stderr == ""
    assert json.loads(done.stdout)["records"][0]["fields"]["number"]["value"] == "F2024-0412"
    assert done.stdout.count("\n") > 10


def test_a_failure_is_json_and_exit_1(tmp_path: Path) -> None:
    done = call(str(tmp_path / "gone.pdf"))
    assert done.returncode == 1 and json.loads(done.stdout)["code"] == "document_missing"


def test_a_password_opens() -> None:
    locked = str(FOLDER / "09-encrypted.pdf")
    assert json.loads(call(locked).stdout)["code"] == "encrypted"
    assert call(locked, "--password", PASSWORD).returncode == 0


def test_help_and_version() -> None:
    done = call("--help")
    assert done.returncode == 0 and "--password" in done.stdout and "Exit code" in done.stdout
    assert call("--version").stdout.strip()
    assert call("inspect", "--help").returncode == 0
    assert call().returncode == 2


def test_inspection_says_pages_and_what_is_needed(tmp_path: Path) -> None:
    three = inspect(FOLDER / "02-rechnung-drei-seiten.pdf")
    assert (three.pages, three.encrypted, three.needs_password, three.code) == (3, False, False, None)
    locked = inspect(FOLDER / "09-encrypted.pdf")
    assert (locked.pages, locked.encrypted, locked.needs_password, locked.code) == (
        None,
        True,
        True,
        "encrypted",
    )
    unlocked = inspect(FOLDER / "09-encrypted.pdf", PASSWORD)
    assert (unlocked.pages, unlocked.encrypted, unlocked.needs_password, unlocked.code) == (
        1,
        True,
        False,
        None,
    )
    assert inspect(tmp_path / "gone.pdf").code == "document_missing"


def test_one_child_answers_many_requests_in_order() -> None:
    names = sorted(path.name for path in FOLDER.glob("*.pdf"))
    requests = [json.dumps({"path": str(FOLDER / name)}) for name in names] * 3
    requests[1:1] = ["this is not JSON", '{"no": "path"}', "[]", "3"]
    done = call("inspect", given="\n".join(requests) + "\n")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and len(answers) == len(requests)
    assert [answer["code"] for answer in answers[1:5]] == ["bad_configuration"] * 4
    by_name = dict(zip(names, [answers[0], *answers[5 : 4 + len(names)]], strict=True))
    assert by_name["10-truncated.pdf"]["code"] == "corrupt"
    assert by_name["02-rechnung-drei-seiten.pdf"]["pages"] == 3


def test_the_child_limits_itself() -> None:
    code = (
        "import io, resource, sys\n"
        "from tasks.agent.contract import Limits\n"
        "from tasks.agent.inspection import serve\n"
        "serve(io.StringIO('{}\\n'), io.StringIO(), Limits(), 900, 7)\n"
        "memory, cpu = resource.getrlimit(resource.RLIMIT_AS)[0], resource.getrlimit(resource.RLIMIT_CPU)[0]\n"
        "sys.exit(0 if memory == 900 << 20 and 7 <= cpu <= 12 else 1)"
    )
    root = Path(__file__).resolve().parents[1]
    assert subprocess.run([sys.executable, "-c", code], timeout=60, cwd=root).returncode == 0
