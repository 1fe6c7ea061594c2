"""Addresses that machines answer to."""

from __future__ import annotations

urlpatterns: list = []
