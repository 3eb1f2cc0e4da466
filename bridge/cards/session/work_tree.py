"""What a session's directory holds: what git says has changed, a file's diff, a file, what was found. For a phone."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bridge.cards.model import Act, Button, Card, Code, File, Line, Span, Text, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.text import reveal
from bridge.cards.words import brief, size
from bridge.language import tr, trn

PAGE: Final = 6
"""Files on one card: as many rows of buttons as a thumb reaches."""
_PATH: Final = 90
_LABEL: Final = 40
_FILE_NAME: Final = 180
_LANGUAGES: Final = {
    "py": "python", "js": "javascript", "ts": "typescript", "tsx": "tsx", "rs": "rust", "go": "go", "sh": "bash",
    "json": "json", "toml": "toml", "yml": "yaml", "yaml": "yaml", "html": "html", "css": "css", "sql": "sql",
    "java": "java", "c": "c", "h": "c", "cpp": "cpp", "rb": "ruby", "php": "php", "kt": "kotlin", "swift": "swift",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """A changed file: what git calls the change, in the index and beside it (``M``, ``A``, ``D``, ``R``, ``?``)."""

    path: str
    staged: str = ""
    unstaged: str = ""
    added: int | None = None
    removed: int | None = None
    """Lines, where git counts them."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The state of a working tree. ``ahead`` and ``behind``: commits, against the branch it follows."""

    branch: str
    changes: tuple[Change, ...] = ()
    ahead: int = 0
    behind: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A file or directory. ``size`` in bytes."""

    path: str
    size: int | None = None
    is_directory: bool = False


def present_tree(tree: Tree, session: str, page: int = 0) -> Card:
    """What has changed, a button for each file's diff (act ``work_diff``), Older and Newer by ``work_tree``."""
    head = [Span(text=tr("On {branch}", branch=tree.branch), bold=True)]
    apart = [f"↑{tree.ahead}"] * bool(tree.ahead) + [f"↓{tree.behind}"] * bool(tree.behind)
    words = trn("{n} file changed", "{n} files changed", len(tree.changes)) if tree.changes else tr("nothing changed")
    head.append(Span(text=" · ".join(["", *apart, words])))
    shown = tree.changes[page * PAGE : (page + 1) * PAGE]
    lines: list[Line] = [tuple(head), *(_change_line(each) for each in shown)]
    rows = [(Button(label=_name(each.path), act=_diff_act(each, session)),) for each in shown]
    turns = _turns(len(tree.changes), page, "work_tree", session, {})
    return note_card(*lines, buttons=(*rows, *turns))


def present_file_diff(path: str, diff: str, session: str, *, staged: bool = False) -> Card:
    """One file's diff as git wrote it, without the lines that only git reads; all of it as a file if it is long."""
    body = _hunks(diff)
    if not body:
        return note_card(_code(path), plain(tr("No difference here: nothing changed, or git does not follow it.")))
    where = tr("staged") if staged else tr("not staged")
    row = (Button(label=tr("Whole file"), act=Act(do="work_file", session=session, data={"path": path})),)
    pieces = (
        Text(lines=((Span(text=brief(path, _PATH), code=True), Span(text=f" · {where}")),)),
        Code(source=body, language="diff", spill=f"{_file_name(path)}.diff"),
    )
    return Card(pieces=pieces, buttons=(row,), summary=path, one_message=True)


def present_text_file(path: str, text: str, bytes_: int) -> Card:
    """A text file: its beginning, and all of it to download."""
    name = posixpath.basename(path) or "file"
    language = _LANGUAGES.get(name.rsplit(".", 1)[-1].lower(), "") if "." in name else ""
    pieces = (
        Text(lines=((Span(text=brief(path, _PATH), code=True), Span(text=f" · {size(bytes_)}")),)),
        Code(source=text, language=language, spill=_file_name(path)),
    )
    return Card(pieces=pieces, summary=path, one_message=True)


def present_other_file(path: str, bytes_: int, media_type: str, source: str) -> Card:
    """A file that is no text, to download. ``source``: where the store keeps its bytes."""
    name, line = _file_name(path), (Span(text=brief(path, _PATH), code=True), Span(text=f" · {size(bytes_)}"))
    return Card(
        pieces=(Text(lines=(line,)),),
        files=(File(name=name, media_type=media_type, source=source),),
        summary=path,
        captioned=True,
    )


def present_found(words: str, found: Sequence[Found], session: str, page: int = 0) -> Card:
    """Files by name, or what a directory holds: act ``work_file`` or, for a directory, ``work_find`` in it."""
    if not found:
        return note_card(plain(tr("No file is called like “{words}”.", words=brief(words, 60))))
    shown = found[page * PAGE : (page + 1) * PAGE]
    lines: list[Line] = [(Span(text=trn("{n} file", "{n} files", len(found)), bold=True),)]
    rows = []
    for each in shown:
        told = "" if each.size is None or each.is_directory else f" · {size(each.size)}"
        slash = "/" if each.is_directory else ""
        lines.append((Span(text=brief(each.path, _PATH) + slash, code=True), Span(text=told)))
        act = Act(do="work_list" if each.is_directory else "work_file", session=session, data={"path": each.path})
        rows.append((Button(label=_name(each.path) + slash, act=act),))
    turns = _turns(len(found), page, "work_find", session, {"words": words})
    return note_card(*lines, buttons=(*rows, *turns))


def read_status(porcelain: str) -> Tree:
    """``git status --porcelain=v2 --branch`` as a tree. Lines of other forms are left out."""
    branch, ahead, behind, changes = "", 0, 0, []
    for line in porcelain.split("\n"):
        match line.split(" ", 2):
            case ["#", "branch.head", name]:
                branch = name
            case ["#", "branch.ab", counts]:
                ahead, behind = _ahead_behind(counts)
            case ["1", marks, rest] if len(rest.split(" ", 6)) == 7:
                changes.append(_change(marks, rest.split(" ", 6)[6]))
            case ["2", marks, rest] if len(rest.split(" ", 7)) == 8:
                changes.append(_change(marks, rest.split(" ", 7)[7].split("\t")[0]))
            case ["u", _, rest] if len(rest.split(" ", 8)) == 9:
                changes.append(Change(_unquoted(rest.split(" ", 8)[8]), "U", "U"))
            case ["?", *path]:
                changes.append(Change(_unquoted(" ".join(path)), "", "?"))
    return Tree(branch, tuple(changes), ahead, behind)


def read_numstat(text: str) -> dict[str, tuple[int, int]]:
    """``git diff --numstat``: lines added and removed by path. Binary files, which have no lines, are left out."""
    found = {}
    for line in text.split("\n"):
        added, _, rest = line.partition("\t")
        removed, _, path = rest.partition("\t")
        if path and added.isdecimal() and removed.isdecimal():
            found[_unquoted(path)] = (int(added), int(removed))
    return found


def _change(marks: str, path: str) -> Change:
    staged, unstaged = (mark.replace(".", "") for mark in (marks[:1], marks[1:2]))
    return Change(_unquoted(path), staged, unstaged)


def _ahead_behind(words: str) -> tuple[int, int]:
    ahead, _, behind = words.partition(" ")
    return (int(ahead[1:]) if ahead[1:].isdecimal() else 0, int(behind[1:]) if behind[1:].isdecimal() else 0)


def _unquoted(path: str) -> str:
    """A path as it is: git writes unusual ones in quotes, with C escapes for bytes."""
    if not (path.startswith('"') and path.endswith('"') and len(path) > 1):
        return path
    raw = path[1:-1].encode("utf-8").decode("unicode_escape", "replace")
    return raw.encode("latin-1", "replace").decode("utf-8", "replace")


def _hunks(diff: str) -> str:
    """From the first hunk on; the header before it says only what the card's title does. Binary files have none."""
    lines = diff.split("\n")
    start = next((at for at, line in enumerate(lines) if line.startswith("@@")), None)
    if start is None:
        telling = ("Binary", "rename", "old mode", "new mode", "similarity")
        return "\n".join(line for line in lines if line.startswith(telling))
    return "\n".join(lines[start:]).rstrip("\n")


def _change_line(each: Change) -> Line:
    marks = each.staged + each.unstaged if each.staged != each.unstaged else each.staged
    counts = f" +{each.added} −{each.removed}" if each.added is not None and each.removed is not None else ""
    return (Span(text=f"{marks or '·'} "), Span(text=brief(each.path, _PATH), code=True), Span(text=counts))


def _diff_act(each: Change, session: str) -> Act:
    if each.unstaged == "?":
        return Act(do="work_file", session=session, data={"path": each.path})
    staged = bool(each.staged) and not each.unstaged
    return Act(do="work_diff", session=session, data={"path": each.path, "staged": staged})


def _turns(count: int, page: int, do: str, session: str, data: dict[str, str]) -> tuple[tuple[Button, ...], ...]:
    row = []
    if page > 0:
        row.append(Button(label=tr("‹ Back"), act=Act(do=do, session=session, data={**data, "page": page - 1})))
    if (page + 1) * PAGE < count:
        row.append(Button(label=tr("More ›"), act=Act(do=do, session=session, data={**data, "page": page + 1})))
    return (tuple(row),) if row else ()


def _name(path: str) -> str:
    """The end of a path, which tells files apart better than its beginning."""
    return path if len(path) <= _LABEL else f"…{path[-_LABEL:]}"


def _file_name(path: str) -> str:
    """What a file is downloaded as: in one line, and with nothing in it that turns its ending around."""
    return brief(reveal(posixpath.basename(path)), _FILE_NAME) or "file"


def _code(path: str) -> Line:
    return (Span(text=brief(path, _PATH), code=True),)
