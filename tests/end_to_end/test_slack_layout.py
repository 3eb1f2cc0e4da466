"""The channel layout: each session has a channel of its own, each turn is a message there, with its details below."""

import asyncio

import pytest

from bridge.sandbox.slack import Channel, Message
from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of, until
from tests.end_to_end.slack_stage import SlackStage, words
from tests.rig.fake_cli import FakeCli

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(120)]


@pytest.fixture
def rooms(slack: SlackStage) -> SlackStage:
    """A stage in the channel layout; the bridge is not started yet."""
    slack.extra = 'layout = "channel"\n'
    return slack


@pytest.fixture
async def in_room(rooms: SlackStage) -> tuple[SlackStage, FakeCli]:
    """The bridge runs in the channel layout, and one Claude session is active."""
    await rooms.start()
    return rooms, await rooms.session(flavor="claude", path="/home/ada/parser")


InRoom = tuple[SlackStage, FakeCli]


def made(stage: SlackStage) -> list[Channel]:
    """The channels that the bridge made."""
    return [one for one in stage.slack.channels.values() if one.kind == "private" and one.creator is stage.slack.bot]


async def shown(stage: SlackStage, text: str, timeout: float = 15, *, where: Channel | None = None) -> Message:
    """Wait for a message of the bot with a text, in a channel that it made."""

    def find() -> Message | None:
        places = [where] if where is not None else made(stage)
        return next((one for place in places for one in reversed(place.from_bot) if text in words(one)), None)

    try:
        await stage.slack.wait_for(find, timeout, f"{text!r} in a channel")
    except TimeoutError as error:
        told = "\n".join(f"  {'│' if m.is_reply else ''} {words(m)!r}"[:300] for c in made(stage) for m in c.visible)
        raise TimeoutError(f"{error}; the channels show\n{told}") from None
    found = find()
    assert found is not None
    return found


async def works(cli: FakeCli, number: int = 1) -> None:
    """The agent thinks, and begins to use a tool."""
    thought = {"type": "reasoning", "message": f"The parser drops token {number}.", "id": f"r{number}"}
    await cli.say("codex", thought)
    call = {"type": "tool-call", "callId": f"c{number}", "name": "Bash", "input": {"command": f"make test{number}"}}
    await cli.say("codex", call)


async def test_a_session_has_a_private_channel_with_its_owner_and_each_turn_is_one_message_there(
    in_room: InRoom,
) -> None:
    stage, cli = in_room
    await asyncio.sleep(0.3)
    assert made(stage) == [], "a session without a message gets no channel"
    await works(cli)
    log = await shown(stage, "🟠 Bash make test1")
    await cli.say("codex", {"type": "tool-call-result", "callId": "c1", "output": "12 passed"})
    await answers(cli, "All **12** tests pass")
    answer = await shown(stage, "tests pass")
    await stage.see(lambda: "🟢 Bash make test1" in words(log), "the tool's line turned green, on the same message")

    (room,) = made(stage)
    assert room.name == "hapi-parser"
    assert set(room.members) == {stage.ada.id, stage.slack.bot.id}
    assert room.topic == "parser"
    assert room.purpose.startswith("/home/ada/parser · ")
    turn, last = room.top_level
    assert last is answer
    await stage.see(lambda: "Done" in words(turn), "the turn's end")
    assert "make test" not in words(turn), "the details are below it"
    assert "drops token" not in str(turn.attachments)
    thought = await shown(stage, "drops token 1")
    assert {log.thread_ts, thought.thread_ts} == {turn.ts}
    assert [one.mentions for one in room.visible if one is not answer] == [[]] * 3
    assert answer.mentions == [f"@{stage.ada.id}"], "the answer rings, once, in the channel itself"
    assert stage.dm.visible == [], "nothing in the direct messages"


async def test_at_level_full_tool_cards_hang_below_their_turn(rooms: SlackStage) -> None:
    stage = rooms
    stage.extra += 'level = "full"\n'
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await works(cli)
    await cli.say("codex", {"type": "tool-call-result", "callId": "c1", "output": "12 passed"})
    await answers(cli, "done with it")
    await shown(stage, "done with it")
    card = await shown(stage, "12 passed")
    (room,) = made(stage)
    assert card.thread_ts == room.top_level[0].ts
    assert len(room.top_level) == 2


async def test_an_approval_stands_in_the_channel_and_is_decided_there(in_room: InRoom) -> None:
    """Invariant 4; and it is not buried in a thread."""
    stage, cli = in_room
    await works(cli)
    await shown(stage, "make test1")
    await cli.ask("req1", "Bash", {"command": "make install"})
    card = await shown(stage, "make install")
    assert card.thread_ts is None
    assert f"@{stage.ada.id}" in card.mentions
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by ada · Slack" in words(card), "the outcome on the card")
    assert [params["approved"] for params in decisions_of(cli)] == [True]


async def test_what_the_owner_writes_in_the_channel_or_in_a_turns_thread_goes_to_the_session(in_room: InRoom) -> None:
    stage, cli = in_room
    await works(cli)
    log = await shown(stage, "make test1")
    (room,) = made(stage)
    first = stage.slack.say(room, stage.ada, "look at the lexer, too")
    await stage.see(lambda: "ok_hand" in stage.reactions(first), "the first word is taken")
    second = stage.slack.say(room, stage.ada, "and this in the thread", thread_ts=log)
    await stage.see(lambda: "ok_hand" in stage.reactions(second), "the second word is taken")
    assert texts_of(cli) == ["look at the lexer, too", "and this in the thread"]
    eve = stage.slack.add_user("eve")
    stage.slack.join(room, eve)
    stage.slack.say(room, eve, "I think so, too")
    await answers(cli, "the answer to both")
    await shown(stage, "the answer to both")
    assert len(texts_of(cli)) == 2, "others talk among themselves"


async def test_a_reply_in_the_thread_of_a_questions_card_is_its_answer(in_room: InRoom) -> None:
    stage, cli = in_room
    question = {"question": "Which parser?", "header": "Parser", "options": [{"label": "LL"}, {"label": "LR"}]}
    await cli.ask("req1", "AskUserQuestion", {"questions": [question]})
    card = await shown(stage, "Which parser?")
    assert card.thread_ts is None
    stage.slack.say(card.channel, stage.ada, "a PEG one", thread_ts=card)
    await until(lambda: decisions_of(cli), "the answer")
    assert "a PEG one" in str(decisions_of(cli))
    assert texts_of(cli) == [], "it is an answer, not a message"


async def test_commands_work_in_the_channel(in_room: InRoom) -> None:
    stage, cli = in_room
    await answers(cli, "hello")
    hello = await shown(stage, "hello")
    room = hello.channel
    stage.slack.say(room, stage.ada, f"{stage.slack.mention()} detach")
    await shown(stage, "This is where sessions are shown by themselves")
    stage.slack.say(room, stage.ada, f"{stage.slack.mention()} attach")
    await shown(stage, "parser is shown here already.")


async def test_a_kill_in_the_middle_doubles_and_loses_nothing(rooms: SlackStage) -> None:
    """Invariants 1 and 3: neither channel nor turn nor detail comes twice."""
    stage = rooms
    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    stage.slack.faults.lose_answer("conversations.create", times=1)
    await works(cli, 1)
    await stage.slack.wait_for(lambda: stage.slack.faults.hits, 15, "a channel whose making was not answered")
    await stage.kill_process()
    await stage.start_process()
    await shown(stage, "make test1", 30)
    stage.slack.faults.lose_answer("chat.postMessage", times=1)
    await works(cli, 2)
    await stage.slack.wait_for(lambda: len(stage.slack.faults.hits) > 1, 15, "a post whose answer is lost")
    await stage.kill_process()
    await works(cli, 3)
    await answers(cli, "all three")
    await stage.start_process()
    await shown(stage, "all three", 40)
    (room,) = made(stage)
    assert room.name == "hapi-parser"
    turn = room.top_level[0]
    await stage.see(lambda: "Done" in words(turn), "the turn's end", 30)
    await shown(stage, "drops token 3")
    replies = [words(one) for one in room.thread(turn)[1:]]
    assert sorted(one for one in replies if "drops token" in one) == [
        f"Reasoning The parser drops token {number}." for number in (1, 2, 3)
    ]
    assert len([one for one in replies if "make test" in one]) == 1, "one log"
    assert len(replies) == 4
    assert len(room.top_level) == 2


async def test_a_lost_answer_on_a_hanging_post_is_looked_up_in_its_thread(in_room: InRoom) -> None:
    """Invariant 3."""
    stage, cli = in_room
    await answers(cli, "hello")
    hello = await shown(stage, "hello")
    stage.slack.faults.lose_answer("chat.postMessage", times=2, skip=1)
    await works(cli)
    thought = await shown(stage, "drops token 1")
    log = await shown(stage, "make test1")
    await answers(cli, "found")
    await shown(stage, "found")
    room = hello.channel
    turn = room.top_level[1]
    assert room.thread(turn)[1:] == sorted([log, thought], key=lambda one: one.ts)
    asked = [one for one in stage.slack.calls if one.method == "conversations.replies" and one.params["ts"] == turn.ts]
    assert asked, "the turn's thread was looked through"


async def test_details_of_a_turn_whose_message_was_deleted_are_not_lost(in_room: InRoom) -> None:
    """Invariant 2: without the message they hang under, they stand in the channel."""
    stage, cli = in_room
    stage.refusals |= {"thread_not_found", "message_not_found"}
    await works(cli, 1)
    log = await shown(stage, "make test1")
    room = log.channel
    for one in reversed(room.thread(log)):
        stage.slack.delete(one)
    await works(cli, 2)
    thought = await shown(stage, "drops token 2")
    assert thought.thread_ts is None
    await answers(cli, "still here")
    await shown(stage, "still here")
    assert not [one for one in room.top_level if "Working" in words(one)], "what a person deleted is not posted again"


async def test_an_archived_channels_session_goes_on_at_home(in_room: InRoom) -> None:
    """Nothing is lost with the channel: what waits is asked again, what comes is shown at home, in a thread."""
    stage, cli = in_room
    await answers(cli, "hello")
    hello = await shown(stage, "hello")
    room = hello.channel
    await cli.ask("req1", "Bash", {"command": "make install"})
    await shown(stage, "make install")
    stage.refusals.add("is_archived")
    stage.slack.archive(room, stage.ada)
    card = await stage.message("make install")
    await stage.message("its channel takes no messages any more")
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by ada" in words(card), "decided at home")
    await answers(cli, "at home")
    answer = await stage.answer("at home")
    assert answer.thread_ts == stage.root("parser").ts
    assert made(stage) == [room], "no other channel is made"
    said = stage.say("and back", answer)
    await stage.see(lambda: "ok_hand" in stage.reactions(said), "a reply at home")


async def test_the_bot_removed_while_the_bridge_was_away_is_noticed_at_the_next_post(rooms: SlackStage) -> None:
    """No event tells of it then: Slack's refusal does."""
    stage = rooms
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "hello")
    room = (await shown(stage, "hello")).channel
    await stage.stop()
    stage.refusals |= {"channel_not_found"}
    room.members.pop(stage.slack.bot.id)
    await answers(cli, "said meanwhile")
    await stage.start()
    answer = await stage.answer("said meanwhile")
    assert answer.thread_ts == stage.root("parser").ts
    await stage.message("its channel takes no messages any more")


async def test_without_the_scope_sessions_are_threads_and_it_is_said_once(rooms: SlackStage) -> None:
    stage = rooms
    stage.slack.scopes.discard("groups:write")
    stage.refusals.add("missing_scope")
    await stage.start()
    for path in ("/home/ada/parser", "/home/ada/lexer"):
        cli = await stage.session(flavor="claude", path=path)
        await works(cli)
        await answers(cli, f"hello from {path}")
        answer = await stage.answer(f"hello from {path}")
        assert answer.thread_ts == stage.root(path.rsplit("/", 1)[1]).ts
        thread = stage.dm.thread(answer)
        assert len([one for one in thread if "drops token" in str(one.attachments)]) == 1, "folded, as in threads"
        assert len([one for one in thread if "make test1" in words(one)]) == 1
    notes = [one for one in stage.dm.top_level if "groups:write" in words(one)]
    assert len(notes) == 1
    assert "slack-manifest" in words(notes[0])
    assert made(stage) == []


async def test_sessions_of_one_name_get_channels_of_their_own(in_room: InRoom) -> None:
    stage, cli = in_room
    stage.slack.add_channel("hapi-parser", stage.ada, private=True, with_bot=False)
    stage.refusals.add("name_taken")
    await answers(cli, "from the first")
    first = await shown(stage, "from the first")
    other = await stage.session(flavor="claude", path="/srv/parser")
    await answers(other, "from the second")
    second = await shown(stage, "from the second")
    assert [first.channel.name, second.channel.name] == ["hapi-parser-2", "hapi-parser-3"]
    said = stage.slack.say(second.channel, stage.ada, "to the second")
    await until(lambda: texts_of(other) == ["to the second"], "the text at its session")
    assert texts_of(cli) == []
    await stage.see(lambda: stage.reactions(said) == {"ok_hand"}, "taken")


async def test_a_channel_is_called_as_its_session_is_unless_a_person_named_it(in_room: InRoom) -> None:
    stage, cli = in_room
    await answers(cli, "hello")
    room = (await shown(stage, "hello")).channel
    await cli.set_meta(name="Fix the Tokenizer!")
    await stage.slack.wait_for(lambda: room.topic == "Fix the Tokenizer!", 20, "the new topic")
    assert room.name == "hapi-fix-the-tokenizer"
    stage.slack.rename(room, "our-own-name")
    await cli.set_meta(name="Another")
    await stage.slack.wait_for(lambda: room.topic == "Another", 20, "the next topic")
    assert room.name == "our-own-name"


async def test_channels_that_slack_makes_slowly_hold_nobody_else_up(in_room: InRoom) -> None:
    """``conversations.create`` has a rate of its own; what it must wait is no wait for direct messages."""
    stage, cli = in_room
    stage.slack.faults.flood("conversations.create", times=1, retry_after=3)
    began = asyncio.get_running_loop().time()
    await answers(cli, "hello")
    await stage.slack.wait_for(lambda: stage.slack.faults.hits, 15, "a channel that must wait")
    stage.say(f"{stage.slack.mention()} help")
    await stage.message("/hapi status")
    assert asyncio.get_running_loop().time() - began < 3
    await shown(stage, "hello")
    assert len(made(stage)) == 1
