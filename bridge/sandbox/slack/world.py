"""The sandbox Slack without HTTP: its state, and the few ways in which it changes, for both sides alike."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from bridge.sandbox.bus import Call, EventBus
from bridge.sandbox.slack.errors import SlackError
from bridge.sandbox.slack.events import Delivery, Event
from bridge.sandbox.slack.office import PostOffice
from bridge.sandbox.slack.sockets import Sockets
from bridge.sandbox.slack.state import Channel, File, Json, Message, Session, User, View
from bridge.sandbox.slack.wire import CHANNEL_TYPES, message_json

T = TypeVar("T")
PREFIXES = {"im": "im", "mpim": "mpim", "public": "channels", "private": "groups"}
TOMBSTONE = "This message was deleted."


@dataclass(slots=True, frozen=True)
class Team:
    """The workspace."""

    id: str = "T0SANDBOX"
    name: str = "Sandbox"
    domain: str = "sandbox"


@dataclass(slots=True)
class Trigger:
    """What a trigger_id stands for: one interaction of one person, good once and for three seconds."""

    at: float
    user: User
    view: View | None = None
    used: bool = False


class World:
    """Users, channels, files, views, sessions, and the post office. Not to be used from another thread or loop.

    ``scopes`` are those of the bot's token; ``subscriptions`` the events the app wants, None for all; ``features``
    what the workspace has ("streams", "agents", "assistant"); ``ignores_lost_threads`` plays a Slack that posts a
    reply to a thread that is gone, instead of failing; ``token_state`` is "", or the error that tokens get.
    """

    def __init__(
        self,
        *,
        team: Team,
        bot: User,
        clock: Callable[[], float],
        scopes: frozenset[str],
        subscriptions: frozenset[str] | None,
        features: frozenset[str],
        stream_seconds: float,
        ack_seconds: float,
        retry_delays: tuple[float, ...],
    ) -> None:
        self.team = team
        self.bot = bot
        self.clock = clock
        self.scopes = set(scopes)
        self.subscriptions = subscriptions
        self.features = set(features)
        self.stream_seconds = stream_seconds
        self.ignores_lost_threads = False
        self.edit_window_minutes: float | None = None
        self.token_state = ""
        self.bus: EventBus[Event] = EventBus()
        self.sockets = Sockets(bot.app_id or "", lambda what: self.emit("socket", what=what))
        self.office = PostOffice(
            self.sockets, clock, self._delivery_changed, ack_seconds=ack_seconds, retry_delays=retry_delays
        )
        self.users: dict[str, User] = {bot.id: bot}
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, File] = {}
        self.views: dict[str, View] = {}
        self.modals: dict[str, list[View]] = {}
        self.homes: dict[str, View] = {}
        self.sessions: dict[tuple[str, str | None], Session] = {}
        self.triggers: dict[str, Trigger] = {}
        self.calls: list[Call] = []
        self.origin = ""
        self._numbers = itertools.count(1)
        self._last_ts = 0

    def new_id(self, prefix: str) -> str:
        """An id never given before, as ``C00000001``."""
        return f"{prefix}{next(self._numbers):08d}"

    def next_ts(self) -> str:
        """A message id: the time in seconds with six decimals, each later than the one before."""
        self._last_ts = max(self._last_ts + 1, int(self.clock() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def emit(self, kind: str, channel: Channel | None = None, message: Message | None = None, **detail: Any) -> None:
        """Tells the subscribers and those who wait."""
        self.bus.emit(Event(kind, self.clock(), channel, message, detail=detail))

    async def wait_for(self, predicate: Callable[[], T], timeout: float = 5.0, what: str = "a condition") -> T:
        """Waits until ``predicate()`` is true, asked after each event, and returns its value.

        Raises TimeoutError naming ``what`` and the last calls the app made.
        """
        try:
            return await self.bus.wait_for(predicate, timeout, what)
        except TimeoutError as error:
            last = [f"{call.method} {call.code} {call.description}".strip() for call in self.calls[-5:]]
            raise TimeoutError(f"{error}; the last calls were {last}") from None

    def post(self, channel: Channel, user: User, **content: Any) -> Message:
        """Adds a message to the channel; the app hears of it."""
        message = Message(channel, self.next_ts(), user, self.clock(), **content)
        message.record(message.at)
        channel.messages.append(message)
        if message.ephemeral_to is not None:
            self.emit("ephemeral", channel, message)
            return message
        self.emit("message", channel, message)
        if message.from_bot and message.thread_ts is not None and channel.status(message.thread_ts):
            self.set_status_line(channel, message.thread_ts, "")
        shown = message_json(message, self.origin, metadata=True, parent=False)
        self._tell_of_message(channel, shown | {"event_ts": message.ts})
        return message

    def set_status_line(self, channel: Channel, thread: str, words: str) -> None:
        """What stands below a thread until the app's next message there; empty for nothing."""
        channel.statuses = [each for each in channel.statuses if each[1] != thread] + [(self.clock(), thread, words)]
        self.emit("status", channel, thread=thread, status=words)

    def change(self, message: Message, *, tell: bool = True, **content: Any) -> None:
        """Gives a message new content and notes the revision; the app hears of it, unless not ``tell``."""
        before = message_json(message, self.origin)
        for name, value in content.items():
            setattr(message, name, value)
        message.edited_at = self.clock()
        message.record(message.edited_at)
        self.emit("edit", message.channel, message)
        if tell and message.ephemeral_to is None:
            self._tell_of_change(message, "message_changed", before, {"message": message_json(message, self.origin)})

    def remove(self, message: Message) -> None:
        """Deletes a message. A parent with replies leaves a tombstone in its place."""
        before = message_json(message, self.origin)
        if any(reply.is_reply for reply in message.channel.thread(message)) and not message.is_reply:
            gone: Json = {"blocks": [], "attachments": [], "files": [], "metadata": None}
            self.change(message, tell=False, text=TOMBSTONE, subtype="tombstone", **gone)
            after = message_json(message, self.origin) | {"hidden": True}
            self._tell_of_change(message, "message_changed", before, {"message": after})
            return
        message.deleted = True
        self.emit("delete", message.channel, message)
        if message.ephemeral_to is None:
            self._tell_of_change(message, "message_deleted", before, {"deleted_ts": message.ts})

    def notify(self, event: Json, name: str, scope: str | None = None, channel: Channel | None = None) -> None:
        """Sends an event to the app, if it subscribes to ``name``, has the scope, and is in the channel."""
        if self.subscriptions is not None and name not in self.subscriptions:
            return
        if self.token_state and name not in ("tokens_revoked", "app_uninstalled"):
            return
        if scope is not None and scope not in self.scopes:
            return
        if channel is not None and self.bot.id not in channel.members:
            return
        at = self.clock()
        payload: Json = {
            "token": "sandbox",
            "team_id": self.team.id,
            "context_team_id": self.team.id,
            "api_app_id": self.bot.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": self.new_id("Ev"),
            "event_time": int(at),
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": self.team.id,
                    "user_id": self.bot.id,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": channel is not None and channel.is_ext_shared,
            "event_context": self.new_id("4-"),
        }
        self.office.send(Delivery("events_api", payload, at))

    def new_trigger(self, user: User, view: View | None = None) -> str:
        """A trigger_id for this person's interaction."""
        trigger = f"{self.new_id('')}.{self.team.id}.sandbox"
        self.triggers[trigger] = Trigger(self.clock(), user, view)
        return trigger

    def dm(self, user: User) -> Channel:
        """The bot's DM with this person, made at need."""
        found = next((c for c in self.channels.values() if c.is_im and user.id in c.members), None)
        if found is None:
            members = {user.id: user, self.bot.id: self.bot}
            found = Channel(self.new_id("D"), "im", user.name, user, self.clock(), members)
            self.channels[found.id] = found
            self.emit("channel", found)
        return found

    def channel_for_bot(self, channel_id: str, *, member: bool = False, write: bool = False) -> Channel:
        """The channel a call names, as far as the bot can see it. Raises SlackError: ``channel_not_found``;
        (``member``) ``not_in_channel``; (``write``) ``is_archived``.
        """
        channel = self.channels.get(channel_id)
        inside = channel is not None and self.bot.id in channel.members
        if channel is None or (channel.kind != "public" and not inside):
            raise SlackError("channel_not_found")
        if member and not inside:
            raise SlackError("not_in_channel")
        if write and channel.archived:
            raise SlackError("is_archived")
        return channel

    def add_member(self, channel: Channel, user: User, *, by: User) -> None:
        """Someone joins; the app hears of it when it is in the channel then."""
        channel.members[user.id] = user
        self.emit("channel", channel)
        kind = "C" if channel.kind == "public" else "G"
        event: Json = {"type": "member_joined_channel", "user": user.id, "channel": channel.id, "channel_type": kind}
        event |= {"team": self.team.id, "inviter": by.id, "event_ts": self.next_ts()}
        self.notify(event, "member_joined_channel", f"{PREFIXES[channel.kind]}:read", channel)

    def set_archived(self, channel: Channel, by: User, *, archived: bool = True) -> None:
        """The channel becomes read-only, or (not ``archived``) takes messages again."""
        channel.archived = archived
        what = "archive" if archived else "unarchive"
        self._tell_of_channel(channel, what, {"channel": channel.id, "user": by.id})

    def set_name(self, channel: Channel, name: str) -> None:
        """The channel gets another name."""
        channel.name = name
        shown: Json = {"id": channel.id, "name": name, "created": int(channel.created)}
        self._tell_of_channel(channel, "rename", {"channel": shown})

    def set_reaction(self, message: Message, user: User, name: str, *, on: bool) -> None:
        """Adds or takes back someone's reaction; the app hears of it."""
        users = message.reactions.setdefault(name, [])
        if on and user.id not in users:
            users.append(user.id)
        elif not on and user.id in users:
            users.remove(user.id)
        if not users:
            del message.reactions[name]
        self.emit("reaction", message.channel, message, user=user.id, name=name, on=on)
        kind = "reaction_added" if on else "reaction_removed"
        item: Json = {"type": "message", "channel": message.channel.id, "ts": message.ts}
        event: Json = {"type": kind, "user": user.id, "reaction": name, "item": item, "item_user": message.user.id}
        self.notify(event | {"event_ts": self.next_ts()}, kind, "reactions:read", message.channel)

    def _tell_of_channel(self, channel: Channel, what: str, more: Json) -> None:
        self.emit("channel", channel)
        kind = f"group_{what}" if channel.kind == "private" else f"channel_{what}"
        event: Json = {"type": kind, "event_ts": self.next_ts()}
        self.notify(event | more, kind, f"{PREFIXES[channel.kind]}:read", channel)

    def _tell_of_message(self, channel: Channel, shown: Json) -> None:
        prefix, kind = PREFIXES[channel.kind], CHANNEL_TYPES[channel.kind]
        event = shown | {"channel": channel.id, "channel_type": kind}
        self.notify(event, f"message.{prefix}", f"{prefix}:history", channel)

    def _tell_of_change(self, message: Message, subtype: str, before: Json, more: Json) -> None:
        ts = self.next_ts()
        shown: Json = {"type": "message", "subtype": subtype, "hidden": True, "previous_message": before}
        self._tell_of_message(message.channel, shown | more | {"ts": ts, "event_ts": ts})

    def _delivery_changed(self, delivery: Delivery) -> None:
        self.emit("delivery", delivery=delivery)
