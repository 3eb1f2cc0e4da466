"""Names: whose words they are, before what goes to an agent that several people may talk to.

Set when a text is kept, whatever way it came: said, planned, sent with scenarios, as a correction, as the reason of a
denial, as an agent's own command. Put before it once, when it goes (see ``sending``), however many pieces it has.
"""

from __future__ import annotations

from dataclasses import replace

from bridge.relay.desk import Link
from bridge.relay.people.roles.rights import several_talk
from bridge.store.engine import Tx
from bridge.store.records import Conversation, SayRecord

SPEAKER = "speaker"
"""In a message's data: whose name stands before it, where several people may talk to a session."""


async def named(tx: Tx, link: Link, place: Conversation, record: SayRecord) -> SayRecord:
    """A kept text, with its writer's name if others than the owner may talk where it was said. In somebody's own chat
    with the bot the owner goes without a name, and everybody else with theirs: the session is not theirs alone."""
    private = place.chat in (record.person_id, link.home.chat)
    if record.person_id == link.home.owner_id if private else not await several_talk(tx, link, place):
        return record
    return replace(record, data={**record.data, SPEAKER: record.person_name})
