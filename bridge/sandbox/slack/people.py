"""The person's side, words: what people do in the sandbox Slack, in tests, the demo and the page."""

import html
import mimetypes
import re
from typing import Any

from bridge.sandbox.slack.presses import Presses
from bridge.sandbox.slack.state import Channel, File, Json, Message, User
from bridge.sandbox.slack.wire import message_json

PART = re.compile(r"<@(U\w+)(?:\|[^>]*)?>")
STRANGERS = "T0STRANGER"


class People(Presses):
    """A world with people in it. What a person does is done at once; the app hears of it by its events."""

    def add_user(
        self,
        name: str,
        *,
        real_name: str | None = None,
        owner: bool = False,
        guest: bool = False,
        single_channel_guest: bool = False,
        stranger: bool = False,
    ) -> User:
        """Someone in the workspace, or (``stranger``) of another one, met by Slack Connect."""
        user = User(
            self.new_id("U"),
            name,
            real_name or name.capitalize(),
            STRANGERS if stranger else self.team.id,
            is_owner=owner,
            is_restricted=guest,
            is_ultra_restricted=single_channel_guest,
            is_stranger=stranger,
        )
        return self._known(user)

    def add_bot(self, name: str) -> User:
        """Another app's bot."""
        bot = User(self.new_id("U"), name, name.capitalize(), self.team.id, is_bot=True)
        bot.bot_id, bot.app_id = self.new_id("B"), self.new_id("A")
        return self._known(bot)

    def add_channel(
        self, name: str, *members: User, private: bool = False, with_bot: bool = True, shared: bool = False
    ) -> Channel:
        """A channel, ``shared`` with another workspace or not, made silently. DMs are made by ``dm``."""
        people = {user.id: user for user in members} | ({self.bot.id: self.bot} if with_bot else {})
        creator = members[0] if members else self.bot
        kind = "private" if private else "public"
        channel = Channel(self.new_id("C"), kind, name, creator, self.clock(), people, is_ext_shared=shared)
        self.channels[channel.id] = channel
        self.emit("channel", channel)
        return channel

    def say(
        self,
        channel: Channel,
        user: User,
        text: str,
        *,
        thread_ts: Message | str | None = None,
        files: list[tuple[str, bytes]] | None = None,
        broadcast: bool = False,
    ) -> Message:
        """The user (or another bot) writes, in a thread where one is named by its parent or a reply, with files as
        (name, bytes). A mention of the bot in a channel makes two events of it: ``message`` and ``app_mention``.
        """
        thread = (thread_ts.thread_ts or thread_ts.ts) if isinstance(thread_ts, Message) else thread_ts
        kept = [self._upload(user, channel, name, data) for name, data in files or []]
        content: dict[str, Any] = {"text": text, "thread_ts": thread, "broadcast": broadcast, "files": kept}
        if kept:
            content["subtype"] = "file_share"
        elif broadcast:
            content["subtype"] = "thread_broadcast"
        if not user.is_bot:
            content |= {"blocks": self._rich(text), "extra": {"client_msg_id": self.new_id("client-")}}
        message = self.post(channel, user, **content)
        if f"<@{self.bot.id}" in text and not channel.is_im:
            shown = message_json(message, self.origin, parent=False) | {"type": "app_mention"}
            event = shown | {"channel": channel.id, "event_ts": message.ts}
            self.notify(event, "app_mention", "app_mentions:read", channel)
        return message

    def mention(self) -> str:
        """The bot's mention, as it stands in a message's text."""
        return f"<@{self.bot.id}>"

    def edit(self, message: Message, text: str) -> None:
        """The author changes the text: ``message_changed``."""
        self.change(message, text=text, blocks=[] if message.user.is_bot else self._rich(text))

    def delete(self, message: Message) -> None:
        """Somebody deletes a message: ``message_deleted``, or a tombstone for a parent with replies."""
        self.remove(message)

    def react(self, message: Message, user: User, name: str) -> None:
        """The user adds a reaction (``eyes``, no colons)."""
        self.set_reaction(message, user, name, on=True)

    def unreact(self, message: Message, user: User, name: str) -> None:
        """The user takes a reaction back."""
        self.set_reaction(message, user, name, on=False)

    def join(self, channel: Channel, user: User, *, by: User | None = None) -> None:
        """Someone (the bot too) joins or is invited: ``member_joined_channel``."""
        self.add_member(channel, user, by=by or user)

    def leave(self, channel: Channel, user: User) -> None:
        """Someone leaves: ``member_left_channel``. For the bot see ``remove_bot``."""
        event: Json = {"type": "member_left_channel", "user": user.id, "channel": channel.id, "team": self.team.id}
        self.notify(event | {"event_ts": self.next_ts()}, "member_left_channel", None, channel)
        channel.members.pop(user.id)
        self.emit("channel", channel)

    def remove_bot(self, channel: Channel) -> None:
        """Somebody removes the bot: ``channel_left`` (``group_left``); calls get ``not_in_channel`` or, for a private
        one, ``channel_not_found``.
        """
        channel.members.pop(self.bot.id)
        self.emit("channel", channel)
        kind = "group_left" if channel.kind == "private" else "channel_left"
        event: Json = {"type": kind, "channel": channel.id, "event_ts": self.next_ts()}
        self.notify(event, kind, "groups:read" if channel.kind == "private" else "channels:read")

    def archive(self, channel: Channel, user: User) -> None:
        """Somebody archives the channel: ``channel_archive``; posts get ``is_archived``."""
        self.set_archived(channel, user)

    def unarchive(self, channel: Channel, user: User) -> None:
        """Somebody takes the channel out of the archive: ``channel_unarchive``."""
        self.set_archived(channel, user, archived=False)

    def rename(self, channel: Channel, name: str) -> None:
        """Somebody renames the channel: ``channel_rename``."""
        self.set_name(channel, name)

    def revoke_token(self) -> None:
        """The bot's token is revoked: ``tokens_revoked``; every call gets ``token_revoked``."""
        self.token_state = "token_revoked"
        event: Json = {"type": "tokens_revoked", "tokens": {"bot": [self.bot.id]}, "event_ts": self.next_ts()}
        self.notify(event, "tokens_revoked")

    def deactivate_account(self) -> None:
        """The app is uninstalled: ``app_uninstalled``; every call gets ``account_inactive``."""
        self.token_state = "account_inactive"
        self.notify({"type": "app_uninstalled", "event_ts": self.next_ts()}, "app_uninstalled")

    def _known(self, user: User) -> User:
        self.users[user.id] = user
        self.emit("user", user=user)
        return user

    def _upload(self, user: User, channel: Channel, name: str, data: bytes) -> File:
        mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
        file = File(self.new_id("F"), name, mime, user, len(data), data, name, None, self.clock(), [channel.id], True)
        self.files[file.id] = file
        return file

    def _rich(self, text: str) -> list[Json]:
        """What Slack's composer makes of a text: one rich text section, mentions as elements of their own."""
        parts: list[Json] = []
        for index, piece in enumerate(PART.split(text)):
            if index % 2:
                parts.append({"type": "user", "user_id": piece})
            elif piece:
                parts.append({"type": "text", "text": html.unescape(piece)})
        section: Json = {"type": "rich_text_section", "elements": parts}
        return [{"type": "rich_text", "block_id": self.new_id("b"), "elements": [section]}] if parts else []
