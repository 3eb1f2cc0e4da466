"""Slash commands. What is not one of ours is the agent's own and goes to it as text (``/compact``)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from bridge.cards.bridge_notes import (
    StatusView,
    present_choose_stop,
    present_command_error,
    present_help,
    present_said,
    present_sessions,
    present_status,
)
from bridge.cards.model import Card
from bridge.chat.intents import Command, Say
from bridge.hub.rest import HubApi
from bridge.observe.health import Health
from bridge.relay.desk import Desk
from bridge.relay.notes import note, place_at
from bridge.relay.people.attaching import Attaching
from bridge.relay.people.inbox import Later, Received
from bridge.relay.people.stopping import stop_session
from bridge.relay.people.texts import Target, Texts, session_row
from bridge.store import conversations, posts, says
from bridge.store.records import Conversation

MOST_ENDED = 10
"""Ended sessions that ``/sessions`` lists, the last ones first."""


class Commands:
    """Carries out commands."""

    def __init__(
        self,
        desk: Desk,
        api: HubApi,
        texts: Texts,
        attaching: Attaching,
        hub_url: str,
        health: Health,
        version: str,
    ) -> None:
        self._desk = desk
        self._api = api
        self._texts = texts
        self._attaching = attaching
        self._hub_url = hub_url
        self._health = health
        self._version = version
        self._table: dict[str, Callable[[Conversation, Target], Awaitable[Card]]] = {
            "sessions": self._sessions,
            "status": self._status,
            "help": self._help,
            "start": self._help,
        }

    async def command(self, received: Received, command: Command) -> Later | None:
        """Carry out a command; the answer is a reply to it."""
        if command.name == "stop":
            return lambda: self._stop(received, command)
        if command.name in ("attach", "detach"):
            await self._attach(received, command)
            return None
        work = self._table.get(command.name)
        if work is None:
            text = command.text or f"/{command.name} {command.arguments}".rstrip()
            where = (command.person, command.where, command.message, text, command.reply_to, command.sent_at_ms)
            return await self._texts.say(received, Say(*where))
        place, target = await self._where(received, command)
        await self._reply(received, command, place, await work(place, target))
        return None

    async def _where(self, received: Received, command: Command) -> tuple[Conversation, Target]:
        surface = received.link.surface.name
        async with self._desk.store.begin() as tx:
            place = await place_at(tx, surface, command.where, self._desk.clock())
            return place, await self._texts.target(tx, surface, place, command.reply_to)

    async def _reply(self, received: Received, command: Command, place: Conversation, card: Card) -> None:
        now = self._desk.clock()
        open_ = bool(card.acts())
        async with self._desk.store.begin() as tx:
            what = f"command/{received.update_id}"
            await note(tx, place, what, card, now, reply_to=command.message or None, open_=open_)
        self._desk.nudge()

    async def _attach(self, received: Received, command: Command) -> None:
        """Show a session in the place where it was said, or no longer; one transaction with the answer."""
        link, now = received.link, self._desk.clock()
        async with self._desk.lock, self._desk.store.begin() as tx:
            place = await place_at(tx, link.surface.name, command.where, now)
            if command.name == "detach":
                card = await self._attaching.detach(tx, link, place)
            else:
                rows = [session_row(follower) for follower in self._desk.live()]
                card = await self._attaching.attach(tx, link, place, command.arguments, rows)
            what, open_ = f"command/{received.update_id}", bool(card.acts())
            await note(tx, place, what, card, now, reply_to=command.message or None, open_=open_)
        self._desk.nudge()

    async def _sessions(self, place: Conversation, target: Target) -> Card:
        everybody = self._desk.followers.values()
        ended = sorted((one for one in everybody if not one.session.active), key=lambda one: -one.anchor.at)
        rows = [session_row(follower) for follower in [*self._desk.live(), *ended[:MOST_ENDED]]]
        return present_sessions(rows)

    async def _status(self, place: Conversation, target: Target) -> Card:
        rows = [session_row(follower) for follower in self._desk.live()]
        async with self._desk.store.read() as tx:
            unsent = await posts.undelivered(tx)
            kept = [say for say in await says.in_state(tx, ["kept", "sending"]) if say.next_try_ms is not None]
        hub = self._health.report()["hub"]
        view = StatusView(
            hub_url=self._hub_url,
            hub_ok=hub["state"] == "ok",
            hub_words=hub["words"],
            sessions=len(rows),
            busy=sum(row.busy for row in rows),
            waiting=sum(row.waiting for row in rows),
            unsent=unsent,
            kept=len(kept),
            version=self._version,
            level=place.level,
            session=session_row(target.follower) if target.follower is not None else None,
        )
        return present_status(view)

    async def _help(self, place: Conversation, target: Target) -> Card:
        return present_help()

    async def _stop(self, received: Received, command: Command) -> None:
        place, target = await self._where(received, command)
        busy = [follower for follower in target.choices if follower.running] or list(target.choices)
        if target.follower is not None or len(busy) == 1:
            follower = target.follower or busy[0]
            words = await stop_session(self._desk, self._api, follower.session.id)
            title = follower.session.title
            card = present_command_error(f"Not stopped: {words}") if words else present_said(f"Stopping… ({title})")
        elif busy:
            card = present_choose_stop([session_row(follower) for follower in busy])
        else:
            card = present_said("No session is running: there is nothing to stop.")
        if not command.where.private:
            # Asked beside a message of anybody's: where no session is shown, none is named before others either.
            async with self._desk.store.begin() as tx:
                if not await conversations.lineages_in(tx, place.id):
                    home, now = received.link.home.chat, self._desk.clock()
                    place = await conversations.ensure_chat(tx, received.link.surface.name, home, now)
                    command = replace(command, message="")
        await self._reply(received, command, place, card)
