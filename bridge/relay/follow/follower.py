"""A follower: one lineage's conversation, from what the hub says to what should be shown. No I/O.

Everything it is told may be told again: after a restart or a gap the same messages come a second time, and the same
wishes are the outcome. What must outlive the process is in :meth:`Follower.record`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from bridge.cards.request.danger import ALL_RULES, danger
from bridge.cards.request.danger_rules import DangerRules
from bridge.cards.turn.events import Notice
from bridge.cards.turn.notices import present_session_end, present_session_gone
from bridge.hub.wire import Position, position_of
from bridge.relay.counts import RelayCounts
from bridge.relay.follow.absence import divide, piled_up
from bridge.relay.follow.limits import LimitWatch
from bridge.relay.follow.queue import Queue, is_queued
from bridge.relay.follow.request_posts import request_wish
from bridge.relay.follow.requests import Request, RequestBook
from bridge.relay.follow.sessions import SessionView
from bridge.relay.follow.turn_posts import (
    QUIET_START_MS,
    block_wish,
    digest_wish,
    elapsed_ms,
    notice_wish,
    turn_wishes,
    user_wish,
)
from bridge.relay.follow.turns import MOST_OPEN_CALLS, Step, Turn, TurnTracker
from bridge.store.records import Follow, Wish
from bridge.transcript.fold import Changes, Transcript

Json = dict[str, Any]
AWAY_MS = 30_000
"""How long a session may be inactive before its turn and its requests are over."""
FRESH_AFTER = 2_000
"""Messages after which a turn's end also ends the transcript, so that memory stays bounded."""


class Follower:
    """Takes events of one lineage; hands out wishes."""

    def __init__(
        self,
        follow: Follow,
        session: SessionView,
        own_origins: tuple[str, ...],
        counts: RelayCounts,
        *,
        settle_ms: int = 3000,
        rooms: bool = False,
        approvers: bool = False,
        rules: DangerRules = ALL_RULES,
    ) -> None:
        self.follow = follow
        self.rooms = rooms
        self.approvers = approvers
        self.second_approver = rules.second_approver
        self.session = session
        self.own_origins = own_origins
        """What the ``localId`` of messages written on our own surfaces starts with."""
        self.touched = False
        self.requests = RequestBook(
            follow.lineage, lambda tool, args: danger(tool, args, self.session.directory, rules)
        )
        self.requests.restore(follow.data.get("approvals", {}))
        self.epoch: int | None = follow.data.get("epoch")
        self.tracker = TurnTracker(settle_ms)
        self.tracker.shown_before = str(follow.data.get("shown_turn", ""))
        self.tracker.retire(follow.data.get("open_calls", []))
        self._limit = LimitWatch(follow.data.get("limit_ends_ms"))
        self._transcript = Transcript(unknown=counts.unknown_types)
        self._counts = counts
        self._queue = Queue()
        self._seen: set[str] = set()
        self._fed = 0
        anchor_at = follow.anchor_at if follow.anchor_at is not None else follow.since_at
        anchor_seq = follow.anchor_seq if follow.anchor_at is not None else follow.since_seq
        self.anchor = Position(anchor_at or 0, anchor_seq or 0)
        """Everything up to here was shown and is over; a start begins after it."""
        self._last = self.anchor
        self._dirty: dict[str, Turn] = {}
        self._away_since_ms: int | None = None
        self.shown = bool(follow.data.get("shown"))
        """Whether anything of the session was ever shown: a session without a message gets no place."""
        self._drawn: tuple[str, bool, int] | None = None
        self._missed_since_ms: int | None = None
        """Time of the oldest message taken since the wishes were last saved."""
        self._wishes: list[Wish] = []
        self.request_ended = False
        """Whether a request ended since the wishes were last saved."""
        self.echoes: dict[str, str] = {}
        """Posts of messages that were written on one of our surfaces, which is not to repeat them."""

    @property
    def lineage(self) -> str:
        return self.follow.lineage

    @property
    def last_at(self) -> int:
        """When the newest message that was taken was said (epoch ms, by the hub's clock)."""
        return self._last.at

    @property
    def running(self) -> bool:
        """Whether the agent is at work: a turn is open, or the hub says that it thinks."""
        return self.session.active and (self.session.thinking or self.tracker.current is not None)

    def messages(self, rows: Iterable[Mapping[str, Any]], now_ms: int) -> None:
        """Take messages, in the order in which they stand. Queued ones wait until the agent takes them."""
        for row in rows:
            message = dict(row)
            if is_queued(message):
                self._queue.put(message)
            else:
                self._feed(message, now_ms)

    def consumed(self, local_ids: Iterable[str], invoked_at: Any, now_ms: int) -> list[str]:
        """The agent took queued messages. Returns those we have not seen: then the caller must fetch them all."""
        rows, missing = self._queue.consumed(local_ids, invoked_at)
        for row in rows:
            self._feed(row, now_ms)
        return missing

    def cancelled(self, ids: Collection[str]) -> None:
        """A queued message was withdrawn; ``ids`` are its own or its sender's."""
        self._queue.cancelled(ids)

    def session_changed(self, session: SessionView, now_ms: int) -> None:
        """Take the session as it is now, with its requests."""
        before, self.session = self.session, session
        slept_at = session.record.get("activeAt") if not session.active else None
        if before.active != session.active or slept_at != self.follow.data.get("active_at", slept_at):
            self.touched = True
        self._step(None, self._transcript.set_agent_state(_mapping(session.agent_state)), now_ms)
        self._show(self.requests.apply(session.id, session.agent_state, active=session.active))
        if before.id != session.id:
            self._show(self.requests.session_gone(before.id))

    def session_over(self, reason: str, now_ms: int, *, say: bool) -> None:
        """The session ended (or was removed): its turn and its requests end with it. ``say``: as a notice, too."""
        self._touch(self.tracker.session_over(reason, now_ms))
        self._show(self.requests.session_gone(self.session.id))
        if say:
            notice = present_session_gone() if reason == "removed" else present_session_end(reason)
            self.say(f"ended/{self._last.at}-{self._last.seq}", notice)
        self.touched = True

    def unchanged(self, listed: Mapping[str, Any]) -> bool:
        """Whether a session in the hub's list has slept since it was last stored here: nothing to fetch, then."""
        asleep = listed.get("active") is not True and listed.get("activeAt") == self.follow.data.get("active_at")
        return asleep and self.tracker.current is None and not self.requests.waiting()

    def glance(self, session: SessionView) -> None:
        """Take a sleeping session's entry in the hub's list for what it is called."""
        self.session = session

    def say(self, what: str, notice: Notice) -> None:
        """A notice about the session, once for ``what``; nothing where nothing of it was shown yet."""
        if self.shown:
            self._wishes.append(notice_wish(self, f"{self.lineage}/{what}", notice))
            self.touched = True

    def removed(self) -> None:
        """The session is gone from the hub: this is the last that is stored of it."""
        self.follow = replace(self.follow, state="removed")
        self.touched = True

    def tick(self, now_ms: int, *, heard: bool = True) -> None:
        """Let time pass: turns settle, elapsed times move on; a session that stays away is over.

        While the hub is not ``heard``, or the session is away for a moment (the hub or its computer starts anew),
        nothing is concluded from silence.
        """
        turn = self.tracker.current
        if over := self._limit.over(now_ms):
            self.say(*over)
            self.touched = True
        if not heard or self.session.active:
            self._away_since_ms = None
        elif self._away_since_ms is None:
            self._away_since_ms = now_ms
        elif now_ms - self._away_since_ms >= AWAY_MS and (turn is not None or self.requests.waiting()):
            self.session_over("", now_ms, say=False)
        if not heard or not self.session.active:
            return
        waiting = bool(self.requests.waiting())
        self._touch(self.tracker.tick(thinking=self.session.thinking, waiting=waiting, now_ms=now_ms))
        if turn is not None:
            drawn = (turn.id, now_ms - turn.opened_ms >= QUIET_START_MS, elapsed_ms(turn, now_ms))
            if drawn != self._drawn:
                self._drawn = drawn
                self._touch(Step([turn]))
        self._settle_anchor()

    def stop_asked(self, asked: bool = True) -> None:
        """Somebody pressed Stop; ``False``: and the hub did not take it."""
        self.tracker.stop_asked(asked)

    def redraw(self, request: Request) -> None:
        """A request's card changed by what a person did."""
        self._show([request])

    def may_decide(self, approvers: bool) -> None:
        """Others than the owner may decide the session's requests from now on, or no longer: the cards say so."""
        if self.approvers != approvers:
            self.approvers = approvers
            self._show(self.requests.waiting())

    def wishes(self, now_ms: int) -> list[Wish]:
        """All wishes since the last :meth:`saved`, drawn as of ``now_ms``. May be asked again if saving failed."""
        for turn in self._dirty.values():
            self._wishes += turn_wishes(self, turn, now_ms)
        self._dirty.clear()
        self.shown = self.shown or bool(self._wishes)
        return self._wishes

    def missed(self) -> list[str]:
        """Keys of all wishes that a long absence may have piled up; empty if it is no such case."""
        return [wish.key for wish in self._wishes] if piled_up(self._wishes) else []

    def condense(self, known: set[str], now_ms: int) -> None:
        """Make one digest of many texts that nobody heard (see ``absence``); ``known`` posts stand in the chat."""
        away_ms = now_ms - self._missed_since_ms if self._missed_since_ms is not None else 0
        kept, digested = divide(self._wishes, known, away_ms)
        if digested:
            self._counts.digests += 1
            self._wishes = [*kept, digest_wish(self, digested, f"{self.anchor.at}-{self.anchor.seq}")]

    def saved(self) -> None:
        """The wishes are in the store."""
        self.requests.trim()
        self.follow = self.record()
        self._wishes = []
        self.echoes = {}
        self.request_ended = False
        self._missed_since_ms = None
        self.touched = False

    def record(self) -> Follow:
        """What must be stored together with the wishes."""
        known_at = self.session.record.get("activeAt", self.follow.data.get("active_at"))
        data = {
            **self.follow.data,
            "approvals": self.requests.to_json(),
            "epoch": self.epoch,
            "open_calls": self._open_calls(),
            "active_at": known_at,
            "shown": self.shown,
            "limit_ends_ms": self._limit.ends_ms,
            "shown_turn": self.tracker.current.id if self.tracker.current and self.tracker.current.shown else "",
        }
        return replace(
            self.follow,
            session_id=self.session.id or self.follow.session_id,
            title=self.session.title,
            anchor_at=self.anchor.at,
            anchor_seq=self.anchor.seq,
            data=data,
        )

    def _open_calls(self) -> list[str]:
        return list(dict.fromkeys([*self.follow.data.get("open_calls", []), *self.tracker.open_calls()]))[
            -MOST_OPEN_CALLS:
        ]

    def _feed(self, message: Json, now_ms: int) -> None:
        position = position_of(message)
        fresh = message["id"] not in self._seen
        if self._missed_since_ms is None:
            self._missed_since_ms = position.at
        self._seen.add(message["id"])
        before = self._last
        changes = self._transcript.feed(message)
        self._fed += 1
        self.touched = True
        opened = self.tracker.current
        self._step(str(message["id"]), changes, now_ms)
        self._last = max(self._last, position) if fresh else self._last
        turn = self.tracker.current
        if turn is not None and turn is not opened and turn.id == message["id"]:
            self.anchor = min(before, _just_before(position))
        self._settle_anchor()

    def _settle_anchor(self) -> None:
        if self.tracker.current is None:
            self.anchor = max(self.anchor, self._last)
            if self._fed > FRESH_AFTER:
                self._fed = 0
                self._seen.clear()
                self.tracker.forget()
                self._transcript = Transcript(unknown=self._counts.unknown_types)
                self._transcript.set_agent_state(_mapping(self.session.agent_state))

    def _step(self, message_id: str | None, changes: Changes, now_ms: int) -> None:
        step = self.tracker.feed(message_id, changes, self._transcript.latest_usage, now_ms)
        current = self.tracker.current
        if message_id is not None and current is not None and current.worked:
            self._limit.worked(current.id)
        for turn in step.turns:
            if turn.outcome is not None:
                self._wishes += turn_wishes(self, turn, now_ms)
                self._dirty.pop(turn.id, None)
            else:
                self._touch(Step([turn]))
        for user in step.users:
            self._wishes += user_wish(self, user)
        for block in step.notices:
            self._limit.hear(block, current.id if current is not None else "", now_ms)
            wish = block_wish(self, block)
            if wish is not None:
                self._wishes.append(wish)

    def _touch(self, step: Step) -> None:
        for turn in step.turns:
            self._dirty[turn.id] = turn
            self.touched = True

    def _show(self, requests: Iterable[Request]) -> None:
        for request in requests:
            self.requests.revision += 1
            self._wishes.append(request_wish(self, request))
            self.request_ended = self.request_ended or not request.open
            self.touched = True
        turn = self.tracker.current
        if self.touched and turn is not None:
            self._dirty[turn.id] = turn


def _just_before(position: Position) -> Position:
    return Position(position.at, position.seq - 1)


def _mapping(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None
