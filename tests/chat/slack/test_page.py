"""The App Home, drawn: whole cards or none of their buttons, within Slack's limits."""

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards.model import Act, Button, Card, Code, Markdown, Panel, Section, Text, button_token, plain
from bridge.cards.request.approval import ApprovalView, argument_hash, present_approval
from bridge.chat.slack.page import MOST_BLOCKS, page_view
from bridge.sandbox.slack import SlackServer

ACT = Act(do="decide", session="s", request="r", argument_hash="h", choice="allow")

INPUT = Section(label="Input", pieces=(Code(source="x"),))
SCHEMA = Path(__file__).resolve().parents[3] / "fixtures" / "schemas" / "slack-blocks.json"


def card(*pieces: Any, buttons: tuple[Button, ...] = ()) -> Card:
    return Card(pieces=pieces, buttons=(buttons,) if buttons else (), summary="what is asked", one_message=True)


def buttons_of(view: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for block in view["blocks"] if block["type"] == "actions" for each in block["elements"]]


def test_a_button_on_the_page_is_the_one_of_its_card() -> None:
    """Invariant 4."""
    view = page_view([("key", card(Text(lines=(plain("hello"),)), buttons=(Button(label="Allow", act=ACT),)))])
    assert [each["action_id"] for each in buttons_of(view)] == [button_token("key", ACT)]


def test_buttons_that_only_say_something_are_left_out() -> None:
    inert = card(Text(lines=(plain("hello"),)), buttons=(Button(label="Allowed"),))
    assert buttons_of(page_view([("a", inert), ("b", inert)])) == []


def test_markdown_is_shown_as_it_was_written_and_what_needs_an_attachment_elsewhere() -> None:
    """Invariant 10: whoever approves has seen all of it."""
    button = (Button(label="Allow", act=ACT),)
    whole = page_view([("key", card(Markdown(source="**bold** | x"), buttons=button))])
    assert "**bold** | x" in str(whole)
    assert buttons_of(whole)
    boxed = page_view([("key", card(Panel(title=plain("tool"), sections=(INPUT,)), buttons=button))])
    long = page_view([("key", card(Code(source="x" * 40_000, spill="command.sh"), buttons=button))])
    for view in (boxed, long):
        assert buttons_of(view) == []
        assert "what is asked" in str(view)


def test_a_page_never_has_more_blocks_than_slack_takes_and_says_that_something_is_missing() -> None:
    view = page_view([(str(number), card(Text(lines=(plain("hello"),)))) for number in range(200)])
    assert len(view["blocks"]) <= MOST_BLOCKS
    assert "Not all of it fits here." in str(view["blocks"][-1])


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(["Bash", "ExitPlanMode", "Write", "x"]), st.dictionaries(st.text(), st.text(), max_size=3))
def test_whatever_is_asked_the_page_is_one_that_slack_takes(tool: str, arguments: dict[str, str]) -> None:
    """Invariant 5."""
    request = ApprovalView("s", "r", tool, arguments, argument_hash(tool, arguments), session_title="parser")
    view = page_view([("one", present_approval(request)), ("two", present_approval(request))])
    SlackServer(schema=SCHEMA).content.view(view, ("home",))
