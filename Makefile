# Every target sets up what it needs by itself, and only when requirements*.txt have changed since.
.DEFAULT_GOAL := help
.PHONY: help venv demo run mlflow test test-slow test-databricks lint format bench docs wheel system-packages clean

# Relative paths only: the folder's own path may hold a space
PY := .venv/bin/python
PYTEST := $(PY) -m pytest
# Files of tests are shared among the processors; JOBS=0 for one process
JOBS ?= auto
SHARED = -n $(JOBS) --maxprocesses 4 --dist loadfile
# The same way to build packages in every version of pip, without warnings about the old one
export PIP_USE_PEP517 = 1
# The first of these that is Python 3.11 to 3.13; say PYTHON=/path/to/python3 for another one
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$p && break; done)
NAME ?= accuracy
UI_PORT ?= 5000

help:
	@echo "make demo        ten sample PDFs through the real queue, checked against what they say"
	@echo "make run         the pages and a worker on this machine (RELOAD=1: restarts when the code changes)"
	@echo "make mlflow      MLflow's pages over the traces on this machine (UI_PORT=5000)"
	@echo "make test        the quick tests        make test-slow   those that take their time"
	@echo "make test-databricks   against a real workspace, which the environment names"
	@echo "make lint        style and types        make format      puts the style right"
	@echo "make bench       a benchmark: NAME=accuracy (default), FULL=1 for its long form"
	@echo "make wheel       the agent as a wheel in dist/, for the job on Databricks"
	@echo "make docs        writes docs/states.md anew from tasks/states.py"
	@echo "make venv        sets up .venv with everything for development"
	@echo "make clean       removes .venv, caches and test data; your data in .agentaudit stays"

venv: .venv/.development

demo: .venv/.product
	@$(PY) manage.py demo

run: .venv/.product
	@exec $(PY) manage.py up --first-user $(if $(RELOAD),--reload)

mlflow: .venv/.product
	@exec $(PY) manage.py mlflow --port $(UI_PORT)

test: .venv/.development system-packages
	@$(PYTEST) -m "not slow" $(SHARED) $(ARGS)

test-slow: .venv/.development system-packages
	@$(PYTEST) -m slow $(SHARED) $(ARGS)

# Needs a workspace, which the environment names; what is not named is skipped, and says so
test-databricks: .venv/.development
	@DATABRICKS_CONTRACT=1 $(PYTEST) tests/test_databricks_contract.py tests/contract_databricks.py $(ARGS)

lint: .venv/.development
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

format: .venv/.development
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

bench: .venv/.product
	@$(PY) manage.py bench $(NAME) $(if $(FULL),--full)

docs: .venv/.product
	@$(PY) docs/generate.py

# What an earlier build has left in build/ would get into the wheel again
wheel: .venv/.product
	@rm -rf build dist/agentaudit-*.whl
	@$(PY) -m pip wheel -qq --disable-pip-version-check --no-deps -w dist .
	@rm -rf build *.egg-info
	@ls dist/agentaudit-*.whl

clean:
	rm -rf .venv .agentaudit-test .pytest_cache .ruff_cache .mypy_cache .hypothesis test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is written last, so that an interrupted set-up is done again
.venv/.product: requirements.txt
	$(create)
	@echo "Installing requirements.txt into .venv (once; about a minute) ..."
	@$(PY) -m pip install -qq --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.development: requirements.txt requirements-dev.txt requirements-checkpoints.txt
	$(create)
	@echo "Installing requirements-dev.txt into .venv (once; about a minute) ..."
	@$(PY) -m pip install -qq --disable-pip-version-check -r requirements-dev.txt
	@touch .venv/.product $@

# Makes .venv where it is missing, or where the Python that it was made with has gone
define create
@test -n "$(PYTHON)" || { echo "agentaudit needs Python 3.11, 3.12 or 3.13, and none was found. Say which: make PYTHON=/path/to/python3 ..."; exit 1; }
@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv >/dev/null || { \
	echo "$(PYTHON) cannot make a virtual environment: its venv module is missing. On Debian and Ubuntu it is a package of its own:"; \
	echo "  sudo apt-get install python3-venv    (then: make again)"; rm -rf .venv; exit 1; }
endef

# A browser for the tests of pages, an OCR engine, and a connection pooler. Only root may install them; others get the line to type from the tests that skip
system-packages:
	@{ { command -v chromium || command -v chromium-browser; } && command -v tesseract && command -v pgbouncer; } >/dev/null 2>&1 \
	|| test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null 2>&1 || { \
	echo "Installing chromium, fonts, tesseract and pgbouncer for the tests (once) ..."; \
	{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core pgbouncer \
	tesseract-ocr tesseract-ocr-eng tesseract-ocr-deu tesseract-ocr-fra >/dev/null; } \
	|| echo "They could not be installed; the tests that need them will skip."; }
