"""A Telegram group that lets the bot read everything: who is meant, who said it, and who may decide."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from bridge.sandbox.telegram import Chat, Limits, Message, Topic, User
from tests.end_to_end.bridge_stage import decisions_of, texts_of, told, until
from tests.end_to_end.conftest import Playing, Stage
from tests.end_to_end.test_own_messages import rows
from tests.end_to_end.test_people import audit, paired, said
from tests.rig.fake_cli import FakeCli

pytestmark = pytest.mark.real_hub


@dataclass
class Group:
    """A forum group with a session in a topic of its own: Ada owns the bot, Bob approves, Mem talks, Vic reads."""

    stage: Stage
    cli: FakeCli
    chat: Chat
    topic: Topic
    bob: User
    mem: User
    vic: User

    def say(self, user: User, text: str, *, reply_to: Message | None = None) -> Message:
        """Somebody says something in the session's topic."""
        return self.stage.telegram.say(self.chat, user, text, thread=self.topic, reply_to=reply_to)

    async def shown(self, text: str) -> Message:
        return await said(self.stage, self.chat, text)


@pytest.fixture
async def group(playing: Playing) -> Group:
    return await opened(*playing)


async def opened(stage: Stage, cli: FakeCli) -> Group:
    """The group, with the session attached."""
    bob, mem, vic = (stage.telegram.add_user(id, name) for id, name in ((8, "Bob"), (9, "Mem"), (10, "Vic")))
    for user, role in ((bob, "approver"), (mem, "member"), (vic, "viewer")):
        await paired(stage, user, role)
    chat = stage.telegram.group("Work", stage.ada, bob, mem, vic, stage.eve)
    stage.telegram.say(chat, stage.ada, "/attach parser")
    await said(stage, chat, "parser is shown here from now on")
    await cli.say("codex", {"type": "message", "message": "Hello, all of you."})
    await cli.say("event", {"type": "ready"})
    await said(stage, chat, "Hello, all of you.")
    topic = chat.topic("parser")
    assert topic is not None
    return Group(stage, cli, chat, topic, bob, mem, vic)


async def test_people_talk_among_themselves_and_the_bot_keeps_quiet(group: Group) -> None:
    """What nobody said to the bot is not answered, not refused, not asked about, and reaches no agent."""
    stage, telegram, chat = group.stage, group.stage.telegram, group.chat
    before, lines = len(chat.from_bot), len(audit(stage))
    for user in (stage.ada, group.bob, group.vic, stage.eve):
        first = telegram.say(chat, user, "shall we have lunch?")
        telegram.say(chat, user, "yes", reply_to=first)
        telegram.say(chat, user, "/play jazz")
        telegram.edit(first, "shall we have lunch now?")
        telegram.send_document(chat, user, b"%PDF", "menu.pdf")
    for user in (group.vic, stage.eve):
        overheard = group.say(user, "I only read here")
        telegram.edit(overheard, "I only read here, and wonder")
    group.say(group.mem, "fix the parser")
    await until(lambda: texts_of(group.cli), "what was said to the session")
    assert texts_of(group.cli) == ["Mem: fix the parser"]
    assert len(chat.from_bot) == before
    assert len(audit(stage)) == lines


async def test_who_names_the_bot_is_answered_where_no_session_is_shown(group: Group) -> None:
    stage, chat = group.stage, group.chat
    stage.telegram.say(chat, group.mem, f"@{stage.telegram.bot.username} are you there?")
    await group.shown("No session is shown here.")
    stage.telegram.say(chat, group.vic, f"@{stage.telegram.bot.username}, fix it")
    await group.shown("You may read here. Only people whom the owner lets talk can do that.")
    assert texts_of(group.cli) == []


async def test_several_people_steer_one_session_by_name_and_by_role(group: Group) -> None:
    """Invariant 4: the role counts at the moment of the press."""
    stage, cli = group.stage, group.cli
    for user, text in ((stage.ada, "fix the parser"), (group.bob, "and the lexer"), (group.mem, "and test it")):
        group.say(user, text)
    group.say(group.vic, "I only read")
    await until(lambda: len(texts_of(cli)) == 3, "the texts of who may talk")
    assert texts_of(cli) == ["Ada: fix the parser", "Bob: and the lexer", "Mem: and test it"]
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await group.shown("make build")
    for user in (group.mem, group.vic):
        assert await stage.press(card, "Allow", user) == "Only the owner and approvers can do that."
    foreign = await stage.press(card, "Allow", stage.eve)
    assert foreign == "This bot works for its owner and the people they invited."
    assert await stage.press(card, "Allow", group.bob) == "Sending…"
    await stage.see(lambda: "Allowed by Bob" in card.text, "the outcome")
    assert [params["approved"] for params in decisions_of(cli)] == [True]


async def test_a_stranger_who_asks_for_something_is_told_once_and_in_private(group: Group) -> None:
    """Not before others, and not again; where the platform does not let the bot begin, the word waits there."""
    stage, telegram, chat = group.stage, group.stage.telegram, group.chat
    before = len(chat.from_bot)
    for text in (f"@{telegram.bot.username} hello", "/sessions", "/stop"):
        telegram.say(chat, stage.eve, text)
    own = telegram.private_chat(stage.eve)
    await said(stage, own, "Sorry")
    telegram.say(chat, stage.eve, "/status")
    telegram.say(chat, stage.ada, "/help")
    await stage.see(lambda: len(chat.from_bot) == before + 1, "an answer to who belongs here")
    assert len(own.from_bot) == 1
    assert all("parser" not in one.text for one in own.from_bot)


async def test_a_stranger_whom_the_bot_may_not_write_to_is_told_when_they_write(group: Group) -> None:
    stage, telegram = group.stage, group.stage.telegram
    stage.eve.has_blocked_bot = True  # as for whoever never opened the bot: nobody tells of it
    telegram.say(group.chat, stage.eve, "/sessions")
    telegram.say(group.chat, stage.ada, "/help")
    await group.shown("/sessions")
    own = telegram.private_chat(stage.eve)
    assert own.from_bot == []
    stage.eve.has_blocked_bot = False
    telegram.say(own, stage.eve, "hello?")
    await said(stage, own, "Sorry")


async def test_what_one_wrote_nobody_else_takes_back(group: Group) -> None:
    stage, cli = group.stage, group.cli
    cli.auto_consume = False
    mine = group.say(group.mem, "delete everything")
    await stage.see(lambda: "👀" in str(mine.reactions), "queued")
    group.say(group.bob, "/cancel", reply_to=mine)
    await group.shown("Only who wrote it can cancel it.")
    group.say(group.mem, "/cancel", reply_to=mine)
    await group.shown("Taken back before the agent saw it.")


async def test_what_two_people_write_at_once_is_never_put_together(stage: Stage) -> None:
    """The names stand once before what one person wrote in pieces."""
    stage.manners["merge_pause_s"] = 0.6
    await stage.start()
    group = await opened(stage, await stage.session(flavor="claude", path="/home/ada/parser"))
    for user, text in ((group.mem, "fix it"), (group.mem, "then test"), (group.bob, "wait"), (group.mem, "go")):
        group.say(user, text)
    await until(lambda: len(texts_of(group.cli)) == 3, "three messages")
    assert texts_of(group.cli) == ["Mem: fix it\nthen test", "Bob: wait", "Mem: go"]


async def test_names_stand_before_whatever_way_words_come(stage: Stage, tmp_path: Path) -> None:
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (folder / "review.md").write_text("# Review\n\nLook for bugs.\n")
    stage.manners["scenarios_dir"] = str(folder)
    await stage.start()
    group = await opened(stage, await stage.session(flavor="claude", path="/home/ada/parser"))
    group.say(group.mem, "/scenario review the lexer")
    await until(lambda: texts_of(group.cli), "the scenario")
    assert texts_of(group.cli)[0].startswith("<scenarios>\n")
    assert texts_of(group.cli)[0].endswith("</scenarios>\n\nMem: the lexer")

    written = group.say(group.mem, "use port 80")
    await stage.see(lambda: "👌" in str(written.reactions), "taken")
    stage.telegram.edit(written, "use port 8080")
    late = await group.shown("Too late")
    assert "Only Mem and the owner" in await stage.press(late, "Send as correction", group.bob)
    assert await stage.press(late, "Send as correction", group.mem) == "Sent as a correction."
    await until(lambda: texts_of(group.cli)[-1] == "Mem: Correction: use port 8080", "the correction")

    group.cli.auto_consume = False
    queued = group.say(group.mem, "use tabs")
    await until(lambda: texts_of(group.cli)[-1] == "Mem: use tabs", "queued")
    await stage.see(lambda: "👀" in str(queued.reactions), "queued")
    stage.telegram.edit(queued, "use spaces")
    await until(lambda: texts_of(group.cli)[-1] == "Mem: use spaces", "sent anew")
    await group.cli.consume([told(group.cli)[-1]["localId"]])

    group.cli.auto_consume = True
    await group.cli.ask("req1", "Bash", {"command": "make build"})
    card = await group.shown("make build")
    await stage.press(card, "Deny…", group.bob)
    asked = await group.shown("Why not?")
    group.say(group.bob, "it takes too long", reply_to=asked)
    await until(lambda: texts_of(group.cli)[-1] == "Bob: it takes too long", "the reason")
    assert [params["approved"] for params in decisions_of(group.cli)] == [False]

    group.say(group.mem, "/in 1h go home")
    await group.shown("Will be sent")
    async with asyncio.timeout(15):
        while "Mem: go home" not in [row["content"]["content"]["text"] for row in await rows(stage, group.cli)]:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_a_long_turn_keeps_the_groups_rate_and_a_request_does_not_wait_for_its_turn(stage: Stage) -> None:
    """Invariant 8: twenty messages a minute in a group, all at twenty times the speed; nothing is refused with 429."""
    stage.telegram.rates.limits = Limits(speed=stage.speed)
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    group = await opened(stage, cli)
    cli.thinking = True
    for number in range(40):
        if number == 20:
            await cli.ask("req1", "Bash", {"command": "make build"})
            asked_at = len(group.chat.from_bot)
        if number % 4 == 0:
            await cli.say("codex", {"type": "message", "message": f"Step {number}.", "id": f"t{number}"})
        call = {"type": "tool-call", "callId": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        await cli.say("codex", call)
        await cli.say("codex", {"type": "tool-call-result", "callId": f"c{number}", "output": f"ok {number}"})
        await asyncio.sleep(0.05)
    card = await group.shown("make build")
    assert group.chat.from_bot.index(card) - asked_at <= 2, "before what else there was to say"
    assert await stage.press(card, "Allow", group.bob) == "Sending…"
    await cli.say("codex", {"type": "message", "message": "All done."})
    await cli.say("event", {"type": "ready"})
    await group.shown("All done.")
    await stage.see(lambda: "Allowed by Bob" in card.text, "the outcome")
    assert stage.telegram.rates.violations == 0
