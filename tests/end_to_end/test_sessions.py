"""Sessions from the chat, on both platforms: which there are, the card of one, and all that can be done to it."""

import sqlite3

import pytest

from bridge.sandbox.hub_session import Session
from tests.end_to_end.bridge_stage import until
from tests.end_to_end.steering import Card, Chatting


async def opened(chatting: Chatting, card: Card, title: str) -> None:
    """Open a session's card from the list."""
    await chatting.press(card, title)
    await until(lambda: "Rename" in str(chatting.labels(card)), "its card")


async def test_the_list_begins_with_what_waits_for_a_decision_and_turns_its_pages_in_place(chatting: Chatting) -> None:
    stage = chatting.stage
    for number in range(9):
        stage.state.end(stage.played(f"old {number}"))
    quiet = stage.played("quiet")
    asking = stage.played("asking")
    stage.state.ask(asking, "r1", "Bash", {"command": "ls"})
    await chatting.see("asking", "ls")
    chatting.type("/sessions")
    card = await chatting.see("11 sessions · page 1 of 2")
    shown = chatting.text(card)
    first_old = shown.index(" · ended")
    assert shown.index("asking · 1 to decide") < shown.index("quiet · idle") < first_old
    assert "/home/ada/shop · laptop · claude" in shown
    await chatting.press(card, "Older")
    await until(lambda: "page 2 of 2" in chatting.text(card), "the second page, on the same card")
    assert chatting.text(card).count(" · ended") == 3
    assert "asking" not in chatting.text(card)
    await chatting.press(card, "Newer")
    await until(lambda: "page 1 of 2" in chatting.text(card), "the first page again")
    assert quiet.record["active"]


async def test_answers_with_buttons_that_nobody_presses_leave_nothing_for_a_start_to_read(chatting: Chatting) -> None:
    chatting.stage.played("parser")
    chatting.type("/settings")
    assert chatting.labels(await chatting.see("Mode")), "it has buttons"
    chatting.type("/sessions")
    card = await chatting.see("1 session")

    def open_notes() -> list[str]:
        with sqlite3.connect(chatting.stage.folder / "data" / "bridge.sqlite3") as store:
            found = store.execute("SELECT key FROM posts WHERE key LIKE '%/command/%' AND NOT settled")
            return [key for (key,) in found]

    await until(lambda: not open_notes(), "all are settled")
    await opened(chatting, card, "parser")
    await until(lambda: not open_notes(), "so is what a press made of one")


async def test_a_row_opens_the_sessions_card_which_leads_back(chatting: Chatting) -> None:
    stage = chatting.stage
    stage.played("parser")
    chatting.type("/sessions")
    card = await chatting.see("1 session")
    await opened(chatting, card, "parser")
    assert "parser · idle" in chatting.text(card)
    assert "Default" in chatting.text(card), "its mode"
    assert "/home/ada/shop" in chatting.text(card)
    offered = {label for row in chatting.labels(card) for label in row}
    assert {"Show here", "History", "Settings", "Rename", "Pin", "Export", "Archive"} <= offered
    assert not {"Stop", "Resume", "Take over", "Delete…"} & offered, "only what can be done now"
    await chatting.press(card, "All sessions")
    await until(lambda: "1 session" in chatting.text(card), "the list again")


async def test_a_session_is_renamed_from_its_card_and_by_a_command(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    chatting.type("/session")
    card = await chatting.see("parser · idle")
    await chatting.fill(card, "Rename", "the best   parser")
    await until(lambda: session.record["metadata"]["name"] == "the best parser", "the new name in the hub")
    await until(lambda: "the best parser · idle" in chatting.text(card), "it on the card")
    chatting.type("/rename shop")
    await chatting.see("It is called “shop” now.")
    assert session.record["metadata"]["name"] == "shop"
    chatting.type("/rename")
    await chatting.see("Write the new name after it")


async def test_a_session_is_pinned_and_unpinned(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    chatting.type("/session")
    card = await chatting.see("parser · idle")
    await chatting.press(card, "Pin")
    await until(lambda: "parser · idle · 📌" in chatting.text(card), "the pin")
    assert session.record["globalPinned"]
    await chatting.press(card, "Unpin")
    await until(lambda: "📌" not in chatting.text(card), "no pin")
    assert not session.record["globalPinned"]


async def test_an_archived_session_is_resumed_and_goes_on_in_its_place(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    stage.says(session, "hello there")
    place = await chatting.see("hello there")
    chatting.type("/session")
    card = await chatting.see("parser · idle")
    await chatting.press(card, "Archive")
    await until(lambda: "parser · ended" in chatting.text(card), "ended")
    assert not session.record["active"]
    await chatting.press(card, "Resume")
    await until(lambda: "“parser” goes on." in chatting.text(card), "on again")
    assert session.record["active"]
    stage.says(session, "on it again")
    again = await chatting.see("on it again")
    assert _where(again) == _where(place)


async def test_a_session_that_goes_on_under_another_id_keeps_its_place(chatting: Chatting) -> None:
    """One lineage, one place, whatever the hub calls it."""
    stage = chatting.stage
    session = stage.played("parser")
    stage.says(session, "hello there")
    place = await chatting.see("hello there")
    session.resumes = "anew"
    stage.state.end(session)
    chatting.type("/resume", at=place)
    await chatting.see("“parser” goes on.")
    (fresh,) = [one for one in stage.state.sessions.values() if one.record["active"]]
    assert fresh.id != session.id
    stage.says(fresh, "as another one")
    again = await chatting.see("as another one")
    assert _where(again) == _where(place)
    chatting.type("go on", at=place)
    await until(lambda: any("go on" in str(row) for row in fresh.rows), "a text for the session that goes on")


async def test_what_goes_on_under_another_id_and_comes_up_slowly_speaks_in_the_same_place(
    chatting: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is known as the same lineage before it is waited for."""
    stage = chatting.stage
    session = stage.played("parser")
    stage.says(session, "hello there")
    place = await chatting.see("hello there")
    session.resumes = "anew"
    stage.state.end(session)
    resume = stage.state.resume

    def slowly(ended: Session) -> Session:
        with monkeypatch.context() as silent:
            silent.setattr(stage.state, "describe", lambda *_, **__: None)  # the hub's answer alone tells of it
            fresh = resume(ended)
        stage.state.patch(fresh, active=False)
        return fresh

    monkeypatch.setattr(stage.state, "resume", slowly)
    chatting.type("/resume", at=place)
    await until(lambda: len(stage.state.sessions) == 2, "the other session")
    (fresh,) = [one for one in stage.state.sessions.values() if one is not session]
    stage.says(fresh, "as another one")
    assert _where(await chatting.see("as another one")) == _where(place)
    stage.state.patch(fresh, active=True)
    await chatting.see("“parser” goes on.")


async def test_what_can_not_be_resumed_says_why(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    session.resumes = "never"
    stage.state.end(session)
    chatting.type("/sessions")
    card = await chatting.see("1 session")
    await opened(chatting, card, "parser")
    await chatting.press(card, "Resume")
    await chatting.told("Its agent left nothing to go on from.")


async def test_deleting_asks_elsewhere_naming_what_it_does_and_a_double_tap_deletes_nothing(chatting: Chatting) -> None:
    """Invariant 4, and the second tap stands in another place than the first."""
    stage = chatting.stage
    session = stage.played("parser")
    stage.state.end(session)
    chatting.type("/sessions")
    card = await chatting.see("1 session")
    await opened(chatting, card, "parser")
    before = chatting.labels(card)
    await chatting.press(card, "Delete…")
    await until(lambda: "Delete “parser” for good?" in chatting.text(card), "the question")
    assert "HAPI forgets the whole conversation" in chatting.text(card)
    after = chatting.labels(card)
    if chatting.name == "telegram":
        row = next(number for number, labels in enumerate(before) if "Delete…" in labels)
        assert after[row] == ["Keep it"], "what stands under the thumb keeps it"
    await chatting.press(card, "Keep it")
    await until(lambda: "parser · ended" in chatting.text(card), "its card again")
    assert session.id in stage.state.sessions
    await chatting.press(card, "Delete…")
    await until(lambda: "Delete “parser” for good?" in chatting.text(card), "the question again")
    await chatting.press(card, "Delete it for good")
    await until(lambda: session.id not in stage.state.sessions, "it gone")
    await chatting.see("“parser” was deleted.")


async def test_a_question_whether_to_delete_is_not_about_what_the_session_went_on_as(chatting: Chatting) -> None:
    """Invariant 4: what was said after the question is not deleted by its answer."""
    stage = chatting.stage
    session = stage.played("parser")
    session.resumes = "anew"
    stage.state.end(session)
    chatting.type("/sessions")
    card = await chatting.see("1 session")
    await opened(chatting, card, "parser")
    await chatting.press(card, "Delete…")
    await until(lambda: "Delete “parser” for good?" in chatting.text(card), "the question")
    chatting.type("/sessions")
    await until(lambda: len(stage.state.sessions) == 1, "one session")
    other = await chatting.see("1 session")
    await opened(chatting, other, "parser")
    await chatting.press(other, "Resume")
    await until(lambda: len(stage.state.sessions) == 2, "another session")
    await until(lambda: "goes on" in chatting.text(other), "it goes on")
    (fresh,) = [one for one in stage.state.sessions.values() if one.record["active"]]
    await chatting.press(card, "Delete it for good")
    await chatting.told("“parser” went on as another session meanwhile. Look at the card.")
    await until(lambda: "still runs" in chatting.text(card), "and it runs")
    stage.state.end(fresh)
    assert fresh.id in stage.state.sessions


async def test_what_runs_can_not_be_deleted(chatting: Chatting) -> None:
    chatting.stage.played("parser")
    chatting.type("/delete")
    await chatting.see("“parser” still runs. Archive it first")


async def test_a_session_of_the_terminal_is_taken_over(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    stage.state.control(session, by_user=True)
    chatting.type("/session")
    card = await chatting.see("parser", "The terminal has it.")
    await chatting.press(card, "Take over")
    await until(lambda: "Taken over" in chatting.text(card), "taken over")
    assert session.record["agentState"]["controlledByUser"] is False
    chatting.type("/takeover")
    await chatting.see("Nothing to take over")


async def test_stop_ends_what_runs_and_says_so_where_nothing_runs(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    chatting.type("/stop")
    await chatting.see("nothing to stop")
    assert session.signals.empty(), "nothing was stopped"
    stage.state.think(session, True)
    chatting.type("/session")
    card = await chatting.see("parser · working")
    await chatting.press(card, "Stop")
    await until(lambda: not session.signals.empty(), "the stop")
    assert session.signals.get_nowait().kind == "abort"


async def test_what_several_sessions_could_mean_is_asked(chatting: Chatting) -> None:
    stage = chatting.stage
    stage.played("parser")
    other = stage.played("lexer")
    chatting.type("/rename scanner")
    card = await chatting.see("Which session?")
    await chatting.press(card, "lexer")
    await until(lambda: other.record["metadata"]["name"] == "scanner", "the one that was chosen")
    await until(lambda: "scanner · idle" in chatting.text(card), "its card")


async def test_a_card_works_after_a_restart_and_a_press_on_what_is_gone_says_so(chatting: Chatting) -> None:
    """What a button needs is in the store: nothing is lost with the process."""
    stage = chatting.stage
    session = stage.played("parser")
    gone = stage.played("gone")
    chatting.type("/sessions")
    card = await chatting.see("2 sessions")
    await stage.stop()
    stage.state.end(gone)
    stage.state.delete(gone)
    await stage.start()
    await chatting.press(card, "gone")
    await chatting.told("That session is gone.")
    await until(lambda: "1 session" in chatting.text(card), "the list as it is now")
    await opened(chatting, card, "parser")
    await chatting.press(card, "Pin")
    await until(lambda: session.record["globalPinned"], "the pin")


async def test_an_ended_session_that_was_never_shown_is_shown_when_asked_for(chatting: Chatting) -> None:
    stage = chatting.stage
    await stage.stop()
    session = stage.played("archive of old")
    stage.says(session, "long ago")
    stage.state.end(session)
    await stage.start()
    chatting.type("/sessions")
    card = await chatting.see("1 session")
    await opened(chatting, card, "archive of old")
    await chatting.press(card, "Show here")
    await chatting.see("“archive of old” is shown here.")
    await until(lambda: "✓ Shown here" in str(chatting.labels(card)), "the button says so")
    await chatting.press(card, "Resume")
    await until(lambda: bool(session.record["active"]), "on again")
    stage.says(session, "awake")
    await chatting.see("awake")


async def test_a_hub_that_can_not_be_reached_is_said_and_the_known_sessions_are_shown(chatting: Chatting) -> None:
    stage = chatting.stage
    stage.played("parser")
    chatting.type("/sessions")
    await chatting.see("1 session")
    stage.sandbox.faults.fail("/api/sessions", status=500, times=3)
    chatting.type("/sessions")
    card = await chatting.see("🔴", "1 session")
    assert "parser" in chatting.text(card)


def _where(card: object) -> object:
    return getattr(card, "thread", None) or getattr(card, "thread_ts", None)
