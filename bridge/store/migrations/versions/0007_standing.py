"""What people are to their workspace: who has a role is told of sessions unasked, in a post of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("people", sa.Column("standing", sa.Text(), server_default="member", nullable=False))
