"""A session's card: how it is, and a button for everything that can be done to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bridge.cards.model import Act, Button, Card, Line, Span, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.session.session_list import Listed, mark_of, state_words
from bridge.cards.words import brief
from bridge.language import tr


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the card of a session tells."""

    listed: Listed
    mode: str = ""
    model: str = ""
    efforts: tuple[str, ...] = ()
    """Effort and the like, in words."""
    controlled: bool = False
    """Whether the terminal has it, so that it must be taken over first."""
    shown_here: bool = False
    settings: bool = True
    """Whether this kind of agent has any."""
    page: int = 0
    """The page of the list to go back to."""


def present_session(facts: SessionFacts, said: str = "") -> Card:
    """The card. ``said``: what was just done to the session, in words."""
    each = facts.listed
    head: Line = (
        Span(text=f"{mark_of(each)} "),
        Span(text=brief(each.title, 80) or each.id[:8], bold=True),
        Span(text=f" · {state_words(each)}" + (" · 📌" if each.pinned else "")),
    )
    lines: list[Line] = [plain(said)] if said else []
    lines.append(head)
    if each.directory:
        lines.append((Span(text=brief(each.directory, 200), code=True),))
    lines += _line(each.machine, each.flavor)
    lines += _line(facts.model, facts.mode, *facts.efforts)
    if facts.controlled:
        lines.append(plain(tr("The terminal has it. Take over, or write a message, to steer it from here.")))
    return note_card(*lines, buttons=_buttons(facts))


def present_delete(facts: SessionFacts) -> Card:
    """The question before a session is deleted. *Keep it* stands where *Delete* stood; the second tap is elsewhere."""
    each = facts.listed
    title = brief(each.title, 60) or each.id[:8]
    rows = len(_buttons(facts))
    sure = Button(label=tr("Delete it for good"), style="danger", act=_act(facts, "delete", choice="sure"))
    keep = Button(label=tr("Keep it"), act=_act(facts, "open"))
    blank = Button(label="·")
    return note_card(
        (Span(text=tr("Delete “{title}” for good?", title=title), bold=True),),
        plain(tr("HAPI forgets the whole conversation; nothing brings it back.")),
        plain(tr("Files on the computer, and what is written in this chat, stay.")),
        buttons=((sure,), *((blank,),) * max(rows - 3, 0), (keep,), (blank,)),
    )


def present_deleted(title: str) -> Card:
    """The same card once it is gone."""
    return note_card(plain(tr("“{title}” was deleted.", title=brief(title, 60))))


def _buttons(facts: SessionFacts) -> tuple[tuple[Button, ...], ...]:
    each = facts.listed
    here = (
        Button(label=f"✓ {tr('Shown here')}")
        if facts.shown_here
        else _button(facts, tr("Show here"), "show", "primary")
    )
    first = (here, _button(facts, tr("History"), "history"))
    name = Button(label=tr("Rename"), act=_act(facts, "rename"), asks=True)
    second = (_button(facts, tr("Settings"), "settings"), name) if facts.settings and each.active else (name,)
    pin = _button(facts, tr("Unpin"), "pin", choice="none") if each.pinned else _button(facts, tr("Pin"), "pin")
    third = (pin, _button(facts, tr("Export"), "export"))
    fourth: list[Button] = []
    if each.active:
        if each.running or each.waiting:
            fourth.append(_button(facts, tr("Stop"), "halt", "danger"))
        if facts.controlled:
            fourth.append(_button(facts, tr("Take over"), "takeover"))
        fourth += [_button(facts, tr("Commands"), "agent_commands"), _button(facts, tr("Archive"), "archive")]
    else:
        fourth.append(_button(facts, tr("Resume"), "resume", "primary"))
        fourth.append(_button(facts, tr("Delete…"), "delete", "danger"))
    back = Button(label=tr("‹ All sessions"), act=Act(do="sessions", data={"page": facts.page}))
    return (first, second, third, tuple(fourth), (back,))


def _button(
    facts: SessionFacts,
    label: str,
    do: str,
    style: Literal["plain", "primary", "danger"] = "plain",
    *,
    choice: str | None = None,
) -> Button:
    return Button(label=label, style=style, act=_act(facts, do, choice=choice))


def _act(facts: SessionFacts, do: str, *, choice: str | None = None) -> Act:
    data: dict[str, Any] = {"page": facts.page}
    return Act(do=do, session=facts.listed.id, choice=choice, data=data)


def _line(*parts: str) -> list[Line]:
    words = " · ".join(brief(part, 80) for part in parts if part)
    return [plain(words)] if words else []
