"""A page over a stage without a bridge: the tests play the bot, and the visitor with an HTTP client."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from bridge.chat.slack.manifest import slack_manifest
from bridge.cli.staging import calls_of
from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.page.server import PageServer
from bridge.sandbox.stage.actors import Actors
from bridge.sandbox.stage.stage import Stage
from bridge.sandbox.stage.switches import Switches

Json = dict[str, Any]


@dataclass
class Visit:
    """A page, its stage, and a visitor who came in by the printed address."""

    page: PageServer
    stage: Stage
    client: httpx.AsyncClient

    @property
    def base(self) -> str:
        return str(self.client.base_url).rstrip("/")

    async def state(self) -> Json:
        answer = await self.client.get("/api/state")
        assert answer.status_code == 200
        found: Json = answer.json()
        return found

    async def post(self, path: str, **body: Any) -> Json:
        """A POST that is taken."""
        answer = await self.client.post(f"/api/{path}", json=body)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        assert found["ok"] is True
        return found

    async def refused(self, path: str, **body: Any) -> tuple[int, str]:
        """A POST that is refused: the status and the words."""
        answer = await self.client.post(f"/api/{path}", json=body)
        assert 400 <= answer.status_code < 500, answer.text
        return answer.status_code, answer.json()["error"]

    @asynccontextmanager
    async def listening(self, since: int | None = None, **headers: str) -> AsyncIterator["Listener"]:
        """The event stream, from now on or from an event's number on."""
        query = f"?since={self.page.feed.seq if since is None else since}"
        async with self.client.stream("GET", f"/api/events{query}", headers=headers) as answer:
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            yield Listener(answer.aiter_lines())


class Listener:
    """Reads events."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines

    async def next(self, kind: str, holds: Callable[[Json], object] = lambda _: True) -> Json:
        """The next event of this kind for which something holds; others are passed over."""
        async with asyncio.timeout(5):
            async for line in self._lines:
                if line.startswith("data: "):
                    event: Json = json.loads(line.removeprefix("data: "))
                    if event["kind"] == kind and holds(event):
                        return event
        raise AssertionError(f"the stream ended without {kind}")


async def _stay(folder: Path, ready: asyncio.Future[Visit]) -> None:
    """A demo's page without its bridge, until cancelled."""
    async with AsyncExitStack() as stack:
        hub = await stack.enter_async_context(SandboxHub())
        stage = await Stage.build(stack, slack_manifest())
        stage.hub, stage.hub_url = hub, hub.url
        page = PageServer(stage, mode="demo", calls=calls_of, static=folder)
        await stack.enter_async_context(page)
        base = page.address.partition("/?")[0]
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=base, trust_env=False, timeout=30))
        assert (await client.get(page.address)).status_code == 200
        async with asyncio.TaskGroup() as group:
            page.switches = Switches(stage, group, page.faults_changed)
            page.actors = Actors(hub.state, group, speed=20, changed=page.scenarios_changed)
            group.create_task(page.run())
            await asyncio.sleep(0)  # the news are listened to
            ready.set_result(Visit(page, stage, client))


@pytest.fixture
async def visit(tmp_path: Path) -> AsyncIterator[Visit]:
    """A visitor on the page."""
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "main.js").write_text("export {};")
    ready: asyncio.Future[Visit] = asyncio.get_running_loop().create_future()
    staying = asyncio.create_task(_stay(tmp_path, ready))
    either: list[asyncio.Future[Any]] = [staying, ready]
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if staying.done():
        staying.result()
    yield ready.result()
    staying.cancel()
    with suppress(asyncio.CancelledError):
        await staying
