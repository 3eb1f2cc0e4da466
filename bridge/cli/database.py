"""`hapi-bridge db upgrade`: migrate the store."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bridge.cli import trouble
from bridge.settings import ConfigurationError
from bridge.store import engine


def upgrade(config: Path | None) -> int:
    """Migrate the configured store to the newest schema. Exit code 2 for what the user has to mend, 1 for a
    database that gives no answer."""
    try:
        asyncio.run(engine.upgrade(trouble.configuration(config).store.url))
    except ConfigurationError as error:
        trouble.tell([*error.mistakes, *trouble.advice(config)])
        return trouble.UNUSABLE
    except engine.StoreUnusable as error:
        trouble.tell([str(error)])
        return 1 if isinstance(error, engine.StoreUnreachable) else trouble.UNUSABLE
    print("the store is up to date")
    return 0
