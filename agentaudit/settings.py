"""Every setting of the product. Environment variables are read here and nowhere else; none has to be set.

README.md has one table of them, compared with this file by a test. A wrong value stops the start with one sentence.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import environ
from django.utils.translation import gettext_lazy as _

from agentaudit import environment as read

BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")

# Where everything of a laptop installation lives: the embedded database, documents, secrets, logs
AGENTAUDIT_HOME = Path(read.path("AGENTAUDIT_HOME", ".agentaudit", BASE_DIR))

VERSION = "0.1.0"
DEBUG = read.flag("DEBUG")
SECRET_KEY = read.secret("SECRET_KEY", AGENTAUDIT_HOME)
# Databricks Apps says the app's name and the port that its proxy asks; other machines than the proxy do not reach it
DATABRICKS_APP_NAME = read.text("DATABRICKS_APP_NAME")
ALLOWED_HOSTS = read.words("ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
BIND_ADDRESS = read.text("BIND_ADDRESS", "0.0.0.0" if DATABRICKS_APP_NAME else "127.0.0.1")  # noqa: S104 - behind its proxy
PORT = read.integer("PORT", read.integer("DATABRICKS_APP_PORT", 8000, low=1, high=65_535), low=1, high=65_535)
WEB_WORKERS = read.integer("WEB_WORKERS", 2, low=1, high=64)
PUBLIC_URL = read.web_address("PUBLIC_URL", f"http://127.0.0.1:{PORT}")
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
if DATABRICKS_APP_NAME and not read.text("ALLOWED_HOSTS"):
    ALLOWED_HOSTS.append(urlsplit(PUBLIC_URL).hostname or "")

DATABASES = {"default": read.database(AGENTAUDIT_HOME)}
LAKEBASE_ENDPOINT = read.text("LAKEBASE_ENDPOINT")
LAKEBASE_INSTANCE = read.text("LAKEBASE_INSTANCE")
# What a database belongs to, as opposed to a copy of it; empty where it is no Lakebase
LAKEBASE_HOME = LAKEBASE_ENDPOINT.partition("/endpoints/")[0] or LAKEBASE_INSTANCE
LAKEBASE_SCHEMA = read.identifier("LAKEBASE_SCHEMA", "agentaudit")
LAKEBASE_OWNER = read.identifier("LAKEBASE_OWNER", "agentaudit_owner")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STORAGE_URL = read.storage("STORAGE_URL", AGENTAUDIT_HOME, BASE_DIR)
# Where attempts run: as runs of this job, on documents in a volume; without it as processes of this machine
DATABRICKS_JOB_ID = read.optional_integer("DATABRICKS_JOB_ID", low=1, example=123)
if DATABRICKS_JOB_ID and STORAGE_URL.startswith("file:"):
    fault = (
        "is a folder of this machine, and DATABRICKS_JOB_ID names a job, which reads documents from a volume"
    )
    raise read.wrong("STORAGE_URL", fault, "/Volumes/main/agentaudit/files")
# How the outcome of such a run gets here: as a file on the volume, or as a row that the run inserts itself
RESULT_TRANSPORT = read.text("RESULT_TRANSPORT", "file")
if RESULT_TRANSPORT not in ("file", "lakebase"):
    raise read.wrong(
        "RESULT_TRANSPORT", f"is {RESULT_TRANSPORT!r}, which is neither file nor lakebase", "file"
    )
if RESULT_TRANSPORT == "lakebase" and not (LAKEBASE_HOME and DATABRICKS_JOB_ID):
    fault = "is lakebase, which is for runs of a job (DATABRICKS_JOB_ID) that know the database (LAKEBASE_ENDPOINT)"
    raise read.wrong("RESULT_TRANSPORT", fault, "file")

# The queue. Limits here are only the defaults that a new agent's row starts with; the row decides.
MAX_CONCURRENT_TASKS = read.optional_integer("MAX_CONCURRENT_TASKS", low=1, example=8)
MAX_TPM = read.optional_integer("MAX_TPM", low=1, example=60_000)
TASK_TIMEOUT_SECONDS = read.integer("TASK_TIMEOUT_SECONDS", 1800, low=1)
LEASE_SECONDS = read.number("LEASE_SECONDS", 60, low=1)
HEARTBEAT_SECONDS = read.number("HEARTBEAT_SECONDS", LEASE_SECONDS / 3, low=0.1)
RESERVE_AFTER_SECONDS = read.integer("RESERVE_AFTER_SECONDS", 300, low=0)
AGE_SECONDS = read.integer("AGE_SECONDS", 3600, low=0)
LOOKAHEAD = read.integer("LOOKAHEAD", 200, low=1, high=10_000)
WORKER_SLOTS = read.integer("WORKER_SLOTS", 250 if DATABRICKS_JOB_ID else 4, low=1, high=10_000)
POLL_SECONDS = read.number("POLL_SECONDS", 10, low=0.1)
# After so long without work and without anybody who looks, no process stays connected (0: always connected), but for a look now and then
IDLE_SLEEP_SECONDS = read.number("IDLE_SLEEP_SECONDS", 0, low=0)
IDLE_POLL_SECONDS = read.number("IDLE_POLL_SECONDS", 3600, low=1)

# Live updates: a stream ends by itself before a proxy in front would cut it
STREAM_SECONDS = read.integer("STREAM_SECONDS", 100 if DATABRICKS_APP_NAME else 270, low=5)
# No other request takes longer; the proxy of Databricks Apps cuts after a minute, without a word. 0: no limit
REQUEST_SECONDS = read.integer("REQUEST_SECONDS", 55 if DATABRICKS_APP_NAME else 0, low=0)
EVENTSTREAM_CHANNELMANAGER_CLASS = "dashboard.live.OneChannel"

# Callbacks: the first secret signs, all of them are accepted, so that one can be rotated out while attempts that hold it live on
WEBHOOK_SECRETS = read.secrets_of("WEBHOOK_SECRETS", AGENTAUDIT_HOME)
DATABRICKS_WEBHOOK_LOGIN = read.login("DATABRICKS_WEBHOOK_LOGIN")
WEBHOOK_KEEP_DAYS = read.integer("WEBHOOK_KEEP_DAYS", 30, low=1)

# Money: whose days reports count in, and what an hour of a local process costs; without a rate it is unknown
COST_TIME_ZONE = read.zone("COST_TIME_ZONE", "UTC")
COMPUTE_USD_PER_HOUR = read.optional_amount("COMPUTE_USD_PER_HOUR", "0.12")

# Alerts that leave the pages; without an address they are seen there only
globals().update(read.mail("EMAIL_URL"))
CAN_MAIL = bool(read.text("EMAIL_URL"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = read.text("MAIL_FROM", "agentaudit@localhost")
ALERT_EMAILS = read.addresses("ALERT_EMAILS")
ALERT_WEBHOOK_URL = read.webhook("ALERT_WEBHOOK_URL", plain=DEBUG)
ALERT_WEBHOOK_SECRET = read.signing_secret("ALERT_WEBHOOK_SECRET", needed_for=ALERT_WEBHOOK_URL)

# The bill of runs is read through this SQL warehouse, and only when somebody asks for it
BILLING_WAREHOUSE_ID = read.text("BILLING_WAREHOUSE_ID")

# What may be handed in
UPLOAD_MAX_BYTES = read.integer("UPLOAD_MAX_BYTES", 200 * 2**20, low=1)
UPLOAD_MAX_PAGES = read.integer("UPLOAD_MAX_PAGES", 2000, low=1)
UPLOAD_MAX_FILES = read.integer("UPLOAD_MAX_FILES", 1000, low=1)
UNZIP_MAX_BYTES = read.integer("UNZIP_MAX_BYTES", 2 * 2**30, low=1)
UNZIP_MAX_RATIO = read.integer("UNZIP_MAX_RATIO", 100, low=1)
# Models: where agents that name no address of their own ask, and the keys, which reach attempts on this machine only
OPENAI_BASE_URL = read.web_address("OPENAI_BASE_URL", "https://api.openai.com/v1")
OPENAI_API_KEY = read.text("OPENAI_API_KEY")
MODEL_KEYS_DIR = read.path("MODEL_KEYS_DIR", "", BASE_DIR)
# Agents that keep checkpoints: a database, or a schema and a role of their own, which their attempts on this machine get
CHECKPOINT_DATABASE_URL = read.text("CHECKPOINT_DATABASE_URL")
CHECKPOINT_PASSWORD_FILE = read.path("CHECKPOINT_PASSWORD_FILE", "", BASE_DIR)

# Traces: unset, MLflow's own SQLite file below AGENTAUDIT_HOME, written by one process per machine
TRACING = read.flag("TRACING", True)
TRACE_CONTENT = read.flag("TRACE_CONTENT")
MLFLOW_TRACKING_URI = read.text("MLFLOW_TRACKING_URI")
if MLFLOW_TRACKING_URI and not MLFLOW_TRACKING_URI.startswith(
    ("http://", "https://", "databricks", "sqlite:", "postgresql", "mysql")
):
    fault = "names no MLflow server, SQL database or databricks"
    raise read.wrong("MLFLOW_TRACKING_URI", fault, "http://mlflow.example.com:5000")
MLFLOW_EXPERIMENT = read.text("MLFLOW_EXPERIMENT", "agentaudit")
MLFLOW_UI_URL = (
    read.web_address("MLFLOW_UI_URL", "http://127.0.0.1:5000/#/experiments/1")
    if read.text("MLFLOW_UI_URL")
    else ""
)

CORPUS_DIR = Path(read.path("CORPUS_DIR", "../shared/corpus", BASE_DIR))

INSTALLED_APPS = [
    "agentaudit.administration.AdministrationConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "agentaudit.administration.FailedSignInsConfig",
    "agentaudit",
    "tasks",
    "dashboard",
    "webhooks",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "agentaudit.middleware.ContentSecurityPolicy",
    "agentaudit.middleware.KeepsDatabaseAwake",
    "agentaudit.middleware.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "agentaudit.identity.DatabricksIdentity",
    "agentaudit.middleware.SignInFirst",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "agentaudit.middleware.FaultPages",
]
ROOT_URLCONF = "agentaudit.urls"
ASGI_APPLICATION = "agentaudit.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
# Who fails too often under one name from one address waits; nothing is kept of those who sign in, and of the others no longer than they wait
AUTHENTICATION_BACKENDS = ["dashboard.accounts.Throttle", "django.contrib.auth.backends.ModelBackend"]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # whoever goes on trying waits no longer
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False  # ours says who may unlock (tasks/admin/sign_ins.py)
AXES_USERNAME_CALLABLE = "dashboard.accounts.name_of"
AXES_CLIENT_IP_CALLABLE = "dashboard.accounts.address_of"
# Who the proxy of Databricks Apps says is there (agentaudit/identity.py), their roles at the first visit, and who looks after users
TRUST_DATABRICKS_IDENTITY = read.flag("TRUST_DATABRICKS_IDENTITY")
IDENTITY_GROUPS = read.words("IDENTITY_GROUPS", ("Auditor",))
IDENTITY_ADMINS = [email.lower() for email in read.words("IDENTITY_ADMINS")]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
CSRF_FAILURE_VIEW = "dashboard.errors.csrf_failed"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["agentaudit.formats"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = AGENTAUDIT_HOME / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = True

# Uploads are streamed to disk; sizes are checked per file by the upload form
DATA_UPLOAD_MAX_NUMBER_FILES = UPLOAD_MAX_FILES + 1
DATA_UPLOAD_MAX_NUMBER_FIELDS = 3 * UPLOAD_MAX_FILES + 100

# Behind TLS the cookies say so; a laptop on http:// has to be able to log in
_secure = PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _secure
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _secure else None
SECURE_HSTS_SECONDS = 31_536_000 if _secure else 0
SECURE_SSL_REDIRECT = False
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SILENCED_SYSTEM_CHECKS = [
    "axes.W002",  # the forms say it, on their own page
    "security.W005",  # other names below the same domain are not ours to force onto TLS
    "security.W008",  # the proxy in front ends TLS and redirects; a redirect here would loop behind it
    "security.W021",  # preload is a promise for the whole domain, which its owner makes
]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "agentaudit.logs.OneLine"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django_eventstream": {"level": "WARNING"},  # a line for each page that opens
        "axes": {"level": "ERROR"},  # names and addresses of people
        "httpx": {"level": "WARNING"},  # a line for each request with its address, which may hold a secret
    },
}
