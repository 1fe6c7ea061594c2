"""The product's settings, with the two views beside its own addresses that the bench `callbacks` compares with."""

from __future__ import annotations

from agentaudit.settings import *  # noqa: F403

ROOT_URLCONF = "tests.baselines.callback_views"
