"""Cards about people: an invitation, who has which role, a change to confirm, the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from bridge.cards.model import Act, Button, Card, Line, Span, Text, bold, code, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.phrase import phrase
from bridge.cards.words import brief
from bridge.language import tr, trn

GIVEN: Final = ("viewer", "member", "approver")
"""The roles that can be given, from least to most."""
PAGE: Final = 8


@dataclass(frozen=True, slots=True)
class PersonView:
    """Somebody in the list: ``role`` is the one that counts where it was asked, ``here`` whether it is set there."""

    id: str
    name: str
    role: str | None
    here: bool = False


@dataclass(frozen=True, slots=True)
class AuditView:
    """A line of the audit log, as it is shown."""

    at_ms: int
    name: str
    surface: str
    act: str
    choice: str
    outcome: str
    session: str = ""
    detail: str = ""
    times: int = 1


def role_word(role: str | None) -> str:
    """A role in the language spoken."""
    match role:
        case "owner":
            return tr("owner")
        case "approver":
            return tr("approver")
        case "member":
            return tr("member")
        case "viewer":
            return tr("viewer")
        case "none":
            return tr("nothing here")
        case _:
            return tr("no role")


def role_says(role: str) -> str:
    """What a role may do, in a line."""
    match role:
        case "approver":
            return tr("may decide requests, answer questions, talk to agents, and read")
        case "member":
            return tr("may talk to agents, stop them, and read")
        case "viewer":
            return tr("may read, and ask what there is")
        case _:
            return tr("may do nothing")


def present_invitation(shown: str, role: str, minutes: int, where: str | None) -> Card:
    """The code, once, for the owner's eyes. ``where``: the conversation it holds in; ``None``: everywhere."""
    scope = tr("In {where} only.", where=where) if where is not None else tr("Everywhere.")
    return note_card(
        phrase(
            tr("Invitation: {role} · {says}. {scope}"),
            role=bold(role_word(role)),
            says=Span(text=role_says(role)),
            scope=Span(text=scope),
        ),
        (Span(text=tr("Give this to one person; they send it to me in their private chat with me:")),),
        (code(f"/pair {shown}"),),
        phrase(tr("Where commands begin with /hapi: {command}"), command=code(f"/hapi pair {shown}")),
        plain(trn("It works once, within {n} minute.", "It works once, within {n} minutes.", minutes)),
    )


def present_paired(name: str, role: str, where: str | None) -> Card:
    """The same card once the code was used."""
    values = {"name": brief(name, 60), "role": role_word(role)}
    if where is not None:
        return note_card(plain(tr("{name} is {role} in {where} now. /people changes that.", where=where, **values)))
    return note_card(plain(tr("{name} is {role} now. /people changes that.", **values)))


def present_people(people: Sequence[PersonView], *, owner: str, page: int, place: int | None) -> Card:
    """Who has which role; a button per person. ``place``: in that conversation, else everywhere."""
    shown = people[page * PAGE : (page + 1) * PAGE]
    lines: list[Line] = [(bold(tr("People here") if place is not None else tr("People")),)]
    lines.append(plain(tr("{name} · owner, by the configuration", name=owner)))
    for one in shown:
        words = tr("{role}, in this conversation", role=role_word(one.role)) if one.here else role_word(one.role)
        lines.append((Span(text=brief(one.name, 60)), Span(text=f" · {words}")))
    if not people:
        lines.append(plain(tr("Nobody else. /invite makes a code for somebody.")))
    rows = [(Button(label=brief(one.name, 40) or one.id, act=_act("show", one, place, page)),) for one in shown]
    turns = []
    if page:
        turns.append(Button(label=tr("Back"), act=Act(do="people", choice="list", data=_data(place, page - 1))))
    if len(people) > (page + 1) * PAGE:
        turns.append(Button(label=tr("More"), act=Act(do="people", choice="list", data=_data(place, page + 1))))
    return note_card(*lines, buttons=(*rows, *((tuple(turns),) if turns else ())))


def present_person(one: PersonView, *, page: int, place: int | None) -> Card:
    """One person, and what could be changed: a button per role, and removing. Each asks again."""
    where = tr("in this conversation") if place is not None else tr("everywhere")
    lines = [
        (bold(brief(one.name, 60)), Span(text=f" · {role_word(one.role)}")),
        plain(tr("What shall their role be, {where}?", where=where)),
        *(plain(tr("{name}: {words}", name=role_word(role), words=role_says(role))) for role in GIVEN),
    ]
    wishes = [role for role in GIVEN if role != one.role or (place is not None and not one.here)]
    rows = [tuple(Button(label=role_word(role), act=_act("ask", one, place, page, role)) for role in wishes)]
    if place is not None:
        rows.append((Button(label=tr("Nothing here"), style="danger", act=_act("ask", one, place, page, "none")),))
        if one.here:
            rows.append((Button(label=tr("As everywhere"), act=_act("ask", one, place, page, "as_elsewhere")),))
    else:
        rows.append((Button(label=tr("Remove"), style="danger", act=_act("ask", one, place, page, "remove")),))
    rows.append((Button(label=tr("Back"), act=Act(do="people", choice="list", data=_data(place, page))),))
    return note_card(*lines, buttons=tuple(rows))


def present_sure(one: PersonView, wish: str, *, page: int, place: int | None) -> Card:
    """A change, said whole, to be confirmed."""
    name = brief(one.name, 60)
    match wish:
        case "remove":
            asked = tr("Remove {name}? They can do nothing any more, at once, also on cards that stand.", name=name)
        case "none":
            asked = tr("Shall {name} do nothing in this conversation?", name=name)
        case "as_elsewhere":
            asked = tr("Shall {name} be here what they are everywhere?", name=name)
        case role if place is not None:
            says = role_says(role)
            asked = tr(
                "Make {name} {role} in this conversation? They {says}.", name=name, role=role_word(role), says=says
            )
        case role:
            asked = tr("Make {name} {role}? They {says}.", name=name, role=role_word(role), says=role_says(role))
    keep = Button(label=tr("Leave it"), act=_act("show", one, place, page))
    style = "danger" if wish in ("remove", "none") else "primary"
    sure = Button(label=tr("Yes, for {name}", name=name), style=style, act=_act("set", one, place, page, wish))
    return note_card(plain(asked), buttons=((keep,), (sure,)))


def present_audit(lines: Sequence[AuditView], *, newer: bool, older: int | None, session: str | None) -> Card:
    """A page of the audit log, the newest first. ``older``: the id before which the next page begins."""
    shown: list[Line] = [(bold(tr("Audit log")), Span(text=tr(" of one session") if session else ""))]
    if not lines:
        shown.append(plain(tr("Nothing yet.")))
    for one in lines:
        at = datetime.fromtimestamp(one.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
        what = " ".join(part for part in (one.act, one.choice, one.detail) if part)
        words = f" · {one.surface} · {brief(what, 80)} · {brief(one.outcome, 80)}"
        where = f" · {brief(one.session, 40)}" if one.session else ""
        where += f" · ×{one.times}" if one.times > 1 else ""
        shown.append((Span(text=f"{at} UTC "), bold(brief(one.name, 40)), Span(text=words + where)))
    turns = []
    kept = {"session": session} if session else {}
    if newer:
        turns.append(Button(label=tr("Newest"), act=Act(do="audit", data=kept)))
    if older is not None:
        turns.append(Button(label=tr("Older"), act=Act(do="audit", data={**kept, "before": older})))
    buttons = (tuple(turns),) if turns else ()
    return Card(
        pieces=(Text(lines=tuple(shown), spill="audit.txt"),),
        buttons=buttons,
        summary=tr("Audit log"),
        one_message=True,
    )


def _data(place: int | None, page: int) -> dict[str, int]:
    return {"page": page} if place is None else {"page": page, "place": place}


def _act(choice: str, one: PersonView, place: int | None, page: int, wish: str | None = None) -> Act:
    """``role`` is what the card showed: the act counts only while it is so (invariant 4)."""
    data = {**_data(place, page), "person": one.id, "role": one.role, "here": one.here}
    return Act(do="people", choice=choice, data={**data, "wish": wish} if wish is not None else data)
