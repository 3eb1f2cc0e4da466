"""The page shows which sessions the visitor's own hub has, and says when it does not answer."""

import asyncio
from contextlib import suppress

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.stage.own_hub import OwnHub


async def test_the_sessions_of_the_visitors_hub_are_listed_and_its_silence_is_told() -> None:
    bell = asyncio.Event()
    async with SandboxHub() as hub:
        own = OwnHub(hub.url, hub.access_token, bell.set, every_s=0.02)
        assert own.sessions is None
        watching = asyncio.create_task(own.watch())

        async def another() -> None:
            async with asyncio.timeout(10):
                await bell.wait()
            bell.clear()

        await another()
        assert own.sessions == []
        session = hub.state.add_session(flavor="codex", directory="/srv/shop", machine="laptop", name="Ship it")
        hub.state.ask(session, "r1", "Bash", {"command": "make"})
        await another()
        listed = {"title": "Ship it", "active": True, "thinking": False, "flavor": "codex", "pending": 1}
        assert own.sessions == [{"id": session.id, **listed}]
        hub.access_token = hub.tokens.access_token = "another one"
        hub.tokens.life_s = -1
        hub.faults.fail("/api/sessions", status=500)
        await another()
        assert own.trouble
        assert own.sessions, "what was known stays"
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


async def test_a_list_that_is_odd_is_shown_as_far_as_it_goes() -> None:
    async with SandboxHub() as hub:
        session = hub.state.add_session(flavor="codex", directory="/srv/shop", machine="laptop")
        session.record["metadata"] = {"path": "/srv/shop"}
        own = OwnHub(hub.url, hub.access_token, lambda: None, every_s=60)
        watching = asyncio.create_task(own.watch())
        async with asyncio.timeout(10):
            while own.sessions is None:  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0.01)
        assert [(each["title"], each["flavor"]) for each in own.sessions] == [("/srv/shop", "")]
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
