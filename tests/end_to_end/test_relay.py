"""A real hub's session, shown in Telegram and steered from there (the Relay issue's "Done when")."""

import asyncio

import pytest

from tests.end_to_end.conftest import Playing, Stage

pytestmark = pytest.mark.real_hub


async def test_a_turn_shows_its_work_folded_reasoning_and_an_answer_that_rings_once(playing: Playing) -> None:
    stage, cli = playing
    await cli.say("codex", {"type": "reasoning", "message": "The parser drops the last token.", "id": "r1"})
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "make test"}})
    activity = await stage.message("🟠 Bash make test")
    await cli.say("codex", {"type": "tool-call-result", "callId": "c1", "output": "12 passed"})
    await cli.say("codex", {"type": "message", "message": "All **12** tests pass:\n\n```python\nprint(1)\n```"})
    await cli.say("event", {"type": "ready"})
    answer = await stage.answer("All 12 tests pass")
    await stage.see(lambda: "🟢 Bash make test" in activity.text, "the tool's line turned green")

    assert activity.silent
    assert activity.marked("expandable_blockquote") == ["Reasoning\nThe parser drops the last token."]
    assert answer.marked("bold") == ["12"]
    assert answer.marked("pre") == ["print(1)"]
    assert stage.rings() == [answer]
    assert answer.thread == activity.thread == stage.topic("parser").id


async def test_a_session_is_a_topic_that_is_made_with_its_first_message(playing: Playing) -> None:
    stage, cli = playing
    await asyncio.sleep(1)
    assert not stage.chat.topics, "a session without a message gets no topic"
    await cli.say("codex", {"type": "message", "message": "hello"})
    await cli.say("event", {"type": "ready"})
    await stage.message("hello")
    assert [topic.name for topic in stage.chat.topics.values()] == ["parser"]


async def test_what_was_said_before_the_first_sight_is_not_replayed(stage: Stage) -> None:
    cli = await stage.session(flavor="codex", path="/srv/api")
    await cli.say("codex", {"type": "message", "message": "long ago"})
    await asyncio.sleep(0.5)
    await stage.start()
    await asyncio.sleep(0.5)
    await cli.say("codex", {"type": "message", "message": "from now on"})
    await cli.say("event", {"type": "ready"})
    await stage.message("from now on")
    assert not stage.chat.find("long ago")


@pytest.mark.parametrize(("button", "approved", "word"), [("Allow", True, "Allowed"), ("Deny", False, "Denied")])
async def test_a_request_is_decided_from_its_button_and_the_agent_goes_on(
    playing: Playing, button: str, approved: bool, word: str
) -> None:
    """Invariant 4: the card shows what the hub says, and the hub hears exactly one decision."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make build", "description": "build it"})
    card = await stage.message("make build")
    assert not card.silent
    assert await stage.press(card, button) == "Sending…"
    await stage.see(lambda: f"{word} by Ada · Telegram" in card.text, "the outcome on the card")
    assert "make build" in card.text, "a decided card keeps what it showed"
    assert [params["approved"] for method, params in cli.rpc_log if method == "permission"] == [approved]
    assert {one.data for one in card.buttons} == {"-"}, "its buttons are inert"
    await cli.say("codex", {"type": "message", "message": "went on"})
    await cli.say("event", {"type": "ready"})
    await stage.message("went on")


async def test_a_double_press_acts_once(playing: Playing) -> None:
    """Invariant 4."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await stage.steady(card)
    queries = [stage.telegram.press(card, "Allow", stage.ada) for _ in range(3)]
    answers = [(await stage.telegram.answer_to(query, 10)).text for query in queries]
    await stage.see(lambda: "Allowed by Ada" in card.text, "the outcome")
    assert answers[0] == "Sending…"
    assert "Sending…" not in answers[1:]
    assert len([1 for method, _ in cli.rpc_log if method == "permission"]) == 1


async def test_a_press_on_a_card_that_is_decided_elsewhere_is_refused_in_words(playing: Playing) -> None:
    """Invariant 4: a stale button resolves nothing, least of all another request."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await stage.steady(card)
    old = card.button("Allow").data
    assert old is not None
    await cli.resolve({"id": "req1", "approved": True})
    await stage.see(lambda: "Allowed" in card.text, "decided elsewhere")
    await cli.ask("req2", "Bash", {"command": "rm -rf /"})
    await stage.message("rm -rf /")
    query = stage.telegram.press(card, old, stage.ada, stale=True)
    answer = await stage.telegram.answer_to(query, 10)
    assert answer.alert
    assert (answer.text or "").startswith("Allowed already, ")
    assert not [1 for method, _ in cli.rpc_log if method == "permission"]


async def test_a_press_on_a_card_that_has_just_appeared_is_not_taken(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    query = stage.telegram.press(card, "Allow", stage.ada)
    answer = await stage.telegram.answer_to(query, 10)
    assert answer.text == "The card has just changed. Look at it, then press again."
    assert not cli.rpc_log


async def test_changed_arguments_make_a_new_card_and_the_old_one_is_dead(playing: Playing) -> None:
    """Invariant 4: nothing but what was on the card is ever approved."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "ls"})
    old = await stage.message("Bash\n")
    token = old.button("Allow").data
    assert token is not None
    await cli.ask("req1", "Bash", {"command": "rm -rf /"})
    new = await stage.message("rm -rf /")
    await stage.see(lambda: "Asked anew" in old.text, "the old card says so")
    assert new is not old
    await stage.steady(new)
    query = stage.telegram.press(old, token, stage.ada, stale=True)
    assert (await stage.telegram.answer_to(query, 10)).alert
    assert not cli.rpc_log


async def test_an_argument_that_does_not_fit_is_a_file_before_the_buttons_appear(playing: Playing) -> None:
    """Invariant 2 and 4: nothing can be approved unseen."""
    stage, cli = playing
    script = "\n".join(f"echo line {number}" for number in range(2000))
    await cli.ask("req1", "Bash", {"command": script})
    card = await stage.message("Approval needed")
    (sent,) = [one for one in stage.chat.from_bot if one.file]
    assert sent.file is not None
    assert script in sent.file.data.decode()
    assert sent.id < card.id
    assert sent.silent
    assert not card.silent


async def test_a_question_is_answered_with_a_button(playing: Playing) -> None:
    stage, cli = playing
    options = [{"label": "SQLite", "description": "a file"}, {"label": "Postgres", "description": "a server"}]
    questions = [{"question": "Which database?", "header": "DB", "multiSelect": False, "options": options}]
    await cli.ask("q1", "AskUserQuestion", {"questions": questions})
    card = await stage.message("Which database?")
    await stage.press(card, next(one.text for one in card.buttons if "Postgres" in one.text))
    await stage.see(lambda: "Answered by Ada" in card.text, "the answer on the card")
    assert cli.rpc_log[-1] == ("permission", {"id": "q1", "approved": True, "answers": {"0": ["Postgres"]}})


async def test_several_choices_and_several_questions_are_collected_until_the_last(playing: Playing) -> None:
    stage, cli = playing
    first = {
        "question": "Which parts?",
        "multiSelect": True,
        "options": [{"label": "A"}, {"label": "B"}, {"label": "C"}],
    }
    second = {"question": "Sure?", "multiSelect": False, "options": [{"label": "Yes"}, {"label": "No"}]}
    await cli.ask("q1", "AskUserQuestion", {"questions": [first, second]})
    card = await stage.message("Which parts?")
    for label in ("A", "C"):
        await stage.press(card, next(one.text for one in card.buttons if one.text.endswith(f" {label}")))
    await stage.press(card, next(one.text for one in card.buttons if one.text in ("Next", "Submit")))
    await stage.see(lambda: "Sure?" in card.text, "the second question")
    await stage.press(card, next(one.text for one in card.buttons if one.text.endswith("Yes")))
    await stage.see(lambda: "Answered by Ada" in card.text, "the answer on the card")
    assert cli.rpc_log[-1][1]["answers"] == {"0": ["A", "C"], "1": ["Yes"]}


async def test_a_reply_to_a_questions_card_is_its_answer_and_is_echoed(playing: Playing) -> None:
    stage, cli = playing
    asked = {"id": "db", "question": "Which database?", "options": [{"label": "SQLite"}]}
    await cli.ask("q1", "request_user_input", {"questions": [asked]})
    card = await stage.message("Which database?")
    stage.telegram.say(stage.chat, stage.ada, "DuckDB, please", reply_to=card.id, thread=card.thread)
    await stage.see(lambda: "Answered by Ada" in card.text, "the answer on the card")
    assert cli.rpc_log[-1][1]["answers"] == {"db": {"answers": ["DuckDB, please"]}}
    await stage.message("Your answer: DuckDB, please")
    assert not [1 for update in cli.updates if update["body"]["t"] == "new-message"], "it is no message to the agent"


async def test_a_plan_is_readable_and_approved(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("p1", "ExitPlanMode", {"plan": "# Plan\n\n1. **Read**\n2. Write"})
    card = await stage.message("Plan")
    assert "Read" in card.marked("bold")
    await stage.press(card, "Approve")
    await stage.see(lambda: "Approved by Ada" in card.text, "approved")
    assert cli.rpc_log[-1] == ("permission", {"id": "p1", "approved": True})


async def test_a_reply_reaches_the_agent_and_is_marked(playing: Playing) -> None:
    stage, cli = playing
    cli.auto_consume = False
    await cli.say("codex", {"type": "message", "message": "ready for you"})
    await cli.say("event", {"type": "ready"})
    answer = await stage.message("ready for you")
    said = stage.telegram.say(stage.chat, stage.ada, "fix the parser", thread=answer.thread)
    await stage.see(lambda: "👀" in str(said.reactions), "queued")
    sent = next(update["body"]["message"] for update in cli.updates if update["body"]["t"] == "new-message")
    assert sent["localId"].startswith("telegram-bot")
    assert sent["content"]["content"]["text"] == "fix the parser"
    await cli.consume([sent["localId"]])
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    assert len([1 for one in stage.chat.from_bot if "fix the parser" in one.text]) == 0, "no echo"


async def test_a_message_typed_elsewhere_is_shown_silently(playing: Playing) -> None:
    stage, cli = playing
    user = {"role": "user", "content": {"type": "text", "text": "typed in the terminal"}, "meta": {"sentFrom": "cli"}}
    await cli.emit("message", {"sid": cli.sid, "message": user})
    shown = await stage.message("typed in the terminal")
    assert shown.silent
    assert shown.text.startswith("You · terminal")


async def test_text_while_a_request_waits_is_offered_and_never_approves(playing: Playing) -> None:
    """Invariant 10."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    stage.telegram.say(stage.chat, stage.ada, "yes, do it", thread=card.thread)
    offer = await stage.message("What is your message?")
    assert [one.text for one in offer.buttons] == ["Deny and send", "Keep queued"]
    assert not cli.rpc_log
    assert not [1 for update in cli.updates if update["body"]["t"] == "new-message"]
    await stage.press(offer, "Deny and send")
    await stage.see(lambda: "Denied by Ada" in card.text, "denied")
    await stage.see(lambda: any(u["body"]["t"] == "new-message" for u in cli.updates), "sent")
    assert [params["approved"] for method, params in cli.rpc_log if method == "permission"] == [False]


async def test_strangers_are_refused_once_and_reach_nothing(playing: Playing) -> None:
    stage, cli = playing
    theirs = stage.telegram.private_chat(stage.eve)
    stage.telegram.say(theirs, stage.eve, "hello?")
    stage.telegram.say(theirs, stage.eve, "let me in")
    await stage.see(lambda: theirs.from_bot, "a refusal")
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await stage.steady(card)
    query = stage.telegram.press(card, "Allow", stage.eve)
    assert (
        await stage.telegram.answer_to(query, 10)
    ).text == "This bot works for its owner and the people they invited."
    assert len(theirs.from_bot) == 1
    assert not cli.rpc_log
    assert not [1 for update in cli.updates if update["body"]["t"] == "new-message"]


async def test_stop_button_and_command_reach_the_agent(playing: Playing) -> None:
    stage, cli = playing
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "sleep 99"}})
    activity = await stage.message("sleep 99")
    assert await stage.press(activity, "Stop") == "Stopping…"
    assert ("abort") in [method for method, _ in cli.rpc_log]
    stage.telegram.say(stage.chat, stage.ada, "/stop", thread=activity.thread)
    await stage.message("Stopping…")
    assert [method for method, _ in cli.rpc_log].count("abort") == 2
    await stage.see(lambda: "Stopped" in activity.text, "the turn is shown as stopped")


async def test_sessions_status_and_help_answer(playing: Playing) -> None:
    stage, cli = playing
    await cli.say("codex", {"type": "message", "message": "hi"})
    await cli.say("event", {"type": "ready"})
    await stage.message("hi")
    stage.telegram.say(stage.chat, stage.ada, "/sessions")
    assert "parser" in (await stage.message("1 session")).text
    stage.telegram.say(stage.chat, stage.ada, "/status")
    assert "connected" in (await stage.message("HAPI: ")).text
    stage.telegram.say(stage.chat, stage.ada, "/help")
    help_ = await stage.message("/sessions")
    assert "/stop" in help_.text
    await stage.press(help_, "Your messages")
    await stage.see(lambda: "send a message later" in help_.text, "the shelf")
    await stage.press(help_, "New session")
    await stage.see(lambda: stage.chat.from_bot[-1].id > help_.id, "answered below the help")
    assert "send a message later" in help_.text, "which stays"
