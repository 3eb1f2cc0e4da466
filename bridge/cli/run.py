"""`hapi-bridge run`: settings in, the bridge until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from types import FrameType

import structlog

from bridge.cli import trouble
from bridge.observe import logs
from bridge.settings import ConfigurationError, Settings

_STOPS = (signal.SIGTERM, signal.SIGINT)
_STOPPED_EARLY = 0
_PATIENCE_S = 1.0


def run(config: Path | None) -> int:
    """Run the bridge. Exit code 0 after SIGTERM or SIGINT, 2 for what the user has to mend, 1 if the bridge broke."""
    for stop in _STOPS:
        signal.signal(stop, _leave)  # before the loop takes over there is nothing to clean up
    try:
        settings = trouble.configuration(config)
    except ConfigurationError as error:
        trouble.tell(error.mistakes)
        return trouble.UNUSABLE
    logs.set_up(settings.log, settings.secrets())
    try:
        asyncio.run(_until_stopped(settings))
    except Exception as error:  # noqa: BLE001 - the last stop: told or logged, and the process ends
        mistakes = trouble.lines(error)
        if mistakes:
            trouble.tell(mistakes)
            return trouble.UNUSABLE
        structlog.get_logger("bridge").exception("the bridge broke")
        return 1
    return 0


async def _until_stopped(settings: Settings) -> None:
    """The bridge as a task that the first signal cancels.

    More signals change nothing (``timeout`` and shells send theirs to the process and to its group, so two come at
    once), but for a Ctrl-C more than a second later: that one ends the process where it stands.
    """
    from bridge.app import run as bridge

    loop = asyncio.get_running_loop()
    task = asyncio.create_task(bridge(settings))
    first: list[float] = []

    def stop(told: signal.Signals) -> None:
        if not first:
            first.append(loop.time())
            task.cancel()
        elif told == signal.SIGINT and loop.time() - first[0] > _PATIENCE_S:
            os._exit(128 + signal.SIGINT)

    for each in _STOPS:
        loop.add_signal_handler(each, stop, each)
    try:
        await task
    except asyncio.CancelledError:
        if not first:
            raise
        structlog.get_logger("bridge").info("stopped")
    finally:
        for each in _STOPS:
            loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_IGN)  # what is left is the interpreter's own end


def _leave(_: int, __: FrameType | None) -> None:
    os._exit(_STOPPED_EARLY)
