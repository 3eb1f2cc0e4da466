"""The bridge's own small cards: which session is meant, what to do with a text, what could not be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bridge.cards.model import Act, Button, Card, Line, Span, Text, bold, plain
from bridge.cards.phrase import phrase
from bridge.cards.turn.waiting import counted
from bridge.cards.words import brief
from bridge.language import tr, trn

_QUOTE: Final = 200
_BUTTON: Final = 60


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in a list."""

    id: str
    title: str
    state: str = ""
    """In words: ``working``, ``waiting for approval``, ``idle``, ``ended``."""
    project: str = ""
    machine: str = ""
    flavor: str = ""
    waiting: int = 0
    """Requests that wait."""
    answers: int = 0
    """Those of them that are questions."""
    busy: bool = False
    live: bool = True


@dataclass(frozen=True, slots=True)
class StatusView:
    """What /status tells."""

    hub_url: str
    hub_ok: bool
    hub_words: str = ""
    sessions: int = 0
    busy: int = 0
    waiting: int = 0
    unsent: int = 0
    """Posts not delivered yet."""
    kept: int = 0
    """Messages that wait for the hub."""
    version: str = ""
    level: str = ""
    session: SessionRow | None = None
    """The session of the place where it was asked."""


def present_choose_session(text: str, sessions: Sequence[SessionRow], text_id: str, *, attaches: bool = False) -> Card:
    """Which session is a text for? A button per session; acts ``route`` with ``data["text"]`` = ``text_id``.

    ``attaches``: the session will be shown in that place from then on (``data["here"]``).
    """
    data = {"text": text_id, "here": True} if attaches else {"text": text_id}
    rows = [(Button(label=_label(row), act=Act(do="route", session=row.id, data=data)),) for row in sessions]
    rows.append(
        (Button(label=tr("Discard"), style="danger", act=Act(do="route", choice="discard", data={"text": text_id})),)
    )
    asked = [plain(tr("Which session is this for? It is kept until you choose."))]
    asked += [plain(tr("The session is shown here from then on."))] if attaches else []
    return note_card(*asked, _quote(text), buttons=tuple(rows))


def present_choose_stop(sessions: Sequence[SessionRow]) -> Card:
    """Which of several sessions to stop: a button each, acts ``stop``."""
    rows = tuple((Button(label=_label(row), style="danger", act=Act(do="stop", session=row.id)),) for row in sessions)
    return note_card(plain(tr("Which session should stop?")), buttons=rows)


def present_choose_attach(sessions: Sequence[SessionRow]) -> Card:
    """Which session should be shown in a place? A button each, acts ``attach_here``."""
    rows = tuple((Button(label=_label(row), act=Act(do="attach_here", session=row.id)),) for row in sessions)
    return note_card(
        plain(tr("Which session should be shown here? Everybody who can read here will see it.")),
        plain(tr("New ones are started with `hapi` on your computer.")),
        buttons=rows,
    )


def present_attached_here(title: str) -> Card:
    """The same card once it was chosen."""
    return note_card(
        phrase(tr("{title} is shown here from now on. `detach` ends that."), title=bold(brief(title, 80))),
        buttons=((Button(label=tr("Shown here")),),),
    )


def present_offer(title: str, project: str, machine: str, session: str) -> Card:
    """A session that is not shown by itself: the button shows it, act ``attach``."""
    place = " · ".join(part for part in (brief(project, 120), brief(machine, 60)) if part)
    at_work = phrase(tr("{title} is at work."), title=bold(brief(title, 80)))
    line = (*at_work, Span(text=f" {place}")) if place else at_work
    show = Button(label=tr("Show it here"), act=Act(do="attach", session=session))
    return note_card(line, buttons=((show,),))


def present_attached(title: str) -> Card:
    """The same card once the session is shown."""
    words = tr("{title} is shown now.", title=brief(title, 80))
    return note_card(plain(words), buttons=((Button(label=tr("Shown")),),))


def present_routed(text: str, title: str | None) -> Card:
    """What became of a text that was asked about: sent to a session, or discarded (None)."""
    words = tr("Sent to {title}.", title=brief(title, 80)) if title is not None else tr("Discarded.")
    return note_card(plain(words), _quote(text), buttons=((Button(label=words),),))


def present_interject(
    text: str,
    *,
    session: str,
    request: str,
    argument_hash: str,
    text_id: str,
    question: bool = False,
    files: bool = False,
) -> Card:
    """A text came while a request waits: is it an answer, a denial's reason, or for later (invariant 10)?

    Acts ``interject`` with choice ``use_as_answer`` (questions only, and not with ``files``), ``deny_and_send`` or
    ``keep_queued``.
    """

    def act(choice: str) -> Act:
        data = {"text": text_id}
        return Act(
            do="interject", session=session, request=request, argument_hash=argument_hash, choice=choice, data=data
        )

    rows: list[tuple[Button, ...]] = []
    if question and not files:
        rows.append((Button(label=tr("Use as answer"), style="primary", act=act("use_as_answer")),))
    rows.append((Button(label=tr("Skip and send") if question else tr("Deny and send"), act=act("deny_and_send")),))
    rows.append((Button(label=tr("Keep queued"), act=act("keep_queued")),))
    if not question:
        asked = tr("An approval waits for a decision. What is your message?")
    elif files:
        asked = tr("A question waits for an answer, and a file can't be one. What is your message?")
    else:
        asked = tr("A question waits for an answer. What is your message?")
    return note_card(plain(asked), _quote(text), buttons=tuple(rows))


def present_offer_over(text: str, *, session: str, text_id: str) -> Card:
    """The same card when the request ended before anybody chose: send the text now, or not at all."""
    data = {"text": text_id}
    send = Button(
        label=tr("Send"), style="primary", act=Act(do="interject", session=session, choice="keep_queued", data=data)
    )
    drop = Button(
        label=tr("Discard"), style="danger", act=Act(do="interject", session=session, choice="discard", data=data)
    )
    return note_card(
        plain(tr("What was asked is over. Shall your message still go?")), _quote(text), buttons=((send, drop),)
    )


def present_interjected(text: str, choice: str) -> Card:
    """The same card when it was decided."""
    words = {
        "use_as_answer": tr("Used as the answer."),
        "deny_and_send": tr("Denied, and sent."),
        "keep_queued": tr("Sent. It waits in the queue until the agent takes it."),
        "discard": tr("Discarded."),
    }.get(choice, tr("No longer needed."))
    return note_card(plain(words), _quote(text), buttons=((Button(label=words),),))


def present_not_sent(
    text: str, why: str, *, session: str, local_id: str, files: bool = False, left: bool = True
) -> Card:
    """A message did not reach the hub. Retry acts ``retry`` with ``data["local_id"]``, which makes it harmless.

    ``files``: it has some; acts ``retry`` with choice ``without`` (where something is ``left`` then) and ``discard``.
    """

    def act(choice: str | None = None) -> Act:
        return Act(do="retry", session=session, choice=choice, data={"local_id": local_id})

    row = [Button(label=tr("Retry"), style="primary", act=act())]
    if files and left:
        row.append(Button(label=tr("Send without"), act=act("without")))
    if files:
        row.append(Button(label=tr("Discard"), style="danger", act=act("discard")))
    reason = brief(why, 300)
    return note_card(
        (bold(tr("🔴 Not sent")), Span(text=tr(": {words}", words=reason) if reason else "")),
        _quote(text),
        buttons=(tuple(row),),
    )


def present_sent_after_all(text: str) -> Card:
    """The same card once the message arrived."""
    return note_card(plain(tr("🟢 Sent.")), _quote(text), buttons=((Button(label=tr("🟢 Sent")),),))


def present_stranger() -> Card:
    """The one polite word to somebody the bridge does not serve."""
    return note_card(
        plain(tr("Sorry, this bot works for its owner and the people they invited. Nothing you wrote was passed on.")),
        plain(tr("Has the owner given you a code? Then send it here: /pair CODE")),
    )


def present_sessions(rows: Sequence[SessionRow]) -> Card:
    """The list of sessions, live ones first in the order given."""
    if not rows:
        return note_card(plain(tr("No sessions. Start one with `hapi` on your computer and it appears here.")))
    head = trn("{n} session", "{n} sessions", len(rows))
    lines: list[Line] = [(bold(head),)]
    for row in rows:
        lines += _session_lines(row)
    return Card(pieces=(Text(lines=tuple(lines), spill="sessions.txt"),), summary=head, one_message=True)


def present_status(view: StatusView) -> Card:
    """The state of the bridge, and of the session where it was asked."""
    hub = brief(view.hub_words, 120)
    state = tr("🟢 connected") if view.hub_ok else tr("🔴 not reached")
    lines: list[Line] = [
        (
            bold(tr("HAPI: ")),
            Span(text=state + (f" · {hub}" if hub else "") + " · "),
            Span(text=brief(view.hub_url, 120), code=True),
        )
    ]
    counts = {"busy": view.busy, "waiting": view.waiting}
    lines.append(
        plain(
            trn(
                "{n} live session, {busy} working, {waiting} waiting for a person",
                "{n} live sessions, {busy} working, {waiting} waiting for a person",
                view.sessions,
                **counts,
            )
        )
    )
    if view.kept:
        kept = trn("🟠 {n} message on the way to HAPI", "🟠 {n} messages on the way to HAPI", view.kept)
        lines.append(plain(kept))
    if view.unsent:
        unsent = trn("🟠 {n} post on the way to this chat", "🟠 {n} posts on the way to this chat", view.unsent)
        lines.append(plain(unsent))
    if view.session:
        lines += _session_lines(view.session)
    if view.level:
        lines.append(plain(tr("Shown here: {level}", level=_level(view.level))))
    if view.version:
        lines.append(plain(f"HAPI Bridge {brief(view.version, 30)}"))
    return note_card(*lines)


def present_unsupported(what: str) -> Card:
    """Something that can't be passed on to an agent."""
    kind = brief(what, 1000) or tr("this kind of message")
    return note_card(plain(tr("Can't pass on {what}. Nothing was sent; text and files work.", what=kind)))


def present_command_error(words: str) -> Card:
    """A command that could not be carried out, in words."""
    return note_card(plain(f"🔴 {brief(words, 300)}"))


def busy() -> str:
    """What somebody is told who asks for more than a session's computer answers."""
    return tr("HAPI has not answered what was asked here before, so this was not carried out. Try it again in a while.")


def present_said(words: str) -> Card:
    """A plain word from the bridge."""
    return note_card(*(plain(line) for line in words.split("\n")))


def note_card(*lines: Line, buttons: tuple[tuple[Button, ...], ...] = ()) -> Card:
    """A small card of the bridge's own: these lines as one message, the first of them in notifications."""
    summary = brief(" ".join(span.text for line in lines[:1] for span in line), 120)
    return Card(pieces=(Text(lines=lines, spill="note.txt"),), buttons=buttons, summary=summary, one_message=True)


def _quote(text: str) -> Line:
    return (Span(text=f"“{brief(text, _QUOTE)}”", italic=True),)


def _level(level: str) -> str:
    """How much a conversation is shown, in the language spoken."""
    words = {"quiet": tr("quiet"), "normal": tr("normal"), "full": tr("full")}
    return words.get(level, brief(level, 20))


def _label(row: SessionRow) -> str:
    return brief(row.title, _BUTTON) or row.id[:8]


def _session_lines(row: SessionRow) -> list[Line]:
    mark = "🟠" if row.busy or row.waiting else "🟢" if row.live else "·"
    head = [Span(text=f"{mark} "), Span(text=brief(row.title, 80) or row.id[:8], bold=True)]
    state = brief(row.state, 60)
    if state:
        head.append(Span(text=f" · {state}"))
    if row.waiting:
        head.append(Span(text=f" · {counted(row.waiting, row.answers)}"))
    where = " · ".join(
        part for part in (brief(row.project, 100), brief(row.machine, 40), brief(row.flavor, 20)) if part
    )
    return [tuple(head), plain(f"   {where}")] if where else [tuple(head)]
