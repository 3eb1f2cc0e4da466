"""A conversation's lanes, and what ties them: sub-agents, permissions, titles, usage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridge.transcript.blocks import Block, Origin, Signal, ToolCall
from bridge.transcript.changes import Changes, Recorder
from bridge.transcript.events import SILENT
from bridge.transcript.lane import Lane
from bridge.transcript.parts import CallPart, Entry, ResultPart
from bridge.transcript.permissions import Request
from bridge.transcript.sidechain import ROOT, Tracer
from bridge.transcript.titles import Titles
from bridge.transcript.tools import pending_card
from bridge.transcript.usage import Usage
from bridge.transcript.values import number

MAX_NESTING = 40
"""Sub-agents within sub-agents that are still shown."""


class Conversation:
    """The state of the fold. Every step's cost is bounded by what the step touches."""

    def __init__(self, recorder: Recorder, *, has_more: bool) -> None:
        self.latest_usage: Usage | None = None
        self.has_ready_event = False
        self.requests: dict[str, Request] = {}
        self._recorder = recorder
        self._has_more = has_more
        self._titles = Titles()
        self._tracer = Tracer()
        self._lanes: dict[str, Lane] = {}
        self._root = self._lane(ROOT)
        self._home: dict[str, str] = {}
        self._height: dict[str, int] = {}
        self._seen: set[str] = set()
        self._pending: dict[str, ToolCall] = {}
        self._oldest: int | float | None = None

    @property
    def blocks(self) -> Sequence[Block]:
        """The root blocks, then the cards of pending requests whose calls no message shows."""
        if not self._pending:
            return self._root.blocks
        return [*self._root.blocks, *self._pending.values()]

    def learn_titles(self, entry: Entry) -> bool:
        """Take note of titles; whether one of them changes what was already shown."""
        return any(call in self._seen for call in self._titles.learn(entry))

    def learn_all_titles(self, entries: Iterable[Entry]) -> None:
        """Take note of the titles of a whole conversation before it is folded anew."""
        for entry in entries:
            self._titles.learn(entry)

    def report_to(self, recorder: Recorder) -> None:
        """From now on tell changes to this recorder."""
        self._recorder = recorder
        for lane in self._lanes.values():
            lane.recorder = recorder

    def add(self, entry: Entry) -> None:
        """Take one entry."""
        created = number(entry.origin.created_at)
        if created is not None and (self._oldest is None or created < self._oldest):
            self._oldest = created
            if self._has_more:
                self._update_pending(self.requests)
        if entry.role == "event" and entry.event["type"] in SILENT:
            self._take_signal(entry)
            return
        if entry.usage is not None and not entry.sidechain:
            self.latest_usage = entry.usage
        for part in entry.parts:
            if isinstance(part, CallPart | ResultPart):
                self._seen.add(part.id)
                shown = self._pending.pop(part.id, None)
                if shown is not None:
                    self._recorder.removed(ROOT, shown)
        for name, placed in self._tracer.place(entry):
            for task in self._lane(name).add(placed):
                self._attach(name, task)
        self.settle()

    def restamp(self, origin: Origin, again: Origin) -> Changes:
        """A user's message came again with other times or ids, but says the same."""
        for name in ("created_at", "local_id", "invoked_at", "seq", "meta"):
            setattr(origin, name, getattr(again, name))
        for block in reversed(self._root.blocks):
            if block.origin is origin:
                block.created_at = origin.created_at
                self._recorder.changed(ROOT, block)
                break
        return self._recorder.take()

    def set_requests(self, requests: dict[str, Request]) -> None:
        """Take the session's requests; cards whose permission says something else are made anew."""
        before = self.requests.copy()
        touched = [call for call in before.keys() | requests.keys() if not _same(before.get(call), requests.get(call))]
        self.requests.clear()
        self.requests.update(requests)
        for call in sorted(touched):
            for lane in self._lanes.values() if call in self._seen else ():
                lane.refold(call)
        self._update_pending(before)
        self.settle()

    def settle(self) -> None:
        """Report what changed inside sub-agents as changes of the root cards they stand under."""
        while self._recorder.lanes:
            lanes, self._recorder.lanes = self._recorder.lanes, {}
            for lane in lanes:
                card = self._root_card(lane)
                if card is not None:
                    self._recorder.changed(ROOT, card)

    def _take_signal(self, entry: Entry) -> None:
        kind = entry.event["type"]
        if kind == "ready":
            self.has_ready_event = True
        if entry.usage is not None:
            self.latest_usage = entry.usage
        self._recorder.signals.append(Signal(kind, entry.origin, entry.event))

    def _lane(self, name: str) -> Lane:
        lane = self._lanes.get(name)
        if lane is None:
            lane = self._lanes[name] = Lane(name, self.requests, self._titles, self._recorder)
        return lane

    def _attach(self, lane: str, task: ToolCall) -> None:
        """Show a sub-agent's lane under its Task; where two lanes call the same Task, under the first."""
        call = task.id
        if call == ROOT:  # an empty id names the conversation itself, which can't stand under one of its cards
            return
        if self._home.setdefault(call, lane) == lane and self._may_nest(lane, call):
            task.children = self._lane(call).blocks

    def _may_nest(self, lane: str, call: str) -> bool:
        """Whether a sub-agent's lane can stand here: no circle of parents, and not too deep as a whole."""
        height = self._height.get(call, 0) + 1
        above = lane
        path: list[str] = []
        while above != ROOT:
            path.append(above)
            if above == call or len(path) + height > MAX_NESTING:
                return False
            above = self._home.get(above, ROOT)
        for step, name in enumerate(path):
            self._height[name] = max(self._height.get(name, 0), height + step)
        return True

    def _root_card(self, lane: str) -> ToolCall | None:
        for _ in range(MAX_NESTING):
            home = self._home.get(lane)
            if home is None:
                return None
            if home == ROOT:
                card = self._root.cards.get(lane)
                return card.block if card is not None else None
            lane = home
        return None

    def _update_pending(self, before: dict[str, Request]) -> None:
        shown, self._pending = self._pending, {}
        for call, request in self.requests.items():
            if not self._wants_card(call, request):
                continue
            card = shown.pop(call, None)
            if card is None:
                card = pending_card(request)
                self._recorder.added(ROOT, card)
            elif not request.same_as(before.get(call)):
                card = pending_card(request)
                self._recorder.changed(ROOT, card)
            self._pending[call] = card
        for card in shown.values():
            self._recorder.removed(ROOT, card)

    def _wants_card(self, call: str, request: Request) -> bool:
        if not request.is_pending or call in self._seen:
            return False
        created = request.permission.created_at
        return not (self._has_more and created is not None and self._oldest is not None and created < self._oldest)


def _same(first: Request | None, second: Request | None) -> bool:
    return first is second or (first is not None and first.same_as(second))
