"""How often a line of the audit log tells of: refused presses of one person on one card are counted, not repeated."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("audit", sa.Column("times", sa.Integer(), nullable=False, server_default="1"))
    op.create_index(op.f("ix_audit_person_id"), "audit", ["person_id"], unique=False)
