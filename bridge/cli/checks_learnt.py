"""What the bridge found out about the Slack workspace, from its store. What was refused there will be tried again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.engine import make_url

from bridge.chat.capabilities import Learnt
from bridge.chat.slack.features import FEATURES
from bridge.cli.checks import Check
from bridge.settings import Settings
from bridge.store import learnt as store_learnt
from bridge.store.engine import Store, StoreUnusable, is_behind

SURFACE = "slack"


async def learnt(settings: Settings) -> list[Check]:
    """One line for each feature that not every workspace has; none where Slack is not set up, or nothing is stored yet.

    Whoever asks wants to know how it is now: what was refused is forgotten, so that the bridge, running or not, tries
    it at its next occasion. Nothing else is changed, and a store that is not there or not up to date is left alone.
    """
    if settings.slack is None or not _is_there(settings.store.url):
        return []
    try:
        if await is_behind(settings.store.url):
            return []
        store = await Store.open(settings.store.url)
    except (StoreUnusable, OSError):
        return []  # the check of the store says so
    try:
        async with store.begin() as tx:
            known = {one.feature: one for one in await store_learnt.known(tx, SURFACE)}
            await store_learnt.forget_refusals(tx, SURFACE)
    finally:
        await store.close()
    return [Check(f"slack {feature}", True, _words(known.get(feature))) for feature in FEATURES] if known else []


def _is_there(address: str) -> bool:
    url = make_url(address)
    return url.get_backend_name() != "sqlite" or Path(url.database or "").expanduser().is_file()


def _words(known: Learnt | None) -> str:
    if known is None:
        return "not tried yet"
    day = datetime.fromtimestamp(known.at_ms / 1000, UTC).date().isoformat()
    if known.state == "present":
        return f"used (found on {day})" + (f", {known.why}" if known.why else "")
    return f"refused on {day} ({known.why}); will be tried again"
