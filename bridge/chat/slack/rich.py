"""Lines as rich text: elements with styles, in which nothing is markup, so nothing has to be escaped.

Rich text is what the bridge's own lines, code, and everything in attachments are drawn as. A ``text`` element is
never read for mentions, links or emoji; a moment is a ``date`` element in the reader's own time zone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from bridge.chat.slack.lines import PLAIN, TEXT, Json, Line, Run, Style

DATE_FORMAT = "{date_short_pretty}, {time}"
_INDENT = "\u2003"
_LATEST = 2**31 - 1
_MAX_FALLBACK = 500


def rich_text(lines: Sequence[Line]) -> Json | None:
    """A ``rich_text`` block of lines, or ``None`` if nothing of them would show."""
    elements = [element for kind, group in _groups(lines) if (element := _element(kind, group)) is not None]
    return {"type": "rich_text", "elements": elements} if elements else None


def section(runs: Iterable[Run]) -> Json:
    """Runs as one section, for a table's cell."""
    return {"type": "rich_text_section", "elements": inline(runs)}


def inline(runs: Iterable[Run]) -> list[Json]:
    """Runs as elements, neighbours in one style joined."""
    drawn: list[Json] = []
    for style, group in groupby(runs, key=lambda run: run[1]):
        text = "".join(part for part, _ in group)
        if text:
            drawn.append(_piece(text, style))
    return drawn


def _piece(text: str, style: Style) -> Json:
    piece: Json = {"type": "text", "text": text}
    if style.unix_s is not None and 0 < style.unix_s <= _LATEST:
        fallback = text if len(text) <= _MAX_FALLBACK else "then"
        piece = {"type": "date", "timestamp": style.unix_s, "format": DATE_FORMAT, "fallback": fallback}
    elif style.link is not None:
        piece = {"type": "link", "url": style.link, "text": text}
    names = {name: True for name in ("bold", "italic", "strike", "code") if getattr(style, name)}
    return {**piece, "style": names} if names else piece


def _groups(lines: Iterable[Line]) -> list[tuple[str, list[Line]]]:
    """Lines that make one element: a section, a list of one depth, a quote, a code block."""
    groups: list[tuple[str, list[Line]]] = []
    for item in lines:
        kind, before = _kind(item), groups[-1] if groups else None
        if before is not None and before[0] == "bullets" and item.frame == before[1][-1].frame and not item.lead:
            before[1].append(item)
        elif (
            before is None
            or before[0] != kind
            or (kind == "bullets" and item.frame != before[1][-1].frame)
            or (kind == "pre" and (item.gap or item.frame != before[1][-1].frame))
        ):
            groups.append((kind, [item]))
        else:
            before[1].append(item)
    return groups


def _kind(item: Line) -> str:
    if item.frame.kind in ("pre", "quote"):
        return item.frame.kind
    return "bullets" if item.frame.kind == "item" and item.lead == "-" else "section"


def _element(kind: str, lines: list[Line]) -> Json | None:
    if kind == "pre":
        text = "\n".join(item.text for item in lines)
        drawn: Json = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": text or " "}]}
        return {**drawn, "language": lines[0].frame.language} if lines[0].frame.language else drawn
    if kind == "bullets":
        return {
            "type": "rich_text_list",
            "style": "bullet",
            "indent": lines[0].frame.level,
            "elements": [{"type": "rich_text_section", "elements": inline(_joined(item))} for item in _items(lines)],
        }
    elements = inline(_joined(lines))
    if not "".join(each.get("text") or each.get("fallback", "") for each in elements).strip():
        return None
    return {"type": "rich_text_quote" if kind == "quote" else "rich_text_section", "elements": elements}


def _items(lines: Iterable[Line]) -> list[list[Line]]:
    items: list[list[Line]] = []
    for item in lines:
        if item.lead or not items:
            items.append([])
        items[-1].append(item)
    return items


def _joined(lines: Sequence[Line]) -> list[Run]:
    """The runs of lines with line ends between them; paragraphs are an empty line apart."""
    runs: list[Run] = []
    before: Line | None = None
    for item in lines:
        if before is not None:
            apart = item.gap and item.frame.kind in ("text", "heading", "quote") and before.frame.kind != "heading"
            runs.append(("\n\n" if apart or _left_list(item, before) else "\n", PLAIN))
        runs += _shown(item)
        before = item
    return runs


def _left_list(item: Line, before: Line) -> bool:
    return before.frame.kind == "item" and item.frame == TEXT and item.gap


def _shown(item: Line) -> list[Run]:
    """A line's runs with what its frame adds: bold in headings, numbers as they are (Slack would count anew)."""
    if item.frame.kind == "heading":
        return [(text, style if style.code else style._replace(bold=True)) for text, style in item.runs]
    if item.frame.kind == "item" and item.lead != "-":
        indent = _INDENT * item.frame.level
        return [(f"{indent}{item.lead} " if item.lead else f"{indent}{_INDENT}", PLAIN), *item.runs]
    return list(item.runs) or [("", PLAIN)]
