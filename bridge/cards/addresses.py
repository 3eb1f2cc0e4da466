"""Links, as far as no platform changes them: what their text says about where they lead, and what is shown besides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar
from urllib.parse import urlsplit

Style = TypeVar("Style")
MAIL = "mailto:"

_ADDRESS_LIKE = re.compile(r"(?:https?://)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?:[/:?#]\S*)?", re.IGNORECASE)


def address_shown(text: str, address: str) -> bool:
    """Whether a reader of ``text`` already sees ``address`` (``mailto:`` and a final slash aside)."""
    bare = address.removeprefix(MAIL).rstrip("/")
    return bare != "" and bare in text


def misleads(text: str, address: str) -> bool:
    """Whether the text looks like an address on another host than the one it leads to (invariant 6)."""
    match = _ADDRESS_LIKE.fullmatch(text.strip())
    if match is None:
        return False
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    return match.group(1).lower().removeprefix("www.") != host


def link_runs(
    runs: Sequence[tuple[str, Style]],
    address: str,
    link: str | None,
    *,
    linked: Callable[[Style, str], Style],
    code: Style,
    plain: Style,
) -> Iterator[tuple[str, Style]]:
    """Runs that lead to an address: a link where the platform takes it, else the text and the address as code.

    An address the text already shows is not repeated; where the text names another host, the true address is shown.
    ``link``: the address as the platform may get it, ``None`` if it may not be a link there. ``linked``: a platform's
    style with a link; ``code``, ``plain``: its styles of those.
    """
    text = "".join(part for part, _ in runs)
    if link is not None and text.strip():
        yield from ((part, linked(style, link)) for part, style in runs)
        if misleads(text, link):
            yield from _in_brackets(address, code, plain)
    elif address_shown(text, address):
        yield from runs if address.startswith(MAIL) else [(part, code) for part, _ in runs]
    else:
        yield from runs
        if address:
            yield from _in_brackets(address, code, plain)


def _in_brackets(address: str, code: Style, plain: Style) -> Iterator[tuple[str, Style]]:
    """The address after its text. E-mail addresses stay plain: clients find them by themselves."""
    yield " (", plain
    yield (address.removeprefix(MAIL), plain) if address.startswith(MAIL) else (address, code)
    yield ")", plain
