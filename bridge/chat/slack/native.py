"""Lines as Markdown for a ``markdown`` block, and the proof that it says the same.

What we write is parsed again, by the parser that read the agent's text: only where the lines come out unchanged is
the Markdown used; everything else is drawn as rich text, which has no escapes to get wrong (invariants 2 and 6).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from bridge.chat.slack.lines import PLAIN, Line, Run, Style
from bridge.chat.slack.mrkdwn import JOINER, escape_in_markdown, exact_as_code

_URL = re.compile(r"https?://[^\s<>*`\[\]|\\]+")
_TICKS = re.compile("`+")
_ESCAPED = re.compile(r"[\\`]|(?<!\s)\*|\*(?!\s)|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~|\](?=[(\[:]|$)|!(?=\[|$)")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_START = re.compile(r"[#+-](?=\s|$|[-#])|[=|:~-]")
_MARKS = {"bold": "**", "italic": "*", "strike": "~~"}

Reader = Callable[[str], Iterable[Line]]


def markdown_or_none(lines: Sequence[Line], read: Reader) -> str | None:
    """The lines as Markdown, or ``None`` where Markdown can't be trusted to show exactly them.

    ``read`` is how a Markdown text becomes lines.
    """
    if not all(_exact(item) for item in lines):
        return None
    text = write(lines)
    return text if _seen(read(text)) == _seen(lines) else None


def _exact(item: Line) -> bool:
    if item.frame.kind == "pre":
        return exact_as_code(item.text)
    return all(
        style.unix_s is None and (not style.code or (exact_as_code(text) and style.link is None))
        for text, style in item.runs
    )


Seen = list[tuple[object, ...]]


def _seen(lines: Iterable[Line]) -> Seen:
    """What a reader sees of lines: frames, markers, text in its styles; blanks at the ends and empty lines aside."""
    seen: Seen = []
    for item in lines:
        if item.frame.kind == "pre":
            seen.append((item.frame, item.text))
            continue
        runs = _edged(item.runs)
        text = tuple(
            (style, "".join(part for part, _ in group).replace(JOINER, ""))
            for style, group in groupby(runs, key=lambda run: run[1])
        )
        plain = "".join(part for _, part in text)
        if plain.strip() or item.lead:
            trimmed = [(style, part) for style, part in text if part]
            if trimmed and not trimmed[0][0].code:
                trimmed[0] = (trimmed[0][0], trimmed[0][1].lstrip())
            if trimmed and not trimmed[-1][0].code:
                trimmed[-1] = (trimmed[-1][0], trimmed[-1][1].rstrip())
            seen.append((item.frame, item.lead, tuple(pair for pair in trimmed if pair[1])))
    return seen


def _edged(runs: Sequence[Run]) -> list[Run]:
    """Runs whose blanks at the ends have no emphasis but what goes on there: Markdown can't say more, none shows."""
    edged: list[Run] = []
    for index, (text, style) in enumerate(runs):
        core = text.strip()
        if style.code or not any(style[:3]) or core == text:
            edged.append((text, style))
            continue
        before = runs[index - 1][1] if index else PLAIN
        after = runs[index + 1][1] if index + 1 < len(runs) else PLAIN
        start = text.index(core[0]) if core else len(text)
        edged += [
            (text[:start], _common(style, before)),
            (core, style),
            (text[start + len(core) :], _common(style, after)),
        ]
    return [run for run in edged if run[0]]


def _common(style: Style, other: Style) -> Style:
    bold, italic, strike = style.bold and other.bold, style.italic and other.italic, style.strike and other.strike
    return Style(bold, italic, strike, link=style.link)


def write(lines: Sequence[Line]) -> str:
    """Markdown that says these lines; whether it does is for :func:`markdown_or_none` to prove."""
    out: list[str] = []
    offsets: list[int] = []
    before: Line | None = None
    index = 0
    while index < len(lines):
        item = lines[index]
        kind = item.frame.kind
        apart = before is None or before.frame.kind != kind or kind in ("heading", "rule", "pre")
        if before is not None:
            out.append("\n\n" if apart or (item.gap and kind in ("text", "item")) else "\n")
        if kind != "item":
            offsets.clear()
        if kind == "pre":
            end = index + 1
            while end < len(lines) and lines[end].frame == item.frame and not lines[end].gap:
                end += 1
            out.append(_fence([each.text for each in lines[index:end]], item.frame.language))
            before, index = lines[end - 1], end
            continue
        if kind == "rule":
            out.append("---")
        elif kind == "quote":
            if item.gap and not apart:
                out.append(">\n")
            out.append(f"> {_inline(item.runs)}".rstrip())
        elif kind == "heading":
            out.append("#" * item.frame.level + " " + _inline(item.runs))
        elif kind == "item":
            out.append(_item(item, offsets))
        else:
            out.append(_inline(item.runs))
        before = item
        index += 1
    return "".join(out)


def _item(item: Line, offsets: list[int]) -> str:
    level = item.frame.level
    if not item.lead:
        indent = offsets[level] if level < len(offsets) else 0
        return " " * indent + _inline(item.runs)
    del offsets[level:]
    indent = offsets[-1] if offsets else 0
    offsets.append(indent + len(item.lead) + 1)
    return f"{' ' * indent}{item.lead} {_inline(item.runs)}".rstrip()


def _fence(lines: Sequence[str], language: str) -> str:
    longest = max((len(ticks) for each in lines for ticks in _TICKS.findall(each)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])


def _inline(runs: Sequence[Run]) -> str:
    out: list[str] = []
    for link, group in groupby(_edged(runs), key=lambda run: run[1].link):
        words = _styled(list(group), at_start=not out)
        out.append(f"[{words}]({link})" if link else words)
    return "".join(out).strip()


def _styled(runs: Sequence[Run], *, at_start: bool) -> str:
    out: list[str] = []
    opened: list[str] = []
    for text, style in runs:
        wanted = [name for name in _MARKS if getattr(style, name)]
        keep = 0
        while keep < len(opened) and opened[keep] in wanted:
            keep += 1
        out += [_MARKS[name] for name in reversed(opened[keep:])]
        del opened[keep:]
        for name in wanted:
            if name not in opened:
                opened.append(name)
                out.append(_MARKS[name])
        out.append(_code(text) if style.code else _words(text, at_start=at_start and not out))
    out += [_MARKS[name] for name in reversed(opened)]
    return "".join(out)


def _code(text: str) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" or (text[:1] == text[-1:] == " " and text.strip()) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _words(text: str, *, at_start: bool) -> str:
    """Plain words. Only what Markdown would read as a mark is escaped; addresses stay as they are, so that Slack
    finds them."""
    out, at = [], 0
    for match in _URL.finditer(text):
        out += [_ESCAPED.sub(r"\\\g<0>", text[at : match.start()]), match.group()]
        at = match.end()
    out.append(_ESCAPED.sub(r"\\\g<0>", text[at:]))
    words = "".join(out)
    if at_start:
        words = words.lstrip()
        words = _NUMBERED.sub(r"\1\\\2", words, count=1) if _NUMBERED.match(words) else words
        words = f"\\{words}" if _START.match(words) else words
    return escape_in_markdown(words)
