"""Sessions that people asked for, on their way."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "starts",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("asked_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_starts_conversation_id_conversations")
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_starts")),
    )
    op.create_index(op.f("ix_starts_state"), "starts", ["state"], unique=False)
    op.create_index(op.f("ix_starts_session_id"), "starts", ["session_id"], unique=False)
