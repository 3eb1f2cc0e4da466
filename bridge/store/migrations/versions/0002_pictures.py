"""Pictures that agents made, on their way to the chats."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pictures",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("image", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=True),
        sa.Column("missing", sa.Text(), nullable=True),
        sa.Column("wanted_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("source", name=op.f("pk_pictures")),
    )
    unfetched = sa.text("data IS NULL AND missing IS NULL")
    op.create_index(
        "ix_pictures_wanted",
        "pictures",
        ["wanted_ms"],
        unique=False,
        sqlite_where=unfetched,
        postgresql_where=unfetched,
    )
