"""What became of a request, and what its buttons were called, for who presses once its card is over."""

from __future__ import annotations

from bridge.cards.model import Act
from bridge.cards.request.approval import is_plan, plan_words
from bridge.cards.request.decision import RequestState, StateWords, state_words
from bridge.cards.request.question import is_question, question_words
from bridge.language import tr


def words_of(tool: str, state: RequestState) -> StateWords:
    """A state as the card of such a request says it: a plan is approved, a question answered."""
    if is_plan(tool):
        return plan_words(state)
    return question_words(state) if is_question(tool) else state_words(state)


def label_of(act: Act, tool: str = "") -> str:
    """What a button was called, as far as its act tells: the card that had it may be gone. Never an act's own name."""
    planning, question = is_plan(tool), is_question(tool)
    match act.do, act.choice:
        case ("decide" | "sure", "allow"):
            return tr("Approve") if planning else tr("Allow")
        case ("decide" | "sure", "allow_session" | "allow_tools"):
            return tr("Allow for session")
        case ("decide" | "sure", "allow_mode"):
            return tr("Approve, and switch the mode") if planning else tr("Allow, and switch the mode")
        case ("decide", "deny"):
            return tr("Keep planning") if planning else tr("Skip") if question else tr("Deny")
        case ("decide", "abort"):
            return tr("Stop the turn")
        case ("deny_because", _):
            return tr("Keep planning…") if planning else tr("Deny…")
        case ("unsure", _):
            return tr("Not now")
        case ("pick", _):
            return tr("an answer")
        case ("submit", _):
            return tr("Submit")
        case ("back", _):
            return tr("Back")
        case ("other", _):
            return tr("Other…")
        case ("stop" | "halt", _):
            return tr("Stop")
        case _:
            return tr("a button")
