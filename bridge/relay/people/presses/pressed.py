"""What all presses share: the words for one that does not count, and what a press is about."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from bridge.cards.model import Act
from bridge.cards.request.decision import BY_SOMEBODY, SETTLED
from bridge.cards.request.outcome import words_of
from bridge.chat.intents import Press
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.follow.requests import Request
from bridge.relay.people.received import Received
from bridge.relay.people.when import said_when

SURE = "sure"
"""The choice of an act that asked first: its button must have stood for as long as a decision's."""

Words = str
"""What the presser is told."""


def unknown() -> Words:
    """Of a button that means nothing (any more)."""
    return tr("This button is not known here any more.")


def not_pending() -> Words:
    """Of a request that was decided, or replaced."""
    return tr("This request is not waiting any more.")


class Refused(Exception):
    """The press does not count; ``str()`` says why."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A press whose button is known: the post it is on, and the act it stands for."""

    received: Received
    press: Press
    key: str
    act: Act
    repeats: Pressed | None = None
    """The press of *Do it now* that this one came by."""


Handler = Callable[[Pressed], Awaitable[Words]]
"""Carries a press out; returns what the presser is told. Raises :class:`Refused` or ``NotTaken``."""


@dataclass(frozen=True, slots=True)
class Known:
    """How an act is carried out, and when it runs beside the rest of the inbox instead of in order with it."""

    run: Handler
    waits: bool = False
    """It asks the hub first."""
    asks: bool = False
    """It asks for words first (:meth:`.asking.Askings.ask`) where the press brings none."""
    audited: bool = False
    """The hub carries it out: a line of the audit log before, that it was tried, and one with what came of it. (What is
    refused is always a line.)"""
    logs: bool = False
    """It adds its line itself, in the transaction of the act (:func:`.audit.record`)."""
    changes: Callable[[Pressed], bool] | None = None
    """Whether a press changes something yet, and is audited, or only asks how; ``None``: it does."""

    def audits(self, pressed: Pressed) -> bool:
        """Whether this press is one that is audited."""
        asks_first = self.only_asks(pressed.press) and not pressed.act.data.get("words")
        return self.audited and not asks_first and (self.changes is None or self.changes(pressed))

    def beside(self, press: Press) -> bool:
        """Whether carrying out this press may take its time."""
        return self.waits or self.only_asks(press)

    def only_asks(self, press: Press) -> bool:
        """Whether this press only asks for the words it needs."""
        return self.asks and press.text is None


class Group(Protocol):
    """A group of acts that belong together."""

    def handlers(self) -> dict[str, Known]:
        """By the act's name (``Act.do``)."""
        ...


def request_of(desk: Desk, act: Act) -> Request | None:
    """The request an act is about, whatever its state."""
    follower = desk.of_session(act.session) if act.session else None
    return follower.requests.get(act.request) if follower is not None and act.request else None


def what_became(desk: Desk, act: Act) -> Words:
    """Why a button of a request's card is out of date, as far as we know; empty while it waits."""
    request = request_of(desk, act)
    if request is None:
        return ""
    if request.argument_hash != act.argument_hash:  # another request goes by its id: what became of that is not said
        return tr("{what}.", what=words_of(request.tool, "superseded").line)
    if request.state == "pending":
        return ""
    if request.state == "sending":
        name = request.decided_by
        return tr("{name} has decided this already, and HAPI has yet to say what came of it.", name=name)
    words = words_of(request.tool, request.state)
    if request.state not in SETTLED:
        return tr("{what}.", what=words.line)
    at, by = request.decided_at_ms, request.decided_by if request.state in BY_SOMEBODY else ""
    if at is None:
        return (
            tr("{what} by {name} already.", what=words.title, name=by)
            if by
            else tr("{what} already.", what=words.title)
        )
    when = said_when(at, desk.clock(), desk.zone)
    if by:
        return tr("{what} by {name} already, {when}.", what=words.title, name=by, when=when)
    return tr("{what} already, {when}.", what=words.title, when=when)


def out_of_date(desk: Desk, act: Act) -> Words:
    """Why a button counts no more that its card has not any more."""
    request = request_of(desk, act)
    if became := what_became(desk, act):
        return became
    if request is not None and request.sure is not None and act.choice == request.sure["choice"]:
        return tr(
            "{name} has pressed this before. Look at the card: it waits to be confirmed.", name=request.sure["name"]
        )
    return tr("This button belongs to an older state of the card. Look at the card, it has changed.")


def waiting_request(desk: Desk, act: Act, key: str | None = None) -> Request:
    """The request an act is bound to, if it waits with the very arguments the card showed, on the card ``key``.

    Raises :class:`Refused`.
    """
    request = request_of(desk, act)
    if request is None or request.argument_hash != act.argument_hash or (key is not None and request.key != key):
        raise Refused(what_became(desk, act) or not_pending())
    if request.state != "pending":
        raise Refused(what_became(desk, act) or not_pending())
    return request
