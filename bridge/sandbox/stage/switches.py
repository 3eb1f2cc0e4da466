"""The switches: what can go wrong between the bridge and the world, ordered by the visitor, and over again by itself.

Each fault is a coroutine: while it runs the fault is in force, and when it ends or is cancelled it is taken back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bridge.sandbox.faults import Fault, Kind
from bridge.sandbox.stage.stage import Stage
from bridge.sandbox.telegram import Message, Topic

ALWAYS = 1_000_000
"""Times, for an order that is called off."""
FLOOD_S = 12.0
RETRY_AFTER_S = 2
LOST_S = 30.0
EVERY = 3
"""Every so manieth answer is lost."""
IDEMPOTENT = ("editMessageText", "editMessageReplyMarkup", "setMessageReaction", "answerCallbackQuery", "deleteMessage")
"""Bot API calls that may be repeated. A bot can't ask Telegram whether a send arrived, so that would come twice."""
HUB_DOWN_S = 3.0
SLOW_S = 1.2
SLOW_HUB_S = 0.6
STREAM_S = 2.0
EXPIRED_S = 60.0
NOTICED_S = 30.0


class SwitchRefused(Exception):
    """The fault can't be ordered, or not be taken back, now; the words say why."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A fault to order. ``once``: it acts at once and can't be taken back. ``check`` raises `SwitchRefused`.

    A scenario may order it, too: ``found`` says in words what is in force, empty for nothing; ``end`` takes it back.
    """

    title: str
    words: str
    act: Callable[[Stage], Awaitable[None]]
    once: bool = False
    check: Callable[[Stage], object] = lambda _: None
    found: Callable[[Stage], str] = lambda _: ""
    end: Callable[[Stage], None] = lambda _: None


class Switches:
    """The switches of one stage. ``changed`` hears whenever one goes on or off."""

    def __init__(self, stage: Stage, group: asyncio.TaskGroup, changed: Callable[[], None]) -> None:
        self._stage = stage
        self._group = group
        self._changed = changed
        self._running: dict[str, asyncio.Task[None]] = {}
        self._there = {name: switch for name, switch in SWITCHES.items() if _can_be_had(name, stage)}

    def state(self) -> dict[str, dict[str, Any]]:
        """The switches there are, and which are on, whoever ordered it."""
        return {name: self._shown(name, each) for name, each in self._there.items()}

    def _shown(self, name: str, switch: Switch) -> dict[str, Any]:
        running = name in self._running
        found = "" if running else switch.found(self._stage)
        shown = {"title": switch.title, "words": found or switch.words, "once": switch.once}
        return {"on": running or bool(found)} | shown

    def set(self, name: str, *, on: bool) -> None:
        """Switch a fault on or off; what is so already stays so. Raises `SwitchRefused`.

        Switched on again while it is being taken back, it begins anew when that is done.
        """
        switch = self._there.get(name)
        if switch is None:
            raise SwitchRefused(f"there is no fault {name}; there are {', '.join(self._there)}")
        running = self._running.get(name)
        if on and (running is None or running.cancelling()):
            switch.check(self._stage)
            task = self._running[name] = self._group.create_task(self._act(switch, running))
            task.add_done_callback(lambda _: self._over(name, task))  # also of one cancelled before it began
            self._changed()
        elif not on and (running is not None or switch.found(self._stage)):
            if switch.once:
                raise SwitchRefused("this ends by itself")
            if running is not None:
                running.cancel()
            else:
                switch.end(self._stage)
                self._changed()

    async def _act(self, switch: Switch, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        await switch.act(self._stage)

    def _over(self, name: str, task: asyncio.Task[None]) -> None:
        if self._running.get(name) is task:
            del self._running[name]
        self._changed()


async def _flood(stage: Stage) -> None:
    order = Fault(Kind.FLOOD, "*", ALWAYS, seconds=max(1, RETRY_AFTER_S // stage.speed))
    await _chats(stage, order, FLOOD_S / stage.speed)


async def _lost_answers(stage: Stage) -> None:
    orders = [Fault(Kind.LOST_ANSWER, method, ALWAYS, every=EVERY) for method in IDEMPOTENT]
    everything = stage.slack.faults.order(Fault(Kind.LOST_ANSWER, "*", ALWAYS, every=EVERY))
    for order in orders:
        stage.telegram.faults.order(order)
    try:
        await asyncio.sleep(LOST_S / stage.speed)
    finally:
        stage.slack.faults.call_off(everything)
        for order in orders:
            stage.telegram.faults.call_off(order)


async def _hub_restart(stage: Stage) -> None:
    if stage.hub is not None:
        await stage.hub.restart(down_s=HUB_DOWN_S / stage.speed)


def _restarts(stage: Stage) -> str:
    return "A scenario restarts the hub." if stage.hub is not None and stage.hub.restarting else ""


def _repeated(stage: Stage) -> str:
    return "A scenario has the hub tell its events twice." if stage.hub and stage.hub.faults.duplicate_events else ""


async def _duplicates(stage: Stage) -> None:
    _repeat(stage, on=True)
    try:
        await asyncio.Event().wait()
    finally:
        _repeat(stage, on=False)


def _repeat(stage: Stage, *, on: bool) -> None:
    stage.telegram.updates.repeats = stage.slack.office.repeats = on
    if stage.hub is not None:
        stage.hub.faults.duplicate_events = on


async def _slow_network(stage: Stage) -> None:
    hub = stage.hub
    order = None if hub is None else hub.faults.slow(seconds=SLOW_HUB_S / stage.speed, times=ALWAYS)
    try:
        await _chats(stage, Fault(Kind.DELAY, "*", ALWAYS, seconds=SLOW_S / stage.speed), None)
    finally:
        if hub is not None and order is not None:
            hub.faults.call_off(order)


async def _deleted_topic(stage: Stage) -> None:
    """Delete it; it is over when the session has another one, or after a while without a word for it."""
    topic, chat = _newest_topic(stage), stage.chat
    if topic is None:  # the visitor was faster
        return
    stage.telegram.delete_topic(chat, topic)
    try:
        await stage.telegram.wait_for(lambda: chat.topic(topic.name), NOTICED_S, what="another topic")
    except TimeoutError:
        return


async def _expired_stream(stage: Stage) -> None:
    before = stage.slack.stream_seconds
    stage.slack.stream_seconds = STREAM_S / stage.speed
    for channel in stage.slack.channels.values():
        for message in channel.messages:
            if stage.slack.stream_state(message) == "streaming":
                stage.slack.expire_stream(message)
    try:
        await asyncio.sleep(EXPIRED_S / stage.speed)
    finally:
        stage.slack.stream_seconds = before


async def _kill_bridge(stage: Stage) -> None:
    """Kill it; it is over when the next one hears the hub, or after a while without a word from it."""
    if stage.bridge is None:
        return
    stage.bridge.kill()
    try:
        async with asyncio.timeout(NOTICED_S):
            await stage.bridge.gone()
            await stage.bridge.heard()
    except TimeoutError:
        return


async def _chats(stage: Stage, order: Fault, seconds: float | None) -> None:
    """An order on both chats for so long, or until it is called off."""
    faults = stage.telegram.faults, stage.slack.faults
    for each in faults:
        each.order(order)
    try:
        async with asyncio.timeout(seconds):
            await asyncio.Event().wait()
    except TimeoutError:
        return
    finally:
        for each in faults:
            each.call_off(order)


def _newest_topic(stage: Stage) -> Topic | None:
    """The topic the bot wrote to last."""
    written: list[Message] = [one for one in stage.chat.from_bot if one.thread is not None]
    topics = (stage.chat.topics.get(one.thread or 0) for one in reversed(written))
    return next((topic for topic in topics if topic is not None and not topic.deleted), None)


def _has_topic(stage: Stage) -> None:
    if _newest_topic(stage) is None:
        raise SwitchRefused("there is no topic to delete yet: start a scenario")


def _runs(stage: Stage) -> None:
    if stage.bridge is None or stage.bridge.pid is None:
        raise SwitchRefused("the bridge does not run")


def _can_be_had(name: str, stage: Stage) -> bool:
    if name == "hub-restart":
        return stage.hub is not None
    return name != "kill-bridge" or stage.bridge is not None


SWITCHES: dict[str, Switch] = {
    "flood": Switch(
        "Flood control",
        f"For {FLOOD_S:.0f} s both chats refuse every call with 429 and tell the bridge to wait {RETRY_AFTER_S} s.",
        _flood,
    ),
    "lost-answers": Switch(
        "Lost answers",
        "For half a minute the connection drops after every third call, which was performed: the bridge can't know."
        " On Telegram, which can't be asked, sends are spared: one would come twice.",
        _lost_answers,
    ),
    "hub-restart": Switch(
        "Hub restart",
        f"The hub dies, is away for {HUB_DOWN_S:.0f} s, and has forgotten how far it told its events.",
        _hub_restart,
        once=True,
        found=_restarts,
    ),
    "duplicate-events": Switch(
        "Duplicate events",
        "Everything that is told to the bridge is told twice: events and updates.",
        _duplicates,
        found=_repeated,
        end=lambda stage: _repeat(stage, on=False),
    ),
    "slow-network": Switch("Slow network", f"Every call takes {SLOW_S} s longer.", _slow_network),
    "deleted-topic": Switch(
        "Deleted topic",
        "The Telegram topic written to last is deleted with all that is in it; Telegram does not tell bots.",
        _deleted_topic,
        once=True,
        check=_has_topic,
    ),
    "expired-stream": Switch(
        "Expired stream",
        f"Slack's streams are over, and for a minute new ones last {STREAM_S:.0f} s instead of five minutes.",
        _expired_stream,
    ),
    "kill-bridge": Switch(
        "kill -9 the bridge",
        "The process is gone in the middle of its work; another one takes over.",
        _kill_bridge,
        once=True,
        check=_runs,
    ),
}
