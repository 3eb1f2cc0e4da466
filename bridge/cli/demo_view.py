"""The demo's picture: what happens in the sandbox Telegram, drawn in the terminal as it happens."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from bridge.sandbox.telegram import Event, Message

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
MOST_LINES = 24
"""Lines of a message that are drawn; the phone would show it all."""


class View:
    """Draws events one after another, and counts them for the summary."""

    def __init__(self, console: Console, person: str) -> None:
        self.counts: Counter[str] = Counter()
        self._console = console
        self._person = person
        self._topics: dict[int, str] = {}

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
                self._line(message, "deleted", Text("(deleted)", "dim"))
            case "press" if message:
                self.counts["presses"] += 1
                self._line(message, f"{self._person} presses", Text(str(event.detail["button"]), "bold reverse"))
            case "answer" if event.detail.get("text"):
                self._print(Text(f"↳ {event.detail['text']}", "italic"), indent=4)
            case "reaction" if message and message.reactions:
                emoji = "".join(each for mine in message.reactions.values() for each in mine)
                self._line(message, "reaction", Text(emoji))

    def say(self, text: str, style: str = "") -> None:
        """A line of the demo's own."""
        self._console.print(Text(text, style))

    def _message(self, message: Message) -> None:
        if message.from_bot:
            self.counts["messages"] += 1
            self.counts["rings"] += not message.silent
            mark = "🔕" if message.silent else "🔔"
            self._line(message, mark, self._body(message))
            if message.file:
                self._line(message, "file", Text(f"{message.file.name} ({message.file.size} bytes)"))
            self._buttons(message)
        else:
            self.counts["written"] += 1
            self._line(message, f"{self._person} writes", Text(message.text, "bold"))

    def _edit(self, message: Message) -> None:
        """Only what is new: the phone changes the message in place."""
        self.counts["edits"] += 1
        before, now = message.history[-2], message.history[-1]
        old = set(before.text.splitlines())
        fresh = [line for line in now.text.splitlines() if line not in old]
        if fresh:
            shown = fresh[:6] + (["…"] if len(fresh) > 6 else [])
            self._line(message, "✎", Text("\n".join(shown), "dim"))
        if before.reply_markup != now.reply_markup and any(not button.copy_text for button in message.buttons):
            self._buttons(message)

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
                self._print(Text("  ".join(row), "bold blue"), indent=4)

    def _line(self, message: Message, mark: str, body: Text) -> None:
        name = self._topics.get(message.thread or 0, "chat")
        label = Text(name, _COLOURS[(message.thread or 0) % len(_COLOURS)])
        self._console.print(Text.assemble(label, ("  " + mark, "dim")))
        self._print(body, indent=4)

    def _print(self, body: Text, *, indent: int) -> None:
        self._console.print(Padding(body, (0, 0, 0, indent), expand=False))


def _index(text: str, utf16: int) -> int:
    """The index in Python's characters of an offset in UTF-16 units."""
    return len(text.encode("utf-16-le")[: utf16 * 2].decode("utf-16-le", "ignore"))
