"""Procrastinate's application and its one task, in a module of their own, by which jobs find their function."""

from __future__ import annotations

from procrastinate import App, PsycopgConnector

app = App(connector=PsycopgConnector())


@app.task(name="noop")
async def noop() -> None:
    return None
