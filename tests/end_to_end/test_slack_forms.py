"""Words asked for by a button: a reason to deny, an answer of one's own."""

import pytest

from bridge.sandbox.slack import Message, View
from tests.end_to_end.bridge_stage import decisions_of, texts_of, until
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = pytest.mark.real_hub


async def form(stage: SlackStage, card: Message, label: str) -> View:
    """Press a button that opens a form; the form."""
    await stage.press(card, label)
    await stage.slack.wait_for(lambda: stage.slack.modal(stage.ada) is not None, 10, "the form")
    view = stage.slack.modal(stage.ada)
    assert view is not None
    return view


async def test_a_denial_with_a_reason_goes_first_and_the_reason_follows_as_a_message(at_slack: AtSlack) -> None:
    """The hub drops reasons, so the agent gets it as what the person says next."""
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    card = await stage.message("make deploy")
    view = await form(stage, card, "Deny…")
    assert not decisions_of(cli), "opening the form decides nothing"
    await stage.slack.answered(stage.slack.submit_view(view, {"text": "Not on a Friday"}, stage.ada))
    await stage.see(lambda: "Denied by ada · Slack" in words(card), "the outcome on the card")
    await until(lambda: texts_of(cli) == ["Not on a Friday"], "the reason")
    assert [params["approved"] for params in decisions_of(cli)] == [False]
    assert (await stage.message("Denied, and sent to the agent: Not on a Friday")).thread_ts == card.thread_ts


async def test_an_empty_reason_simply_denies(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    card = await stage.message("make deploy")
    view = await form(stage, card, "Deny…")
    await stage.slack.answered(stage.slack.submit_view(view, {}, stage.ada))
    await stage.see(lambda: "Denied by ada" in words(card), "the outcome on the card")
    assert texts_of(cli) == []


async def test_a_reason_for_what_was_decided_meanwhile_is_said_back_and_goes_nowhere(at_slack: AtSlack) -> None:
    """Invariant 4: the form is bound to what its card showed; and the words are not lost."""
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    card = await stage.message("make deploy")
    view = await form(stage, card, "Deny…")
    await cli.resolve({"id": "req1", "approved": True})
    await stage.see(lambda: "Allowed" in words(card), "decided elsewhere")
    await stage.slack.answered(stage.slack.submit_view(view, {"text": "Not on a Friday"}, stage.ada))
    told = await stage.refusal()
    assert told.startswith("Allowed already, ")
    assert told.endswith(". You wrote: Not on a Friday")
    assert not decisions_of(cli)
    assert texts_of(cli) == []


async def test_a_question_is_answered_in_own_words_in_a_form(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    asked = {"id": "db", "question": "Which database?", "options": [{"label": "SQLite"}]}
    await cli.ask("q1", "request_user_input", {"questions": [asked]})
    card = await stage.message("Which database?")
    view = await form(stage, card, "Other…")
    await stage.slack.answered(stage.slack.submit_view(view, {"text": "DuckDB, please"}, stage.ada))
    await stage.see(lambda: "Answered by ada" in words(card), "the answer on the card")
    assert cli.rpc_log[-1][1]["answers"] == {"db": {"answers": ["DuckDB, please"]}}
