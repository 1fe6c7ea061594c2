"""Agents in folders: what the document promises a newcomer is done here, command by command; wrong calls say what to do."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tasks import operations, versions
from tasks.agent.golden import Folder
from tasks.audit import Actor
from tasks.models import Agent, AuditEntry
from tests.commands import SAMPLES

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "agents.md").read_text()
STEP = re.compile(
    r"(?:`(?P<file>own_agents/\S+)`[^`\n]*\n(?:[^`\n]+\n)?\n)?```(?P<language>sh|json)\n(?P<text>.*?)```",
    re.DOTALL,
)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Agents are kept where the commands are called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "own_agents"]:
        del sys.modules[name]


def said(capsys: pytest.CaptureFixture[str], *call: Any, **options: Any) -> str:
    call_command(*call, **options)
    return capsys.readouterr().out


def refusal(*call: Any, **options: Any) -> str:
    with pytest.raises(CommandError) as caught:
        call_command(*call, **options)
    assert caught.value.returncode == 2
    return str(caught.value)


def steps(heading: str) -> list[tuple[str, str]]:
    """("", commands) or (file, content) in the order of the page."""
    part = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [(step["file"] or "", step["text"]) for step in STEP.finditer(part)]


def do(commands: str, folder: Path) -> list[subprocess.CompletedProcess[str]]:
    """Each line, as somebody types it beside manage.py."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = []
    for line in commands.strip().splitlines():
        line = line.replace("manage.py", str(ROOT / "manage.py")).replace(".venv/bin/python", sys.executable)
        done.append(
            subprocess.run(
                line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
            )
        )
        assert done[-1].returncode == 0, f"{line}\n{done[-1].stdout}{done[-1].stderr}"
    return done


@pytest.mark.slow
def test_the_document_takes_a_newcomer_to_a_green_golden_test(own_folder: Path) -> None:
    files, outputs = [], []
    for file, text in steps("Your own in ten minutes"):
        if file:
            (own_folder / file).write_text(text)
            files.append(file)
        elif "install_agent" not in text:  # into a database: below
            outputs += do(text, own_folder)
    assert files == [
        "own_agents/delivery_notes/schema.json",
        "own_agents/delivery_notes/samples/sample.answer.json",
    ]
    _made, green, shown, _changed, _expected, green_again = (process.stdout for process in outputs)
    assert "1 passed" in green and "1 passed" in green_again
    invented = next(line for line in shown.splitlines() if "777" in line)
    assert "Not found on page" in invented, "an invented value is never shown as found"


@pytest.mark.slow
def test_the_document_s_own_program_is_green_too(own_folder: Path) -> None:
    ((_file, commands),) = steps("A program of your own")
    assert "1 passed" in do(commands, own_folder)[-1].stdout


@pytest.mark.parametrize("own_program", [False, True])
def test_a_new_agent_is_green_and_turns_red_when_its_sample_comes_out_otherwise(
    own_folder: Path, capsys: pytest.CaptureFixture[str], own_program: bool
) -> None:
    call_command("new_agent", "slips", own_program=own_program)
    folder = Folder.of(own_folder / "own_agents" / "slips")
    (sample,) = folder.samples()
    assert folder.differences(sample) == []
    expected = sample.with_suffix(".expected.json")
    expected.write_text(expected.read_text().replace("725.40", "725.41"))
    assert folder.differences(sample) == ["total is 725.40, expected 725.41"]


def test_run_agent_prints_values_with_their_page_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("new_agent", "slips")
    sample = "own_agents/slips/samples/sample.pdf"
    files, command = capsys.readouterr().out.split("\nTry it: ")
    assert sample in files.split() and command.endswith(f"manage.py run_agent slips {sample}\n")
    assert (ROOT / command.split()[0]).exists(), "as it can be typed"
    assert "slips, page 1" in said(capsys, "run_agent", "slips", sample)
    assert re.search(r"total +725\.40 +0\.9\d +1", said(capsys, "run_agent", "slips", sample))
    result = json.loads(said(capsys, "run_agent", "slips", sample, json=True))
    assert result["records"][0]["fields"]["total"]["evidence"][0]["page"] == 1
    assert result["usage"]["calls"] == 1


def test_run_agent_reads_with_an_agent_of_the_database_too(db, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(SAMPLES / "01-invoice-english.pdf")
    result = json.loads(said(capsys, "run_agent", "invoice-rules", file, json=True))
    assert result["records"][0]["fields"]["number"]["value"] == "HLB-2024-0187"
    assert "has no version 7" in refusal("run_agent", "invoice-rules", file, agent_version=7)
    assert "needs a model" in refusal("run_agent", "invoice-llm", file)


def test_a_failure_ends_with_its_sentence_and_code_1(
    db, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"no PDF at all")
    with pytest.raises(SystemExit) as ended:
        call_command("run_agent", "invoice-rules", str(broken), json=True)
    assert ended.value.code == 1
    assert json.loads(capsys.readouterr().out)["code"] == "not_pdf"


def test_wrong_calls_say_what_to_do(db, own_folder: Path) -> None:
    for name in ("../up", "Slips", "a" * 41, "a b"):
        assert "is no name for an agent" in refusal("new_agent", name)
    call_command("new_agent", "slips")
    assert "already. Choose another name" in refusal("new_agent", "slips")
    assert "There is no file" in refusal("run_agent", "slips", "nowhere.pdf")
    assert "new_agent makes one" in refusal("install_agent", "strangers")
    sample = "own_agents/slips/samples/sample.pdf"
    (own_folder / "own_agents/slips/schema.json").write_text(
        '{"kind": "slips", "fields": [{"name": "Total"}]}'
    )
    assert "schema.json: The name “Total” has to begin with a letter" in refusal("run_agent", "slips", sample)
    (own_folder / "own_agents/slips/schema.json").write_text("[" * 100_000)
    assert "cannot be read as JSON" in refusal("run_agent", "slips", sample)
    (own_folder / "own_agents/slips/agent.json").write_text('{"programme": "llm"}')
    assert "'programme', which no agent has" in refusal("install_agent", "slips")


@pytest.mark.parametrize(
    ("about", "fault"),
    [
        ({"options": []}, "options has to be"), ({"name": 5}, "name has to be text"), ({"model": ["m"]}, "model has to be text"),
        ({"title": "t" * 201}, "title has to be text"), ({"title": "a\0"}, "NUL"), ({"name": "invoice-rules"}, "give both one name"),
        ({"name": "../slips"}, "give both one name"),
    ],
)  # fmt: skip
def test_a_folder_that_describes_no_agent_or_another_one_is_refused_and_nothing_is_installed(
    db, own_folder: Path, about: dict[str, Any], fault: str
) -> None:
    call_command("new_agent", "slips")
    file = own_folder / "own_agents/slips/agent.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | about))
    before = AuditEntry.objects.count()
    for call in (("install_agent", "slips"), ("run_agent", "slips", "own_agents/slips/samples/sample.pdf")):
        assert fault in refusal(*call)
    assert not Agent.objects.filter(name="slips").exists() and AuditEntry.objects.count() == before


def test_an_answer_that_is_no_json_and_a_place_that_cannot_be_written_are_told(own_folder: Path) -> None:
    call_command("new_agent", "slips")
    samples = own_folder / "own_agents/slips/samples"
    (samples / "sample.expected.json").unlink()
    (samples / "sample.expected.json").mkdir()
    sample = "own_agents/slips/samples/sample.pdf"
    assert "sample.expected.json cannot be written" in refusal("run_agent", "slips", sample, expect=True)
    (samples / "sample.answer.json").write_text("{")
    assert "sample.answer.json cannot be read as JSON" in refusal("run_agent", "slips", sample)


def test_installing_makes_an_agent_and_each_change_its_next_version(
    db, own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("new_agent", "slips")
    call_command("install_agent", "slips")
    agent = Agent.objects.select_related("current_version").get(name="slips")
    assert agent.current_version.options["schema"]["kind"] == "slips"
    assert agent.current_version.tokens_per_document > 500, "reckoned from its fields"
    told = capsys.readouterr()
    assert (
        "slips is at version 1. Nothing can be handed in to it yet." in told.out
        and "needs a model" in told.err
    )
    assert "files are the same" in said(capsys, "install_agent", "slips")
    versions.make(Actor.system("test"), agent, versions.changed(agent.current_version, {"model": "m-1"}))
    assert "files are the same" in said(capsys, "install_agent", "slips"), (
        "what the admin says of the model stays"
    )
    schema = own_folder / "own_agents/slips/schema.json"
    schema.write_text(schema.read_text().replace("The document's own number", "Printed at the top"))
    assert "slips is at version 3. What is handed in to it from now on is read by this version." in said(
        capsys, "install_agent", "slips"
    )
    assert operations.version_of(Agent.objects.get(name="slips")).model == "m-1"
    assert AuditEntry.objects.filter(verb="new_version", object_id=str(agent.pk)).count() == 3
