"""The agents on stage: scenarios that are played, one session each, and those that the visitor starts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from bridge.sandbox import hub_scenario
from bridge.sandbox.hub_scenario import Scenario, ScenarioError
from bridge.sandbox.hub_session import Session
from bridge.sandbox.hub_state import HubState
from bridge.sandbox.player import Player, Waiting
from bridge.sandbox.stage.first_visit import first_visit

MOST = 40
"""Sessions that agents still listen to."""


class Actors:
    """Plays scenarios in a task group. ``changed`` hears when one begins or its script is through."""

    def __init__(
        self,
        hub: HubState,
        group: asyncio.TaskGroup,
        *,
        speed: float = 1.0,
        changed: Callable[[], None] = lambda: None,
        on_wait: Callable[[Waiting], None] = lambda _: None,
    ) -> None:
        self._hub = hub
        self._group = group
        self._speed = speed
        self._changed = changed
        self._on_wait = on_wait
        self._playing: dict[asyncio.Task[None], tuple[str, Player]] = {}
        self._known = {name: _about(name) for name in hub_scenario.names()}

    def state(self) -> list[dict[str, Any]]:
        """The scenarios there are, as the page lists them."""
        playing = {name for name, player in self._playing.values() if not player.finished.is_set()}
        return [{"name": name, **about, "playing": name in playing} for name, about in self._known.items()]

    def play(self, name: str, scenario: Scenario | None = None) -> Player:
        """Begin a session that follows a scenario, and answers what is written to it afterwards.

        Raises `ScenarioError` for one that can't be played, also because too many sessions are open.
        """
        if len(self._playing) >= MOST:
            raise ScenarioError(f"{MOST} sessions are open; end one first")
        script = scenario or hub_scenario.load(name)
        return self._begin(name, script)

    def started(self, session: Session) -> None:
        """Somebody started a session from the chat: an agent sits down in it and does what a first visit shows."""
        if len(self._playing) < MOST:
            self._begin("started", first_visit(session), session)

    def _begin(self, name: str, script: Scenario, session: Session | None = None) -> Player:
        if script.machine not in {about["metadata"]["host"] for about in self._hub.machines.values()}:
            self._hub.add_machine(script.machine)
        player = Player(self._hub, script, speed=self._speed, on_wait=self._on_wait, stay=True, session=session)
        task = self._group.create_task(player.play())
        self._playing[task] = (name, player)
        task.add_done_callback(self._over)
        self._group.create_task(self._tell_end(player))
        self._changed()
        return player

    def _over(self, task: asyncio.Task[None]) -> None:
        self._playing.pop(task)

    async def _tell_end(self, player: Player) -> None:
        await player.finished.wait()
        self._changed()


def _about(name: str) -> dict[str, str]:
    """A scenario's title, and what its file says about it in its first comment."""
    first = (hub_scenario.folder() / f"{name}.toml").read_text(encoding="utf-8").partition("\n")[0]
    words = first.lstrip("# ").strip() if first.startswith("#") else ""
    return {"title": hub_scenario.load(name).title, "words": words}
