"""The bridge's commands, and the help that fits on one screen.

This list is what the platforms' command menus show, what counts as a command after ``@bot``, and what ``/help`` tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from bridge.cards.model import Act, Button, Card, Line, Span, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.language import N_, tr

Shelf = Literal["sessions", "session", "words", "place", "people", "bridge"]
"""Where a command stands in the help: about all sessions, this one, one's own words, this place, people, the bridge."""


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """A command: its name without the slash, what follows it, and what it does, in a few English words.

    ``follows``: what may come after the bare name for it to be the command, where it was said without a slash: "stop
    using tabs" and "in the parser" are words for an agent.
    """

    name: str
    does: str
    shelf: Shelf
    takes: str = ""
    follows: str = ""


HELP: Final[tuple[CommandHelp, ...]] = (
    CommandHelp("sessions", N_("which sessions there are"), "sessions"),
    CommandHelp("pending", N_("what waits for a decision, in all sessions"), "sessions"),
    CommandHelp("new", N_("start a session"), "sessions", N_("directory")),
    CommandHelp("session", N_("everything about this session, with buttons"), "session"),
    CommandHelp("settings", N_("how this session's agent works"), "session"),
    CommandHelp("mode", N_("what the agent may do unasked"), "session", N_("mode")),
    CommandHelp("model", N_("which model it uses"), "session", N_("model")),
    CommandHelp("effort", N_("how hard it thinks"), "session", N_("effort")),
    CommandHelp("tier", N_("how fast its model answers"), "session", N_("tier")),
    CommandHelp("collab", N_("how it works with you"), "session", N_("mode")),
    CommandHelp("commands", N_("the agent's own commands and skills"), "session"),
    CommandHelp("history", N_("read this session back"), "session"),
    CommandHelp("search", N_("find words in this session, and sessions by name"), "session", N_("words")),
    CommandHelp("export", N_("this session as one Markdown file"), "session"),
    CommandHelp("resume", N_("let a session that ended go on"), "session"),
    CommandHelp("rename", N_("give this session another name"), "session", N_("name")),
    CommandHelp("pin", N_("keep this session first in the list"), "session"),
    CommandHelp("takeover", N_("take this session over from the terminal"), "session"),
    CommandHelp("archive", N_("end this session and put it away"), "session"),
    CommandHelp("delete", N_("delete a session that ended, for good"), "session"),
    CommandHelp("stop", N_("stop the turn of this session"), "session"),
    CommandHelp("git", N_("what changed in this session's directory, file by file"), "session", follows=r"\S*"),
    CommandHelp("file", N_("show or download a file: /file src/main.py"), "session", N_("path"), r"\S+"),
    CommandHelp("find", N_("find a file by its name: /find main"), "session", N_("name"), r"\S+"),
    CommandHelp("scenario", N_("send prepared texts along with a message"), "words", follows=r"\S*( .*)?"),
    CommandHelp("queue", N_("your messages that wait, with buttons to cancel them"), "words"),
    CommandHelp("cancel", N_("take your last message back, or the one you reply to"), "words"),
    CommandHelp("at", N_("send a message later: /at 18:30 Run the tests"), "words", N_("18:30 …"), r"\d.*"),
    CommandHelp("in", N_("send a message after a while: /in 2h Run the tests"), "words", N_("2h …"), r"\d.*"),
    CommandHelp("attach", N_("show a session here, in this channel, thread or topic"), "place", N_("title")),
    CommandHelp("detach", N_("show it in your own chat again"), "place"),
    CommandHelp("invite", N_("a code that gives somebody a role: /invite approver"), "people", N_("role"), r"\w*"),
    CommandHelp("people", N_("who has which role, with buttons to change it"), "people"),
    CommandHelp("audit", N_("who decided what"), "people"),
    CommandHelp("pair", N_("use a code that the owner gave you"), "people", N_("code"), r"[\w-]*"),
    CommandHelp("status", N_("how the bridge and this session are"), "bridge"),
    CommandHelp("help", N_("this text"), "bridge"),
)


def spoken_commands() -> dict[str, re.Pattern[str]]:
    """The commands by name, with what may follow each where it is said without a slash."""
    anything = {True: ".*", False: ""}
    return {each.name: re.compile(each.follows or anything[bool(each.takes)], re.DOTALL) for each in HELP}


def command_menu() -> list[tuple[str, str]]:
    """Name (without slash) and what it does, each, in the language spoken here."""
    return [(each.name, tr(each.does)) for each in HELP]


SHELVES: Final[dict[Shelf, str]] = {
    "sessions": N_("All sessions"),
    "session": N_("This session"),
    "words": N_("Your messages"),
    "place": N_("This place"),
    "people": N_("People"),
    "bridge": N_("The bridge"),
}
FIRST: Final = ("sessions", "new", "pending", "stop")
"""What everybody needs, said with its words at once; the rest by name, and by shelf when asked."""


SLASHED: Final = "/"
AFTER_HAPI: Final = "/hapi "
"""How commands begin: each has a name of its own, or all are words after one."""


def present_help(shelf: str = "", *, replies: bool = True, slashed: bool = True) -> Card:
    """The help, one screen: what to do, the commands that everybody needs, and buttons to the rest, a shelf each.

    ``shelf``: that one's commands instead. ``replies``: whether a message can be a reply to a certain one here.
    ``slashed``: whether a command is ``/stop`` here, or ``/hapi stop``. Acts ``help``, and ``sessions``, ``new``,
    ``pending``, which are answered below it.
    """
    begins = SLASHED if slashed else AFTER_HAPI
    lines: list[Line] = [(Span(text="HAPI Bridge", bold=True),)]
    chosen = next((each for each in SHELVES if each == shelf), None)
    if chosen is not None:
        lines = [(Span(text=tr(SHELVES[chosen]), bold=True),)]
        lines += [_line(each, begins) for each in HELP if each.shelf == chosen]
    else:
        lines += [plain(words) for words in _how_to(replies=replies)]
        if not slashed:
            lines.append(plain(tr("In threads, where /hapi is not taken, call the bot instead: @bot stop.")))
        lines += [(), *(_line(each, begins) for name in FIRST for each in HELP if each.name == name), ()]
        for each, title in SHELVES.items():
            names = [command.name for command in HELP if command.shelf == each and command.name not in FIRST]
            if names:
                shown = " ".join(f"/{name}" for name in names) if slashed else AFTER_HAPI + " · ".join(names)
                lines.append((Span(text=tr(title), italic=True), Span(text=tr(": {words}", words=shown))))
    fresh = {"fresh": True}
    doing = (
        Button(label=tr("Sessions"), act=Act(do="sessions", data=fresh)),
        Button(label=tr("New session"), act=Act(do="new", data=fresh)),
        Button(label=tr("What waits"), act=Act(do="pending", data=fresh)),
    )
    shelves = [
        Button(label=f"✓ {tr(title)}" if each == chosen else tr(title), act=Act(do="help", data={"shelf": each}))
        for each, title in SHELVES.items()
    ]
    return note_card(*lines, buttons=(doing, tuple(shelves[:3]), tuple(shelves[3:])))


def _how_to(*, replies: bool) -> tuple[str, ...]:
    return (
        tr("Write here and the session's agent gets it: 👀 queued, 👌 taken."),
        tr("Reply to a message to reach the session it came from.")
        if replies
        else tr("Each session has its own place: what you write in a thread goes to its session."),
        tr("Approvals and questions have buttons. Free text never approves anything."),
        tr("A reply to a question's card is its answer.")
        if replies
        else tr("While nothing but a question waits, what you write in its thread is its answer."),
    )


def _line(each: CommandHelp, begins: str) -> Line:
    takes = f" {tr(each.takes)}" if each.takes else ""
    # Some say in every language how they are written, by an example: "/at 18:30 Run the tests".
    does = tr(each.does).replace(f"/{each.name} ", f"{begins}{each.name} ")
    return (Span(text=f"{begins}{each.name}{takes}"), Span(text=f" · {does}"))
