"""`hapi-bridge run`: settings in, the bridge until it is told to stop."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from pathlib import Path

import structlog
from sqlalchemy.engine import make_url

from bridge.cli import trouble
from bridge.cli.stopping import until_stopped
from bridge.observe import logs
from bridge.settings import ConfigurationError, Settings, StoreSettings
from bridge.store.errors import StoreUnreachable


def run(config: Path | None) -> int:
    """Run the bridge. Exit code 0 after SIGTERM, SIGINT or SIGHUP, 2 for what the user has to mend, 1 if the bridge
    broke or its database gave no answer."""
    try:
        settings = trouble.configuration(config)
    except ConfigurationError as error:
        trouble.tell([*error.mistakes, *trouble.advice(config)])
        return trouble.UNUSABLE
    logs.set_up(settings.log, settings.secrets())
    log = structlog.get_logger("bridge")
    try:
        asyncio.run(_until_stopped(settings))
    except Exception as error:  # the last stop: told or logged, and the process ends
        mistakes = trouble.lines(error)
        if not mistakes:
            log.exception("bridge.broke")
            return 1
        trouble.tell(mistakes)
        return 1 if isinstance(error, StoreUnreachable) else trouble.UNUSABLE
    return 0


async def _until_stopped(settings: Settings) -> None:
    from bridge.app import run as bridge

    log = structlog.get_logger("bridge")
    log.info("bridge.starts", version=version("hapi-bridge"), store=_place(settings.store), stop_with="Ctrl-C")
    if await until_stopped(bridge(settings)):
        log.info("bridge.stopped")


def _place(store: StoreSettings) -> str:
    """Where the store is: the file, or the address without its password."""
    url = make_url(store.url)
    return str(url.database) if url.get_backend_name() == "sqlite" else url.render_as_string(hide_password=True)
