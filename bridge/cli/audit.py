"""`hapi-bridge audit`: the audit log as JSON lines, the oldest first."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from bridge.cli import trouble
from bridge.settings import ConfigurationError
from bridge.store import audit, engine

_SPANS: Final = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def export(config: Path | None, since: str | None, session: str | None) -> int:
    """Print every line from ``since`` on. Exit code 2 for what the user has to mend, 1 for a store that is away."""
    try:
        from_ms = since_ms(since, datetime.now(UTC)) if since is not None else 0
        settings = trouble.configuration(config)
        asyncio.run(_print(settings.store.url, from_ms, session))
    except ValueError as error:
        trouble.tell([str(error)])
        return trouble.UNUSABLE
    except ConfigurationError as error:
        trouble.tell([*error.mistakes, *trouble.advice(config)])
        return trouble.UNUSABLE
    except engine.StoreUnusable as error:
        trouble.tell([str(error)])
        return 1 if isinstance(error, engine.StoreUnreachable) else trouble.UNUSABLE
    return 0


def since_ms(text: str, now: datetime) -> int:
    """A time as people write it, in epoch ms: ``90m``, ``24h``, ``7d`` ago, or a date, with or without a time (UTC
    unless it says otherwise). Raises ``ValueError`` in a user's words."""
    span = re.fullmatch(r"(\d{1,6})([mhd])", text.strip())
    if span is not None:
        try:
            then = now - int(span[1]) * _SPANS[span[2]]
        except OverflowError:  # before the first year there is
            return 0
    else:
        try:
            then = datetime.fromisoformat(text.strip())
        except ValueError:
            raise ValueError(f"--since {text!r} can't be read: write 24h, 7d, or a date such as 2026-11-30") from None
        then = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
    return int(then.timestamp() * 1000)


async def _print(url: str, from_ms: int, session: str | None) -> None:
    store = await engine.Store.open(url)
    try:
        async with store.read() as tx:
            async for entry in audit.since(tx, from_ms, session_id=session):
                at = datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(timespec="milliseconds")
                print(json.dumps({"at": at, **asdict(entry)}, ensure_ascii=False))
    finally:
        await store.close()
