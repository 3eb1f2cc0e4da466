"""Slack as a surface: threads as places, messages with marks that are found again, Socket Mode or signed HTTP."""

from __future__ import annotations

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
from bridge.chat.slack.chats import Chats, is_person
from bridge.chat.slack.client import SlackClient, Timeouts
from bridge.chat.slack.downloads import Downloads
from bridge.chat.slack.errors import StillStreaming
from bridge.chat.slack.features import AGENTS, Features
from bridge.chat.slack.forms import modal
from bridge.chat.slack.hearing import Hearing
from bridge.chat.slack.marks import Marker
from bridge.chat.slack.page import page_view
from bridge.chat.slack.payload import Json, Spoken, string
from bridge.chat.slack.people import People
from bridge.chat.slack.plain import escaped
from bridge.chat.slack.posting import POST, Finder, Messages, Uploads, calling, file_mark, metadata
from bridge.chat.slack.rooms import Rooms
from bridge.chat.slack.sessions import Sessions
from bridge.chat.slack.status import Status
from bridge.chat.slack.streams import Streams
from bridge.chat.slack.threads import Threads
from bridge.chat.slack.updates import PressId, intent_of
from bridge.chat.surface import Part, Place, Rates, RawUpdate

RATES = Rates(chat_interval_s=1.0, chat_burst=2, bot_per_s=10.0, edit_interval_s=4.0)
"""A post a second per channel; of the short bursts that Slack lets pass part is left to what makes calls come late.
``chat.update`` is allowed about 50 times a minute in the whole workspace, so previews are slower than on Telegram; what
goes beyond is told to wait, per method."""


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
            Capability.FILES,
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
        self._owner = owner
        self._commands = dict(commands or {})
        self._finder = Finder(self._client)
        self._messages = Messages(self._client)
        self._threads = Threads(self._client, self._messages, self._finder)
        self._rooms = Rooms(self._client)
        self.fetch = Downloads(self._client, base_url).fetch
        self._uploads = Uploads(self._client, self._finder)
        self._marker = Marker(self._client)
        self._features = Features()
        self._status = Status(self._client, self._features, clock)
        self._sessions = Sessions(self._client, self._features, clock)
        self._streams = Streams(self._client, self._features, self._sessions, clock)
        self._chats = Chats(self._client)
        self._hearing = Hearing(
            self._client,
            People(self._client, clock),
            self._intent_of,
            by_socket=app_token is not None,
            signing_secret=signing_secret,
            ack_s=timeouts.ack_s,
        )

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        self._hearing.open()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._hearing.close()
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
        await self._client.call("pins.add", {"channel": await self._chats.id(place.chat), "timestamp": message})

    async def unpin(self, place: Place, message: str) -> None:
        await self._client.call("pins.remove", {"channel": await self._chats.id(place.chat), "timestamp": message})

    def address(self, place: Place, message: str | None) -> str | None:
        return self._chats.address(place, message, self.identity.url if self.identity else "")

    def recall(self, known: Sequence[Learnt]) -> None:
        self._features.recall(known)

    def news(self) -> Sequence[Learnt]:
        return self._features.news()

    def routes(self) -> list[web.RouteDef]:
        """Slack's requests in HTTP mode, to be added to the bridge's own HTTP server; 503 while this is not open."""
        return self._hearing.routes()

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
        channel = await self._chats.id(place.chat)
        rings = (place.chat if is_person(place.chat) else self._owner) if ring else ""
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
        if part.live is None or rings or place.thread is None or not is_person(place.chat):
            return None
        return await self._streams.start(channel, place.thread, part.live, mark)

    async def edit(self, place: Place, message: str, part: Part) -> None:
        """A file can't be changed: it counts as gone, and what matters is posted anew. Edits never ring."""
        if part.kind == "file":
            raise MessageGone("Slack: a file can't be replaced in its message")
        channel = await self._chats.id(place.chat)
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
        channel = await self._chats.id(place.chat)
        await self._streams.forget(channel, message)
        await self._client.call("chat.delete", {"channel": channel, "ts": message})

    async def find(self, place: Place, key: str, index: int, since_ms: int) -> str | None:
        return await self._finder.post(await self._chats.id(place.chat), place.thread, key, index, since_ms)

    async def open_place(self, chat: str, title: str, *, mark: str = "", wanted_ms: int | None = None) -> str | None:
        """Post a thread's first message, which names the session. One of unknown outcome is looked for when the same
        is asked again, also by the process after this one."""
        return await self._threads.open(await self._chats.id(chat), title, mark, wanted_ms)

    async def rename_place(self, place: Place, title: str) -> None:
        """Change the thread's first message, or a room's name; where else the chat itself is the place, nothing is to
        be done."""
        if place.room:
            await self._rooms.rename(place.chat, title)
        elif place.thread is not None:
            await self._threads.rename(await self._chats.id(place.chat), place.thread, title)

    async def open_room(self, home: str, room: Room) -> str:
        """A private channel with the person of the DM ``home`` in it."""
        return await self._rooms.open(home, room)

    def keep_rooms(self, chats: Sequence[str]) -> None:
        self._rooms.chats.update(chats)

    async def typing(self, place: Place) -> None:
        """The status line below a thread, where the workspace has it; elsewhere nothing. An agent session says the same
        in the same place, and the line would take its Stop button away."""
        if not self._features.present(AGENTS):
            await self._status.show(await self._chats.id(place.chat), place.thread)

    async def stand(self, place: Place, state: State, title: str, *, left: bool = False) -> None:
        """The status of the thread's agent session, where the workspace has those. The line below the thread goes when
        nobody works."""
        if place.thread is not None:
            person = place.chat if is_person(place.chat) else ""
            channel = await self._chats.id(place.chat)
            await self._sessions.set(channel, place.thread, state, title, person=person, left=left)
            if state != "working" or self._features.present(AGENTS):
                await self._status.hide(channel, place.thread)

    async def react(self, place: Place, message: str, mark: Literal["queued", "taken", "failed", "none"]) -> None:
        await self._marker.set(await self._chats.id(place.chat), message, mark)

    async def acknowledge_press(self, press: str, text: str, *, alert: bool = False) -> None:
        """An alert is a message that only the presser sees. Slack has no passing notices: other words are not shown,
        the card says what became of the press."""
        answer = PressId.read(press)
        if not alert or not text or not answer.user:
            return
        channel = answer.channel or await self._chats.id(answer.user)
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

    def updates(self) -> AsyncIterator[Sequence[RawUpdate]]:
        """Batches of what people did. Each is acknowledged to Slack when the next one is asked for. An empty batch says
        that a connection was made."""
        return self._hearing.batches()


_ONLY_POSTED = frozenset({"unfurl_links", "unfurl_media", "mrkdwn"})
"""What chat.postMessage takes and chat.update does not."""
