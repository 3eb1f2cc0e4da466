"""Slack's message text to what the person typed, and back to text that means nothing but itself.

Slack escapes ``&``, ``<`` and ``>`` and writes mentions and links in angle brackets (docs.slack.dev, formatting
message text). An agent gets plain text; what we say by ourselves is escaped so that it can't ping or link.
"""

from __future__ import annotations

import re

_BRACKETS = re.compile(r"<([^<>\n]+)>")
_MENTION = r"<@{}(?:\|[^<>]*)?>"


def plain(text: str, bot: str = "") -> str:
    """The text as a person reads it: ``<@U1|ada>`` as ``@ada``, ``<https://x|here>`` as ``here (https://x)``.

    ``bot``: the bot's own user id, which reads ``@bot``.
    """
    return unescape(_BRACKETS.sub(lambda found: _spelled(found[1], bot), text))


def escaped(text: str) -> str:
    """Text for Slack's ``mrkdwn`` and ``text`` fields in which no mention and no link can stand."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """The three characters that Slack escapes; ``&amp;lt;`` is ``&lt;`` as typed."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def addressed(text: str, bot: str) -> tuple[str, bool]:
    """The text without the bot's mention at its beginning, and whether the bot is mentioned anywhere in it."""
    if not bot:
        return text, False
    mention = _MENTION.format(re.escape(bot))
    start = re.match(rf"(?:\s*{mention}[\s,:]*)+", text)
    return (text[start.end() :], True) if start else (text, re.search(mention, text) is not None)


def _spelled(inside: str, bot: str) -> str:
    body, bar, label = inside.partition("|")
    match body[:1]:
        case "@":
            return "@bot" if bot and body[1:] == bot else f"@{label.lstrip('@') or body[1:]}"
        case "#":
            return f"#{label.lstrip('#') or body[1:]}"
        case "!":
            name = body[1:].partition("^")[0]
            return label or f"@{name}"
    address = body.removeprefix("mailto:").removeprefix("tel:")
    if not bar or not label or label in (body, address) or body.split("://", 1)[-1].rstrip("/") == label.rstrip("/"):
        return address
    return f"{label} ({body})"
