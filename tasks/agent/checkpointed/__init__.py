"""Agents that keep the thread of their work in Postgres by libraries of others; needs requirements-checkpoints.txt."""
