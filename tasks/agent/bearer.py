"""The tokens of this run's own Databricks workspace: for apps and models there, and for no other address."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

APPS = (".databricksapps.com",)
WORKSPACES = (".cloud.databricks.com", ".azuredatabricks.net", ".gcp.databricks.com")


def bearer_for(url: str) -> Callable[[], str] | None:
    """Gives the OAuth token that the proxy of Databricks Apps wants, renewed when needed. None where nobody asks for one.

    Only an app's address ever gets it: a token sent elsewhere would be given away. The workspace is asked at the first call, which may
    take long, and not here.
    """
    return _token if _is_below(url, APPS) else None


def workspace_token(url: str) -> Callable[[], str] | None:
    """The same for an address of this run's own workspace, such as its serving endpoints.

    Asking for the token of another workspace raises ValueError: whoever may set up an agent could otherwise have it sent there.
    """
    return (lambda: _token_for(urlsplit(url).hostname or "")) if _is_below(url, WORKSPACES) else None


def _token_for(host: str) -> str:
    if urlsplit(str(_config().host)).hostname != host:
        raise ValueError("the address is one of another workspace")
    return _token()


def _is_below(url: str, domains: tuple[str, ...]) -> bool:
    address = urlsplit(url)
    return address.scheme == "https" and (address.hostname or "").endswith(domains)


def _token() -> str:
    return _config().authenticate()["Authorization"].removeprefix("Bearer ")


@lru_cache(maxsize=1)
def _config() -> Any:
    from databricks.sdk.core import Config  # slow to load, and only a run on Databricks needs it

    return Config()
