"""Before people who read along, lists name only the sessions that are shown in their place, also for the owner."""

import pytest

from bridge.sandbox.telegram import Message
from tests.end_to_end.bridge_stage import answers
from tests.end_to_end.conftest import AtSlack, Stage
from tests.end_to_end.slack_stage import words
from tests.end_to_end.test_people import said
from tests.end_to_end.test_slack_channels import mention, shown

pytestmark = pytest.mark.real_hub

MORE = "More in your private chat with me."


async def test_in_a_group_the_owners_lists_name_what_is_shown_there_and_say_that_there_is_more(stage: Stage) -> None:
    await stage.start()
    parser = await stage.session(flavor="claude", path="/home/ada/parser")
    secret = await stage.session(flavor="claude", path="/home/ada/secret")
    for cli, name in ((parser, "parser"), (secret, "secret")):
        await answers(cli, f"hello from {name}")
        await stage.message(f"hello from {name}")
        await cli.ask("r1", "Bash", {"command": f"make {name}"})
        await stage.message(f"make {name}")
    secret.auto_consume = False
    topic = stage.topic("secret").id
    stage.telegram.say(stage.chat, stage.ada, "wait for me", thread=topic)
    kept = await stage.message("What is your message?")
    await stage.press(kept, "Keep queued")
    group = stage.telegram.group("Work", stage.ada, stage.eve)

    async def asks(command: str, answer: str) -> Message:
        before = group.from_bot[-1].id if group.from_bot else 0
        stage.telegram.say(group, stage.ada, command)
        await stage.see(lambda: any(one.id > before and answer in one.text for one in group.from_bot), command)
        return next(one for one in reversed(group.from_bot) if answer in one.text)

    assert MORE in (await asks("/sessions", "No session is shown in this place.")).text
    assert MORE in (await asks("/pending", "Nothing waits for your decision.")).text
    assert MORE in (await asks("/queue", "None of your messages waits.")).text
    assert MORE in (await asks("/search secret", "Nothing.")).text
    assert MORE in (await asks("/history", "There is no session for that.")).text
    assert MORE in (await asks("/session secret", "No session is shown in this place.")).text
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    for command, answer in (
        ("/sessions", "1 session"),
        ("/pending", "1 request waits for a decision"),
        ("/session secret", "No session is called like"),
        ("/search secre", "Nothing."),
    ):
        told = await asks(command, answer)
        assert told.text.endswith(MORE), command
    for one in group.from_bot:
        named = one.text + str([button.text for button in one.buttons])
        assert "secret" not in named.replace("“secret”", ""), "but for the words that the owner wrote"
    stage.telegram.say(stage.chat, stage.ada, "/sessions")
    listed = await stage.message("2 sessions")
    assert "secret" in listed.text
    assert MORE not in listed.text


async def test_a_list_that_is_leafed_through_before_others_names_no_more_than_at_first(stage: Stage) -> None:
    """Invariant 4: what may be named is looked up at the press."""
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "hello")
    await stage.message("hello")
    group = stage.telegram.group("Work", stage.ada, stage.eve)
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    stage.telegram.say(group, stage.ada, "/sessions")
    listed = await said(stage, group, "1 session")
    secret = await stage.session(flavor="claude", path="/home/ada/secret")
    await answers(secret, "hello from secret")
    await stage.message("hello from secret")
    await stage.press(listed, "Refresh")
    await stage.see(lambda: MORE in listed.text, "there is another one")
    assert "secret" not in listed.text


async def test_in_a_channel_the_owners_lists_name_what_is_shown_there(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    secret = await stage.session(flavor="claude", path="/home/ada/secret")
    for one, name in ((cli, "parser"), (secret, "secret")):
        await answers(one, f"hello from {name}")
        await stage.message(f"hello from {name}")
    await secret.ask("r1", "Bash", {"command": "make secret"})
    await stage.message("make secret")
    work = stage.slack.add_channel("work", stage.ada, stage.slack.add_user("eve"))
    mention(stage, work, "attach parser")
    await shown(stage, work, "parser is shown here from now on")
    for command, answer in (
        ("sessions", "1 session"),
        ("pending", "Nothing waits for your decision."),
        ("search secret", "Nothing."),
        ("queue", "None of your messages waits."),
    ):
        mention(stage, work, command)
        told = words(await shown(stage, work, answer))
        assert (MORE in told) is (command != "queue"), command
        assert "secret" not in told.replace("“secret”", ""), "but for the words that the owner wrote"
    stage.slack.slash_command(stage.dm, stage.ada, "/hapi", "sessions")
    assert "secret" in words(await stage.message("2 sessions"))
