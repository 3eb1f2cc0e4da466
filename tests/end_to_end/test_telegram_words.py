"""Words asked for where the platform has no forms: a note opens the keyboard, and a reply to it is the answer."""

import pytest

from bridge.sandbox.telegram import Message
from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of, until
from tests.end_to_end.conftest import Playing, Stage
from tests.end_to_end.test_people import paired, said

pytestmark = pytest.mark.real_hub


async def asked(stage: Stage, card: Message, label: str, words: str) -> Message:
    """Press a button that asks for words; the note that asks."""
    assert await stage.press(card, label) == "Write it as a reply to the message below."
    note = await stage.message(words)
    assert note.reply_to == card.id
    return note


async def replied(stage: Stage, note: Message, text: str) -> Message:
    """Reply to a note; the bot's answer."""
    said = stage.telegram.say(stage.chat, stage.ada, text, reply_to=note)
    await stage.see(lambda: any(one.reply_to == said.id for one in stage.chat.from_bot), "an answer to the reply")
    return next(one for one in reversed(stage.chat.from_bot) if one.reply_to == said.id)


async def test_a_denial_with_a_reason_goes_first_and_the_reason_follows_as_a_message(playing: Playing) -> None:
    """The hub drops reasons, so the agent gets it as what the person says next."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    card = await stage.message("make deploy")
    note = await asked(stage, card, "Deny…", "Why not?")
    assert note.reply_markup == {
        "force_reply": True,
        "input_field_placeholder": "Why not? The agent gets this as your message, after the denial.",
    }
    assert not decisions_of(cli), "asking decides nothing"
    answer = await replied(stage, note, "Not on a Friday")
    assert answer.text.endswith("Denied, and sent to the agent: Not on a Friday")
    await stage.see(lambda: "Denied by Ada · Telegram" in card.text, "the outcome on the card")
    await until(lambda: texts_of(cli) == ["Not on a Friday"], "the reason")
    assert [params["approved"] for params in decisions_of(cli)] == [False]


async def test_a_second_reply_to_the_same_note_counts_for_nothing_and_is_said_back(playing: Playing) -> None:
    """A note is answered once; and words are not lost."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    card = await stage.message("make deploy")
    note = await asked(stage, card, "Deny…", "Why not?")
    await replied(stage, note, "Not on a Friday")
    await until(lambda: texts_of(cli) == ["Not on a Friday"], "the reason")
    again = await replied(stage, note, "Nor on a Monday")
    assert again.text.endswith("This was answered already. You wrote: Nor on a Monday")
    assert len(decisions_of(cli)) == 1
    assert texts_of(cli) == ["Not on a Friday"]


async def test_a_reason_for_what_was_decided_meanwhile_is_said_back_and_goes_nowhere(playing: Playing) -> None:
    """Invariant 4: the note is bound to what its card showed; and the words are not lost."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    card = await stage.message("make deploy")
    note = await asked(stage, card, "Deny…", "Why not?")
    await cli.resolve({"id": "req1", "approved": True})
    await stage.see(lambda: "Allowed" in card.text, "decided elsewhere")
    answer = await replied(stage, note, "/tmp is full")
    assert "Allowed already, " in answer.text
    assert answer.text.endswith(". You wrote: /tmp is full")
    assert not decisions_of(cli)
    assert texts_of(cli) == []


async def test_a_reason_for_other_arguments_denies_nothing(playing: Playing) -> None:
    """Invariant 4: what waits under the same id by now is another request."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    note = await asked(stage, await stage.message("make deploy"), "Deny…", "Why not?")
    await cli.ask("req1", "Bash", {"command": "make test"})
    await stage.message("make test")
    answer = await replied(stage, note, "Not on a Friday")
    assert "You wrote: Not on a Friday" in answer.text
    assert not decisions_of(cli)


async def test_a_question_is_answered_in_own_words_by_a_reply_to_the_note(playing: Playing) -> None:
    stage, cli = playing
    asks = {"id": "db", "question": "Which database?", "options": [{"label": "SQLite"}]}
    await cli.ask("q1", "request_user_input", {"questions": [asks]})
    card = await stage.message("Which database?")
    note = await asked(stage, card, "Other…", "Your answer")
    answer = await replied(stage, note, "DuckDB, please")
    assert answer.text.endswith("Your answer: DuckDB, please")
    await stage.see(lambda: "Answered by Ada" in card.text, "the answer on the card")
    assert cli.rpc_log[-1][1]["answers"] == {"db": {"answers": ["DuckDB, please"]}}


async def test_a_note_still_counts_after_a_restart(playing: Playing) -> None:
    """What a reply is for is in the store, not in memory."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    note = await asked(stage, await stage.message("make deploy"), "Deny…", "Why not?")
    await stage.stop()
    said = stage.telegram.say(stage.chat, stage.ada, "Not on a Friday", reply_to=note)
    await stage.start()
    await until(lambda: texts_of(cli) == ["Not on a Friday"], "the reason")
    assert [params["approved"] for params in decisions_of(cli)] == [False]
    await stage.see(lambda: any(one.reply_to == said.id for one in stage.chat.from_bot), "an answer to the reply")


async def test_a_command_in_reply_to_a_note_is_a_command(playing: Playing) -> None:
    stage, cli = playing
    await answers(cli, "hello")
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    note = await asked(stage, await stage.message("make deploy"), "Deny…", "Why not?")
    answer = await replied(stage, note, "/sessions")
    assert "1 session" in answer.text
    assert not decisions_of(cli)


async def test_in_a_group_the_note_names_whom_it_asks_and_only_who_may_decide_can_answer_it(playing: Playing) -> None:
    """Invariant 4: a reply has the checks of the press it stands for, the role of who replies among them."""
    stage, cli = playing
    bob, vic = stage.telegram.add_user(8, "Bob"), stage.telegram.add_user(9, "Vic")
    await paired(stage, bob, "approver")
    await paired(stage, vic, "member")
    group = stage.telegram.group("Work", stage.ada, bob, vic)
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    card = await said(stage, group, "make deploy")
    await stage.press(card, "Deny…", bob)
    note = await said(stage, group, "Bob, reply to this message with it.")
    assert note.reply_markup is None, "nobody else's keyboard opens"
    stage.telegram.say(group, vic, "Because of me", reply_to=note)
    await said(stage, group, "Only the owner and approvers can do that.")
    assert not decisions_of(cli)
    stage.telegram.say(group, bob, "Not on a Friday", reply_to=note)
    await stage.see(lambda: "Denied by Bob" in card.text, "the outcome on the card")
    await until(lambda: len(texts_of(cli)) == 1, "the reason")
    assert texts_of(cli)[0].endswith("Not on a Friday")
