"""Rows between messages: limits, recaps, errors, compaction, goals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bridge.cards.layout import lay_out
from bridge.cards.model import Card, Code, Fold, Line, Markdown, Piece, Span, Text, plain
from bridge.cards.words import LEVELS, Level, amount, brief, cut, moment, number, one_line, percent
from bridge.transcript.blocks import AgentEvent

_ONE_LINE: Final = 300


@dataclass(frozen=True, slots=True)
class Notice:
    """A small card beside the answers. Notices never ring: a turn, an approval and a question do."""

    card: Card
    min_level: Level = "normal"
    """The least level of a conversation that is shown it."""
    ring: bool = False

    def shown_at(self, level: Level) -> bool:
        """Whether a conversation of this level sees it."""
        return LEVELS.index(level) >= LEVELS.index(self.min_level)


def present_event(block: AgentEvent) -> Notice | None:
    """The notice of an event, None where nothing is to be said. Total for any event; unknown ones are one dull line."""
    event = block.event if isinstance(block.event, dict) else {}
    kind = event.get("type")
    kind = kind if isinstance(kind, str) else ""
    if kind in _SILENT:
        return None
    if block.ended is not None and (words := brief(event.get("message"), _ONE_LINE)):
        return notice(plain(f"{'🔴' if block.ended.failed else '🟢'} {words}"))
    present = _EVENTS.get(kind, _unknown)
    return present(event)


def present_turn_end(outcome: str, reason: str = "") -> Card:
    """A word at the end of a turn that has none of its own; ``outcome`` as the activity post's state."""
    words = _TURN_ENDS.get(outcome, "🟢 Done")
    why = brief(reason, _ONE_LINE)
    return notice((Span(text=words, bold=True), Span(text=f": {why}" if why else "."))).card


def notice(*lines: Line, min_level: Level = "normal", more: tuple[Piece, ...] = ()) -> Notice:
    """A notice of a few lines, and pieces under them."""
    summary = one_line(" ".join(span.text for line in lines for span in line))
    card = Card(pieces=(Text(lines=lines), *more), summary=cut(summary, 120), one_message=True)
    return Notice(card, min_level)


def folded(text: Any, title: str, name: str) -> tuple[Piece, ...]:
    """Markdown folded under a title; nothing where there is no text."""
    if not isinstance(text, str) or not text.strip():
        return ()
    return (Fold(title=plain(title), pieces=(Markdown(source=text, spill=name),)),)


def _limit(event: dict[str, Any]) -> Notice:
    reached = event.get("type") == "limit-reached"
    kind = brief(event.get("limitType"), 40)
    limit = _LIMITS.get(kind) or kind.replace("_", " ")
    share = percent(event.get("utilization"))
    words = "Usage limit reached" if reached else f"{share} of the usage limit used" if share else "Usage limit near"
    line = [Span(text=f"{'🔴' if reached else '🟡'} {words}", bold=True)]
    if limit:
        line.append(Span(text=f" · {limit}"))
    ends = moment(event.get("endsAt"))
    if ends:
        line += [Span(text=" · resets "), ends]
    return notice(tuple(line), min_level="quiet")


def _recap(event: dict[str, Any]) -> Notice | None:
    text = event.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    if len(text) <= _ONE_LINE and "\n" not in text:
        return notice((Span(text="Recap: ", bold=True), Span(text=text)))
    return notice((Span(text="Recap", bold=True),), more=(Markdown(source=text, spill="recap.md"),))


def _error(event: dict[str, Any]) -> Notice:
    return trouble("Error", event.get("message", event.get("error")), "quiet")


def _api_error(event: dict[str, Any]) -> Notice:
    attempt, most = number(event.get("retryAttempt")), number(event.get("maxRetries"))
    which = f"attempt {amount(attempt)}" + (f" of {amount(most)}" if most is not None else "") if attempt else ""
    last = attempt is not None and most is not None and attempt >= most
    title = "The model's API failed" + (f", {which}" if which else "")
    return trouble(title, event.get("error"), "quiet" if last else "normal", "🔴" if last else "🟠")


def trouble(title: str, error: Any, level: Level = "quiet", mark: str = "🔴") -> Notice:
    """An error: its words in the line, details that don't fit there folded."""
    words = error if isinstance(error, str) else _message_of(error)
    short = brief(words, _ONE_LINE) if words else ""
    line = [Span(text=f"{mark} {title}", bold=True)]
    if short:
        line.append(Span(text=f": {short}"))
    more: tuple[Piece, ...] = ()
    if isinstance(error, str) and short != error.strip():
        more = (Fold(title=plain("Details"), pieces=(Code(source=error, spill="error.txt"),)),)
    elif isinstance(error, dict | list) and error:
        more = (
            Fold(title=plain("Details"), pieces=(Code(source=lay_out(error), language="json", spill="error.json"),)),
        )
    return notice(tuple(line), min_level=level, more=more)


def _message_of(error: Any) -> str:
    """The words in an error that is data."""
    for _ in range(4):
        if not isinstance(error, dict):
            break
        message = error.get("message")
        if isinstance(message, str) and message.strip():
            return message
        error = error.get("error")
    return error if isinstance(error, str) else ""


def _compact(event: dict[str, Any]) -> Notice:
    parts = ["Context compacted"]
    trigger = brief(event.get("trigger"), 30)
    if trigger:
        parts.append({"auto": "by itself", "manual": "on request"}.get(trigger, trigger))
    before, saved = amount(event.get("preTokens")), amount(event.get("tokensSaved"))
    if before:
        parts.append(f"{before} tokens before")
    if saved:
        parts.append(f"{saved} saved")
    return notice(plain(" · ".join(parts)))


def _compact_summary(event: dict[str, Any]) -> Notice:
    before, after = amount(event.get("tokensBefore")), amount(event.get("estimatedTokensAfter"))
    sizes = f" · {before} → {after} tokens" if before and after else f" · {before} tokens before" if before else ""
    return notice(plain(f"Context compacted{sizes}"), more=folded(event.get("summary"), "Summary", "summary.md"))


def _switch(event: dict[str, Any]) -> Notice:
    mode = event.get("mode")
    words = {
        "local": "Now steered from the terminal",
        "remote": "Now steered from here",
    }.get(mode if isinstance(mode, str) else "", f"Mode: {brief(mode, 40)}")
    return notice(plain(words))


def _message(event: dict[str, Any]) -> Notice | None:
    text = event.get("message")
    if not isinstance(text, str) or not text.strip():
        return None
    if len(text) <= _ONE_LINE:
        return notice(*(plain(line) for line in text.split("\n")))
    return notice(plain(brief(text, 120)), more=(Fold(pieces=(Text(lines=(plain(text),), spill="message.txt"),)),))


def _goal(event: dict[str, Any]) -> Notice:
    goal = event.get("goal")
    goal = goal if isinstance(goal, dict) else {}
    status = brief(goal.get("status"), 30)
    line = [Span(text="Goal"), Span(text=f" {_GOALS.get(status, status)}" if status else " set")]
    objective = brief(goal.get("objective"), _ONE_LINE)
    if objective:
        line.append(Span(text=f": {objective}"))
    used, budget = amount(goal.get("tokensUsed")), amount(goal.get("tokenBudget"))
    if used:
        line.append(Span(text=f" · {used}{f' of {budget}' if budget else ''} tokens"))
    return notice(tuple(line))


def _goal_cleared(event: dict[str, Any]) -> Notice:
    return notice(plain("Goal cleared"))


def _abort_restore(event: dict[str, Any]) -> Notice:
    text = event.get("text")
    return notice(
        plain("Stopped before the agent took this message:"),
        more=(Text(lines=tuple(plain(line) for line in text.split("\n")), spill="message.txt"),)
        if isinstance(text, str) and text
        else (),
    )


def _unknown(event: dict[str, Any]) -> Notice:
    kind = brief(event.get("type"), 60) or "unnamed"
    return notice((Span(text=f"Event: {kind}", italic=True),), min_level="full")


_SILENT: Final = frozenset({"ready", "title-changed", "turn-duration", "token-count"})
"""Events that are something else than a notice: a turn's end, a rename, figures of the activity post."""
_LIMITS: Final = {"five_hour": "5 hours", "weekly": "week", "seven_day": "week", "daily": "day", "monthly": "month"}
_TURN_ENDS: Final = {"failed": "🔴 The turn failed", "stopped": "🔴 Stopped", "merged": "🔵 Merged into another turn"}
_GOALS: Final = {
    "active": "is being worked on",
    "paused": "paused",
    "budgetLimited": "stopped: its budget is used up",
    "usageLimited": "stopped: usage limit",
    "blocked": "blocked",
    "complete": "reached",
}
_EVENTS: Final[Mapping[str, Callable[[dict[str, Any]], Notice | None]]] = {
    "limit-reached": _limit,
    "limit-warning": _limit,
    "recap": _recap,
    "error": _error,
    "api-error": _api_error,
    "compact": _compact,
    "microcompact": _compact,
    "compact-summary": _compact_summary,
    "switch": _switch,
    "message": _message,
    "thread-goal-updated": _goal,
    "thread-goal-cleared": _goal_cleared,
    "abort-restore": _abort_restore,
}
