"""Blocks: what Slack refuses in messages and views, by the limits in force (docs.slack.dev, Block Kit reference)."""

from typing import Any

from bridge.sandbox.slack import elements
from bridge.sandbox.slack.errors import SlackError, invalid_blocks
from bridge.sandbox.slack.shapes import (
    Check,
    Problems,
    anything,
    array,
    both,
    characters_in,
    flag,
    needs_one,
    one_of,
    record,
    string,
    text,
    typed,
    url,
)
from bridge.sandbox.slack.walk import Json

MAX_MESSAGE_BLOCKS = 50
MAX_VIEW_BLOCKS = 100
MAX_MARKDOWN = 12_000
MAX_BLOCK_CHARACTERS = 13_200  # measured, not documented: slackapi/bolt-js#2509
MAX_TABLE_CHARACTERS = 10_000
PLAIN: dict[str, Check] = {"type": anything}


def _block_id(value: Any, place: str, problems: Problems) -> None:
    string(255)(value, place, problems)
    if isinstance(value, str):
        if value in problems.block_ids:
            problems.add(f"block_id {value!r} already exists", place)
        problems.block_ids.add(value)


def block(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    """A block: these fields, and ``block_id``."""
    return record(PLAIN | required, {"block_id": _block_id} | (optional or {}))


def _markdown(value: Any, place: str, problems: Problems) -> None:
    string(MAX_MARKDOWN)(value, place, problems)
    problems.markdown += len(value) if isinstance(value, str) else 0


def _table(value: Any, place: str, problems: Problems) -> None:
    problems.tables += 1
    problems.cells += characters_in(value)


_cell = typed(
    {
        "raw_text": record(PLAIN | {"text": string(10_000)}),
        "raw_number": record(PLAIN | {"text": string(100), "value": anything}),
        "rich_text": elements.rich_text,
    }
)
_column = record({}, {"align": one_of("left", "center", "right"), "is_wrapped": flag})
_status = one_of("pending", "in_progress", "complete", "error")
task_card = block(
    {"task_id": string(255), "title": string(256), "status": _status},
    {"details": elements.rich_text, "output": elements.rich_text, "sources": array(elements.url_source, 100)},
)
image = both(
    block({"alt_text": string(2000)}, {"image_url": url, "slack_file": anything, "title": text(2000, mrkdwn=False)}),
    needs_one("image_url", "slack_file"),
)
actions = block({"elements": array(elements.in_actions, 25)})
section = both(
    block(
        {},
        {
            "text": text(3000),
            "fields": array(text(2000), 10),
            "accessory": elements.in_section,
            "expand": flag,
        },
    ),
    needs_one("text", "fields"),
)
context = block({"elements": array(elements.in_context, 10)})
divider = block({})
header = block({"text": text(150, mrkdwn=False)})
rich_text = elements.rich_text
table = both(
    block({"rows": array(array(_cell, 20), 100)}, {"column_settings": array(_column, 20)}),
    _table,
)
input_block = block(
    {"label": text(2000, mrkdwn=False), "element": elements.in_input},
    {"hint": text(2000, mrkdwn=False), "optional": flag, "dispatch_action": flag},
)
file_block = block({"external_id": string(255), "source": one_of("remote")})
card = both(
    block(
        {},
        {
            "title": text(150),
            "subtitle": text(150),
            "body": text(200),
            "icon": elements.image_element,
            "hero_image": elements.image_element,
            "actions": array(elements.button, 3),
        },
    ),
    needs_one("hero_image", "title", "actions", "body"),
)


def _collapsing(value: Any, place: str, problems: Problems) -> None:
    if problems.found:
        return
    if value.get("default_collapsed") and not value.get("is_collapsible"):
        problems.add("default_collapsed requires is_collapsible", place)
    if value.get("has_header_divider") and value.get("is_collapsible"):
        problems.add("has_header_divider cannot be set when is_collapsible is true", place)


_child = typed(
    {
        "actions": actions,
        "context": context,
        "divider": divider,
        "header": header,
        "image": image,
        "rich_text": rich_text,
        "section": section,
        "table": table,
        "input": input_block,
        "file": file_block,
    }
)
container = both(
    block(
        {"child_blocks": array(_child, 10)},
        {
            "title": text(150, mrkdwn=False),
            "rich_text_title": elements.rich_text,
            "subtitle": text(150),
            "icon": elements.image_element,
            "width": one_of("narrow", "standard", "wide", "full"),
            "is_collapsible": flag,
            "default_collapsed": flag,
            "has_header_divider": flag,
        },
    ),
    needs_one("title", "rich_text_title"),
    _collapsing,
)

EVERYWHERE: dict[str, Check] = {
    "actions": actions,
    "alert": block({"text": text(200)}, {"level": one_of("default", "info", "warning", "error", "success")}),
    "container": container,
    "context": context,
    "divider": divider,
    "header": header,
    "image": image,
    "rich_text": rich_text,
    "section": section,
    "table": table,
}
IN_MESSAGES = EVERYWHERE | {
    "card": card,
    "carousel": block({"elements": array(typed({"card": card}), 10)}),
    "context_actions": block({"elements": array(elements.in_context_actions, 5)}),
    "file": file_block,
    "markdown": block({"text": _markdown}),
    "plan": block({"title": string(256)}, {"tasks": array(typed({"task_card": task_card}), 50)}),
    "task_card": task_card,
}
SURFACES: dict[str, Check] = {
    "message": array(typed(IN_MESSAGES), MAX_MESSAGE_BLOCKS, 0),
    "modal": array(typed(EVERYWHERE | {"input": input_block}), MAX_VIEW_BLOCKS),
    "home": array(typed(EVERYWHERE | {"input": input_block}), MAX_VIEW_BLOCKS),
}


def block_problems(blocks: Any, surface: str, place: str = "/blocks", problems: Problems | None = None) -> Problems:
    """Everything that is wrong with these blocks; given ``problems`` are added to (several lists, one message)."""
    found = Problems() if problems is None else problems
    SURFACES[surface](blocks, place, found)
    found.characters += characters_in(blocks)
    return found


def check_message_blocks(blocks: list[Json], attachments: list[Json]) -> None:
    """Raises SlackError for what a message can't have: the shapes, then the sums over the whole message."""
    problems = block_problems(blocks, "message")
    if problems.found:
        raise invalid_blocks(problems.found)
    for index, one in enumerate(attachments):
        block_problems(one.get("blocks", []), "message", f"/attachments/{index}/blocks", problems)
    if problems.found:
        raise SlackError(
            "invalid_attachments",
            response_metadata={"messages": [f"[ERROR] {problem}" for problem in problems.found]},
        )
    if problems.tables > 1:
        raise SlackError("invalid_attachments", response_metadata={"messages": ["[ERROR] only_one_table_allowed"]})
    if problems.cells > MAX_TABLE_CHARACTERS:
        raise invalid_blocks([f"table cells must have less than {MAX_TABLE_CHARACTERS + 1} characters in all"])
    if problems.markdown > MAX_MARKDOWN:
        raise invalid_blocks([f"markdown blocks must have less than {MAX_MARKDOWN + 1} characters in all"])
    if problems.characters > MAX_BLOCK_CHARACTERS:
        raise SlackError("msg_blocks_too_long")
