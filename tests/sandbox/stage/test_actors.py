"""Agents on stage: those the visitor starts are there, ask first, and answer."""

import asyncio
import time

from bridge.sandbox.hub_state import HubState
from bridge.sandbox.player import Waiting
from bridge.sandbox.stage.actors import Actors


async def test_an_agent_sits_in_a_session_that_the_visitor_started() -> None:
    state = HubState(time.time)
    turns: asyncio.Queue[Waiting] = asyncio.Queue()
    async with asyncio.timeout(10):
        async with asyncio.TaskGroup() as group:
            actors = Actors(state, group, speed=100, on_wait=turns.put_nowait)
            session = state.add_session(flavor="claude", directory="/home/ada/shop", machine="ada-laptop")
            actors.started(session)
            assert (await turns.get()).what == "reply"
            assert "I am here, in `/home/ada/shop`" in str([row["content"] for row in session.rows])
            state.send(session, "hello there", "telegram-bot-1")
            asked = await turns.get()
            assert asked.request in session.requests, "it asks before it does something"
            assert list(state.sessions) == [session.id], "no second session is made"
            state.decide(session, asked.request, approved=True, body={})
            while "You wrote: hello there" not in str([row["content"] for row in session.rows]):  # noqa: ASYNC110 - no bell
                await asyncio.sleep(0.01)
            state.end(session)
