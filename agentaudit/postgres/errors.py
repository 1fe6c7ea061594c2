"""The errors of getting at a database, each in words that say what to do."""

from __future__ import annotations

import psycopg


class EmbeddedPostgresError(psycopg.OperationalError):
    """The embedded server cannot serve; the message says what happened and what to do.

    An OperationalError, so that whoever copes with "the database is away" copes with this as well, also through
    Django, which turns it into django.db.OperationalError with the same words.
    """


class CredentialError(psycopg.OperationalError):
    """No login for the database can be had; the message says from where it was wanted, why not, and what to do."""
