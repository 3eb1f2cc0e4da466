"""What people put into elements: options by their text or value, dates, texts, as Slack reports them."""

from typing import Any

from bridge.sandbox.slack.state import File, Json, User
from bridge.sandbox.slack.walk import Placed

SINGLE = ("static_select", "radio_buttons", "overflow", "external_select")
SEVERAL = ("multi_static_select", "checkboxes")
PLAIN = {
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "plain_text_input": "value",
    "number_input": "value",
}
Value = str | list[str] | Json | list[File] | User | None


def filled(placed: Placed, value: Value) -> Json:
    """An element's state with this value. Options are named by text or value. Raises LookupError for one there is not.

    None leaves the element empty.
    """
    kind = placed.type
    state: Json = {"type": kind}
    if kind in SINGLE:
        return state | {"selected_option": None if value is None else _option(placed, value)}
    if kind in SEVERAL:
        chosen = [value] if isinstance(value, str) else value or []
        assert isinstance(chosen, list)
        return state | {"selected_options": [_option(placed, one) for one in chosen]}
    if kind == "file_input":
        return state | {"files": value or []}
    if kind in PLAIN:
        return state | {PLAIN[kind]: value.id if isinstance(value, User) else value}
    raise LookupError(f"{placed.label!r} is a {kind} and takes no value")


def initial(placed: Placed) -> Json | None:
    """The state an element starts with, None for one that has none (a button)."""
    raw = placed.raw
    state: Json = {"type": placed.type}
    if placed.type in SINGLE and placed.type != "overflow":
        return state | {"selected_option": raw.get("initial_option")}
    if placed.type in SEVERAL:
        return state | {"selected_options": raw.get("initial_options", [])}
    if placed.type == "file_input":
        return state | {"files": []}
    if placed.type in PLAIN:
        names = {"value": "initial_value", "selected_date": "initial_date", "selected_time": "initial_time"}
        name = PLAIN[placed.type]
        return state | {name: raw.get(names.get(name, name.replace("selected", "initial")))}
    return None


def is_empty(state: Json) -> bool:
    """Whether nothing was chosen or written."""
    return not any(value for name, value in state.items() if name != "type")


def _option(placed: Placed, wanted: Any) -> Json:
    if isinstance(wanted, dict):
        return wanted
    for option in placed.options:
        if wanted in (option["text"]["text"], option.get("value")):
            return option
    there = [option["text"]["text"] for option in placed.options]
    raise LookupError(f"{placed.label!r} has no option {wanted!r}; there are {there}")
