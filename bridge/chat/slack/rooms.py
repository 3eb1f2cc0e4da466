"""Channels as rooms: private ones that the bridge makes, one for each session.

A channel carries its session's mark in its purpose, so that a start finds what the run before it made. One that was
begun and has no purpose yet (a crash, a lost answer) is taken up by the next room that is made: it is empty.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable

from bridge.cards.text import clean
from bridge.chat.capabilities import Room
from bridge.chat.errors import ChatGone, OutcomeUnknown, Rejected
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.errors import NameRefused
from bridge.chat.slack.payload import Json, child, children, string
from bridge.chat.slack.plain import escaped
from bridge.chat.slack.room_names import PREFIX, is_named, names

MOST_UNITS = 250
"""Characters of a topic and of a purpose (docs.slack.dev, conversations.setTopic and setPurpose)."""
PAGE = 200
PAGES = 20

_log = logging.getLogger(__name__)


class Rooms:
    """Makes and renames channels. ``chats``: those known to be rooms."""

    def __init__(self, client: SlackClient) -> None:
        self._client = client
        self._me = ""
        self._begun: dict[str, str] = {}
        """Mark to a channel that is being made."""
        self.chats: set[str] = set()

    async def open(self, owner: str, room: Room) -> str:
        """A channel with its owner in it: one made before for the same session, else one that was begun, else a new
        one. Raises :class:`Rejected` where the workspace lets the app make none."""
        listed = await self._listed()
        mark = _mark(room.mark)
        found = self._of_session(listed, mark, room) or self._begun_before(listed, mark, room)
        try:
            if found is None:
                found = await self._create(room, {string(one, "name") for one in listed})
            number = self._begun[mark] = string(found, "id")
            await self._client.call("conversations.invite", {"channel": number, "users": owner})
        except ChatGone as error:  # of these calls it says that channels can't be made, or that nobody can be invited
            words = str(error)
        else:
            await self._furnish(found, room, mark)
            del self._begun[mark]
            self.chats.add(number)
            return number
        raise Rejected(words)

    async def _furnish(self, found: Json, room: Room, mark: str) -> None:
        """Purpose, name and topic. A channel without is less handy, and still one."""
        number = string(found, "id")
        try:
            if not string(child(found, "purpose"), "value"):
                about = _cut(room.about, MOST_UNITS - len(mark) - 3)
                words = f"{about} · {mark}" if about else mark
                await self._client.call("conversations.setPurpose", {"channel": number, "purpose": words})
            await self._name(found, room)
            await self._set_topic(number, room.title)
        except (Rejected, ChatGone) as error:
            _log.warning("a channel can't be described or named: %s", error)

    async def rename(self, channel: str, title: str) -> None:
        """Call a channel after its session again, unless a person gave it a name of their own."""
        found = child(await self._client.call("conversations.info", {"channel": channel}), "channel")
        await self._name(found, Room(title, "", channel))
        await self._set_topic(channel, title)

    async def _set_topic(self, channel: str, title: str) -> None:
        await self._client.call("conversations.setTopic", {"channel": channel, "topic": _cut(title, MOST_UNITS)})

    async def _name(self, found: Json, room: Room) -> None:
        current, number = string(found, "name"), string(found, "id")
        if not current.startswith(PREFIX) or is_named(current, room.title):
            return
        for name in names(room.title, room.mark):
            try:
                await self._client.call("conversations.rename", {"channel": number, "name": name})
            except NameRefused as error:
                _log.debug("not renamed: %s", error)
            else:
                return

    async def _create(self, room: Room, taken: Iterable[str]) -> Json:
        refusal = NameRefused("Slack takes no name for the channel")
        for name in names(room.title, room.mark, frozenset(taken)):
            try:
                made = await self._client.call("conversations.create", {"name": name, "is_private": True})
            except NameRefused as error:
                refusal = error
                continue
            if not string(child(made, "channel"), "id"):
                raise OutcomeUnknown("Slack: the answer names no channel")
            return child(made, "channel")
        raise refusal

    def _of_session(self, listed: list[Json], mark: str, room: Room) -> Json | None:
        begun = self._begun.get(mark)
        for one in listed:
            ours = string(child(one, "purpose"), "value").endswith(mark) and string(one, "creator") == self._me
            if (ours or string(one, "id") == begun) and not one.get("is_archived") and self._free(one, room):
                return one
        return None

    def _begun_before(self, listed: list[Json], mark: str, room: Room) -> Json | None:
        others = {number for other, number in self._begun.items() if other != mark}
        for one in listed:
            begun = string(one, "creator") == self._me and string(one, "name").startswith(PREFIX)
            begun = begun and not string(child(one, "purpose"), "value") and not one.get("is_archived")
            if begun and self._free(one, room) and string(one, "id") not in others:
                self._begun[mark] = string(one, "id")  # before anybody else looks
                return one
        return None

    def _free(self, one: Json, room: Room) -> bool:
        return string(one, "id") not in room.taken and string(one, "id") not in self.chats

    async def _listed(self) -> list[Json]:
        """The private channels that the bot is in."""
        if not self._me:
            self._me = string(await self._client.call("auth.test"), "user_id")
        params: Json = {"types": "private_channel", "limit": PAGE}
        found: list[Json] = []
        for _ in range(PAGES):
            answer = await self._client.call("users.conversations", params)
            found += children(answer, "channels")
            cursor = string(child(answer, "response_metadata"), "next_cursor")
            if not cursor:
                break
            params["cursor"] = cursor
        return found


def _mark(mark: str) -> str:
    """A session's mark as a channel's purpose ends."""
    return f"HAPI {hashlib.sha256(mark.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _cut(words: str, most: int) -> str:
    """Words on one line that name nobody, in at most so many characters."""
    words = " ".join(clean(words).split())[:most]
    while len(escaped(words)) > most:
        words = words[:-1]
    return escaped(words)
