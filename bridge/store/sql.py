"""The few statements in which SQLite and PostgreSQL have the same grammar but SQLAlchemy has two modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

Tx = AsyncConnection
"""A transaction, as :meth:`Store.begin` and :meth:`Store.read` hand it out."""


def _insert(tx: Tx, table: Table) -> sqlite.Insert | postgresql.Insert:
    return postgresql.insert(table) if tx.dialect.name == "postgresql" else sqlite.insert(table)


async def insert_new(tx: Tx, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless a unique key is taken already. True if it was inserted. Atomic across processes."""
    column = next(iter(table.primary_key.columns))
    statement = _insert(tx, table).values(dict(values)).on_conflict_do_nothing().returning(column)
    return (await tx.execute(statement)).first() is not None


async def upsert(tx: Tx, table: Table, values: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Insert a row, or set all its columns named in ``values`` if ``keys`` (a unique key) exist already."""
    rest = {name: value for name, value in values.items() if name not in keys}
    statement = _insert(tx, table).values(dict(values)).on_conflict_do_update(index_elements=list(keys), set_=rest)
    await tx.execute(statement)
