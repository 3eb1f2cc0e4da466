"""Statements that are never torn: a cancelled caller waits for the one under way, and is cancelled then.

A statement abandoned in the middle leaves a connection in an unknown state: on SQLite, a thread that goes on to take
the write lock for a transaction nobody will end. Statements are short, and limited by the database's own timeouts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Table, UpdateBase
from sqlalchemy.engine import Connection, CursorResult
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


async def to_the_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Await ``work`` to its end even if cancelled meanwhile; the cancellation is passed on afterwards."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        if not task.cancelled():
            task.exception()  # looked at, so that nobody complains of it: being cancelled goes first
        raise asyncio.CancelledError
    return task.result()


class WholeConnection(AsyncConnection):
    """An SQLAlchemy connection whose every step is awaited :func:`to_the_end`. It notes which tables it writes to."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        self.written: set[str] = set()
        """Names of the tables that were inserted into, updated or deleted from."""

    async def start(self, is_ctxmanager: bool = False) -> AsyncConnection:
        return await to_the_end(super().start(is_ctxmanager))

    async def execute(self, *arguments: Any, **options: Any) -> CursorResult[Any]:
        if isinstance(arguments[0], UpdateBase) and isinstance(arguments[0].table, Table):
            self.written.add(arguments[0].table.name)
        return await to_the_end(super().execute(*arguments, **options))

    async def exec_driver_sql(self, *arguments: Any, **options: Any) -> CursorResult[Any]:
        return await to_the_end(super().exec_driver_sql(*arguments, **options))

    async def run_sync(
        self, fn: Callable[Concatenate[Connection, Parameters], Result], *arg: Parameters.args, **kw: Parameters.kwargs
    ) -> Result:
        return await to_the_end(super().run_sync(fn, *arg, **kw))

    async def begin_now(self) -> None:
        """Begin the transaction."""

        async def begin() -> None:
            await self.begin()

        await to_the_end(begin())

    async def commit(self) -> None:
        await to_the_end(super().commit())

    async def close(self) -> None:
        if self.sync_connection is not None:
            await to_the_end(super().close())
