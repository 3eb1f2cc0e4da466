"""A session that was just started or resumed is waited for until it takes messages."""

from typing import Any, cast

import pytest

from bridge.hub.errors import HubUnreachable
from bridge.hub.rest import HubApi
from bridge.relay.people.sessions import carrying_on


class Answers:
    """A hub that says one thing after the other of a session; errors are raised, the last one stays."""

    def __init__(self, *told: bool | HubUnreachable) -> None:
        self.told = list(told)
        self.asked = 0

    async def session(self, session_id: str) -> dict[str, Any]:
        self.asked += 1
        told = self.told.pop(0) if len(self.told) > 1 else self.told[0]
        if isinstance(told, HubUnreachable):
            raise told
        return {"id": session_id, "active": told}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrying_on, "LOOK_S", 0.0)


async def up(hub: Answers) -> Any:
    return await carrying_on.up(cast(HubApi, hub), "s1")


async def test_it_is_asked_for_until_it_runs_through_a_hub_that_is_away_for_a_moment() -> None:
    hub = Answers(False, HubUnreachable("away"), False, True)
    assert (await up(hub))["active"]
    assert hub.asked == 4


async def test_after_the_time_it_is_told_as_it_is_or_that_the_hub_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrying_on, "UP_S", 0.0)
    assert not (await up(Answers(False)))["active"]
    with pytest.raises(HubUnreachable):
        await up(Answers(HubUnreachable("away")))
