"""`hapi-bridge sandbox`: the sandbox chats and their page, on a hub of the user's own, or for a bridge of theirs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping

from pydantic import ValidationError

from bridge.cli import checks, trouble
from bridge.cli.staging import put_on, show_in_browser
from bridge.sandbox.stage import show
from bridge.sandbox.stage.show import Outfit
from bridge.settings import HubSettings

TOKENS = ("HAPI_ACCESS_TOKEN", "CLI_API_TOKEN")
"""Where the token is looked for, if it is not given."""
WITH_HUB = (
    "These are your own sessions: Allow here is Allow there. The chats and the bridge's store are gone when this ends;"
    " the bridge you may have running is not touched. Ctrl-C stops."
)
ALONE = "Let a bridge use these chats, with these variables and your hub's (Ctrl-C stops):"


def sandbox(*, hub: str | None, token: str | None, port: int, browser: bool) -> int:
    """Serve the chats until stopped; 0 then, 2 for a hub that does not answer or refuses the token, or a taken port."""
    if hub is None:
        return put_on(lambda outfit: _show(outfit, None, port, browser=browser), "sandbox")
    access = token or next((os.environ[name] for name in TOKENS if os.environ.get(name, "").strip()), "")
    if not access:
        trouble.tell([f"the hub's access token is missing: give {TOKENS[0]} or --token; {checks.TOKEN_PLACE}"])
        return trouble.UNUSABLE
    try:
        settings = HubSettings.model_validate({"url": hub, "access_token": access})
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False):
            name = "--hub" if problem["loc"] == ("url",) else TOKENS[0]
            trouble.tell([f"{name}: {problem['msg'].removeprefix('Value error, ')}"])
        return trouble.UNUSABLE
    address, secret = settings.url, settings.access_token.get_secret_value()
    check = asyncio.run(checks.hub(address, secret))
    if not check.ok:
        trouble.tell([f"{check.words}: {check.hint}"])
        return trouble.UNUSABLE
    return put_on(lambda outfit: _show(outfit, (address, secret), port, browser=browser), "sandbox")


async def _show(outfit: Outfit, hub: tuple[str, str] | None, port: int, *, browser: bool) -> None:
    def opened(address: str, variables: Mapping[str, str]) -> None:
        print(f"Both chats: {address}")
        if hub is None:
            print("\n".join([ALONE, *(f"  {name}={value}" for name, value in variables.items())]))
        else:
            print(WITH_HUB)
        print(end="", flush=True)
        if browser:
            show_in_browser(address)

    await show.sandbox(outfit, hub, port=port, opened=opened)
