"""What the visitor does in the sandbox Slack."""

from __future__ import annotations

import html
from typing import Any

from aiohttp import web

from bridge.sandbox.page.bodies import (
    Nothing,
    SlackClose,
    SlackCommand,
    SlackEdit,
    SlackMessage,
    SlackPress,
    SlackReact,
    SlackSay,
    SlackShortcut,
    SlackStop,
    SlackSubmit,
    read,
)
from bridge.sandbox.page.guard import Refused
from bridge.sandbox.page.slack_view import seen, visible
from bridge.sandbox.slack import Channel, Message, Placed, SlackServer, User, View
from bridge.sandbox.slack.account import EMOJI

MOST_CHARACTERS = 40_000


class SlackHands:
    """One person's hands. What can't be done is `Refused` with 4xx."""

    def __init__(self, server: SlackServer, me: User) -> None:
        self._server = server
        self._me = me

    def routes(self) -> list[web.RouteDef]:
        """The POSTs below ``/api/slack``."""
        return [
            web.post("/api/slack/say", self._say),
            web.post("/api/slack/press", self._press),
            web.post("/api/slack/edit", self._edit),
            web.post("/api/slack/delete", self._delete),
            web.post("/api/slack/react", self._react),
            web.post("/api/slack/command", self._command),
            web.post("/api/slack/view/submit", self._submit),
            web.post("/api/slack/view/close", self._close),
            web.post("/api/slack/home/open", self._open_home),
            web.post("/api/slack/shortcut", self._shortcut),
            web.post("/api/slack/stop", self._stop),
        ]

    async def _say(self, request: web.Request) -> web.Response:
        body = await read(request, SlackSay)
        channel = self._channel(body.channel)
        if channel.archived:
            raise Refused(409, "the channel is archived")
        if len(body.text) > MOST_CHARACTERS:
            raise Refused(400, f"a message has at most {MOST_CHARACTERS} characters")
        if body.thread_ts is not None and channel.message(body.thread_ts) is None:
            raise Refused(409, "the thread is gone")
        if body.file is None and not body.text.strip():
            raise Refused(400, "there is nothing to send")
        files = None if body.file is None else [(body.file.name, body.file.content())]
        message = self._server.say(channel, self._me, self._typed(body.text), thread_ts=body.thread_ts, files=files)
        return _ok(message=seen(self._server, message))

    def _typed(self, text: str) -> str:
        """What Slack's client sends for typed words: three characters escaped, the bot's name as its mention."""
        escaped = html.escape(text, quote=False)
        return escaped.replace(f"@{self._server.bot.real_name}", self._server.mention())

    async def _press(self, request: web.Request) -> web.Response:
        body = await read(request, SlackPress)
        place: Message | View
        if body.view_id is not None:
            place = self._view(body.view_id)
        elif body.channel is not None and body.message_ts is not None:
            place = self._message(body.channel, body.message_ts)
        else:
            raise Refused(400, "say where: channel and message_ts, or view_id")
        element = _element(place, body)
        try:
            if element.type in ("button", "icon_button"):
                self._server.press(place, element, self._me)
            else:
                value = body.value if body.selected_options is None else body.selected_options
                self._server.choose(place, element, value, self._me)
        except LookupError as error:
            raise Refused(409, _words(error)) from None
        return _ok()

    async def _edit(self, request: web.Request) -> web.Response:
        body = await read(request, SlackEdit)
        self._server.edit(self._own(body), self._typed(body.text))
        return _ok()

    async def _delete(self, request: web.Request) -> web.Response:
        self._server.delete(self._own(await read(request, SlackMessage)))
        return _ok()

    async def _react(self, request: web.Request) -> web.Response:
        body = await read(request, SlackReact)
        if not EMOJI.fullmatch(body.name):
            raise Refused(400, "an emoji's name has small letters and no colons")
        message = self._message(body.channel, body.ts)
        (self._server.react if body.on else self._server.unreact)(message, self._me, body.name)
        return _ok()

    async def _command(self, request: web.Request) -> web.Response:
        body = await read(request, SlackCommand)
        try:
            self._server.slash_command(self._channel(body.channel), self._me, body.command, body.text)
        except LookupError as error:
            raise Refused(400, _words(error)) from None
        return _ok()

    async def _submit(self, request: web.Request) -> web.Response:
        body = await read(request, SlackSubmit)
        view = self._view(body.view_id)
        there = {(one.block_id, one.action_id): one for one in view.elements}
        given = {(block, action): value for block, each in body.state.items() for action, value in each.items()}
        if unknown := given.keys() - there.keys():
            raise Refused(409, f"the form has no field {'/'.join(min(unknown))}")
        try:
            self._server.submit_view(view, {block: value for (block, _), value in given.items()}, self._me)
        except LookupError as error:
            raise Refused(409, _words(error)) from None
        except ValueError as error:
            raise Refused(400, str(error)) from None
        return _ok()

    async def _close(self, request: web.Request) -> web.Response:
        view = self._view((await read(request, SlackClose)).view_id)
        try:
            self._server.close_view(view, self._me)
        except LookupError as error:
            raise Refused(409, _words(error)) from None
        return _ok()

    async def _open_home(self, request: web.Request) -> web.Response:
        await read(request, Nothing)
        self._server.open_home(self._me)
        return _ok()

    async def _shortcut(self, request: web.Request) -> web.Response:
        body = await read(request, SlackShortcut)
        if body.channel is not None and body.message_ts is not None:
            self._server.message_shortcut(self._message(body.channel, body.message_ts), body.callback_id, self._me)
        else:
            self._server.global_shortcut(body.callback_id, self._me)
        return _ok()

    async def _stop(self, request: web.Request) -> web.Response:
        body = await read(request, SlackStop)
        try:
            self._server.stop_session(self._channel(body.channel), body.thread_ts, self._me)
        except LookupError as error:
            raise Refused(409, _words(error)) from None
        return _ok()

    def _channel(self, channel_id: str) -> Channel:
        channel = self._server.channels.get(channel_id)
        if channel is None or self._me.id not in channel.members:
            raise Refused(404, "there is no such channel")
        return channel

    def _message(self, channel_id: str, ts: str) -> Message:
        message = self._channel(channel_id).message(ts)
        if message is None or not visible(message, self._me):
            raise Refused(404, "there is no such message")
        return message

    def _own(self, body: SlackMessage) -> Message:
        message = self._message(body.channel, body.ts)
        if message.user is not self._me:
            raise Refused(403, "only one's own messages can be changed")
        return message

    def _view(self, view_id: str) -> View:
        view = self._server.views.get(view_id)
        if view is None or view.user is not self._me:
            raise Refused(404, "there is no such form")
        return view


def _element(place: Message | View, body: SlackPress) -> Placed:
    for element in place.elements:
        if element.action_id == body.action_id and body.block_id in ("", element.block_id):
            return element
    raise Refused(409, "this button is gone")


def _words(error: LookupError) -> str:
    return str(error.args[0]) if error.args else str(error)


def _ok(**more: Any) -> web.Response:
    return web.json_response({"ok": True, **more})
