"""A wrong variable stops the start with one sentence; what is right alone and wrong together is found; production is clean."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agentaudit import checks, environment

ROOT = Path(__file__).resolve().parent.parent
PRODUCTION = {
    "PUBLIC_URL": "https://audit.example.com",
    "ALLOWED_HOSTS": "audit.example.com",
    "SECRET_KEY": "Zm9yLXRlc3RzLW9ubHktYnV0LWxvbmctYW5kLW1peGVkLWVub3VnaC0wMTIzNDU2Nzg5",
    "DATABASE_URL": "postgres://agentaudit:secret@db.example:5432/agentaudit",
}


def test_a_python_without_the_packages_is_told_which_one_to_call(tmp_path: Path) -> None:
    call = [sys.executable, "-S", str(ROOT / "manage.py"), "extract", "a.pdf"]
    run = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert run.returncode == 1
    assert (
        ".venv/bin/python manage.py" in run.stderr
        and "make venv" in run.stderr
        and "Traceback" not in run.stderr
    )


@pytest.mark.parametrize(
    "command", [("migrate",), ("createsuperuser", "--noinput"), ("migrate", "--traceback")]
)
def test_commands_of_django_say_in_a_sentence_that_the_database_is_away(tmp_path: Path, command) -> None:
    variables = {
        "PATH": os.environ["PATH"], "AGENTAUDIT_HOME": str(tmp_path), "DATABASE_URL": "postgres://nobody:secretword@127.0.0.1:1/nothing",
        "DJANGO_SUPERUSER_PASSWORD": "p" * 20, "DJANGO_SUPERUSER_USERNAME": "a", "DJANGO_SUPERUSER_EMAIL": "a@example.com",
    }  # fmt: skip
    call = [sys.executable, "manage.py", *command]
    run = subprocess.run(call, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1 and "secretword" not in run.stderr
    if "--traceback" in command:
        assert "Traceback" in run.stderr, "who asks for it gets all of it"
        return
    assert run.stderr.startswith("The database does not answer: connection failed")
    assert "Traceback" not in run.stderr and "manage.py doctor" in run.stderr


def python(code: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a fresh process that knows these variables and no others."""
    environment = {
        "PATH": os.environ["PATH"],
        "AGENTAUDIT_HOME": str(home),
        "DJANGO_SETTINGS_MODULE": "agentaudit.settings",
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )


def value_of(name: str, home: Path, **variables: str) -> object:
    code = f"import json; from django.conf import settings; print(json.dumps(settings.{name}, default=str))"
    run = python(code, home, **variables)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("DATABASE_URL", "mysql://root@localhost/x", "PostgreSQL only"),
        ("DATABASE_URL", "postgres://user@host:5432/", "names no database"),
        ("DATABASE_URL", "postgres://user@host:port/x", "cannot be read"),
        ("DATABASE_URL", "postgres://user@[::1/x", "cannot be read"),
        ("OPENAI_BASE_URL", "http://[::1/v1", "cannot be read"),
        ("AGENTAUDIT_HOME", "/dev/null", "cannot be kept there"),
        ("LAKEBASE_ENDPOINT", "projects/p/branches/b", "names no endpoint"),
        ("LAKEBASE_SCHEMA", "Audit Data", "no plain name"),
        ("STORAGE_URL", "s3://bucket", "file:"),
        ("MLFLOW_TRACKING_URI", "evil", "names no MLflow server"),
        ("STORAGE_URL", "/Volumes/main", "names no volume"),
        ("STORAGE_URL", "/Volumes/main/../files", "names no volume"),
        ("STORAGE_URL", "file://server/documents", "names a machine"),
        ("STORAGE_URL", "file:", "names no folder"),
        ("STORAGE_URL", "file:///", "names no folder"),
        ("STORAGE_URL", "file:/dev/null", "/dev/null is no folder"),
        ("STORAGE_URL", "file:/dev/null/storage", "/dev/null is no folder"),
        ("DATABRICKS_JOB_ID", "the-job", "no number"),
        ("DEBUG", "maybe", "neither true nor false"),
        ("SECRET_KEY", "short", "24 characters"),
        ("PORT", "0", "between 1 and 65535"),
        ("WORKER_SLOTS", "four", "no number"),
        ("EMAIL_URL", "mail.example.com", "does not begin with smtp://"),
        ("ALERT_EMAILS", "ops@example.com,nobody", "no e-mail address"),
        ("ALERT_WEBHOOK_URL", "http://hooks.example.com/", "no https:// address"),
        ("ALERT_WEBHOOK_URL", "https://user:word@hooks.example.com/", "holds a login"),
        ("ALERT_WEBHOOK_SECRET", "whsec_c2hvcnQ=", "24 to 64 bytes"),
        ("WORKER_SLOTS", "1.5", "no whole number"),
        ("MAX_TPM", "-1", "at least 1"),
        ("COMPUTE_USD_PER_HOUR", "NaN", "0 or more"),
        ("COMPUTE_USD_PER_HOUR", "1e999999", "less than 1,000,000"),
        ("COMPUTE_USD_PER_HOUR", "1e-999999", "more than 6 places"),
        ("LEASE_SECONDS", "nan", "at least 1"),
        ("LEASE_SECONDS", "inf", "at least 1"),
        ("MAX_TPM", "1e999", "at least 1"),
    ],
)
def test_a_wrong_value_names_the_variable_its_fault_and_an_example(tmp_path, name, value, fault):
    run = python("from django.conf import settings; settings.DEBUG", tmp_path, **{name: value})
    sentence = run.stderr.strip().splitlines()[-1]
    assert run.returncode != 0
    assert name in sentence and fault in sentence and f"Example: {name}=" in sentence


def test_a_job_is_not_given_documents_in_a_folder_of_this_machine(tmp_path):
    run = python("from django.conf import settings; settings.DEBUG", tmp_path, DATABRICKS_JOB_ID="12")
    assert "STORAGE_URL" in run.stderr and "DATABRICKS_JOB_ID names a job" in run.stderr
    volume = {"DATABRICKS_JOB_ID": "12", "STORAGE_URL": "/Volumes/main/agentaudit/files"}
    assert value_of("WORKER_SLOTS", tmp_path, **volume) == 250


LAKEBASE = {"LAKEBASE_ENDPOINT": "projects/p/branches/b/endpoints/primary"}


@pytest.mark.parametrize(
    ("more", "name", "fault"),
    [
        ({"DATABASE_URL": PRODUCTION["DATABASE_URL"]}, "LAKEBASE_ENDPOINT", "both set"),
        ({"LAKEBASE_INSTANCE": "one"}, "LAKEBASE_ENDPOINT", "both set"),
        ({"LAKEBASE_AUTH": "password"}, "LAKEBASE_AUTH", "neither oauth nor native"),
        ({"LAKEBASE_AUTH": "native"}, "LAKEBASE_ROLE", "is not set"),
        ({"LAKEBASE_SECRET": "scope"}, "LAKEBASE_SECRET", "no scope/key"),
    ],
)
def test_what_is_said_about_a_lakebase_has_to_fit_together(tmp_path, more, name, fault):
    run = python("from django.conf import settings; settings.DEBUG", tmp_path, **LAKEBASE, **more)
    sentence = run.stderr.strip().splitlines()[-1]
    assert run.returncode != 0
    assert name in sentence and fault in sentence and f"Example: {name}=" in sentence


@pytest.mark.parametrize(
    ("more", "whom"), [("", "read-write"), ("?target_session_attrs=any", "any")], ids=["unsaid", "said"]
)
def test_a_server_that_only_reads_is_not_connected_to_unless_the_address_says_so(tmp_path, more, whom):
    code = "from django.conf import settings; print(settings.DATABASES['default']['OPTIONS']['target_session_attrs'])"
    run = python(code, tmp_path, DATABASE_URL=PRODUCTION["DATABASE_URL"] + more)
    assert run.stdout.split() == [whom]


def test_a_lakebase_is_reached_over_tls_in_a_schema_of_its_own_without_loading_the_sdk(tmp_path):
    code = (
        "import sys, json, django; django.setup(); from django.conf import settings; d = settings.DATABASES['default'];"
        "print(json.dumps([d['NAME'], {k: v for k, v in d['OPTIONS'].items() if k != 'lakebase'}, 'databricks' in sys.modules]))"
    )
    run = python(code, tmp_path, **LAKEBASE, LAKEBASE_OWNER="audit_owner")
    name, options, loaded = json.loads(run.stdout)
    assert name == "databricks_postgres" and not loaded
    assert options["sslmode"] == "require" and options["target_session_attrs"] == "read-write"
    assert options["options"] == "-c search_path=agentaudit" and options["assume_role"] == "audit_owner"


def test_a_command_shows_the_sentence_and_nothing_else(tmp_path):
    command = "import sys; sys.argv = ['manage.py', 'doctor']; import manage; manage.main()"
    run = python(command, tmp_path, PORT="0")
    assert run.returncode == 1
    assert run.stderr == "PORT is 0, but it has to be between 1 and 65535. Example: PORT=8000\n"


def test_ctrl_c_while_a_command_starts_is_no_traceback(tmp_path):
    run = python(
        "import sys, manage, django.core.management as management\n"
        "def interrupted(arguments): raise KeyboardInterrupt\n"
        "management.execute_from_command_line = interrupted\n"
        "manage.main()",
        tmp_path,
    )
    assert (run.returncode, run.stderr) == (130, "Stopped.\n")


def test_everything_works_with_none_set(tmp_path):
    assert value_of("PUBLIC_URL", tmp_path) == "http://127.0.0.1:8000"
    assert value_of("PUBLIC_URL", tmp_path, PORT="9000") == "http://127.0.0.1:9000"
    assert value_of("MAX_TPM", tmp_path) is None
    assert value_of("DATABASES['default']['CONN_MAX_AGE']", tmp_path) == 0


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("../documents", "{base}/../documents"),
        ("~/documents", "{user}/documents"),
        ("/documents", "/documents"),
        ("///documents", "/documents"),
    ],
)
def test_a_relative_path_counts_from_the_folder_of_the_program(monkeypatch, tmp_path, value, found):
    found = found.format(base=tmp_path / "code", user=tmp_path / "user")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("MODEL_KEYS_DIR", value)
    monkeypatch.setenv("STORAGE_URL", f"file:{value}")
    assert Path(environment.path("MODEL_KEYS_DIR", "", tmp_path / "code")) == Path(found)
    assert environment.storage("STORAGE_URL", tmp_path, tmp_path / "code") == f"file:{found}"


@pytest.mark.parametrize("empty", ["", " "])
def test_tests_never_use_the_home_of_the_product(empty):
    code = "from django.conf import settings; print(settings.AGENTAUDIT_HOME, settings.TRACING)"
    variables = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "tests.settings", "AGENTAUDIT_HOME": empty, "TRACING": empty}  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=60
    )
    assert run.stdout.strip() == f"{ROOT}/.agentaudit-test/alone False", run.stderr


def test_processes_that_begin_in_several_folders_have_one_home(tmp_path):
    home = os.path.relpath(tmp_path / "home", ROOT)
    code = "from django.conf import settings; print(settings.SECRET_KEY, settings.STORAGE_URL)"
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "agentaudit.settings", "AGENTAUDIT_HOME": home}  # fmt: skip
    said = [
        subprocess.run([sys.executable, "-c", code], cwd=cwd, env=variables, capture_output=True, text=True, timeout=60).stdout
        for cwd in (ROOT, tmp_path)
    ]  # fmt: skip
    assert said[0] == said[1] != "" and (tmp_path / "home" / "secret_key").exists()


def test_an_empty_variable_counts_as_unset(tmp_path):
    assert value_of("STORAGE_URL", tmp_path, STORAGE_URL="") == f"file:{tmp_path}/storage"
    assert value_of("PUBLIC_URL", tmp_path, PUBLIC_URL=" ", BIND_ADDRESS="") == "http://127.0.0.1:8000"
    assert value_of("BIND_ADDRESS", tmp_path, BIND_ADDRESS="") == "127.0.0.1"
    home = value_of("AGENTAUDIT_HOME", tmp_path, AGENTAUDIT_HOME="", WEBHOOK_SECRETS="x" * 24, **PRODUCTION)
    assert home == str(ROOT / ".agentaudit")


def test_an_example_can_be_typed_as_it_stands(tmp_path):
    run = python("from django.conf import settings; settings.DEBUG", tmp_path, UPLOAD_MAX_BYTES="200MB")
    assert "Example: UPLOAD_MAX_BYTES=209715200" in run.stderr


def test_a_databricks_app_listens_where_its_proxy_asks(tmp_path):
    app = {
        "DATABRICKS_APP_NAME": "audit",
        "DATABRICKS_APP_PORT": "8123",
        "PUBLIC_URL": "https://audit-1.databricksapps.com",
    }
    wanted = {"PORT": 8123, "BIND_ADDRESS": "0.0.0.0", "STREAM_SECONDS": 100}
    assert {name: value_of(name, tmp_path, **app) for name in wanted} == wanted
    assert "audit-1.databricksapps.com" in value_of("ALLOWED_HOSTS", tmp_path, **app)
    assert value_of("BIND_ADDRESS", tmp_path, PORT="9000") == "127.0.0.1"


def test_the_secret_is_made_once_and_private_to_its_user(tmp_path):
    first = value_of("SECRET_KEY", tmp_path)
    assert value_of("SECRET_KEY", tmp_path) == first
    assert len(str(first)) >= 50
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
    assert value_of("SECRET_KEY", tmp_path / "another home") != first


def test_cookies_travel_over_tls_only_where_the_address_is_https(tmp_path):
    assert value_of("SESSION_COOKIE_SECURE", tmp_path) is False
    assert value_of("SESSION_COOKIE_SECURE", tmp_path, PUBLIC_URL="https://audit.example.com") is True


def test_a_webhook_without_a_secret_is_refused(tmp_path) -> None:
    run = python(
        "from django.conf import settings; settings.DEBUG", tmp_path, ALERT_WEBHOOK_URL="https://a.example/"
    )
    assert run.returncode != 0 and "ALERT_WEBHOOK_SECRET is not set" in run.stderr


def test_a_mail_server_is_read_from_its_address(tmp_path) -> None:
    url = {"EMAIL_URL": "smtp+tls://ops:word@mail.example.com:587"}
    found = [
        value_of(name, tmp_path, **url) for name in ("EMAIL_HOST", "EMAIL_PORT", "EMAIL_USE_TLS", "CAN_MAIL")
    ]
    assert found == ["mail.example.com", 587, True, True]
    assert value_of("CAN_MAIL", tmp_path) is False


def test_production_settings_pass_the_deployment_check_without_a_warning(tmp_path):
    code = "from django.core.management import execute_from_command_line as run; run(['manage.py', 'check', '--deploy', '--fail-level', 'INFO'])"
    run = python(code, tmp_path, **PRODUCTION)
    assert run.returncode == 0, run.stderr
    assert "no issues" in run.stdout


def ids(check) -> set[str]:
    return {message.id for message in check()}


def test_three_heartbeats_have_to_fit_into_a_lease(settings):
    settings.LEASE_SECONDS, settings.HEARTBEAT_SECONDS = 60, 20
    assert ids(checks.leases_outlive_heartbeats) == set()
    settings.LEASE_SECONDS, settings.HEARTBEAT_SECONDS = 0.1, 0.1 / 3
    assert ids(checks.leases_outlive_heartbeats) == set()
    settings.LEASE_SECONDS, settings.HEARTBEAT_SECONDS = 60, 20.5
    assert ids(checks.leases_outlive_heartbeats) == {"agentaudit.E001"}


def test_kept_connections_are_refused(settings, monkeypatch):
    assert ids(checks.connections_are_not_kept) == set()
    monkeypatch.setitem(settings.DATABASES["default"], "CONN_MAX_AGE", 60)
    assert ids(checks.connections_are_not_kept) == {"agentaudit.E002"}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, set()),
        ({"DEBUG": True}, {"agentaudit.E003"}),
        ({"SECRET_KEY": "a" * 60}, {"agentaudit.E004"}),
        ({"SECRET_KEY": "django-insecure-0123456789abcdefghijk"}, {"agentaudit.E004"}),
        ({"ALLOWED_HOSTS": ["other.example.com"]}, {"agentaudit.E005"}),
        ({"ALLOWED_HOSTS": [".example.com"]}, set()),
        ({"PUBLIC_URL": "http://127.0.0.1:8000", "DEBUG": True, "SECRET_KEY": "a" * 60}, set()),
    ],
)
def test_an_installation_that_others_reach_has_to_be_closed(settings, changes, found):
    settings.PUBLIC_URL, settings.ALLOWED_HOSTS = PRODUCTION["PUBLIC_URL"], [PRODUCTION["ALLOWED_HOSTS"]]
    settings.SECRET_KEY, settings.DEBUG = PRODUCTION["SECRET_KEY"], False
    for name, value in changes.items():
        setattr(settings, name, value)
    assert ids(checks.public_installations_are_closed) == found


def test_a_public_address_without_tls_is_warned_of(settings):
    settings.PUBLIC_URL = "http://audit.example.com"
    assert ids(checks.public_installations_use_tls) == {"agentaudit.W001"}
    settings.PUBLIC_URL = "https://audit.example.com"
    assert ids(checks.public_installations_use_tls) == set()


def test_tests_have_a_home_of_their_own(settings):
    """The embedded server of this home runs without fsync; a user's must never."""
    assert settings.AGENTAUDIT_HOME != ROOT / ".agentaudit"
