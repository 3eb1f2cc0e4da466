"""Slack's own escapes: what keeps text from being read as a control sequence.

``<@U…>``, ``<#C…>``, ``<!here>`` and ``<https://…|label>`` are live in ``text``, in mrkdwn, and in ``markdown`` blocks
too; ``&lt;`` and ``&gt;`` are shown as the characters and not read again (docs.slack.dev, "Formatting message text";
measured in PostHog/posthog#95054). A bare ``@here`` is live only with ``link_names``, which we never set; an
invisible word joiner keeps it dead wherever Slack reads markup at all.
"""

from __future__ import annotations

import re

JOINER = "\u2060"
BROADCAST = re.compile(r"@(?=(?:here|channel|everyone|group)\b)", re.IGNORECASE)
_ENTITY_LIKE = re.compile(r"&(?=#?\w{1,31};)")


def escape(text: str) -> str:
    """Text for ``text`` and mrkdwn: shown as it is, nobody mentioned, nothing linked behind a label."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return BROADCAST.sub(f"@{JOINER}", escaped)


def escape_in_markdown(text: str) -> str:
    """The same for words in a ``markdown`` block, where an ``&`` that starts no entity stays as it is."""
    escaped = _ENTITY_LIKE.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return BROADCAST.sub(f"@{JOINER}", escaped)


def exact_as_code(text: str) -> bool:
    """Whether code can stand in a ``markdown`` block and be shown exactly.

    Nothing says whether Slack decodes entities inside code there; so code that would need one goes as rich text.
    """
    return "<" not in text and not _ENTITY_LIKE.search(text) and not BROADCAST.search(text)
