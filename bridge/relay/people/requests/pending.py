"""``/pending``: what waits for a decision in any session, each with a button that shows its card where one is."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_said
from bridge.cards.own.elsewhere import with_more_in_private
from bridge.cards.request.pending import PendingView, present_pending
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.requests import Request
from bridge.relay.notes import note
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.in_place import place_of_press, redraw
from bridge.relay.people.presses.pressed import Pressed, Refused, Words, not_pending, waiting_request
from bridge.relay.people.roles.roles import Leave
from bridge.store import posts


@dataclass(frozen=True, slots=True)
class Pending:
    """Lists what waits, and leads to it."""

    desk: Desk

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {"pending": Known(self._list, right="view")}

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {"pending": presses.Known(self._turn), "show_request": presses.Known(self._show)}

    async def _list(self, asked: Asked) -> Card:
        return self._page(asked.received.leave, 0)

    async def _turn(self, pressed: Pressed) -> Words:
        page = pressed.act.data.get("page")
        await redraw(self.desk, pressed, self._page(pressed.received.leave, page if isinstance(page, int) else 0))
        return ""

    def _page(self, leave: Leave, page: int) -> Card:
        seen = [one for one in self.desk.followers.values() if leave.sees(one.lineage)]
        found = [(one, request) for one in seen for request in one.requests.waiting() if request.state == "pending"]
        named = [_view(one, request) for one, request in found if leave.names(one.lineage)]
        card = present_pending(named, page)
        return with_more_in_private(card) if len(named) < len(found) else card

    async def _show(self, pressed: Pressed) -> Words:
        """Lead to a request's card: where it stands here already, by a reply to it; else it is posted here, too."""
        act, surface = pressed.act, pressed.received.link.surface.name
        async with self.desk.lock, self.desk.store.begin() as tx:
            request = waiting_request(self.desk, act)
            follower = self.desk.of_session(request.session)
            if follower is None or not pressed.received.leave.sees(follower.lineage):
                raise Refused(not_pending())
            place = await place_of_press(tx, self.desk, pressed)
            parts = [part for part in await posts.parts_of(tx, request.key, place.id) if part.index >= 0]
            standing = next((part.message for part in reversed(parts) if part.message and part.state == "sent"), None)
            if standing is not None:
                what, card = f"here/{surface}/{pressed.received.update_id}", present_said(tr("It stands here."))
                await note(tx, place, what, card, self.desk.clock(), reply_to=standing)
            elif not await posts.place_again(tx, request.key, place.id):
                raise Refused(not_pending())
        self.desk.nudge()
        return ""


def _view(follower: Follower, request: Request) -> PendingView:
    return PendingView(
        session_id=request.session,
        request_id=request.id,
        argument_hash=request.argument_hash,
        session_title=follower.session.title,
        tool=request.tool,
        arguments=request.arguments,
        danger=request.danger,
        sure=str(request.sure["name"]) if request.sure else "",
    )
