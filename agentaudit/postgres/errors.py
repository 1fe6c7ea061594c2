"""The one error of the embedded server."""

from __future__ import annotations

import psycopg


class EmbeddedPostgresError(psycopg.OperationalError):
    """The embedded server cannot serve; the message says what happened and what to do.

    An OperationalError, so that whoever copes with "the database is away" copes with this as well, also through
    Django, which turns it into django.db.OperationalError with the same words.
    """
