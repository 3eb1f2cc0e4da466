"""``/invite``, ``/pair``, ``/people``, ``/audit``: who may do what here, and who did what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_command_error, present_said
from bridge.cards.own.people import (
    GIVEN,
    PAGE,
    AuditView,
    PersonView,
    present_audit,
    present_invitation,
    present_paired,
    present_people,
    present_person,
    present_sure,
    role_says,
    role_word,
)
from bridge.language import tr
from bridge.relay.desk import Desk, Link
from bridge.relay.manners import Manners
from bridge.relay.notes import note, note_key
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.company import pairing
from bridge.relay.people.company.audit import record, record_counted
from bridge.relay.people.presses import pressed
from bridge.relay.people.presses.in_place import change
from bridge.relay.people.presses.pressed import Pressed, Refused, Words
from bridge.relay.people.roles.roles import is_admitted
from bridge.store import audit, conversations, people
from bridge.store.engine import Tx
from bridge.store.records import Conversation, Pairing

LINES: Final = 10
"""Lines of the audit log on one page."""


@dataclass(frozen=True, slots=True)
class People:
    """Carries out commands and presses about people. What changes and its line in the audit log are one transaction."""

    desk: Desk
    manners: Manners

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {
            "invite": Known(self._invite, right="own", logs=True),
            "pair": Known(self._pair, right=None, logs=True),
            "people": Known(self._people, right="own"),
            "audit": Known(self._audit, right="own"),
        }

    def handlers(self) -> dict[str, pressed.Known]:
        """By the act's name."""
        return {"people": pressed.Known(self._pressed, logs=True), "audit": pressed.Known(self._turn_page)}

    async def _invite(self, asked: Asked) -> Card | None:
        words = asked.command.arguments.split()
        role = words[0].lower() if words else "member"
        if role not in GIVEN:
            roles = "; ".join(f"{role} ({role_word(role)}): {role_says(role)}" for role in GIVEN)
            return present_command_error(tr("Which role? {roles}", roles=roles))
        received, now, link = asked.received, self.desk.clock(), asked.received.link
        place = None if asked.command.where.private else asked.place
        minutes = self.manners.invitation_ms // 60_000
        async with self.desk.store.begin() as tx:
            home = await conversations.ensure_chat(tx, link.surface.name, link.home.chat, now)
            what, id = f"invitation/{received.update_id}", place.id if place is not None else None
            life_ms, key = self.manners.invitation_ms, note_key(home, what)
            code = await pairing.make(tx, link.surface.name, role, id, key, now, life_ms)
            where = _name(place) if place is not None else None
            await note(tx, home, what, present_invitation(code.shown, role, minutes, where), now)
            await record(tx, received, now, "invite", choice=role)
            if place is not None:
                card = present_said(tr("The code for this conversation is in your own chat with me."))
                await note(
                    tx, place, f"command/{received.update_id}", card, now, reply_to=asked.command.message or None
                )
            await received.settle(tx)  # carried out again it would be a second code
        self.desk.nudge()
        return None

    async def _pair(self, asked: Asked) -> None:
        received, now = asked.received, self.desk.clock()
        async with self.desk.store.begin() as tx:
            card = await self._answer_pair(tx, asked, now)
            if card is not None:
                what, reply_to = f"command/{received.update_id}", asked.command.message or None
                await note(tx, asked.place, what, card, now, reply_to=reply_to)
            await received.settle(tx)  # carried out again the code would be a wrong one
        self.desk.nudge()

    async def _answer_pair(self, tx: Tx, asked: Asked, now: int) -> Card | None:
        received, command, link = asked.received, asked.command, asked.received.link
        person, name = command.person, link.surface.name
        if not command.where.private:
            await pairing.void(tx, command.arguments)
            words = tr("Codes are for our private chat: others could read this one, so it is void. Ask for another.")
            return present_command_error(words)
        if person.id == link.home.owner_id:
            return present_said(tr("You are the owner: there is nothing to pair."))
        if not is_admitted(link.home, person):
            await record_counted(tx, received, now, "pair", "refused: a guest or stranger whom nobody named")
            words = tr("Guests and people of other workspaces must be named in the bridge's configuration first.")
            return present_command_error(words)
        if not command.arguments:
            return present_said(tr("Ask the owner for a code, then send it here: /pair CODE"))
        used = await pairing.use(tx, name, person.id, command.arguments, now)
        if isinstance(used, Pairing):
            return await self._paired(tx, asked, used)
        await record_counted(tx, received, now, "pair", f"refused: {used}")
        if used == "silent":
            return None
        if used == "too_often":
            return present_command_error(tr("Too many tries. Wait an hour, then ask for a new code."))
        return present_command_error(tr("That code is not right, was used, or is too old. Ask for a new one."))

    async def _paired(self, tx: Tx, asked: Asked, used: Pairing) -> Card:
        received, person, now = asked.received, asked.command.person, self.desk.clock()
        name = received.link.surface.name
        place = await conversations.get(tx, used.conversation_id) if used.conversation_id is not None else None
        if place is not None:
            await people.named(tx, name, person.id, person.name)
            await people.give_here(tx, name, person.id, place.id, used.role)
        else:
            await people.put(tx, name, person.id, person.name, used.role)
        await people.stands(tx, name, person.id, person.standing)
        await record(tx, received, now, "pair", choice=used.role)
        home = await conversations.ensure_chat(tx, name, received.link.home.chat, now)
        where = _name(place) if place is not None else None
        what = used.note_key.removeprefix(note_key(home, ""))
        await note(tx, home, what, present_paired(person.name, used.role, where), now)
        said = {"role": role_word(used.role), "says": role_says(used.role)}
        if where is not None:
            return present_said(tr("You are {role} in {where} now: you {says}.", where=where, **said))
        return present_said(tr("You are {role} now: you {says}.", **said))

    async def _people(self, asked: Asked) -> Card:
        place = None if asked.command.where.private else asked.place
        async with self.desk.store.read() as tx:
            return await self._list(tx, asked.received.link, asked.command.person.name, 0, place)

    async def _list(self, tx: Tx, link: Link, owner: str, page: int, place: Conversation | None) -> Card:
        views = [
            await self._view(tx, link, one.platform_id, place) for one in await people.everybody(tx, link.surface.name)
        ]
        shown = [view for view in views if view.role is not None]
        page = min(page, max(0, (len(shown) - 1) // PAGE))
        return present_people(shown, owner=owner, page=page, place=place.id if place is not None else None)

    async def _view(self, tx: Tx, link: Link, id: str, place: Conversation | None) -> PersonView:
        """Somebody as they are now, everywhere or in a conversation."""
        name = link.surface.name
        known = await people.get(tx, name, id)
        here = await people.here(tx, name, id)
        role = known.role if known is not None else None
        if place is None:
            # Who has a role in single conversations alone is listed, too: they can be removed.
            role = role or ("none" if here else None)
            return PersonView(id, known.name if known is not None else id, role)
        return PersonView(id, known.name if known is not None else id, here.get(place.id, role), place.id in here)

    async def _pressed(self, pressed: Pressed) -> Words:
        """The list, one person, a change to confirm, or the change itself, if all is still as the card showed it."""
        act, link, now = pressed.act, pressed.received.link, self.desk.clock()
        data, name = act.data, link.surface.name
        page = int(data.get("page", 0))
        async with self.desk.store.begin() as tx:
            place = await conversations.get(tx, int(data["place"])) if "place" in data else None
            if act.choice == "list":
                owner = pressed.press.person.name
                await change(tx, self.desk, pressed, await self._list(tx, link, owner, page, place))
                return ""
            one = await self._view(tx, link, str(data["person"]), place)
            id = place.id if place is not None else None
            if act.choice == "show":
                await change(tx, self.desk, pressed, present_person(one, page=page, place=id))
                return ""
            if (one.role, one.here) != (data.get("role"), data.get("here")):
                raise Refused(tr("Their role has changed meanwhile. Look at it again."))
            wish = str(data["wish"])
            if act.choice == "ask":
                await change(tx, self.desk, pressed, present_sure(one, wish, page=page, place=id))
                return ""
            await self._give(tx, name, one, wish, id)
            await record(
                tx, pressed.received, now, "role", choice=wish, detail=f"{one.name} ({one.id}), was {one.role}"
            )
            owner = pressed.press.person.name
            await change(tx, self.desk, pressed, await self._list(tx, link, owner, page, place))
        self.desk.nudge()
        return tr("Done.")

    async def _give(self, tx: Tx, surface: str, one: PersonView, wish: str, place: int | None) -> None:
        match wish:
            case "remove":
                await people.remove(tx, surface, one.id)
            case "as_elsewhere" if place is not None:
                await people.give_here(tx, surface, one.id, place, None)
            case role if place is not None and role in (*GIVEN, "none"):
                await people.give_here(tx, surface, one.id, place, role)
            case role if role in GIVEN:
                await people.put(tx, surface, one.id, one.name, role)
            case _:
                raise Refused(tr("That is no role."))

    async def _audit(self, asked: Asked) -> Card:
        follower = None if asked.command.arguments else asked.target.follower
        session = asked.command.arguments or (
            follower.session.id if follower is not None and asked.place.thread else None
        )
        if not asked.command.where.private:
            return present_command_error(tr("Ask for it in your own chat with me: others read here."))
        return await self._page(session, None)

    async def _turn_page(self, pressed: Pressed) -> Words:
        session, before = pressed.act.data.get("session"), pressed.act.data.get("before")
        card = await self._page(session, before if isinstance(before, int) else None)
        async with self.desk.store.begin() as tx:
            await change(tx, self.desk, pressed, card)
        return ""

    async def _page(self, session: str | None, before: int | None) -> Card:
        async with self.desk.store.read() as tx:
            found = await audit.page(tx, before=before, limit=LINES + 1, session_id=session)
        lines = []
        for one in found[:LINES]:
            follower = self.desk.of_session(one.session_id) if one.session_id else None
            title = follower.session.title if follower is not None else (one.session_id or "")[:8]
            lines.append(
                AuditView(
                    one.at_ms,
                    one.person_name,
                    one.surface,
                    one.act,
                    one.choice or "",
                    one.outcome,
                    title,
                    one.detail or "",
                    one.times,
                )
            )
        older = found[LINES - 1].id if len(found) > LINES else None
        return present_audit(lines, newer=before is not None, older=older, session=session)


def _name(place: Conversation) -> str:
    return place.title or tr("that conversation")
