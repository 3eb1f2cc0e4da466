"""Work under way: the to-do list as one post kept current, sub-agents under their task, tasks in the background."""

import pytest

from bridge.sandbox.hub_families import Family, Wire, family_of
from bridge.sandbox.hub_steps import Agent, Tool
from bridge.store.records import Wish
from tests.relay.conftest import Script, text_of

FIRST = [("Find it", "in_progress"), ("Mend it", "pending")]
LATER = [("Find it", "completed"), ("Mend it", "in_progress")]


def hear(script: Script, *wires: Wire) -> None:
    """The agent's rows, as its family says things."""
    for family, data in wires:
        script.feed(script.row("agent", {"type": family, "data": data}))


def todos(wishes: list[Wish]) -> list[Wish]:
    return [wish for wish in wishes if wish.kind == "todos"]


@pytest.fixture
def claude() -> Family:
    return family_of("claude")


@pytest.mark.parametrize("flavor", ["claude", "codex"])
def test_a_to_do_list_is_one_silent_post_per_turn_that_is_kept_current(script: Script, flavor: str) -> None:
    family = family_of(flavor)
    script.user("go")
    hear(script, *family.todos("c1", FIRST))
    (post,) = todos(script.wishes())
    assert "To do: 0 of 2" in text_of(post)
    assert (post.ring, post.final, post.min_level) == (False, False, "normal")
    hear(script, *family.todos("c2", LATER))
    (changed,) = todos(script.wishes())
    assert changed.key == post.key
    assert "To do: 1 of 2" in text_of(changed)
    script.say("Done.")
    script.event("ready")
    wishes = script.wishes()
    (last,) = todos(wishes)
    assert (last.key, last.final) == (post.key, True)
    (activity,) = [wish for wish in wishes if wish.kind == "turn"]
    assert "To do: 1 of 2 · Mend it" in text_of(activity)
    assert "Todo" not in text_of(activity), "keeping the list is no work of its own"


@pytest.mark.parametrize("flavor", ["claude", "codex"])
def test_a_list_that_goes_on_in_the_next_turn_is_a_post_there(script: Script, flavor: str) -> None:
    """Also for a family whose list is one call for ever; what the earlier post shows stays."""
    family = family_of(flavor)
    script.user("go")
    hear(script, *family.todos("c1", FIRST))
    script.event("ready")
    (before,) = todos(script.wishes())
    for _ in range(6):
        script.user("on")
        script.say("hm")
        script.event("ready")
    assert not todos(script.wishes()), "turns that leave the list alone show none"
    script.user("and on")
    hear(script, *family.todos("c2", LATER))
    (after,) = todos(script.wishes())
    assert after.key != before.key
    assert "To do: 1 of 2" in text_of(after)


def test_a_sub_agent_is_seen_at_work_and_then_with_its_report(script: Script, claude: Family) -> None:
    agent = Agent(description="Search", prompt="Search it.", report="Found two places.")
    grep = Tool(do="tool", tool="Grep", input={"pattern": "loop"}, output="a.py")
    script.user("go")
    hear(script, *claude.agent_starts("t1", agent), claude.agent_tool_call("t1", "g1", grep))
    (running,) = script.shown("turn")
    assert "1 tool inside · Grep loop" in text_of(running)
    hear(script, *claude.agent_tool_result("t1", "g1", grep), claude.agent_ends("t1", agent))
    (done,) = script.shown("turn")
    assert "Found two places." in text_of(done)
    assert "Sub-agents" in text_of(done)


@pytest.mark.parametrize(("failed", "mark"), [(False, "🟢"), (True, "🔴")])
def test_a_task_in_the_background_runs_on_after_its_turn_until_its_end_is_told(
    script: Script, claude: Family, failed: bool, mark: str
) -> None:
    begun = claude.tool_call("c1", "Bash", {"command": "make", "run_in_background": True})
    script.user("go")
    hear(script, begun, claude.tool_result("c1", "Command running in background with ID: b1", failed=False))
    script.say("It builds.")
    script.event("ready")
    (turn,) = script.shown("turn")
    assert "🟢 Done" in text_of(turn), "the turn is over"
    assert '"🟠 "' in text_of(turn), "the task is not"
    hear(script, claude.background_over("b1", "make", failed=failed))
    wishes = script.wishes()
    (after,) = [wish for wish in wishes if wish.key == turn.key]
    assert "in the background" in text_of(after)
    assert f'"{mark} "' in text_of(after)
    (notice,) = [wish for wish in wishes if wish.kind == "notice"]
    assert f"{mark} Background command" in text_of(notice)
    assert not notice.ring
