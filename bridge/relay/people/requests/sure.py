"""The second tap: what would do lasting harm is allowed only when somebody says so twice, or a second person does.

The first tap is kept with the request, in the store, and drawn on every surface. It falls with a change of the
request's arguments (another card), with *Not now*, with any decision, and, where one person may do both, after
:data:`STANDS_MS`. Hold the desk's lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.follow.requests import Request
from bridge.relay.people.company.audit import record_act
from bridge.relay.people.presses.pressed import Pressed, Refused, Words
from bridge.relay.people.requests import answers
from bridge.relay.people.roles.rights import Rights
from bridge.store.engine import Tx

STANDS_MS: Final = 10 * 60_000
"""How long a first tap counts. A second one after that is a thumb that found an old card."""


@dataclass(frozen=True, slots=True)
class MeantTwice:
    """Takes first and second taps."""

    desk: Desk
    rights: Rights

    async def first(self, pressed: Pressed, request: Request) -> Words:
        """Note the first tap, and ask for the second one on the card."""
        press, act, another = pressed.press, pressed.act, self.desk.rules.second_approver
        request.sure = {
            "choice": act.choice,
            "data": act.data,
            "surface": pressed.received.link.surface.name,
            "person": press.person.id,
            "name": press.person.name,
            "another": another,
            "at_ms": self.desk.clock(),
        }
        request.note = ""

        async def with_it(tx: Tx) -> None:
            await record_act(tx, pressed.received, self.desk.clock(), act, "first tap")

        await answers.redraw(self.desk, request, pressed.received, with_it)
        return tr("Now somebody else must confirm it.") if another else tr("Look again, and confirm it below.")

    async def second(self, pressed: Pressed, request: Request) -> bool:
        """Check that a second tap confirms the first one; whether it had to be another person's, and is.

        Raises :class:`Refused` with the reason.
        """
        sure, act, received = request.sure, pressed.act, pressed.received
        if sure is None or sure["choice"] != act.choice or sure["data"] != act.data:
            raise Refused(tr("There is nothing to confirm any more. Look at the card."))
        if not (sure["another"] or self.desk.rules.second_approver):  # asked for meanwhile, perhaps
            if self.desk.clock() - sure["at_ms"] > STANDS_MS:
                raise Refused(tr("That was too long ago. Press “Not now”, and begin again if you still want it."))
            return False
        first, then = (sure["surface"], sure["person"]), (received.link.surface.name, pressed.press.person.id)
        if not self.rights.second(first, then, received.leave):
            if first[0] != then[0] and not self.rights.is_owner(*then):
                raise Refused(
                    tr(
                        "{name} was the first, on another platform, and may be you: the owner must confirm this, or "
                        "somebody else there.",
                        name=sure["name"],
                    )
                )
            raise Refused(tr("{name} was the first: somebody else must confirm this.", name=sure["name"]))
        if not await self.rights.may_still(*first, request.session, "approve"):
            raise Refused(
                tr(
                    "{name} was the first, and may decide nothing here any more. Press “Not now”, and begin again if "
                    "you still want it.",
                    name=sure["name"],
                )
            )
        return True
