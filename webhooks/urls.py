"""Addresses that machines answer to."""

from __future__ import annotations

from django.urls import path

from webhooks import databricks, openapi, views

app_name = "webhooks"
urlpatterns = [
    path("", openapi.page, name="callbacks"),
    path("attempts/<uuid:attempt>/", views.attempt_callback, name="attempt"),
    path("databricks/", databricks.job_notification, name="databricks"),
    path("openapi.json", openapi.openapi, name="openapi"),
]
