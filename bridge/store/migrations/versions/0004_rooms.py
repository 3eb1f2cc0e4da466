"""Posts that hang under others, and rooms: chats that are one session's own."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("conversations", sa.Column("home", sa.Text(), nullable=True))
    op.add_column("conversations", sa.Column("about", sa.Text(), nullable=True))
    op.add_column("posts", sa.Column("under", sa.Text(), nullable=True))
    op.add_column("posts", sa.Column("detail", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("parts", sa.Column("hung_on", sa.Text(), nullable=True))
