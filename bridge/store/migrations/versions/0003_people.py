"""Several people: roles by conversation, pairing codes, the audit log, and whether an update came after a silence."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("person_name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("chat", sa.Text(), nullable=True),
        sa.Column("thread", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("argument_hash", sa.Text(), nullable=True),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("choice", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_at_ms"), "audit", ["at_ms"], unique=False)
    op.create_index(op.f("ix_audit_session_id"), "audit", ["session_id"], unique=False)
    op.create_table(
        "pairing_tries",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("platform_id", sa.Text(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairing_tries")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_pairing_tries_at_ms"), "pairing_tries", ["at_ms"], unique=False)
    op.create_table(
        "pairings",
        sa.Column("code_id", sa.Text(), nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("conversation_id", SERIAL, nullable=True),
        sa.Column("note_key", sa.Text(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_pairings_conversation_id_conversations")
        ),
        sa.PrimaryKeyConstraint("code_id", name=op.f("pk_pairings")),
    )
    op.create_table(
        "roles",
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("platform_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", SERIAL, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_roles_conversation_id_conversations")
        ),
        sa.PrimaryKeyConstraint("surface", "platform_id", "conversation_id", name=op.f("pk_roles")),
    )
    op.create_index(op.f("ix_roles_conversation_id"), "roles", ["conversation_id"], unique=False)
    op.add_column("inbox", sa.Column("late_since_ms", sa.BigInteger(), nullable=True))
