"""Opening the store: one SQLite file in WAL mode, or PostgreSQL; migrated to the newest schema; transactions.

SQLite has one writer at a time. Within a process a lock gives each its turn, in order; between processes SQLite's own
lock does, waited for up to :data:`BUSY_S`. So "database is locked" does not surface.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bridge.store import migrate
from bridge.store.errors import StoreUnreachable, StoreUnusable
from bridge.store.sql import Tx
from bridge.store.whole import WholeConnection

__all__ = ["Store", "StoreUnreachable", "StoreUnusable", "Tx", "is_behind", "upgrade"]

BUSY_S = 30.0
"""How long a write waits for another process's write."""
OPEN_S = 60.0
"""How long opening (connecting, migrating) may take."""


class Store:
    """The one place where the bridge keeps what must survive it."""

    def __init__(self, writer: AsyncEngine, reader: AsyncEngine, *, one_writer: bool) -> None:
        self._writer = writer
        self._reader = reader
        self._turn: AbstractAsyncContextManager[Any] | None = asyncio.Lock() if one_writer else None
        self._writes: Counter[str] = Counter()
        self.transactions = 0
        """How many were begun, to write or to read."""

    @classmethod
    async def open(cls, url: str) -> Store:
        """Open the store at an SQLAlchemy URL, make what is missing, and migrate it to the newest schema.

        ``sqlite:///relative.sqlite3``, ``sqlite:////absolute.sqlite3`` or ``postgresql://user:password@host/name``.
        Raises :class:`StoreUnusable` in a user's words, without the password (invariant 7).
        """
        address = _address(url)
        if address.get_backend_name() == "sqlite":
            path = await asyncio.to_thread(_prepare_file, address)
            writer, reader = _sqlite(address, "IMMEDIATE"), _sqlite(address, "DEFERRED")
            store, place = cls(writer, reader, one_writer=True), str(path)
        else:
            engine = _postgres(address)
            store, place = cls(engine, engine, one_writer=False), address.render_as_string(hide_password=True)
        try:
            async with asyncio.timeout(OPEN_S), store.begin() as tx:
                await tx.run_sync(migrate.to_head, place)
        except (TimeoutError, OSError, SQLAlchemyError) as error:
            await store.close()
            raise _unusable(error, place, address) from None
        except BaseException:
            await store.close()
            raise
        return store

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Tx]:
        """One transaction: committed at the end, rolled back on any exception, cancellation included.

        Don't wait for the network inside: on SQLite everybody else's writes wait meanwhile.
        """
        self.transactions += 1
        async with self._turn or nullcontext():
            connection = WholeConnection(self._writer)
            try:
                await connection.start()
                await connection.begin_now()
                yield connection
                await connection.commit()
                self._writes.update(connection.written)
            finally:
                await connection.close()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Tx]:
        """One consistent view of the store. Does not wait for writers, and must not write."""
        self.transactions += 1
        connection = WholeConnection(self._reader)
        try:
            await connection.start()
            yield connection
        finally:
            await connection.close()

    def version(self, *tables: str) -> int:
        """A number that grows with every committed change of these tables, since there is one bridge per store: who
        keeps in memory what it read from them reads again only after that. Ask before reading."""
        return sum(self._writes[table] for table in tables)

    async def close(self) -> None:
        """Close all connections. The store can't be used any more."""
        await self._writer.dispose()
        if self._reader is not self._writer:
            await self._reader.dispose()


async def upgrade(url: str) -> None:
    """Migrate the store at ``url`` to the newest schema (``db upgrade``). Raises :class:`StoreUnusable`."""
    await (await Store.open(url)).close()


async def is_behind(url: str) -> bool:
    """Whether the store at ``url``, which must exist, has a schema that the next start will migrate.

    Reads alone: nothing is made, migrated or changed (``doctor``). Raises :class:`StoreUnusable`.
    """
    address = _address(url)
    engine, place = _read_only(address)
    try:
        async with asyncio.timeout(OPEN_S), engine.connect() as connection:
            return await connection.run_sync(migrate.is_behind, place)
    except (TimeoutError, OSError, SQLAlchemyError) as error:
        raise _unusable(error, place, address) from None
    finally:
        await engine.dispose()


def _read_only(address: URL) -> tuple[AsyncEngine, str]:
    """An engine that can't write, and the store's place in words."""
    if address.get_backend_name() != "sqlite":
        return _postgres(address).execution_options(postgresql_readonly=True), address.render_as_string()
    path = Path(address.database or "").expanduser()
    # Without a log beside it nobody has the file open, and SQLite need not make its own files to read it.
    lone = {} if Path(f"{path}-wal").exists() else {"immutable": "1"}
    uri = address.set(database=path.absolute().as_uri(), query={"mode": "ro", "uri": "true", **lone})
    return create_async_engine(uri, connect_args={"timeout": BUSY_S}), str(path)


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError:
        raise StoreUnusable(
            "The database URL can't be read. Use sqlite:////path/to/bridge.sqlite3 or postgresql://user:password@host/name."
        ) from None
    match address.get_backend_name():
        case "sqlite":
            return address.set(drivername="sqlite+aiosqlite")
        case "postgresql" | "postgres":
            return address.set(drivername="postgresql+psycopg")
        case other:
            raise StoreUnusable(f"The store can be SQLite or PostgreSQL, not {other}.")


def _prepare_file(address: URL) -> Path:
    """Make the directory (700) and the file (600), so that no other user of the machine reads along."""
    if not address.database or address.database == ":memory:":
        raise StoreUnusable("The store must be a file: a database in memory forgets everything at the end.")
    path = Path(address.database).expanduser()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.is_dir():
            raise StoreUnusable(f"The store can't be opened: {path} is a directory.")
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o600)
    except OSError as error:
        raise StoreUnusable(f"The store can't be written at {path}: {error.strerror or error}.") from None
    return path


def _sqlite(address: URL, mode: str) -> AsyncEngine:
    path = str(Path(address.database or "").expanduser())
    engine = create_async_engine(
        address.set(database=path),
        connect_args={"timeout": BUSY_S},
        pool_size=1 if mode == "IMMEDIATE" else 3,
        max_overflow=0,
        pool_timeout=BUSY_S,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def _connected(connection: Any, record: object) -> None:
        # Without this the driver begins transactions by itself, late, and a read could not become a write.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql(f"BEGIN {mode}")

    return engine


def _postgres(address: URL) -> AsyncEngine:
    limits: dict[str, Any] = {"connect_timeout": 10, "keepalives_idle": 15, "tcp_user_timeout": int(BUSY_S * 1000)}
    if "options" not in address.query:
        limits["options"] = f"-c statement_timeout={int(BUSY_S * 1000)}"
    return create_async_engine(
        address,
        connect_args=limits,
        pool_size=5,
        max_overflow=5,
        pool_timeout=BUSY_S,
        pool_pre_ping=True,
    )


def _unusable(error: Exception, place: str, address: URL) -> StoreUnusable:
    """What to raise for a driver's error. PostgreSQL's own refusals (wrong password, no such database) say FATAL."""
    words = _words(error, place, address)
    if address.get_backend_name() == "sqlite":
        return StoreUnusable(words)
    refused = isinstance(error, DBAPIError) and not (
        isinstance(error, OperationalError) and ("FATAL" not in str(error.orig) or "starting up" in str(error.orig))
    )
    return StoreUnusable(words) if refused else StoreUnreachable(words)


def _words(error: Exception, place: str, address: URL) -> str:
    """An error in a user's words. The driver's own words are used only where they can't hold the password."""
    if address.get_backend_name() != "sqlite":
        where = f"{address.host or 'the local socket'}:{address.port or 5432}"
        if isinstance(error, TimeoutError):
            return f"PostgreSQL at {where} did not answer within {OPEN_S:g} s."
        cause = str(error.orig) if isinstance(error, DBAPIError) else type(error).__name__
        if address.password:
            cause = cause.replace(str(address.password), "***")
        return f"PostgreSQL at {where} can't be used: {' '.join(cause.split())[:300]}"
    if isinstance(error, TimeoutError):
        return f"The store at {place} is in use by another process that does not let go of it."
    cause_code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    if cause_code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return f"The file {place} is not a database, or it is damaged. Move it away, or restore a backup."
    if cause_code == sqlite3.SQLITE_BUSY:
        return f"The store at {place} is in use by another process that does not let go of it."
    cause = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    return f"The store at {place} can't be used: {cause}."
