"""The settings of a session: what there is and how it stands, and the values of one to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bridge.cards.model import Act, Button, Card, Line, Span, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.words import brief
from bridge.language import tr

MOST: Final = 16
"""Values on a card; any other is typed, where that is possible."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a setting: as the hub takes it, how it reads, whether it is the present one, and whether the agent
    asks for nothing in it."""

    value: Any
    label: str
    current: bool = False
    risky: bool = False


@dataclass(frozen=True, slots=True)
class About:
    """The session whose settings these are."""

    session: str
    title: str
    page: int = 0


def setting_words(name: str) -> str:
    """What a setting is called."""
    return {
        "permission-mode": tr("Permission mode"),
        "model": tr("Model"),
        "effort": tr("Effort"),
        "model-reasoning-effort": tr("Reasoning effort"),
        "service-tier": tr("Service tier"),
        "collaboration-mode": tr("Collaboration mode"),
        "copilot-agent-mode": tr("Agent mode"),
    }.get(name, name)


def present_settings(about: About, rows: Sequence[tuple[str, str]], said: str = "") -> Card:
    """All settings: name and present value of each, with a button that opens its values (act ``set``)."""
    lines: list[Line] = [plain(said)] if said else []
    lines.append((Span(text=tr("Settings of “{title}”", title=brief(about.title, 60)), bold=True),))
    if not rows:
        lines.append(plain(tr("This kind of agent has none.")))
    lines += [plain(tr("{name}: {words}", name=setting_words(name), words=brief(value, 80))) for name, value in rows]
    buttons = [(Button(label=f"{setting_words(name)}…", act=_act(about, "values", name)),) for name, _ in rows]
    return note_card(*lines, buttons=(*buttons, (_back(about),)))


def present_values(about: About, name: str, values: Sequence[Value], *, free: bool) -> Card:
    """The values of one setting, the present one marked. ``free``: others may be typed (act ``set_words``)."""
    rows = [
        (
            Button(
                label=f"✓ {brief(each.label, 50)}" if each.current else brief(each.label, 50),
                style="danger" if each.risky else "plain",
                act=_act(about, "ask" if each.risky else "value", name, value=each.value, label=each.label),
            ),
        )
        for each in values[:MOST]
    ]
    other = Button(label=tr("Another one…"), act=_act(about, "words", name, do="set_words"), asks=True)
    back = Button(label=tr("‹ Settings"), act=Act(do="settings", session=about.session, data={"page": about.page}))
    head = tr("{setting} of “{title}”", setting=setting_words(name), title=brief(about.title, 60))
    return note_card((Span(text=head, bold=True),), buttons=(*rows, (other, back) if free else (back,)))


def present_risky(about: About, name: str, each: Value, rows: int) -> Card:
    """The question before a mode in which nothing is asked any more. The second tap is elsewhere than the first."""
    sure = Button(
        label=tr("Yes, switch to {mode}", mode=brief(each.label, 40)),
        style="danger",
        act=_act(about, "sure", name, value=each.value, label=each.label),
    )
    back = Button(label=tr("Leave it as it is"), act=_act(about, "values", name))
    return note_card(
        (Span(text=tr("Switch “{title}” to {mode}?", title=brief(about.title, 60), mode=each.label), bold=True),),
        plain(tr("In this mode the agent asks for nothing: it does what it wants on that computer.")),
        buttons=(*((back,),) * max(rows, 1), (sure,)),
    )


def _act(about: About, step: str, name: str, *, do: str = "set", **data: Any) -> Act:
    return Act(do=do, session=about.session, choice=step, data={"setting": name, "page": about.page, **data})


def _back(about: About) -> Button:
    return Button(label=tr("‹ Session"), act=Act(do="open", session=about.session, data={"page": about.page}))
