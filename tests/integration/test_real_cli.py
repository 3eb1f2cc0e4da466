"""The hub side against the real hub, HAPI's own CLI and the scripted agent."""

from pathlib import Path
from typing import Any

import pytest

from bridge.hub.flavors import session_grant
from bridge.hub.window import MessageWindow
from tests.integration.conftest import Connect, HubParts, eventually
from tests.rig.hapi_peer import HubProc
from tests.rig.real_cli import RealCli

pytestmark = pytest.mark.real_hub


async def said(parts: HubParts, session_id: str) -> str:
    """All the agent's text so far."""
    window = MessageWindow()
    await parts.sync.tail(session_id, window)
    found = [row["content"]["content"].get("data", {}) for row in window.messages if row["content"]["role"] == "agent"]
    return " ".join(str(data["message"]) for data in found if data.get("type") == "message")


async def test_allow_allow_for_session_and_deny_reach_the_agent_and_it_goes_on(
    own_hub: HubProc, connect: Connect, tmp_path: Path
) -> None:
    """Invariant 10: the session grant is the agent's own "always", taken from the table by flavor."""
    parts = connect(own_hub)
    async with RealCli(own_hub, tmp_path / "cli"):

        async def active() -> Any:
            return next((item for item in await parts.api.sessions() if item["active"]), None)

        session = await eventually(active, 40)
        session_id = session["id"]
        grant = session_grant(session["metadata"]["flavor"], "Bash", {"command": "ls"})
        assert grant is not None
        for number, (verb, options, outcome) in enumerate(
            (("approve", {}, "via once"), ("approve", dict(grant.approve), "via always"), ("deny", {}, "refused"))
        ):
            await parts.api.send_message(session_id, "ask Bash ls\nsay end", f"telegram-bot-{number}", "telegram-bot")

            async def pending() -> Any:
                state = (await parts.api.session(session_id))["agentState"] or {}
                return state.get("requests")

            request_id = next(iter(await eventually(pending)))
            if verb == "approve":
                await parts.api.approve(session_id, request_id, **options)
            else:
                await parts.api.deny(session_id, request_id)

            async def went_on(outcome: str = outcome) -> bool:
                return outcome in await said(parts, session_id)

            await eventually(went_on)
