"""After a restart or a gap the same messages come again: the same wishes are the outcome (invariants 1 and 3)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.relay.conftest import Script, text_of


def again(script: Script) -> Script:
    """A follower as the next start makes it, fed with what the hub has after the anchor."""
    record = script.follower.record()
    anchor = (record.anchor_at or 0, record.anchor_seq or 0)
    fresh = Script()
    fresh.record, fresh.now, fresh.seq, fresh.rows = script.record, script.now, script.seq, script.rows
    fresh.follower = fresh.begin(record)
    rows = [row for row in script.rows if (row["invokedAt"] or row["createdAt"], row["seq"]) > anchor]
    fresh.follower.messages(rows, fresh.now)
    fresh.update()
    return fresh


def test_an_unfinished_turn_keeps_its_key_and_ends_as_it_would_have(script: Script) -> None:
    script.user("go", localId="telegram-bot-1")
    script.call("c1")
    script.wishes()
    script = again(script)
    script.result("c1")
    script.say("Done.")
    script.event("ready")
    keys = {wish.key for wish in script.wishes()}
    assert keys == {"s1/message/m1/0", "s1/turn/m1", "s1/turn/m1/tool/c1", "s1/message/m4/0"}


def test_a_finished_turn_is_not_fed_again(script: Script) -> None:
    script.say("old")
    script.event("ready")
    script.wishes()
    assert again(script).wishes() == []


def test_a_cut_that_only_time_made_is_kept(script: Script) -> None:
    script.say("first")
    script.wait(5)
    assert [wish.key for wish in script.shown("answer")] == ["s1/message/m1/0"]
    script = again(script)
    script.say("second")
    script.event("ready")
    assert [wish.key for wish in script.shown("answer")] == ["s1/message/m2/0"]


def test_open_requests_are_known_again_with_what_they_showed(script: Script) -> None:
    script.ask("r1", arguments={"command": "rm -rf build"})
    script.wishes()
    script = again(script)
    script.wishes()
    script.vanish("r1")
    (card,) = script.shown("approval")
    assert card.final
    assert "rm -rf build" in text_of(card), "it keeps what it showed"
    assert "No longer waiting" in text_of(card)


STEPS = st.lists(
    st.sampled_from(["say", "think", "call", "result", "user", "ready", "error", "wait", "restart"]), max_size=40
)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_restarts_anywhere_come_to_the_same_posts(steps: list[str]) -> None:
    """A run with restarts wishes for the same final posts, with the same texts, as one without."""

    def play(*, restarts: bool) -> dict[str, str]:
        script, calls = Script(), 0
        open_calls: list[str] = []
        finals: dict[str, str] = {}
        for step in [*steps, "ready", "wait"]:
            match step:
                case "say":
                    script.say(f"text {script.seq}")
                case "think":
                    script.think(f"thought {script.seq}")
                case "call":
                    calls += 1
                    script.call(f"c{calls}")
                    open_calls.append(f"c{calls}")
                case "result" if open_calls:
                    script.result(open_calls.pop())
                case "user":
                    script.user("hello", localId=f"web-{script.seq}")
                case "ready":
                    script.event("ready")
                case "error":
                    script.event("error", message=f"error {script.seq}")
                case "wait":
                    script.wait(5)
                case "restart" if restarts:
                    script = again(script)
            finals |= {wish.key: text_of(wish) for wish in script.wishes() if wish.kind in ("answer", "user", "notice")}
        return finals

    assert play(restarts=True) == play(restarts=False)
