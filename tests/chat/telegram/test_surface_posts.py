"""What is sent, edited, deleted, and how it reaches the person."""

from collections.abc import Callable

import pytest

from bridge.cards.model import Act, Button, Card, File, Text, bold, button_token, code
from bridge.chat.capabilities import Capability
from bridge.chat.errors import MessageGone, Rejected
from bridge.chat.intents import Press
from bridge.chat.surface import Part, Place, Surface
from bridge.chat.telegram.surface import TelegramSurface
from bridge.sandbox.telegram import Chat, TelegramServer, User

Make = Callable[..., Part]
BUTTONS = {
    "inline_keyboard": [
        [
            {"text": "Allow", "callback_data": "abc", "style": "success"},
            {"text": "Copy", "copy_text": {"text": "ls -l"}},
        ]
    ]
}


def test_the_telegram_surface_is_a_surface(token: str) -> None:
    surface: Surface = TelegramSurface(token)
    assert surface.name == "telegram"
    assert Capability.FIND not in surface.capabilities
    assert {Capability.TOPICS, Capability.TYPING, Capability.REACTIONS} <= surface.capabilities


async def test_text_arrives_with_entities_buttons_and_no_preview(
    surface: TelegramSurface, chat: Chat, place: Place, text: Make
) -> None:
    """Invariant 6: entities, never markup; nothing previews."""
    entities = [{"type": "bold", "offset": 0, "length": 4}]
    part = text("bold <b>*plain*</b> https://example.org", entities=entities, reply_markup=BUTTONS)
    message = await surface.send(place, part, ring=True, key="k", index=0)
    [seen] = chat.from_bot
    assert str(seen.id) == message
    assert seen.text == "bold <b>*plain*</b> https://example.org"
    assert seen.marked("bold") == ["bold"]
    assert not seen.preview
    assert [(button.text, button.style, button.copy_text) for button in seen.buttons] == [
        ("Allow", "success", None),
        ("Copy", None, "ls -l"),
    ]


async def test_a_send_rings_only_if_told_to(surface: TelegramSurface, chat: Chat, place: Place, text: Make) -> None:
    await surface.send(place, text("loud"), ring=True, key="k", index=0)
    await surface.send(place, text("quiet"), ring=False, key="k", index=1)
    assert [message.silent for message in chat.from_bot] == [False, True]


async def test_a_reply_is_sent_even_if_the_message_replied_to_is_gone(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User, place: Place, text: Make
) -> None:
    question = server.say(chat, owner, "a question")
    await surface.send(place, text("first"), ring=True, reply_to=str(question.id), key="k", index=0)
    server.delete(question)
    await surface.send(place, text("second"), ring=True, reply_to=str(question.id), key="k", index=1)
    assert [message.reply_to for message in chat.from_bot] == [question.id, None]


async def test_a_file_arrives_byte_for_byte_with_name_and_caption(
    surface: TelegramSurface, chat: Chat, place: Place, file: Make
) -> None:
    await surface.send(place, file("答え ü.md", "# Größe 🟢\r\n\tend", caption="whole"), ring=False, key="k", index=0)
    [seen] = chat.from_bot
    assert seen.file is not None
    assert (seen.file.name, seen.file.data.decode()) == ("答え ü.md", "# Größe 🟢\r\n\tend")
    assert seen.text == "whole"
    assert seen.silent


async def test_an_empty_file_arrives_as_an_empty_line(
    surface: TelegramSurface, chat: Chat, place: Place, file: Make
) -> None:
    await surface.send(place, file(content=""), ring=False, key="k", index=0)
    [seen] = chat.from_bot
    assert seen.file is not None
    assert seen.file.data == b"\n"


async def test_a_card_is_drawn_sent_pressed_and_drawn_anew(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User, place: Place
) -> None:
    act = Act(do="decide", session="s", request="r", argument_hash="h", choice="allow")
    open_card = Card(
        pieces=(Text(lines=((bold("Run"), code("rm -r build")),)),),
        buttons=((Button(label="Allow", style="primary", act=act),),),
        files=(File(name="argument.json", text="{}"),),
        files_first=True,
    )
    posted = [
        await surface.send(place, part, ring=False, key="k", index=index)
        for index, part in enumerate(surface.render("k", open_card, place))
    ]
    attached, asked = chat.from_bot
    assert attached.file is not None
    assert asked.marked("code") == ["rm -r build"]
    server.press(asked, "Allow", owner)
    [update] = await anext(aiter(surface.updates()))
    press = surface.intent(update)
    assert isinstance(press, Press)
    assert (press.token, press.message) == (button_token("k", act), posted[1])
    settled = open_card.model_copy(update={"buttons": ((Button(label="Allowed by Ada"),),)})
    await surface.edit(place, posted[1], surface.render("k", settled, place)[1])
    assert [button.text for button in chat.from_bot[1].buttons] == ["Allowed by Ada"]


async def test_a_rejected_part_has_a_plainer_form(surface: TelegramSurface, text: Make) -> None:
    part = text(entities=[{"type": "bold", "offset": 0, "length": 5}])
    assert surface.duller(part) == text()


async def test_an_edit_changes_the_message_in_place_and_takes_buttons_away_that_are_no_more(
    surface: TelegramSurface, chat: Chat, place: Place, text: Make
) -> None:
    message = await surface.send(place, text("before", reply_markup=BUTTONS), ring=True, key="k", index=0)
    await surface.edit(place, message, text("after"))
    [seen] = chat.from_bot
    assert seen.text == "after"
    assert seen.buttons == []
    assert not seen.preview


async def test_an_edit_that_changes_nothing_succeeds(surface: TelegramSurface, place: Place, text: Make) -> None:
    message = await surface.send(place, text("same"), ring=True, key="k", index=0)
    await surface.edit(place, message, text("same"))


async def test_a_file_is_replaced_in_place(surface: TelegramSurface, chat: Chat, place: Place, file: Make) -> None:
    message = await surface.send(place, file(content="old"), ring=False, key="k", index=0)
    bold = [{"type": "bold", "offset": 0, "length": 3}]
    changed = file(content="new", caption="now", caption_entities=bold, reply_markup=BUTTONS)
    await surface.edit(place, message, changed)
    [seen] = chat.from_bot
    assert seen.file is not None
    assert (seen.file.name, seen.file.data) == ("answer.md", b"new")
    assert (seen.text, seen.marked("bold"), len(seen.buttons)) == ("now", ["now"], 2)


async def test_editing_what_a_person_deleted_says_that_it_is_gone(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, place: Place, text: Make
) -> None:
    message = await surface.send(place, text("here"), ring=True, key="k", index=0)
    server.delete(chat.from_bot[0])
    with pytest.raises(MessageGone):
        await surface.edit(place, message, text("there"))


async def test_a_file_that_should_become_text_counts_as_gone_so_that_it_is_posted_anew(
    surface: TelegramSurface, place: Place, text: Make, file: Make
) -> None:
    message = await surface.send(place, file(), ring=False, key="k", index=0)
    with pytest.raises(MessageGone):
        await surface.edit(place, message, text("words"))


async def test_a_message_is_deleted_once_and_again(
    surface: TelegramSurface, chat: Chat, place: Place, text: Make
) -> None:
    message = await surface.send(place, text(), ring=True, key="k", index=0)
    await surface.delete(place, message)
    assert chat.from_bot == []
    await surface.delete(place, message)


async def test_a_message_of_more_than_48_hours_is_not_deleted_and_says_so(
    surface: TelegramSurface, chat: Chat, place: Place, text: Make
) -> None:
    message = await surface.send(place, text(), ring=True, key="k", index=0)
    chat.from_bot[0].at -= 49 * 3600
    with pytest.raises(Rejected, match="can't be deleted"):
        await surface.delete(place, message)


async def test_a_send_can_not_be_asked_about(surface: TelegramSurface, place: Place) -> None:
    assert await surface.find(place, "k", 0, 0) is None


async def test_reactions_mark_a_persons_message(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User, place: Place
) -> None:
    said = server.say(chat, owner, "do it")
    seen = []
    for mark in ("queued", "taken", "failed", "none"):
        await surface.react(place, str(said.id), mark)
        seen.append(said.reactions.get(server.bot.id))
    assert seen == [["👀"], ["👌"], ["😢"], None]


async def test_a_press_is_answered_and_a_late_answer_is_no_error(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User, place: Place, text: Make
) -> None:
    await surface.send(place, text(reply_markup=BUTTONS), ring=True, key="k", index=0)
    press = server.press(chat.from_bot[0], "Allow", owner)
    await surface.acknowledge_press(press, "😀" * 150, alert=True)
    answer = await server.answer_to(press)
    assert answer.alert
    assert answer.text == "😀" * 99 + "…"
    await surface.acknowledge_press(press, "again")


async def test_the_menu_shows_the_commands(surface: TelegramSurface, server: TelegramServer) -> None:
    await surface.set_commands([("stop", "Stop the turn"), ("help", "What I can do")])
    [commands] = server.commands.values()
    assert commands == [
        {"command": "stop", "description": "Stop the turn"},
        {"command": "help", "description": "What I can do"},
    ]


async def test_check_tells_who_the_bot_is(surface: TelegramSurface, server: TelegramServer) -> None:
    identity = await surface.check()
    assert (identity.id, identity.username) == ("123456789", "hapi_bridge_bot")
    assert identity.has_topics_enabled
    server.topics_enabled = False
    assert not (await surface.check()).has_topics_enabled
