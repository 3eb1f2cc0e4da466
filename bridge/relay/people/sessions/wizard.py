"""``/new``: a session is put together on one card, step by step, and started once.

``/new`` with a path goes straight to the agent. Whatever is offered is what the computer says it has.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_command_error
from bridge.cards.session.starting import (
    Plan,
    present_agents,
    present_cancelled,
    present_directories,
    present_machines,
    present_missing,
    present_no_machine,
    present_plan_models,
    present_plan_modes,
    present_plan_tree,
    present_starting,
    read_plan,
)
from bridge.hub.errors import HubError, HubUnreachable
from bridge.hub.machines import Machine, read_agents, read_machine
from bridge.hub.rest import HubApi
from bridge.hub.session_settings import MODE, MODEL, Choice, fixed_choices, machine_catalogue_of, read_choices
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.company.audit import TRIED, entry
from bridge.relay.people.hub_words import hub_words
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.presses.in_place import beside, change, place_of_press, redraw
from bridge.relay.people.presses.pressed import Pressed, Refused, Words, unknown
from bridge.relay.people.sessions.starter import ASKED_BY, Starter, plan_card
from bridge.store import audit, starts

Step = Callable[[Plan], Awaitable[Card]]


@dataclass(frozen=True, slots=True)
class Wizard:
    """Puts plans together."""

    desk: Desk
    api: HubApi
    askings: Askings
    starter: Starter

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {"new": Known(self._new, waits=True, right="own")}

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {
            "new": presses.Known(self._step, waits=True, logs=True),
            "new_words": presses.Known(self._words, waits=True, asks=True),
        }

    async def _new(self, asked: Asked) -> Card:
        try:
            return await self._machines(Plan(directory=asked.command.arguments.strip()))
        except HubError as error:
            return present_command_error(hub_words(error))

    async def _step(self, pressed: Pressed) -> Words:
        steps: dict[str, Step] = {
            "machine": self._machines,
            "directory": self._directories,
            "agent": self._agents,
            "plan": self._plan,
            "model": self._models,
            "mode": self._modes,
            "tree": self._tree,
            "cancel": self._cancel,
        }
        choice, plan = pressed.act.choice or "machine", read_plan(pressed.act.data)
        if choice == "start":
            return await self._start(pressed, plan)
        if choice not in steps:
            raise Refused(unknown())
        try:
            card = await steps[choice](plan)
        except HubError as error:
            raise Refused(hub_words(error)) from error
        if pressed.act.choice is None:
            # Asked for on another card, such as the list, which stays.
            await beside(self.desk, pressed, card)
            return ""
        await redraw(self.desk, pressed, card)
        return ""

    async def _start(self, pressed: Pressed, plan: Plan) -> Words:
        """Stored with the card's new look, in one transaction: pressed again, it is the same start."""
        async with self.desk.store.begin() as tx:
            place = await place_of_press(tx, self.desk, pressed)
            detail, now = f"{plan.agent} · {plan.machine_name} · {plan.directory}", self.desk.clock()
            line = entry(pressed.received, now, "spawn", TRIED, choice=plan.mode or None, detail=detail)
            kept = {**plan.data(), ASKED_BY: asdict(line)}  # whoever starts it tells the log what came of it
            if not await starts.want(tx, pressed.key, place.id, kept, now):
                raise Refused(tr("It is being started already."))
            await change(tx, self.desk, pressed, present_starting(plan))
            await audit.add(tx, line)
        self.desk.nudge()
        self.starter.nudge()
        return tr("Starting…")

    async def _words(self, pressed: Pressed) -> Words:
        """What can't be pressed is typed: a path, a model, a worktree's name."""
        step, plan, text = pressed.act.choice, read_plan(pressed.act.data), pressed.press.text
        if text is None:
            labels = {
                "directory": (tr("Directory"), tr("Its path on {machine}", machine=plan.machine_name)),
                "model": (tr("Model"), tr("The model's name, as the agent knows it")),
                "tree": (tr("Worktree"), tr("A name for it, such as fix-login")),
            }
            if step not in labels:
                raise Refused(unknown())
            title, label = labels[step]
            return await self.askings.ask(pressed, title=title, label=label, submit=tr("Go on"))
        words = " ".join(text.split()) if step == "tree" else text.strip()
        if not words or "\n" in words:
            raise Refused(tr("One line of words is needed."))
        try:
            match step:
                case "directory":
                    card = await self._typed(plan, words)
                case "model":
                    card = await self._plan(replace(plan, model=words, model_name=words))
                case _:
                    card = await self._plan(replace(plan, tree=words.replace(" ", "-")))
        except HubError as error:
            raise Refused(hub_words(error)) from error
        await redraw(self.desk, pressed, card)
        return ""

    # Steps

    async def _machines(self, plan: Plan) -> Card:
        machines = [read_machine(each) for each in await self.api.machines()]
        if not machines:
            return present_no_machine()
        if len(machines) > 1:
            return present_machines([(each.id, each.name) for each in machines])
        plan = replace(plan, machine=machines[0].id, machine_name=machines[0].name)
        return await (self._typed(plan, plan.directory) if plan.directory else self._directories(plan))

    async def _directories(self, plan: Plan) -> Card:
        machine = await self._machine(plan)
        recent: dict[str, None] = {}
        for session in await self.api.sessions(limit=200):
            metadata = session.get("metadata")
            if isinstance(metadata, Mapping) and metadata.get("machineId") in (None, plan.machine):
                path = metadata.get("path")
                if isinstance(path, str) and path:
                    recent.setdefault(path)
        for path in (*machine.roots, *([] if machine.roots or not machine.home else [machine.home])):
            recent.setdefault(path)
        return present_directories(plan, await self._there(plan, list(recent)[:24]))

    async def _there(self, plan: Plan, paths: list[str]) -> list[str]:
        """Those of these directories that are there; all of them, if the computer does not say."""
        try:
            exists = (await self.api.paths_exist(plan.machine, paths)).get("exists")
        except HubUnreachable:
            raise
        except HubError:
            return paths
        return [path for path in paths if exists.get(path) is True] if isinstance(exists, Mapping) else paths

    async def _typed(self, plan: Plan, path: str) -> Card:
        machine = await self._machine(plan)
        plan = replace(plan, directory=machine.absolute(path))
        exists = (await self.api.paths_exist(plan.machine, [plan.directory])).get("exists")
        if isinstance(exists, Mapping) and exists.get(plan.directory) is True:
            return await self._agents(plan)
        return present_missing(plan)

    async def _agents(self, plan: Plan) -> Card:
        agents = read_agents(await self.api.agents(plan.machine))
        if len(agents) == 1:
            return await self._plan(replace(plan, agent=agents[0]))
        return present_agents(plan, agents)

    async def _plan(self, plan: Plan) -> Card:
        return plan_card(plan)

    async def _models(self, plan: Plan) -> Card:
        choices = fixed_choices(plan.agent, MODEL)
        catalogue = machine_catalogue_of(plan.agent, plan.directory)
        if catalogue is not None:
            name, query = catalogue
            choices = read_choices(await self.api.machine_catalogue(plan.machine, name, **query))
        if not any(each.value is None for each in choices):
            choices = (Choice(None, tr("The agent's own choice")), *choices)
        return present_plan_models(plan, [(each.value, each.label) for each in choices])

    async def _modes(self, plan: Plan) -> Card:
        modes = fixed_choices(plan.agent, MODE)
        return present_plan_modes(plan, [(str(each.value), each.label, each.tone == "danger") for each in modes])

    async def _tree(self, plan: Plan) -> Card:
        return present_plan_tree(plan)

    async def _cancel(self, _: Plan) -> Card:
        return present_cancelled()

    async def _machine(self, plan: Plan) -> Machine:
        for record in await self.api.machines():
            if record.get("id") == plan.machine:
                return read_machine(record)
        return Machine(plan.machine, plan.machine_name)
