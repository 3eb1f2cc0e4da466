"""Starting a session, on one card: which computer, which directory, which agent, and the plan with its Start button.

All of a plan is in the buttons' acts (act ``new``; ``new_words`` where something is typed), so a card that has stood
for days still starts what it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from bridge.cards.model import Act, Button, Card, Line, Span, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.words import brief
from bridge.language import tr

MOST: Final = 8
"""Choices on a card."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be started."""

    machine: str = ""
    machine_name: str = ""
    directory: str = ""
    agent: str = ""
    model: Any = None
    model_name: str = ""
    mode: str = ""
    mode_name: str = ""
    mode_risky: bool = False
    tree: str | None = None
    """The name of a new worktree; empty: HAPI finds one; ``None``: none is made."""

    def data(self, **changes: Any) -> dict[str, Any]:
        """As it is kept in an act."""
        values = {each.name: getattr(self, each.name) for each in fields(self)} | changes
        return {each.name: values[each.name] for each in fields(self) if values[each.name] != each.default}


def read_plan(data: Mapping[str, Any]) -> Plan:
    """A plan from an act's data."""
    return Plan(**{each.name: data[each.name] for each in fields(Plan) if each.name in data})


def present_no_machine() -> Card:
    """No computer is on."""
    return note_card(
        plain(tr("No computer is on line. `hapi runner start` on yours lets sessions be started from here.")),
        buttons=((Button(label=tr("Look again"), act=Act(do="new", choice="machine")),),),
    )


def present_machines(machines: Sequence[tuple[str, str]]) -> Card:
    """On which computer? ``machines``: id and name of each."""
    rows = [
        (Button(label=brief(name, 50), act=_act("directory", {"machine": id_, "machine_name": name})),)
        for id_, name in machines[:MOST]
    ]
    return note_card((Span(text=tr("New session: on which computer?"), bold=True),), buttons=(*rows, (_cancel(),)))


def present_directories(plan: Plan, recent: Sequence[str]) -> Card:
    """In which directory? Those used before, or any other by its path."""
    rows = [(Button(label=_tail(each), act=_act("agent", plan.data(directory=each))),) for each in recent[:MOST]]
    other = Button(label=tr("Another one…"), act=_act("directory", plan.data(), do="new_words"), asks=True)
    asked = tr("New session on {machine}: in which directory?", machine=plan.machine_name)
    paths = [plain(brief(each, 100)) for each in recent[:MOST]]
    return note_card((Span(text=asked, bold=True),), *paths, buttons=(*rows, (other,), (_cancel(),)))


def present_missing(plan: Plan) -> Card:
    """The directory that was typed is not there: make it, or another one?"""
    make = Button(label=tr("Make it, and go on"), style="primary", act=_act("agent", plan.data()))
    other = Button(label=tr("Another one…"), act=_act("directory", plan.data(directory=""), do="new_words"), asks=True)
    return note_card(
        (
            Span(text=brief(plan.directory, 200), code=True),
            Span(text=" · " + tr("is not there on {machine}.", machine=plan.machine_name)),
        ),
        plain(tr("HAPI makes it when the session starts.")),
        buttons=((make,), (other,), (_cancel(),)),
    )


def present_agents(plan: Plan, agents: Sequence[str]) -> Card:
    """Which agent?"""
    if not agents:
        return note_card(
            plain(tr("No agent is installed on {machine}.", machine=plan.machine_name)),
            buttons=((Button(label=tr("Look again"), act=_act("agent", plan.data())), _cancel()),),
        )
    buttons = [Button(label=each, act=_act("plan", plan.data(agent=each))) for each in agents]
    rows = [tuple(buttons[at : at + 2]) for at in range(0, len(buttons), 2)]
    return note_card(
        (Span(text=tr("New session: which agent?"), bold=True),),
        (Span(text=brief(plan.directory, 200), code=True),),
        buttons=(*rows, (_cancel(),)),
    )


def present_plan(plan: Plan, *, models: bool, modes: bool, said: str = "") -> Card:
    """The plan, with a button for each part that may be different, and Start. ``said``: why the last try failed."""
    lines: list[Line] = [(Span(text=f"🔴 {said}"),)] if said else []
    lines.append((Span(text=tr("New session"), bold=True),))
    lines += _lines(plan)
    if plan.mode_risky:
        lines.append(plain(tr("In this mode the agent asks for nothing: it does what it wants on that computer.")))
    row = []
    if models:
        row.append(Button(label=tr("Model…"), act=_act("model", plan.data())))
    if modes:
        row.append(Button(label=tr("Mode…"), act=_act("mode", plan.data())))
    row.append(Button(label=tr("Worktree…"), act=_act("tree", plan.data())))
    start = Button(label=tr("Start"), style="primary", act=_act("start", plan.data()))
    return note_card(*lines, buttons=((start,), tuple(row), (_cancel(),)))


def present_plan_models(plan: Plan, models: Sequence[tuple[Any, str]]) -> Card:
    """Which model? ``models``: value and label of each; the first is the agent's own choice."""
    rows = [
        (Button(label=_marked(label, plan.model == value), act=_act("plan", plan.data(model=value, model_name=label))),)
        for value, label in models[: 2 * MOST]
    ]
    other = Button(label=tr("Another one…"), act=_act("model", plan.data(), do="new_words"), asks=True)
    return note_card((Span(text=tr("Which model?"), bold=True),), buttons=(*rows, (other, _back(plan))))


def present_plan_modes(plan: Plan, modes: Sequence[tuple[str, str, bool]]) -> Card:
    """Which permission mode? ``modes``: value, label, and whether the agent asks for nothing in it."""
    rows = [
        (
            Button(
                label=_marked(label, plan.mode == value),
                style="danger" if risky else "plain",
                act=_act("plan", plan.data(mode=value, mode_name=label, mode_risky=risky)),
            ),
        )
        for value, label, risky in modes
    ]
    return note_card((Span(text=tr("Which permission mode?"), bold=True),), buttons=(*rows, (_back(plan),)))


def present_plan_tree(plan: Plan) -> Card:
    """In a Git worktree of its own?"""
    named = Button(label=tr("Yes, called…"), act=_act("tree", plan.data(), do="new_words"), asks=True)
    yes = Button(label=_marked(tr("Yes"), plan.tree == ""), act=_act("plan", plan.data(tree="")))
    no = Button(label=_marked(tr("No"), plan.tree is None), act=_act("plan", plan.data(tree=None)))
    return note_card(
        (Span(text=tr("In a Git worktree of its own?"), bold=True),),
        plain(tr("The agent then works on a new branch beside the directory, and leaves it alone.")),
        buttons=((no, yes), (named,), (_back(plan),)),
    )


def present_starting(plan: Plan) -> Card:
    """It is being started."""
    return note_card(
        (Span(text=tr("Starting…"), bold=True),), *_lines(plan), buttons=((Button(label=tr("Starting…")),),)
    )


def present_started(plan: Plan, session_id: str, title: str) -> Card:
    """It runs."""
    opens = Button(label=tr("Open"), act=Act(do="open", session=session_id, data={"page": 0}))
    return note_card(
        (Span(text=tr("🟢 “{title}” runs. Write to it where it is shown.", title=brief(title, 60)), bold=True),),
        *_lines(plan),
        buttons=((opens,),),
    )


def present_cancelled() -> Card:
    """Nothing was started."""
    return note_card(plain(tr("Nothing was started.")))


def _lines(plan: Plan) -> list[Line]:
    place: Line = (Span(text=brief(plan.directory, 200), code=True), Span(text=f" · {brief(plan.machine_name, 60)}"))
    chosen = [plan.agent, plan.model_name, plan.mode_name]
    lines = [place, plain(" · ".join(brief(each, 60) for each in chosen if each))]
    if plan.tree is not None:
        name = brief(plan.tree, 60)
        lines.append(plain(tr("Worktree: {name}", name=name) if name else tr("In a new worktree")))
    return lines


def _act(step: str, data: dict[str, Any], *, do: str = "new") -> Act:
    return Act(do=do, choice=step, data=data)


def _back(plan: Plan) -> Button:
    return Button(label=tr("‹ Back"), act=_act("plan", plan.data()))


def _cancel() -> Button:
    return Button(label=tr("Cancel"), act=Act(do="new", choice="cancel"))


def _marked(label: str, current: bool) -> str:
    return f"✓ {brief(label, 50)}" if current else brief(label, 50)


def _tail(path: str) -> str:
    """A path for a button: its end, where it is long."""
    return path if len(path) <= 40 else "…" + path[-39:]
