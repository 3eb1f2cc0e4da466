"""A stage for scenarios: the sandbox hub with its players, the strict Slack and Telegram, and the bridge between them.

What both chats show in the end is held against the hub's own record (`ScenarioStage.check`).
"""

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from bridge.sandbox import hub_scenario
from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.hub_session import Session
from bridge.sandbox.player import Player, Waiting
from bridge.sandbox.slack import Message as SlackMessage
from bridge.sandbox.slack import SlackServer
from bridge.sandbox.telegram import TelegramServer
from tests.end_to_end.slack_stage import BothStage, words
from tests.rig.hapi_peer import HubProc

SPEED = 20.0
QUIET_S = 0.6
"""This long nothing new in either chat: all that was to come has come."""


@dataclass(frozen=True)
class Line:
    """What a person sees of one message, whichever chat it stands in."""

    text: str
    rings: bool
    files: tuple[str, ...] = ()

    @property
    def letters(self) -> str:
        return letters(self.text)


class ScenarioStage(BothStage):
    """Ada's phone with both chats, and agents that follow scenarios."""

    def __init__(
        self, sandbox: SandboxHub, slack: SlackServer, telegram: TelegramServer, folder: Path, stack: AsyncExitStack
    ) -> None:
        super().__init__(cast(HubProc, sandbox), slack, telegram, folder, stack)  # only its address is used
        self.sandbox = sandbox
        self.turns: asyncio.Queue[Waiting] = asyncio.Queue()

    @property
    def environ(self) -> dict[str, str]:
        return {**super().environ, "HAPI_ACCESS_TOKEN": self.sandbox.access_token}

    def begin(self, name: str) -> Player:
        """A session whose agent follows a scenario of ours, from now on."""
        player = Player(self.sandbox.state, hub_scenario.load(name), speed=SPEED, on_wait=self.turns.put_nowait)
        playing = asyncio.create_task(player.play())
        self.stack.callback(playing.cancel)
        return player

    async def turn(self, what: str) -> Waiting:
        """Wait until Ada's turn has come."""
        async with asyncio.timeout(20):
            waiting = await self.turns.get()
        assert waiting.what == what
        return waiting

    async def over(self, player: Player) -> None:
        """Wait until the scenario is through, its last words stand in both chats, and both are quiet."""
        async with asyncio.timeout(40):
            await player.finished.wait()
            last = letters(record(player.session)[-1].text)
            await self.telegram.wait_for(lambda: self._shows(self.on_telegram_now(), last), 30, what=last)
            await self.see(lambda: self._shows(self.on_slack_now(), last), last, 30)
            before = None
            while before != (now := (len(self.telegram.calls), len(self.slack.calls))):
                before = now
                await asyncio.sleep(QUIET_S)

    def on_telegram_now(self) -> list[Line]:
        """What Telegram shows of the bot's, in order."""
        shown = [one for one in self.chat.from_bot if not one.deleted and one.service is None]
        return [Line(one.text, not one.silent, (one.file.name,) if one.file else ()) for one in shown]

    def on_slack_now(self) -> list[Line]:
        """What Slack shows of the bot's in the session's thread, in order."""
        shown = [one for one in self.dm.from_bot if one in self.dm.visible and one.is_reply]
        called = f"<@{self.ada.id}>"
        return [
            Line(words(one).replace(called, ""), called in _as_sent(one), tuple(file.name for file in one.files))
            for one in shown
        ]

    def check(self, session: Session) -> None:
        """Both chats are complete, in order and undoubled: every message of a person and every closing text of the
        agent that the hub has stands there once, in the hub's order; and both rang for the same."""
        shown = {"Telegram": self.on_telegram_now(), "Slack": self.on_slack_now()}
        for name, lines in shown.items():
            said = [line.text for line in lines]
            places = []
            for entry in record(session):
                found = [at for at, line in enumerate(lines) if entry.stands_in(line)]
                assert len(found) == 1, f"{name} shows {entry.text!r} {len(found)} times: {said}"
                places += found
            assert places == sorted(places), f"{name} shows them in another order: {said}"
        rings = [sorted(line.letters for line in lines if line.rings) for lines in shown.values()]
        assert len(rings[0]) == len(rings[1]), rings

    def rang(self) -> list[str]:
        """The first lines of what rang, in the order in which it came; on Slack it is as many (`check`)."""
        return [line.text.splitlines()[0] for line in self.on_telegram_now() if line.rings]

    @staticmethod
    def _shows(lines: list[Line], last: str) -> bool:
        return any(line.letters == last for line in lines)


def _as_sent(message: SlackMessage) -> str:
    """All of a message's first form: only that can call anybody."""
    first = message.history[0]
    return json.dumps([first.text, first.blocks, first.attachments], ensure_ascii=False)


def letters(text: str) -> str:
    """The letters and digits of a text alone: how it is drawn differs, what it says must not. A fence's language is
    drawn nowhere."""
    return "".join(re.findall(r"[^\W_]+", re.sub(r"```\w*", "", text))).lower()


@dataclass(frozen=True)
class Entry:
    """What the hub has: a person's message, or a closing text of the agent."""

    by_person: bool
    text: str

    def stands_in(self, line: Line) -> bool:
        """Whether a message shows exactly this; a person's with who wrote it where, and perhaps files below."""
        text = letters(self.text)
        if not self.by_person:
            return line.letters == text
        return any(line.letters.startswith(f"you{where}{text}") for where in ("web", "terminal"))


def record(session: Session) -> list[Entry]:
    """What the hub says was said, in order: people's messages, and of each turn the texts that no tool follows.

    What Ada wrote in one of the chats is in that chat as she wrote it, and thus left out.
    """
    said: list[Entry] = []
    closing: list[Entry] = []
    for kind, text in _rows(session):
        match kind:
            case "text":
                closing.append(Entry(False, text))
            case "tool":
                closing = []
            case "user":
                said += [*closing, Entry(True, text)]
                closing = []
            case "end":
                said += closing
                closing = []
    return [*said, *closing]


def _rows(session: Session) -> Iterator[tuple[str, str]]:
    """The hub's rows as (kind, text): user, text, tool, end; anything else in between is of no account here."""
    for row in sorted(session.rows, key=lambda one: (one["invokedAt"] or one["createdAt"], one["seq"])):
        content = row["content"]["content"]
        if row["content"]["role"] == "user":
            if row["localId"] is None:
                yield "user", content["text"]
            continue
        data: dict[str, Any] = content["data"]
        match data["type"]:
            case "ready":
                yield "end", ""
            case "message" if content["type"] == "codex" and row is _last_of(session, data["id"]):
                yield "text", data["message"]
            case "tool-call" | "tool-call-result" | "plan_update":
                yield "tool", ""
            case "assistant" if not data["isSidechain"]:
                block = data["message"]["content"][0]
                yield ("text", block["text"]) if block["type"] == "text" else ("tool", "")


def _last_of(session: Session, stream: str) -> dict[str, Any]:
    """The newest of a text's snapshots."""
    return [row for row in session.rows if row["content"]["content"].get("data", {}).get("id") == stream][-1]
