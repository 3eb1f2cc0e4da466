"""`hapi-bridge demo`: a sandbox hub, both sandbox chats, the very bridge between them, and a page that shows it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rich.console import Console

from bridge.cards.words import plural
from bridge.cli import trouble
from bridge.cli.staging import put_on, show_in_browser
from bridge.sandbox import hub_scenario
from bridge.sandbox.hub_scenario import ScenarioError
from bridge.sandbox.page.server import PageServer
from bridge.sandbox.stage import show
from bridge.sandbox.stage.show import Outfit, Play
from bridge.sandbox.stage.stage import PERSON
from bridge.sandbox.stage.terminal import LEGEND, View

DEFAULT = ("bugfix", "deploy")
INTRODUCTION = (
    f"What {PERSON}'s phone would show. {PERSON}, her coding agents, their hub and the chats are simulated on this"
    " computer; the bridge between them is the real one. Ctrl-C stops."
)
WIDTH = 100
"""Columns where the output is no terminal."""


def demo(*, port: int, speed: float, scenarios: Sequence[str] | None, watch: bool | None, browser: bool) -> int:
    """Show it and return 0; 2 for an unknown scenario or a taken port, 1 if the bridge broke.

    ``watch`` draws a phone in the terminal and ends by itself; without it the page is served until Ctrl-C. None: the
    page at a terminal, else the other, so that nothing hangs where nobody can press Ctrl-C.
    """
    try:
        plays = [(name, hub_scenario.load(name)) for name in scenarios or DEFAULT]
    except ScenarioError as error:
        trouble.tell([str(error)])
        return trouble.UNUSABLE
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDTH
    if not console.is_terminal if watch is None else watch:
        return put_on(lambda outfit: _watch(outfit, plays, console, speed), "demo")
    return put_on(lambda outfit: _page(outfit, plays, port, speed, browser=browser), "demo")


async def _page(outfit: Outfit, plays: Sequence[Play], port: int, speed: float, *, browser: bool) -> None:
    started = asyncio.get_running_loop().time()

    def opened(page: PageServer) -> None:
        print(f"Both chats, and what to break: {page.address}", flush=True)
        print("Everything runs on this computer; the bridge is the real one. Ctrl-C stops.", flush=True)
        if browser:
            show_in_browser(page.address)

    def ready() -> None:
        print(f"Ready after {asyncio.get_running_loop().time() - started:.1f} s.", flush=True)

    await show.demo(outfit, plays, port=port, speed=speed, opened=opened, ready=ready)


async def _watch(outfit: Outfit, plays: Sequence[Play], console: Console, speed: float) -> None:
    view = View(console, PERSON)
    view.say(INTRODUCTION)
    view.say(LEGEND + "\n", "dim")
    calls = await show.watch(outfit, plays, view, speed=speed)
    counts = view.counts
    seen = f"{plural(counts['messages'], 'message')} ({counts['rings']} rang), {plural(counts['edits'], 'edit')}"
    done = f"{PERSON} pressed {plural(counts['presses'], 'button')}, wrote {plural(counts['written'], 'message')}"
    refused = sum(call.code == 429 for call in calls)
    view.say("")
    view.say(
        f"{plural(len(plays), 'session')}: {seen}; {done}; {plural(len(calls), 'Bot API call')}, {refused} refused.",
        "bold",
    )
    view.say("At a terminal `hapi-bridge demo` serves a page with both chats, where you press the buttons.")
    view.say("Your own: make a bot with @BotFather, then `hapi-bridge init` and `hapi-bridge run`.")
