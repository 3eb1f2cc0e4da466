"""Small pictures for scenarios, without a library: a bar chart as a PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

_BAR, _GAP, _HEIGHT = 24, 12, 120
_GROUND, _FILL = bytes((250, 250, 252)), bytes((58, 110, 220))


def bar_chart(heights: Sequence[int]) -> bytes:
    """A PNG with a bar for each height (0 to 100)."""
    width = len(heights) * (_BAR + _GAP) + _GAP
    rows = []
    for y in range(_HEIGHT):
        row = bytearray(_GROUND * width)
        for at, height in enumerate(heights):
            if _HEIGHT - 10 - height <= y < _HEIGHT - 10:
                left = _GAP + at * (_BAR + _GAP)
                row[left * 3 : (left + _BAR) * 3] = _FILL * _BAR
        rows.append(b"\0" + bytes(row))
    header = struct.pack(">IIBBBBB", width, _HEIGHT, 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(rows), 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
