"""The page over chats that a test fills by itself: no hub, no bridge, so nothing comes but what the test sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from bridge.chat.slack.manifest import slack_manifest
from bridge.cli.staging import calls_of
from bridge.sandbox.page.server import PageServer
from bridge.sandbox.slack.state import View
from bridge.sandbox.slack.views import push
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


def section(text: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "section", "block_id": "told", "text": {"type": "mrkdwn", "text": text}}


def modal(*blocks: dict[str, Any], title: str = "Deny") -> dict[str, Any]:
    """A modal with a button to send it."""
    words = {"type": "plain_text", "text": "Send"}
    return {"type": "modal", "title": {"type": "plain_text", "text": title}, "submit": words, "blocks": list(blocks)}


def open_modal(server: PageServer, raw: dict[str, Any]) -> View:
    """Show the visitor a modal, as if they had asked for it."""
    slack, member = server.stage.slack, server.stage.member
    first = not slack.modals.get(member.id)
    if first:
        slack.modals[member.id] = [View("V0", "modal", member, modal(title="Below"), "h", "V0")]
    return push(slack, member, raw)
