"""``/sessions`` and ``/session``: which there are, a page at a time, and the card of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_command_error, present_said
from bridge.cards.own.elsewhere import with_more_in_private
from bridge.cards.session.session_card import present_session
from bridge.cards.session.session_list import Listed, present_list, present_which
from bridge.hub.errors import HubError, NotFound
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.hub_words import hub_words
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.in_place import place_of_press, redraw
from bridge.relay.people.presses.pressed import Pressed, Refused, Words
from bridge.relay.people.roles.roles import Leave
from bridge.relay.people.sessions.facts import facts, fetch, in_order, listed
from bridge.store.records import Conversation


@dataclass(frozen=True, slots=True)
class Sessions:
    """Lists sessions and opens their cards."""

    desk: Desk
    api: HubApi

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {
            "sessions": Known(self._list, waits=True, right="view"),
            "session": Known(self._session, waits=True, right="view"),
        }

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {
            "sessions": presses.Known(self._turn_page, waits=True),
            "open": presses.Known(self._open, waits=True),
        }

    async def _list(self, asked: Asked) -> Card:
        return await self._page(asked.received.leave, 0)

    async def _page(self, leave: Leave, page: int) -> Card:
        found = await every_session(self.desk, self.api, leave)
        if not found.sessions and found.elsewhere:
            return found.told(present_said(tr("No session is shown in this place.")))
        return found.told(present_list(found.sessions, page, found.trouble))

    async def _session(self, asked: Asked) -> Card:
        """The card of this session; where several are meant, the question which one."""
        wanted = asked.command.arguments.strip().lower()
        if asked.target.follower is not None and not wanted:
            return await self._card(asked.target.follower.session.id, asked.place)
        every = await every_session(self.desk, self.api, asked.received.leave)
        found = [each for each in every.sessions if wanted in each.title.lower()]
        if wanted and len(found) == 1:
            return await self._card(found[0].id, asked.place)
        if not found:
            if every.sessions:
                return every.told(present_said(tr("No session is called like “{words}”.", words=wanted)))
            return await self._page(asked.received.leave, 0)
        return every.told(present_which(tr("Which session?"), found, "open"))

    async def _card(self, session_id: str, place: Conversation, page: int = 0) -> Card:
        try:
            record = await fetch(self.desk, self.api, session_id)
        except NotFound:
            return present_command_error(tr("That session is gone."))
        except HubError as error:
            return present_command_error(hub_words(error))
        return await session_card(self.desk, record, place, page)

    async def _turn_page(self, pressed: Pressed) -> Words:
        page = pressed.act.data.get("page")
        card = await self._page(pressed.received.leave, page if isinstance(page, int) else 0)
        await redraw(self.desk, pressed, card)
        return ""

    async def _open(self, pressed: Pressed) -> Words:
        act = pressed.act
        try:
            record = await fetch(self.desk, self.api, act.session or "")
        except NotFound:
            await redraw(self.desk, pressed, await self._page(pressed.received.leave, page_of(pressed)))
            raise Refused(tr("That session is gone.")) from None
        except HubError as error:
            raise Refused(hub_words(error)) from error
        await show_card(self.desk, pressed, record)
        return ""


@dataclass(frozen=True, slots=True)
class Every:
    """The sessions there are for somebody, those that want a person first."""

    sessions: list[Listed]
    trouble: str = ""
    """Why they may be out of date."""
    elsewhere: bool = False
    """There are others, which are not named before those who read along."""

    def told(self, card: Card) -> Card:
        """A list of them, which says that there are others."""
        return with_more_in_private(card) if self.elsewhere else card


async def every_session(desk: Desk, api: HubApi, leave: Leave) -> Every:
    """All sessions that may be named to somebody where they ask."""
    trouble = ""
    try:
        records: list[Mapping[str, Any]] = list(await api.sessions())
    except HubError as error:
        trouble = error.spoken()
        records = [follower.session.record for follower in desk.followers.values()]
    seen, elsewhere = [], False
    for record in records:
        follower = desk.of_session(str(record.get("id")))
        superseded = follower is not None and follower.session.id != record.get("id")
        lineage = follower.lineage if follower is not None else str(record.get("id"))
        if superseded or not leave.sees(lineage):
            continue
        if leave.names(lineage):
            seen.append(record)
        else:
            elsewhere = True
    return Every(in_order([listed(desk, record) for record in seen], seen), trouble, elsewhere)


async def session_card(
    desk: Desk, record: Mapping[str, Any], place: Conversation, page: int = 0, said: str = ""
) -> Card:
    """The card of a session, as it is in a place; ``said``: what was just done."""
    async with desk.store.read() as tx:
        return present_session(await facts(tx, desk, record, place, page), said)


async def show_card(desk: Desk, pressed: Pressed, record: Mapping[str, Any], said: str = "") -> None:
    """Draw the card of a press anew as that of a session."""
    async with desk.store.begin() as tx:
        place = await place_of_press(tx, desk, pressed)
    await redraw(desk, pressed, await session_card(desk, record, place, page_of(pressed), said))


def page_of(pressed: Pressed) -> int:
    """The page of the list that a card goes back to."""
    page = pressed.act.data.get("page")
    return page if isinstance(page, int) else 0
