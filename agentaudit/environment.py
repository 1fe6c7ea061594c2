"""Reading environment variables so that a wrong value is one clear sentence: variable, fault, example."""

from __future__ import annotations

import base64
import os
import re
import secrets
import time
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from math import isfinite
from pathlib import Path
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import environ
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

env = environ.Env()
FEWEST_SECRET_CHARACTERS = 24
LAKEBASE_ENDPOINT_FORM = re.compile(r"projects/[^/]+/branches/[^/]+/endpoints/[^/]+")
MOST_AMOUNT, AMOUNT_PLACES = 1_000_000, 6
LAKEBASE_EXAMPLE = "projects/agentaudit/branches/production/endpoints/primary"
PREPARED = {"prepare_threshold": 5}
"""The queue's statements are planned once per connection. Django turns that off because of poolers that give sessions away; where one is met,
so do we (agentaudit.postgres.connecting)."""
WRITES = {"target_session_attrs": "read-write"}
"""After a failover the old server may still answer, and only read: that one is not connected to."""


def wrong(name: str, fault: str, example: str) -> ImproperlyConfigured:
    """The one sentence that a wrong setting gets."""
    return ImproperlyConfigured(f"{name} {fault}. Example: {name}={example}")


def text(name: str, default: str = "") -> str:
    """An empty variable counts as unset."""
    return env.str(name, default="").strip() or default


def flag(name: str, default: bool = False) -> bool:
    value = text(name).lower()
    if value == "":
        return default
    if value in ("1", "true", "yes", "on"):
        return True
    if value in ("0", "false", "no", "off"):
        return False
    raise wrong(name, f"is {value!r}, which is neither true nor false", "1")


def number(name: str, default: float, *, low: float, high: float = float("inf")) -> float:
    value = text(name)
    if value == "":
        return default
    try:
        parsed = float(value)
    except ValueError:
        raise wrong(name, f"is {value!r}, which is no number", f"{default:.15g}") from None
    if not low <= parsed <= high or not isfinite(parsed):
        limits = f"a number of at least {low:g}" if high == float("inf") else f"between {low:g} and {high:g}"
        raise wrong(name, f"is {value}, but it has to be {limits}", f"{default:.15g}")
    return parsed


def integer(name: str, default: int, *, low: int, high: float = float("inf")) -> int:
    parsed = number(name, default, low=low, high=high)
    if parsed != int(parsed):
        raise wrong(name, f"is {parsed:g}, which is no whole number", str(default))
    return int(parsed)


def optional_integer(name: str, *, low: int, example: int) -> int | None:
    """None where the variable is unset or empty: no limit."""
    return integer(name, example, low=low) if text(name) else None


def optional_amount(name: str, example: str) -> Decimal | None:
    """An amount of money, exactly as written; None where the variable is unset or empty: not known."""
    value = text(name)
    if value == "":
        return None
    try:
        amount = Decimal(value)
    except InvalidOperation:
        raise wrong(name, f"is {value!r}, which is no number", example) from None
    if not amount.is_finite() or not 0 <= amount < MOST_AMOUNT:
        raise wrong(name, f"is {value}, but it has to be 0 or more, and less than {MOST_AMOUNT:,}", example)
    if amount != round(amount, AMOUNT_PLACES):
        raise wrong(name, f"is {value}, which has more than {AMOUNT_PLACES} places", example)
    return amount


def zone(name: str, default: str) -> str:
    """The name of a time zone that this machine knows."""
    value = text(name) or default
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise wrong(
            name, f"is {value!r}, which is no time zone that this machine knows", "Europe/Berlin"
        ) from None
    return value


def words(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """A comma-separated list."""
    value = text(name)
    return [word.strip() for word in value.split(",") if word.strip()] if value else list(default)


def web_address(name: str, default: str) -> str:
    """An http or https address without the slash at its end."""
    value = text(name, default) or default
    parts = _split(name, value, default)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise wrong(name, f"is {value!r}, which is no web address", default)
    return value.rstrip("/")


def database(home: Path) -> dict:
    """Django's description of the database: Lakebase, DATABASE_URL, or the embedded server below `home`."""
    url = text("DATABASE_URL")
    common = {"ENGINE": "agentaudit.postgres", "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True}
    if described := lakebase(instead_of=url):
        return {**common, **described}
    if not url:
        return {**common, "NAME": "agentaudit", "OPTIONS": {"embedded_home": str(home), **PREPARED}}
    example = "postgres://user:password@host:5432/agentaudit"
    if _split("DATABASE_URL", url, example).scheme not in ("postgres", "postgresql"):
        fault = "does not begin with postgres://, and agentaudit runs on PostgreSQL only"
        raise wrong("DATABASE_URL", fault, example)
    try:
        parsed = env.db_url("DATABASE_URL")
    except (environ.ImproperlyConfigured, ValueError) as error:
        raise wrong("DATABASE_URL", f"cannot be read ({error})", example) from None
    if not parsed.get("NAME"):
        raise wrong("DATABASE_URL", "names no database", example)
    return {**parsed, **common, "OPTIONS": {**WRITES, **parsed.get("OPTIONS", {}), **PREPARED}}


def path(name: str, default: str, base: Path) -> str:
    """An absolute path; "" where neither says one. A relative one counts from `base`: processes of one installation are begun in many folders."""
    value = text(name, default)
    return str(base / os.path.expanduser(value)) if value else ""


def storage(name: str, home: Path, base: Path) -> str:
    """A folder (`file:…` with its whole path; it may not exist yet) or a volume (`/Volumes/catalog/schema/volume…`)."""
    value, example = text(name, f"file:{home / 'storage'}"), "file:/srv/agentaudit/storage"
    if value.startswith("/Volumes/"):
        parts = value.strip("/").split("/")
        if len(parts) < 4 or {"", ".", ".."} & {*parts}:
            raise wrong(name, "names no volume", "/Volumes/main/agentaudit/files")
        return value
    if not value.startswith("file:"):
        raise wrong(name, "begins neither with file: nor with /Volumes/", example)
    if not value.removeprefix("file:").strip("/"):
        raise wrong(name, f"is {value!r}, which names no folder", example)
    if value.startswith("file://") and not value.startswith("file:///"):
        raise wrong(name, f"is {value!r}, which names a machine instead of a folder of this one", example)
    folder = base / os.path.expanduser(value.removeprefix("file:"))
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        raise wrong(name, f"is {value!r}, and {there} is no folder", example)
    return f"file:{folder}"


def lakebase(instead_of: str) -> dict:
    """Django's description of a Lakebase database; empty where none is named. The host, role and password are asked for at each connect."""
    from agentaudit.postgres.lakebase import Place

    endpoint, instance = text("LAKEBASE_ENDPOINT"), text("LAKEBASE_INSTANCE")
    if not endpoint and not instance:
        return {}
    if endpoint and not LAKEBASE_ENDPOINT_FORM.fullmatch(endpoint):
        raise wrong("LAKEBASE_ENDPOINT", f"is {endpoint!r}, which names no endpoint", LAKEBASE_EXAMPLE)
    if instead_of or (endpoint and instance):
        other = "DATABASE_URL" if instead_of else "LAKEBASE_INSTANCE"
        raise wrong(
            "LAKEBASE_ENDPOINT", f"and {other} are both set, and there is one database", LAKEBASE_EXAMPLE
        )
    way = text("LAKEBASE_AUTH", "oauth")
    if way not in ("oauth", "native"):
        raise wrong("LAKEBASE_AUTH", f"is {way!r}, which is neither oauth nor native", "oauth")
    role, stored = text("LAKEBASE_ROLE"), text("LAKEBASE_SECRET")
    if way == "native" and not role:
        raise wrong(
            "LAKEBASE_ROLE", "is not set, and LAKEBASE_AUTH=native needs to know the role", "agentaudit"
        )
    if stored and not all(stored.partition("/")):
        raise wrong(
            "LAKEBASE_SECRET", f"is {stored!r}, which is no scope/key", "agentaudit/database-password"
        )
    place = Place(
        endpoint=endpoint, instance=instance, auth=way, host=text("PGHOST"), secret=stored,
        role=role or text("PGUSER"), password=text("LAKEBASE_PASSWORD"),
    )  # fmt: skip
    options = {
        "lakebase": place,
        "sslmode": "require",
        **WRITES,
        "connect_timeout": 30,  # one that sleeps has to wake up first
        "options": f"-c search_path={identifier('LAKEBASE_SCHEMA', 'agentaudit')}",
        **PREPARED,
    }
    if text("LAKEBASE_OWNER"):
        options["assume_role"] = identifier("LAKEBASE_OWNER", "agentaudit_owner")
    return {
        "NAME": text("PGDATABASE", "databricks_postgres"), "PORT": text("PGPORT", "5432"), "OPTIONS": options,
    }  # fmt: skip


def identifier(name: str, default: str) -> str:
    """A name in the database that needs no quotes."""
    value = text(name, default)
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", value):
        raise wrong(name, f"is {value!r}, which is no plain name in lower case", default)
    return value


def secret(name: str, home: Path) -> str:
    """A secret from the environment, or one made once and kept, private to the user, below `home`."""
    value = text(name)
    if value:
        return _long_enough(name, value)
    path = home / name.lower()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), open(path, "x", opener=_private) as file:
            file.write(secrets.token_urlsafe(48))
        return _settled(path)
    except OSError as error:
        fault = f"is {str(home)!r}, and {name.lower()} cannot be kept there ({error.strerror})"
        raise wrong("AGENTAUDIT_HOME", fault, "/srv/agentaudit") from None


def secrets_of(name: str, home: Path) -> list[str]:
    """Several secrets, separated by commas; one that is made and kept where none is set."""
    values = [_long_enough(name, value) for value in words(name)]
    return values or [secret(name, home)]


def login(name: str) -> str:
    """`name:password` of a machine that uses Basic authentication; empty: none is let in."""
    value = text(name)
    if value and (":" not in value or len(value.partition(":")[2]) < FEWEST_SECRET_CHARACTERS):
        raise wrong(
            name,
            f"is no name:password with a password of {FEWEST_SECRET_CHARACTERS} characters or more",
            f"databricks:{secrets.token_urlsafe(32)}",
        )
    return value


def mail(name: str) -> dict:
    """Django's EMAIL_ settings from an address of a mail server; empty: none."""
    example = "smtp+tls://user:password@mail.example.com:587"
    if not text(name):
        return {}
    if _split(name, text(name), example).scheme not in env.EMAIL_SCHEMES:
        raise wrong(name, "does not begin with smtp://, smtp+tls:// or smtp+ssl://", example)
    try:
        return {key: value for key, value in env.email_url(name).items() if key != "OPTIONS"}
    except ValueError as error:
        raise wrong(name, f"cannot be read ({error})", example) from None


def addresses(name: str) -> list[str]:
    """E-mail addresses, separated by commas."""
    found = words(name)
    for address in found:
        try:
            validate_email(address)
        except ValidationError:
            raise wrong(
                name, f"holds {address!r}, which is no e-mail address", "ops@example.com,night@example.com"
            ) from None
    return found


def webhook(name: str, *, plain: bool) -> str:
    """An https:// address; `plain`: http:// will do. It holds no login: that would show in logs."""
    value, example = text(name), "https://hooks.example.com/agentaudit"
    if not value:
        return ""
    parts = _split(name, value, example)
    if parts.scheme not in (("https", "http") if plain else ("https",)) or not parts.hostname:
        raise wrong(name, "is no https:// address", example)
    if parts.username or parts.password:
        raise wrong(name, "holds a login; messages are signed instead", example)
    return value


def signing_secret(name: str, *, needed_for: str) -> str:
    """A secret in the notation of Standard Webhooks: whsec_ and the base64 of 24 to 64 bytes."""
    value = text(name)
    example = f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"
    if not value and needed_for:
        raise wrong(name, "is not set, and nobody could tell our messages from others", example)
    if value:
        try:
            size = len(base64.b64decode(value.removeprefix("whsec_"), validate=True))
        except ValueError:
            size = 0
        if not value.startswith("whsec_") or not 24 <= size <= 64:
            raise wrong(name, "is not whsec_ and the base64 of 24 to 64 bytes", example)
    return value


def _split(name: str, value: str, example: str) -> SplitResult:
    try:
        return urlsplit(value)
    except ValueError as error:
        raise wrong(name, f"cannot be read ({error})", example) from None


def _long_enough(name: str, value: str) -> str:
    if len(value) < FEWEST_SECRET_CHARACTERS:
        fault = f"holds a secret shorter than {FEWEST_SECRET_CHARACTERS} characters, which could be guessed"
        raise wrong(name, fault, secrets.token_urlsafe(32))
    return value


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _settled(path: Path) -> str:
    """The file's text, waiting for another process that is writing it at this moment."""
    for _ in range(100):
        if value := path.read_text().strip():
            return value
        time.sleep(0.02)
    raise ImproperlyConfigured(f"{path} is empty. Delete it, and the next start makes a new secret.")
