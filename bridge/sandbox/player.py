"""The player: an agent that follows a scenario on the sandbox hub, and reacts to people as an agent would.

It waits for decisions and answers, stops when it is told to, takes queued messages at the end of a turn, and after its
script answers whatever is written to it, until it is cancelled or the session ends.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bridge.sandbox import hub_scenario as script
from bridge.sandbox.hub_families import Json, Wire, family_of
from bridge.sandbox.hub_state import HubState, Session, Signal

_EDITS = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
_DECISION_S = 3600.0
"""How long an agent waits for a decision before it gives the request up without an outcome."""
_DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


@dataclass(slots=True, frozen=True)
class Waiting:
    """The agent waits for a person: ``what`` is ask, question, plan or reply; ``visitor`` what the visitor does."""

    what: str
    visitor: str
    session: str
    request: str = ""


class _TurnOver(Exception):
    """The rest of the turn does not happen."""


class Player:
    """Plays one scenario. ``speed`` 10 means ten times as fast; ``on_wait`` is called when a person's turn has come."""

    def __init__(
        self,
        state: HubState,
        scenario: script.Scenario,
        *,
        speed: float = 1.0,
        on_wait: Callable[[Waiting], None] = lambda _: None,
        stay: bool = False,
    ) -> None:
        self.state = state
        self.scenario = scenario
        self.finished = asyncio.Event()
        """Set when the script is through, or the session ended before."""
        self.session: Session = state.add_session(
            flavor=scenario.flavor, directory=scenario.directory, machine=scenario.machine, name=scenario.title
        )
        self._family = family_of(scenario.flavor)
        self._speed = speed
        self._on_wait = on_wait
        self._stay = stay
        self._mail = asyncio.Event()
        self._abort = asyncio.Event()
        self._ended = asyncio.Event()
        self._decisions: dict[str, asyncio.Future[Signal]] = {}
        self._granted: set[str] = set()
        self._said = {"reply": "", "answer": ""}

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

    # Turns

    async def _turn(self, steps: list[script.AnyStep]) -> None:
        """Play a turn until it is over, aborted, or the session ends."""
        if self._ended.is_set():
            return
        self._abort.clear()
        await _first(self._steps(steps), self._abort.wait(), self._ended.wait())
        if self._ended.is_set() or not self._abort.is_set():
            return
        for request in self.session.requests:
            self.state.settle(self.session, request, "canceled")
        self._say(("event", {"type": "message", "message": "Aborted by user"}))
        self._ready()

    async def _steps(self, steps: list[script.AnyStep]) -> None:
        try:
            for step in steps:
                await self._pause(step.after)
                await self._step(step)
        except _TurnOver:
            return

    async def _small_talk(self) -> None:
        """Answer messages that no step waited for."""
        self._mail.clear()
        if self.session.queued:
            text = "You wrote: {reply}\n\nI only know my script, so this is all I can say to it."
            say = script.Say(do="say", text=text)
            await self._turn([script.Reply(do="reply", after=0, patience=1), say, script.Ready(do="ready", after=0.2)])

    async def _step(self, step: script.AnyStep) -> None:
        match step:
            case script.User():
                self.state.user_typed(self.session, step.text, sent_from=step.at)
                self.state.think(self.session, True)
            case script.Reply():
                await self._reply(step)
            case script.Think():
                await self._stream(step, self._family.reasoning)
            case script.Say():
                await self._stream(step, self._family.text)
            case script.Tool():
                call = self._call(step.tool, step.input)
                await self._pause(step.takes)
                self._say(self._family.tool_result(call, step.output, failed=step.failed))
            case script.Ask():
                await self._ask(step)
            case script.Question():
                await self._question(step)
            case script.Plan():
                await self._plan(step)
            case script.Limit():
                self._limit(step)
            case script.Recap():
                self._say(self._family.recap(step.text))
            case script.Title():
                self.state.rename(self.session, step.text)
                self._say(("event", {"type": "title-changed", "title": step.text}))
            case script.Error():
                self._say(("event", {"type": "error", "message": step.text}))
            case script.Ready():
                self._ready()
            case script.End():
                self.state.end(self.session, step.reason)
            case script.Wait():
                pass

    # Steps

    async def _reply(self, step: script.Reply) -> None:
        if not self.session.queued:
            self._mail.clear()
            self._wait_for("reply", step.visitor)
            try:
                async with asyncio.timeout(step.patience):
                    await self._mail.wait()
            except TimeoutError:
                raise _TurnOver from None
        await self._pause(0.4)
        taken = self.state.take(self.session)
        self._said["reply"] = "\n".join(row["content"]["content"]["text"] for row in taken)
        self.state.think(self.session, True)

    async def _stream(self, step: script.Think | script.Say, wire: Callable[[str, str], Wire]) -> None:
        text, stream = self._filled(step.text), f"item_{uuid.uuid4().hex[:12]}"
        if step.stream and self._family.snapshots:
            words = text.split(" ")
            for end in range(4, len(words), 6):
                self._say(wire(" ".join(words[:end]), stream))
                await self._pause(0.35)
        self._say(wire(text, stream))

    async def _ask(self, step: script.Ask) -> None:
        call = self._call(step.tool, step.input)
        if not self._grants(step) & self._granted:
            decision = await self._decided(call, step.tool, step.input, "ask", step.visitor)
            if not self._settle(call, decision):
                self._say(self._family.tool_result(call, _DENIED, failed=True))
                await self._after_denial(list(step.denied), stop=decision.body.get("decision") == "abort")
                return
            self._remember(step, decision.body)
        await self._pause(step.takes)
        self._say(self._family.tool_result(call, step.output, failed=False))

    async def _question(self, step: script.Question) -> None:
        arguments = self._family.questions(step.questions)
        call = self._call(self._family.question_tool, arguments)
        decision = await self._decided(call, self._family.question_tool, arguments, "question", step.visitor)
        answers = decision.body.get("answers")
        given = self._family.answered(step.questions, answers) if isinstance(answers, dict) else []
        if not self._settle(call, decision, refused=not any(given)):
            self._say(self._family.tool_result(call, _DENIED, failed=True))
            await self._after_denial([], stop=False)
            return
        self._said["answer"] = "; ".join(", ".join(labels) for labels in given)
        told = [f"{each.question} = {', '.join(labels)}" for each, labels in zip(step.questions, given, strict=True)]
        self._say(self._family.tool_result(call, "User has answered: " + "; ".join(told), failed=False))

    async def _plan(self, step: script.Plan) -> None:
        arguments = {"plan": step.text}
        call = self._call(self._family.plan_tool, arguments)
        decision = await self._decided(call, self._family.plan_tool, arguments, "plan", step.visitor)
        if not self._settle(call, decision):
            self._say(self._family.tool_result(call, _DENIED, failed=True))
            await self._after_denial(list(step.rejected), stop=False)
            return
        self._say(self._family.tool_result(call, "User has approved the plan.", failed=False))

    def _limit(self, step: script.Limit) -> None:
        ends = int(self.state.clock() + step.minutes * 60)
        data: Json = {"type": "limit-reached", "endsAt": ends, "limitType": step.limit}
        if step.used < 1:
            data = {**data, "type": "limit-warning", "utilization": step.used}
        self._say(("event", data))

    # Decisions

    async def _decided(self, call: str, tool: str, arguments: Any, what: str, visitor: str) -> Signal:
        """Ask, and wait for what a client says. After an hour the request vanishes and the turn is over."""
        decision: asyncio.Future[Signal] = asyncio.get_running_loop().create_future()
        self._decisions[call] = decision
        self.state.ask(self.session, call, tool, arguments)
        self._wait_for(what, visitor, call)
        try:
            async with asyncio.timeout(_DECISION_S):
                return await decision
        except TimeoutError:
            self.state.vanish(self.session, call)
            raise _TurnOver from None
        finally:
            del self._decisions[call]

    def _settle(self, call: str, decision: Signal, *, refused: bool = False) -> bool:
        """Tell the hub what became of a request; whether it was allowed."""
        body = decision.body
        allowed = decision.approved and not refused and body.get("decision") not in ("denied", "abort")
        kept = {key: body[key] for key in ("mode", "allowTools", "answers") if allowed and body.get(key) is not None}
        word = body.get("decision") or ("approved" if allowed else "denied")
        status = "approved" if allowed else "denied"
        self.state.settle(
            self.session, call, status, decision=word if decision.approved == allowed else "denied", **kept
        )
        if "mode" in kept:
            self.state.patch(self.session, permissionMode=kept["mode"])
        return allowed

    async def _after_denial(self, instead: list[script.AnyStep], *, stop: bool) -> None:
        """What an agent does when it may not: Claude's turn ends without a word, others go on or are done."""
        if self._family.denial_ends_turn:
            self.state.think(self.session, False)
            raise _TurnOver
        if not stop:
            await self._steps(instead)
        self._ready()
        raise _TurnOver

    def _grants(self, step: script.Ask) -> set[str]:
        """The grants any of which covers this call."""
        exact = f"{step.tool}({step.input['command']})" if "command" in step.input else step.tool
        return {step.tool, exact} | ({"acceptEdits"} if step.tool in _EDITS else set())

    def _remember(self, step: script.Ask, body: Json) -> None:
        if body.get("decision") == "approved_for_session":
            self._granted.add(step.tool)
        if body.get("mode") == "acceptEdits":
            self._granted.add("acceptEdits")
        self._granted |= {grant for grant in body.get("allowTools") or () if grant != "Bash"}

    # Within

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
                    waiting = self._decisions.get(signal.request)
                    if waiting and not waiting.done():
                        waiting.set_result(signal)

    def _call(self, tool: str, arguments: Json) -> str:
        call = f"call_{uuid.uuid4().hex[:16]}"
        self._say(self._family.tool_call(call, tool, arguments))
        return call

    def _say(self, wire: Wire) -> None:
        self.state.say(self.session, *wire)

    def _ready(self) -> None:
        self.state.think(self.session, False)
        self._say(("event", {"type": "ready"}))

    def _wait_for(self, what: str, visitor: str, request: str = "") -> None:
        self._on_wait(Waiting(what, self._filled(visitor), self.session.id, request))

    def _filled(self, text: str) -> str:
        for name, value in self._said.items():
            text = text.replace("{" + name + "}", value)
        return text

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self._speed)


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
