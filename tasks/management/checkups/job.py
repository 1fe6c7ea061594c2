"""Whether the job on Databricks takes our runs as they have to be taken: each one once, and with our parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from tasks import databricks
from tasks.executors.databricks import PARAMETERS
from tasks.management.checkups import Finding, fault, hint, ok

HERE = ("localhost", "127.0.0.1", "::1")
BUNDLE = "Deploy the job of databricks.yml again, or set this in the job's own page."


def takes_our_runs() -> Iterator[Finding]:
    """Nothing where attempts are processes of this machine."""
    if not settings.DATABRICKS_JOB_ID:
        return
    try:
        job = databricks.asked(lambda workspace: workspace.jobs.get(settings.DATABRICKS_JOB_ID), quick=True)
    except Exception as error:  # noqa: BLE001 - the SDK may raise anything, and the sentence says what it was
        yield fault(
            "job", f"Job {settings.DATABRICKS_JOB_ID} cannot be looked up: {databricks.in_words(error)}.",
            "Check DATABRICKS_JOB_ID, and give this principal CAN_MANAGE_RUN on the job.",
        )  # fmt: skip
        return
    wrong = list(_wrong(job.settings))
    yield from (fault("job", sentence, BUNDLE) for sentence in wrong)
    if not wrong:
        yield ok(
            "job",
            f"Job {settings.DATABRICKS_JOB_ID} takes our runs, each of them once.",
        )
    if (urlsplit(settings.PUBLIC_URL).hostname or "") in HERE:
        yield hint(
            "job", f"Runs cannot reach {settings.PUBLIC_URL}: their progress is not seen, and their outcomes are found on the volume, "
            "up to a minute late.", "Set PUBLIC_URL to the address at which the workspace reaches these pages.",
        )  # fmt: skip


def _wrong(job: Any) -> Iterator[str]:
    """What has to be changed in the SDK's JobSettings, a sentence each."""
    missing = sorted(set(PARAMETERS) - {parameter.name for parameter in job.parameters or []})
    if missing:
        yield f"The job does not take the parameters {', '.join(missing)}, so that every start is refused."
    if not (job.queue and job.queue.enabled):
        yield "The job's queue is off: runs above its limit are skipped instead of waiting."
    if len(job.tasks or []) != 1:
        yield f"The job has {len(job.tasks or [])} tasks; one attempt is one run of one task."
    if settings.RESULT_TRANSPORT == "lakebase" and not _has_psycopg(job):
        yield (
            "The job's environment lacks psycopg, which RESULT_TRANSPORT=lakebase needs: every outcome takes the way over the volume after all."
        )
    for task in job.tasks or []:
        if task.max_retries or not task.disable_auto_optimization:
            yield (
                f"Databricks may repeat the task {task.task_key} by itself, a second bill for one attempt: max_retries has to be 0 and "
                "disable_auto_optimization true."
            )


def _has_psycopg(job: Any) -> bool:
    """Whether an environment of the job's installs it, by its own name or as the wheel's extra."""
    specs = [environment.spec for environment in job.environments or [] if environment.spec]
    wanted = [line for spec in specs for line in spec.dependencies or []]
    return any(line.strip().startswith("psycopg") or "[lakebase]" in line for line in wanted)
