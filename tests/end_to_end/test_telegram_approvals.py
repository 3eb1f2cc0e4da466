"""A real hub's requests on Telegram, beyond Allow and Deny: second taps, wider grants, modes, questions and plans."""

import json
from typing import Any

import pytest

from bridge.sandbox.telegram import Message
from tests.end_to_end.bridge_stage import decisions_of, texts_of, until
from tests.end_to_end.conftest import Playing, Stage
from tests.rig.fake_cli import FakeCli

pytestmark = pytest.mark.real_hub


@pytest.fixture(autouse=True)
def soon(soon_steady: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards may be pressed sooner than really."""
    monkeypatch.setattr("tests.end_to_end.conftest.STEADY_S", 0.6)


def labels(card: Message) -> list[str]:
    return [one.text for one in card.buttons]


async def pick(stage: Stage, card: Message, label: str) -> None:
    """Press a button that changes its card; returns when the card has changed."""
    before = len(card.history)
    await stage.press(card, label)
    await stage.see(lambda: len(card.history) > before, f"what {label!r} changes")


async def decided(stage: Stage, cli: FakeCli, card: Message, words: str) -> dict[str, Any]:
    """Wait for an outcome on a card; the one decision that the agent heard."""
    await stage.see(lambda: words in card.text, words)
    (params,) = decisions_of(cli)
    return params


async def test_what_is_dangerous_needs_a_second_tap_in_another_row_that_names_the_effect(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "rm -rf build"})
    card = await stage.message("⚠️ Careful: Deletes for good (rm -rf)")
    assert labels(card) == ["Allow", "Deny", "Deny…", "Stop the turn", "⚠️ Allow needs a second tap, here"]
    first = card.button("Allow").row
    before = len(card.history)
    assert await stage.press(card, "Allow") == "Look again, and confirm it below."
    await stage.see(lambda: len(card.history) > before, "the question on the card")
    assert not decisions_of(cli), "one tap decides nothing"
    yes = card.button("⚠️ Yes: Deletes for good (rm -rf)")
    assert yes.row != first
    assert await stage.press(card, yes.text) == "Sending…"
    assert (await decided(stage, cli, card, "Allowed by Ada · Telegram"))["approved"] is True
    assert labels(card) == ["🟢 Allowed"]


async def test_not_now_takes_the_first_tap_back_even_after_a_restart(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "git push --force"})
    card = await stage.message("git push --force")
    await pick(stage, card, "Allow")
    await stage.stop()
    await stage.start()
    yes = card.button("⚠️ Yes").data
    assert yes is not None
    await pick(stage, card, "Not now")
    assert "Allow" in labels(card)
    stale = await stage.telegram.answer_to(stage.telegram.press(card, yes, stage.ada, stale=True), 10)
    assert stale.alert
    assert not decisions_of(cli)


async def test_a_thumb_that_taps_twice_in_one_place_allows_nothing_dangerous(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "rm -rf build"})
    card = await stage.message("rm -rf build")
    token = card.button("Allow").data
    assert token is not None
    await stage.steady(card)
    queries = [stage.telegram.press(card, token, stage.ada) for _ in range(4)]
    for query in queries:
        await stage.telegram.answer_to(query, 10)
    await stage.see(lambda: "Not now" in labels(card), "the question")
    assert not decisions_of(cli)


async def test_other_arguments_between_the_taps_make_the_second_one_count_for_nothing(playing: Playing) -> None:
    """Invariant 4."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "rm -rf build"})
    old = await stage.message("rm -rf build")
    await pick(stage, old, "Allow")
    yes = old.button("⚠️ Yes").data
    assert yes is not None
    await stage.steady(old)
    await cli.ask("req1", "Bash", {"command": "rm -rf /home"})
    new = await stage.message("rm -rf /home")
    await stage.see(lambda: "Asked anew" in old.text, "the old card is over")
    stale = await stage.telegram.answer_to(stage.telegram.press(old, yes, stage.ada, stale=True), 10)
    assert stale.alert
    assert "Not now" not in labels(new)
    assert not decisions_of(cli)


async def test_a_mode_is_switched_with_the_permission(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    await pick(stage, card, "More…")
    assert [one for one in labels(card) if "then" in one] == [
        "Allow, then Accept Edits",
        "Allow, then Auto",
        "Allow, then Plan Mode",
        "⚠️ Allow, then Yolo",
    ]
    await stage.press(card, "Allow, then Accept Edits")
    params = await decided(stage, cli, card, "From now on in mode Accept Edits.")
    assert (params["approved"], params["mode"]) == (True, "acceptEdits")


async def test_a_mode_in_which_nothing_is_asked_needs_a_second_tap(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    await pick(stage, card, "More…")
    await pick(stage, card, "⚠️ Allow, then Yolo")
    assert not decisions_of(cli)
    await stage.press(card, "⚠️ Yes: Nothing is asked any more in mode Yolo")
    params = await decided(stage, cli, card, "From now on in mode Yolo.")
    assert params["mode"] == "bypassPermissions"


async def test_a_flavor_whose_answers_switch_no_mode_is_switched_by_a_call_of_its_own(stage: Stage) -> None:
    await stage.start()
    cli = await stage.session(flavor="codex", path="/home/ada/parser")
    modes: list[dict[str, Any]] = []

    async def set_config(params: dict[str, Any]) -> dict[str, Any]:
        modes.append(params)
        return {"applied": params}

    cli.handle("set-session-config", set_config)
    await cli.emit("rpc-register", {"method": f"{cli.sid}:set-session-config"})
    await cli.ask("req1", "CodexBash", {"command": "make build"})
    card = await stage.message("make build")
    await pick(stage, card, "More…")
    await stage.press(card, "Allow, then Safe Yolo")
    assert "mode" not in await decided(stage, cli, card, "Allowed by Ada") or not decisions_of(cli)[0].get("mode")
    await until(lambda: modes, "the mode is set")
    assert modes[0]["permissionMode"] == "safe-yolo"


async def test_a_pattern_of_tools_is_allowed_with_exactly_what_its_button_said(playing: Playing) -> None:
    """Invariant 10."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "git push origin main"})
    card = await stage.message("git push origin main")
    await pick(stage, card, "More…")
    assert "every command that begins with these words, whatever follows them: git push" in card.text
    await stage.press(card, "Allow for session: Bash(git push:*)")
    params = await decided(stage, cli, card, "Allowed from now on, in this session: Bash(git push:*)")
    assert params["allowTools"] == ["Bash(git push:*)"]


async def test_a_pattern_of_other_arguments_grants_nothing(playing: Playing) -> None:
    """Invariant 4: what waits under the same id by now is another command."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "git push origin main"})
    old = await stage.message("git push origin main")
    await pick(stage, old, "More…")
    token = old.button("Bash(git push:*)").data
    assert token is not None
    await stage.steady(old)
    await cli.ask("req1", "Bash", {"command": "git push origin main --tags"})
    await stage.message("--tags")
    await stage.see(lambda: "Asked anew" in old.text, "the old card is over")
    stale = await stage.telegram.answer_to(stage.telegram.press(old, token, stage.ada, stale=True), 10)
    assert stale.alert
    assert not decisions_of(cli)


async def test_reading_has_a_small_card_and_after_three_alike_the_session_is_offered(playing: Playing) -> None:
    stage, cli = playing
    for name in ("one.py", "two.py", "three.py"):
        await cli.ask(name, "Read", {"file_path": f"/home/ada/parser/{name}"})
        card = await stage.message(name)
        assert card.text.splitlines()[-1] == "parser · /home/ada/parser · fakehost · claude · mode Default"
        assert labels(card) == ["Allow", "Deny", "More…"]
        assert await stage.press(card, "Allow") == "Sending…"
    await cli.ask("req9", "Read", {"file_path": "/home/ada/parser/9.py"})
    card = await stage.message("9.py")
    assert labels(card) == ["Allow", "Deny", "More…", "Allow for session"]
    assert "every use of Read, with any arguments, in this session" in card.text
    await stage.press(card, "Allow for session")
    await stage.see(lambda: "Allowed from now on, in this session: Read" in card.text, "the grant")
    assert decisions_of(cli)[-1]["allowTools"] == ["Read"]


async def test_edits_are_diffs_commands_code_and_hidden_characters_are_named(playing: Playing) -> None:
    """Invariant 4."""
    stage, cli = playing
    await cli.ask("e", "Edit", {"file_path": "/home/ada/parser/a.py", "old_string": "old", "new_string": "new"})
    edit = await stage.message("a.py")
    assert "-old\n+new" in edit.marked("pre")[0]
    await cli.ask("w", "Write", {"file_path": "/home/ada/parser/b.py", "content": "one\ntwo"})
    assert "+one\n+two" in (await stage.message("b.py")).marked("pre")[0]
    await cli.ask("b", "Bash", {"command": "cat a\u202etxt.sh\u00a0\u200b"})
    assert "cat a⟨U+202E⟩txt.sh⟨U+00A0⟩⟨U+200B⟩" in (await stage.message("cat a")).marked("pre")[0]


@pytest.mark.parametrize("tool", ["AskUserQuestion", "request_user_input"])
async def test_several_questions_with_previews_are_answered_in_the_shape_that_the_asker_takes(
    playing: Playing, tool: str
) -> None:
    stage, cli = playing
    options = [
        {"label": "Tabs", "preview": "def f():\n\treturn"},
        {"label": "Spaces", "preview": "def f():\n    return"},
    ]
    extras = {"question": "Which extras?", "multiSelect": True, "options": [{"label": "lint"}, {"label": "types"}]}
    indent = {"question": "Which indent?", "options": options}
    await cli.ask("q1", tool, {"questions": [{"id": "indent", **indent}, {"id": "extras", **extras}]})
    card = await stage.message("Question 1 of 2")
    assert "② would look like this:" in card.text
    assert "def f():\n    return" in card.marked("pre")[1] or "def f():\n    return" in card.marked("code")
    await pick(stage, card, "② Spaces")
    assert "Question 2 of 2" in card.text
    await pick(stage, card, "① lint")
    await pick(stage, card, "② types")
    await stage.press(card, "Submit")
    await stage.see(lambda: "Answered by Ada" in card.text, "the answers")
    flat = {"0": ["Spaces"], "1": ["lint", "types"]}
    nested = {"indent": {"answers": ["Spaces"]}, "extras": {"answers": ["lint", "types"]}}
    assert decisions_of(cli)[0]["answers"] == (flat if tool == "AskUserQuestion" else nested)


async def test_a_plan_is_approved_into_a_mode_of_its_flavor(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("p1", "ExitPlanMode", {"plan": "# Plan\n\nFirst this"})
    card = await stage.message("Plan to approve")
    assert labels(card) == [
        "Approve",
        "Keep planning",
        "Keep planning…",
        "Approve, then Accept Edits",
        "Approve, then Auto",
        "⚠️ Approve, then Yolo",
        "Stop the turn",
    ]
    await stage.press(card, "Approve, then Accept Edits")
    params = await decided(stage, cli, card, "From now on in mode Accept Edits.")
    assert (params["approved"], params["mode"]) == (True, "acceptEdits")


async def test_a_plan_is_kept_with_a_comment(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("p1", "ExitPlanMode", {"plan": "# Plan\n\nFirst this"})
    card = await stage.message("Plan to approve")
    await stage.press(card, "Keep planning…")
    note = await stage.message("What should change?")
    stage.telegram.say(stage.chat, stage.ada, "Tests first", reply_to=note)
    await stage.see(lambda: "Not approved, keeps planning by Ada" in card.text, "the outcome")
    await until(lambda: texts_of(cli) == ["Tests first"], "the comment")
    assert [params["approved"] for params in decisions_of(cli)] == [False]


async def test_own_rules_mark_and_switched_off_ones_do_not(stage: Stage) -> None:
    stage.extra = '[danger]\noff = ["delete"]\n[[danger.pattern]]\nname = "touches production"\nregex = "prod"\n'
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("a", "Bash", {"command": "rm -rf build"})
    assert "Careful" not in (await stage.message("rm -rf build")).text
    await cli.ask("b", "Bash", {"command": "deploy prod"})
    card = await stage.message("Matches your rule “touches production”")
    assert "⚠️ Allow needs a second tap, here" in labels(card)


async def test_rules_that_changed_while_the_bridge_was_away_hold_for_what_waits(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("a", "Bash", {"command": "deploy prod"})
    card = await stage.message("deploy prod")
    assert "More…" in labels(card)
    await stage.stop()
    stage.extra = '[[danger.pattern]]\nname = "touches production"\nregex = "prod"\n'
    await stage.start()
    await stage.see(lambda: "touches production" in card.text, "the mark")
    assert "More…" not in labels(card)
    assert json.dumps(decisions_of(cli)) == "[]"
