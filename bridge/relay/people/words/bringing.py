"""Bringing the files of a message to the computer of its session, before the message itself goes.

Each is fetched from the platform and uploaded to the hub, which hands it to the agent's process; where it went is
stored at once, so that a crash repeats at most one upload. Until then the message is still here: it can be cancelled
and changed, and an album can grow. An upload that is repeated leaves a file that no message
names: harmless, and gone with the process.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from typing import Any, Final

import structlog

from bridge.cards.words import size
from bridge.chat.capabilities import Fetching
from bridge.chat.errors import Rejected, RetryAfter, SurfaceError
from bridge.hub.errors import ComputerUnreachable, HubError, HubUnreachable, SessionInactive
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.attached import Stored, files_of, with_files
from bridge.relay.desk import Desk
from bridge.relay.keeping import NAMESPACE
from bridge.store import conversations, says
from bridge.store.records import SayRecord

MOST_BYTES: Final = 50 * 2**20
"""The hub takes no more (413)."""
AT_ONCE: Final = 2
"""Files that are in memory at the same time, of all sessions."""

log = structlog.get_logger(__name__)


class NotBrought(Exception):
    """Files that are not there (yet). ``words`` say which and why; ``lost``: their sources, all if empty."""

    def __init__(
        self, words: str, lost: Sequence[str] = (), *, again: bool = False, retry_after_s: float | None = None
    ) -> None:
        """``again``: trying again makes sense, after ``retry_after_s`` at the soonest."""
        super().__init__(words)
        self.words = words
        self.lost = tuple(lost)
        self.again = again
        self.retry_after_s = retry_after_s


class Bringing:
    """Fetches and uploads."""

    def __init__(self, desk: Desk, api: HubApi) -> None:
        self._desk = desk
        self._api = api
        self._places = asyncio.Semaphore(AT_ONCE)
        self.under_way = 0
        """Files being brought, those that wait for a place among them."""

    async def bring(self, session_id: str, head: SayRecord, pieces: Sequence[SayRecord]) -> None:
        """Bring all files of messages that go as one to the session's computer, in order; nothing more once ``head``,
        which carries the others, was cancelled. Raises :class:`NotBrought`; where one can't be had, none is fetched."""
        files = [(piece, one) for piece in pieces for one in files_of(piece) if not _is_there(one, session_id)]
        if unfit := {str(one["source"]): f"{one['name']}: {why}" for _, one in files if (why := _unfit(one))}:
            raise NotBrought("; ".join(unfit.values()), list(unfit))
        self.under_way += len(files)
        left = len(files)
        try:
            for piece, file in files:
                async with self._places:
                    if not await self._goes(head):
                        return
                    data = await self._fetch(piece, file)
                    path = await self._upload(session_id, file, data)
                    about = {"path": path, "at": session_id, "size": len(data)}
                    del data
                await self._note(piece, file | about)
                self.under_way -= 1
                left -= 1
        finally:
            self.under_way -= left

    async def _goes(self, head: SayRecord) -> bool:
        async with self._desk.store.read() as tx:
            now = await says.get(tx, head.local_id)
        return now is not None and now.state in ("kept", "sending")

    async def _fetch(self, piece: SayRecord, file: Stored) -> bytes:
        name, source = str(file["name"]), str(file["source"])
        async with self._desk.store.read() as tx:
            place = await conversations.get(tx, piece.conversation_id)
        link = self._desk.links_by_name.get(place.surface) if place is not None else None
        if link is None or not isinstance(link.surface, Fetching):
            raise NotBrought(tr("{name}: it can't be fetched from here", name=name), [source])
        try:
            data = await link.surface.fetch(source, MOST_BYTES)
        except Rejected as error:
            raise NotBrought(f"{name}: {error}", [source]) from error
        except SurfaceError as error:
            wait_s = error.seconds if isinstance(error, RetryAfter) else None
            raise NotBrought(f"{name}: {error}", [source], again=True, retry_after_s=wait_s) from error
        if not data:
            raise NotBrought(tr("{name}: the file is empty, and HAPI takes none that is", name=name), [source])
        return data

    async def _upload(self, session_id: str, file: Stored, data: bytes) -> str:
        name = str(file["name"])
        try:
            return await self._api.upload(session_id, name, data, str(file["type"]))
        except (HubUnreachable, ComputerUnreachable) as error:
            wait_s = error.retry_after_s if isinstance(error, HubUnreachable) else None
            raise NotBrought(f"{name}: {error.spoken()}", again=True, retry_after_s=wait_s) from error
        except SessionInactive as error:
            follower = self._desk.of_session(session_id)
            # A hub that was restarted knows for a moment of no agent's process.
            wakes = follower is not None and follower.session.active
            raise NotBrought(f"{name}: {error.spoken()}", again=wakes) from error
        except HubError as error:
            log.warning("file.not_uploaded", error=str(error), detail=error.detail)
            raise NotBrought(f"{name}: {error.spoken()}", [str(file["source"])]) from error

    async def _note(self, piece: SayRecord, file: Stored) -> None:
        """Store where a file went."""
        async with self._desk.store.begin() as tx:
            now = await says.get(tx, piece.local_id)
            if now is not None:
                files = [file if one["source"] == file["source"] else one for one in files_of(now)]
                await says.set_state(tx, [now.local_id], now.state, self._desk.clock(), data=with_files(now, files))


def attachments(session_id: str, pieces: Sequence[SayRecord]) -> list[dict[str, Any]] | None:
    """What a message names as its files, in order; ``None`` while not all of them are on the session's computer."""
    files = [(piece, one) for piece in pieces for one in files_of(piece)]
    if not all(_is_there(one, session_id) for _, one in files):
        return None
    return [_attachment(f"{piece.local_id}/{at}", one) for at, (piece, one) in enumerate(files)]


def _attachment(of: str, file: Stored) -> dict[str, Any]:
    about = {"id": str(uuid.uuid5(NAMESPACE, of)), "filename": file["name"], "mimeType": file["type"]}
    return {**about, "size": file["size"], "path": file["path"]}


def _is_there(file: Stored, session_id: str) -> bool:
    return "path" in file and file.get("at") == session_id


def _unfit(file: Stored) -> str:
    """Why a file can't be brought, as far as is known before it is fetched; empty if it can."""
    if isinstance(file.get("size"), int) and file["size"] > MOST_BYTES:
        return str(file.get("unfit") or tr("it has {has}, and HAPI takes at most 50 MB", has=size(file["size"])))
    return str(file.get("unfit") or "")
