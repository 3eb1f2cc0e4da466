"""Each teammate's own home post: pinned and edited, of the sessions they may hear of, with links that they can open."""

import sqlite3

import pytest

from bridge.sandbox.slack import Channel
from bridge.sandbox.slack import Message as SlackMessage
from bridge.sandbox.slack import User as SlackUser
from bridge.sandbox.telegram import Chat, Message, User
from tests.end_to_end.bridge_stage import BridgeStage, answers
from tests.end_to_end.conftest import Stage
from tests.end_to_end.slack_stage import SlackStage, words
from tests.end_to_end.test_people import paired, said, slack_code, slack_pair
from tests.end_to_end.test_slack_channels import attached

pytestmark = pytest.mark.real_hub

NOTHING = "Nothing waits and nothing runs."


async def begun(stage: BridgeStage) -> None:
    stage.manners["home_post"] = True
    await stage.start()


async def teammate(stage: Stage, id: int, name: str, role: str) -> tuple[User, Chat, Message]:
    """Somebody who was let in, their chat, and their home post, once it is pinned."""
    user = stage.telegram.add_user(id, name)
    chat = await paired(stage, user, role)
    home = await said(stage, chat, NOTHING)
    await stage.see(lambda: chat.pinned == [home.id], f"the post of {name} is pinned")
    return user, chat, home


def labels(message: Message) -> list[str]:
    return [button.text for button in message.buttons]


async def test_each_teammate_has_one_post_of_what_they_may_do(stage: Stage) -> None:
    await begun(stage)
    _, bobs, bob = await teammate(stage, 8, "Bob", "approver")
    _, vics, vic = await teammate(stage, 9, "Vic", "viewer")
    assert labels(bob) == ["Sessions", "Help"], "who may not start a session has no button for it"
    assert "`hapi`" not in bob.text, "nor is told how to"
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "ls"})
    await stage.see(lambda: "🟠 1 waits for you\n   parser · Bash" in bob.text, "it waits for who may decide")
    await stage.see(lambda: "🟠 1 waits for others\n   parser · Bash" in vic.text, "and for others than a viewer")
    assert labels(bob) == ["What waits", "Sessions", "Help"]
    assert bob.marked("text_link") == [], "the owner's private chat is no place that Bob could open"
    await stage.press(bob, "What waits", bobs.person)
    await said(stage, bobs, "1 request waits for a decision")
    await cli.resolve({"id": "r1", "approved": True})
    await answers(cli, "All done.")
    for home, chat in ((bob, bobs), (vic, vics)):
        await stage.see(lambda home=home: "🟢 1 finished\n   parser" in home.text, "it has finished")  # type: ignore[misc]
        assert home.silent
        assert chat.pinned == [home.id]
        assert [one for one in chat.from_bot if "finished" in one.text] == [home]


async def test_it_links_to_the_place_in_a_group_and_tells_nothing_of_where_one_may_hear_nothing(stage: Stage) -> None:
    """Invariant 4: a role in one conversation counts for what is shown there."""
    await begun(stage)
    bob, _, home = await teammate(stage, 8, "Bob", "approver")
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "hello")
    await stage.see(lambda: "parser" in home.text, "it is told of")
    group = stage.telegram.group("Work", stage.ada, bob)
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    await cli.ask("r1", "Bash", {"command": "make build"})
    card = await said(stage, group, "make build")
    await stage.see(lambda: home.marked("text_link") == ["parser"], "a link")
    (link,) = [one["url"] for one in home.entities if one["type"] == "text_link"]
    assert link.startswith("https://t.me/c/")
    assert link.endswith(f"/{card.thread}/{card.id}"), "to the card that waits, in the group"
    stage.telegram.say(group, stage.ada, "/people")
    people = await said(stage, group, "owner, by the configuration")
    for label in ("Bob", "Nothing here", "Yes, for Bob"):
        await stage.see(lambda label=label: people.find_button(label), label)  # type: ignore[misc]
        await stage.press(people, label)
    await stage.see(lambda: NOTHING in home.text, "he may hear nothing of it any more")
    assert "parser" not in home.text


async def test_who_has_a_role_in_one_conversation_alone_reads_of_its_sessions_and_has_no_buttons(stage: Stage) -> None:
    await begun(stage)
    cy = stage.telegram.add_user(10, "Cy")
    group = stage.telegram.group("Work", stage.ada, cy)
    parser = await stage.session(flavor="claude", path="/home/ada/parser")
    lexer = await stage.session(flavor="claude", path="/home/ada/lexer")
    for cli in (parser, lexer):
        await answers(cli, "hello")
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    before = len(stage.chat.from_bot)
    topic = group.topic("parser")
    stage.telegram.say(group, stage.ada, "/invite viewer", thread=topic)
    await stage.see(lambda: any("/pair" in one.text for one in stage.chat.from_bot[before:]), "a code")
    code = next(one.text for one in stage.chat.from_bot[before:] if "/pair" in one.text).split("/pair ")[1][:14]
    chat = stage.telegram.private_chat(cy)
    stage.telegram.say(chat, cy, f"/pair {code}")
    home = await said(stage, chat, "🟢 1 finished\n   parser")
    assert "lexer" not in home.text
    assert labels(home) == [], "they may do nothing in their own chat"


async def test_a_role_that_is_taken_away_empties_the_post_and_unpins_it(stage: Stage) -> None:
    """Invariant 4. Given again, it is the same post."""
    await begun(stage)
    bob, chat, home = await teammate(stage, 8, "Bob", "approver")
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "ls"})
    await stage.see(lambda: "parser" in home.text, "it waits")
    stage.telegram.say(stage.chat, stage.ada, "/people")
    people = await stage.message("owner, by the configuration")
    for label in ("Bob", "Remove", "Yes, for Bob"):
        await stage.see(lambda label=label: people.find_button(label), label)  # type: ignore[misc]
        await stage.press(people, label)
    await stage.see(lambda: "You have no role with this bot any more" in home.text, "it is empty")
    assert "parser" not in home.text
    assert labels(home) == []
    assert chat.pinned == []
    await paired(stage, bob, "viewer")
    await stage.see(lambda: "🟠 1 waits for others" in home.text and chat.pinned == [home.id], "it is back")


async def test_whoever_never_began_a_chat_is_left_alone_until_they_write(stage: Stage) -> None:
    await begun(stage)
    await stage.message(NOTHING)
    await stage.stop()
    with sqlite3.connect(stage.folder / "data" / "bridge.sqlite3") as store:
        store.execute("INSERT INTO people (surface, platform_id, name, role) VALUES ('telegram', '8', 'Bob', 'viewer')")
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "hello")
    await stage.message("🟢 1 finished")
    assert [one.method for one in stage.telegram.calls if one.params.get("chat_id") == 8] == []
    bob = stage.telegram.add_user(8, "Bob")
    chat = stage.telegram.private_chat(bob)
    stage.telegram.say(chat, bob, "/help")
    home = await said(stage, chat, "🟢 1 finished\n   parser")
    await stage.see(lambda: chat.pinned == [home.id], "it is pinned")


async def test_whoever_blocked_the_bot_costs_one_call_and_finds_it_up_to_date_when_they_come_back(stage: Stage) -> None:
    await begun(stage)
    bob, chat, home = await teammate(stage, 8, "Bob", "approver")
    bob.has_blocked_bot = True  # and nobody told of it
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    for number in range(3):
        await cli.ask(f"r{number}", "Bash", {"command": f"run {number}"})
        await stage.message(f"{number + 1} request" if number else "parser · Bash")
    tried = [one for one in stage.telegram.calls if one.params.get("chat_id") == 8 and one.code == 403]
    assert len(tried) == 1
    bob.has_blocked_bot = False
    stage.telegram.say(chat, bob, "/help")
    await stage.see(lambda: "parser · 3 requests" in home.text, "the post of before, up to date")


async def test_a_kill_leaves_no_second_post(stage: Stage) -> None:
    """Invariant 3."""
    stage.manners["home_post"] = True
    await stage.start_process()
    _, chat, home = await teammate(stage, 8, "Bob", "approver")
    await stage.kill_process()
    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "ls"})
    await stage.see(lambda: "1 waits for you" in home.text, "the same post")
    await stage.kill_process()
    await cli.resolve({"id": "r1", "approved": True})
    await stage.start_process()
    await stage.see(lambda: "waits for you" not in home.text, "the same post")
    assert chat.from_bot[1:] == [home], "besides the answer to the code"
    assert chat.pinned == [home.id]


async def slack_teammate(stage: SlackStage, user: SlackUser, role: str) -> tuple[Channel, SlackMessage]:
    """Somebody who was let in, their DM, and their home post, once it is pinned."""
    slack_pair(stage, user, await slack_code(stage, role))
    dm = stage.slack.dm(user)
    await stage.see(lambda: [one for one in dm.from_bot if NOTHING in words(one)], f"the post of {user.name}")
    home = next(one for one in dm.from_bot if NOTHING in words(one))
    await stage.see(lambda: dm.pinned == [home.ts], "it is pinned")
    return dm, home


async def test_on_slack_each_teammate_has_one_with_links_to_channels_alone(slack: SlackStage) -> None:
    await begun(slack)
    bob, vic = slack.slack.add_user("bob"), slack.slack.add_user("vic")
    bobs, home = await slack_teammate(slack, bob, "approver")
    _, vics_home = await slack_teammate(slack, vic, "viewer")
    assert [button.label for button in home.buttons] == ["Sessions", "Help"]
    cli = await slack.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "make build"})
    await slack.see(lambda: "1 waits for you" in words(home), "it waits for Bob")
    await slack.see(lambda: "1 waits for others" in words(vics_home), "and for others than Vic")
    assert "archives" not in str(home.blocks), "no link into Ada's own DM"
    await cli.resolve({"id": "r1", "approved": True})
    work = slack.slack.add_channel("work", slack.ada, bob)
    opened = await attached(slack, work)
    await slack.see(lambda: f"archives/{work.id}/p{opened.ts.replace('.', '')}" in str(home.blocks), "a link")
    assert not home.mentions, "nobody is called"
    slack.slack.slash_command(slack.dm, slack.ada, "/hapi", "people")
    people = await slack.message("owner, by the configuration")
    for label in ("bob", "Remove", "Yes, for bob"):
        await slack.see(lambda label=label: label in str(people.buttons), label)  # type: ignore[misc]
        await slack.press(people, label)
    await slack.see(lambda: "You have no role with this bot any more" in words(home), "it is empty")
    assert "parser" not in words(home)
    assert bobs.pinned == []
    assert [one for one in bobs.from_bot if "no role with this bot" in words(one)] == [home]


async def test_on_slack_a_kill_before_the_answer_to_its_send_leaves_no_second_post(slack: SlackStage) -> None:
    """Invariant 3: Slack is asked whether it stands there."""
    slack.manners["home_post"] = True
    await slack.start_process()
    bob = slack.slack.add_user("bob")
    slack_pair(slack, bob, await slack_code(slack, "approver"))
    dm = slack.slack.dm(bob)
    await slack.see(lambda: [one for one in dm.from_bot if NOTHING in words(one)], "the post, a moment ago")
    await slack.kill_process()
    (home,) = [one for one in dm.from_bot if NOTHING in words(one)]
    await slack.start_process()
    await slack.see(lambda: dm.pinned == [home.ts], "it is pinned")
    cli = await slack.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "ls"})
    await slack.see(lambda: "1 waits for you" in words(home), "the same post")
    assert len(dm.from_bot) == 2, "besides the answer to the code"
