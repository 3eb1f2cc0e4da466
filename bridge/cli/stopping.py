"""Being told to stop: SIGTERM, SIGINT (Ctrl-C) and SIGHUP end the work at hand cleanly."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Coroutine
from typing import Any

_PATIENCE_S = 1.0


def signals() -> list[signal.Signals]:
    """The signals that mean "stop". A hang-up that is ignored (``nohup``) stays ignored."""
    hangs_up = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN
    return [signal.SIGTERM, signal.SIGINT, *([signal.SIGHUP] if hangs_up else [])]


async def until_stopped(work: Coroutine[Any, Any, None]) -> bool:
    """Run ``work`` to its end, or until the first signal cancels it; whether a signal did. Raises what it raises.

    More signals change nothing (``timeout`` and shells send theirs to the process and to its group, so two come at
    once), but for a Ctrl-C more than a second later: that one ends the process where it stands.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    first: list[float] = []

    def stop(told: signal.Signals) -> None:
        if not first:
            first.append(loop.time())
            task.cancel()
        elif told == signal.SIGINT and loop.time() - first[0] > _PATIENCE_S:
            os._exit(128 + signal.SIGINT)

    stops = signals()
    for each in stops:
        loop.add_signal_handler(each, stop, each)
    try:
        await task
    except asyncio.CancelledError:
        if not first:
            raise
        return True
    finally:
        for each in stops:
            loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_IGN)  # what is left is the interpreter's own end
    return False
