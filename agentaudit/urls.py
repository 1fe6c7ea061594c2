"""Which address leads to which app."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("dashboard.urls")),
    path("webhooks/", include("webhooks.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "dashboard.errors.bad_request"
handler403 = "dashboard.errors.forbidden"
handler404 = "dashboard.errors.not_found"
handler500 = "dashboard.errors.failed"
