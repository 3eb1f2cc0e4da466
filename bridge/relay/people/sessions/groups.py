"""The groups of commands and buttons that are about sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bridge.hub.rest import HubApi
from bridge.relay.desk import Desk
from bridge.relay.people.commands import table
from bridge.relay.people.places.attaching import Attaching
from bridge.relay.people.presses import pressed
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.sessions.acting import Acting
from bridge.relay.people.sessions.agent_commands import AgentCommands
from bridge.relay.people.sessions.listing import Sessions
from bridge.relay.people.sessions.reading import Reading
from bridge.relay.people.sessions.setting import SettingUp
from bridge.relay.people.sessions.starter import Starter
from bridge.relay.people.sessions.wizard import Wizard
from bridge.relay.people.words.sending import Sender
from bridge.relay.people.work.looking import Looking


class SessionGroup(table.Group, pressed.Group, Protocol):
    """Commands and buttons of one matter."""


def session_groups(
    desk: Desk, api: HubApi, attaching: Attaching, askings: Askings, starter: Starter, sender: Sender
) -> Sequence[SessionGroup]:
    """All of them."""
    return (
        Sessions(desk, api),
        Acting(desk, api, attaching, askings),
        Wizard(desk, api, askings, starter),
        SettingUp(desk, api, askings),
        Reading(desk, api),
        AgentCommands(desk, api, askings, sender),
        Looking(desk, api),
    )
