"""What decides or changes something is a line of the audit log: gone over by the tables of all commands and acts."""

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from bridge.observe.health import Health
from bridge.relay.desk import Desk
from bridge.relay.manners import Manners
from bridge.relay.people.door.commands import Commands
from bridge.relay.people.door.dispatch import Dispatch
from bridge.relay.people.door.presses import Presses
from bridge.relay.relay import Hub, Relay
from bridge.relay.reminding import Patience
from bridge.store.engine import Store

READING_COMMANDS = {
    *("sessions", "session", "history", "search", "export", "pending", "queue", "status", "help", "start"),
    *("settings", "commands", "git", "file", "find", "people", "audit"),
    *("new", "delete"),  # only ask how: the press that follows is a line
}
SAYING_COMMANDS = {"scenario"}
"""Texts to an agent stand in the conversation itself."""

READING_ACTS = {
    *("sessions", "open", "history", "export", "pending", "show_request", "settings", "audit", "help", "send_all"),
    *("work_tree", "work_find", "work_diff", "work_file", "work_list"),
    *("agent_commands", "agent_command", "scenario_pick", "unfold", "fold", "back", "new_words"),
}
SAYING_ACTS = {"retry", "correct", "agent_send", "agent_words", "scenario_send", "stale_text"}
SHOWN_BACK = {"stale", "stale_command"}
"""A line when they were shown back; *Do it now* is the act itself, with its own line."""


@pytest.fixture
async def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Commands, Presses]]:
    """The tables as the relay makes them."""
    made: list[Any] = []

    def dispatch(*parts: Any) -> Dispatch:
        made.extend(parts)
        return Dispatch(*parts)

    monkeypatch.setattr("bridge.relay.relay.Dispatch", dispatch)
    store = await Store.open(f"sqlite:///{tmp_path}/bridge.sqlite3")
    api, stream, health = SimpleNamespace(), SimpleNamespace(hurry=lambda: None), Health("hub")
    manners = Manners(ZoneInfo("UTC"), 0, 1, 1, 1, None, home_post=True, patience=Patience())
    hub = Hub(cast(Any, api), cast(Any, stream), cast(Any, None), "http://hub", health)
    Relay(Desk(store, [], lambda: 1), hub, {}, version="1", manners=manners, ready=lambda: None)
    commands = next(part for part in made if isinstance(part, Commands))
    presses = next(part for part in made if isinstance(part, Presses))
    yield commands, presses
    await store.close()


async def test_every_command_that_changes_something_is_audited(tables: tuple[Commands, Presses]) -> None:
    known = tables[0].table
    quiet = {name for name, one in known.items() if not one.logs}
    assert quiet == READING_COMMANDS | SAYING_COMMANDS


async def test_every_press_that_changes_something_is_audited(tables: tuple[Commands, Presses]) -> None:
    known = tables[1].table
    quiet = {name for name, one in known.items() if not (one.logs or one.audited)}
    assert quiet == READING_ACTS | SAYING_ACTS | SHOWN_BACK
