"""``/stop``: end the turn of the session meant."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_choose_stop, present_command_error, present_said
from bridge.hub.errors import HubError
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.sessions import SessionView
from bridge.relay.people.commands.answering import answer
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.company.audit import trying
from bridge.relay.people.presses.pressed import Refused
from bridge.relay.people.session_rows import session_row
from bridge.relay.people.sessions.acting import is_running
from bridge.relay.people.sessions.facts import fetch
from bridge.relay.people.stopping import stop_session
from bridge.relay.people.target import Target
from bridge.store import conversations


@dataclass(frozen=True, slots=True)
class Stopping:
    """Stops sessions."""

    desk: Desk
    api: HubApi

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {"stop": Known(self._stop, waits=True, logs=True)}

    async def _stop(self, asked: Asked) -> Card | None:
        if asked.command.where.private or asked.received.leave.role != "owner":
            return await self._carry(asked)
        # Asked beside a message of anybody's: where no session is shown, none is named before others either. Whichever
        # is meant, the owner hears of it in their own chat.
        async with self.desk.store.begin() as tx:
            shown = await conversations.lineages_in(tx, asked.place.id)
            link = asked.received.link
            home = await conversations.ensure_chat(tx, link.surface.name, link.home.chat, self.desk.clock())
        if shown or asked.target.gone:
            return await self._carry(asked)
        every = asked.target if asked.target.follower is not None else Target(choices=tuple(self.desk.live()))
        await answer(self.desk, replace(asked, place=home), await self._carry(replace(asked, target=every)), apart=True)
        return None

    async def _carry(self, asked: Asked) -> Card:
        target = asked.target
        busy = [follower for follower in target.choices if is_running(self.desk, follower.session)]
        if target.follower is not None or len(busy) == 1:
            follower = target.follower or busy[0]
            title = follower.session.title
            if not await self._runs(follower):
                return present_said(tr("Nothing runs in “{title}”: there is nothing to stop.", title=title))
            try:
                async with trying(self.desk, asked.received, "stop", session=follower.session.id):
                    if words := await stop_session(self.desk, self.api, follower.session.id):
                        raise Refused(tr("Not stopped: {why}", why=words))
            except Refused as error:
                return present_command_error(str(error))
            return present_said(tr("Stopping… ({title})", title=title))
        if busy:
            return present_choose_stop([session_row(follower) for follower in busy])
        return present_said(tr("No session is running: there is nothing to stop."))

    async def _runs(self, follower: Follower) -> bool:
        """Whether there is anything to stop, as far as we know; where we see nothing, the hub is asked."""
        if is_running(self.desk, follower.session):
            return True
        try:
            return is_running(self.desk, SessionView(await fetch(self.desk, self.api, follower.session.id)))
        except HubError:
            return follower.session.active  # better stopped in vain than not at all
