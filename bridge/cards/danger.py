"""What makes a request look dangerous, said as the effect it would have. Pure, total, and linear in the command.

A help for tired eyes, no judgement: it knows a few well-known ways to do lasting harm, and what it does not name may be
harmful all the same. Nothing is allowed or refused by it; where it speaks, the card says so and Allow asks once more.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from bridge.cards.tool_names import command_line, patched_files, shown_name

REMOTE_CODE: Final = "runs what the network sends"
_SPLIT: Final = re.compile(r"(\$\(|<\(|\|\||&&|[;&|\n(){}`])")
_SHELLS: Final = frozenset(["sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node"])
_LOADERS: Final = frozenset(("curl", "wget", "fetch"))
_ADMIN: Final = frozenset(("sudo", "doas", "pkexec"))
_BEFORE: Final = _ADMIN | frozenset(
    ("then", "do", "else", "time", "nohup", "env", "command", "exec", "xargs", "nice", "!", "if", "while")
)
"""Words that may stand before the command proper."""
_OFF: Final = frozenset(("shutdown", "reboot", "halt", "poweroff"))
_DISKS: Final = frozenset(("wipefs", "fdisk", "parted"))
_DISK: Final = re.compile(r"(?:of=|>\s*)/dev/(?:sd|nvme|disk|vd|hd)")
_SQL: Final = re.compile(r"\b(?:drop\s+(?:database|table|schema)|truncate\s+table)\b", re.IGNORECASE)
_WRITERS: Final = frozenset({"Write", "Edit", "MultiEdit", "Patch"})
_PATHS: Final = ("file_path", "path", "target_file", "notebook_path", "absolute_path", "filename", "filePath")


def danger(tool: str, arguments: Any, directory: str = "") -> str:
    """The effect that makes a request dangerous, as what stands after "this"; empty if nothing is known to.

    ``directory``: the session's own.
    """
    name = shown_name(tool)
    if name == "Bash":
        keys = ("command", "cmd", "script")
        values = [arguments.get(key) for key in keys] if isinstance(arguments, dict) else [arguments]
        lines = [line for value in values if (line := command_line(value))]
        return next((effect for line in lines if (effect := _of_line(line))), "")
    if name in _WRITERS and any(_is_outside(path, directory) for path in _written(arguments)):
        return "writes outside of the session's directory"
    return ""


def _of_line(line: str) -> str:
    found: list[str] = []
    loads, before = False, ""
    pieces = ["", *_SPLIT.split(line.replace("\\\n", " "))]
    for joint, segment in zip(pieces[::2], pieces[1::2], strict=False):
        admin, words = _command(segment)
        name = posixpath.basename(words[0]) if words else ""
        shell = name in _SHELLS
        if (joint == "|" and loads and shell) or (
            joint in ("$(", "<(", "`") and name in _LOADERS and before in _SHELLS | {"eval", "source", "."}
        ):
            return REMOTE_CODE
        loads = name in _LOADERS or (joint == "|" and loads)
        before = name or before
        if effect := _effect(name, words[1:]):
            return effect
        if admin:
            found.append("runs as administrator (sudo)")
    if _DISK.search(line):
        return "overwrites a disk"
    if _SQL.search(line):
        return "deletes data in a database"
    return found[0] if found else ""


def _command(segment: str) -> tuple[bool, list[str]]:
    """Whether a part of a line runs as administrator, and its words from the command's name on."""
    words = [bare for word in segment.split() if (bare := word.strip("\"'"))]
    admin, at = False, 0
    while at < len(words):
        word = posixpath.basename(words[at])
        if word in _BEFORE:
            admin = admin or word in _ADMIN
        elif word in _SHELLS and at + 1 < len(words) and words[at + 1] in ("-c", "-lc", "-ec") and at + 2 < len(words):
            at += 1
        elif not (at and words[at].startswith("-")) and not re.match(r"[A-Za-z_]\w*=", words[at]):
            break
        at += 1
    return admin, words[at:]


def _effect(name: str, arguments: Sequence[str]) -> str:
    short = "".join(word[1:] for word in arguments if word.startswith("-") and not word.startswith("--"))
    has = frozenset(arguments)
    forced = "f" in short or "--force" in has
    if name == "rm" and forced and ("r" in short.lower() or "--recursive" in has):
        return "deletes for good (rm -rf)"
    if name == "find" and "-delete" in has:
        return "deletes every file it finds (find -delete)"
    if name == "git":
        if "push" in has and (
            "f" in short
            or any(word.startswith(("--force", "--mirror")) or (word[0] == "+" and word[1:]) for word in arguments)
        ):
            return "overwrites history on the server (force push)"
        if "reset" in has and "--hard" in has:
            return "throws uncommitted work away (git reset --hard)"
        if "clean" in has and forced:
            return "deletes untracked files (git clean)"
    if name in _OFF:
        return "switches the computer off"
    if name in _DISKS or name.startswith("mkfs"):
        return "overwrites a disk"
    if name == "chmod" and has & {"777", "0777", "a+rwx"}:
        return "opens files to everybody (chmod 777)"
    return ""


def _written(arguments: Any) -> Iterator[str]:
    if isinstance(arguments, dict):
        yield from (arguments[key] for key in _PATHS if isinstance(arguments.get(key), str))
    yield from patched_files(arguments)


def _is_outside(path: str, directory: str) -> bool:
    """Whether a path leads out of a directory; where the directory is not known nothing is said."""
    if not directory.startswith("/"):
        return False
    root = posixpath.normpath(directory)
    whole = posixpath.normpath(posixpath.join(root, path))
    return path.startswith("~") or (root != "/" and whole != root and not whole.startswith(root + "/"))
