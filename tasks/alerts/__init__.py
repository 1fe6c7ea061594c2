"""Alerts that leave the pages: what is looked at, when somebody is told, and how the message gets out."""
