"""The form that asks for a text: a reason to deny, an answer in one's own words. A modal on Slack."""

from __future__ import annotations

import json
from dataclasses import dataclass

from bridge.cards.text import clean
from bridge.chat.slack.payload import FORM, Json

TITLE = 24
LABEL = 2000
HINT = 150
TEXT = 3000


@dataclass(frozen=True, slots=True)
class Form:
    """A question to one person. Their answer comes as the :class:`Press` of ``token``, with ``text``."""

    token: str
    title: str
    """Up to 24 characters, shortened beyond."""
    label: str
    hint: str = ""
    submit: str = "Send"
    needed: bool = True
    """Whether it may not be left empty."""


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
        "submit": _plain(form.submit, TITLE),
        "close": _plain("Cancel", TITLE),
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
