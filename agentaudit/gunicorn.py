"""How gunicorn serves the pages: `gunicorn -c python:agentaudit.gunicorn agentaudit.asgi:application` (`manage.py up` does it)."""

from __future__ import annotations

import gc
import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentaudit.settings")

from django.conf import settings

bind = f"{settings.BIND_ADDRESS}:{settings.PORT}"
workers = settings.WEB_WORKERS
worker_class = "asgi"
worker_connections = 1000  # most are open streams of pages that somebody watches

# A request that comes on a kept connection before the answer before it is wound up would be lost (agentaudit/asgi.py)
keepalive = 0

# Open streams end after this; the whole stop stays below the 15 s that platforms allow
graceful_timeout = 8
# A heartbeat between the processes, no limit of a request: a long stream survives it
timeout = 60
# Would be written into ~/.gunicorn
control_socket_disable = True
# LISTEN connections must not exist before the fork
preload_app = False


def post_worker_init(worker: Any) -> None:
    """After the fork: this process looks for what people are to be told of, such as that no worker is alive.

    All pages are loaded before the first request. They stay for good: where the collector had to look through them each time it took
    up to 80 ms, in the middle of a request.
    """
    from django.urls import get_resolver

    from tasks.alerts import watch

    get_resolver().url_patterns  # noqa: B018 - reading it loads the pages
    gc.collect()
    gc.freeze()
    watch.start()


# One line per start and per fault; who looked at which page is not ours to collect
accesslog = None
errorlog = "-"
logconfig_dict = {
    **settings.LOGGING,
    "loggers": {
        **settings.LOGGING["loggers"],
        "gunicorn.error": {"level": "INFO", "propagate": True, "handlers": []},
        "gunicorn.access": {"level": "WARNING", "propagate": False, "handlers": []},
    },
}
