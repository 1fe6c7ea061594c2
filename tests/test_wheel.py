"""The wheel that a job installs: the agent alone, with the pins of the product, working where there is no Django."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from uuid import uuid4

import pytest

from tasks.agent import signatures
from tasks.agent.contract import Completed, Limits, Order, parse_event
from tests.fakes.aifunctions import AiFunctions
from tests.fakes.jobbench import Ear

pytest_plugins = ["tests.fakes.fixtures"]

ROOT = Path(__file__).resolve().parent.parent
SECRET = signatures.derive("a master secret for tests", uuid4())
PDF = ROOT / "tasks" / "agent" / "samples" / "01-invoice-english.pdf"


def dependencies() -> dict[str, str]:
    """Name → pin, as the wheel asks for them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return dict(line.split("==") for line in project["dependencies"])


def test_what_the_wheel_pins_is_what_the_product_pins():
    product = dict(
        re.findall(r"^([\w-]+)(?:\[.*?\])?==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    )
    for name, pin in dependencies().items():
        assert product[name.removesuffix("-tracing")] == pin, name
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    second = re.findall(r"^[\w-]+==\S+", (ROOT / "requirements-rapidocr.txt").read_text(), re.MULTILINE)
    assert extra == {"lakebase": [f"psycopg[binary]=={product['psycopg']}"], "rapidocr": second}
    assert extra["lakebase"][0] in (ROOT / "docs" / "databricks.md").read_text()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, as `make wheel` builds it in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copy(ROOT / "pyproject.toml", folder)
    shutil.copytree(
        ROOT / "tasks" / "agent", folder / "tasks" / "agent", ignore=shutil.ignore_patterns("__pycache__")
    )
    (folder / "tasks" / "__init__.py").touch()
    (folder / "tasks" / "queue.py").write_text("import django")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-qq",
        "--disable-pip-version-check",
        "--no-deps",
        "-w",
        "dist",
        ".",
    ]
    build = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)
    assert build.returncode == 0, (
        f"the wheel could not be built, for which pip fetches setuptools: {build.stderr}"
    )
    return next((folder / "dist").glob("agentaudit-*.whl"))


@pytest.mark.slow
def test_the_wheel_holds_the_agent_and_its_schemas_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if not name.startswith(("tasks/agent/", "agentaudit-"))} == set()
    assert "tasks/agent/job.py" in names and "tasks/agent/schemas/invoice.json" in names
    assert not any(name.endswith(".pdf") for name in names)


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel and what it depends on (mlflow-tracing, which may be missing, left out): its bin folder."""
    folder = tmp_path_factory.mktemp("job") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
    pip = [folder / "bin" / "pip", "install", "-qq", "--disable-pip-version-check", "--no-deps", wheel]
    subprocess.run(pip, check=True, timeout=120)
    site = next((folder / "lib").glob("python*/site-packages"))
    for name in needed({name for name in dependencies() if name != "mlflow-tracing"}):
        link(name, site)
    return folder / "bin"


def needed(names: set[str]) -> set[str]:
    """These distributions and all that they require, as far as they are installed here."""
    found: set[str] = set()
    while names - found:
        name = (names - found).pop()
        found.add(name)
        try:
            required = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            found.discard(name)
            names = names - {name}
            continue
        names = names | {re.match(r"[\w.-]+", one).group() for one in required if "extra ==" not in one}  # type: ignore[union-attr]
    return found


def link(name: str, site: Path) -> None:
    """Make a distribution of this environment part of another one."""
    distribution = importlib.metadata.distribution(name)
    for top in {file.parts[0] for file in distribution.files or []} - {".."}:
        target = site / top
        if not target.exists():
            target.symlink_to(distribution.locate_file(top))  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_job_reads_a_document_where_there_is_no_django(environment, tmp_path):
    assert subprocess.run(
        [environment / "python", "-c", "import django"], capture_output=True, timeout=60
    ).returncode
    ear, attempt = Ear(), uuid4()
    order = Order(
        attempt=attempt, task=1, number=1, program="rules", document=str(PDF), document_sha256="", outcome=str(tmp_path / "out.json"),
        callback_url=ear.url(attempt), callback_secret=SECRET, limits=Limits(wall_seconds=120),
    )  # fmt: skip
    (tmp_path / "in.json").write_text(order.model_dump_json())
    command = [
        environment / "agentaudit-job",
        f"--attempt={attempt}",
        f"--order={tmp_path / 'in.json'}",
        "--run_id=77",
    ]
    command += [
        "--agent_version=invoice-rules v1",
        f"--document={PDF}",
    ]  # what people see, and the job does not need
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    ear.close()
    assert run.returncode == 0, run.stderr
    kept = json.loads((tmp_path / "out.json").read_text())
    assert signatures.verify([SECRET], kept["headers"], kept["body"].encode(), None)
    outcome = parse_event(kept["body"])
    assert isinstance(outcome, Completed) and outcome.result and outcome.result.records
    said = [parse_event(body) for body in ear.heard]
    assert said[-1] == outcome
    assert {event.run_id for event in said if event.type == "attempt.started"} <= {"77"}
    assert "as run 77" in (tmp_path / f"{attempt}.log").read_text()


@pytest.mark.slow
def test_a_job_asks_the_platforms_own_function_where_there_is_no_django(environment, workspace, tmp_path):
    functions, ear, attempt = AiFunctions(workspace), Ear(), uuid4()
    functions.extracts = lambda asked: {"supplier": "Harbour Lane Books Ltd", "total": "725.40"}
    fields = [{"name": "supplier"}, {"name": "total", "type": "money"}]
    order = Order(
        attempt=attempt, task=1, number=1, program="databricks-ai-extract", document=str(PDF), document_sha256="", outcome=str(tmp_path / "out.json"),
        settings={"schema": {"kind": "invoice", "fields": fields}, "model": "ai_extract", "ocr_engine": "databricks"},
        callback_url=ear.url(attempt), callback_secret=SECRET, limits=Limits(wall_seconds=120),
    )  # fmt: skip
    (tmp_path / "in.json").write_text(order.model_dump_json())
    command = [environment / "agentaudit-job", f"--attempt={attempt}", f"--order={tmp_path / 'in.json'}"]
    run = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, env=workspace.environment
    )
    ear.close()
    assert run.returncode == 0, run.stderr
    outcome = parse_event(json.loads((tmp_path / "out.json").read_text())["body"])
    assert isinstance(outcome, Completed) and outcome.result
    said = outcome.result.records[0].fields
    assert said["total"].value == "725.40" and said["total"].evidence and said["supplier"].evidence
    assert (outcome.usage.calls, outcome.usage.input_tokens) == (1, None)
    assert "Harbour" not in run.stderr and "Harbour" not in (tmp_path / f"{attempt}.log").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("content", [None, "{}", "no json"])
def test_an_order_that_cannot_be_used_is_said_without_what_it_holds(environment, tmp_path, content):
    path = tmp_path / "in.json"
    if content is not None:
        path.write_text(content)
    command = [environment / "agentaudit-job", f"--attempt={uuid4()}", f"--order={path}"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert "order" in run.stderr and "Traceback" not in run.stderr
