"""Checks that `doctor` and `init` share: one part of the world each, with what to do where it fails.

Nothing here changes anything, and no word holds a secret (invariant 7).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import httpx
from sqlalchemy.engine import make_url

from bridge.chat.surface import LoginRefused, SurfaceError
from bridge.chat.telegram.client import TelegramClient, Timeouts
from bridge.hub.auth import AuthTiming, TokenSource, check_health
from bridge.hub.errors import AccessTokenRejected, HubError, HubUnreachable
from bridge.settings import StoreSettings
from bridge.store.engine import Store, StoreUnusable

PATIENCE_S = 10.0
_FAST = Timeouts(connect_s=PATIENCE_S, read_s=PATIENCE_S, write_s=PATIENCE_S, call_s=PATIENCE_S)


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found: ``words`` say it, ``mend`` what to do about it (empty where all is well)."""

    name: str
    ok: bool
    words: str
    mend: str = ""


async def store(settings: StoreSettings) -> Check:
    """Whether the store can be opened; one that is not there yet is only looked for, not made."""
    url = make_url(settings.url)
    if url.get_backend_name() == "sqlite" and url.database and (new := _not_made_yet(Path(url.database))):
        return new
    try:
        await (await Store.open(settings.url)).close()
    except StoreUnusable as error:
        mend = "correct BRIDGE_DATABASE_URL, or start the database" if settings.database_url else _DIRECTORY
        return Check("store", False, str(error), mend)
    return Check("store", True, f"{url.render_as_string(hide_password=True)} is usable")


def _not_made_yet(path: Path) -> Check | None:
    """The check of a store file that does not exist; None for one that does."""
    if path.exists():
        return None
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return Check("store", True, f"will be made at {path}")
    return Check("store", False, f"{path} can't be made: no right to write in {folder}", _DIRECTORY)


async def hub(url: str, access_token: str) -> Check:
    """Whether a hub answers at ``url`` and takes the token."""
    try:
        async with httpx.AsyncClient() as http:
            await check_health(http, url, timeout_s=PATIENCE_S)
            await TokenSource(http, url, access_token, timing=AuthTiming(timeout_s=PATIENCE_S)).token()
    except AccessTokenRejected as error:
        return Check("hub", False, str(error), "copy the hub's CLI_API_TOKEN into HAPI_ACCESS_TOKEN")
    except HubUnreachable:
        return Check("hub", False, f"no answer from {url}", "start the hub (hapi hub), or correct HAPI_HUB_URL")
    except HubError as error:
        return Check("hub", False, str(error), "correct HAPI_HUB_URL, or update the bridge")
    return Check("hub", True, f"{url} answers and takes the token")


async def telegram(base_url: str, bot_token: str, owner: int | None) -> Check:
    """Whether the token is a bot's, nothing else receives its updates, and the owner can be written to."""
    try:
        async with TelegramClient(bot_token, base_url, timeouts=_FAST) as client:
            name = f"@{(await client.call('getMe'))['username']}"
            hook = await client.call("getWebhookInfo")
            if hook.get("url"):
                words = f"{name} has a webhook, so its updates go elsewhere"
                return Check("telegram", False, words, "delete the webhook, or make a bot of its own with @BotFather")
            if owner is not None and (missing := await _unreachable_owner(client, name, owner)):
                return missing
    except LoginRefused:
        mend = "copy the token from @BotFather into TELEGRAM_BOT_TOKEN"
        return Check("telegram", False, "Telegram refuses the bot token", mend)
    except SurfaceError as error:
        return Check("telegram", False, f"no use of {base_url}: {error}", "check the network and TELEGRAM_API_BASE_URL")
    return Check("telegram", True, f"{name} is ready" + (f", owner {owner}" if owner is not None else ""))


async def _unreachable_owner(client: TelegramClient, name: str, owner: int) -> Check | None:
    """A failed check if the bot may not write to the owner: who never wrote to a bot is unknown to it."""
    try:
        await client.call("getChat", {"chat_id": owner})
    except LoginRefused:
        raise
    except SurfaceError as error:
        words = f"{name} can't write to {owner}: {error}"
        return Check("telegram", False, words, f"open {name} in Telegram and press Start, or correct TELEGRAM_OWNER_ID")
    return None


_DIRECTORY = "set BRIDGE_DATA_DIR to a directory this user may write in"
