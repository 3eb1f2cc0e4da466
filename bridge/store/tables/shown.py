"""What is shown: which sessions, where, as which posts, and how far each was brought."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    UniqueConstraint,
    false,
    text,
)

from bridge.store.tables.columns import CleanText, Json, Serial, metadata

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

learnt = Table(
    "learnt",
    metadata,
    Column("surface", CleanText, primary_key=True),
    Column("feature", CleanText, primary_key=True),
    Column("state", CleanText, nullable=False),
    Column("why", CleanText, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)
