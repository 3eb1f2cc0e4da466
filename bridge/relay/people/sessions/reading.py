"""``/history``, ``/search`` and ``/export``: what was said in a session, page by page, by words, or whole in a file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bridge.cards.model import Card, File
from bridge.cards.own.bridge_notes import present_command_error, present_said
from bridge.cards.session.history import (
    Turned,
    export_markdown,
    fitting,
    present_export,
    present_found,
    present_history,
    words_of,
)
from bridge.hub.errors import HubError
from bridge.hub.rest import HubApi
from bridge.hub.sync import MessageSync
from bridge.hub.window import MessageWindow
from bridge.hub.wire import Position, position_of
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.follow.sessions import SessionView
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.hub_words import hub_words
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.in_place import beside, redraw
from bridge.relay.people.presses.pressed import Pressed, Refused, Words
from bridge.relay.people.sessions.facts import fetch
from bridge.relay.people.sessions.listing import every_session
from bridge.relay.people.sessions.which import ask_which
from bridge.transcript.blocks import Block
from bridge.transcript.fold import Transcript

Json = Mapping[str, Any]
TRAIL: Final = 40
"""Pages that *Newer* leads back through."""
MOST_SEARCHED: Final = 2_000
"""Messages that a search looks through, the newest ones."""
MOST_EXPORTED: Final = 20_000
MOST_HITS: Final = 10
EMPTY_PAGES: Final = 5
"""Pages of the hub without a word that are passed over in one go."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads conversations back."""

    desk: Desk
    api: HubApi

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {
            "history": Known(self._history, waits=True, right="view"),
            "search": Known(self._search, waits=True, right="view"),
            "export": Known(self._export, waits=True),
        }

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {
            "history": presses.Known(self._turn, waits=True),
            "export": presses.Known(self._export_pressed, waits=True),
        }

    async def _history(self, asked: Asked) -> Card:
        if asked.target.follower is None:
            return await ask_which(self.desk, self.api, asked, "history")
        try:
            return await self._page(asked.target.follower.session.id, {})
        except HubError as error:
            return present_command_error(hub_words(error))

    async def _turn(self, pressed: Pressed) -> Words:
        try:
            card = await self._page(pressed.act.session or "", pressed.act.data)
        except HubError as error:
            raise Refused(hub_words(error)) from error
        await redraw(self.desk, pressed, card)
        return ""

    async def _page(self, session_id: str, data: Json) -> Card:
        """The page before a position (``before``, with the ``epoch`` it was taken in), else the newest one."""
        record = await fetch(self.desk, self.api, session_id)
        view, window, said = SessionView(record), MessageWindow(limit=None), ""
        before, trail = _position(data.get("before")), data.get("trail")
        sync = MessageSync(self.api)
        if before is None:
            await sync.tail(view.id, window)
        else:
            epoch = data.get("epoch")
            window.older, window.has_more, window.epoch = before, True, epoch if isinstance(epoch, int) else None
            if (await sync.older(view.id, window)).reason == "epoch-reset":
                said, before, trail = tr("The history was changed meanwhile: this is its newest page."), None, []
        blocks = _blocks(window, record)
        for _ in range(EMPTY_PAGES):
            if fitting(blocks) or not window.has_more:
                break
            await sync.older(view.id, window)
            blocks = _blocks(window, record)
        count = fitting(blocks)
        shown, left = blocks[len(blocks) - count :], len(blocks) > count
        at = {str(message["id"]): position_of(message) for message in window.messages}
        first = at.get(shown[0].message_id) if shown else None
        cursor = first if left and first is not None else window.older if window.has_more else None
        way = [each for each in trail if each is None or _position(each)] if isinstance(trail, list) else []
        here = [before.at, before.seq] if before is not None else None
        older = None
        if cursor is not None and cursor != before:
            older = {"before": [cursor.at, cursor.seq], "epoch": window.epoch, "trail": [*way, here][-TRAIL:]}
        newer = {"before": way[-1], "epoch": window.epoch, "trail": way[:-1]} if way else None
        return present_history(Turned(view.id, view.title, older, newer, said), shown)

    async def _search(self, asked: Asked) -> Card:
        words = asked.command.arguments.strip()
        if not words:
            return present_said(tr("Write what to look for after it: /search parser"))
        every = await every_session(self.desk, self.api, asked.received.leave)
        titles = [(each.id, each.title) for each in every.sessions if words.lower() in each.title.lower()][:MOST_HITS]
        follower = asked.target.follower
        if follower is None:
            said = tr("Said in a session's own place, this looks through what was said there, too.")
            nothing = present_said(f"{tr('Nothing.')} {said}")
            return every.told(present_found(words, "", [], titles, said) if titles else nothing)
        try:
            record = await fetch(self.desk, self.api, follower.session.id)
            view = SessionView(record)
            found = await MessageSync(self.api).collect_after(view.id, Position(0, 0), None, most=MOST_SEARCHED)
        except HubError as error:
            return present_command_error(hub_words(error))
        at = {str(message["id"]): position_of(message) for message in found.messages}
        hits = []
        for block in reversed(await asyncio.to_thread(_fold, found.messages, record)):
            text, place = words_of(block), at.get(block.message_id)
            where = text.lower().find(words.lower())
            if where >= 0 and place is not None:
                excerpt = " ".join(text[max(0, where - 60) : where + 120].split())
                data = {"before": [place.at, place.seq + 1], "epoch": found.epoch, "trail": [None]}
                hits.append((view.id, excerpt, data))
            if len(hits) == MOST_HITS:
                break
        said = "" if found.complete else tr("Only its newest {n} messages.", n=MOST_SEARCHED)
        return every.told(present_found(words, view.title, hits, titles, said))

    async def _export(self, asked: Asked) -> Card:
        if asked.target.follower is None:
            return await ask_which(self.desk, self.api, asked, "export")
        try:
            return await self._exported(asked.target.follower.session.id)
        except HubError as error:
            return present_command_error(hub_words(error))

    async def _export_pressed(self, pressed: Pressed) -> Words:
        try:
            card = await self._exported(pressed.act.session or "")
        except HubError as error:
            raise Refused(hub_words(error)) from error
        await beside(self.desk, pressed, card)
        return tr("The file follows.")

    async def _exported(self, session_id: str) -> Card:
        record = await fetch(self.desk, self.api, session_id)
        view = SessionView(record)
        found = await MessageSync(self.api).collect_after(view.id, Position(0, 0), None, most=MOST_EXPORTED)
        missing = "" if found.complete else tr("Only the newest {n} messages are in it.", n=MOST_EXPORTED)
        facts = (view.directory, view.machine, view.flavor)
        blocks = await asyncio.to_thread(_fold, found.messages, record)  # thousands: everybody else would wait for it
        text, cut = await asyncio.to_thread(export_markdown, view.title, facts, blocks, missing)
        if cut:
            missing = tr("The oldest part is left out: the file would be too large.")
        name = re.sub(r"[^\w.-]+", "-", view.title).strip("-.")[:60] or "session"
        return present_export(view.title, File(name=f"{name}.md", text=text, media_type="text/markdown"), missing)


def _blocks(window: MessageWindow, record: Json) -> list[Block]:
    return _fold(window.messages, record, has_more=window.has_more)


def _fold(messages: Sequence[Json], record: Json, *, has_more: bool = False) -> list[Block]:
    transcript = Transcript(has_more_messages=has_more)
    for message in messages:
        transcript.feed(message)
    state = record.get("agentState")
    transcript.set_agent_state(state if isinstance(state, Mapping) else None)
    return list(transcript.blocks)


def _position(value: Any) -> Position | None:
    """A position as an act carries it: time and number."""
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(each, int) for each in value):
        return None
    return Position(value[0], value[1])
