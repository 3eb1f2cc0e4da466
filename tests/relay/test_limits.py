"""A usage limit: told when its time is over, once, unless the agent works again before."""

import pytest

from bridge.store.records import Wish
from tests.relay.conftest import Script, text_of


def reach(script: Script, *, in_s: int = 60) -> None:
    """A turn that a limit ends."""
    script.call("c1")
    script.event("limit-reached", endsAt=script.now // 1000 + in_s, limitType="five_hour")
    script.event("ready")
    script.wishes()


def over(wishes: list[Wish]) -> list[Wish]:
    return [wish for wish in wishes if "The usage limit is over" in text_of(wish)]


def test_the_end_of_a_limit_is_told_once_and_silently(script: Script) -> None:
    reach(script)
    script.wait(55)
    assert not over(script.wishes())
    script.wait(10)
    (notice,) = over(script.wishes())
    assert (notice.ring, notice.min_level) == (False, "quiet")
    script.wait(100)
    assert not script.wishes()


def test_it_is_told_after_a_restart_too(script: Script) -> None:
    reach(script)
    script.follower = script.begin(script.follower.record())
    script.wait(65)
    assert len(over(script.wishes())) == 1


def test_nothing_is_told_to_who_sees_the_agent_work_again(script: Script) -> None:
    reach(script)
    script.user("go on")
    script.call("c2")
    script.wait(65)
    assert not over(script.wishes())


@pytest.mark.parametrize("ends", [0, -5, None, "soon", 10**15, float("nan")])
def test_a_limit_without_an_end_that_can_be_waited_for_is_not_waited_for(script: Script, ends: object) -> None:
    """Invariant 5."""
    script.call("c1")
    script.event("limit-reached", endsAt=ends)
    script.event("ready")
    script.wishes()
    script.wait(65)
    assert not over(script.wishes())
