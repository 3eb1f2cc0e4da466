"""What nobody decided on has an end, too: it is not done, its note says so, shows the text whole, and asks no more.

That is what was kept back and asked about: a text whose session was not clear, or that came while a request waited;
what came late and was shown back; what did not reach the hub; a correction that was offered. Nothing is ever sent or
decided by time (invariant 10). Changing a note makes no phone ring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import structlog

from bridge.cards.model import Act
from bridge.cards.own.lapsed import present_lapsed
from bridge.language import tr
from bridge.relay.attached import whole_shown
from bridge.relay.desk import Desk
from bridge.relay.keeping import text_note
from bridge.relay.notes import note, note_key
from bridge.relay.people.words.own_words import plan_note
from bridge.relay.people.words.stale import HELD, HELD_COMMAND
from bridge.store import conversations, posts, says
from bridge.store.engine import Tx
from bridge.store.records import Conversation, SayRecord

log = structlog.get_logger(__name__)

OFFERED: Final = (HELD, HELD_COMMAND, "edit")
"""Notes that keep what they ask about in their own buttons: an old press, an old command, a correction."""


@dataclass(frozen=True, slots=True)
class Lapsing:
    """Gives up what waited for a word for ``after_ms`` since it was last asked about."""

    desk: Desk
    after_ms: int

    async def look(self) -> None:
        """Give up what is old enough by now. Each is a transaction of its own, so a crash leaves none half done."""
        before_ms = self.desk.clock() - self.after_ms
        async with self.desk.store.read() as tx:
            old = await says.undecided(tx, before_ms)
            offered = [post.key for part in OFFERED for post in await posts.asking_since(tx, f"/{part}/", before_ms)]
        count = sum([await self._text(say, before_ms) for say in old])
        count += sum([await self._offer(key, before_ms) for key in offered])
        if count:
            log.info("undecided.given_up", count=count)
            self.desk.nudge()

    async def _text(self, found: SayRecord, before_ms: int) -> bool:
        """Give a message up, unless somebody said meanwhile what becomes of it; whether it was."""
        now = self.desk.clock()
        async with self.desk.lock, self.desk.store.begin() as tx:
            say = await says.get(tx, found.local_id)
            place = await conversations.get(tx, found.conversation_id)
            if say is None or place is None or not says.is_undecided(say):
                return False
            what = text_note(say.local_id) if say.state == "kept" else f"say/{say.local_id}"
            asked = await posts.get(tx, note_key(place, what))
            if asked is None or asked.updated_ms >= before_ms:
                return False  # it waits for something else than a person's word, or was asked about anew
            card = present_lapsed(_words(say), await whole_shown(tx, say))
            await says.set_state(tx, [say.local_id], "cancelled", now, next_try_ms=None)
            await note(tx, place, what, card, now, reply_to=asked.reply_to)
            await self._plan(tx, place, say, now)
        return True

    async def _plan(self, tx: Tx, place: Conversation, say: SayRecord, now: int) -> None:
        """The note of a planned message says no longer that it will be sent."""
        plan = await posts.get(tx, note_key(place, plan_note(say.local_id)))
        if plan is not None:
            card = present_lapsed(_words(say), say.text)
            await note(tx, place, plan_note(say.local_id), card, now, reply_to=plan.reply_to)

    async def _offer(self, key: str, before_ms: int) -> bool:
        """Take an offer back, unless somebody took it meanwhile; whether it was."""
        async with self.desk.lock, self.desk.store.begin() as tx:
            post, act = await posts.get(tx, key), await posts.act_on(tx, key)
            place = await conversations.get(tx, int(key.split("/")[1]))
            if post is None or act is None or place is None or post.updated_ms >= before_ms:
                return False
            what = key.removeprefix(note_key(place, ""))
            card = present_lapsed(_words_of_offer(act), _written(act.data))
            await note(tx, place, what, card, self.desk.clock(), reply_to=post.reply_to)
        return True


def _words(say: SayRecord) -> str:
    match say.state:
        case "kept":
            return tr(
                "Nobody said what becomes of this message, so it was not sent. Send it again if you still want it:"
            )
        case "failed":
            return tr("🔴 Not sent, and nobody tried again. Send it again if you still want it:")
        case _:
            return tr("HAPI never told whether the agent got this message. It is not sent once more by itself:")


def _words_of_offer(act: Act) -> str:
    if act.do == "correct":
        return tr("Nobody pressed “Send as correction”, so this was not sent:")
    return tr("Nobody said what becomes of this, so it was not done:")


def _written(data: dict[str, Any]) -> str:
    """What the person wrote, or the button they pressed with what they wrote into its form."""
    said = [str(data[name]) for name in ("label", "text") if data.get(name)]
    return "\n".join(said)
