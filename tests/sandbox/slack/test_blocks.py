"""What the strict server refuses in blocks: the limits in force, one too many of each."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bridge.sandbox.slack import Channel, SlackServer, User

Block = dict[str, Any]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def section(text: str = "text", **more: Any) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}} | more


def button(text: str = "Allow", **more: Any) -> Block:
    return {"type": "button", "text": plain(text)} | more


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def option(text: str = "one", value: str = "1") -> Block:
    return {"text": plain(text), "value": value}


def select(**more: Any) -> Block:
    return {"type": "static_select", "action_id": "s"} | more


def rich(text: str) -> Block:
    return {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}],
    }


def table(rows: int = 2, columns: int = 2, cell: str = "x") -> Block:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": cell}] * columns] * rows}


def container(*children: Block, **more: Any) -> Block:
    return {"type": "container", "title": plain("Details"), "child_blocks": list(children)} | more


CASES: dict[str, tuple[list[Any], str]] = {
    "51 blocks": ([{"type": "divider"}] * 51, "no more than 50 items allowed [json-pointer:/blocks]"),
    "no type": ([{"text": "x"}], "missing required field: type [json-pointer:/blocks/0]"),
    "unknown type": ([{"type": "hologram"}], "unsupported type: hologram [json-pointer:/blocks/0/type]"),
    "unknown field": ([section(color="red")], "invalid additional property: color [json-pointer:/blocks/0]"),
    "empty section": ([{"type": "section"}], "missing one of the fields: text, fields"),
    "section text": ([section("x" * 3001)], "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"),
    "empty text": ([section("")], "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
    "11 fields": ([{"type": "section", "fields": [plain("x")] * 11}], "no more than 10 items allowed"),
    "field text": ([{"type": "section", "fields": [plain("x" * 2001)]}], "must be less than 2001 characters"),
    "header": ([{"type": "header", "text": plain("x" * 151)}], "must be less than 151 characters"),
    "header in mrkdwn": (
        [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}],
        "unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]",
    ),
    "11 in context": ([{"type": "context", "elements": [plain("x")] * 11}], "no more than 10 items allowed"),
    "26 actions": ([actions(*[button(action_id=str(n)) for n in range(26)])], "no more than 25 items allowed"),
    "no actions": ([actions()], "no fewer than 1 items allowed"),
    "button text": ([actions(button("x" * 76))], "must be less than 76 characters"),
    "button value": ([actions(button(value="x" * 2001))], "must be less than 2001 characters"),
    "button style": ([actions(button(style="success"))], "must be one of: primary, danger"),
    "action_id": ([actions(button(action_id="x" * 256))], "must be less than 256 characters"),
    "action_id twice": (
        [actions(button(action_id="a")), actions(button(action_id="a"))],
        "`action_id` 'a' already exists for another element [json-pointer:/blocks/1/elements/0/action_id]",
    ),
    "block_id": ([section(block_id="x" * 256)], "must be less than 256 characters"),
    "block_id twice": ([section(block_id="b"), section(block_id="b")], "block_id 'b' already exists"),
    "confirm": (
        [actions(button(confirm={"text": plain("Sure?"), "title": plain("x" * 101)}))],
        "must be less than 101 characters",
    ),
    "option text": ([actions(select(options=[option("x" * 76)]))], "must be less than 76 characters"),
    "option value": ([actions(select(options=[option(value="x" * 151)]))], "must be less than 151 characters"),
    "101 options": ([actions(select(options=[option()] * 101))], "no more than 100 items allowed"),
    "no options": ([actions(select())], "missing one of the fields: options, option_groups"),
    "odd initial": (
        [actions(select(options=[option()], initial_option=option("two")))],
        "initial option is not one of the options",
    ),
    "11 checkboxes": ([actions({"type": "checkboxes", "options": [option()] * 11})], "no more than 10 items allowed"),
    "11 radio buttons": (
        [actions({"type": "radio_buttons", "options": [option()] * 11})],
        "no more than 10 items allowed",
    ),
    "input in a message": (
        [{"type": "input", "label": plain("x"), "element": {"type": "plain_text_input"}}],
        "unsupported type: input",
    ),
    "markdown": ([{"type": "markdown", "text": "x" * 12_001}], "must be less than 12001 characters"),
    "markdown in all": (
        [{"type": "markdown", "text": "x" * 6001}] * 2,
        "markdown blocks must have less than 12001 characters in all",
    ),
    "101 rows": ([table(rows=101)], "no more than 100 items allowed [json-pointer:/blocks/0/rows]"),
    "21 columns": ([table(columns=21)], "no more than 20 items allowed"),
    "empty cell": ([table(cell="")], "must be more than 0 characters"),
    "10,001 characters in cells": ([table(1, 1, "x" * 5000), table(1, 1, "x" * 5001)], "only_one_table_allowed"),
    "long table": ([table(2, 2, "x" * 2501)], "table cells must have less than 10001 characters in all"),
    "task status": (
        [{"type": "task_card", "task_id": "t", "title": "x", "status": "done"}],
        "must be one of: pending, in_progress, complete, error",
    ),
    "plan title": ([{"type": "plan", "title": "x" * 257}], "must be less than 257 characters"),
    "alert level": ([{"type": "alert", "text": plain("x"), "level": "bad"}], "must be one of: default"),
    "11 in a container": ([container(*[section()] * 11)], "no more than 10 items allowed"),
    "markdown in a container": ([container({"type": "markdown", "text": "x"})], "unsupported type: markdown"),
    "collapsed, not collapsible": (
        [container(section(), default_collapsed=True)],
        "default_collapsed requires is_collapsible",
    ),
    "bad link": ([actions(button(url="example"))], "must be a valid URL"),
    "rich text": ([{"type": "rich_text", "elements": [{"type": "text", "text": "x"}]}], "unsupported type: text"),
    "card body": ([{"type": "card", "body": plain("x" * 201)}], "must be less than 201 characters"),
    "too much": ([section("x" * 3000)] * 4 + [section("x" * 1201)], "msg_blocks_too_long"),
}


@pytest.mark.parametrize("case", CASES)
async def test_blocks_over_a_limit_are_refused_with_their_place(case: str, client: AsyncWebClient, dm: Channel) -> None:
    blocks, words = CASES[case]
    for content in ({"blocks": blocks}, {"attachments": [{"color": "#f00", "blocks": blocks}]}):
        with pytest.raises(SlackApiError) as caught:
            await client.api_call("chat.postMessage", json={"channel": dm.id, "text": "text"} | content)
        place = words.replace("/blocks/", "/attachments/0/blocks/").replace(":/blocks]", ":/attachments/0/blocks]")
        assert (words if "blocks" in content else place) in str(caught.value.response.data)
    assert dm.messages == []


GOOD: list[Block] = [
    {"type": "header", "text": plain("x" * 150)},
    section("x" * 3000, accessory=button("x" * 75, value="x" * 2000, action_id="x" * 255, style="danger")),
    {"type": "markdown", "text": "x" * 5000},
    {"type": "divider"},
    {"type": "context", "elements": [plain("x")] * 10},
    actions(select(options=[option()] * 100), {"type": "checkboxes", "options": [option()] * 10}),
    {"type": "alert", "text": plain("careful"), "level": "warning"},
    container(section(), table(), is_collapsible=True, default_collapsed=True),
    {"type": "task_card", "task_id": "t", "title": "Read", "status": "complete", "output": rich("done")},
    {
        "type": "plan",
        "title": "Plan",
        "tasks": [{"type": "task_card", "task_id": "u", "title": "x", "status": "error"}],
    },
    rich("code"),
]


async def test_blocks_at_their_limits_are_taken_and_named(client: AsyncWebClient, dm: Channel) -> None:
    await client.chat_postMessage(channel=dm.id, text="fallback", blocks=GOOD)
    (message,) = dm.from_bot
    assert all(block["block_id"] for block in message.blocks)
    assert [one.type for one in message.elements] == ["button", "static_select", "checkboxes"]
    assert all(one.action_id for one in message.elements)


async def test_the_schema_catches_what_the_hand_written_checks_do_not(client: AsyncWebClient, dm: Channel) -> None:
    odd = {"type": "image", "alt_text": "x", "slack_file": {"name": "F1"}}
    with pytest.raises(SlackApiError, match="sandbox: schema, at blocks/0"):
        await client.chat_postMessage(channel=dm.id, text="x", blocks=[odd])


def modal(**more: Any) -> Block:
    return {"type": "modal", "title": plain("Deny"), "submit": plain("Send"), "blocks": [section()]} | more


def text_input(**more: Any) -> Block:
    return {"type": "input", "label": plain("Reason"), "element": {"type": "plain_text_input"}} | more


VIEWS: dict[str, tuple[Block, str]] = {
    "title": (modal(title=plain("x" * 25)), "must be less than 25 characters [json-pointer:/view/title/text]"),
    "submit": (modal(submit=plain("x" * 25)), "must be less than 25 characters [json-pointer:/view/submit/text]"),
    "no title": ({"type": "modal", "blocks": [section()]}, "missing required field: title"),
    "101 blocks": (modal(blocks=[section()] * 101), "no more than 100 items allowed [json-pointer:/view/blocks]"),
    "no blocks": (modal(blocks=[]), "no fewer than 1 items allowed"),
    "private metadata": (modal(private_metadata="x" * 3001), "must be less than 3001 characters"),
    "no submit": (
        {"type": "modal", "title": plain("Deny"), "blocks": [text_input()]},
        "missing required field: submit",
    ),
    "unknown field": (modal(color="red"), "invalid additional property: color [json-pointer:/view]"),
    "markdown": (modal(blocks=[{"type": "markdown", "text": "x"}]), "unsupported type: markdown"),
    "home": ({"type": "home", "blocks": [section()]}, "must be one of: modal"),
}


@pytest.mark.parametrize("case", VIEWS)
async def test_views_over_a_limit_are_refused(
    case: str, server: SlackServer, client: AsyncWebClient, ada: User
) -> None:
    view, words = VIEWS[case]
    with pytest.raises(SlackApiError) as caught:
        await client.views_open(trigger_id=server.new_trigger(ada), view=view)
    assert words in str(caught.value.response.data)
    assert server.modal(ada) is None
