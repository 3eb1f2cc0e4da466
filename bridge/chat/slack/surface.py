"""Slack as a surface: threads as places, messages with marks that are found again, Socket Mode or signed HTTP.

A DM goes by its person's id (``U…``) everywhere outside of this package: it is known before Slack was ever reached,
and Slack's own id for the DM (``D…``) is asked for when it is needed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

from aiohttp import web

from bridge.cards.model import Card
from bridge.cards.text import clean
from bridge.chat.capabilities import Capability, Form, Learnt, Room, State
from bridge.chat.errors import MessageGone, Rejected, Unreachable
from bridge.chat.intents import Command, Intent, Press, Say
from bridge.chat.slack import render
from bridge.chat.slack.client import SlackClient, Timeouts
from bridge.chat.slack.errors import StillStreaming
from bridge.chat.slack.features import AGENTS, Features
from bridge.chat.slack.forms import modal
from bridge.chat.slack.intake import Intake
from bridge.chat.slack.marks import Marker
from bridge.chat.slack.page import page_view
from bridge.chat.slack.payload import PATH, Json, Spoken, child, string
from bridge.chat.slack.people import People
from bridge.chat.slack.plain import escaped
from bridge.chat.slack.posting import POST, Finder, Messages, Uploads, calling, file_mark, metadata
from bridge.chat.slack.reception import Reception
from bridge.chat.slack.rooms import Rooms
from bridge.chat.slack.sessions import Sessions
from bridge.chat.slack.socket import SocketMode
from bridge.chat.slack.status import Status
from bridge.chat.slack.streams import Streams
from bridge.chat.slack.threads import Threads
from bridge.chat.slack.updates import PressId, intent_of
from bridge.chat.surface import Part, Place, Rates, RawUpdate

RATES = Rates(chat_interval_s=1.0, chat_burst=2, bot_per_s=10.0, edit_interval_s=4.0)
"""A post a second per channel; of the short bursts that Slack lets pass part is left to what makes calls come late.
``chat.update`` is allowed about 50 times a minute in the whole workspace, so previews are slower than on Telegram; what
goes beyond is told to wait, per method."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is, and where. ``scopes``: what its token may do, ``None`` if Slack does not say."""

    user: str
    bot: str
    name: str
    team: str
    team_name: str
    scopes: frozenset[str] | None = None
    url: str = ""
    """The workspace's own address, with a slash at its end."""


class SlackSurface:
    """One Slack app in one workspace. ``async with`` opens its connections; Slack itself need not be there yet. What
    the methods without a word of their own promise is written in :class:`bridge.chat.surface.Surface`.

    ``app_token``: Socket Mode; else ``signing_secret``, and :meth:`routes` are to be served where Slack reaches them.
    ``commands``: what is a command after ``@bot`` or ``/hapi``, see ``updates.intent_of``. ``owner``: whom a message in
    a channel calls, if it must ring. ``clock``: seconds, monotonic.
    """

    name: str = "slack"
    capabilities: frozenset[str] = frozenset(
        {
            Capability.TOPICS,
            Capability.TYPING,
            Capability.PINS,
            Capability.REACTIONS,
            Capability.FIND,
            Capability.FORMS,
            Capability.PAGE,
            Capability.ROOMS,
            Capability.STATES,
            Capability.LEARNS,
        }
    )

    def __init__(
        self,
        bot_token: str,
        base_url: str = "https://slack.com/api/",
        *,
        app_token: str | None = None,
        signing_secret: str | None = None,
        commands: Spoken | None = None,
        owner: str = "",
        rates: Rates | None = None,
        timeouts: Timeouts | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if app_token is None and signing_secret is None:
            raise ValueError("Slack needs SLACK_APP_TOKEN, or for HTTP mode SLACK_SIGNING_SECRET")
        timeouts = timeouts or Timeouts()
        self.rates: Rates = rates or RATES
        self.identity: Identity | None = None
        self._client = SlackClient(bot_token, base_url, app_token=app_token, timeouts=timeouts, clock=clock)
        self._by_socket = app_token is not None
        self._signing_secret = signing_secret
        self._owner = owner
        self._commands = dict(commands or {})
        self._intake = Intake(timeouts.ack_s)
        self._finder = Finder(self._client)
        self._messages = Messages(self._client)
        self._threads = Threads(self._client, self._messages, self._finder)
        self._rooms = Rooms(self._client)
        self._uploads = Uploads(self._client, self._finder)
        self._marker = Marker(self._client)
        self._features = Features()
        self._status = Status(self._client, self._features, clock)
        self._sessions = Sessions(self._client, self._features, clock)
        self._streams = Streams(self._client, self._features, self._sessions, clock)
        self._people = People(self._client, clock)
        self._reception: Reception | None = None
        self._line: asyncio.Task[None] | None = None
        self._dms: dict[str, str] = {}

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        self._reception = Reception(
            self._client.web, self._people, self._intake.store, self._intent_of, self._signing_secret
        )
        return self

    async def __aexit__(self, *exc: object) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await line
        self._reception = None
        await self._streams.close()
        await self._client.__aexit__(*exc)

    async def check(self) -> Identity:
        """Ask Slack who this bot is. Raises :class:`SurfaceError`; :class:`LoginRefused` for a wrong token."""
        me = await self._client.call("auth.test")
        if not string(me, "user_id"):
            raise Unreachable("Slack: the answer to auth.test can't be read")
        user, bot, name, team, team_name = (string(me, one) for one in ("user_id", "bot_id", "user", "team_id", "team"))
        self.identity = Identity(user, bot, name, team, team_name, self._client.scopes, string(me, "url"))
        return self.identity

    async def pin(self, place: Place, message: str) -> None:
        await self._client.call("pins.add", {"channel": await self._channel(place.chat), "timestamp": message})

    def address(self, place: Place, message: str | None) -> str | None:
        """A permalink, as chat.getPermalink makes them; a place that is a direct message has none without a message."""
        at, base = message or place.thread, self.identity.url if self.identity else ""
        chat = self._dms.get(place.chat, place.chat)
        if not base or _is_person(chat):
            return None
        if at is None:
            return f"{base}archives/{chat}"
        inside = f"?thread_ts={place.thread}&cid={chat}" if place.thread and place.thread != at else ""
        return f"{base}archives/{chat}/p{at.replace('.', '')}{inside}"

    def recall(self, known: Sequence[Learnt]) -> None:
        self._features.recall(known)

    def news(self) -> Sequence[Learnt]:
        return self._features.news()

    def routes(self) -> list[web.RouteDef]:
        """Slack's requests in HTTP mode, to be added to the bridge's own HTTP server; 503 while this is not open."""
        return [web.post(PATH, self._by_http)]

    async def _by_http(self, request: web.Request) -> web.Response:
        if self._reception is None:
            return web.Response(status=503, text="not ready")
        return await self._reception.by_http(request)

    def intent(self, update: RawUpdate) -> Intent | None:
        """What the person behind an update wants; see :func:`bridge.chat.slack.updates.intent_of`."""
        intent, ahead = self._intent_of(update.payload), self._client.ahead_ms
        if ahead and isinstance(intent, Say | Command | Press) and intent.sent_at_ms:
            return replace(intent, sent_at_ms=intent.sent_at_ms + ahead)  # in our time, see clocks
        return intent

    def _intent_of(self, body: Json) -> Intent | None:
        return intent_of(body, self._commands, self._rooms.chats)

    def render(self, key: str, card: Card, place: Place) -> list[Part]:
        return render.render(key, card, place)

    def duller(self, part: Part) -> Part | None:
        return render.duller(part)

    async def send(
        self, place: Place, part: Part, *, ring: bool, reply_to: str | None = None, key: str, index: int
    ) -> str:
        """Slack has no replies but threads, so ``reply_to`` means nothing here; see :func:`.posting.calling` for
        what rings."""
        channel = await self._channel(place.chat)
        rings = (place.chat if _is_person(place.chat) else self._owner) if ring else ""
        if part.kind == "file":
            if part.file is None:
                raise Rejected("the file to send is missing")
            mark = file_mark(key, index)
            data = part.content if part.content is not None else part.file.text.encode()
            message = await self._uploads.send(channel, place.thread, part.file.name, data, part.payload, mark, rings)
        elif (started := await self._stream(place, channel, part, rings, file_mark(key, index))) is not None:
            message = started
        else:
            payload = calling(part.payload, rings) if rings else part.payload
            message = await self._messages.post(channel, place.thread, payload, metadata(POST, key=key, index=index))
        self._status.covered(channel, place.thread)
        return message

    async def _stream(self, place: Place, channel: str, part: Part, rings: str, mark: str) -> str | None:
        """Start a stream, if the part is one and the place may have one: in a channel it would be for one person."""
        if part.live is None or rings or place.thread is None or not _is_person(place.chat):
            return None
        return await self._streams.start(channel, place.thread, part.live, mark)

    async def edit(self, place: Place, message: str, part: Part) -> None:
        """A file can't be changed: it counts as gone, and what matters is posted anew. Edits never ring."""
        if part.kind == "file":
            raise MessageGone("Slack: a file can't be replaced in its message")
        channel = await self._channel(place.chat)
        if await self._streams.shows(channel, message, part.live):
            return
        params = {"blocks": [], "attachments": [], **part.payload, "channel": channel, "ts": message}
        params = {name: value for name, value in params.items() if name not in _ONLY_POSTED}
        try:
            await self._client.call("chat.update", params)
        except StillStreaming:  # a former process left it so
            await self._streams.stop(channel, message, place.thread)
            await self._client.call("chat.update", params)

    async def delete(self, place: Place, message: str) -> None:
        channel = await self._channel(place.chat)
        await self._streams.forget(channel, message)
        await self._client.call("chat.delete", {"channel": channel, "ts": message})

    async def find(self, place: Place, key: str, index: int, since_ms: int) -> str | None:
        return await self._finder.post(await self._channel(place.chat), place.thread, key, index, since_ms)

    async def open_place(self, chat: str, title: str, *, mark: str = "", wanted_ms: int | None = None) -> str | None:
        """Post a thread's first message, which names the session. One of unknown outcome is looked for when the same
        is asked again, also by the process after this one."""
        return await self._threads.open(await self._channel(chat), title, mark, wanted_ms)

    async def rename_place(self, place: Place, title: str) -> None:
        """Change the thread's first message, or a room's name; where else the chat itself is the place, nothing is to
        be done."""
        if place.room:
            await self._rooms.rename(place.chat, title)
        elif place.thread is not None:
            await self._threads.rename(await self._channel(place.chat), place.thread, title)

    async def open_room(self, home: str, room: Room) -> str:
        """A private channel with the person of the DM ``home`` in it."""
        return await self._rooms.open(home, room)

    def keep_rooms(self, chats: Sequence[str]) -> None:
        self._rooms.chats.update(chats)

    async def typing(self, place: Place) -> None:
        """The status line below a thread, where the workspace has it; elsewhere nothing. An agent session says the same
        in the same place, and the line would take its Stop button away."""
        if not self._features.present(AGENTS):
            await self._status.show(await self._channel(place.chat), place.thread)

    async def stand(self, place: Place, state: State, title: str, *, left: bool = False) -> None:
        """The status of the thread's agent session, where the workspace has those. The line below the thread goes when
        nobody works."""
        if place.thread is not None:
            person = place.chat if _is_person(place.chat) else ""
            channel = await self._channel(place.chat)
            await self._sessions.set(channel, place.thread, state, title, person=person, left=left)
            if state != "working" or self._features.present(AGENTS):
                await self._status.hide(channel, place.thread)

    async def react(self, place: Place, message: str, mark: Literal["queued", "taken", "failed", "none"]) -> None:
        await self._marker.set(await self._channel(place.chat), message, mark)

    async def acknowledge_press(self, press: str, text: str, *, alert: bool = False) -> None:
        """An alert is a message that only the presser sees. Slack has no passing notices: other words are not shown,
        the card says what became of the press."""
        answer = PressId.read(press)
        if not alert or not text or not answer.user:
            return
        channel = answer.channel or await self._channel(answer.user)
        params = {"channel": channel, "user": answer.user, "text": escaped(clean(text))}
        await self._client.call("chat.postEphemeral", params | ({"thread_ts": answer.thread} if answer.thread else {}))

    async def ask(self, press: str, form: Form) -> None:
        """Open a form for the person who pressed, within three seconds of the press; what they write comes as another
        :class:`~bridge.chat.intents.Press`, with ``text``. :class:`Rejected` if the press is too old."""
        trigger = PressId.read(press).trigger
        if not trigger:
            raise Rejected("only a press can open a form")
        await self._client.call("views.open", {"trigger_id": trigger, "view": modal(form, press)})

    async def publish(self, person: str, cards: Sequence[tuple[str, Card]]) -> None:
        """The person's App Home."""
        await self._client.call("views.publish", {"user_id": person, "view": page_view(cards)})

    async def updates(self) -> AsyncIterator[Sequence[RawUpdate]]:
        """Batches of what people did. Each is acknowledged to Slack when the next one is asked for. An empty batch says
        that a connection was made."""
        if self._by_socket and (self._line is None or self._line.done()):
            self._line = asyncio.create_task(self._listen(), name="slack-socket")
            self._line.add_done_callback(self._listened)
        async for batch in self._intake.batches():
            yield batch

    async def _listen(self) -> None:
        assert self._reception is not None, "the surface is open"
        socket = SocketMode(self._client, self._reception.by_socket, self._intake.connected)
        self._intake.fail(await socket.run())

    def _listened(self, line: asyncio.Task[None]) -> None:
        """Should listening ever end otherwise than by an error of a surface, it is taken up again all the same."""
        if not line.cancelled() and (error := line.exception()) is not None:
            _log.error("the Socket Mode connection ended in an unforeseen way", exc_info=error)
            self._intake.fail(Unreachable(f"Slack: the bridge's own error {type(error).__name__}"))

    async def _channel(self, chat: str) -> str:
        """Slack's id of a chat; a person's DM is opened at need."""
        if not _is_person(chat):
            return chat
        if chat not in self._dms:
            opened = child(await self._client.call("conversations.open", {"users": chat}), "channel")
            if not string(opened, "id"):
                raise Unreachable("Slack: the answer to conversations.open can't be read")
            self._dms[chat] = string(opened, "id")
        return self._dms[chat]


_ONLY_POSTED = frozenset({"unfurl_links", "unfurl_media", "mrkdwn"})
"""What chat.postMessage takes and chat.update does not."""


def _is_person(chat: str) -> bool:
    return chat.startswith(("U", "W"))
