"""What happens in the sandbox Slack, as events of the page."""

from __future__ import annotations

from bridge.sandbox.page.calls import CallLog
from bridge.sandbox.page.feed import Feed
from bridge.sandbox.page.slack_view import channel_json, home, seen, sessions, status_json, views
from bridge.sandbox.slack import Channel, Delivery, Event, Message, SlackServer, User

NO_ANSWER = "The app did not respond. Try again."
"""What Slack says when an interaction or a command was not acknowledged in time."""


class SlackNews:
    """Tells the feed what ``me`` would see. ``calls`` is the log that both platforms share."""

    def __init__(self, server: SlackServer, me: User, feed: Feed, calls: CallLog) -> None:
        self._server = server
        self._me = me
        self._feed = feed
        self._calls = calls

    async def run(self) -> None:
        """Pass everything on until cancelled."""
        with self._server.bus.subscribe() as events:
            while True:
                self._tell(await events.get())

    def _tell(self, event: Event) -> None:
        match event.kind:
            case "call" if event.call is not None:
                self._calls.note("slack", event.call, self._server.rates.standing(), self._server.calls)
            case "message" | "edit" | "ephemeral" | "delete" | "stream" | "reaction":
                if event.channel is not None and event.message is not None:
                    self._message(event.kind, event.channel, event.message)
            case "channel" if event.channel is not None:
                self._feed.tell("slack.channel", channel=channel_json(self._server, event.channel))
            case "status" if event.channel is not None and "thread" in event.detail:
                thread = event.detail["thread"]
                line = status_json(self._server, event.channel, thread)
                self._feed.tell("slack.status", channel=event.channel.id, thread_ts=thread, **line)
            case "session":
                self._feed.tell("slack.session", sessions=sessions(self._server))
            case "view":
                self._feed.tell("slack.view", views=views(self._server, self._me))
            case "home":
                self._feed.tell("slack.home", home=home(self._server, self._me))
            case "delivery":
                self._delivery(event.detail["delivery"])

    def _message(self, kind: str, channel: Channel, message: Message) -> None:
        if self._me.id not in channel.members or message.ephemeral_to not in (None, self._me):
            return
        what = {"ephemeral": "message", "stream": "edit"}.get(kind, kind)
        self._feed.tell(f"slack.{what}", channel=channel.id, message=seen(self._server, message))
        if what in ("message", "delete") and message.is_reply:
            parent = channel.message(message.thread_ts or "")
            if parent is not None:  # it counts its replies
                self._feed.tell("slack.edit", channel=channel.id, message=seen(self._server, parent))

    def _delivery(self, delivery: Delivery) -> None:
        if delivery.state != "failed" or delivery.kind == "events_api":
            return
        self._feed.tell("slack.answer", words=NO_ANSWER)
        self._feed.tell("slack.view", views=views(self._server, self._me))
