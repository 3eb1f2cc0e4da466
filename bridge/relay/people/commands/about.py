"""``/help`` and ``/status``: what there is, and how it is."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import StatusView, present_status
from bridge.cards.own.help import present_help
from bridge.chat.capabilities import Capability
from bridge.chat.surface import Surface
from bridge.observe.health import Health
from bridge.relay.desk import Desk
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.in_place import redraw
from bridge.relay.people.presses.pressed import Pressed, Words
from bridge.relay.people.session_rows import session_row
from bridge.store import posts, says


@dataclass(frozen=True, slots=True)
class About:
    """Tells of the bridge itself."""

    desk: Desk
    health: Health
    hub_url: str
    version: str

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {
            "status": Known(self._status, right="view"),
            "help": Known(self._help, right="view"),
            "start": Known(self._help, right="view"),
        }

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {"help": presses.Known(self._turn)}

    async def _status(self, asked: Asked) -> Card:
        rows = [session_row(follower) for follower in self.desk.live()]
        async with self.desk.store.read() as tx:
            unsent = await posts.undelivered(tx)
            kept = [say for say in await says.in_state(tx, ["kept", "sending"]) if say.next_try_ms is not None]
        hub = self.health.report()["hub"]
        follower = asked.target.follower
        view = StatusView(
            hub_url=self.hub_url,
            hub_ok=hub["state"] == "ok",
            hub_words=hub["words"],
            sessions=len(rows),
            busy=sum(row.busy for row in rows),
            waiting=sum(row.waiting for row in rows),
            unsent=unsent,
            kept=len(kept),
            version=self.version,
            level=asked.place.level,
            session=session_row(follower) if follower is not None else None,
        )
        return present_status(view)

    async def _help(self, asked: Asked) -> Card:
        return _help(asked.received.link.surface)

    async def _turn(self, pressed: Pressed) -> Words:
        card = _help(pressed.received.link.surface, str(pressed.act.data.get("shelf", "")))
        await redraw(self.desk, pressed, card)
        return ""


def _help(surface: Surface, shelf: str = "") -> Card:
    can = surface.capabilities
    return present_help(shelf, replies=Capability.REPLIES in can, slashed=Capability.COMMANDS in can)
