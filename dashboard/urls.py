"""Addresses of the pages that people look at."""

from __future__ import annotations

urlpatterns: list = []
