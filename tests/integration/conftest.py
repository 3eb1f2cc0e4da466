"""The real hub for tests: mark them ``real_hub``.

``hub``: one hub per test worker, shared; bring your own sessions (``new_session``) and look at nothing else's.
``own_hub``: a hub for this test alone, to stop, kill and start again.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from bridge.hub.auth import TokenSource
from bridge.hub.caller import HubCaller
from bridge.hub.counts import HubCounts
from bridge.hub.events import EventStream, StreamTiming
from bridge.hub.rest import HubApi
from bridge.hub.sync import MessageSync
from tests.rig.hapi_peer import TOKEN, FakeCli, HubProc
from tests.rig.shared_hub import shared_hub

NewSession = Callable[..., Awaitable[FakeCli]]
Connect = Callable[[HubProc], "HubParts"]


async def eventually(look: Callable[[], Awaitable[Any]], timeout_s: float = 20) -> Any:
    """The first true answer of ``look``."""
    async with asyncio.timeout(timeout_s):
        while True:
            found = await look()
            if found:
                return found
            await asyncio.sleep(0.02)


@dataclass(frozen=True)
class HubParts:
    """The bridge's own hub side, connected to one hub, with quick retries."""

    http: httpx.AsyncClient
    tokens: TokenSource
    api: HubApi
    sync: MessageSync
    stream: EventStream
    counts: HubCounts


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProc]:
    """A running hub, shared by the tests of this worker. Never stop it; use ``own_hub`` for that."""
    with shared_hub(tmp_path_factory.mktemp("hub")) as process:
        yield process


@pytest.fixture
async def own_hub(tmp_path: Path) -> AsyncIterator[HubProc]:
    """A running hub for this test alone."""
    async with HubProc(tmp_path / "hub") as process:
        yield process


@pytest.fixture
async def new_session() -> AsyncIterator[NewSession]:
    """``await new_session(hub, flavor="claude", …)`` starts a fresh session's stand-in CLI; all end with the test."""
    started: list[FakeCli] = []

    async def start(process: HubProc, **options: Any) -> FakeCli:
        cli = await FakeCli(process.url, process.token, **options).start()
        started.append(cli)
        return cli

    yield start
    for cli in started:
        await cli.close()


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """``connect(hub)`` gives the bridge's hub side for it; closed with the test."""
    async with AsyncExitStack() as stack:

        def make(process: HubProc) -> HubParts:
            http = httpx.AsyncClient()
            stack.push_async_callback(http.aclose)
            counts = HubCounts()
            tokens = TokenSource(http, process.url, TOKEN, counts=counts)
            api = HubApi(HubCaller(http, process.url, tokens, counts=counts))
            timing = StreamTiming(backoff_first_s=0.05, backoff_most_s=0.2, jitter_s=0.01)
            stream = EventStream(http, process.url, tokens, timing=timing, counts=counts)
            return HubParts(http, tokens, api, MessageSync(api), stream, counts)

        yield make
