"""Checks that `doctor` and `init` share: one part of the world each, with what to do where it fails.

Nothing here changes anything, and no word holds a secret (invariant 7).
"""

from __future__ import annotations

import os
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path

import httpx
from sqlalchemy.engine import URL, make_url

from bridge.hub.auth import AuthTiming, TokenSource, check_health
from bridge.hub.errors import AccessTokenRejected, HubError, HubTooNew, HubUnreachable
from bridge.settings import StoreSettings
from bridge.store.engine import StoreUnreachable, StoreUnusable, is_behind

PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found: ``words`` say it, ``mend`` what to do about it (empty where all is well).

    ``hint`` is the mend for somebody who is just being asked, so without names of settings; ``who`` names the bot that
    answered.
    """

    name: str
    ok: bool
    words: str
    mend: str = ""
    hint: str = ""
    who: str = ""


async def store(settings: StoreSettings) -> Check:
    """Whether the store can be opened and written; one that is not there yet is only looked for, not made."""
    url = make_url(settings.url)
    file = _file(url)
    place = str(file or url.render_as_string(hide_password=True))
    try:
        if file is not None and not _writable(file):
            return Check("store", True, f"will be made at {file}")
        behind = await is_behind(settings.url)
    except StoreUnreachable as error:
        return Check("store", False, str(error), "start the database, or correct BRIDGE_DATABASE_URL")
    except (StoreUnusable, OSError) as error:
        words = f"{place} can't be written: {error.strerror or error}" if isinstance(error, OSError) else str(error)
        return Check("store", False, words, "correct BRIDGE_DATABASE_URL" if settings.database_url else _DIRECTORY)
    return Check("store", True, f"{place} is usable" + (", will be migrated at the next start" if behind else ""))


def _file(url: URL) -> Path | None:
    return Path(url.database).expanduser() if url.get_backend_name() == "sqlite" and url.database else None


def _writable(path: Path) -> bool:
    """Whether the store's file is there. Raises `OSError` if it, or a new file beside it, can't be written."""
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    with tempfile.TemporaryFile(dir=folder):
        pass
    if not path.exists():
        return False
    os.close(os.open(path, os.O_RDWR))
    return True


async def http(address: tuple[str, int]) -> Check:
    """Whether the bridge's own HTTP server can listen there, or does already."""
    host, port = address
    at = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, port))
            trial.listen()
    except OSError as error:
        if await _a_bridge_is_at(at):
            return Check("http", True, f"a bridge listens on {at} already")
        return Check("http", False, f"can't listen on {at} ({error.strerror or error})", "choose another BRIDGE_HTTP")
    return Check("http", True, f"{at} is free")


async def _a_bridge_is_at(at: str) -> bool:
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            answer = (await client.get(f"http://{at}/readyz", timeout=2.0)).json()
    except (httpx.HTTPError, ValueError):
        return False
    return isinstance(answer, dict) and {"ready", "parts"} <= answer.keys()


async def hub_address(url: str) -> Check:
    """Whether a hub answers at ``url``."""
    try:
        async with httpx.AsyncClient() as client:
            await check_health(client, url, timeout_s=PATIENCE_S)
    except HubError as error:
        return _no_hub(url, error)
    return Check("hub", True, f"{url} answers")


async def hub(url: str, access_token: str) -> Check:
    """Whether a hub answers at ``url`` and takes the token."""
    try:
        async with httpx.AsyncClient() as client:
            await check_health(client, url, timeout_s=PATIENCE_S)
            await TokenSource(client, url, access_token, timing=AuthTiming(timeout_s=PATIENCE_S)).token()
    except HubError as error:
        return _no_hub(url, error)
    return Check("hub", True, f"{url} answers and takes the token")


def _no_hub(url: str, error: HubError) -> Check:
    match error:
        case AccessTokenRejected():
            words = f"the hub at {url} refuses the access token"
            return Check("hub", False, words, f"copy it into HAPI_ACCESS_TOKEN; {TOKEN_PLACE}", "copy it again")
        case HubUnreachable():
            words = f"no answer from {url}"
            return Check("hub", False, words, f"{_START}, or correct HAPI_HUB_URL", f"{_START}, or correct the address")
        case HubTooNew():
            return Check("hub", False, str(error).removesuffix(" Update the bridge."), *["update the bridge"] * 2)
    words = str(error).removesuffix(" Check the address.").removesuffix(".")
    return Check("hub", False, words, "correct HAPI_HUB_URL", "correct the address")


TOKEN_PLACE = "it is cliApiToken in ~/.hapi/settings.json on the hub's computer, or the hub's own CLI_API_TOKEN"
_START = "start the hub (hapi hub)"
_DIRECTORY = "set BRIDGE_DATA_DIR to a directory this user may write in"
