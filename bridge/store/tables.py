"""The tables. Times are epoch milliseconds given by the caller; the store has no clock of its own.

Every text column cleans what it is given (lone surrogates crash SQLite and psycopg, NUL crashes PostgreSQL), also in
comparisons, so a query finds what an insert stored. JSON is kept as text: the same bytes on both databases.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
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

cursors = Table(
    "cursors",
    metadata,
    Column("name", CleanText, primary_key=True),
    Column("value", CleanText, nullable=False),
)

follows = Table(
    "follows",
    metadata,
    Column("lineage", CleanText, primary_key=True),
    Column("session_id", CleanText, nullable=False, index=True),
    Column("title", CleanText, nullable=False),
    Column("since_at", BigInteger),
    Column("since_seq", BigInteger),
    Column("anchor_at", BigInteger),
    Column("anchor_seq", BigInteger),
    Column("state", CleanText, nullable=False),
    Column("data", Json, nullable=False),
)

aliases = Table(
    "aliases",
    metadata,
    Column("session_id", CleanText, primary_key=True),
    Column("lineage", CleanText, nullable=False, index=True),
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("surface", CleanText, nullable=False),
    Column("chat", CleanText, nullable=False),
    Column("thread", CleanText),
    Column("kind", CleanText, nullable=False),
    Column("state", CleanText, nullable=False),
    Column("level", CleanText, nullable=False),
    Column("title", CleanText, nullable=False),
    Column("home", CleanText),
    Column("about", CleanText),
    Column("created_ms", BigInteger, nullable=False),
    UniqueConstraint("surface", "chat", "thread"),
    sqlite_autoincrement=True,
)
Index(
    "uq_conversations_chat_itself",
    conversations.c.surface,
    conversations.c.chat,
    unique=True,
    sqlite_where=text("kind = 'chat'"),
    postgresql_where=text("kind = 'chat'"),
)

bindings = Table(
    "bindings",
    metadata,
    Column("lineage", CleanText, primary_key=True),
    Column("conversation_id", Serial, ForeignKey("conversations.id"), primary_key=True, index=True),
    Column("active", Boolean, nullable=False),
)

posts = Table(
    "posts",
    metadata,
    Column("position", Serial, primary_key=True, autoincrement=True),
    Column("key", CleanText, nullable=False, unique=True),
    Column("lineage", CleanText, nullable=False),
    Column("session_id", CleanText),
    Column("kind", CleanText, nullable=False),
    Column("urgency", CleanText, nullable=False),
    Column("card", Json),
    Column("digest", CleanText, nullable=False),
    Column("ring", Boolean, nullable=False),
    Column("final", Boolean, nullable=False),
    Column("settled", Boolean, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    Column("keep_card", Boolean, nullable=False),
    Column("min_level", CleanText, nullable=False),
    Column("reply_to", CleanText),
    Column("under", CleanText),
    Column("detail", Boolean, nullable=False, server_default=false()),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
Index(
    "ix_posts_unsettled",
    posts.c.lineage,
    posts.c.position,
    sqlite_where=text("NOT settled"),
    postgresql_where=text("NOT settled"),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("post_key", CleanText, ForeignKey("posts.key"), primary_key=True),
    Column("conversation_id", Serial, ForeignKey("conversations.id"), primary_key=True),
    Column("digest", CleanText),
    Column("state", CleanText, nullable=False),
    Column("shown", Boolean, nullable=False),
    Column("rung", Boolean, nullable=False),
    Column("error", CleanText),
)
Index(
    "ix_deliveries_open",
    deliveries.c.conversation_id,
    sqlite_where=text("state = 'open'"),
    postgresql_where=text("state = 'open'"),
)

parts = Table(
    "parts",
    metadata,
    Column("post_key", CleanText, ForeignKey("posts.key"), primary_key=True),
    Column("conversation_id", Serial, ForeignKey("conversations.id"), primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("kind", CleanText, nullable=False),
    Column("message", CleanText),
    Column("digest", CleanText),
    Column("state", CleanText, nullable=False),
    Column("sent_ms", BigInteger),
    Column("changed_ms", BigInteger),
    Column("hung_on", CleanText),
)
Index("ix_parts_message", parts.c.message, parts.c.conversation_id)

buttons = Table(
    "buttons",
    metadata,
    Column("token", CleanText, primary_key=True),
    Column("post_key", CleanText, ForeignKey("posts.key"), nullable=False, index=True),
    Column("act", Json, nullable=False),
    Column("on_card", Boolean, nullable=False),
)

inbox = Table(
    "inbox",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("surface", CleanText, nullable=False),
    Column("update_id", CleanText, nullable=False),
    Column("payload", Json, nullable=False),
    Column("received_ms", BigInteger, nullable=False),
    Column("state", CleanText, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("error", CleanText),
    Column("late_since_ms", BigInteger),
    UniqueConstraint("surface", "update_id"),
    sqlite_autoincrement=True,
)
Index(
    "ix_inbox_new",
    inbox.c.surface,
    inbox.c.id,
    sqlite_where=text("state = 'new'"),
    postgresql_where=text("state = 'new'"),
)

says = Table(
    "says",
    metadata,
    Column("local_id", CleanText, primary_key=True),
    Column("lineage", CleanText, nullable=False, index=True),
    Column("session_id", CleanText, nullable=False),
    Column("conversation_id", Serial, ForeignKey("conversations.id"), nullable=False),
    Column("message", CleanText, nullable=False),
    Column("person_id", CleanText, nullable=False),
    Column("person_name", CleanText, nullable=False),
    Column("text", CleanText, nullable=False),
    Column("state", CleanText, nullable=False, index=True),
    Column("attempts", Integer, nullable=False),
    Column("next_try_ms", BigInteger),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Column("data", Json, nullable=False),
)
Index("ix_says_message", says.c.conversation_id, says.c.message)

decisions = Table(
    "decisions",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("session_id", CleanText, nullable=False),
    Column("request_id", CleanText, nullable=False),
    Column("argument_hash", CleanText, nullable=False),
    Column("claim_key", CleanText, unique=True),
    Column("surface", CleanText, nullable=False),
    Column("person_id", CleanText, nullable=False),
    Column("person_name", CleanText, nullable=False),
    Column("choice", Json, nullable=False),
    Column("state", CleanText, nullable=False),
    Column("claimed_ms", BigInteger, nullable=False),
    Column("settled_ms", BigInteger),
    Column("outcome", CleanText),
    sqlite_autoincrement=True,
)
Index("ix_decisions_request", decisions.c.session_id, decisions.c.request_id)

pictures = Table(
    "pictures",
    metadata,
    Column("source", CleanText, primary_key=True),
    Column("session_id", CleanText, nullable=False),
    Column("image", CleanText, nullable=False),
    Column("data", LargeBinary),
    Column("missing", CleanText),
    Column("wanted_ms", BigInteger, nullable=False),
)
Index(
    "ix_pictures_wanted",
    pictures.c.wanted_ms,
    sqlite_where=text("data IS NULL AND missing IS NULL"),
    postgresql_where=text("data IS NULL AND missing IS NULL"),
)

people = Table(
    "people",
    metadata,
    Column("surface", CleanText, primary_key=True),
    Column("platform_id", CleanText, primary_key=True),
    Column("name", CleanText, nullable=False),
    Column("role", CleanText),
    Column("refused_ms", BigInteger),
)

roles = Table(
    "roles",
    metadata,
    Column("surface", CleanText, primary_key=True),
    Column("platform_id", CleanText, primary_key=True),
    Column("conversation_id", Serial, ForeignKey("conversations.id"), primary_key=True, index=True),
    Column("role", CleanText, nullable=False),
)

pairings = Table(
    "pairings",
    metadata,
    Column("code_id", CleanText, primary_key=True),
    Column("surface", CleanText, nullable=False),
    Column("salt", CleanText, nullable=False),
    Column("digest", CleanText, nullable=False),
    Column("role", CleanText, nullable=False),
    Column("conversation_id", Serial, ForeignKey("conversations.id")),
    Column("note_key", CleanText, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
)

pairing_tries = Table(
    "pairing_tries",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("surface", CleanText, nullable=False),
    Column("platform_id", CleanText, nullable=False),
    Column("at_ms", BigInteger, nullable=False, index=True),
    sqlite_autoincrement=True,
)

audit = Table(
    "audit",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("at_ms", BigInteger, nullable=False, index=True),
    Column("surface", CleanText, nullable=False),
    Column("person_id", CleanText, nullable=False),
    Column("person_name", CleanText, nullable=False),
    Column("role", CleanText),
    Column("chat", CleanText),
    Column("thread", CleanText),
    Column("session_id", CleanText, index=True),
    Column("request_id", CleanText),
    Column("argument_hash", CleanText),
    Column("act", CleanText, nullable=False),
    Column("choice", CleanText),
    Column("outcome", CleanText, nullable=False),
    Column("detail", CleanText),
    sqlite_autoincrement=True,
)

learnt = Table(
    "learnt",
    metadata,
    Column("surface", CleanText, primary_key=True),
    Column("feature", CleanText, primary_key=True),
    Column("state", CleanText, nullable=False),
    Column("why", CleanText, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)

starts = Table(
    "starts",
    metadata,
    Column("key", CleanText, primary_key=True),
    Column("conversation_id", Serial, ForeignKey("conversations.id"), nullable=False),
    Column("plan", Json, nullable=False),
    Column("state", CleanText, nullable=False, index=True),
    Column("session_id", CleanText, index=True),
    Column("asked_ms", BigInteger, nullable=False),
)
