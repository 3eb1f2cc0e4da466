"""`hapi-bridge demo`: a sandbox hub, a sandbox Telegram, the very bridge between them, and what a phone would show.

Agents follow scenarios, a visitor presses and writes as the scenarios say, and it ends by itself.
"""

from __future__ import annotations

import asyncio
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from bridge.cards.words import plural
from bridge.cli import trouble
from bridge.cli.demo_view import LEGEND, View
from bridge.cli.demo_visitor import Visitor
from bridge.cli.stopping import until_stopped
from bridge.observe import logs
from bridge.sandbox import hub_scenario
from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.hub_scenario import Scenario, ScenarioError
from bridge.sandbox.player import Player
from bridge.sandbox.telegram import Event, Limits, TelegramServer
from bridge.settings import HubSettings, LogSettings, Settings, StoreSettings, TelegramSettings

DEFAULT = ("bugfix", "deploy")
PERSON = "Ada"
PERSON_ID = 4242
INTRODUCTION = (
    f"What {PERSON}'s phone would show. {PERSON}, her coding agents, their hub and Telegram are simulated on this"
    " computer; the bridge between them is the real one. Ctrl-C stops."
)
WIDTH = 100
"""Columns where the output is no terminal."""
READY_S = 30.0
QUIET_S = 4.0
"""This long nothing new in the chat: all that was to come has come."""
MOST_QUIET_WAIT_S = 60.0


def demo(*, port: int, speed: float, scenarios: Sequence[str] | None) -> int:
    """Show it and return 0; 2 for an unknown scenario or a taken port, 1 if the bridge broke."""
    try:
        chosen = [hub_scenario.load(name) for name in scenarios or DEFAULT]
    except ScenarioError as error:
        trouble.tell([str(error)])
        return trouble.UNUSABLE
    logs.set_up(LogSettings(level="error"), [])
    try:
        with tempfile.TemporaryDirectory(prefix="hapi-bridge-demo-") as folder:
            if asyncio.run(_until_stopped(chosen, Path(folder), port, speed)):
                print("\nstopped")
    except OSError as error:
        trouble.tell([f"the demo can't start on port {port}: {error.strerror or error}"])
        return trouble.UNUSABLE
    except Exception as error:  # noqa: BLE001 - the last stop: told, and the process ends
        trouble.tell(trouble.lines(error) or ["the demo broke:", *traceback.format_exception(error)])
        return 1
    return 0


async def _until_stopped(scenarios: Sequence[Scenario], folder: Path, port: int, speed: float) -> bool:
    return await until_stopped(_show(scenarios, folder, port, speed))


async def _show(scenarios: Sequence[Scenario], folder: Path, port: int, speed: float) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDTH
    view = View(console, PERSON)
    view.say(INTRODUCTION)
    view.say(LEGEND + "\n", "dim")
    async with SandboxHub(port=port) as hub, TelegramServer(limits=Limits()) as telegram:
        chat = telegram.private_chat(telegram.add_user(PERSON_ID, PERSON), topics=True)
        visitor = Visitor(telegram, chat, chat.person, hub.state, speed=speed)
        for machine in dict.fromkeys(each.machine for each in scenarios):
            hub.state.add_machine(machine)
        with telegram.bus.subscribe() as events:
            async with asyncio.TaskGroup() as group:
                started = asyncio.Event()
                bridge = group.create_task(_bridge(_settings(hub, telegram, folder), started))
                drawing = group.create_task(_draw(events, view))
                acting = group.create_task(visitor.run())
                async with asyncio.timeout(READY_S):
                    await started.wait()
                if port:
                    view.say(f"The sandbox hub listens on {hub.url}.\n", "dim")
                async with asyncio.TaskGroup() as agents:
                    for scenario in scenarios:
                        player = Player(hub.state, scenario, speed=speed, on_wait=visitor.turns.put_nowait)
                        agents.create_task(player.play())
                await _until_quiet(telegram)
                for task in (bridge, acting, drawing):
                    task.cancel()
        refused = sum(call.code == 429 for call in telegram.calls)
        _summary(view, len(scenarios), len(telegram.calls), refused)


async def _bridge(settings: Settings, started: asyncio.Event) -> None:
    from bridge.app import run

    await run(settings, ready=started.set)


async def _draw(events: asyncio.Queue[Event], view: View) -> None:
    while True:
        view.show(await events.get())


async def _until_quiet(telegram: TelegramServer) -> None:
    """Wait until the chat has been still for a while; at most a minute."""
    with telegram.bus.subscribe() as events:
        try:
            async with asyncio.timeout(MOST_QUIET_WAIT_S):
                while True:
                    async with asyncio.timeout(QUIET_S):
                        while (await events.get()).kind not in ("message", "edit", "reaction"):
                            pass
        except TimeoutError:
            return


def _settings(hub: SandboxHub, telegram: TelegramServer, folder: Path) -> Settings:
    return Settings(
        hub=HubSettings.model_validate({"url": hub.url, "access_token": hub.access_token}),
        store=StoreSettings(data_dir=folder),
        telegram=TelegramSettings.model_validate(
            {"bot_token": telegram.token, "owner_id": PERSON_ID, "api_base_url": telegram.base_url}
        ),
    )


def _summary(view: View, sessions: int, calls: int, refused: int) -> None:
    counts = view.counts
    seen = f"{plural(counts['messages'], 'message')} ({counts['rings']} rang), {plural(counts['edits'], 'edit')}"
    done = f"{PERSON} pressed {plural(counts['presses'], 'button')}, wrote {plural(counts['written'], 'message')}"
    view.say("")
    view.say(
        f"{plural(sessions, 'session')}: {seen}; {done}; {plural(calls, 'Bot API call')}, {refused} refused.", "bold"
    )
    view.say("Your own: make a bot with @BotFather, then `hapi-bridge init` and `hapi-bridge run`.")
