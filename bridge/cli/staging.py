"""What `demo` and `sandbox` share: the outfit of the stage, the browser, and how errors are told."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import traceback
import webbrowser
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

from bridge.chat.slack.manifest import slack_manifest
from bridge.cli import trouble
from bridge.cli.stopping import until_stopped
from bridge.language import ENGLISH, languages, speaking
from bridge.observe import logs
from bridge.sandbox.stage.child import BridgeFailed
from bridge.sandbox.stage.show import Outfit
from bridge.settings import FALLBACKS, VARIABLES, LogSettings

_NOT_THEIRS = [name for name, (table, _) in VARIABLES.items() if table != "chat"] + [*FALLBACKS, "BRIDGE_CONFIG"]
"""The user's own variables that are kept from a bridge on the stage. How it speaks to people they may choose."""


def put_on(show: Callable[[Outfit], Coroutine[Any, Any, None]], what: str) -> int:
    """Run a show in a folder of its own until it ends or is stopped; the exit code.

    2 where an address is taken or the bridge can't work with what it was given, 1 where something broke.
    """
    logs.set_up(LogSettings(level="error"), [])
    try:
        with tempfile.TemporaryDirectory(prefix="hapi-bridge-") as folder:
            outfit = Outfit(slack_manifest(), calls_of, _NOT_THEIRS, Path(folder))
            with speaking(_language()):
                stopped = asyncio.run(until_stopped(show(outfit)))
            if stopped:
                print("\nstopped")
    except OSError as error:
        trouble.tell([f"the {what} can't start: {error.strerror or error}"])
        return trouble.UNUSABLE
    except Exception as error:  # noqa: BLE001 - the last stop: told, and the process ends
        failed = next((each for each in _leaves(error) if isinstance(each, BridgeFailed)), None)
        if failed is not None:
            trouble.tell([f"{failed}:", *failed.lines])
            return trouble.UNUSABLE if failed.code == trouble.UNUSABLE else 1
        trouble.tell([f"the {what} broke:", *traceback.format_exception(error)])
        return 1
    return 0


def _language() -> str:
    """What the bridge will speak, so that the visitor finds its buttons; what there is not, the bridge refuses."""
    known = {code.lower(): code for code in languages()}
    return known.get(os.environ.get("BRIDGE_LANGUAGE", "").strip().lower(), ENGLISH)


def calls_of(text: str, to: str) -> list[dict[str, Any]]:
    """A pasted text as API calls: a messages page where it is the JSON of one, else Markdown."""
    from bridge.cli.render import render_markdown  # late, as all of these: the page is there sooner
    from bridge.cli.render_page import render_page
    from bridge.hub.counts import HubCounts
    from bridge.hub.wire import Undecodable, decode

    try:
        page = decode(text.encode("utf-8", "replace"), HubCounts())
    except Undecodable:
        page = None
    if isinstance(page, dict) and isinstance(page.get("messages"), list):
        return render_page(page, to)
    return render_markdown(text, to)


def show_in_browser(address: str) -> None:
    """Open a page where there is a screen. A browser for the terminal is not meant: it would take the terminal."""
    screen = sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if not screen:
        return
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is not webbrowser.GenericBrowser:
        browser.open(address)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error
