"""What happens around a session: it ends, its computer goes, the hub can't be reached."""

from __future__ import annotations

from typing import Final

from bridge.cards.events import Notice, notice
from bridge.cards.model import Span, plain
from bridge.cards.words import brief
from bridge.language import tr

_ENDS: Final = {
    "completed": "🟢 Session ended",
    "terminated": "🟡 Session ended: it was stopped",
    "error": "🔴 Session ended with an error",
    "handoff": "Session ended: it goes on elsewhere",
    "cleared": "Session ended: its history was cleared",
}


def present_limit_over() -> Notice:
    """The time has come for which a usage limit was said to hold."""
    return notice(plain(tr("🟢 The usage limit is over: the agent can go on.")), min_level="quiet")


def present_session_end(reason: str | None) -> Notice:
    """A session ended, for one of the hub's reasons or none."""
    known = _ENDS.get(reason or "")
    return notice(plain(known or "Session ended" + (f": {brief(reason, 80)}" if reason else "")), min_level="quiet")


def present_session_gone() -> Notice:
    """A session was deleted on the hub."""
    return notice(plain("This session was removed from HAPI. What is written here stays."), min_level="quiet")


def present_session_moved(title: str) -> Notice:
    """A session goes on under another id (resume, reopen)."""
    name = brief(title, 80)
    return notice(plain("The session goes on" + (f" as: {name}" if name else "") + "."))


def present_hub_trouble(words: str) -> Notice:
    """The hub can't be reached; ``words`` say why, without secrets."""
    why = brief(words, 200)
    return notice(
        (Span(text="🔴 HAPI can't be reached", bold=True), Span(text=f": {why}" if why else "")),
        plain("Trying on. What you write is kept and sent when it is back."),
        min_level="quiet",
    )


def present_hub_back() -> Notice:
    """The hub can be reached again."""
    return notice(plain("🟢 HAPI is back."), min_level="quiet")


def present_machine_off(machine: str) -> Notice:
    """The computer that runs a session went off line."""
    return notice(plain(f"🔴 {brief(machine, 80) or 'The computer of this session'} is off line."))


def present_machine_on(machine: str) -> Notice:
    """The computer that runs a session is on line again."""
    return notice(plain(f"🟢 {brief(machine, 80) or 'The computer of this session'} is on line again."))


def present_history_changed() -> Notice:
    """Messages were changed or rewound on the hub; what was posted stays."""
    return notice(plain("The session's history was changed in HAPI. What is written above stays as it was."))
