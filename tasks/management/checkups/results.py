"""May runs insert their outcomes, and do nothing else with them?"""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db import connection

from tasks.management.checkups import Finding, fault, ok
from tasks.models import AttemptResult

GRANTED = """
SELECT coalesce(g.rolname, 'PUBLIC'), array_agg(DISTINCT acl.privilege_type ORDER BY acl.privilege_type)
FROM pg_class c
CROSS JOIN LATERAL (
  SELECT * FROM aclexplode(c.relacl)
  UNION ALL SELECT (aclexplode(a.attacl)).* FROM pg_attribute a WHERE a.attrelid = c.oid AND NOT a.attisdropped
) acl
LEFT JOIN pg_roles g ON g.oid = acl.grantee
WHERE c.oid = to_regclass(%s)
  AND (acl.grantee = 0 OR NOT pg_has_role(acl.grantee, c.relowner, 'MEMBER'))
GROUP BY 1 ORDER BY 1
"""
"""Whoever has rights on the table without being its owner, or one who may become that; with what they may."""


def may_only_be_inserted() -> Iterator[Finding]:
    """Nothing unless RESULT_TRANSPORT=lakebase."""
    if settings.RESULT_TRANSPORT != "lakebase":
        return
    with connection.cursor() as cursor:
        cursor.execute(GRANTED, [AttemptResult._meta.db_table])
        granted = dict(cursor.fetchall())
    if not granted:
        yield fault(
            "results",
            "Nobody but the app may insert into attempt_results, so that runs leave their outcome on the volume.",
            "As the owner of the project: manage.py lakebase setup --job <the job's client id>",
        )
    for role, rights in granted.items():
        if rights == ["INSERT"]:
            yield ok("results", f"{role} may insert outcomes, and neither read nor change any.")
        else:
            yield fault(
                "results",
                f"{role} may do more with attempt_results than insert ({', '.join(rights)}).",
                f'REVOKE ALL ON attempt_results FROM "{role}", and setup --job again if it is the job.',
            )
