"""The ASGI application that gunicorn serves."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentaudit.settings")

# Each request runs in a thread of its own, which would connect, and plan every statement, anew. An attempt to reconnect is given up
# soon, so that the next request tries at once instead of waiting for pauses that grew while the database was away
POOL = {"min_size": 1, "max_size": 8, "timeout": 5, "reconnect_timeout": 5}
settings.DATABASES["default"].setdefault("OPTIONS", {}).update(pool=POOL, prepare_threshold=5)

application = get_asgi_application()
