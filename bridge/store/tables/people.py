"""What people did and may do: what came in, what became of it, and who has which role."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    UniqueConstraint,
    text,
)

from bridge.store.tables.columns import CleanText, Json, Serial, metadata

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

people = Table(
    "people",
    metadata,
    Column("surface", CleanText, primary_key=True),
    Column("platform_id", CleanText, primary_key=True),
    Column("name", CleanText, nullable=False),
    Column("role", CleanText),
    Column("refused_ms", BigInteger),
    Column("standing", CleanText, nullable=False, server_default="member"),
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
    Column("person_id", CleanText, nullable=False, index=True),
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
    Column("times", Integer, nullable=False, server_default="1"),
    sqlite_autoincrement=True,
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
