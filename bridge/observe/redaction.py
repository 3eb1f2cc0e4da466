"""Keeping secrets out of everything that is written (invariant 7): known values, and what looks like a token."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

HIDDEN = "[hidden]"
LEAST_LENGTH = 4
"""A shorter "secret" would tear ordinary words apart and protects nothing."""

_SHAPES = re.compile(
    r"(?<=bot)\d{3,}:[A-Za-z0-9_-]+"  # a Bot API address
    r"|\b\d{6,}:[A-Za-z0-9_-]{30,}"  # a Telegram token
    r"|\bxox[a-z]-[A-Za-z0-9-]+|\bxapp-[A-Za-z0-9-]+"  # Slack's
    r"|\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"  # a JWT
    r"|(?<=Bearer )[^\s'\",]+"
    r"|(?<=://)[^\s/@:]+:[^\s/@]+(?=@)"  # a login in an address
)


class Redactor:
    """Replaces secrets in text. ``secrets``: the configured values; each is also found quoted for URLs and JSON."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        spellings: set[str] = set()
        for secret in secrets:
            if len(secret) >= LEAST_LENGTH:
                spellings |= {
                    secret,
                    quote(secret, safe=""),
                    quote(secret),
                    quote_plus(secret),
                    json.dumps(secret)[1:-1],
                }
                spellings |= {repr(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
        longest_first = sorted(spellings, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def __call__(self, text: str) -> str:
        """The text without any known secret and without what has a token's shape."""
        if self._known:
            text = self._known.sub(HIDDEN, text)
        return _SHAPES.sub(HIDDEN, text)
