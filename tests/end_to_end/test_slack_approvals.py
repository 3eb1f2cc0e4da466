"""A real hub's requests in Slack, beyond Allow and Deny: second taps, wider grants, modes, plans."""

from typing import Any

import pytest

from bridge.sandbox.slack import Message
from tests.end_to_end.bridge_stage import decisions_of, texts_of, until
from tests.end_to_end.conftest import AtBoth, AtSlack
from tests.end_to_end.slack_stage import SlackStage, words
from tests.rig.fake_cli import FakeCli

pytestmark = pytest.mark.real_hub


def labels(card: Message) -> list[str]:
    return [one.raw["text"]["text"] for one in card.buttons]


async def decided(stage: SlackStage, cli: FakeCli, card: Message, told: str) -> dict[str, Any]:
    """Wait for an outcome on a card; the one decision that the agent heard."""
    await stage.see(lambda: told in words(card), told)
    (params,) = decisions_of(cli)
    return params


async def test_what_is_dangerous_needs_a_second_tap_in_another_row_that_names_the_effect(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "rm -rf build"})
    card = await stage.message("Careful: Deletes for good (rm -rf)")
    assert labels(card) == ["Allow", "Deny", "Deny…", "Stop the turn", "⚠️ Allow needs a second tap, here"]
    await stage.pick(card, "Allow")
    assert not decisions_of(cli), "one tap decides nothing"
    assert labels(card) == ["Not now", "Deny", "Stop the turn", "⚠️ Yes: Deletes for good (rm -rf)"]
    await stage.press(card, "⚠️ Yes: Deletes for good (rm -rf)")
    assert (await decided(stage, cli, card, "Allowed by ada · Slack"))["approved"] is True


async def test_a_mode_is_switched_and_a_pattern_allowed_from_the_unfolded_card(at_slack: AtSlack) -> None:
    """Invariant 10."""
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "npm run test"})
    card = await stage.message("npm run test")
    await stage.pick(card, "More…")
    assert "⚠️ Allow, then Yolo" in labels(card)
    await stage.press(card, "Allow for session: Bash(npm run test:*)")
    params = await decided(stage, cli, card, "Allowed from now on, in this session: Bash(npm run test:*)")
    assert params["allowTools"] == ["Bash(npm run test:*)"]
    await cli.ask("req2", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    await stage.pick(card, "More…")
    await stage.press(card, "Allow, then Accept Edits")
    await stage.see(lambda: "From now on in mode Accept Edits." in words(card), "the mode")
    assert decisions_of(cli)[-1]["mode"] == "acceptEdits"


async def test_reading_has_a_small_card(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.ask("req1", "Grep", {"pattern": "TODO", "path": "src"})
    card = await stage.message("pattern: TODO · path: src")
    assert labels(card) == ["Allow", "Deny", "More…"]
    assert "/home/ada/parser · fakehost · claude · mode Default" in words(card)
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by ada" in words(card), "allowed")


async def test_hidden_characters_are_named(at_slack: AtSlack) -> None:
    """Invariant 4."""
    stage, cli = at_slack
    await cli.ask("b", "Bash", {"command": "cat a\u202etxt.sh\u00a0\u200b"})
    await stage.message("cat a⟨U+202E⟩txt.sh⟨U+00A0⟩⟨U+200B⟩")


async def test_a_plan_is_kept_with_a_comment_from_a_form_or_approved_into_a_mode(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.ask("p1", "ExitPlanMode", {"plan": "# Plan\n\nFirst this"})
    card = await stage.message("Plan to approve")
    await stage.press(card, "Keep planning…")
    await stage.slack.wait_for(lambda: stage.slack.modal(stage.ada) is not None, 10, "the form")
    view = stage.slack.modal(stage.ada)
    assert view is not None
    await stage.slack.answered(stage.slack.submit_view(view, {"text": "Tests first"}, stage.ada))
    await until(lambda: texts_of(cli) == ["Tests first"], "the comment")
    await cli.ask("p2", "ExitPlanMode", {"plan": "# Plan\n\nTests first"})
    await stage.see(lambda: stage.find("Approve, then Accept Edits") or stage.find("Tests first"), "the new plan")
    newer = await stage.message("Plan to approve")
    await stage.press(newer, "Approve, then Accept Edits")
    await stage.see(lambda: "From now on in mode Accept Edits." in words(newer), "the mode")
    assert decisions_of(cli)[-1]["mode"] == "acceptEdits"


async def test_a_first_tap_in_one_chat_is_seen_and_may_be_confirmed_in_the_other(both: AtBoth) -> None:
    """One truth on every surface."""
    stage, cli = both
    await cli.ask("req1", "Bash", {"command": "rm -rf build"})
    card = await stage.message("rm -rf build")
    twin = await stage.on_telegram("rm -rf build")
    await stage.pick(card, "Allow")
    await stage.telegram.wait_for(lambda: twin.find_button("⚠️ Yes"), 15, what="the question in the other chat")
    assert await stage.press_on_telegram(twin, "⚠️ Yes") == "Sending…"
    await stage.see(lambda: "Allowed by Ada · Telegram" in words(card), "the outcome in both")
    assert len(decisions_of(cli)) == 1
