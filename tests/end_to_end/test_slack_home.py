"""The App Home: what waits for the owner and how the sessions are, kept up to date, with buttons that count."""

import asyncio

import pytest

from bridge.sandbox.slack import User, View
from tests.end_to_end.bridge_stage import STEADY_S, answers, decisions_of, texts_of, until
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = pytest.mark.real_hub


def read(view: View | None) -> str:
    """All that a view says."""
    return str(view.blocks) if view is not None else ""


async def home(stage: SlackStage, text: str, user: User | None = None) -> View:
    """Wait until a person's Home tab says something."""
    who = user or stage.ada
    await stage.see(lambda: text in read(stage.slack.home(who)), f"{text!r} on the page; it is {read(None)}")
    view = stage.slack.home(who)
    assert view is not None
    return view


async def press(stage: SlackStage, view: View, label: str) -> None:
    await asyncio.sleep(STEADY_S)
    await stage.slack.answered(stage.slack.press(view, label, stage.ada))


async def test_the_page_shows_the_sessions_and_follows_them(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await answers(cli, "hello")
    await stage.answer("hello")
    assert stage.slack.home(stage.ada) is None, "nobody has opened it"
    stage.slack.open_home(stage.ada)
    assert "parser" in read(await home(stage, "Nothing waits for your decision."))
    await cli.ask("req1", "Bash", {"command": "make build"})
    view = await home(stage, "make build")
    assert "1 to decide" in read(view)
    await cli.resolve({"id": "req1", "approved": True})
    await home(stage, "Nothing waits for your decision.")


async def test_a_request_is_decided_from_the_page(at_slack: AtSlack) -> None:
    """Invariant 4: the same press as on its card, and both say what became of it."""
    stage, cli = at_slack
    stage.slack.open_home(stage.ada)
    await home(stage, "Nothing waits")
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    await press(stage, await home(stage, "make build"), "Allow")
    await stage.see(lambda: "Allowed by ada · Slack" in words(card), "the outcome on the card")
    assert [params["approved"] for params in decisions_of(cli)] == [True]
    await home(stage, "Nothing waits")


async def test_a_press_on_a_page_that_is_out_of_date_decides_nothing(at_slack: AtSlack) -> None:
    """Invariant 4: other arguments under the same id are another request."""
    stage, cli = at_slack
    stage.slack.open_home(stage.ada)
    await cli.ask("req1", "Bash", {"command": "echo harmless"})
    view = await home(stage, "echo harmless")
    await asyncio.sleep(STEADY_S)
    token = view.element("Allow").action_id
    await cli.ask("req1", "Bash", {"command": "echo other"})
    newer = await home(stage, "echo other")
    assert newer.element("Allow").action_id != token
    stage.slack.press(newer, "Allow", stage.ada)
    assert await stage.refusal() == "The card has just changed. Look at it, then press again."
    assert not decisions_of(cli)


async def test_a_reason_is_given_from_the_page_and_stands_in_the_sessions_thread(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.slack.open_home(stage.ada)
    await cli.ask("req1", "Bash", {"command": "make build"})
    await press(stage, await home(stage, "make build"), "Deny…")
    await stage.slack.wait_for(lambda: stage.slack.modal(stage.ada) is not None, 10, "the form")
    form = stage.slack.modal(stage.ada)
    assert form is not None
    await stage.slack.answered(stage.slack.submit_view(form, {"text": "use cmake"}, stage.ada))
    await until(lambda: texts_of(cli) == ["use cmake"], "the reason")
    assert (await stage.message("sent to the agent: use cmake")).is_reply


async def test_what_does_not_fit_the_page_is_decided_where_it_can_be_read(at_slack: AtSlack) -> None:
    """Invariants 2 and 4: nothing can be approved unseen."""
    stage, cli = at_slack
    stage.slack.open_home(stage.ada)
    await cli.ask("req1", "Bash", {"command": "\n".join(f"echo line {number}" for number in range(2000))})
    view = await home(stage, "too long for this page")
    assert not [one for one in view.elements if one.type == "button"]


async def test_a_plan_stands_on_the_page_as_it_was_written(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.slack.open_home(stage.ada)
    await cli.ask("req1", "ExitPlanMode", {"plan": "# Plan\n\n- **first** do this"})
    view = await home(stage, "**first** do this")
    assert view.element("Approve")


async def test_others_see_that_the_page_is_not_for_them(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "make build"})
    await stage.message("make build")
    eve = stage.slack.add_user("eve")
    stage.slack.open_home(eve)
    view = await home(stage, "works for its owner and", eve)
    assert "parser" not in read(view)
    assert "make build" not in read(view)


async def test_after_a_restart_the_page_is_kept_up_to_date_again(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.slack.open_home(stage.ada)
    await home(stage, "Nothing waits")
    await stage.stop()
    await cli.ask("req1", "Bash", {"command": "make build"})
    await stage.start()
    await home(stage, "make build")
