"""What an agent does that needs a person: permissions, questions, plans; and what it does when it may not."""

from __future__ import annotations

import asyncio
from typing import Any

from bridge.sandbox import hub_steps as script
from bridge.sandbox.actor import Actor, TurnOver
from bridge.sandbox.hub_families import Json
from bridge.sandbox.hub_session import Signal

_EDITS = {"Edit", "Write", "MultiEdit", "NotebookEdit"}
_DECISION_S = 3600.0
"""How long an agent waits for a decision before it gives the request up without an outcome."""
_DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected."

Steps = list[script.AnyStep]


class Decisions:
    """Asks, waits, settles. The methods give the steps that come instead of the turn's rest, None where it goes on."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._open: dict[str, asyncio.Future[Signal]] = {}
        self._granted: set[str] = set()

    def hear(self, signal: Signal) -> None:
        """A client decided something."""
        waiting = self._open.get(signal.request)
        if waiting and not waiting.done():
            waiting.set_result(signal)

    async def ask(self, step: script.Ask) -> Steps | None:
        """A tool that needs permission."""
        actor = self._actor
        call = actor.call(step.tool, step.input)
        if not _grants(step) & self._granted:
            decision = await self._decided(call, step.tool, step.input, "ask", step.visitor)
            if not self._settle(call, decision):
                actor.say(actor.family.tool_result(call, _DENIED, failed=True))
                return self._instead(step.denied, stop=decision.body.get("decision") == "abort")
            self._remember(step, decision.body)
        await actor.pause(step.takes)
        actor.say(actor.family.tool_result(call, step.output, failed=False))
        return None

    async def question(self, step: script.Question) -> Steps | None:
        """Questions with options."""
        actor, family = self._actor, self._actor.family
        arguments = family.questions(step.questions)
        call = actor.call(family.question_tool, arguments)
        decision = await self._decided(call, family.question_tool, arguments, "question", step.visitor)
        answers = decision.body.get("answers")
        given = family.answered(step.questions, answers) if isinstance(answers, dict) else []
        if not self._settle(call, decision, refused=not any(given)):
            actor.say(family.tool_result(call, _DENIED, failed=True))
            return self._instead((), stop=False)
        actor.said["answer"] = "; ".join(", ".join(labels) for labels in given)
        told = [f"{each.question} = {', '.join(labels)}" for each, labels in zip(step.questions, given, strict=True)]
        actor.say(family.tool_result(call, "User has answered: " + "; ".join(told), failed=False))
        return None

    async def plan(self, step: script.Plan) -> Steps | None:
        """A plan to approve."""
        actor, tool = self._actor, self._actor.family.plan_tool
        arguments = {"plan": step.text}
        call = actor.call(tool, arguments)
        decision = await self._decided(call, tool, arguments, "plan", step.visitor)
        if not self._settle(call, decision):
            actor.say(actor.family.tool_result(call, _DENIED, failed=True))
            return self._instead(step.rejected, stop=False)
        actor.say(actor.family.tool_result(call, "User has approved the plan.", failed=False))
        return None

    async def _decided(self, call: str, tool: str, arguments: Any, what: str, visitor: str | tuple[str, ...]) -> Signal:
        """Ask, and wait for what a client says. After an hour the request vanishes and the turn is over."""
        decision: asyncio.Future[Signal] = asyncio.get_running_loop().create_future()
        self._open[call] = decision
        actor = self._actor
        actor.state.ask(actor.session, call, tool, arguments)
        actor.wait_for(what, visitor, call)
        try:
            async with asyncio.timeout(_DECISION_S):
                return await decision
        except TimeoutError:
            actor.state.vanish(actor.session, call)
            raise TurnOver from None
        finally:
            del self._open[call]

    def _settle(self, call: str, decision: Signal, *, refused: bool = False) -> bool:
        """Tell the hub what became of a request; whether it was allowed."""
        state, session, body = self._actor.state, self._actor.session, decision.body
        allowed = decision.approved and not refused and body.get("decision") not in ("denied", "abort")
        kept = {key: body[key] for key in ("mode", "allowTools", "answers") if allowed and body.get(key) is not None}
        word = body.get("decision") or ("approved" if allowed else "denied")
        status = "approved" if allowed else "denied"
        state.settle(session, call, status, decision=word if decision.approved == allowed else "denied", **kept)
        if "mode" in kept:
            state.patch(session, permissionMode=kept["mode"])
        return allowed

    def _instead(self, steps: tuple[script.AnyStep, ...], *, stop: bool) -> Steps:
        """What an agent does when it may not: Claude's turn ends without a word, others go on or are done."""
        if self._actor.family.denial_ends_turn:
            self._actor.state.think(self._actor.session, False)
            raise TurnOver
        return [] if stop else list(steps)

    def _remember(self, step: script.Ask, body: Json) -> None:
        if body.get("decision") == "approved_for_session":
            self._granted.add(step.tool)
        if body.get("mode") == "acceptEdits":
            self._granted.add("acceptEdits")
        self._granted |= {grant for grant in body.get("allowTools") or () if grant != "Bash"}


def _grants(step: script.Ask) -> set[str]:
    """The grants any of which covers this call."""
    exact = f"{step.tool}({step.input['command']})" if "command" in step.input else step.tool
    return {step.tool, exact} | ({"acceptEdits"} if step.tool in _EDITS else set())
