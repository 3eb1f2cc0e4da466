"""The page over chats that a test fills by itself: no hub, no bridge, so nothing comes but what the test sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from bridge.chat.slack.manifest import slack_manifest
from bridge.cli.staging import calls_of
from bridge.sandbox.page.server import PageServer
from bridge.sandbox.stage.stage import Stage
from bridge.sandbox.stage.switches import Switches


async def _stay(ready: asyncio.Future[PageServer]) -> None:
    async with AsyncExitStack() as stack:
        stage = await Stage.build(stack, slack_manifest())
        page = await stack.enter_async_context(PageServer(stage, mode="sandbox", calls=calls_of))
        async with asyncio.TaskGroup() as group:
            page.switches = Switches(stage, group, page.faults_changed)
            group.create_task(page.run())
            await asyncio.sleep(0)  # the news are listened to
            ready.set_result(page)


@asynccontextmanager
async def standing() -> AsyncIterator[PageServer]:
    """A page whose ``stage`` has both chats with a person in each, and nothing said yet."""
    ready: asyncio.Future[PageServer] = asyncio.get_running_loop().create_future()
    staying = asyncio.create_task(_stay(ready))
    either: list[asyncio.Future[None] | asyncio.Future[PageServer]] = [staying, ready]
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if staying.done():
        staying.result()
    try:
        yield ready.result()
    finally:
        staying.cancel()
        with suppress(asyncio.CancelledError):
            await staying
