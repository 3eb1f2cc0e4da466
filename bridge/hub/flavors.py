"""What the kinds of agent (flavors) allow: permission modes, and what "Allow for session" grants. Pure tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Mode:
    """A permission mode: what the hub calls it, what a person reads, how careful they should be."""

    mode: str
    label: str
    tone: Literal["neutral", "info", "warning", "danger"]


@dataclass(frozen=True, slots=True)
class Grant:
    """What "Allow for session" would grant: its exact scope in words, and the keyword arguments for ``HubApi.approve``
    (``decision``, ``allow_tools`` or ``mode``)."""

    scope_words: str
    approve: Mapping[str, Any]


def session_grant(flavor: str | None, tool: str, arguments: Any) -> Grant | None:
    """The grant to offer beside Allow, or ``None`` if none can be named exactly."""
    raise NotImplementedError


def is_question(tool: str) -> bool:
    """The agent asks the person something (AskUserQuestion, request_user_input)."""
    raise NotImplementedError


def is_plan(tool: str) -> bool:
    """The agent shows a plan and asks to leave plan mode."""
    raise NotImplementedError
