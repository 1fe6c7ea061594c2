"""A completed task whose document is kept, and an auditor who may see it."""

from __future__ import annotations

import pytest
from django.test import Client as Browser

from tasks.models import Task
from tests import pdfs
from tests.factories import make_user
from tests.sheet_tools import RED, made


@pytest.fixture
def task(db) -> Task:
    return made(pdfs.page_pdf(RED))


@pytest.fixture
def auditor(task: Task, client: Browser) -> Browser:
    client.force_login(make_user("alice", "Auditor", clients=(task.client,)))
    return client
