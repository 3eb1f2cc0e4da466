"""Roles: what each may do. A table and a few pure questions; who has which role is asked in ``rights.py``.

Four roles, each with the rights of those below it:

============ ========= =======================================================================
owner        ``own``      everything: sessions, places, people, settings
approver     ``approve``  decide requests, answer questions
member       ``talk``     say something to an agent, stop its turn
viewer       ``view``     read, and ask what there is
============ ========= =======================================================================

What a command needs stands in its table entry, what a press needs below; an act nobody thought of here needs ``own``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from bridge.cards.model import Act
from bridge.chat.intents import Person
from bridge.language import tr
from bridge.relay.desk import Home

Role = Literal["viewer", "member", "approver", "owner"]
Right = Literal["view", "talk", "approve", "own"]

ROLES: Final[tuple[Role, ...]] = ("viewer", "member", "approver", "owner")
"""From least to most."""
RIGHTS: Final[tuple[Right, ...]] = ("view", "talk", "approve", "own")
"""Each role has the right at its own place and all before it."""

PRESSES: Final[Mapping[str, Right]] = {
    "decide": "approve",
    "deny_because": "approve",
    "sure": "approve",
    "unsure": "approve",
    "unfold": "approve",
    "fold": "approve",
    "pick": "approve",
    "submit": "approve",
    "back": "approve",
    "other": "approve",
    "stop": "talk",
    "halt": "talk",
    "unsay": "talk",
    "steer": "talk",
    "correct": "talk",
    "route": "talk",
    "interject": "talk",
    "retry": "talk",
    "stale": "talk",
    "stale_text": "talk",
    "stale_command": "talk",
    "send_all": "view",
    "scenario_pick": "talk",
    "scenario_send": "talk",
    "work_tree": "talk",
    "work_find": "talk",
    "work_diff": "talk",
    "work_file": "talk",
    "work_list": "talk",
    "pending": "view",
    "help": "view",
    "show_request": "view",
    "sessions": "view",
    "open": "view",
    "agent_commands": "talk",
    "agent_command": "talk",
    "agent_send": "talk",
    "agent_words": "talk",
    "history": "view",
    "export": "talk",
}
"""What a press needs, by its act's name. All others need ``own``."""
READING: Final = frozenset(
    {
        "open", "history", "export", "show_request", "agent_commands",
        "work_tree", "work_find", "work_diff", "work_file", "work_list",
    }
)  # fmt: skip
"""Presses that show more of a session where the card stands. Before others only of one that is shown there."""
DECIDING: Final = frozenset({"deny_and_send", "use_as_answer"})
"""What may become of a text that decides a request besides."""


@dataclass(frozen=True, slots=True)
class Leave:
    """What somebody may do where they act now, and whether they may do what they are about to."""

    role: Role | None = None
    """``None``: nobody we serve."""
    lineages: frozenset[str] | None = frozenset()
    """Whose sessions they may hear of where they are; ``None``: of all."""
    here: frozenset[str] | None = None
    """Where others read along: the sessions that are shown there; ``None``: nobody does."""
    limits: Mapping[str, Role | None] = field(default_factory=dict)
    """By lineage, what they are to sessions shown where they have a role of their own: from elsewhere, no more than
    that; ``None``: they may hear nothing of it."""
    refusal: str | None = None
    """Why they may not, in words for them; ``None``: they may."""

    def may(self, right: Right) -> bool:
        """Whether they have a right here."""
        return allows(self.role, right)

    def refusal_for(self, right: Right, lineage: str) -> str | None:
        """Why they may not do here what needs a right to a session; ``None``: they may."""
        role = least([self.role, self.limits[lineage]]) if lineage in self.limits else self.role
        return None if allows(role, right) else refusal_of(right, role)

    def sees(self, lineage: str) -> bool:
        """Whether they may hear of a session here."""
        hidden = lineage in self.limits and self.limits[lineage] is None
        return not hidden and (self.lineages is None or lineage in self.lineages)

    def names(self, lineage: str) -> bool:
        """Whether a session may be named on a list for them here: before others only one that is shown there, also for
        the owner."""
        return self.sees(lineage) and (self.here is None or lineage in self.here)


NOBODY: Final = Leave()


def allows(role: Role | None, right: Right) -> bool:
    """Whether a role has a right."""
    return role is not None and ROLES.index(role) >= RIGHTS.index(right)


def least(roles: Sequence[Role | None]) -> Role | None:
    """The one of several roles that may do least."""
    return min(roles, key=lambda role: -1 if role is None else ROLES.index(role))


def read_role(stored: str | None) -> Role | None:
    """A role as the store has it. Nobody is an owner by the store, and a word that is none is none."""
    return next((role for role in ROLES[:-1] if role == stored), None)


def role_among(
    home: Home, person: Person, places: Sequence[int], here: Mapping[int, str], everywhere: str | None
) -> Role | None:
    """Somebody's role in a conversation: the first one set for ``places`` (ids, the nearest first), else the one they
    have everywhere. ``here``: the roles set for them in single conversations, by the conversations' ids."""
    if person.id == home.owner_id:
        return "owner"
    if not is_admitted(home, person):
        return None
    return read_role(next((here[place] for place in places if place in here), everywhere))


def is_admitted(home: Home, person: Person) -> bool:
    """Whether somebody may have a role at all: guests and people of other workspaces only if they are named."""
    return person.standing == "member" or person.id in home.admitted


def refusal_of(right: Right, role: Role | None) -> str:
    """Why somebody may not do what needs a right."""
    if role is None:
        return tr("This bot works for its owner and the people they invited.")
    match right:
        case "own":
            return tr("Only this bot's owner can do that.")
        case "approve":
            return tr("Only the owner and approvers can do that.")
        case _:
            return tr("You may read here. Only people whom the owner lets talk can do that.")


def needed_for(act: Act) -> Right:
    """What a press needs."""
    if act.do == "interject" and act.choice in DECIDING:
        return "approve"
    return PRESSES.get(act.do, "own")
