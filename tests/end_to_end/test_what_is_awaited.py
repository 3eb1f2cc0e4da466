"""What a session waits for is said as what it is, wherever it is said: an answer, a plan's approval, an approval."""

from typing import Any

import pytest

from tests.end_to_end.conftest import AtSlack, Stage
from tests.end_to_end.slack_stage import words
from tests.end_to_end.test_slack_native import at_work, session_states, streaming

pytestmark = pytest.mark.real_hub

QUESTION: dict[str, Any] = {"questions": [{"question": "Which port?", "options": [{"label": "80"}, {"label": "443"}]}]}


async def test_a_question_is_said_to_wait_for_an_answer_on_telegram(stage: Stage) -> None:
    stage.manners["home_post"] = True
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await at_work(cli)
    activity = await stage.message("Bash run 1")
    await cli.ask("q1", "AskUserQuestion", QUESTION)
    await stage.see(lambda: "🟠 Waiting for an answer" in activity.text, "what the turn waits for")
    home = await stage.message("1 waits for you")
    assert "parser · Question" in home.text
    for command, said in (
        ("/sessions", "parser · 1 to answer"),
        ("/pending", "1 question waits for an answer"),
        ("/status", "waiting for an answer · 1 to answer"),
    ):
        stage.telegram.say(stage.chat, stage.ada, command, thread=activity.thread)
        await stage.message(said)
    await cli.ask("p1", "ExitPlanMode", {"plan": "# Plan"})
    await stage.see(lambda: "🟠 Waiting for decisions" in activity.text, "both are waited for")
    await cli.resolve({"id": "q1", "approved": True})
    await stage.see(lambda: "🟠 Waiting for approval of a plan" in activity.text, "the plan alone")
    assert not [one for one in stage.chat.from_bot if "1 to decide" in one.text], "never as if it were an approval"


async def test_a_reminder_of_a_question_asks_for_an_answer(stage: Stage) -> None:
    stage.extra = "[remind]\nafter_minutes = 0.02"
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("q1", "AskUserQuestion", QUESTION)
    await stage.answer("parser still waits for your answer", timeout=20)


async def test_a_stream_in_slack_says_so_while_it_grows(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await at_work(cli)
    message = await streaming(stage)
    await cli.say("codex", {"type": "tool-call", "callId": "q1", "name": "AskUserQuestion", "input": QUESTION})
    await cli.ask("q1", "AskUserQuestion", QUESTION)
    await stage.see(lambda: session_states(stage)[-1] == "suspended", "it waits")
    await stage.see(lambda: "🟠 Waiting for an answer" in words(message), "what the plan's title says")
    await stage.see(lambda: "Question Which port? · waits for an answer" in words(message), "what its task says")
    assert message.stream is not None
    assert message.stream.state == "streaming"
    await cli.resolve({"id": "q1", "approved": True})
    await stage.see(lambda: "Waiting for" not in words(message), "it goes on")
