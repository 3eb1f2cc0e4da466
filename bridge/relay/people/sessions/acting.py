"""What is done to one session: show it here, stop, pin, rename, archive, resume, take over, delete.

Each is a button of the session's card and a command of its own. A press acts on the session its card names, wherever
its conversation goes on by now; the answer is what the hub says.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bridge.cards.model import Card, plain
from bridge.cards.own.bridge_notes import present_command_error, present_said
from bridge.cards.session.session_card import present_delete, present_deleted
from bridge.cards.session.session_list import Listed
from bridge.cards.turn.events import notice
from bridge.cards.words import brief
from bridge.hub.errors import HubError, NotFound
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk, Link
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.sessions import SessionView
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.company import audit
from bridge.relay.people.hub_words import hub_words
from bridge.relay.people.places.attaching import Attaching
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.presses.in_place import place_of_press, redraw
from bridge.relay.people.presses.pressed import Pressed, Refused, Words
from bridge.relay.people.sessions.carrying_on import carry_on
from bridge.relay.people.sessions.facts import facts, fetch, followed
from bridge.relay.people.sessions.listing import page_of, show_card
from bridge.relay.people.sessions.which import ask_which
from bridge.relay.people.stopping import stop_session
from bridge.store import conversations
from bridge.store.engine import Tx
from bridge.store.records import Conversation

Json = Mapping[str, Any]
Deed = Callable[[Json, str], Awaitable[tuple[Words, Json]]]
"""Does something to a session (its record, and words where it takes any): what to say, and its record afterwards.
Raises :class:`Refused` or ``HubError``."""
LONGEST_NAME: Final = 255
"""Characters of a session's name that the hub takes."""


@dataclass(frozen=True, slots=True)
class Acting:
    """Acts on sessions."""

    desk: Desk
    api: HubApi
    attaching: Attaching
    askings: Askings

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {
            "pin": Known(lambda asked: self._command(asked, "pin", self._pin), waits=True, right="own", logs=True),
            "rename": Known(
                lambda asked: self._command(asked, "rename", self._rename), waits=True, right="own", logs=True
            ),
            "archive": Known(
                lambda asked: self._command(asked, "archive", self._archive), waits=True, right="own", logs=True
            ),
            "resume": Known(
                lambda asked: self._command(asked, "resume", self._resume), waits=True, right="own", logs=True
            ),
            "takeover": Known(
                lambda asked: self._command(asked, "takeover", self._take_over), waits=True, right="own", logs=True
            ),
            "delete": Known(self._delete_command, waits=True, right="own"),
        }

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {
            "show": presses.Known(self._show, waits=True, logs=True),
            "halt": presses.Known(lambda pressed: self._press(pressed, self._stop), waits=True, audited=True),
            "pin": presses.Known(self._pin_pressed, waits=True, audited=True),
            "rename": presses.Known(self._rename_pressed, waits=True, audited=True, asks=True),
            "archive": presses.Known(lambda pressed: self._press(pressed, self._archive), waits=True, audited=True),
            "resume": presses.Known(lambda pressed: self._press(pressed, self._resume), waits=True, audited=True),
            "takeover": presses.Known(lambda pressed: self._press(pressed, self._take_over), waits=True, audited=True),
            "delete": presses.Known(
                self._delete, waits=True, audited=True, changes=lambda pressed: pressed.act.choice == "sure"
            ),
        }

    # How each is asked for

    async def _command(self, asked: Asked, do: str, deed: Deed) -> Card:
        words = asked.command.arguments.strip()
        follower = asked.target.follower
        if follower is None:
            return await self._which(asked, do, words)
        if do == "rename" and not words:
            return present_said(tr("Write the new name after it: /rename a better name"))
        try:
            record = await fetch(self.desk, self.api, follower.session.id)
            session = SessionView(record).id
            async with audit.trying(self.desk, asked.received, do, session=session, detail=words or None):
                said, _ = await deed(record, words)
        except (Refused, HubError) as error:
            return present_command_error(_why(error))
        return present_said(said)

    async def _which(self, asked: Asked, do: str, words: str) -> Card:
        def fitting(sessions: Sequence[Listed]) -> Sequence[Listed]:
            return [each for each in sessions if each.active != (do in ("resume", "delete"))] or sessions

        return await ask_which(self.desk, self.api, asked, do, fitting, words=words)

    async def _press(self, pressed: Pressed, deed: Deed) -> Words:
        words = str(pressed.act.data.get("words", "")) if pressed.press.text is None else pressed.press.text
        try:
            said, record = await deed(await fetch(self.desk, self.api, pressed.act.session or ""), words)
        except HubError as error:
            raise Refused(hub_words(error)) from error
        await show_card(self.desk, pressed, record, said)
        return said

    async def _pin_pressed(self, pressed: Pressed) -> Words:
        unpin = pressed.act.choice == "none"
        return await self._press(pressed, self._unpin if unpin else self._pin)

    async def _rename_pressed(self, pressed: Pressed) -> Words:
        if pressed.press.text is None and not pressed.act.data.get("words"):
            label = tr("What should it be called?")
            return await self.askings.ask(pressed, title=tr("Rename"), label=label, submit=tr("Rename"))
        return await self._press(pressed, self._rename)

    # What each does

    async def _stop(self, record: Json, _: str) -> tuple[Words, Json]:
        view = SessionView(record)
        if not is_running(self.desk, view):
            raise Refused(tr("Nothing runs in “{title}”.", title=view.title))
        words = await stop_session(self.desk, self.api, view.id)
        if words is not None:
            raise Refused(tr("Not stopped: {why}", why=words))
        return tr("Stopping… ({title})", title=view.title), record

    async def _pin(self, record: Json, words: str) -> tuple[Words, Json]:
        if words.lower() in ("off", "none", "no"):
            return await self._unpin(record, "")
        await self.api.pin(SessionView(record).id, "global")
        return tr("📌 Pinned: it stands first in the list."), {**record, "pinned": False, "globalPinned": True}

    async def _unpin(self, record: Json, _: str) -> tuple[Words, Json]:
        await self.api.pin(SessionView(record).id, "none")
        return tr("No longer pinned."), {**record, "pinned": False, "globalPinned": False}

    async def _rename(self, record: Json, words: str) -> tuple[Words, Json]:
        name = " ".join(words.split())
        if not name:
            raise Refused(tr("A name can't be empty."))
        if len(name) > LONGEST_NAME:
            raise Refused(tr("A name has at most {n} characters.", n=LONGEST_NAME))
        session_id = SessionView(record).id
        await self.api.rename(session_id, name)
        fresh = await fetch(self.desk, self.api, session_id)
        return tr("It is called “{name}” now.", name=SessionView(fresh).title), fresh

    async def _archive(self, record: Json, _: str) -> tuple[Words, Json]:
        view = SessionView(record)
        await self.api.archive(view.id)
        fresh = {**await fetch(self.desk, self.api, view.id), "active": False}
        return tr("“{title}” was ended and put away. Resume brings it back.", title=view.title), fresh

    async def _resume(self, record: Json, _: str) -> tuple[Words, Json]:
        view = SessionView(record)
        if view.active:
            raise Refused(tr("“{title}” runs already.", title=view.title))
        fresh = await carry_on(self.desk, self.api, record)
        return tr("“{title}” goes on.", title=SessionView(fresh).title), fresh

    async def _take_over(self, record: Json, _: str) -> tuple[Words, Json]:
        view = SessionView(record)
        state = view.agent_state
        if not view.active:
            raise Refused(tr("This session has ended. Resume it first."))
        if not (isinstance(state, Mapping) and state.get("controlledByUser") is True):
            raise Refused(tr("Nothing to take over: the terminal does not have it."))
        await self.api.switch(view.id)
        fresh = {**record, "agentState": {**state, "controlledByUser": False}}
        return tr("Taken over: “{title}” is steered from here now.", title=view.title), fresh

    # Those that are more than a deed

    async def _show(self, pressed: Pressed) -> Words:
        """Show a session where the card stands; in one's own chat, where sessions are shown by themselves."""
        try:
            record = await fetch(self.desk, self.api, pressed.act.session or "")
            follower = await followed(self.desk, self.api, record)
        except HubError as error:
            raise Refused(hub_words(error)) from error
        link = pressed.received.link
        async with self.desk.lock:
            async with self.desk.store.begin() as tx:
                place = await place_of_press(tx, self.desk, pressed)
                await show_at(tx, self.attaching, link, follower, place)
                await audit.record_act(tx, pressed.received, self.desk.clock(), pressed.act)
            introduce(follower, f"shown/{pressed.received.update_id}")
            await self.desk.commit()
        said = tr("Shown here from now on.")
        await show_card(self.desk, pressed, record, said)
        return said

    async def _delete_command(self, asked: Asked) -> Card:
        follower = asked.target.follower
        if follower is None:
            return await self._which(asked, "delete", "")
        try:
            record = await fetch(self.desk, self.api, follower.session.id)
        except HubError as error:
            return present_command_error(hub_words(error))
        return await self._question(record, asked.place, 0)

    async def _question(self, record: Json, place: Conversation, page: int) -> Card:
        view = SessionView(record)
        if view.active:
            return present_command_error(
                tr("“{title}” still runs. Archive it first, then it can be deleted.", title=view.title)
            )
        async with self.desk.store.read() as tx:
            return present_delete(await facts(tx, self.desk, record, place, page))

    async def _delete(self, pressed: Pressed) -> Words:
        try:
            record = await fetch(self.desk, self.api, pressed.act.session or "")
            title = SessionView(record).title
            went_on = SessionView(record).id != pressed.act.session
            if went_on or pressed.act.choice != "sure":
                async with self.desk.store.begin() as tx:
                    place = await place_of_press(tx, self.desk, pressed)
                await redraw(self.desk, pressed, await self._question(record, place, page_of(pressed)))
                if pressed.act.choice != "sure":
                    return ""
                # Invariant 4: what was said since was not part of what the card asked about.
                raise Refused(tr("“{title}” went on as another session meanwhile. Look at the card.", title=title))
            await self.api.delete_session(SessionView(record).id)
        except NotFound:
            title = tr("This session")
        except HubError as error:
            raise Refused(hub_words(error)) from error
        await redraw(self.desk, pressed, present_deleted(title))
        return tr("“{title}” was deleted.", title=brief(title, 60))


def is_running(desk: Desk, view: SessionView) -> bool:
    """Whether anything is there to stop: the agent is at work, or it waits for a decision."""
    follower = desk.of_session(view.id)
    state = view.agent_state
    asks = isinstance(state, Mapping) and bool(state.get("requests"))
    return view.active and (view.thinking or asks or (follower is not None and follower.running))


async def show_at(tx: Tx, attaching: Attaching, link: Link, follower: Follower, place: Conversation) -> None:
    """Show a session in a place because somebody asked for it there, whatever the filters say. Hold the desk's lock."""
    if place.chat != link.home.chat:
        await attaching.move(tx, link, follower, place)
        return
    bound = await conversations.bound(tx, follower.lineage, link.surface.name)
    if not any(one.chat == link.home.chat for one in bound):
        await attaching.home(tx, link, follower, asked=True)


def introduce(follower: Follower, what: str) -> None:
    """The first words in a session's place, so that there is one. Hold the desk's lock, and commit."""
    view = follower.session
    where = " · ".join(part for part in (brief(view.directory, 120), brief(view.machine, 60), view.flavor) if part)
    follower.shown = True
    words = notice(plain(tr("“{title}” is shown here.", title=view.title)), plain(where), min_level="quiet")
    follower.say(what, words)


def _why(error: Exception) -> str:
    return hub_words(error) if isinstance(error, HubError) else str(error)
