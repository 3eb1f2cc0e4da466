"""Texts: which session a person's words are for, and what becomes of them. Never guessed (invariant 10).

In a topic they are for its session; a reply is for the session of the message replied to; in a chat that several live
sessions share, the text is kept and asked about. While a request waits they are offered to the person again: free text
never approves. A reply to a question's own card is its answer; where a platform has no such replies, so are words in
the session's own place while that question is all that waits.
"""

from __future__ import annotations

import structlog

from bridge.cards.own.bridge_notes import (
    present_choose_session,
    present_said,
)
from bridge.cards.request.question import is_question
from bridge.chat.capabilities import Capability
from bridge.chat.intents import Say
from bridge.language import N_, tr
from bridge.relay.attached import whole_shown
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.requests import Request
from bridge.relay.keeping import FOLLOWS, ask_again, keep_or_send, say_record, text_note
from bridge.relay.notes import note, place_at
from bridge.relay.people.beside import Later
from bridge.relay.people.company.refusing import refuse
from bridge.relay.people.naming import named
from bridge.relay.people.received import Received
from bridge.relay.people.requests.answers import NotTaken, answer_in_words
from bridge.relay.people.requests.claims import Claims
from bridge.relay.people.roles.roles import Leave
from bridge.relay.people.session_rows import session_row
from bridge.relay.people.target import Target
from bridge.relay.people.words.albums import began, joined, pause_of
from bridge.relay.people.words.refusing_files import was_refused
from bridge.relay.people.words.sending import Sender
from bridge.relay.people.words.stale import Stale, is_old
from bridge.store import conversations, posts, says
from bridge.store.engine import Tx
from bridge.store.records import Conversation, SayRecord

log = structlog.get_logger(__name__)

NOBODY = N_("No session is running, so there is nobody to hear this. Start one with `hapi` on your computer.")
GONE = N_("That session is gone, so this was not sent. Write to another one, or without replying.")
UNHEARD = N_("HAPI can't be reached yet. Your message is kept and will be passed on when it is.")
NONE_HERE = N_("No session is shown here. `attach` shows one; in your own chat you can write to any.")
MOST_OFFERED = 5


class Texts:
    """Takes people's texts."""

    def __init__(self, desk: Desk, sender: Sender, claims: Claims, stale: Stale, *, pause_ms: int) -> None:
        self._desk = desk
        self._pause_ms = pause_ms
        self._sender = sender
        self._stale = stale
        self._claims = claims
        self._last_ms = 0
        """When the last text came: each has a later stamp than the one before, since their order hangs on it."""

    async def say(self, received: Received, said: Say) -> Later | None:
        """A text: route it, keep it, and send it or ask about it."""
        surface, now = received.link.surface.name, self._desk.clock()
        self._last_ms = now_said = max(now, self._last_ms + 1)
        async with self._desk.lock:
            async with self._desk.store.begin() as tx:
                place = await place_at(tx, surface, said.where, now)
                if await was_refused(tx, place, said):
                    return None
                record = say_record(surface, place, said, None, now_said)
                if (head := await joined(tx, record, now, self._pause_ms)) is not None:
                    await self._grown(tx, place, head, said, received.leave, now)
                    self._sender.nudge()
                    self._desk.nudge()
                    return None
                if not (said.addressed or await is_sessions_own(tx, place) or await began(tx, record, now)):
                    return None  # people talk among themselves
                if received.leave.role != "owner" and await self._is_unattached(tx, place, said):
                    # Showing a session somewhere is the owner's to do, and what it answers would not be seen here.
                    card = present_said(tr("No session is shown here. Write where one is, or ask the owner."))
                    await note(tx, place, f"nobody/{received.update_id}", card, now, reply_to=said.message)
                    self._desk.nudge()
                    return None
                target = await self._whom(tx, place, said, received.leave)
                if target.follower is None and not target.gone and not self._desk.heard.is_set():
                    await note(tx, place, f"unheard/{received.update_id}", present_said(tr(UNHEARD)), now)
                    return Later(lambda: self._once_heard(received))
                lineage = target.follower.lineage if target.follower is not None else ""
                if (refusal := received.leave.refusal_for("talk", lineage)) is not None:
                    return Later(lambda: self._refused(received, said, refusal))
                question = target.request if target.request and is_question(target.request.tool) else None
                if target.follower is not None and place.kind in ("topic", "room"):
                    question = question or await self._asked(tx, surface, place, target.follower, said.sent_at_ms)
                if said.files or received.leave.refusal_for("approve", lineage) is not None:
                    question = None  # a file is no answer; their words are said to the agent, or offered, as any others
                record = say_record(surface, place, said, target.follower, now_said)
                record = await named(tx, received.link, place, record)
                if target.follower is not None and is_old(said, now):
                    if not self._desk.heard.is_set():
                        return Later(lambda: self._once_heard(received))  # only then it is known what was said since
                    if await self._stale.hold_text(tx, place, record, said, target.follower, question):
                        self._desk.nudge()
                        return None
                if question is None:
                    await self._take(tx, place, record, target, now)
            if question is not None:
                try:
                    words = await answer_in_words(self._desk, question, said.text, received, said.person)
                except NotTaken as refusal:
                    words = str(refusal)
                async with self._desk.store.begin() as tx:
                    what = f"answer/{received.update_id}"
                    await note(tx, place, what, present_said(words), now, reply_to=said.message)
        self._sender.nudge()
        self._claims.nudge()
        self._desk.nudge()
        return None

    async def _is_unattached(self, tx: Tx, place: Conversation, said: Say) -> bool:
        """Whether something was said among people, to no session in particular, where none is shown."""
        if said.reply_to is not None and await posts.part_at(tx, place.surface, place.chat, said.reply_to) is not None:
            return False
        return not await conversations.lineages_in(tx, place.id)

    async def _refused(self, received: Received, said: Say, why: str) -> None:
        await refuse(self._desk, received, said, why)

    async def _once_heard(self, received: Received) -> None:
        """The text waits, as its update does, until the hub has told which sessions there are."""
        self._desk.nudge()
        await self._desk.heard.wait()
        assert received.again is not None
        later = await received.again()
        if later is not None:
            await later.run()

    async def _whom(self, tx: Tx, place: Conversation, said: Say, leave: Leave) -> Target:
        """Whom a text is for. What is said among people where no session is shown: for one that will be."""
        if not said.where.private and await self._is_unattached(tx, place, said):
            here = [one for one in self._desk.live() if leave.names(one.lineage)]
            return Target(choices=tuple(here), attaches=True)
        return await self.target(tx, place.surface, place, said.reply_to, leave)

    async def target(self, tx: Tx, surface: str, place: Conversation, reply_to: str | None, leave: Leave) -> Target:
        """Whom words said in a place, perhaps as a reply to a message, are for. Only what ``leave`` sees is named."""
        if reply_to is not None:
            part = await posts.part_at(tx, surface, place.chat, reply_to)
            post = await posts.get(tx, part.post_key) if part is not None else None
            follower = self._desk.followers.get(post.lineage) if post is not None else None
            if post is not None and follower is None and post.session_id is not None:
                return Target(gone=True)
            if follower is not None and post is not None and leave.sees(follower.lineage):
                request = follower.requests.by_key(post.key)
                return Target(follower, request if request is not None and request.open else None)
        here = [self._desk.followers.get(lineage) for lineage in await conversations.lineages_in(tx, place.id)]
        followers = [follower for follower in here if follower is not None]
        if place.kind in ("topic", "room") and len(followers) == 1:
            return Target(followers[0])
        everybody = [follower for follower in self._desk.followers.values() if leave.names(follower.lineage)]
        live = [one for one in followers if one.session.active] or [one for one in everybody if one.session.active]
        if len(live) == 1:
            return Target(live[0])
        # Where none is live, the last ones are offered: one of them may only be away for a moment.
        last = sorted(everybody, key=lambda one: -one.anchor.at)[:MOST_OFFERED]
        return Target(choices=tuple(live or last))

    async def _asked(
        self, tx: Tx, surface: str, place: Conversation, follower: Follower, sent_at_ms: int
    ) -> Request | None:
        """The question that words in a session's own place answer, where nobody can reply to its card: the only thing
        that waits, and shown there before the words were written."""
        link = self._desk.links_by_name.get(surface)
        waiting = follower.requests.waiting()
        if link is None or Capability.REPLIES in link.surface.capabilities or len(waiting) != 1:
            return None
        request = waiting[0]
        if request.state != "pending" or not is_question(request.tool):
            return None
        shown = [part.sent_ms for part in await posts.parts_of(tx, request.key, place.id) if part.state == "sent"]
        return request if any(sent_ms is not None and sent_ms <= sent_at_ms for sent_ms in shown) else None

    async def _take(self, tx: Tx, place: Conversation, record: SayRecord, target: Target, now: int) -> None:
        if target.follower is None:
            await self._ask_whom(tx, place, record, target, now)
        elif await says.add(tx, record):
            pause_ms = pause_of(record, self._pause_ms)
            await keep_or_send(tx, place, record, target.follower, now, pause_ms=pause_ms)

    async def _grown(self, tx: Tx, place: Conversation, head: SayRecord, said: Say, leave: Leave, now: int) -> None:
        """Another message of an album came: where its first one was asked about, the card tells of this one, too."""
        if head.next_try_ms is not None or FOLLOWS in head.data:
            return
        follower = self._desk.followers.get(head.lineage)
        if not head.lineage:
            target = await self._whom(tx, place, said, leave)
            await self._show_choice(tx, place, head, target, now)
        elif await self._stale.holds(tx, place, head, follower) or follower is None:
            return
        else:
            await ask_again(tx, place, head, follower, now)

    async def _ask_whom(self, tx: Tx, place: Conversation, record: SayRecord, target: Target, now: int) -> None:
        """Several sessions could be meant, or none: the text is kept until a person says which."""
        if not target.choices:
            words = tr(GONE) if target.gone else tr(NONE_HERE) if target.attaches else tr(NOBODY)
            await note(tx, place, f"nobody/{record.local_id}", present_said(words), now, reply_to=record.message)
            return
        if await says.add(tx, record):
            await self._show_choice(tx, place, record, target, now)

    async def _show_choice(self, tx: Tx, place: Conversation, record: SayRecord, target: Target, now: int) -> None:
        rows = [session_row(follower) for follower in target.choices]
        card = present_choose_session(await whole_shown(tx, record), rows, record.local_id, attaches=target.attaches)
        await note(tx, place, text_note(record.local_id), card, now, reply_to=record.message, open_=True)


async def is_sessions_own(tx: Tx, place: Conversation) -> bool:
    """Whether what is said in a place is for the session shown there, though nobody is addressed. A whole group is
    no such place, whatever is shown in it."""
    return place.kind != "chat" and bool(await conversations.lineages_in(tx, place.id))
