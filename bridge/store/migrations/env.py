"""Alembic's entry: runs migrations on the connection that the store hands over. There is no other way in."""

from alembic import context

from bridge.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    # SQLite can't alter most things in place; Alembic then copies the table.
    render_as_batch=True,
)
context.run_migrations()
