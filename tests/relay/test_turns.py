"""Where a turn ends, what rings, and what each of its texts becomes."""

import pytest

from bridge.store.records import Wish
from tests.relay.conftest import Script, text_of


def rings(wishes: list[Wish]) -> list[str]:
    return [wish.key for wish in wishes if wish.ring]


def test_the_last_text_of_a_turn_is_its_answer_and_alone_rings(script: Script) -> None:
    script.user("go", localId="telegram-bot-1")
    script.say("I will look.")
    script.call("c1")
    script.result("c1")
    script.say("Done.")
    script.event("ready")
    wishes = script.wishes()
    answers = [wish for wish in wishes if wish.kind == "answer"]
    assert [text_of(wish).count("Done.") > 0 for wish in answers] == [True]
    assert rings(wishes) == [answers[0].key]
    (activity,) = [wish for wish in wishes if wish.kind == "turn"]
    assert "I will look." in text_of(activity), "narration stays in the activity post"
    assert "Done." not in text_of(activity)
    assert activity.final
    assert activity.key == "s1/turn/m1"


def test_texts_that_no_tool_follows_are_all_messages_of_their_own_in_order(script: Script) -> None:
    """Invariant 2: what is said in the end is never only a preview."""
    script.say("first")
    script.say("second")
    script.event("ready")
    answers = script.shown("answer")
    assert [wish.key for wish in answers] == ["s1/message/m1/0", "s1/message/m2/0"]
    assert [wish.ring for wish in answers] == [False, True]


def test_snapshots_of_one_stream_are_one_post(script: Script) -> None:
    script.say("par", stream="x")
    script.say("partial", stream="x")
    script.event("ready")
    (answer,) = script.shown("answer")
    assert answer.key == "s1/stream/x"


def test_a_turn_that_is_over_at_once_has_no_activity_post(script: Script) -> None:
    script.say("quick")
    script.event("ready")
    assert [wish.kind for wish in script.wishes()] == ["answer"]


def test_a_turn_without_words_rings_with_a_short_note(script: Script) -> None:
    script.call("c1")
    script.result("c1")
    script.event("ready")
    wishes = script.wishes()
    assert rings(wishes) == ["s1/turn/m1/end"]


def test_a_turn_that_failed_says_why_and_rings_once(script: Script) -> None:
    script.call("c1")
    script.event("error", message="model overloaded")
    script.event("ready")
    wishes = script.wishes()
    assert rings(wishes) == ["s1/turn/m1/end"]
    assert "model overloaded" in text_of(next(wish for wish in wishes if wish.ring))


def test_silence_ends_a_turn_only_if_nothing_waits_and_nobody_thinks(script: Script) -> None:
    script.say("well")
    script.update(thinking=True)
    script.wait(10)
    assert not script.shown("answer"), "the agent thinks"
    script.update(thinking=False)
    script.ask("r1")
    script.wait(10)
    assert not script.shown("answer"), "a request waits"
    script.complete("r1", "denied")
    script.wait(2)
    assert not script.shown("answer")
    script.wait(2)
    assert len(script.shown("answer")) == 1


def test_a_new_user_message_ends_the_turn_before_it(script: Script) -> None:
    script.say("old")
    script.user("next", localId="telegram-bot-2")
    assert [wish.key for wish in script.shown("answer")] == ["s1/message/m1/0"]
    script.call("c1")
    (activity,) = script.shown("turn")
    assert activity.key == "s1/turn/m2"


def test_several_messages_taken_at_once_are_one_turn(script: Script) -> None:
    script.user("one", localId="telegram-bot-1")
    script.user("two", localId="telegram-bot-2")
    script.call("c1")
    assert [wish.key for wish in script.shown("turn")] == ["s1/turn/m1"]


@pytest.mark.parametrize(("reason", "words"), [("completed", "Done"), ("error", "Failed"), ("terminated", "Stopped")])
def test_a_session_that_ends_ends_its_turn(script: Script, reason: str, words: str) -> None:
    script.call("c1")
    script.wishes()
    script.follower.session_over(reason, script.now, say=True)
    wishes = script.wishes()
    (activity,) = [wish for wish in wishes if wish.kind == "turn"]
    assert words in text_of(activity)
    assert activity.final


def test_a_turn_that_was_stopped_does_not_ring(script: Script) -> None:
    script.call("c1")
    script.follower.stop_asked()
    script.event("ready")
    wishes = script.wishes()
    assert rings(wishes) == []
    assert "Stopped" in text_of(next(wish for wish in wishes if wish.kind == "turn"))


def test_a_late_result_changes_the_turn_it_belongs_to(script: Script) -> None:
    script.call("c1", "make slow")
    script.event("ready")
    script.wishes()
    script.user("next", localId="telegram-bot-2")
    script.result("c1")
    (activity,) = [wish for wish in script.wishes() if wish.key == "s1/turn/m1"]
    assert "🟢" in text_of(activity)


def test_a_message_typed_elsewhere_is_shown_when_the_agent_takes_it_and_ours_is_not(script: Script) -> None:
    queued = script.row("user", {"type": "text", "text": "from the web"}, localId="web-1", invokedAt=None)
    script.feed(queued)
    assert script.shown("user") == []
    assert script.follower.consumed(["web-1"], script.now, script.now) == []
    (shown,) = script.shown("user")
    assert not shown.ring
    script.user("mine", localId="telegram-bot-9")
    (echo,) = script.follower.echoes.items()
    assert echo == (script.shown("user")[0].key, "telegram"), "to be shown on other surfaces alone"


def test_a_queued_message_that_was_withdrawn_is_never_shown(script: Script) -> None:
    script.feed(script.row("user", {"type": "text", "text": "no"}, localId="web-1", invokedAt=None))
    script.follower.cancelled(["web-1"])
    assert script.follower.consumed(["web-1"], script.now, script.now) == ["web-1"], "unknown: the caller must look"
    assert script.shown("user") == []


def test_a_withdrawn_message_is_known_by_either_of_its_ids(script: Script) -> None:
    queued = script.row("user", {"type": "text", "text": "no"}, localId="web-1", invokedAt=None)
    script.feed(queued)
    script.follower.cancelled([queued["id"]])
    assert script.follower.consumed(["web-1"], script.now, script.now) == ["web-1"]


def test_a_system_prompt_is_never_shown(script: Script) -> None:
    script.say('{"type": "prompt", "data": "You are a secret agent."}')
    script.event("ready")
    assert "secret agent" not in "".join(text_of(wish) for wish in script.wishes())


def test_a_session_of_which_nothing_was_shown_has_nothing_to_say_at_its_end(script: Script) -> None:
    """A session without a message gets no topic, also not for its end."""
    script.follower.session_over("completed", script.now, say=True)
    assert script.wishes() == []
    script.say("hello")
    script.event("ready")
    script.wishes()
    script.follower.session_over("completed", script.now, say=True)
    (notice,) = script.wishes()
    assert "Session ended" in text_of(notice)
    assert not notice.ring


def test_a_turn_cut_short_by_a_new_message_does_not_ring_as_done(script: Script) -> None:
    script.call("c1")
    script.wishes()
    script.user("never mind", localId="web-1")
    assert rings(script.wishes()) == []


def test_notices_alone_are_no_work_that_rings(script: Script) -> None:
    script.user("go", localId="telegram-bot-1")
    script.event("compact", trigger="auto", preTokens=1000)
    script.event("ready")
    assert rings(script.wishes()) == []


def test_messages_taken_as_a_batch_stand_in_the_order_they_were_written(script: Script) -> None:
    """Invariant 3: the turn's key must not depend on the order in which the hub names them."""
    for number in (1, 2):
        script.feed(script.row("user", {"type": "text", "text": f"m{number}"}, localId=f"web-{number}", invokedAt=None))
    script.follower.consumed(["web-2", "web-1"], script.now, script.now)
    script.call("c1")
    wishes = script.wishes()
    assert [wish.key for wish in wishes if wish.kind == "user"] == ["s1/message/m1/0", "s1/message/m2/0"]
    assert [wish.key for wish in wishes if wish.kind == "turn"] == ["s1/turn/m1"]
