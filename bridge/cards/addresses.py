"""What a link's text says about where it leads: the part of link checking that no platform changes."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_ADDRESS_LIKE = re.compile(r"(?:https?://)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?:[/:?#]\S*)?", re.IGNORECASE)


def address_shown(text: str, address: str) -> bool:
    """Whether a reader of ``text`` already sees ``address`` (``mailto:`` and a final slash aside)."""
    bare = address.removeprefix("mailto:").rstrip("/")
    return bare != "" and bare in text


def misleads(text: str, address: str) -> bool:
    """Whether the text looks like an address on another host than the one it leads to (invariant 6)."""
    match = _ADDRESS_LIKE.fullmatch(text.strip())
    if match is None:
        return False
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    return match.group(1).lower().removeprefix("www.") != host
