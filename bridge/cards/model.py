"""The card: what a person should see, before any platform has its say.

A card is data: it can be stored as JSON, compared by hash, and drawn by every surface in its own way.
Surfaces decide how a piece looks; a card decides only what is there, what may be folded away, and what must be whole.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from bridge.cards.text import clean, clean_deep

Tone = Literal["neutral", "waiting", "running", "done", "failed", "warning"]
CleanStr = Annotated[str, BeforeValidator(clean)]
"""Text without lone surrogates and NUL, so that no store, encoder or platform chokes on it (invariant 5)."""


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Span(Frozen):
    """A run of plain text in one style. Never markup: what looks like Markdown or HTML here stays as it is."""

    text: CleanStr
    bold: bool = False
    italic: bool = False
    code: bool = False
    strike: bool = False
    link: CleanStr | None = None
    """An address the text leads to; a surface that can't take it shows it as code."""
    unix_s: int | None = None
    """A moment (Unix seconds) the surface may show in the reader's own time zone; ``text`` is the fallback."""


Line = tuple[Span, ...]


class Text(Frozen):
    """Lines written by the bridge, or text of others that is shown as written."""

    kind: Literal["text"] = "text"
    lines: tuple[Line, ...]
    spill: CleanStr | None = None
    keep: Literal["start", "end"] = "start"


class Markdown(Frozen):
    """Markdown written by an agent."""

    kind: Literal["markdown"] = "markdown"
    source: CleanStr
    spill: CleanStr | None = None
    """Name of the file that carries the whole, should the piece not fit where it is shown."""
    keep: Literal["start", "end"] = "start"
    """Which end stays visible when the piece is shortened."""


class Code(Frozen):
    """Text shown in fixed width, byte for byte: commands, JSON, diffs, output."""

    kind: Literal["code"] = "code"
    source: CleanStr
    language: str = ""
    spill: CleanStr | None = None
    keep: Literal["start", "end"] = "start"


class Fold(Frozen):
    """Pieces folded away until the reader opens them (reasoning, a long list of earlier tools)."""

    kind: Literal["fold"] = "fold"
    title: Line = ()
    pieces: tuple[Piece, ...]


class Section(Frozen):
    """A labelled part of a panel: a tool's input, its output."""

    label: CleanStr
    pieces: tuple[Piece, ...]


class Panel(Frozen):
    """A tool card: a coloured box with sections (an attachment with a colour bar where the platform has that)."""

    kind: Literal["panel"] = "panel"
    title: Line
    tone: Tone = "neutral"
    sections: tuple[Section, ...] = ()


Piece = Annotated[Text | Markdown | Code | Fold | Panel, Field(discriminator="kind")]


class Act(Frozen):
    """What a button does. Bound to exactly what its card showed (invariant 4).

    ``do`` names the act (``decide``, ``answer``, ``stop``, ``retry``, ``route``, ...); ``session`` is the hub's
    session id; ``request`` and ``argument_hash`` tie a decision to one permission request and its exact arguments.
    """

    do: str
    session: CleanStr | None = None
    request: CleanStr | None = None
    argument_hash: str | None = None
    choice: str | None = None
    data: Annotated[dict[str, Any], BeforeValidator(clean_deep)] = {}


class Button(Frozen):
    """One button. Without ``act``, ``copies`` or ``url`` it is inert: it only says what has happened."""

    label: CleanStr
    style: Literal["plain", "primary", "danger"] = "plain"
    act: Act | None = None
    copies: CleanStr | None = None
    """Text the button puts on the reader's clipboard, where the platform can (Telegram: up to 256 characters)."""
    url: str | None = None
    asks: bool = False
    """The press asks for words first: in a form, or by a note to reply to where the surface has no forms."""


class Reply(Frozen):
    """A card that wants a reply: what a reply to it means."""

    placeholder: CleanStr
    """Shown in the empty line where the reply is written, where the platform can (up to 64 UTF-16 units)."""
    opens: bool = True
    """Whether the reader's keyboard opens for it by itself; not where others, who are not asked, read it too."""
    act: Act


class File(Frozen):
    """A file that goes along with a card: a text, or a picture whose bytes the store has, or will have."""

    name: CleanStr
    text: CleanStr = ""
    media_type: str = "text/plain"
    source: CleanStr | None = None
    """Where the bytes of a picture are: its key among the store's pictures."""


class Task(Frozen):
    """One step of work that is shown while it is done."""

    id: CleanStr
    title: CleanStr
    state: Literal["waiting", "running", "done", "failed"]


class Progress(Frozen):
    """Work under way, for surfaces that show it growing instead of drawing the card anew: the same, less arranged."""

    title: CleanStr
    """How it stands, in a line."""
    tasks: tuple[Task, ...] = ()
    texts: tuple[CleanStr, ...] = ()
    """What the agent said so far, in order: Markdown, whole."""


class Card(Frozen):
    """What one post should look like now."""

    pieces: tuple[Piece, ...]
    buttons: tuple[tuple[Button, ...], ...] = ()
    files: tuple[File, ...] = ()
    summary: CleanStr = ""
    """One plain line for notifications and lists."""
    one_message: bool = False
    """The card is one message, edited in place: pieces with ``spill`` are shortened, visibly, until it fits."""
    spill_now: bool = True
    """Whether the whole of a shortened piece is sent as a file (a running turn's post waits until it is done)."""
    captioned: bool = False
    """The text is the caption of the only file, in one message with it."""
    files_first: bool = False
    """Files (spilled ones too) come before the message with the buttons: nothing can be approved unseen."""
    long_after: int | None = None
    """More messages than this: opening and headings as text, the whole as ``long_file``, and ``long_button``."""
    long_file: CleanStr = "answer.md"
    long_button: Button | None = None
    wants_reply: Reply | None = None
    """For a card without buttons. A message that wants a reply may not be changed afterwards (Telegram)."""
    progress: Progress | None = None
    """What the card says of work under way; ``None`` once it is over."""
    detail_from: int | None = None
    """Pieces from this one on, and the files, are details: where those hang under the post as posts of their own, it
    leaves them out (:meth:`brief`)."""

    def brief(self) -> Card:
        """The card without its details."""
        if self.detail_from is None:
            return self
        return self.model_copy(
            update={"pieces": self.pieces[: self.detail_from], "files": (), "progress": None, "detail_from": None}
        )

    def digest(self) -> str:
        """A hash of all that is shown: equal cards have equal digests, in every process."""
        body = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(body.encode()).hexdigest()[:32]

    def acts(self) -> list[Act]:
        """Every act that one of this card's buttons stands for."""
        acts = [button.act for row in self.buttons for button in row if button.act]
        if self.long_button and self.long_button.act:
            acts.append(self.long_button.act)
        return acts


def button_token(post_key: str, act: Act) -> str:
    """The opaque id that stands for an act on a post in a platform's button: 26 characters, [a-z2-7].

    The same act on the same post has the same token in every process, so a redrawn card keeps its buttons;
    what a token means is looked up in the store, never read from the platform.
    """
    body = json.dumps([post_key, act.model_dump(mode="json")], sort_keys=True, ensure_ascii=False)
    return base64.b32encode(hashlib.sha256(body.encode()).digest()[:16]).decode().rstrip("=").lower()


def plain(text: str) -> Line:
    """A line of one plain span."""
    return (Span(text=text),)


def bold(text: str) -> Span:
    return Span(text=text, bold=True)


def code(text: str) -> Span:
    return Span(text=text, code=True)
