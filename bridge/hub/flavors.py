"""What the kinds of agent (flavors) allow: permission modes, and what "Allow for session" grants. Pure tables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bridge.hub.patterns import command_pattern
from bridge.language import tr

Tone = Literal["neutral", "info", "warning", "danger"]


@dataclass(frozen=True, slots=True)
class Mode:
    """A permission mode: what the hub calls it, what a person reads, how careful they should be."""

    mode: str
    label: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Grant:
    """What "Allow for session" would grant: its exact scope in words (for the button or beside it), and the keyword
    arguments for ``HubApi.approve`` (``decision``, ``allow_tools`` or ``mode``)."""

    scope_words: str
    approve: Mapping[str, Any]


_DEFAULT = Mode("default", "Default", "neutral")
_PLAN = Mode("plan", "Plan Mode", "info")
_AUTO = Mode("auto", "Auto", "warning")
_BYPASS = Mode("bypassPermissions", "Yolo", "danger")
_YOLO = Mode("yolo", "Yolo", "danger")
_ASK = Mode("ask", "Ask Mode", "info")
_LIKE_CODEX = (_DEFAULT, Mode("read-only", "Read Only", "warning"), Mode("safe-yolo", "Safe Yolo", "warning"), _YOLO)

#: What ``POST …/permission-mode`` (and ``mode`` on approve) takes, by flavor, in the order HAPI shows them.
PERMISSION_MODES: Mapping[str, tuple[Mode, ...]] = {
    "claude": (_DEFAULT, Mode("acceptEdits", "Accept Edits", "warning"), _AUTO, _BYPASS, _PLAN),
    "codex": _LIKE_CODEX,
    "copilot": _LIKE_CODEX,
    "gemini": _LIKE_CODEX,
    "kimi": _LIKE_CODEX,
    "cursor": (
        _DEFAULT,
        _PLAN,
        _ASK,
        Mode("debug", "Debug Mode", "info"),
        Mode("autoReview", "Auto-review", "warning"),
        _YOLO,
    ),
    "grok": (_DEFAULT, _AUTO, _PLAN, _BYPASS),
    "opencode": (_DEFAULT, _PLAN, _YOLO),
    "agy": (Mode("request-review", "Request Review", "neutral"), Mode("always-proceed", "Always Proceed", "danger")),
    "dsh": (),
    "pi": (),
}

#: Codex's second switch, apart from permissions: (mode, label).
CODEX_COLLABORATION_MODES = (("default", "Default"), ("plan", "Plan"))

# The flavors whose CLI passes ``approved_for_session`` on to the agent. An unknown flavor is offered no such button.
_FOR_SESSION = {"codex", "copilot", "cursor", "dsh", "gemini", "grok", "kimi", "opencode"}

_CLAUDE_EDITS = {"Edit", "MultiEdit", "Write", "NotebookEdit"}
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.:/-]+")
_QUESTIONS = {"askuserquestion", "requestuserinput"}
_PLANS = {"exitplanmode"}


def permission_modes(flavor: str | None) -> tuple[Mode, ...]:
    """The modes of a flavor; none for a flavor this bridge does not know (``None`` is Claude, HAPI's first)."""
    return PERMISSION_MODES.get(flavor or "claude", ())


def mode_label(flavor: str | None, mode: str) -> str:
    """HAPI's label for a mode; of a session that names none, the label of its flavor's first; else the word itself."""
    modes = permission_modes(flavor)
    if not mode:
        return modes[0].label if modes else ""
    return next((one.label for one in modes if one.mode == mode), mode)


def switch_modes(flavor: str | None, current: str, *, planning: bool = False) -> tuple[Mode, ...]:
    """The modes that a request can be allowed into: all of the flavor's but the current one, and, for a plan that is
    approved, but those in which nothing is carried out."""
    modes = permission_modes(flavor)
    current = current or (modes[0].mode if modes and not planning else "")
    return tuple(one for one in modes if one.mode != current and not (planning and one in (_PLAN, _ASK)))


def mode_grant(flavor: str | None, mode: str) -> Mapping[str, Any] | None:
    """How to allow and switch to a mode: ``with``, the arguments for ``HubApi.approve``, and ``mode``, the mode to set
    by a call of its own afterwards, for flavors whose CLI switches by no answer. ``None`` if the flavor lacks it."""
    if all(one.mode != mode for one in permission_modes(flavor)):
        return None
    return {"with": {"mode": mode}} if flavor in ("claude", None) else {"with": {}, "mode": mode}


def tools_pattern(flavor: str | None, tool: str, arguments: Any) -> str | None:
    """A pattern for ``allowTools`` that is wider than the request; ``None`` where none can be named safely."""
    return command_pattern(tool, arguments) if flavor in ("claude", None) else None


def session_grant(flavor: str | None, tool: str, arguments: Any) -> Grant | None:
    """The grant to offer beside Allow, or ``None`` if none can be named exactly (invariant 10).

    Rules (hub contract, Permissions): Codex-like flavors take ``approved_for_session``. Claude takes ``allowTools``;
    for Bash the one exact command, unless it has several lines (would grant nothing) or ends in ``:*`` (would grant a
    prefix); its edit tools switch to accepting edits. Nothing for plans and questions.
    """
    if is_question(tool) or is_plan(tool):
        return None
    if flavor in _FOR_SESSION:
        words = tr(
            "requests like this one ({tool}), as {flavor} counts them, until this session ends",
            tool=tool,
            flavor=flavor,
        )
        return Grant(words, {"decision": "approved_for_session"})
    if flavor not in ("claude", None):
        return None
    if tool in _CLAUDE_EDITS:
        return Grant(tr("every file edit in this session (Accept Edits mode)"), {"mode": "acceptEdits"})
    if tool == "Bash":
        return _bash(arguments)
    if not _TOOL_NAME.fullmatch(tool):
        return None  # brackets or stars in a name would be read as a pattern
    words = tr("every use of {tool}, with any arguments, in this session", tool=tool)
    return Grant(words, {"allow_tools": [tool]})


def _bash(arguments: Any) -> Grant | None:
    command = arguments.get("command") if isinstance(arguments, dict) else None
    if not isinstance(command, str) or not command.strip():
        return None
    if len(command.splitlines()) > 1 or command.endswith("\n") or command.rstrip().endswith(":*"):
        return None
    return Grant(tr("exactly this command, in this session"), {"allow_tools": [f"Bash({command})"]})


def is_question(tool: str) -> bool:
    """The agent asks the person something (AskUserQuestion, ask_user_question, request_user_input)."""
    return _plain(tool) in _QUESTIONS


def is_plan(tool: str) -> bool:
    """The agent shows a plan and asks to leave plan mode (ExitPlanMode, exit_plan_mode)."""
    return _plain(tool) in _PLANS


def _plain(tool: str) -> str:
    return tool.replace("_", "").casefold()


STEERING = frozenset({"pi", "codex", "cursor"})
"""Flavors whose running turn can take a queued message in, as far as the hub says; it refuses where it can't."""


def steers(flavor: str | None) -> bool:
    """Whether it makes sense to offer *Steer*."""
    return flavor in STEERING
