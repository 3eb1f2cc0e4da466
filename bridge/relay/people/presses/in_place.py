"""Cards that are changed where they stand: a press turns a list's page, a choice becomes the next question."""

from __future__ import annotations

from bridge.cards.model import Card
from bridge.relay.desk import Desk
from bridge.relay.notes import note, place_at
from bridge.relay.people.presses.pressed import Pressed
from bridge.store import conversations, posts
from bridge.store.engine import Tx
from bridge.store.records import Conversation


async def place_of_card(tx: Tx, pressed: Pressed) -> Conversation | None:
    """The conversation in which the card stands on which the button is; ``None``: in none, or it is not known."""
    part = await posts.part_at(tx, pressed.received.link.surface.name, pressed.press.where.chat, pressed.press.message)
    return await conversations.get(tx, part.conversation_id) if part is not None else None


async def place_of_press(tx: Tx, desk: Desk, pressed: Pressed) -> Conversation:
    """The conversation in which the card stands on which the button is; else the one in which it was pressed."""
    place = await place_of_card(tx, pressed)
    return place or await place_at(tx, pressed.received.link.surface.name, pressed.press.where, desk.clock())


async def change(tx: Tx, desk: Desk, pressed: Pressed, card: Card) -> None:
    """Draw the card of a press anew, in a transaction of the caller's."""
    await draw(tx, desk, pressed.key, await place_of_press(tx, desk, pressed), card)


async def draw(tx: Tx, desk: Desk, key: str, place: Conversation, card: Card) -> None:
    """Draw a note of a place anew. A card that is a post of a session's, and can't be, is answered with a note."""
    prefix = f"conversation/{place.id}/"
    post = await posts.get(tx, key)
    what = key.removeprefix(prefix) if key.startswith(prefix) else f"beside/{key}"
    reply_to = post.reply_to if post is not None else None
    # Final, so that a start need not read it: what its buttons do is stored apart.
    await note(tx, place, what, card, desk.clock(), reply_to=reply_to)


async def redraw(desk: Desk, pressed: Pressed, card: Card) -> None:
    """Draw the card of a press anew; or put it beside it, where its act says ``fresh``: its own card must stay."""
    if pressed.act.data.get("fresh"):
        await beside(desk, pressed, card)
        return
    async with desk.store.begin() as tx:
        await change(tx, desk, pressed, card)
    desk.nudge()


async def beside(desk: Desk, pressed: Pressed, card: Card) -> None:
    """Answer a press with a card of its own, as a reply to the one it was on, which stays."""
    async with desk.store.begin() as tx:
        place = await place_of_press(tx, desk, pressed)
        what, reply_to = f"press/{pressed.received.update_id}", pressed.press.message or None
        await note(tx, place, what, card, desk.clock(), reply_to=reply_to)
    desk.nudge()
