"""A session in a group's topic or a channel: several people, their names on what they say, each with their rights."""

import pytest

from tests.end_to_end.bridge_stage import decisions_of, texts_of, until
from tests.end_to_end.conftest import AtSlack, Playing
from tests.end_to_end.slack_stage import SlackStage, words
from tests.end_to_end.test_people import audit, paired, said, slack_code, slack_pair
from tests.end_to_end.test_slack_channels import attached, shown

pytestmark = pytest.mark.real_hub


async def test_people_talk_to_a_session_in_a_channel_by_name_and_by_role(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    bob, vic, eve = (stage.slack.add_user(name) for name in ("bob", "vic", "eve"))
    for person, role in ((bob, "approver"), (vic, "viewer")):
        slack_pair(stage, person, await slack_code(stage, role))
        await stage.see(lambda person=person: stage.slack.dm(person).from_bot, "paired")  # type: ignore[misc]
    work = stage.slack.add_channel("work", stage.ada, bob, vic, eve)
    opened = await attached(stage, work)
    stage.slack.say(work, stage.ada, "fix the parser", thread_ts=opened)
    stage.slack.say(work, vic, "I only read", thread_ts=opened)
    stage.slack.say(work, eve, "me too", thread_ts=opened)
    stage.slack.say(work, bob, "and the lexer", thread_ts=opened)
    await until(lambda: len(texts_of(cli)) == 2, "the texts of who may talk")
    assert texts_of(cli) == ["ada: fix the parser", "bob: and the lexer"]
    assert all("fix the parser" not in words(one) for one in work.from_bot), "no echo"
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await shown(stage, work, "make build")
    await stage.press(card, "Allow", vic)
    await stage.see(lambda: work.ephemeral(vic), "a refusal for one alone")
    assert words(work.ephemeral(vic)[0]) == "Only the owner and approvers can do that."
    await stage.press(card, "Allow", bob)
    await stage.see(lambda: "Allowed by bob" in words(card), "the outcome")
    assert [params["approved"] for params in decisions_of(cli)] == [True]
    await stage.message("bob allowed Bash in parser (Slack).")


async def test_a_role_may_differ_in_one_conversation(playing: Playing) -> None:
    """Invariant 4: the role that counts is the one in the place of the card."""
    stage, cli = playing
    bob = stage.telegram.add_user(8, "Bob")
    await paired(stage, bob, "approver")
    group = stage.telegram.group("Work", stage.ada, bob)
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    stage.telegram.say(group, stage.ada, "/people")
    people = await said(stage, group, "owner, by the configuration")
    await stage.press(people, "Bob")
    await stage.see(lambda: people.find_button("viewer"), "roles")
    await stage.press(people, "viewer")
    await stage.see(lambda: people.find_button("Yes, for Bob"), "a confirmation")
    assert await stage.press(people, "Yes, for Bob") == "Done."
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await said(stage, group, "make build")
    assert await stage.press(card, "Allow", bob) == "Only the owner and approvers can do that."
    assert await stage.press(card, "Deny") == "Sending…"
    await stage.see(lambda: "Denied by Ada" in card.text, "the owner's decision")
    assert [line["choice"] for line in audit(stage) if line["act"] == "role"] == ["viewer"]


async def test_in_a_channel_what_two_people_write_at_once_is_never_put_together(slack: SlackStage) -> None:
    """The names stand once before what one person wrote in pieces; each piece is marked as its writer's message."""
    slack.manners["merge_pause_s"] = 0.6
    await slack.start()
    cli = await slack.session(flavor="claude", path="/home/ada/parser")
    bob, mem = slack.slack.add_user("bob"), slack.slack.add_user("mem")
    for person in (bob, mem):
        slack_pair(slack, person, await slack_code(slack, "member"))
        await slack.see(lambda person=person: slack.slack.dm(person).from_bot, "paired")  # type: ignore[misc]
    work = slack.slack.add_channel("work", slack.ada, bob, mem)
    opened = await attached(slack, work)
    said = [
        slack.slack.say(work, user, text, thread_ts=opened)
        for user, text in ((mem, "fix it"), (mem, "then test"), (bob, "wait"), (mem, "go"), (slack.ada, "stay calm"))
    ]
    await until(lambda: len(texts_of(cli)) == 4, "four messages")
    assert texts_of(cli) == ["mem: fix it\nthen test", "bob: wait", "mem: go", "ada: stay calm"]
    await slack.see(lambda: all("ok_hand" in slack.reactions(one) for one in said), "all five are marked as taken")
