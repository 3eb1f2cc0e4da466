"""What a session waits for, in words: an approval, an answer or a plan's approval are asked for by requests alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from bridge.cards.turn.tool_names import shown_name
from bridge.language import tr, trn

Awaited = Literal["approval", "answer", "plan", "decisions"]
"""``decisions``: of more than one kind."""
_KINDS: Final[dict[str, Awaited]] = {"Question": "answer", "Plan": "plan"}


def awaited(tools: Sequence[str]) -> Awaited:
    """What is waited for where requests of these tools wait; there is at least one."""
    kinds = {_KINDS.get(shown_name(tool), "approval") for tool in tools}
    return kinds.pop() if len(kinds) == 1 else "decisions"


def answers_among(tools: Sequence[str]) -> int:
    """How many of the requests of these tools are questions."""
    return sum(awaited([tool]) == "answer" for tool in tools)


def waiting_words(kind: Awaited) -> str:
    """How a session stands that waits: ``waiting for an answer``."""
    match kind:
        case "answer":
            return tr("waiting for an answer")
        case "plan":
            return tr("waiting for approval of a plan")
        case "approval":
            return tr("waiting for approval")
        case "decisions":
            return tr("waiting for decisions")


def counted(waiting: int, answers: int) -> str:
    """``1 to decide``, ``1 to answer`` or both. ``waiting``: all requests; ``answers``: the questions among them."""
    told = [trn("{n} to decide", "{n} to decide", waiting - answers)] if waiting > answers else []
    told += [trn("{n} to answer", "{n} to answer", answers)] if answers else []
    return " · ".join(told)


def asked_words(tool: str) -> str:
    """What a request is about, in a word: a tool's name, or that it is a question or a plan."""
    match awaited([tool]):
        case "answer":
            return tr("Question")
        case "plan":
            return tr("Plan")
        case _:
            return shown_name(tool)
