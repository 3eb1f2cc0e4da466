"""What the tables are made of: the kinds of columns, and the naming of constraints.

Every text column cleans what it is given (lone surrogates crash SQLite and psycopg, NUL crashes PostgreSQL), also in
comparisons, so a query finds what an insert stored. JSON is kept as text: the same bytes on both databases.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import (
    BigInteger,
    Integer,
    MetaData,
    Text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from bridge.cards.text import clean

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class CleanText(TypeDecorator[str]):
    """Text without lone surrogates and NUL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else str(clean(value))


class Json(TypeDecorator[Any]):
    """Plain data as JSON text. Strings inside come back cleaned of lone surrogates."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        # json.dumps writes NUL as the escape \u0000, which is harmless inside text.
        return None if value is None else str(clean(json.dumps(value, ensure_ascii=False)))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


# SQLite numbers rows by itself only for INTEGER PRIMARY KEY; its INTEGER holds 64 bits anyway.
Serial = BigInteger().with_variant(Integer, "sqlite")
