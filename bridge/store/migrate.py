"""Bringing the schema to what this code knows. The migrations are in ``migrations/versions``, oldest first."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from bridge.store.errors import StoreUnusable

MIGRATIONS = Path(__file__).with_name("migrations")
_LOCK = 0x48415049  # any number will do, as long as every bridge takes the same one


def config(connection: Connection | None = None) -> Config:
    """Alembic's configuration, without a file: also from an installed wheel."""
    made = Config()
    made.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    made.attributes["connection"] = connection
    return made


def to_head(connection: Connection, place: str) -> None:
    """Migrate within the transaction at hand: all or nothing, one process at a time. Raises as :func:`is_behind`."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": _LOCK})
    if is_behind(connection, place):
        command.upgrade(config(connection), "head")


def is_behind(connection: Connection, place: str) -> bool:
    """Whether the schema is older than this code's, or not there at all. Only looks.

    Raises :class:`StoreUnusable` for a schema that a newer version made, or a database that holds something else.
    """
    scripts = ScriptDirectory.from_config(config())
    heads = set(MigrationContext.configure(connection).get_current_heads())
    known = {script.revision for script in scripts.walk_revisions()}
    if heads - known:
        raise StoreUnusable(
            f"The store at {place} was made by a newer version of HAPI Bridge. Install that version, or restore a "
            "backup from before it."
        )
    if not heads and "posts" in inspect(connection).get_table_names():
        raise StoreUnusable(f"The database at {place} holds tables that are not HAPI Bridge's. Use another one.")
    return heads != set(scripts.get_heads())
