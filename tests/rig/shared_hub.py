"""A real hub that several tests share: it lives in a loop of its own thread, so that it outlasts the tests' loops."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from tests.rig.hapi_peer import HubProc


@contextmanager
def shared_hub(data: Path) -> Iterator[HubProc]:
    """A running hub. Never stop it."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def run(work: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(60)

    process = HubProc(data)
    run(process.start())
    try:
        yield process
    finally:
        run(process.stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
