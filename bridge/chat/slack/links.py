"""Which addresses may become links on Slack: web addresses that lead where they seem to.

Everything else (``slack://``, ``javascript:``, paths, addresses with a user name) is shown as text: nothing an agent
writes acts in the reader's client or hides where it leads (invariant 6).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from bridge.cards import addresses
from bridge.chat.slack.lines import CODE, PLAIN, Run

MAX_URL = 3000
_ODD = re.compile("[\\s\\\\\x00-\x1f\x7f-\x9f]")
_ENCODED = str.maketrans({"<": "%3C", ">": "%3E", "|": "%7C", "(": "%28", ")": "%29", "`": "%60", '"': "%22"})


def link_or_none(address: str) -> str | None:
    """The address as Slack may get it (what could end a link is percent-encoded), or ``None``."""
    if len(address) > MAX_URL or _ODD.search(address):
        return None
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not host or "@" in parts.netloc:
        return None
    encoded = parts.scheme.lower() + address[len(parts.scheme) :].translate(_ENCODED)
    return encoded if len(encoded) <= MAX_URL else None


def link_runs(runs: Sequence[Run], address: str) -> Iterator[Run]:
    """Runs that lead to an address, see :func:`bridge.cards.addresses.link_runs`."""
    return addresses.link_runs(
        runs,
        address,
        link_or_none(address),
        linked=lambda style, link: style._replace(link=link),
        code=CODE,
        plain=PLAIN,
    )
