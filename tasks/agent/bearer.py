"""The token that the proxy of Databricks Apps wants from whoever calls an app; for no other address."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

APPS = ".databricksapps.com"


def bearer_for(url: str) -> Callable[[], str] | None:
    """Gives this run's own OAuth token of its workspace, renewed when needed. None where nobody asks for one.

    Only an app's address ever gets it: a token sent elsewhere would be given away. The workspace is asked at the first call, which may
    take long, and not here.
    """
    address = urlsplit(url)
    if address.scheme != "https" or not (address.hostname or "").endswith(APPS):
        return None
    return lambda: _config().authenticate()["Authorization"].removeprefix("Bearer ")


@lru_cache(maxsize=1)
def _config() -> Any:
    from databricks.sdk.core import Config  # slow to load, and only a run on Databricks needs it

    return Config()
