"""Edits as diffs: what a text was and what it becomes, line by line."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

_MOST_PAIRS = 250_000
"""Lines before times lines after up to which a diff is computed; beyond, all old lines go and all new ones come."""


def diff_lines(before: str, after: str, context: int | None = 3) -> list[str]:
    """The lines of a diff, each with ``-``, ``+`` or a space before it.

    ``context`` is the number of unchanged lines kept around a change, with ``…`` for those left out; None keeps all,
    so that every character of both texts is in the diff (approvals). Lines end at ``\\n`` only.
    """
    old = before.split("\n") if before else []
    new = after.split("\n") if after else []
    marked = list(_marked(old, new))
    if context is None:
        return marked
    changed = [at for at, line in enumerate(marked) if line[0] != " "]
    near = {at + step for at in changed for step in range(-context, context + 1)}
    lines: list[str] = []
    for at, line in enumerate(marked):
        if at in near:
            lines.append(line)
        elif not lines or lines[-1] != "…":
            lines.append("…")
    return lines


def _marked(old: list[str], new: list[str]) -> Iterator[str]:
    if len(old) * len(new) > _MOST_PAIRS:
        yield from ("-" + line for line in old)
        yield from ("+" + line for line in new)
        return
    for tag, old_from, old_to, new_from, new_to in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            yield from (" " + line for line in old[old_from:old_to])
        else:
            yield from ("-" + line for line in old[old_from:old_to])
            yield from ("+" + line for line in new[new_from:new_to])
