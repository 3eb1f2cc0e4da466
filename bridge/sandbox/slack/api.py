"""The world as the Web API's methods see it: with the checks of content, and with streams that age."""

from typing import Any

from bridge.sandbox.slack.content import Content
from bridge.sandbox.slack.schema import BlockSchema
from bridge.sandbox.slack.state import Message
from bridge.sandbox.slack.world import World


class Api(World):
    """A world with content checks. ``schema`` None: the hand-written checks alone."""

    def __init__(self, *, schema: BlockSchema | None, **world: Any) -> None:
        super().__init__(**world)
        self.content = Content(self, schema)

    def stream_state(self, message: Message) -> str:
        """How the message's stream stands now: streaming, stopped, stopped_by_user, expired; empty if it has none."""
        stream = message.stream
        if stream is None:
            return ""
        if stream.state == "streaming" and self.clock() - stream.started > self.stream_seconds:
            self.expire_stream(message)
        return stream.state

    def expire_stream(self, message: Message) -> None:
        """The five minutes are over: the message stays as it is, and appends fail. Raises ValueError for no stream."""
        if message.stream is None:
            raise ValueError(f"message {message.ts} was never streamed")
        message.stream.state = "expired"
        self.emit("stream", message.channel, message)
