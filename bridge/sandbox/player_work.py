"""What an agent does by itself: texts, tools, sub-agents, to-do lists, background tasks, pictures, limits."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable

from bridge.sandbox import hub_steps as script
from bridge.sandbox.actor import Actor
from bridge.sandbox.hub_families import Json, Wire
from bridge.sandbox.picture import bar_chart


async def text(actor: Actor, step: script.Think | script.Say) -> None:
    """A text or a thought; in growing snapshots where the step and the family want that."""
    wire: Callable[[str, str], Wire] = actor.family.reasoning if step.do == "think" else actor.family.text
    words, stream = actor.filled(step.text), f"item_{uuid.uuid4().hex[:12]}"
    if step.stream and actor.family.snapshots:
        parts = words.split(" ")
        for end in range(4, len(parts), 6):
            actor.say(wire(" ".join(parts[:end]), stream))
            await actor.pause(0.35)
    actor.say(wire(words, stream))


async def tool(actor: Actor, step: script.Tool) -> None:
    """A tool that nobody has to allow."""
    call = actor.call(step.tool, step.input)
    await actor.pause(step.takes)
    actor.say(actor.family.tool_result(call, step.output, failed=step.failed))


async def agents(actor: Actor, step: script.Agents) -> None:
    """Sub-agents at the same time; the agent has all reports when this returns."""
    async with asyncio.TaskGroup() as group:
        for agent in step.agents:
            group.create_task(_agent(actor, agent))


async def _agent(actor: Actor, agent: script.Agent) -> None:
    family = actor.family
    run = f"call_{uuid.uuid4().hex[:16]}"
    for wire in family.agent_starts(run, agent):
        actor.say(wire)
    for step in agent.steps:
        await actor.pause(step.after)
        match step:
            case script.Think() | script.Say():
                actor.say(family.agent_text(run, step))
            case script.Tool():
                call = f"call_{uuid.uuid4().hex[:16]}"
                actor.say(family.agent_tool_call(run, call, step))
                await actor.pause(step.takes)
                for wire in family.agent_tool_result(run, call, step):
                    actor.say(wire)
            case script.Wait():
                pass
    actor.say(family.agent_ends(run, agent))


def todos(actor: Actor, step: script.Todos) -> None:
    """The to-do list, as the agent tells it and as the hub keeps it."""
    items = [(words, "completed") for words in step.done]
    items += [(step.now, "in_progress")] if step.now else []
    items += [(words, "pending") for words in step.open]
    for wire in actor.family.todos(f"call_{uuid.uuid4().hex[:16]}", items):
        actor.say(wire)
    kept = {"priority": "medium", "id": ""}
    listed: list[Json] = [{"content": words, "status": status, "activeForm": words, **kept} for words, status in items]
    actor.state.todos(actor.session, listed)


def background(actor: Actor, step: script.Background) -> None:
    """A command that goes on by itself."""
    given: Json = {"command": step.command, "run_in_background": True}
    call = actor.call("Bash", given | ({"description": step.description} if step.description else {}))
    actor.say(actor.family.tool_result(call, f"Command running in background with ID: {step.name}", failed=False))
    actor.state.count_background(actor.session, 1)


def background_over(actor: Actor, step: script.BackgroundOver, command: str) -> None:
    """A command in the background has ended; ``command``: what it was."""
    actor.state.count_background(actor.session, -1)
    actor.say(actor.family.background_over(step.name, command, failed=step.failed))


def picture(actor: Actor, step: script.Picture) -> None:
    """A picture, which the hub then hands out."""
    image = f"img-{uuid.uuid4().hex[:12]}"
    actor.state.images[image] = (bar_chart(step.bars), "image/png", step.name)
    actor.say(("codex", {"type": "generated-image", "imageId": image, "fileName": step.name, "mimeType": "image/png"}))


def limit(actor: Actor, step: script.Limit) -> None:
    """A usage limit is reached, or near."""
    ends = int(actor.state.clock() + step.minutes * 60)
    data: Json = {"type": "limit-reached", "endsAt": ends, "limitType": step.limit}
    if step.used < 1:
        data = {**data, "type": "limit-warning", "utilization": step.used}
    actor.say(("event", data))
