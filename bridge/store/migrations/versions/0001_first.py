"""The first schema: posts and their deliveries, conversations, follows, inbox, says, decisions, people, cursors."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "aliases",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("lineage", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_aliases")),
    )
    op.create_index(op.f("ix_aliases_lineage"), "aliases", ["lineage"], unique=False)
    op.create_table(
        "conversations",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversations")),
        sa.UniqueConstraint("surface", "chat", "thread", name=op.f("uq_conversations_surface")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_conversations_chat_itself",
        "conversations",
        ["surface", "chat"],
        unique=True,
        sqlite_where=sa.text("kind = 'chat'"),
        postgresql_where=sa.text("kind = 'chat'"),
    )
    op.create_table(
        "cursors",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_cursors")),
    )
    op.create_table(
        "decisions",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("argument_hash", sa.Text(), nullable=False),
        sa.Column("claim_key", sa.Text(), nullable=True),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("person_name", sa.Text(), nullable=False),
        sa.Column("choice", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("claimed_ms", sa.BigInteger(), nullable=False),
        sa.Column("settled_ms", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
        sa.UniqueConstraint("claim_key", name=op.f("uq_decisions_claim_key")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_decisions_request", "decisions", ["session_id", "request_id"], unique=False)
    op.create_table(
        "follows",
        sa.Column("lineage", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("since_at", sa.BigInteger(), nullable=True),
        sa.Column("since_seq", sa.BigInteger(), nullable=True),
        sa.Column("anchor_at", sa.BigInteger(), nullable=True),
        sa.Column("anchor_seq", sa.BigInteger(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("lineage", name=op.f("pk_follows")),
    )
    op.create_index(op.f("ix_follows_session_id"), "follows", ["session_id"], unique=False)
    op.create_table(
        "inbox",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("update_id", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("surface", "update_id", name=op.f("uq_inbox_surface")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_inbox_new",
        "inbox",
        ["surface", "id"],
        unique=False,
        sqlite_where=sa.text("state = 'new'"),
        postgresql_where=sa.text("state = 'new'"),
    )
    op.create_table(
        "people",
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("platform_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("refused_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("surface", "platform_id", name=op.f("pk_people")),
    )
    op.create_table(
        "posts",
        sa.Column("position", SERIAL, autoincrement=True, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("lineage", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("urgency", sa.Text(), nullable=False),
        sa.Column("card", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("ring", sa.Boolean(), nullable=False),
        sa.Column("final", sa.Boolean(), nullable=False),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("keep_card", sa.Boolean(), nullable=False),
        sa.Column("min_level", sa.Text(), nullable=False),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_posts")),
        sa.UniqueConstraint("key", name=op.f("uq_posts_key")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_posts_unsettled",
        "posts",
        ["lineage", "position"],
        unique=False,
        sqlite_where=sa.text("NOT settled"),
        postgresql_where=sa.text("NOT settled"),
    )
    op.create_table(
        "bindings",
        sa.Column("lineage", sa.Text(), nullable=False),
        sa.Column("conversation_id", SERIAL, nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_bindings_conversation_id_conversations")
        ),
        sa.PrimaryKeyConstraint("lineage", "conversation_id", name=op.f("pk_bindings")),
    )
    op.create_index(op.f("ix_bindings_conversation_id"), "bindings", ["conversation_id"], unique=False)
    op.create_table(
        "buttons",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("post_key", sa.Text(), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("on_card", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["post_key"], ["posts.key"], name=op.f("fk_buttons_post_key_posts")),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_buttons")),
    )
    op.create_index(op.f("ix_buttons_post_key"), "buttons", ["post_key"], unique=False)
    op.create_table(
        "deliveries",
        sa.Column("post_key", sa.Text(), nullable=False),
        sa.Column("conversation_id", SERIAL, nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.Column("rung", sa.Boolean(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_deliveries_conversation_id_conversations")
        ),
        sa.ForeignKeyConstraint(["post_key"], ["posts.key"], name=op.f("fk_deliveries_post_key_posts")),
        sa.PrimaryKeyConstraint("post_key", "conversation_id", name=op.f("pk_deliveries")),
    )
    op.create_index(
        "ix_deliveries_open",
        "deliveries",
        ["conversation_id"],
        unique=False,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "parts",
        sa.Column("post_key", sa.Text(), nullable=False),
        sa.Column("conversation_id", SERIAL, nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("sent_ms", sa.BigInteger(), nullable=True),
        sa.Column("changed_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_parts_conversation_id_conversations")
        ),
        sa.ForeignKeyConstraint(["post_key"], ["posts.key"], name=op.f("fk_parts_post_key_posts")),
        sa.PrimaryKeyConstraint("post_key", "conversation_id", "index", name=op.f("pk_parts")),
    )
    op.create_index("ix_parts_message", "parts", ["message", "conversation_id"], unique=False)
    op.create_table(
        "says",
        sa.Column("local_id", sa.Text(), nullable=False),
        sa.Column("lineage", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", SERIAL, nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("person_name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_try_ms", sa.BigInteger(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_says_conversation_id_conversations")
        ),
        sa.PrimaryKeyConstraint("local_id", name=op.f("pk_says")),
    )
    op.create_index(op.f("ix_says_lineage"), "says", ["lineage"], unique=False)
    op.create_index("ix_says_message", "says", ["conversation_id", "message"], unique=False)
    op.create_index(op.f("ix_says_state"), "says", ["state"], unique=False)
