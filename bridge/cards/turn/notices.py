"""What happens around a session: it ends, its computer goes, the hub can't be reached."""

from __future__ import annotations

from typing import Final

from bridge.cards.model import Span, bold, plain
from bridge.cards.turn.events import Notice, notice
from bridge.cards.words import brief
from bridge.language import N_, tr

_ENDS: Final = {
    "completed": N_("🟢 Session ended"),
    "terminated": N_("🟡 Session ended: it was stopped"),
    "error": N_("🔴 Session ended with an error"),
    "handoff": N_("Session ended: it goes on elsewhere"),
    "cleared": N_("Session ended: its history was cleared"),
}


def present_limit_over() -> Notice:
    """The time has come for which a usage limit was said to hold."""
    return notice(plain(tr("🟢 The usage limit is over: the agent can go on.")), min_level="quiet")


def present_session_end(reason: str | None) -> Notice:
    """A session ended, for one of the hub's reasons or none."""
    if reason in _ENDS:
        words = tr(_ENDS[reason])
    else:
        words = tr("Session ended: {reason}", reason=brief(reason, 80)) if reason else tr("Session ended")
    return notice(plain(words), min_level="quiet")


def present_session_gone() -> Notice:
    """A session was deleted on the hub."""
    return notice(plain(tr("This session was removed from HAPI. What is written here stays.")), min_level="quiet")


def present_session_moved(title: str) -> Notice:
    """A session goes on under another id (resume, reopen)."""
    name = brief(title, 80)
    return notice(plain(tr("The session goes on as: {name}.", name=name) if name else tr("The session goes on.")))


def present_hub_trouble(words: str) -> Notice:
    """The hub can't be reached; ``words`` say why, without secrets."""
    why = brief(words, 200)
    return notice(
        (bold(tr("🔴 HAPI can't be reached")), Span(text=tr(": {words}", words=why) if why else "")),
        plain(tr("Trying on. What you write is kept and sent when it is back.")),
        min_level="quiet",
    )


def present_hub_back() -> Notice:
    """The hub can be reached again."""
    return notice(plain(tr("🟢 HAPI is back.")), min_level="quiet")


def present_machine_off(machine: str) -> Notice:
    """The computer that runs a session went off line."""
    name = brief(machine, 80)
    words = (
        tr("🔴 {machine} is off line.", machine=name) if name else tr("🔴 The computer of this session is off line.")
    )
    return notice(plain(words))


def present_machine_on(machine: str) -> Notice:
    """The computer that runs a session is on line again."""
    if name := brief(machine, 80):
        return notice(plain(tr("🟢 {machine} is on line again.", machine=name)))
    return notice(plain(tr("🟢 The computer of this session is on line again.")))


def present_history_changed() -> Notice:
    """Messages were changed or rewound on the hub; what was posted stays."""
    return notice(plain(tr("The session's history was changed in HAPI. What is written above stays as it was.")))
