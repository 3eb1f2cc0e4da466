"""``/scenario``: Markdown files from a configured directory, sent along with a message as context for the agent."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import structlog

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_command_error
from bridge.cards.own.scenarios import present_scenarios, present_scenarios_sent
from bridge.chat.intents import Person, Say, Where
from bridge.language import tr
from bridge.relay.desk import Desk, Link
from bridge.relay.follow.follower import Follower
from bridge.relay.keeping import keep_or_send, say_record
from bridge.relay.notes import note
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.naming import named
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.presses.in_place import place_of_press, redraw
from bridge.relay.people.presses.pressed import Pressed, Refused, Words
from bridge.relay.people.words.sending import Sender
from bridge.store import says
from bridge.store.records import Conversation
from bridge.transcript.content import Scenario
from bridge.transcript.scenarios import with_scenarios

MOST: Final = 200
MOST_BYTES: Final = 256 * 1024
"""As much as the second founding document lets a text file have."""
_HEADING: Final = re.compile(r"^#\s+(.+?)\s*#*$", re.MULTILINE)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Scenarios:
    """Offers scenarios and sends them. ``folder`` is ``None`` where none is configured."""

    desk: Desk
    sender: Sender
    askings: Askings
    folder: Path | None

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {"scenario": Known(self._command, waits=True)}

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {
            "scenario_pick": presses.Known(self._pick, waits=True),
            "scenario_send": presses.Known(self._send_pressed, waits=True, asks=True),
        }

    async def _command(self, asked: Asked) -> Card | None:
        """Offer them; or, after a scenario's name, send the rest as the text."""
        follower, command = asked.target.follower, asked.command
        if self.folder is None:
            return present_command_error(tr("No directory for scenarios is configured (chat.scenarios_dir)."))
        if follower is None:
            return present_command_error(tr("Say it in the session's own place, or as a reply to one of its messages."))
        there = await self._read()
        name, _, text = command.arguments.strip().partition(" ")
        chosen = [each for each in there if name and Path(each.filepath).stem.lower() == name.lower()]
        if not (chosen and text.strip()):
            return present_scenarios(there, [each.filepath for each in chosen], follower.session.id)
        await self._send(
            asked.received.link,
            asked.place,
            command.person,
            command.where,
            command.message,
            text.strip(),
            chosen,
            follower,
        )
        return None

    async def _pick(self, pressed: Pressed) -> Words:
        """Choose a scenario, or not any more; or turn the page."""
        data = pressed.act.data
        chosen = [str(name) for name in data.get("chosen", [])]
        file = data.get("file")
        if isinstance(file, str):
            chosen = [name for name in chosen if name != file] if file in chosen else [*chosen, file]
        page = data.get("page")
        card = present_scenarios(
            await self._read(), chosen, pressed.act.session or "", page if isinstance(page, int) else 0
        )
        await redraw(self.desk, pressed, card)
        return ""

    async def _send_pressed(self, pressed: Pressed) -> Words:
        press = pressed.press
        if press.text is None:
            return await self.askings.ask(pressed, title=tr("Your message"), label=tr("What shall the agent do?"))
        follower = self.desk.of_session(pressed.act.session or "")
        if follower is None:
            raise Refused(tr("That session is gone."))
        wanted = [str(name) for name in pressed.act.data.get("chosen", [])]
        there = {each.filepath: each for each in await self._read()}
        gone = [name for name in wanted if name not in there]
        if gone:
            raise Refused(tr("This scenario is gone: {name}", name=gone[0]))
        if not press.text.strip():
            raise Refused(tr("An empty message was not sent."))
        message = press.replied.message if press.replied is not None else f"form.{pressed.received.update_id}"
        async with self.desk.store.begin() as tx:
            place = await place_of_press(tx, self.desk, pressed)
        chosen = [there[name] for name in wanted]
        link = pressed.received.link
        await self._send(link, place, press.person, press.where, message, press.text, chosen, follower)
        return "" if press.replied is not None else tr("Sent.")

    async def _send(
        self,
        link: Link,
        place: Conversation,
        person: Person,
        where: Where,
        message: str,
        text: str,
        chosen: list[Scenario],
        follower: Follower,
    ) -> None:
        """Keep the message and say its tags, in one transaction."""
        now = self.desk.clock()
        said = Say(person, where, message, with_scenarios(text, chosen))
        record = say_record(link.surface.name, place, said, follower, now)
        record = replace(record, data={**record.data, "alone": True})
        seen = not message.startswith("form.")
        card = present_scenarios_sent([each.title for each in chosen], "" if seen else text)
        async with self.desk.lock, self.desk.store.begin() as tx:
            record = await named(tx, link, place, record)
            if await says.add(tx, record):
                await keep_or_send(tx, place, record, follower, now)
                what, reply_to = f"tags/{record.local_id}", message if seen else None
                await note(tx, place, what, card, now, reply_to=reply_to)
        self.sender.nudge()
        self.desk.nudge()

    async def _read(self) -> list[Scenario]:
        return await asyncio.to_thread(read_scenarios, self.folder) if self.folder is not None else []


def read_scenarios(folder: Path) -> list[Scenario]:
    """The scenarios of a directory (``*.md``), by title; its own files only, none over 256 KiB, at most 200.

    A title is the file's first heading, else its name. What can't be read is logged and left out.
    """
    found = []
    root = folder.resolve()
    for path in sorted(root.glob("*.md"))[:MOST]:
        try:
            if not path.is_file():
                continue  # reading a pipe would never end, and a link to itself leads nowhere
            if path.resolve().parent != root:
                continue  # a link to elsewhere would send what nobody meant to offer
            if path.stat().st_size > MOST_BYTES:
                log.warning("scenario.too_big", file=path.name)
                continue
            content = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            log.warning("scenario.unreadable", file=path.name, error=str(error))
            continue
        heading = _HEADING.search(content)
        found.append(Scenario(filepath=path.name, title=heading[1] if heading else path.stem, content=content))
    return sorted(found, key=lambda each: each.title.casefold())
