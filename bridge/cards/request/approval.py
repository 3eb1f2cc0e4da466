"""The approval card: the whole of what would run, and the buttons bound to exactly that (invariants 4 and 10)."""

from __future__ import annotations

from typing import Final

from bridge.cards.fingerprint import argument_hash
from bridge.cards.layout import show
from bridge.cards.model import Card, Code, File, Line, Markdown, Piece, Span, Text, plain
from bridge.cards.phrase import phrase
from bridge.cards.request.approval_rows import (
    ApprovalView,
    GrantView,
    ModeView,
    SureView,
    approval_rows,
    reckless_effect,
    scope_on_button,
)
from bridge.cards.request.decision import RequestState, StateWords, fact_lines, inert, state_text, state_words
from bridge.cards.request.read_only import ALIKE, argument_line, is_read_only
from bridge.cards.text import utf16_len
from bridge.cards.turn.plan import plan_pieces
from bridge.cards.turn.tool_input import input_pieces
from bridge.cards.turn.tool_names import shown_name
from bridge.cards.words import brief, one_line
from bridge.language import tr

__all__ = [
    "ApprovalView",
    "GrantView",
    "ModeView",
    "RequestState",
    "SureView",
    "argument_hash",
    "is_plan",
    "present_approval",
    "reckless_effect",
]

_NAME_IN_A_LINE: Final = 120
_MOST_DRAWN: Final = 60_000
"""Characters of one piece that are drawn; a longer one goes along as a file, with its beginning on the card."""
_BEGINNING: Final = 1_500


def is_plan(tool: str) -> bool:
    """Whether the request asks to leave plan mode (ExitPlanMode)."""
    return shown_name(tool) == "Plan"


def present_approval(view: ApprovalView) -> Card:
    """The card of one request, in whichever state. What it showed stays; its buttons give way to one inert row.

    Every character of the arguments is in its pieces, or in files that come before the buttons: nothing can be
    approved unseen. Hidden characters are made visible.
    """
    planning = is_plan(view.tool)
    words = plan_words(view.state) if planning else state_words(view.state)
    subject = "" if planning else show(shown_name(view.tool))
    title = f"{words.mark} {words.title}".strip() + (tr(": {words}", words=subject) if subject else "")
    line = argument_line(view.arguments) if is_read_only(view.tool) and not (view.danger or view.cut) else None
    pending = view.state == "pending"
    rows = approval_rows(view, planning=planning, compact=line is not None, offers=view.alike >= ALIKE)
    facts = fact_lines(view, title)
    files: tuple[File, ...] = ()
    if line is not None:
        lines = (facts[0], line, *facts[1:])
        pieces: tuple[Piece, ...] = (Text(lines=lines), *_exact_name(view.tool))
    else:
        if planning:
            body, files = plan_pieces(view.arguments)
        else:
            body = input_pieces(view.tool, view.arguments, whole=True)
        body, large = _bounded(body)
        files = (*files, *large)
        pieces = (Text(lines=facts), *_exact_name(view.tool), *body)
    return Card(
        pieces=(
            *pieces,
            *_limits(view, offered=line is None or view.unfolded or view.alike >= ALIKE),
            *_warning(view.danger),
            *(() if line is not None and pending and not view.note and view.sure is None else (_state(view, words),)),
        ),
        buttons=rows if pending else inert(words),
        files=files,
        summary=brief(" · ".join(part for part in (title, view.session_title) if part), 120),
        one_message=True,
        files_first=True,
    )


def _bounded(pieces: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], tuple[File, ...]]:
    """Large pieces as files, which come before the buttons, with their beginnings in their places (invariants 2, 4)."""
    kept: list[Piece] = []
    files: list[File] = []
    for piece in pieces:
        if not isinstance(piece, Code | Markdown) or len(piece.source) <= _MOST_DRAWN:
            kept.append(piece)
            continue
        name = f"{len(files) + 1}-{piece.spill or 'input.txt'}"
        files.append(File(name=name, text=piece.source))
        kept.append(Code(source=piece.source[:_BEGINNING], language="", spill=piece.spill))
        kept.append(Text(lines=((Span(text=tr("⋯ the whole is in {name}", name=name), bold=True),),)))
    return tuple(kept), tuple(files)


def plan_words(state: RequestState) -> StateWords:
    """Words for a plan's state."""
    match state:
        case "pending":
            return StateWords("🟠", tr("Plan to approve"), tr("Waiting for a decision"))
        case "approved" | "approved_for_session":
            return StateWords("🟢", tr("Approved"), tr("Approved"))
        case "denied":
            return StateWords("🔴", tr("Keeps planning"), tr("Not approved, keeps planning"))
        case _:
            return state_words(state)


def _limits(view: ApprovalView, *, offered: bool) -> tuple[Piece, ...]:
    """What the buttons cover, where that is too long to be on them (invariant 10), or can't be covered at all.

    ``offered``: the grant for the session has a button now.
    """
    if view.cut:
        return (
            Text(
                lines=(
                    (
                        Span(
                            text=tr("Part of this is nested too deeply to be shown here: allow it in HAPI."), bold=True
                        ),
                    ),
                )
            ),
        )
    pieces: list[Piece] = []
    if offered and view.grant is not None and not view.danger and not scope_on_button(view.grant):
        pieces.append(Text(lines=(plain(tr("The button “Allow for session” covers:")),)))
        pieces.append(Code(source=show(view.grant.scope_words), spill="session-grant.txt"))
    if view.unfolded and view.tools and not view.danger:
        begins = view.tools.partition("(")[2].removesuffix(":*)")
        words = tr("allows, in this session, every command that begins with these words, whatever follows them:")
        line: Line = (
            Span(text=show(view.tools), code=True),
            Span(text=f" {words} "),
            Span(text=show(begins), code=True),
        )
        pieces.append(Text(lines=(line,)))
    return tuple(pieces)


def _warning(effect: str) -> tuple[Piece, ...]:
    """What the request would do, where that is known to do lasting harm."""
    return (Text(lines=((Span(text=f"⚠️ {tr('Careful: {effect}', effect=effect)}", bold=True),),)),) if effect else ()


def _state(view: ApprovalView, words: StateWords) -> Text:
    """The card's last lines: its state, and what was granted besides."""
    lines = list(state_text(view, words).lines)
    if view.state == "pending" and view.sure is not None:
        name = brief(view.sure.name, 60)
        asked = (
            tr("{name} has allowed this. Somebody else who may decide must confirm it below.", name=name)
            if view.sure.another
            else tr("{name} wants to allow this: once more, below?", name=name)
        )
        lines[0] = (Span(text=asked, italic=True),)
    if view.granted_mode:
        lines.append(plain(tr("From now on in mode {mode}.", mode=view.granted_mode)))
    if view.granted_tools:
        tools = tuple(Span(text=show(one), code=True) for one in view.granted_tools[:5])
        lines.append(
            (
                Span(text=tr("Allowed from now on, in this session:")),
                *(each for one in tools for each in (Span(text=" "), one)),
            )
        )
    return Text(lines=tuple(lines))


def _exact_name(tool: str) -> tuple[Piece, ...]:
    """The tool's own name, where the card's title has a nicer or a shorter one."""
    if shown_name(tool) == tool:
        return ()
    name = show(tool)
    if utf16_len(name) <= _NAME_IN_A_LINE and one_line(name) == name:
        return (Text(lines=(phrase(tr("Tool: {name}"), name=Span(text=name, code=True)),)),) if name else ()
    return (Text(lines=((Span(text=tr("Tool:")),),)), Code(source=name, spill="tool-name.txt"))
