"""The fold: wire messages and the session's `agentState` become blocks, one at a time.

Feeding costs the same at any length. Two rare things make the conversation anew, at a cost that grows with it:
a message that comes again with another content, and a title that is learned after a result of its call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.transcript.blocks import Block, to_json
from bridge.transcript.changes import Changes, Recorder
from bridge.transcript.conversation import Conversation
from bridge.transcript.envelope import decode
from bridge.transcript.grouping import group_tools
from bridge.transcript.parts import Entry
from bridge.transcript.permissions import Request, read_agent_state
from bridge.transcript.usage import Usage
from bridge.transcript.values import too_deep

__all__ = ["Changes", "Transcript"]


@dataclass(slots=True)
class _Fed:
    """A message as it came last: what it decoded to and what it was decoded from."""

    entry: Entry | None
    message: Mapping[str, Any]


class Transcript:
    """One session's conversation. Messages are taken in the order given; sorting is the window's business.

    `has_more_messages` says that older messages exist which were not fed: pending requests older than the
    oldest message then get no card of their own.
    """

    def __init__(self, *, has_more_messages: bool = False, unknown: Counter[str] | None = None) -> None:
        self.unknown: Counter[str] = Counter() if unknown is None else unknown
        self._fed: list[_Fed] = []
        self._by_id: dict[str, _Fed] = {}
        self._recorder = Recorder()
        self._has_more = has_more_messages
        self._requests: dict[str, Request] = {}
        self._conversation = Conversation(self._recorder, has_more=has_more_messages)

    @property
    def blocks(self) -> Sequence[Block]:
        """The root blocks in order; live, not to be changed."""
        return self._conversation.blocks

    @property
    def latest_usage(self) -> Usage | None:
        """The usage of the last root message that carried one."""
        return self._conversation.latest_usage

    @property
    def has_ready_event(self) -> bool:
        """Whether any message was a `ready` event."""
        return self._conversation.has_ready_event

    def visible_blocks(self) -> list[Block]:
        """The root blocks with neighbouring small tools grouped. Costs as much as there are blocks."""
        return group_tools(self.blocks, has_more_messages=self._has_more)

    def feed(self, message: Mapping[str, Any]) -> Changes:
        """Take one wire message; say what it changed. A message that came before replaces itself.

        Never raises, whatever the message holds.
        """
        message_id = message.get("id")
        known = self._by_id.get(message_id) if isinstance(message_id, str) and message_id else None
        entry = decode(message, self.unknown)
        if known is not None:
            return self._feed_again(known, entry, message)
        fed = _Fed(entry, message)
        self._fed.append(fed)
        if isinstance(message_id, str) and message_id:
            self._by_id[message_id] = fed
        if entry is None:
            return self._recorder.take()
        if self._conversation.learn_titles(entry):
            return self._rebuild()
        self._conversation.add(entry)
        return self._recorder.take()

    def set_agent_state(self, state: Mapping[str, Any] | None) -> Changes:
        """Take the session's `agentState`; say what it changed. Never raises."""
        self._requests = read_agent_state(state)
        self._conversation.set_requests(self._requests)
        return self._recorder.take()

    def _feed_again(self, known: _Fed, entry: Entry | None, message: Mapping[str, Any]) -> Changes:
        before, old = known.entry, known.message
        known.message = message
        same = _same_content(old, message)
        if same and (entry is before is None or all(old.get(key) == message.get(key) for key in _STAMPS)):
            return Changes()
        if same and entry is not None and before is not None and entry.role == before.role == "user":
            return self._conversation.restamp(before.origin, entry.origin)
        known.entry = entry
        return self._rebuild()

    def _rebuild(self) -> Changes:
        before = {block.id: block for block in self.blocks}
        fresh = Conversation(Recorder(), has_more=self._has_more)
        fresh.learn_all_titles(fed.entry for fed in self._fed if fed.entry is not None)
        for fed in self._fed:
            if fed.entry is not None:
                fresh.add(fed.entry)
        fresh.set_requests(self._requests)
        fresh.report_to(self._recorder)
        self._conversation = fresh
        after = {block.id: block for block in fresh.blocks}
        added = tuple(block for key, block in after.items() if key not in before)
        changed = tuple(
            block for key, block in after.items() if key in before and to_json(before[key]) != to_json(block)
        )
        self._recorder.take()
        return Changes(added, changed, tuple(key for key in before if key not in after))


def _same_content(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    content, again = first.get("content"), second.get("content")
    if content is again:
        return True
    return not too_deep(content) and not too_deep(again) and content == again


_STAMPS = ("invokedAt", "createdAt", "localId", "seq")
