"""Which addresses may become links on Slack: web addresses that lead where they seem to.

Everything else (``slack://``, ``javascript:``, paths, addresses with a user name) is shown as text: nothing an agent
writes acts in the reader's client or hides where it leads (invariant 6).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from bridge.cards.addresses import address_shown, misleads
from bridge.chat.slack.lines import CODE, PLAIN, Run

MAX_URL = 3000
_ODD = re.compile("[\\s\\\\\x00-\x1f\x7f-\x9f]")
_ENCODED = str.maketrans({"<": "%3C", ">": "%3E", "|": "%7C", "(": "%28", ")": "%29", "`": "%60", '"': "%22"})
_MAIL = "mailto:"


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
    """Runs that lead to an address: a link where that is fit, else the text and the address as code.

    An address the text already shows is not repeated; where the text names another host, the true one is shown.
    """
    text = "".join(part for part, _ in runs)
    link = link_or_none(address)
    if link is not None and text.strip():
        yield from ((part, style._replace(link=link)) for part, style in runs)
        if misleads(text, link):
            yield from _in_brackets(address)
    elif address_shown(text, address):
        yield from runs if address.startswith(_MAIL) else [(part, CODE) for part, _ in runs]
    else:
        yield from runs
        if address:
            yield from _in_brackets(address)


def _in_brackets(address: str) -> Iterator[Run]:
    """The address after its text. E-mail addresses stay plain: clients find them by themselves."""
    yield " (", PLAIN
    yield (address.removeprefix(_MAIL), PLAIN) if address.startswith(_MAIL) else (address, CODE)
    yield ")", PLAIN
