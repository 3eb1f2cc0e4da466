"""``/scenario``: prepared texts that go with a message, chosen with a thumb, on both platforms."""

import os
from pathlib import Path

import pytest

from bridge.relay.people.words.scenarios import read_scenarios
from tests.end_to_end.bridge_stage import answers, texts_of, until
from tests.end_to_end.conftest import Stage
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = pytest.mark.real_hub


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "scenarios"
    made.mkdir()
    (made / "deploy.md").write_text("# Deploy with care\n\nOnly on Fridays.")
    (made / "review.md").write_text("Look twice.")
    (made / "huge.md").write_text("x" * 300_000)
    (made / "odd.md").write_bytes(b"\xff\xfe")
    (made / "elsewhere.md").symlink_to("/etc/hostname")
    (made / "itself.md").symlink_to("itself.md")
    os.mkfifo(made / "pipe.md")
    return made


def test_only_readable_files_of_the_directory_itself_are_offered(folder: Path) -> None:
    assert [(each.filepath, each.title) for each in read_scenarios(folder)] == [
        ("deploy.md", "Deploy with care"),
        ("review.md", "review"),
    ]


async def test_several_are_chosen_and_go_before_the_text_that_is_written_then(stage: Stage, folder: Path) -> None:
    stage.manners["scenarios_dir"] = str(folder)
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "ready for you")
    thread = (await stage.message("ready for you")).thread
    stage.telegram.say(stage.chat, stage.ada, "/scenario", thread=thread)
    card = await stage.message("Scenarios that go with")
    await stage.press(card, "Deploy with care")
    await stage.see(lambda: "1 chosen" in card.text, "one chosen")
    await stage.press(card, "review")
    await stage.see(lambda: "2 chosen" in card.text, "two chosen")
    await stage.press(card, "Write the message…")
    asked = await stage.message("What shall the agent do?")
    stage.telegram.say(stage.chat, stage.ada, "ship it", thread=thread, reply_to=asked)
    tags = await stage.message("🏷")
    assert tags.text == "🏷 Deploy with care review"
    await until(lambda: texts_of(cli), "the message")
    (text,) = texts_of(cli)
    assert text.startswith('<scenarios>\n<scenario title="Deploy with care" filepath="deploy.md">\n# Deploy with care')
    assert text.endswith("</scenarios>\n\nship it")


async def test_a_named_one_goes_at_once_and_a_gone_one_is_said(stage: Stage, folder: Path) -> None:
    stage.manners["scenarios_dir"] = str(folder)
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "ready for you")
    thread = (await stage.message("ready for you")).thread
    stage.telegram.say(stage.chat, stage.ada, "/scenario review look at the diff", thread=thread)
    await until(lambda: texts_of(cli), "the message")
    assert texts_of(cli)[0].endswith("Look twice.\n</scenario>\n</scenarios>\n\nlook at the diff")
    stage.telegram.say(stage.chat, stage.ada, "/scenario deploy", thread=thread)
    card = await stage.message("1 chosen")
    await stage.press(card, "Write the message…")
    asked = await stage.message("What shall the agent do?")
    (folder / "deploy.md").unlink()
    stage.telegram.say(stage.chat, stage.ada, "ship it", thread=thread, reply_to=asked)
    said = await stage.message("This scenario is gone: deploy.md")
    assert "ship it" in said.text, "what was written is said back"
    assert len(texts_of(cli)) == 1


async def test_on_slack_the_text_is_written_in_a_form(slack: SlackStage, folder: Path) -> None:
    slack.manners["scenarios_dir"] = str(folder)
    await slack.start()
    cli = await slack.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "ready for you")
    root = await slack.message("ready for you")
    slack.say(f"{slack.slack.mention()} scenario review", root)
    card = await slack.message("1 chosen")
    await slack.press(card, "Write the message…")
    view = await slack.see(lambda: slack.slack.modals.get(slack.ada.id), "the form")
    await slack.slack.answered(slack.slack.submit_view(view[-1], {"text": "ship it"}, slack.ada))
    tags = await slack.message("🏷")
    assert "ship it" in words(tags)
    await until(lambda: texts_of(cli), "the message")
    assert texts_of(cli)[0].endswith("\n\nship it")
