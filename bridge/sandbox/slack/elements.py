"""Interactive elements and rich text: what Slack refuses in them."""

from typing import Any

from bridge.sandbox.slack.shapes import (
    Check,
    Problems,
    anything,
    array,
    both,
    flag,
    needs_one,
    one_of,
    record,
    string,
    text,
    typed,
    url,
    whole,
)

MAX_ACTION_ID = 255
MAX_OPTION = 75
PLAIN: dict[str, Check] = {"type": anything}


def action_id(value: Any, place: str, problems: Problems) -> None:
    """At most 255 characters, and no other element of the payload has it."""
    string(MAX_ACTION_ID)(value, place, problems)
    if isinstance(value, str):
        if value in problems.action_ids:
            problems.add(f"`action_id` {value!r} already exists for another element", place)
        problems.action_ids.add(value)


def focus(value: Any, place: str, problems: Problems) -> None:
    """``focus_on_load``: one element of a view."""
    flag(value, place, problems)
    problems.focused += value is True
    if problems.focused > 1:
        problems.add("only one element can have focus_on_load", place)


confirm = record(
    {"text": text(300)},
    {
        "title": text(100, mrkdwn=False),
        "confirm": text(30, mrkdwn=False),
        "deny": text(30, mrkdwn=False),
        "style": one_of("primary", "danger"),
    },
)


def _option(*, mrkdwn: bool) -> Check:
    return record(
        {"text": text(MAX_OPTION, mrkdwn=mrkdwn)},
        {"value": string(150), "description": text(MAX_OPTION, mrkdwn=mrkdwn), "url": url},
    )


plain_option, rich_option = _option(mrkdwn=False), _option(mrkdwn=True)
plain_options = array(plain_option, 100)
groups = array(record({"label": text(75, mrkdwn=False), "options": plain_options}), 100)
COMMON: dict[str, Check] = {"action_id": action_id, "confirm": confirm, "focus_on_load": focus}
PLACEHOLDER: dict[str, Check] = {"placeholder": text(150, mrkdwn=False)}
ACTION: dict[str, Check] = {"action_id": action_id}
DISPATCH: dict[str, Check] = {
    "dispatch_action_config": record(
        {"trigger_actions_on": array(one_of("on_enter_pressed", "on_character_entered"), 2)}
    )
}


def _chosen_among_options(value: Any, place: str, problems: Problems) -> None:
    if problems.found:
        return
    options = [*value.get("options", []), *(o for g in value.get("option_groups", []) for o in g.get("options", []))]
    initial = value.get("initial_options", [value["initial_option"]] if "initial_option" in value else [])
    if any(one not in options for one in initial):
        problems.add("initial option is not one of the options", place)


button = record(
    PLAIN | {"text": text(75, mrkdwn=False)},
    {
        "action_id": action_id,
        "value": string(2000, 0),
        "url": url,
        "style": one_of("primary", "danger"),
        "confirm": confirm,
        "accessibility_label": string(75),
    },
)
static_select = both(
    record(
        PLAIN,
        COMMON | PLACEHOLDER | {"options": plain_options, "option_groups": groups, "initial_option": plain_option},
    ),
    needs_one("options", "option_groups"),
    _chosen_among_options,
)
multi_static_select = both(
    record(
        PLAIN,
        COMMON
        | PLACEHOLDER
        | {
            "options": plain_options,
            "option_groups": groups,
            "initial_options": array(plain_option, 100),
            "max_selected_items": whole(1, 100),
        },
    ),
    needs_one("options", "option_groups"),
    _chosen_among_options,
)
checkboxes = both(
    record(PLAIN | {"options": array(rich_option, 10)}, COMMON | {"initial_options": array(rich_option, 10)}),
    _chosen_among_options,
)
radio_buttons = both(
    record(PLAIN | {"options": array(rich_option, 10)}, COMMON | {"initial_option": rich_option}),
    _chosen_among_options,
)
overflow = record(PLAIN | {"options": array(plain_option, 5)}, {"action_id": action_id, "confirm": confirm})
external_select = record(
    PLAIN, COMMON | PLACEHOLDER | {"initial_option": plain_option, "min_query_length": whole(0, 3000)}
)
users_select = record(PLAIN, COMMON | PLACEHOLDER | {"initial_user": string(255)})
conversations_select = record(
    PLAIN,
    COMMON
    | PLACEHOLDER
    | {
        "initial_conversation": string(255),
        "default_to_current_conversation": flag,
        "response_url_enabled": flag,
        "filter": anything,
    },
)
channels_select = record(PLAIN, COMMON | PLACEHOLDER | {"initial_channel": string(255), "response_url_enabled": flag})
datepicker = record(PLAIN, COMMON | PLACEHOLDER | {"initial_date": string(10, 10)})
timepicker = record(PLAIN, COMMON | PLACEHOLDER | {"initial_time": string(5, 5), "timezone": string(100)})
plain_text_input = record(
    PLAIN,
    ACTION
    | PLACEHOLDER
    | DISPATCH
    | {
        "initial_value": string(3000, 0),
        "multiline": flag,
        "min_length": whole(0, 3000),
        "max_length": whole(1, 3000),
        "focus_on_load": focus,
    },
)
number_input = record(
    PLAIN | {"is_decimal_allowed": flag},
    ACTION
    | PLACEHOLDER
    | DISPATCH
    | {"initial_value": string(100), "min_value": string(100), "max_value": string(100), "focus_on_load": focus},
)
file_input = record(PLAIN, ACTION | {"filetypes": array(string(20), 100), "max_files": whole(1, 10)})
image_element = both(
    record(PLAIN | {"alt_text": string(2000)}, {"image_url": url, "slack_file": anything}),
    needs_one("image_url", "slack_file"),
)
feedback_button = record({"text": text(75, mrkdwn=False), "value": string(2000)}, {"accessibility_label": string(75)})
feedback_buttons = record(
    PLAIN | {"positive_button": feedback_button, "negative_button": feedback_button}, {"action_id": action_id}
)
icon_button = record(
    PLAIN | {"icon": one_of("trash"), "text": text(75, mrkdwn=False)},
    ACTION
    | {
        "value": string(2000),
        "confirm": confirm,
        "accessibility_label": string(75),
        "visible_to_user_ids": array(string(20), 10),
    },
)
url_source = record(PLAIN | {"url": url, "text": string(256)})

SELECTS: dict[str, Check] = {
    "static_select": static_select,
    "external_select": external_select,
    "users_select": users_select,
    "conversations_select": conversations_select,
    "channels_select": channels_select,
}
MULTI: dict[str, Check] = {"multi_static_select": multi_static_select}
CHOICES: dict[str, Check] = {"checkboxes": checkboxes, "radio_buttons": radio_buttons}
DATES: dict[str, Check] = {"datepicker": datepicker, "timepicker": timepicker}
in_actions = typed({"button": button, "overflow": overflow} | SELECTS | CHOICES | DATES)
in_section = typed({"button": button, "overflow": overflow, "image": image_element} | SELECTS | MULTI | CHOICES | DATES)
in_input = typed(
    {"plain_text_input": plain_text_input, "number_input": number_input, "file_input": file_input}
    | SELECTS
    | MULTI
    | CHOICES
    | DATES
)
in_context = typed(
    {
        "image": image_element,
        "plain_text": text(3000),
        "mrkdwn": text(3000),
    }
)
in_context_actions = typed({"feedback_buttons": feedback_buttons, "icon_button": icon_button})

_style: dict[str, Check] = {"style": record({}, dict.fromkeys(("bold", "italic", "strike", "code", "underline"), flag))}
_leaf = typed(
    {
        "text": record(PLAIN | {"text": string(1_000_000)}, _style),
        "link": record(PLAIN | {"url": url}, _style | {"text": string(1_000_000), "unsafe": flag}),
        "emoji": record(PLAIN | {"name": string(100)}, _style | {"unicode": string(100), "url": url}),
        "user": record(PLAIN | {"user_id": string(20)}, _style),
        "channel": record(PLAIN | {"channel_id": string(20)}, _style),
        "usergroup": record(PLAIN | {"usergroup_id": string(20)}, _style),
        "team": record(PLAIN | {"team_id": string(20)}, _style),
        "broadcast": record(PLAIN | {"range": one_of("here", "channel", "everyone")}, _style),
        "color": record(PLAIN | {"value": string(20)}, _style),
        "date": record(
            PLAIN | {"timestamp": whole(0, 10**12), "format": string(1000)},
            _style | {"url": url, "fallback": string(1000)},
        ),
    }
)
_leaves = array(_leaf, 10_000, 0)
_section = record(PLAIN | {"elements": _leaves})
_rich = typed(
    {
        "rich_text_section": _section,
        "rich_text_list": record(
            PLAIN | {"style": one_of("bullet", "ordered"), "elements": array(_section, 10_000)},
            {"indent": whole(0, 8), "offset": whole(0, 10**6), "border": whole(0, 1)},
        ),
        "rich_text_quote": record(PLAIN | {"elements": _leaves}, {"border": whole(0, 1)}),
        "rich_text_preformatted": record(
            PLAIN | {"elements": _leaves}, {"border": whole(0, 1), "language": string(50)}
        ),
    }
)
rich_text = record(PLAIN | {"elements": array(_rich, 10_000)}, {"block_id": string(255)})
