"""The pages as gunicorn serves them, on the database of the test that started it."""

from __future__ import annotations

import os

from django.conf import settings

settings.DATABASES["default"]["NAME"] = os.environ["NAME_OF_TEST_DATABASE"]

from agentaudit.asgi import application  # noqa: E402, F401 - it connects as it is loaded
