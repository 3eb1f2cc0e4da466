"""What the agent says and shows: answers, reasoning, reviews, images, the terminal's own output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from bridge.cards.model import Act, Button, Card, Code, File, Fold, Line, Markdown, Piece, Span, Text, bold, code
from bridge.cards.phrase import phrase
from bridge.cards.turn.first_words import first_words
from bridge.cards.turn.user_text import present_user_text
from bridge.cards.words import brief, number, percent
from bridge.language import N_, tr
from bridge.transcript.blocks import CliOutput, CodexReview, GeneratedImage

__all__ = [
    "present_answer",
    "present_cli_output",
    "present_image",
    "present_reasoning",
    "present_review",
    "present_user_text",
    "present_whole_answer",
]

_ENDINGS: Final = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}
_CORRECT: Final = N_("patch is correct")
_VERDICTS: Final = (_CORRECT, N_("patch is incorrect"))
"""What a review comes to, in the reviewer's own words."""
_LONG_AFTER: Final = 3
"""Messages up to which an answer is sent in full."""
_TAG: Final = re.compile(r"<(command-name|command-message|command-args|local-command-stdout)>(.*?)</\1>", re.DOTALL)


def present_answer(text: str, send_all: Act | None = None) -> Card:
    """An answer in Markdown. Beyond three messages: its opening, the whole as a file, and a button *Send all here*.

    ``send_all`` is what that button does; None leaves it away.
    """
    return Card(
        pieces=(Markdown(source=text),),
        summary=_first_words(text),
        long_after=_LONG_AFTER,
        long_file="answer.md",
        long_button=Button(label=tr("Send all here"), act=send_all) if send_all else None,
    )


def present_whole_answer(text: str) -> Card:
    """An answer in full, every part as a message: what *Send all here* asks for."""
    return Card(pieces=(Markdown(source=text),), summary=_first_words(text))


def present_reasoning(text: str) -> Card:
    """The agent's thinking, folded away."""
    return Card(
        pieces=(
            Fold(
                title=(Span(text=tr("Reasoning"), italic=True),), pieces=(Markdown(source=text, spill="reasoning.md"),)
            ),
        ),
        summary=tr("Reasoning"),
        one_message=True,
    )


def present_review(block: CodexReview) -> Card:
    """A code review: the verdict, and each finding with where it is and how grave."""
    review = block.review if isinstance(block.review, dict) else {}
    verdict = brief(review.get("overallCorrectness"), 80)
    good = verdict == _CORRECT
    title = [bold(("🟢 " if good else "🔴 " if verdict else "") + tr("Review"))]
    if verdict:
        title.append(bold(tr(": {words}", words=tr(verdict) if verdict in _VERDICTS else verdict)))
    confidence = number(review.get("overallConfidenceScore"))
    if confidence is not None:
        title.append(Span(text=tr(" · confidence {share}", share=percent(max(0.0, min(confidence, 1.0))))))
    pieces: list[Piece] = [Text(lines=(tuple(title),))]
    explanation = review.get("overallExplanation")
    if isinstance(explanation, str) and explanation.strip():
        pieces.append(Markdown(source=explanation))
    findings = review.get("findings")
    for finding in findings if isinstance(findings, list) else ():
        if isinstance(finding, dict):
            pieces += _finding(finding)
    return Card(
        pieces=tuple(pieces),
        summary="".join(span.text for span in title),
        long_after=_LONG_AFTER,
        long_file="review.md",
    )


def present_image(block: GeneratedImage, source: str | None = None) -> Card:
    """A generated image, by name; ``source``: the picture itself, as ``File.source``."""
    name = brief(block.file_name, 120) or tr("image")
    kind = brief(block.mime_type, 60)
    line = [*phrase(tr("Generated image: {name}"), name=code(name))]
    if kind:
        line.append(Span(text=f" · {kind}"))
    summary = tr("Generated image: {name}", name=name)
    if source is None:
        return Card(pieces=(Text(lines=(tuple(line),)),), summary=summary)
    file = File(name=_with_ending(name, kind), media_type=kind or "application/octet-stream", source=source)
    caption = Text(lines=((Span(text=name, code=True),),))
    return Card(pieces=(caption,), files=(file,), captioned=True, summary=summary)


def present_cli_output(block: CliOutput) -> Card:
    """A slash command of the terminal and what it printed, without the tags."""
    found = dict(_TAG.findall(block.text))
    command = " ".join(
        part for part in (brief(found.get("command-name"), 80), brief(found.get("command-args"), 200)) if part
    )
    printed = found.get("local-command-stdout", "" if found else block.text).strip("\n")
    pieces: list[Piece] = []
    if command:
        pieces.append(Text(lines=(phrase(tr("Terminal: {command}"), command=code(command)),)))
    if printed.strip() or not command:
        pieces.append(Code(source=printed or block.text or " ", spill="output.txt"))
    return Card(
        pieces=tuple(pieces),
        summary=brief(tr("Terminal: {command}", command=command or printed), 120),
        one_message=True,
    )


def _finding(finding: dict[str, Any]) -> Iterator[Piece]:
    title = finding.get("title")
    lines: list[Line] = [(Span(text=brief(title, 300) or tr("Finding"), bold=True),)]
    where = brief(finding.get("filePath"), 200)
    start, end = number(finding.get("lineStart")), number(finding.get("lineEnd"))
    if where and start is not None:
        where += f":{int(start)}" + (f"-{int(end)}" if end is not None and end != start else "")
    if where:
        lines.append((Span(text=where, code=True),))
    yield Text(lines=tuple(lines))
    body = finding.get("body")
    if isinstance(body, str) and body.strip():
        yield Markdown(source=body)


def _with_ending(name: str, media_type: str) -> str:
    """A file's name, with the ending that chats tell a picture by."""
    ending = _ENDINGS.get(media_type, "")
    return name if not ending or name.lower().endswith((ending, ".jpeg")) else name + ending


def _first_words(text: str) -> str:
    """The first line with words, as plain text."""
    return first_words(text, 120) or tr("Answer")
