"""One bridge at a time works with a store: two would fight over updates and send everything twice.

The lock goes with its holder, however that ends, so the next one takes over at once: on SQLite it is a locked file
beside the store, on PostgreSQL an advisory lock of a connection that is kept open.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
from sqlalchemy.engine import URL, make_url

from bridge.store.errors import StoreUnreachable

LOOK_S = 1.0
LOCK_ID = 0x48415049
"""``HAPI``: the advisory lock's number."""


@asynccontextmanager
async def leadership(url: str, on_wait: Callable[[], None]) -> AsyncIterator[None]:
    """Hold the store's leadership for the time of the block; wait for it as long as another process has it.

    ``on_wait`` is called once if there is something to wait for.
    """
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        async with _file(Path(f"{address.database}.lock"), on_wait):
            yield
    else:
        async with _advisory(address, on_wait):
            yield


@asynccontextmanager
async def _file(path: Path, on_wait: Callable[[], None]) -> AsyncIterator[None]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        await _until(lambda: _try_lock(handle), on_wait)
        yield
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@asynccontextmanager
async def _advisory(address: URL, on_wait: Callable[[], None]) -> AsyncIterator[None]:
    plain = address.set(drivername="postgresql").render_as_string(hide_password=False)
    try:
        connection = await psycopg.AsyncConnection.connect(plain, autocommit=True, connect_timeout=10)
    except psycopg.Error:
        place = address.render_as_string(hide_password=True)
        raise StoreUnreachable(f"The store at {place} can't be reached.") from None
    async with connection:
        waited = False
        while True:
            row = await (await connection.execute("SELECT pg_try_advisory_lock(%s)", (LOCK_ID,))).fetchone()
            if row is not None and row[0]:
                break
            if not waited:
                waited = True
                on_wait()
            await asyncio.sleep(LOOK_S)
        yield


async def _until(taken: Callable[[], bool], on_wait: Callable[[], None]) -> None:
    if taken():
        return
    on_wait()
    while not taken():  # noqa: ASYNC110 - a file lock tells nobody when it is free
        await asyncio.sleep(LOOK_S)
