"""`hapi-bridge render`: a messages page or a piece of Markdown, as the bridge would show it, as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bridge.cli import trouble
from bridge.hub.counts import HubCounts
from bridge.hub.wire import Undecodable, decode
from bridge.transcript.replay import render_blocks

MOST_BYTES = 64 * 1024 * 1024


class _Unreadable(Exception):
    """The file can't be used; the words say why."""


def render(file: Path, to: str, *, markdown: bool) -> int:
    """Print JSON: blocks, or the API calls of a platform. Exit code 2 where the file or the wish can't be served."""
    try:
        if markdown and to == "blocks":
            raise _Unreadable("Markdown has no blocks to decode: use --to telegram or --to slack with --markdown")
        shown = _markdown(_bytes(file), to) if markdown else _page(_bytes(file), to, file)
    except _Unreadable as error:
        trouble.tell([str(error)])
        return trouble.UNUSABLE
    print(_json(shown))
    return 0


def _markdown(content: bytes, to: str) -> list[dict[str, Any]]:
    from bridge.cli.render import render_markdown

    return render_markdown(content.decode("utf-8", "replace"), to)


def _page(content: bytes, to: str, file: Path) -> list[dict[str, Any]]:
    try:
        page = decode(content.removeprefix(b"\xef\xbb\xbf"), HubCounts())
    except Undecodable:
        raise _Unreadable(f"{file}: is not JSON; if it is Markdown, add --markdown") from None
    if not isinstance(page, dict) or not isinstance(page.get("messages"), list):
        raise _Unreadable(f'{file}: is not a messages page ({{"messages": […], "agentState": …}})')
    if to == "blocks":
        return render_blocks(page)
    from bridge.cli.render_page import render_page

    return render_page(page, to)


def _bytes(file: Path) -> bytes:
    try:
        content = sys.stdin.buffer.read(MOST_BYTES + 1) if str(file) == "-" else _read(file)
    except OSError as error:
        raise _Unreadable(f"{file}: can't be read ({error.strerror or error})") from None
    if len(content) > MOST_BYTES:
        raise _Unreadable(f"{file}: is larger than {MOST_BYTES // 1024 // 1024} MiB")
    return content


def _read(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(MOST_BYTES + 1)


def _json(value: Any) -> str:
    """Readable JSON; text that no encoding takes (lone surrogates) is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=2)
    return text
