#!/usr/bin/env python3
"""Django's command line: every operation of agentaudit that is not a page."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

INTERRUPTED = 130


def main() -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        # Names of files need not be text, nor need the terminal know every character
        sys.stdout.reconfigure(errors="replace")
    try:
        run()
    except KeyboardInterrupt:  # before a command says more about it
        sys.stderr.write("Stopped.\n")
        sys.exit(INTERRUPTED)


def run() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentaudit.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError as error:
        if error.name != "django":
            raise
        sys.exit(
            f"{sys.executable} lacks what agentaudit needs. Call it as: .venv/bin/python manage.py ... (`make venv` makes .venv)"
        )

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(error))  # the sentence for people; where it was raised does not help them
    except Exception as error:
        from tasks.management.base import told

        if "--traceback" in sys.argv or not (sentence := told(error)):
            raise
        sys.exit(sentence)


if __name__ == "__main__":
    main()
