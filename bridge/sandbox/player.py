"""The player: an agent that follows a scenario on the sandbox hub, and reacts to people as an agent would.

It waits for decisions and answers, stops when it is told to, takes queued messages at the end of a turn, and after its
script answers whatever is written to it, until it is cancelled or the session ends. What the steps do is in
`player_work` (by itself) and `player_decisions` (with a person).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from bridge.sandbox import hub_steps as script
from bridge.sandbox import player_work as work
from bridge.sandbox.actor import Actor, TurnOver, Waiting
from bridge.sandbox.hub_families import family_of
from bridge.sandbox.hub_scenario import Scenario
from bridge.sandbox.hub_session import Session
from bridge.sandbox.hub_state import HubState
from bridge.sandbox.player_decisions import Decisions

__all__ = ["Player", "Waiting"]


class Player:
    """Plays one scenario. ``speed`` 10 means ten times as fast; ``on_wait`` is called when a person's turn has come."""

    def __init__(
        self,
        state: HubState,
        scenario: Scenario,
        *,
        speed: float = 1.0,
        on_wait: Callable[[Waiting], None] = lambda _: None,
        stay: bool = False,
        session: Session | None = None,
    ) -> None:
        """``session``: one that is there already; without it the scenario's own is made."""
        self.state = state
        self.scenario = scenario
        self.finished = asyncio.Event()
        """Set when the script is through, or the session ended before."""
        self.session: Session = session or state.add_session(
            flavor=scenario.flavor, directory=scenario.directory, machine=scenario.machine, name=scenario.title
        )
        self._actor = Actor(state, self.session, family_of(scenario.flavor), speed=speed, on_wait=on_wait)
        self._decisions = Decisions(self._actor)
        self._stay = stay
        self._mail = asyncio.Event()
        self._abort = asyncio.Event()
        self._ended = asyncio.Event()
        self._background: dict[str, str] = {}
        """The commands that run in the background, by name."""

    async def play(self) -> None:
        """Play to the end; with ``stay``, then answer what is written until cancelled."""
        listener = asyncio.create_task(self._listen())
        try:
            for turn in self.scenario.turns():
                await self._turn(turn)
                if turn[0].do != "reply" and self.session.queued and not self._ended.is_set():
                    await self._small_talk()
            self.finished.set()
            while self._stay and not self._ended.is_set():
                await _first(self._mail.wait(), self._ended.wait())
                await self._small_talk()
        finally:
            self.finished.set()
            listener.cancel()

    async def _turn(self, steps: Sequence[script.AnyStep]) -> None:
        """Play a turn until it is over, aborted, or the session ends."""
        if self._ended.is_set():
            return
        self._abort.clear()
        await _first(self._steps(steps), self._abort.wait(), self._ended.wait())
        if self._ended.is_set() or not self._abort.is_set():
            return
        for request in self.session.requests:
            self.state.settle(self.session, request, "canceled")
        self._actor.say(("event", {"type": "message", "message": "Aborted by user"}))
        self._actor.ready()

    async def _steps(self, steps: Sequence[script.AnyStep]) -> None:
        try:
            for step in steps:
                await self._actor.pause(step.after)
                instead = await self._step(step)
                if instead is not None:
                    await self._steps(instead)
                    self._actor.ready()
                    return
        except TurnOver:
            return

    async def _small_talk(self) -> None:
        """Answer messages that no step waited for."""
        self._mail.clear()
        if self.session.queued:
            text = "You wrote: {reply}\n\nI only know my script, so this is all I can say to it."
            say = script.Say(do="say", text=text)
            await self._turn([script.Reply(do="reply", after=0, patience=1), say, script.Ready(do="ready", after=0.2)])

    async def _step(self, step: script.AnyStep) -> list[script.AnyStep] | None:
        """One step; the steps that come instead of the turn's rest, None where it goes on."""
        actor = self._actor
        match step:
            case script.Ask():
                return await self._decisions.ask(step)
            case script.Question():
                return await self._decisions.question(step)
            case script.Plan():
                return await self._decisions.plan(step)
            case script.User():
                attached = [each.model_dump() for each in step.files]
                self.state.user_typed(self.session, step.text, sent_from=step.at, files=attached)
                self.state.think(self.session, True)
            case script.Reply():
                await self._reply(step)
            case script.Think() | script.Say():
                await work.text(actor, step)
            case script.Tool():
                await work.tool(actor, step)
            case script.Agents():
                await work.agents(actor, step)
            case script.Todos():
                work.todos(actor, step)
            case script.Background():
                self._background[step.name] = step.command
                work.background(actor, step)
            case script.BackgroundOver():
                work.background_over(actor, step, self._background.pop(step.name, step.name))
            case script.Picture():
                work.picture(actor, step)
            case script.Limit():
                work.limit(actor, step)
            case script.Trouble():
                await self.state.trouble(step.what, step.path, step.times, step.seconds)
            case script.Recap():
                actor.say(actor.family.recap(step.text))
            case script.Title():
                self.state.rename(self.session, step.text)
                actor.say(("event", {"type": "title-changed", "title": step.text}))
            case script.Error():
                actor.say(("event", {"type": "error", "message": step.text}))
            case script.Ready():
                actor.ready()
            case script.End():
                self.state.end(self.session, step.reason)
            case script.Wait():
                pass
        return None

    async def _reply(self, step: script.Reply) -> None:
        if not self.session.queued:
            self._mail.clear()
            self._actor.wait_for("reply", step.visitor)
            try:
                async with asyncio.timeout(step.patience):
                    await self._mail.wait()
            except TimeoutError:
                raise TurnOver from None
        await self._actor.pause(0.4)
        taken = self.state.take(self.session)
        self._actor.said["reply"] = "\n".join(_said(row["content"]["content"]) for row in taken)
        self.state.think(self.session, True)

    async def _listen(self) -> None:
        """Hand what clients want to whoever waits for it."""
        while True:
            signal = await self.session.signals.get()
            match signal.kind:
                case "message":
                    self._mail.set()
                case "abort":
                    self._abort.set()
                case "end":
                    self._ended.set()
                case "decision":
                    self._decisions.hear(signal)


async def _first(*awaitables: Any) -> None:
    """Run several until one is done; cancel the others and raise what the done one raised."""
    tasks = [asyncio.ensure_future(each) for each in awaitables]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


def _said(content: dict[str, Any]) -> str:
    """What somebody wrote, and the names of the files with it."""
    names = [str(file["filename"]) for file in content.get("attachments", [])]
    return "\n".join(filter(None, [content["text"], ", ".join(names)]))
