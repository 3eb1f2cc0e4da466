"""The bridge speaks Simplified Chinese where it was told to, and its buttons work in whatever language they are."""

import pytest

from tests.end_to_end.bridge_stage import answers
from tests.end_to_end.conftest import Stage
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = pytest.mark.real_hub
CHINESE = "zh-CN"


async def test_telegram_speaks_chinese(stage: Stage) -> None:
    """A turn's activity, a request and its decision, the help; the agent's own words stay as they are."""
    stage.manners["language"] = CHINESE
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    cli.thinking = True
    await cli.alive()
    await cli.say("codex", {"type": "reasoning", "message": "The parser drops the last token.", "id": "r1"})
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "make test"}})
    activity = await stage.message("🟠 Bash make test")
    assert activity.text.startswith("🟠 正在运行工具 · 1 个工具")
    assert activity.marked("expandable_blockquote") == ["推理过程\nThe parser drops the last token."]
    assert [button.text for button in activity.buttons] == ["停止"]

    await cli.ask("req1", "Bash", {"command": "make build", "description": "build it"})
    card = await stage.message("make build")
    assert card.text.startswith("🟠 需要审批")
    assert [button.text for button in card.buttons][:3] == ["允许", "拒绝", "拒绝…"]
    assert await stage.press(card, "允许") == "发送中…"
    await stage.see(lambda: "已允许 · Ada · Telegram" in card.text, "the outcome on the card")
    assert [params["approved"] for method, params in cli.rpc_log if method == "permission"] == [True]

    await cli.say("codex", {"type": "tool-call-result", "callId": "c1", "output": "12 passed"})
    await answers(cli, "All tests pass")
    await stage.answer("All tests pass")
    await stage.see(lambda: activity.text.startswith("🟢 完成"), "the turn is over")

    stage.telegram.say(stage.chat, stage.ada, "/help")
    assert "在这里写，会话的代理就会收到" in (await stage.message("/sessions")).text
    (menu,) = stage.telegram.commands.values()
    assert {"command": "sessions", "description": "查看所有会话"} in menu


async def test_slack_speaks_chinese(slack: SlackStage) -> None:
    """The same in Slack, with a form."""
    stage = slack
    stage.manners["language"] = CHINESE
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "make test"}})
    activity = await stage.message("🟠 Bash make test")
    assert "正在运行工具" in words(activity)

    await cli.ask("req1", "Bash", {"command": "make build", "description": "build it"})
    card = await stage.message("make build")
    assert "需要审批" in words(card)
    await stage.press(card, "允许")
    await stage.see(lambda: "已允许 · ada · Slack" in words(card), "the outcome on the card")
    assert [params["approved"] for method, params in cli.rpc_log if method == "permission"] == [True]

    await cli.say("codex", {"type": "tool-call-result", "callId": "c1", "output": "12 passed"})
    await answers(cli, "All tests pass")
    await stage.answer("All tests pass")
    await stage.see(lambda: "🟢 完成" in words(activity), "the turn is over")
    stage.say(f"{stage.slack.mention()} help")
    assert "审批和提问都有按钮" in words(await stage.message("/hapi sessions"))


async def test_another_language_at_a_start_redraws_what_waits_and_its_buttons_still_work(stage: Stage) -> None:
    """Invariant 4: a button is bound to what its card showed, not to the words on it."""
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    before = {one.data for one in card.buttons}
    assert "Approval needed" in card.text
    await stage.stop()

    stage.manners["language"] = CHINESE
    await stage.start()
    await stage.see(lambda: "需要审批" in card.text, "the same message in Chinese")
    assert {one.data for one in card.buttons} == before, "buttons keep their meaning, and the tokens it hangs on"
    assert len([one for one in stage.chat.from_bot if "make build" in one.text]) == 1
    assert await stage.press(card, "允许") == "发送中…"
    await stage.see(lambda: "已允许 · Ada" in card.text, "the outcome")
    assert [params["approved"] for method, params in cli.rpc_log if method == "permission"] == [True]
