"""The form that asks for a text: a reason to deny, an answer in one's own words. A modal on Slack."""

from __future__ import annotations

import json

from bridge.cards.text import clean
from bridge.chat.capabilities import Form
from bridge.chat.slack.payload import FORM, Json
from bridge.language import tr

TITLE = 24
LABEL = 2000
HINT = 150
TEXT = 3000


def modal(form: Form, press: str) -> Json:
    """The view that shows a form. ``press`` is the press that opened it, which the answer brings back."""
    field: Json = {"type": "plain_text_input", "action_id": "text", "multiline": True, "max_length": TEXT}
    if form.hint:
        field["placeholder"] = _plain(form.hint, HINT)
    return {
        "type": "modal",
        "callback_id": FORM,
        "private_metadata": json.dumps({"token": form.token, "press": press}),
        "title": _plain(form.title, TITLE),
        "submit": _plain(form.submit or tr("Send"), TITLE),
        "close": _plain(tr("Cancel"), TITLE),
        "blocks": [
            {
                "type": "input",
                "block_id": "text",
                "optional": not form.needed,
                "label": _plain(form.label, LABEL),
                "element": field,
            }
        ],
    }


def _plain(text: str, most: int) -> Json:
    text = clean(text) or "…"
    return {"type": "plain_text", "emoji": False, "text": text if len(text) <= most else text[: most - 1] + "…"}
