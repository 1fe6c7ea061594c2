"""Who may open the pages that show every client's work."""

from __future__ import annotations

from django.contrib.auth.decorators import permission_required

may_see = permission_required(("tasks.view_every_client", "tasks.view_task"), raise_exception=True)
