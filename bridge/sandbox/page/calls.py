"""The API calls as the page lists them: shortened, numbered, with the rates they keep."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from bridge.sandbox.bus import Call, Filled
from bridge.sandbox.page.feed import Feed

SHOWN = 200
REMEMBERED = 5_000
"""Calls that a server keeps while it is shown: a page may stay open for days."""
LONG_TEXT = 160
MANY = 12
DEEP = 6


class CallLog:
    """The last calls of both platforms, in the order in which they were answered."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._shown: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self._seq = 0

    def note(self, platform: str, call: Call, rates: Iterable[Filled], all_calls: list[Call]) -> None:
        """List a call and tell the page. ``all_calls`` is the server's own list: its oldest are forgotten."""
        if len(all_calls) > 2 * REMEMBERED:
            del all_calls[:-REMEMBERED]
        self._seq += 1
        shown = {
            "seq": self._seq,
            "platform": platform,
            "at": call.at,
            "method": call.method,
            "code": call.code,
            "description": call.description,
            "fault": call.fault,
            "params": shortened(call.params),
        }
        self._shown.append(shown)
        self._feed.tell("call", call=shown, limits=limits_json(rates))

    def state(self) -> list[dict[str, Any]]:
        """The calls listed, oldest first."""
        return list(self._shown)


def limits_json(rates: Iterable[Filled]) -> list[dict[str, Any]]:
    """How full the rates are."""
    return [
        {
            "name": rate.name,
            "used": round(rate.used, 2),
            "of": rate.of,
            "window_s": round(rate.window_s, 2),
            "at": rate.at,
        }
        for rate in rates
    ]


def shortened(value: Any, depth: int = 0) -> Any:
    """A call's parameters, long texts and lists cut, what lies deep left out."""
    if isinstance(value, str):
        return value if len(value) <= LONG_TEXT else value[:LONG_TEXT] + "…"
    if isinstance(value, dict | list) and depth >= DEEP:
        return "…"
    if isinstance(value, dict):
        return {key: shortened(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        cut = [shortened(each, depth + 1) for each in value[:MANY]]
        return cut if len(value) <= MANY else [*cut, f"… {len(value) - MANY} more"]
    return value
