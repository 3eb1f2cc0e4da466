"""The demo's picture: what happens in the sandbox Telegram, drawn in the terminal as it happens.

Messages are numbered, so that an edit, a press or a reaction can say which one it is about. An edit shows what the
message's state is now, not its text again: the phone changes the message in place.
"""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.text import Text

from bridge.sandbox.telegram import Event, Message

LEGEND = "🔕 comes silently   🔔 rings   ✎ changes in place   ↳ what is told to who presses"
_STYLES = {
    "bold": "bold",
    "italic": "italic",
    "strikethrough": "strike",
    "underline": "underline",
    "code": "cyan",
    "pre": "cyan",
    "blockquote": "dim italic",
    "expandable_blockquote": "dim italic",
    "text_link": "underline",
    "url": "underline",
}
_COLOURS = ("green", "magenta", "yellow", "blue", "cyan")
_STATES = ("🟢", "🟠", "🔴", "🟡", "🔵")
"""How a line begins that tells a state: of the whole message, or of a step in it."""
MOST_LINES = 24
"""Lines of a message that are drawn; the phone would show it all."""
INDENT = 4


class View:
    """Draws events one after another, and counts them for the summary."""

    def __init__(self, console: Console, person: str) -> None:
        self.counts: Counter[str] = Counter()
        self._console = console
        self._person = person
        self._topics: dict[int, str] = {}
        self._numbers: dict[int, int] = {}
        self._shown: dict[int, str] = {}
        self._told: dict[int, str] = {}
        self._pressed: Message | None = None
        """The message whose press was the last thing drawn."""

    def show(self, event: Event) -> None:
        """Draw an event, if a person would see it."""
        message = event.message
        match event.kind:
            case "topic" if event.chat and message:
                self._topics[message.id] = event.chat.topics[message.id].name
            case "message" if message and message.service is None:
                self._message(message)
            case "edit" if message:
                self._edit(message)
            case "delete" if message and message.service is None:
                self._line(message, f"{self._number(message)} is deleted")
            case "press" if message:
                self.counts["presses"] += 1
                self._line(message, f"{self._person} presses [{event.detail['button']}] on {self._number(message)}")
                self._pressed = message
            case "answer" if message and event.detail.get("text"):
                self._answer(message, str(event.detail["text"]))
            case "reaction" if message and message.reactions:
                emoji = "".join(each for mine in message.reactions.values() for each in mine)
                self._line(message, f"{emoji} on {self._number(message)}")

    def say(self, text: str, style: str = "") -> None:
        """Lines of the demo's own."""
        self._print(Text(text, style), indent=0)

    def _message(self, message: Message) -> None:
        if not message.from_bot:
            self.counts["written"] += 1
            self._line(message, f"{self._number(message)} {self._person} writes")
            self._print(Text(message.text, "bold"))
            return
        self.counts["messages"] += 1
        self.counts["rings"] += not message.silent
        self._line(message, f"{self._number(message)} {'🔕' if message.silent else '🔔'}")
        self._shown[message.id] = _state(message)
        self._print(self._body(message))
        if message.file:
            self._print(Text(f"📎 {message.file.name} ({message.file.size} bytes)"))
        self._buttons(message)

    def _edit(self, message: Message) -> None:
        """Only a state that is new: growing text is not told again and again."""
        self.counts["edits"] += 1
        state = _state(message)
        told = self._told.get(message.id)
        if not state or state == self._shown.get(message.id) or (told and told in state):
            return
        self._shown[message.id] = state
        self._line(message, f"{self._number(message)} ✎ {_title(message)}")
        self._print(Text(state))

    def _answer(self, message: Message, text: str) -> None:
        """What a press is answered; the same again on the same message is no news."""
        if self._told.get(message.id) == text:
            return
        self._told[message.id] = text
        if self._pressed is not message:
            self._line(message, f"{self._number(message)} ↳")
        self._print(Text(f"↳ {text}" if self._pressed is message else text, "italic"))

    def _body(self, message: Message) -> Text:
        text = Text(message.text)
        for entity in message.entities:
            if style := _STYLES.get(entity["type"]):
                start, end = entity["offset"], entity["offset"] + entity["length"]
                text.stylize(style, _index(message.text, start), _index(message.text, end))
        lines = text.split("\n", allow_blank=True)
        if len(lines) <= MOST_LINES:
            return text
        more = len(lines) - MOST_LINES
        return Text("\n").join([*lines[:MOST_LINES], Text(f"… {more} more lines", "dim")])

    def _buttons(self, message: Message) -> None:
        rows: dict[int, list[str]] = {}
        for button in message.buttons:
            rows.setdefault(button.row, []).append(f"[{button.text}]")
        for row in rows.values():
            if row != ["[·]"]:
                self._print(Text("  ".join(row), "bold blue"))

    def _number(self, message: Message) -> str:
        """The message's number in this demo, counted as they come."""
        return f"#{self._numbers.setdefault(message.id, len(self._numbers) + 1)}"

    def _line(self, message: Message, words: str) -> None:
        self._pressed = None
        name = self._topics.get(message.thread or 0, "chat")
        label = Text(name, _COLOURS[(message.thread or 0) % len(_COLOURS)])
        self._print(Text.assemble(label, ("  " + words, "dim")), indent=0)

    def _print(self, body: Text, *, indent: int = INDENT) -> None:
        """Lines that fit the terminal, none with blanks at its end."""
        for line in body.wrap(self._console, self._console.width - indent, tab_size=4):
            line.rstrip()
            self._console.print(Text(" " * indent) + line if line else "", soft_wrap=True)


def _title(message: Message) -> str:
    """What the message was called when it came, without its state's mark and figures."""
    first = next((line for line in message.history[0].text.splitlines() if line.strip()), "")
    return first.lstrip("".join(_STATES)).strip().partition(" · ")[0]


def _state(message: Message) -> str:
    """The lines that tell how things stand: the first if it is one, and the newest of those below it."""
    lines = [line.strip() for line in message.text.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(_STATES)]
    return "\n".join(dict.fromkeys([told[0], told[-1]])) if told and lines[0] == told[0] else ""


def _index(text: str, utf16: int) -> int:
    """The index in Python's characters of an offset in UTF-16 units."""
    return len(text.encode("utf-16-le")[: utf16 * 2].decode("utf-16-le", "ignore"))
