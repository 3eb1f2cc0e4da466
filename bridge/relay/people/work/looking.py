"""``/git``, ``/file``, ``/find``: what changed in a session's directory, a file's diff, a file itself.

The hub asks the session's computer; nothing here changes anything there. A press draws its own card anew where a list
turns its page, and answers with a new card where something is opened.
"""

from __future__ import annotations

import base64
import binascii
import mimetypes
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_command_error
from bridge.cards.session.work_tree import (
    Change,
    Found,
    Tree,
    present_file_diff,
    present_found,
    present_other_file,
    present_text_file,
    present_tree,
    read_numstat,
    read_status,
)
from bridge.cards.words import brief
from bridge.hub.errors import ComputerUnreachable, HubError
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.hub_words import hub_words
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.in_place import beside, redraw
from bridge.relay.people.presses.pressed import Pressed, Refused, Words
from bridge.store import pictures

MOST_FOUND: Final = 60
MOST_BYTES: Final = 45_000_000
"""More than that no chat takes from a bot."""
MOST_SHOWN: Final = 500_000
"""Bytes of a text that is drawn as a card; a larger one comes as a file alone, which nothing lays out or compares."""


T = TypeVar("T")


class NotShown(Exception):
    """The computer could not show it; ``str()`` says why."""


@dataclass(frozen=True, slots=True)
class Looking:
    """Looks into a session's directory."""

    desk: Desk
    api: HubApi

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {
            "git": Known(lambda asked: self._command(asked, self._git), waits=True, right="talk"),
            "file": Known(lambda asked: self._command(asked, self._file), waits=True, right="talk"),
            "find": Known(lambda asked: self._command(asked, self._find), waits=True, right="talk"),
        }

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {
            "work_tree": presses.Known(self._turn_tree, waits=True),
            "work_find": presses.Known(self._turn_found, waits=True),
            "work_diff": presses.Known(self._open_diff, waits=True),
            "work_file": presses.Known(self._open_file, waits=True),
            "work_list": presses.Known(self._open_directory, waits=True),
        }

    # How each is asked for

    async def _command(self, asked: Asked, look: Callable[[str, str], Awaitable[Card]]) -> Card:
        follower = asked.target.follower
        if follower is None:
            return present_command_error(tr("Say it in the session's own place, or as a reply to one of its messages."))
        try:
            return await look(follower.session.id, asked.command.arguments.strip())
        except (NotShown, HubError) as error:
            return present_command_error(_why(error))

    async def _git(self, session: str, words: str) -> Card:
        if words:
            return await self._diff(session, words, staged=False)
        return present_tree(await self._tree(session), session)

    async def _find(self, session: str, words: str) -> Card:
        if not words:
            return await self._directory(session, "")
        return present_found(words, await self._found(session, words), session)

    async def _turn_tree(self, pressed: Pressed) -> Words:
        session, page = self._session(pressed), _page(pressed)
        await redraw(self.desk, pressed, present_tree(await self._shown(self._tree(session)), session, page))
        return ""

    async def _turn_found(self, pressed: Pressed) -> Words:
        session, words = self._session(pressed), str(pressed.act.data.get("words", ""))
        found = await self._shown(self._found(session, words))
        await redraw(self.desk, pressed, present_found(words, found, session, _page(pressed)))
        return ""

    async def _open_diff(self, pressed: Pressed) -> Words:
        path, staged = str(pressed.act.data["path"]), bool(pressed.act.data.get("staged"))
        return await self._open(pressed, self._diff(self._session(pressed), path, staged=staged))

    async def _open_file(self, pressed: Pressed) -> Words:
        return await self._open(pressed, self._file(self._session(pressed), str(pressed.act.data["path"])))

    async def _open_directory(self, pressed: Pressed) -> Words:
        return await self._open(pressed, self._directory(self._session(pressed), str(pressed.act.data["path"])))

    async def _open(self, pressed: Pressed, look: Awaitable[Card]) -> Words:
        """Show what was opened as a card of its own, under the one it was opened from."""
        await beside(self.desk, pressed, await self._shown(look))
        return ""

    async def _shown(self, look: Awaitable[T]) -> T:
        try:
            return await look
        except (NotShown, HubError) as error:
            raise Refused(_why(error)) from error

    def _session(self, pressed: Pressed) -> str:
        """The session a card is about, wherever it goes on by now."""
        follower = self.desk.of_session(pressed.act.session or "")
        return follower.session.id if follower is not None else pressed.act.session or ""

    # What is there to see

    async def _tree(self, session: str) -> Tree:
        tree = read_status(await self._git_said(session, "git-status"))
        counts: dict[str, tuple[int, int]] = {}
        for staged in ("true", "false"):
            said = await self._git_said(session, "git-diff-numstat", staged=staged)
            for path, (more, less) in read_numstat(said).items():
                added, removed = counts.get(path, (0, 0))
                counts[path] = (added + more, removed + less)
        return replace(tree, changes=tuple(_counted(each, counts.get(each.path)) for each in tree.changes))

    async def _diff(self, session: str, path: str, *, staged: bool) -> Card:
        said = await self._git_said(session, "git-diff-file", path=path, staged="true" if staged else "false")
        if len(data := said.encode("utf-8", "replace")) > MOST_SHOWN:
            return await self._kept(session, f"{path}.diff", data, "text/x-diff")
        return present_file_diff(path, said, session, staged=staged)

    async def _git_said(self, session: str, view: str, **query: str) -> str:
        answer = await self.api.look(session, view, **query)
        if answer.get("exitCode"):
            raise NotShown(tr("git says: {words}", words=str(answer.get("stderr") or "").strip()[:300]))
        return str(answer.get("stdout") or "")

    async def _file(self, session: str, path: str) -> Card:
        if not path:
            raise NotShown(tr("Write which file after it: /file src/main.py"))
        answer = await self.api.look(session, "file", path=path)
        try:
            data = base64.b64decode(str(answer.get("content") or ""), validate=True)
        except (binascii.Error, ValueError):
            raise NotShown(tr("HAPI sent the file in a form that can't be read.")) from None
        if len(data) > MOST_BYTES:
            raise NotShown(tr("This file is too big for a chat."))
        text = _text(data)
        if text is not None:
            return present_text_file(path, text, len(data))
        media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
        return await self._kept(session, path, data, media_type)

    async def _kept(self, session: str, path: str, data: bytes, media_type: str) -> Card:
        """Bytes that are no text, or too much of it, kept for the courier."""
        now = self.desk.clock()
        source = f"file/{session}/{path}/{now}"
        async with self.desk.store.begin() as tx:
            await pictures.want(tx, source, session, path, now)
            await pictures.fetched(tx, source, data)
        return present_other_file(path, len(data), media_type, source)

    async def _found(self, session: str, words: str) -> list[Found]:
        answer = await self.api.look(session, "files", query=words)
        entries = [each for each in _entries(answer, "files") if isinstance(each.get("fullPath"), str)]
        return [Found(each["fullPath"], _size(each.get("size")), each.get("fileType") == "folder") for each in entries][
            :MOST_FOUND
        ]

    async def _directory(self, session: str, path: str) -> Card:
        answer = await self.api.look(session, "directory", path=path)
        base = f"{path.rstrip('/')}/" if path else ""
        found = [
            Found(base + str(each.get("name")), _size(each.get("size")), each.get("type") == "directory")
            for each in _entries(answer, "entries")
        ]
        return present_found(path, found[:MOST_FOUND], session)


def _text(data: bytes) -> str | None:
    """Bytes as a text that a card can show."""
    if len(data) > MOST_SHOWN:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if "\0" not in text else None


def _counted(change: Change, lines: tuple[int, int] | None) -> Change:
    return change if lines is None else replace(change, added=lines[0], removed=lines[1])


def _entries(answer: dict[str, Any], name: str) -> list[dict[str, Any]]:
    entries = answer.get(name)
    return [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []


def _size(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _page(pressed: Pressed) -> int:
    page = pressed.act.data.get("page")
    return page if isinstance(page, int) and page >= 0 else 0


def _why(error: Exception) -> str:
    if isinstance(error, ComputerUnreachable) and error.status == 200 and error.detail:
        return tr("The computer says: {words}", words=brief(error.detail, 300))  # it is there, and refuses
    return hub_words(error) if isinstance(error, HubError) else str(error)
