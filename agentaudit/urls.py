"""Which address leads to which app."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("dashboard.urls")),
    path("webhooks/", include("webhooks.urls")),
    path("admin/", admin.site.urls),
]
