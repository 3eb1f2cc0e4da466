"""A conversation read back from the chat: pages, words, and the whole as a file. On both platforms."""

from bridge.sandbox.hub_session import Session
from tests.end_to_end.bridge_stage import until
from tests.end_to_end.steering import Chatting


def talked(chatting: Chatting, turns: int) -> Session:
    """A session in which this was said before the bridge's time, and that has ended since."""
    stage = chatting.stage
    session = stage.played("parser")
    for number in range(turns):
        stage.state.user_typed(session, f"question {number}")
        stage.state.say(session, "codex", {"type": "message", "message": f"answer {number}. " + "words " * 40})
    stage.state.say(session, "event", {"type": "ready"})
    return session


async def test_the_history_turns_older_and_newer_in_place_and_loses_nothing(chatting: Chatting) -> None:
    stage = chatting.stage
    await stage.stop()
    talked(chatting, 24)
    await stage.start()
    chatting.type("/history")
    card = await chatting.see("History of “parser”")
    assert "answer 23." in chatting.text(card)
    assert "Newer" not in str(chatting.labels(card))
    seen = chatting.text(card)
    pages = 1
    while any("Older" in label for row in chatting.labels(card) for label in row):
        before = chatting.text(card)
        await chatting.press(card, "Older")
        await until(lambda before=before: chatting.text(card) != before, "an older page")  # type: ignore[misc]
        seen += chatting.text(card)
        pages += 1
    assert pages > 2
    assert all(f"question {number}" in seen and f"answer {number}." in seen for number in range(24))
    last = chatting.text(card)
    await chatting.press(card, "Newer")
    await until(lambda: chatting.text(card) != last, "the page before")
    await stage.stop()
    await stage.start()
    again = chatting.text(card)
    await chatting.press(card, "Older")
    await until(lambda: chatting.text(card) != again, "the page, after a restart")
    assert "question 0" in chatting.text(card)


async def test_a_history_that_was_changed_meanwhile_begins_anew_and_says_so(chatting: Chatting) -> None:
    stage = chatting.stage
    await stage.stop()
    session = talked(chatting, 24)
    await stage.start()
    chatting.type("/history")
    card = await chatting.see("History of “parser”")
    stage.state.invalidate(session)
    await chatting.press(card, "Older")
    await until(lambda: "The history was changed meanwhile" in chatting.text(card), "the words")


async def test_words_are_found_in_this_session_and_in_titles_and_lead_to_their_page(chatting: Chatting) -> None:
    stage = chatting.stage
    await stage.stop()
    session = talked(chatting, 24)
    stage.state.end(stage.played("question 3 of life"))
    await stage.start()
    stage.says(session, "here I am")
    place = await chatting.see("here I am")
    chatting.type("/search question 3", at=place)
    card = await chatting.see("Found for “question 3”")
    assert "1 · question 3" in chatting.text(card)
    assert "question 3 of life" in str(chatting.labels(card)), "a session of that name"
    await chatting.press(card, "1")
    await until(lambda: "History of “parser”" in chatting.text(card), "its page")
    assert "question 3" in chatting.text(card)
    assert "question 4" not in chatting.text(card), "the page ends with what was found"


async def test_the_export_holds_all_of_it_and_nothing_breaks_out_of_its_fence(chatting: Chatting) -> None:
    stage = chatting.stage
    await stage.stop()
    session = talked(chatting, 150)
    call = {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "cat notes"}, "id": "t1"}
    stage.state.say(session, "codex", call)
    output = "before\n```\n# not a heading\n````\nafter"
    stage.state.say(session, "codex", {"type": "tool-call-result", "callId": "c1", "output": output, "id": "t2"})
    stage.state.say(session, "codex", {"type": "message", "message": "an open fence\n```python\nprint(1)"})
    await stage.start()
    chatting.type("/export")
    await chatting.see("“parser” as Markdown.")
    await until(lambda: chatting.file("parser.md") is not None, "the file")
    text = chatting.file("parser.md") or ""
    positions = [text.find(f"answer {number}.") for number in range(150)]
    assert -1 not in positions
    assert positions == sorted(positions)
    assert f"`````\n{output}\n`````" in text
    assert text.rstrip().endswith("print(1)\n```")
