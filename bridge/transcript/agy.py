"""agy (Antigravity) in the `output` family: prose and tool actions with agy's own wrapping taken off."""

from __future__ import annotations

import re
from typing import Any

from bridge.transcript.blocks import Origin
from bridge.transcript.parts import CallPart, Entry, Part, ResultPart, TextPart
from bridge.transcript.values import record, text, text_or, trimmed, trimmed_end

_TASK_LOG = re.compile(r"^Inside the (task-\d+) log\b")
_TASK_ECHO = re.compile(r"(?:^|\n)\[Message\] timestamp=.*\Z", re.DOTALL)
_TIMES = re.compile(r"^(?:Created At: [^\n]*(?:\n|$))?(?:Completed At: [^\n]*(?:\n|$))?")
_CREATED = re.compile(r"^Created At: [^\n]*(?:\n|$)")
_GUIDANCE = re.compile(r"\n(?:Guidance:|Retries remaining:).*\Z", re.DOTALL)
_FILE_HEAD = re.compile(
    r"^File Path: [^\n]*\n(?:Total Lines: [^\n]*\n)?(?:Total Bytes: [^\n]*\n)?(?:Showing lines [^\n]*\n)?"
)
_FILE_TAIL = re.compile(r"The above content (?:shows|does NOT show) the entire, complete file contents")

_TOOLS = {
    "run_command": ("Bash", {"CommandLine": "command", "Cwd": "cwd"}),
    "view_file": ("Read", {"AbsolutePath": "file_path", "StartLine": "offset", "EndLine": "limit"}),
    "write_to_file": ("Write", {"TargetFile": "file_path", "CodeContent": "content"}),
    "replace_file_content": (
        "Edit",
        {"TargetFile": "file_path", "TargetContent": "old_string", "ReplacementContent": "new_string"},
    ),
    "grep_search": ("Grep", {"Query": "pattern", "SearchPath": "path"}),
    "list_dir": ("LS", {"DirectoryPath": "path", "AbsolutePath": "path"}),
}
_GENERIC = {
    "CommandLine": "command",
    "Cwd": "cwd",
    "AbsolutePath": "file_path",
    "TargetFile": "file_path",
    "Query": "query",
    "SearchPath": "path",
    "DirectoryPath": "path",
}


def decode_agy_message(data: dict[str, Any], origin: Origin) -> Entry | None:
    """Prose; a task's log becomes a chip. None where nothing of it is left to say."""
    words = text(data.get("content"))
    if words is None:
        return None
    log = _TASK_LOG.match(words)
    if log is not None:
        call = f"{origin.message_id}:tasklog"
        parts: list[Part] = [CallPart(call, "AgyTaskLog", {"task": log.group(1)}), ResultPart(call, "")]
        return Entry(origin, "agent", parts)
    prose = trimmed(_TASK_ECHO.sub("", words))
    return Entry(origin, "agent", [TextPart(prose, model=text(data.get("model")))]) if prose else None


def decode_agy_action(data: dict[str, Any], origin: Origin) -> Entry | None:
    """A tool action, which is always over when it is told: a call and its result under one id."""
    call = text_or(data.get("toolUseId"), origin.message_id)
    step, words = text_or(data.get("name"), ""), text_or(data.get("content"), "")
    if step == "SYSTEM_MESSAGE":
        return _pair(origin, CallPart(call, "AgyAsyncTask"), words)
    if step == "ERROR_MESSAGE":
        return _pair(origin, CallPart(call, "AgyError"), _GUIDANCE.sub("", _CREATED.sub("", words)), error=True)
    tool = text(data.get("toolName"))
    name, keys = _TOOLS.get(tool or "", (_spoken(tool or step), _GENERIC))
    words = _TIMES.sub("", words)
    if step == "VIEW_FILE" or name == "Read":
        words = _without_file_tail(_FILE_HEAD.sub("", words))
    given = record(data.get("input")) or {}
    return _pair(origin, CallPart(call, name, {keys[k]: v for k, v in given.items() if k in keys}), words)


def _pair(origin: Origin, call: CallPart, result: str, *, error: bool = False) -> Entry:
    return Entry(origin, "agent", [call, ResultPart(call.id, result, error)])


def _without_file_tail(words: str) -> str:
    """A file's text without agy's last line about it. By hand: a pattern that ends in any space costs its square."""
    line = words.rfind("\n", 0, len(trimmed_end(words))) + 1
    tail = _FILE_TAIL.search(words, line)
    if tail is None:
        return words
    return words[: max(line - 1, 0) if tail.start() == line else tail.start()]


def _spoken(name: str) -> str:
    words = trimmed(name.replace("_", " ")).lower()
    return words[:1].upper() + words[1:]
