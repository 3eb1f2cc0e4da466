"""What is said to somebody who writes to a session that does not run. On both platforms."""

from tests.end_to_end.bridge_stage import until
from tests.end_to_end.slack_stage import words
from tests.end_to_end.steering import Chatting


async def test_who_writes_to_a_session_that_ended_is_told_and_can_send_it_once_it_goes_on(chatting: Chatting) -> None:
    """Invariant 1: what is not sent is said, and is not lost."""
    stage = chatting.stage
    session = stage.played("parser")
    stage.says(session, "ready for you")
    place = await chatting.see("ready for you")
    stage.state.end(session)
    chatting.type("fix it", at=place)
    note = await chatting.see("This session is not running. Let it go on first: /resume", "fix it")
    assert not any("fix it" in str(row) for row in session.rows)
    chatting.type("/resume", at=place)
    await until(lambda: session.record["active"], "it goes on")
    await chatting.press(note, "Retry")
    await until(lambda: sum("fix it" in str(row) for row in session.rows) == 1, "the message, once")


async def test_a_session_that_is_up_before_the_bridge_heard_of_it_is_not_said_to_sleep(chatting: Chatting) -> None:
    """The hub knows it better."""
    stage = chatting.stage
    session = stage.played("parser")
    stage.says(session, "ready for you")
    place = await chatting.see("ready for you")
    stage.state.end(session)
    session.record["active"] = True  # nobody is told yet
    chatting.type("are you there", at=place)
    await until(lambda: any("are you there" in str(row) for row in session.rows), "it in the session")
    stage.says(session, "I am here")
    await chatting.see("I am here")
    shown = [one.text for one in stage.chat.from_bot] + [words(one) for one in stage.dm.from_bot]
    assert not [text for text in shown if "not running" in text]
