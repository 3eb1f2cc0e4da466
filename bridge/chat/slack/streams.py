"""Slack's native streaming: a running turn's post that grows in a DM's thread while the turn runs.

Only previews are streamed, never what must stay (invariant 2): when a wish does more than extend what was streamed,
when a stream comes to its age, and when anything goes wrong, the stream is stopped and ``chat.update`` goes on with
the same message (a stream's end may ring like a post, so a turn has one). What is streamed is known to this process
alone. After a crash a message is simply changed; where Slack says that it is streaming still, that is stopped first. A
stream carries no metadata: its first block's id says whose it is, so a start of unknown outcome is found in the thread
before anything is posted again (invariant 3).
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from bridge.chat.errors import ChatGone, MessageGone, OutcomeUnknown, Rejected, RetryAfter, SurfaceError
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.errors import NotStreaming
from bridge.chat.slack.features import STREAMS, Features
from bridge.chat.slack.live import Shown, growth, may_open, opening
from bridge.chat.slack.payload import Json, string
from bridge.chat.slack.sessions import Sessions

LIFE_S = 240.0
"""A stream is rolled over at this age; Slack ends it after about 300 s, with an error to be seen."""
MOST = 64
"""Streams open at once; an older one is stopped for a newer."""
CLOSING_S = 3.0
_OF_THIS_ONE = frozenset(
    ["invalid_chunks", "invalid_blocks", "invalid_blocks_format", "msg_too_long", "no_text", "invalid_arguments"]
)
"""What Slack says of a payload, not of the workspace."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Open:
    """A stream that was started here."""

    began: float
    thread: str
    shown: Shown = field(default_factory=Shown)


class Streams:
    """The streams of one workspace. Starting one sets its thread's agent session to processing, stopping it to what the
    call says, so the session's status is kept up. ``clock``: seconds, monotonic."""

    def __init__(self, client: SlackClient, features: Features, sessions: Sessions, clock: Callable[[], float]) -> None:
        self._client = client
        self._features = features
        self._sessions = sessions
        self._clock = clock
        self._open: OrderedDict[tuple[str, str], Open] = OrderedDict()

    async def start(self, channel: str, thread: str, live: Json, mark: str) -> str | None:
        """Start a stream; the message's ts, or ``None`` where it is to be posted instead.

        Raises what leaves its outcome in doubt, or concerns more than this message.
        """
        if not self._features.usable(STREAMS) or not may_open(live):
            return None
        while len(self._open) >= MOST:
            await self.stop(*next(iter(self._open)))
        began = self._clock()
        params: Json = {"channel": channel, "thread_ts": thread, "task_display_mode": "plan"}
        try:
            answer = await self._client.call("chat.startStream", {**params, "chunks": opening(live, mark)})
        except RetryAfter:
            return None
        except Rejected as error:
            if error.code in _OF_THIS_ONE:
                _log.warning("a turn is posted instead of streamed: %s", error)
            else:
                self._features.refused(STREAMS, str(error))
            return None
        except ChatGone as error:  # if it is, posting will say so
            _log.info("a turn is posted instead of streamed: %s", error)
            return None
        message = string(answer, "ts")
        if not message:
            raise OutcomeUnknown("Slack: the answer names no message")
        self._features.found(STREAMS)
        self._sessions.moved(channel, thread, "processing")
        stream = Open(began, thread)
        stream.shown.take(live)
        self._open[channel, message] = stream
        return message

    async def shows(self, channel: str, message: str, live: Json | None) -> bool:
        """Whether a message shows this now, its stream having grown. False: it is to be changed; no stream of ours is
        open there any more. Raises what leaves the outcome in doubt."""
        stream = self._open.get((channel, message))
        if stream is None:
            return False
        chunks = growth(stream.shown, live) if live is not None and not self._is_old(stream) else None
        if live is None or chunks is None:
            await self.stop(channel, message)
            return False
        if not chunks:
            return True
        # Whatever ends this call before its answer leaves in doubt what is shown: then it is a stream no more to us.
        del self._open[channel, message]
        try:
            await self._client.call("chat.appendStream", {"channel": channel, "ts": message, "chunks": chunks})
        except NotStreaming:
            return False
        except RetryAfter:
            self._open[channel, message] = stream
            raise
        except (Rejected, MessageGone) as error:
            _log.info("a stream is given up: %s", error)
            await self.stop(channel, message, stream.thread)
            return False
        stream.shown.take(live)
        self._open[channel, message] = stream
        return True

    async def stop(self, channel: str, message: str, thread: str | None = None) -> None:
        """Stop a stream, of ours or one that a former process left; one that is over already is success."""
        stream = self._open.get((channel, message))
        thread = stream.thread if stream is not None else thread
        status = self._sessions.status(channel, thread) if thread else None
        try:
            await self._client.call("chat.stopStream", {"channel": channel, "ts": message, "session_status": status})
        except (Rejected, MessageGone) as error:  # mostly over already; if not, changing the message says so
            _log.debug("a stream was not stopped: %s", error)
        else:
            if thread:
                self._sessions.moved(channel, thread, status or "active")
        self._open.pop((channel, message), None)

    async def forget(self, channel: str, message: str) -> None:
        """A message is to be deleted, which Slack refuses while it is streaming: stop its stream, if it has one."""
        if (channel, message) in self._open:
            await self.stop(channel, message)

    async def close(self) -> None:
        """Stop all that are open, since nobody will feed them; without an answer in time they are left to Slack."""
        try:
            async with asyncio.timeout(CLOSING_S):
                for channel, message in list(self._open):
                    await self.stop(channel, message)
        except (TimeoutError, SurfaceError) as error:
            _log.info("streams are left open: %s", error)
        self._open.clear()

    def _is_old(self, stream: Open) -> bool:
        return self._clock() - stream.began >= LIFE_S
