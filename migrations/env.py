"""Connects Alembic to a log: through a given connection, or offline as SQL."""

from __future__ import annotations

from alembic import context

from twin.log.schema import VERSION_TABLE, metadata


def migrate_online() -> None:
    """Migrate on the connection that `twin.log` passes, in the transaction that it has begun."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        transactional_ddl=True,  # on SQLite, Alembic would commit after each revision
    )
    with context.begin_transaction():
        context.run_migrations()


def migrate_offline() -> None:
    """Write the SQL instead of running it (`alembic upgrade head --sql`)."""
    context.configure(
        url=context.config.get_main_option("sqlalchemy.url"),
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        literal_binds=True,
    )
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    migrate_offline()
else:
    migrate_online()
