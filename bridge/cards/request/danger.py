"""What makes a request look dangerous, said as the effect it would have. Pure, total, and linear in the command.

A help for tired eyes, no judgement: it knows a few well-known ways to do lasting harm, and what it does not name may be
harmful all the same. Nothing is allowed or refused by it; where it speaks, the card says so, Allow asks once more, and
no wider grant is offered. Which rules hold is the configuration's (:mod:`.danger_rules`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from bridge.cards.request.danger_rules import DangerRules
from bridge.cards.turn.tool_names import command_line, patched_files, shown_name
from bridge.language import tr

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
_LAST_IS_TARGET: Final = frozenset(("cp", "ln", "install", "rsync"))
_TARGETS: Final = _LAST_IS_TARGET | frozenset(
    ("rm", "rmdir", "mv", "tee", "touch", "mkdir", "chmod", "chown", "truncate", "shred", "unlink")
)
"""Commands that write to the paths after them, or to the last one."""
_REDIRECTED: Final = re.compile(r">{1,2}\|?\s*((?:/|~|\.\./)[^\s\"']*)")
_HARMLESS: Final = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/dev/tty", "/tmp/", "/var/tmp/")
ALL_RULES: Final = DangerRules()
_PATHS: Final = ("file_path", "path", "target_file", "notebook_path", "absolute_path", "filename", "filePath")


MOST_READ: Final = 100_000
"""Characters of a command that are looked through; a longer one is marked for that alone."""
Effect = tuple[str, str]
"""The rule's name (``danger_rules.BUILT_IN``), and what would happen, in words that stand alone."""


def danger(tool: str, arguments: Any, directory: str = "", rules: DangerRules = ALL_RULES) -> str:
    """The effect that makes a request dangerous, in words that stand alone; empty if nothing is known to.

    ``directory``: the session's own. Own rules come first: who wrote them knows better.
    """
    if own := rules.own_effect(tool, arguments):
        return own
    return next((effect for rule, effect in _effects(tool, arguments, directory) if rule not in rules.off), "")


def _effects(tool: str, arguments: Any, directory: str) -> Iterator[Effect]:
    name = shown_name(tool)
    if name == "Bash":
        keys = ("command", "cmd", "script")
        values = [arguments.get(key) for key in keys] if isinstance(arguments, dict) else [arguments]
        for line in [line for value in values if (line := command_line(value))]:
            yield from _of_line(line[:MOST_READ], directory)
            if len(line) > MOST_READ:
                yield "long", tr("Is too long to be looked through")
    if name in _WRITERS and any(_is_outside(path, directory) for path in _written(arguments)):
        yield "outside", tr("Writes outside of the session's directory")


def _of_line(line: str, directory: str) -> Iterator[Effect]:
    as_admin = outside = False
    loads, before = False, ""
    pieces = ["", *_SPLIT.split(line.replace("\\\n", " "))]
    for joint, segment in zip(pieces[::2], pieces[1::2], strict=False):
        admin, words = _command(segment)
        name = posixpath.basename(words[0]) if words else ""
        shell = name in _SHELLS
        if (joint == "|" and loads and shell) or (
            joint in ("$(", "<(", "`") and name in _LOADERS and before in _SHELLS | {"eval", "source", "."}
        ):
            yield "network-pipe", tr("Runs what the network sends")
        loads = name in _LOADERS or (joint == "|" and loads)
        before = name or before
        if effect := _effect(name, words[1:]):
            yield effect
        as_admin = as_admin or admin
        outside = outside or any(_is_outside(path, directory) for path in _written_by(name, words[1:], segment))
    if _DISK.search(line):
        yield "disk", tr("Overwrites a disk")
    if _SQL.search(line):
        yield "database", tr("Deletes data in a database")
    if outside:
        yield "outside", tr("Writes outside of the session's directory")
    if as_admin:
        yield "administrator", tr("Runs as administrator (sudo)")


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


def _effect(name: str, arguments: Sequence[str]) -> Effect | None:
    short = "".join(word[1:] for word in arguments if word.startswith("-") and not word.startswith("--"))
    has = frozenset(arguments)
    forced = "f" in short or "--force" in has
    if name == "rm" and forced and ("r" in short.lower() or "--recursive" in has):
        return "delete", tr("Deletes for good (rm -rf)")
    if name == "find" and "-delete" in has:
        return "delete", tr("Deletes every file it finds (find -delete)")
    if name == "git":
        if "push" in has and (
            "f" in short
            or any(word.startswith(("--force", "--mirror")) or (word[0] == "+" and word[1:]) for word in arguments)
        ):
            return "force-push", tr("Overwrites history on the server (force push)")
        if "reset" in has and "--hard" in has:
            return "discard", tr("Throws uncommitted work away (git reset --hard)")
        if "clean" in has and forced:
            return "discard", tr("Deletes untracked files (git clean)")
    if name in _OFF:
        return "power", tr("Switches the computer off")
    if name in _DISKS or name.startswith("mkfs"):
        return "disk", tr("Overwrites a disk")
    if name == "chmod" and has & {"777", "0777", "a+rwx"}:
        return "open-files", tr("Opens files to everybody (chmod 777)")
    return None


def _written_by(name: str, arguments: Sequence[str], segment: str) -> Iterator[str]:
    """The paths that a command of a line writes to, as far as they can be read off: no variables, no quotes' inside."""
    yield from (path for path in _REDIRECTED.findall(segment) if not path.startswith(_HARMLESS))
    if name not in _TARGETS:
        return
    paths = [word for word in arguments if word.startswith(("/", "~", "../")) and not word.startswith(_HARMLESS)]
    if name not in _LAST_IS_TARGET:
        yield from paths
    elif paths and arguments[-1] == paths[-1]:
        yield paths[-1]


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
