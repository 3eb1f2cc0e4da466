"""Inline keyboards and forced replies: what Telegram refuses in them."""

from typing import Any

from bridge.sandbox.telegram.errors import bad_request, stricter
from bridge.sandbox.telegram.state import Json
from bridge.sandbox.telegram.text import check_url, utf16_length, words

MAX_BUTTONS = 100
MAX_CALLBACK_BYTES = 64
MAX_COPY_TEXT = 256
MAX_PLACEHOLDER = 64
STYLES = frozenset({"primary", "success", "danger"})
ACTIONS = words(
    "callback_data url copy_text web_app login_url switch_inline_query switch_inline_query_current_chat "
    "switch_inline_query_chosen_chat callback_game pay disabled"
)
LOOKS = frozenset({"text", "style", "icon_custom_emoji_id"})


def checked_markup(markup: Json | None) -> Json | None:
    """The inline keyboard as Telegram keeps it: without empty rows, None if no button is left. Raises BotApiError."""
    if markup is None:
        return None
    if markup.keys() != {"inline_keyboard"}:
        raise stricter(f"reply_markup with {sorted(markup)}; the bridge uses inline keyboards and forced replies only")
    rows = markup["inline_keyboard"]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad_request('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays')
    for button in (button for row in rows for button in row):
        _check_button(button)
    if sum(map(len, rows)) > MAX_BUTTONS:
        raise bad_request("reply markup is too long")
    kept = [row for row in rows if row]
    return {"inline_keyboard": kept} if kept else None


def checked_new_markup(markup: Json | None) -> Json | None:
    """The markup of a new message, which may be a forced reply. Raises BotApiError."""
    if markup is None or "force_reply" not in markup:
        return checked_markup(markup)
    if unknown := markup.keys() - {"force_reply", "input_field_placeholder", "selective"}:
        raise stricter(f"ForceReply with unknown field {min(unknown)}")
    placeholder = markup.get("input_field_placeholder", "-")
    if not isinstance(placeholder, str) or not 1 <= utf16_length(placeholder) <= MAX_PLACEHOLDER:
        raise bad_request("input field placeholder must be 1-64 characters long")
    return markup


def _wrong(words: str) -> Exception:
    return bad_request(f"can't parse inline keyboard button: {words}")


def _check_button(button: Any) -> None:
    if not isinstance(button, dict):
        raise _wrong("InlineKeyboardButton must be an Object")
    if unknown := button.keys() - ACTIONS - LOOKS:
        raise stricter(f"button with unknown field {min(unknown)}")
    if "text" not in button:
        raise _wrong('Can\'t find field "text"')
    if not isinstance(button["text"], str):
        raise _wrong('Field "text" must be of type String')
    if not button["text"].strip():
        raise bad_request("BUTTON_TEXT_INVALID")
    actions = sorted(button.keys() & ACTIONS)
    if not actions or button.get("callback_data") == "":
        raise _wrong("Text buttons are unallowed in the inline keyboard")
    if len(actions) > 1:
        raise stricter(f"button with {' and '.join(actions)}; Telegram takes one of them in silence")
    if "style" in button and button["style"] not in STYLES:
        raise _wrong("Invalid style specified")
    if "callback_data" in button:
        _check_callback_data(button["callback_data"])
    if "url" in button:
        check_url(button["url"], "inline keyboard button")
    if "copy_text" in button:
        _check_copy_text(button["copy_text"])
    if "disabled" in button and button["disabled"] != {}:
        raise _wrong('Field "disabled" must be of type Object')


def _check_callback_data(data: Any) -> None:
    if not isinstance(data, str):
        raise _wrong('Field "callback_data" must be of type String')
    if len(data.encode("utf-8", "surrogatepass")) > MAX_CALLBACK_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")


def _check_copy_text(copied: Any) -> None:
    if not isinstance(copied, dict):
        raise _wrong('Field "copy_text" must be of type Object')
    text = copied.get("text")
    if not isinstance(text, str) or copied.keys() != {"text"}:
        raise _wrong('Can\'t find field "text"')
    if not 1 <= utf16_length(text) <= MAX_COPY_TEXT:
        raise bad_request("BUTTON_COPY_TEXT_INVALID")
