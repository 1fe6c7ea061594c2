"""The token that the proxy of Databricks Apps wants from whoever calls an app; for no other address."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

APPS = ".databricksapps.com"


def bearer_for(url: str) -> Callable[[], str] | None:
    """Gives this run's own OAuth token of its workspace, renewed when needed. None where nobody asks for one.

    Only an app's address ever gets it: a token sent elsewhere would be given away.
    """
    address = urlsplit(url)
    if address.scheme != "https" or not (address.hostname or "").endswith(APPS):
        return None
    from databricks.sdk.core import Config  # slow to load, and only a run on Databricks needs it

    config = Config()
    return lambda: config.authenticate()["Authorization"].removeprefix("Bearer ")
