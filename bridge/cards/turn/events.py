"""Rows between messages: limits, recaps, errors, compaction, goals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bridge.cards.layout import lay_out
from bridge.cards.levels import Level
from bridge.cards.model import Card, Code, Fold, Line, Markdown, Piece, Span, Text, bold, plain
from bridge.cards.phrase import phrase
from bridge.cards.words import amount, brief, cut, moment, number, one_line, percent
from bridge.language import N_, tr
from bridge.transcript.blocks import AgentEvent

_ONE_LINE: Final = 300


@dataclass(frozen=True, slots=True)
class Notice:
    """A small card beside the answers. Notices never ring: a turn, an approval and a question do."""

    card: Card
    min_level: Level = "normal"
    """The least level of a conversation that is shown it."""
    ring: bool = False


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
    words = tr(_TURN_ENDS.get(outcome, N_("🟢 Done")))
    why = brief(reason, _ONE_LINE)
    return notice((Span(text=words, bold=True), Span(text=tr(": {words}", words=why) if why else tr(".")))).card


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
    limit = tr(_LIMITS[kind]) if kind in _LIMITS else kind.replace("_", " ")
    share = percent(event.get("utilization"))
    if reached:
        words = tr("🔴 Usage limit reached")
    else:
        words = tr("🟡 {share} of the usage limit used", share=share) if share else tr("🟡 Usage limit near")
    line = [Span(text=words, bold=True)]
    if limit:
        line.append(Span(text=f" · {limit}"))
    ends = moment(event.get("endsAt"))
    if ends:
        line += phrase(tr(" · resets {when}"), when=ends)
    return notice(tuple(line), min_level="quiet")


def _recap(event: dict[str, Any]) -> Notice | None:
    text = event.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    if len(text) <= _ONE_LINE and "\n" not in text:
        return notice((bold(tr("Recap: ")), Span(text=text)))
    return notice((bold(tr("Recap")),), more=(Markdown(source=text, spill="recap.md"),))


def _error(event: dict[str, Any]) -> Notice:
    return trouble(tr("Error"), event.get("message", event.get("error")), "quiet")


def _api_error(event: dict[str, Any]) -> Notice:
    attempt, most = number(event.get("retryAttempt")), number(event.get("maxRetries"))
    last = attempt is not None and most is not None and attempt >= most
    if not attempt:
        title = tr("The model's API failed")
    elif most is None:
        title = tr("The model's API failed, attempt {attempt}", attempt=amount(attempt))
    else:
        title = tr("The model's API failed, attempt {attempt} of {most}", attempt=amount(attempt), most=amount(most))
    return trouble(title, event.get("error"), "quiet" if last else "normal", "🔴" if last else "🟠")


def trouble(title: str, error: Any, level: Level = "quiet", mark: str = "🔴") -> Notice:
    """An error: its words in the line, details that don't fit there folded."""
    words = error if isinstance(error, str) else _message_of(error)
    short = brief(words, _ONE_LINE) if words else ""
    line = [Span(text=f"{mark} {title}", bold=True)]
    if short:
        line.append(Span(text=tr(": {words}", words=short)))
    more: tuple[Piece, ...] = ()
    if isinstance(error, str) and short != error.strip():
        more = (Fold(title=plain(tr("Details")), pieces=(Code(source=error, spill="error.txt"),)),)
    elif isinstance(error, dict | list) and error:
        more = (
            Fold(
                title=plain(tr("Details")), pieces=(Code(source=lay_out(error), language="json", spill="error.json"),)
            ),
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
    parts = [tr("Context compacted")]
    trigger = brief(event.get("trigger"), 30)
    if trigger:
        parts.append({"auto": tr("by itself"), "manual": tr("on request")}.get(trigger, trigger))
    before, saved = amount(event.get("preTokens") or None), amount(event.get("tokensSaved") or None)  # 0: not told
    if before:
        parts.append(tr("{n} tokens before", n=before))
    if saved:
        parts.append(tr("{n} saved", n=saved))
    return notice(plain(" · ".join(parts)))


def _compact_summary(event: dict[str, Any]) -> Notice:
    before, after = amount(event.get("tokensBefore")), amount(event.get("estimatedTokensAfter"))
    parts = [tr("Context compacted")]
    if before and after:
        parts.append(tr("{before} → {after} tokens", before=before, after=after))
    elif before:
        parts.append(tr("{n} tokens before", n=before))
    return notice(plain(" · ".join(parts)), more=folded(event.get("summary"), tr("Summary"), "summary.md"))


def _switch(event: dict[str, Any]) -> Notice:
    mode = event.get("mode")
    words = {
        "local": tr("Now steered from the terminal"),
        "remote": tr("Now steered from here"),
    }.get(mode if isinstance(mode, str) else "", tr("Mode: {mode}", mode=brief(mode, 40)))
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
    words = tr("Goal {state}", state=status) if status else tr("Goal set")
    line = [Span(text=tr(_GOALS[status]) if status in _GOALS else words)]
    objective = brief(goal.get("objective"), _ONE_LINE)
    if objective:
        line.append(Span(text=tr(": {words}", words=objective)))
    used, budget = amount(goal.get("tokensUsed")), amount(goal.get("tokenBudget"))
    if used:
        spent = tr("{used} of {budget} tokens", used=used, budget=budget) if budget else tr("{n} tokens", n=used)
        line.append(Span(text=f" · {spent}"))
    return notice(tuple(line))


def _goal_cleared(event: dict[str, Any]) -> Notice:
    return notice(plain(tr("Goal cleared")))


def _abort_restore(event: dict[str, Any]) -> Notice:
    text = event.get("text")
    return notice(
        plain(tr("Stopped before the agent took this message:")),
        more=(Text(lines=tuple(plain(line) for line in text.split("\n")), spill="message.txt"),)
        if isinstance(text, str) and text
        else (),
    )


def _unknown(event: dict[str, Any]) -> Notice:
    kind = brief(event.get("type"), 60) or tr("unnamed")
    return notice((Span(text=tr("Event: {kind}", kind=kind), italic=True),), min_level="full")


_SILENT: Final = frozenset({"ready", "title-changed", "turn-duration", "token-count"})
"""Events that are something else than a notice: a turn's end, a rename, figures of the activity post."""
_LIMITS: Final = {
    "five_hour": N_("5 hours"),
    "weekly": N_("week"),
    "seven_day": N_("week"),
    "daily": N_("day"),
    "monthly": N_("month"),
}
_TURN_ENDS: Final = {
    "failed": N_("🔴 The turn failed"),
    "stopped": N_("🔴 Stopped"),
    "merged": N_("🔵 Merged into another turn"),
}
_GOALS: Final = {
    "active": N_("Goal is being worked on"),
    "paused": N_("Goal paused"),
    "budgetLimited": N_("Goal stopped: its budget is used up"),
    "usageLimited": N_("Goal stopped: usage limit"),
    "blocked": N_("Goal blocked"),
    "complete": N_("Goal reached"),
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
