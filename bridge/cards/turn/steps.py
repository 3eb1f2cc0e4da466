"""A turn's steps in one message: the newest best, older ones shorter, the oldest as a count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bridge.cards.model import File, Line, Markdown, Piece, Span, Text
from bridge.cards.text import utf16_len
from bridge.cards.turn.tools import MARKS, ToolLine
from bridge.cards.words import cut, one_line
from bridge.language import tr, trn

_SHORT: Final = 100
"""UTF-16 units of an older narration."""
_FULL: Final = 900
"""UTF-16 units of a newer one."""
_LINES_RUNNING: Final = 10
_LINES_ENDED: Final = 6
"""Tools shown as a line each while the turn runs, and afterwards. Each line costs a message two of its entities."""
_MOST_NAMES: Final = 5
_FENCE: Final = re.compile(r"^ {0,3}(```+|~~~+)", re.MULTILINE)
_MARKS: Final = re.compile(r"\*\*|__|`|^[#>\s*-]+")


@dataclass(frozen=True, slots=True)
class Narration:
    """What the agent said between tool calls: Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningNote:
    """What the agent thought: Markdown, folded away."""

    text: str


Step = ToolLine | Narration | ReasoningNote


@dataclass(frozen=True, slots=True)
class Shown:
    """The pieces, and whether any step is shortened in them or only counted."""

    pieces: tuple[Piece, ...]
    shortened: bool


def show_steps(steps: Sequence[Step], units: int, *, ended: bool) -> Shown:
    """Steps (oldest first) in at most about ``units`` UTF-16 units. Reasoning is left to the caller.

    Every entry from the newest back gets its shortest form as long as there is room, those beyond are counted
    together; then, from the newest back again, entries are shown more fully while room is left (a third of it is
    kept for that while the turn runs: what happens now matters most). Tools still running keep their line.
    """
    entries = _entries(steps)
    kept_free = 0 if ended else units // 3
    room = max(units - 2 * _SHORT - kept_free, 0)
    first = len(entries)
    while first and _least(entries[first - 1]) <= room:
        first -= 1
        room -= _least(entries[first])
    room += kept_free
    lines_left = _LINES_ENDED if ended else _LINES_RUNNING
    drawn: list[tuple[Piece, ...]] = []
    shortened = first > 0
    for entry in reversed(entries[first:]):
        if isinstance(entry, Narration):
            piece, whole, room = _narration(entry, room)
            drawn.append((piece,))
        else:
            lines, whole, room, lines_left = _run(entry, room, lines_left)
            drawn.append((Text(lines=lines),))
        shortened = shortened or not whole
    earlier = _earlier(entries[:first])
    pieces = [piece for group in reversed(drawn) for piece in group]
    return Shown((*((Text(lines=earlier),) if earlier else ()), *pieces), shortened)


def count_line(tools: Sequence[ToolLine], *, earlier: bool = True) -> Line:
    """``🟢 34 earlier: 20 Bash, 10 Read, 4 Edit · 🔴 2 failed``; without ``earlier``, ``🟢 34 tools: …``."""
    names = Counter(tool.name for tool in tools).most_common()
    kinds = [f"{count} {name}" for name, count in names[:_MOST_NAMES]]
    others = sum(count for _, count in names[_MOST_NAMES:])
    bad = sum(MARKS[tool.state] == "🔴" for tool in tools)
    at_work = sum(MARKS[tool.state] == "🟠" for tool in tools)
    mark = "🟠" if at_work else "🔴" if bad == len(tools) else "🟢"
    kinds += [trn("{n} other", "{n} other", others)] if others else []
    values = {"mark": mark, "n": len(tools), "tools": tr(", ").join(kinds)}
    parts = [tr("{mark} {n} earlier: {tools}", **values) if earlier else tr("{mark} {n} tools: {tools}", **values)]
    parts += [trn("🔴 {n} failed", "🔴 {n} failed", bad)] if bad else []
    return (Span(text=" · ".join(parts)),)


def whole_turn(title: str, steps: Iterable[Step]) -> File:
    """The file that keeps all of a turn: narration, tools and reasoning in order."""
    parts = [f"# {title}"]
    tools: list[str] = []
    for step in steps:
        if isinstance(step, ToolLine):
            tools.append("- " + "".join(f"`{span.text}`" if span.code else span.text for span in step.line))
            tools += [f"  {line}" for line in step.inside.splitlines()]
            continue
        if tools:
            parts.append("\n".join(tools))
            tools = []
        if step.text.strip():
            text = step.text.strip("\n")
            parts.append(text if isinstance(step, Narration) else "> " + text.replace("\n", "\n> "))
    if tools:
        parts.append("\n".join(tools))
    return File(name="turn.md", text="\n\n".join(parts) + "\n", media_type="text/markdown")


def excerpt(markdown: str, units: int) -> str:
    """The beginning of a Markdown text, cut at a line or a word where possible, with ``…``; fences stay closed."""
    if utf16_len(markdown) <= units:
        return markdown
    kept = cut(markdown, max(units - 6, 1)).removesuffix("…")
    for end in ("\n", " "):
        at = kept.rfind(end)
        if at > len(kept) * 2 // 3:
            kept = kept[:at]
            break
    fences = _FENCE.findall(kept)
    return kept.rstrip() + ("\n…\n" + fences[-1][:3] if len(fences) % 2 else " …")


_Run = list[ToolLine]
_Entry = Narration | _Run


def _entries(steps: Iterable[Step]) -> list[_Entry]:
    """Narration texts, and the runs of tools between them."""
    entries: list[_Entry] = []
    for step in steps:
        if isinstance(step, ToolLine):
            if entries and isinstance(entries[-1], list):
                entries[-1].append(step)
            else:
                entries.append([step])
        elif isinstance(step, Narration) and step.text.strip():
            entries.append(step)
    return entries


def _least(entry: _Entry) -> int:
    """Units of an entry's shortest form."""
    if isinstance(entry, Narration):
        return min(utf16_len(entry.text[:_SHORT]), _SHORT) + 2
    return min(_line_units(entry[0]), _SHORT) if len(entry) == 1 else utf16_len(count_line(entry)[0].text) + 2


def _narration(entry: Narration, room: int) -> tuple[Piece, bool, int]:
    """The text as fully as there is room; whether it is whole; the room that is left."""
    full = min(utf16_len(entry.text), _FULL)
    if full - _least(entry) <= room:
        source = excerpt(entry.text, _FULL)
        return Markdown(source=source, spill="turn.md"), source == entry.text, room - max(full - _least(entry), 0)
    words = " ".join(_MARKS.sub("", line) for line in entry.text[: _SHORT * 8].splitlines())
    return Text(lines=((Span(text=cut(one_line(words), _SHORT)),),)), False, room


def _run(tools: _Run, room: int, lines_left: int) -> tuple[tuple[Line, ...], bool, int, int]:
    """A run of tools: its newest as lines, as many as there is room for, the others counted; and what is left."""
    lines: list[Line] = []
    counted: _Run = []
    for at in range(len(tools) - 1, -1, -1):
        tool = tools[at]
        cost = _line_units(tool)
        at_work = MARKS[tool.state] == "🟠"
        if lines_left > 0 and (cost <= room or at_work) and (not counted or at_work):
            lines.append(tool.line)
            room -= cost
            lines_left -= 1
        else:
            counted.append(tool)
    lines.reverse()
    if not counted:
        return tuple(lines), True, room, lines_left
    if len(counted) == 1:
        only = counted[0]
        beside = f" · {only.note}" if only.background else ""
        short = (Span(text=f"{MARKS[only.state]} {only.name} {cut(only.argument, 60)}".rstrip() + beside),)
        return (short, *lines), False, room, lines_left
    return (count_line(counted, earlier=bool(lines)), *lines), False, room, lines_left


def _line_units(tool: ToolLine) -> int:
    return sum(utf16_len(span.text) for span in tool.line) + 1


def _earlier(entries: Sequence[_Entry]) -> tuple[Line, ...]:
    """What has no room at all, as counts."""
    tools = [tool for entry in entries if isinstance(entry, list) for tool in entry]
    texts = sum(isinstance(entry, Narration) for entry in entries)
    lines: list[Line] = [count_line(tools)] if tools else []
    if texts:
        lines.append((Span(text=trn("{n} earlier text", "{n} earlier texts", texts), italic=True),))
    return tuple(lines)
