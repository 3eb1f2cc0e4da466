"""Topics: made, renamed, deleted, closed and switched off under our feet."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest

from bridge.chat.errors import ChatGone, MessageGone, OutcomeUnknown, PlaceGone
from bridge.chat.surface import Part, Place
from bridge.chat.telegram.client import Timeouts
from bridge.chat.telegram.surface import TelegramSurface
from bridge.sandbox.telegram import Chat, TelegramServer, User

Make = Callable[..., Part]


@pytest.fixture
def group(server: TelegramServer, owner: User) -> Chat:
    return server.group("Team", owner)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def patient(server: TelegramServer, token: str, quick: Timeouts, clock: Clock) -> AsyncIterator[TelegramSurface]:
    """A surface whose memory of refused topics runs by a clock of the test's."""
    async with TelegramSurface(token, server.base_url, timeouts=quick, topics_retry_s=600, clock=clock) as opened:
        yield opened


async def open_topic(surface: TelegramSurface, chat: Chat, title: str = "Session") -> Place:
    thread = await surface.open_place(str(chat.id), title)
    assert thread is not None
    return Place(1, str(chat.id), thread)


async def test_a_message_that_went_with_its_topic_tells_that_the_topic_is_gone(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, text: Make
) -> None:
    """So what waits for a person is asked anew, though nothing is to be sent; Telegram tells no bot of it."""
    place = await open_topic(surface, chat)
    first = await surface.send(place, text("one"), ring=False, key="l/1", index=0)
    second = await surface.send(place, text("two"), ring=False, key="l/2", index=0)
    await surface.delete(place, first)
    with pytest.raises(MessageGone):
        await surface.edit(place, first, text("other"))
    server.delete_topic(chat, chat.topics[int(place.thread or 0)])
    with pytest.raises(PlaceGone):
        await surface.edit(place, second, text("other"))


async def test_a_private_chat_gets_a_topic_and_messages_and_typing_appear_in_it(
    surface: TelegramSurface, chat: Chat, text: Make
) -> None:
    place = await open_topic(surface, chat, "api · fix login")
    topic = chat.topic("api · fix login")
    assert topic is not None
    assert place.thread == str(topic.id)
    await surface.send(place, text("in there"), ring=True, key="k", index=0)
    await surface.typing(place)
    found = chat.find("in there")
    assert found is not None
    assert found.thread == topic.id
    assert [(action, thread) for _, action, thread in chat.actions] == [("typing", topic.id)]


async def test_typing_without_a_topic_goes_to_the_chat(surface: TelegramSurface, chat: Chat, place: Place) -> None:
    await surface.typing(place)
    assert [(action, thread) for _, action, thread in chat.actions] == [("typing", None)]


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("  two\nlines  ", "two lines"),
        ("", "Session"),
        (" \n ", "Session"),
        ("x" * 128, "x" * 128),
        ("x" * 129, "x" * 127 + "…"),
        ("👩‍👩‍👧‍👦" * 20, "👩‍👩‍👧‍👦" * 11 + "…"),
        ("a\ud800b", "a\ufffdb"),
    ],
)
async def test_a_title_fits_and_is_cut_between_characters(
    surface: TelegramSurface, chat: Chat, title: str, shown: str
) -> None:
    await open_topic(surface, chat, title)
    assert [topic.name for topic in chat.topics.values()] == [shown]


async def test_a_topic_is_renamed_and_the_same_name_again_is_no_error(surface: TelegramSurface, chat: Chat) -> None:
    place = await open_topic(surface, chat, "old")
    await surface.rename_place(place, "new")
    await surface.rename_place(place, "new")
    assert [topic.name for topic in chat.topics.values()] == ["new"]


async def test_renaming_a_place_without_a_topic_calls_nothing(
    surface: TelegramSurface, server: TelegramServer, place: Place
) -> None:
    await surface.rename_place(place, "new")
    assert server.calls == []


async def test_without_topics_the_chat_is_the_place_and_it_is_asked_again_only_after_a_while(
    patient: TelegramSurface, server: TelegramServer, owner: User, clock: Clock
) -> None:
    chat = server.private_chat(owner, topics=False)
    assert await patient.open_place(str(chat.id), "one") is None
    assert await patient.open_place(str(chat.id), "two") is None
    assert len(server.calls) == 1
    server.enable_topics(chat)
    clock.now += 599
    assert await patient.open_place(str(chat.id), "three") is None
    clock.now += 2
    assert await patient.open_place(str(chat.id), "four") is not None


async def test_a_basic_group_has_no_topics(surface: TelegramSurface, server: TelegramServer, owner: User) -> None:
    chat = server.group("Old", owner, basic=True)
    assert await surface.open_place(str(chat.id), "one") is None


async def test_opening_a_place_where_the_bot_is_blocked_is_no_lack_of_topics(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    server.block(owner)
    with pytest.raises(ChatGone, match="blocked"):
        await surface.open_place(str(chat.id), "one")


async def test_a_lost_answer_to_a_new_topic_is_an_unknown_outcome(
    surface: TelegramSurface, server: TelegramServer, chat: Chat
) -> None:
    server.faults.lose_answer("createForumTopic")
    with pytest.raises(OutcomeUnknown):
        await surface.open_place(str(chat.id), "one")


async def test_a_deleted_topic_is_gone_and_nothing_is_posted(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, text: Make
) -> None:
    place = await open_topic(surface, chat)
    assert place.thread is not None
    server.delete_topic(chat, int(place.thread))
    with pytest.raises(PlaceGone):
        await surface.send(place, text(), ring=True, key="k", index=0)
    assert chat.from_bot == []


async def test_topics_switched_off_are_gone(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, text: Make
) -> None:
    place = await open_topic(surface, chat)
    server.disable_topics(chat)
    with pytest.raises(PlaceGone):
        await surface.send(place, text(), ring=True, key="k", index=0)
    with pytest.raises(PlaceGone):
        await surface.rename_place(place, "new")
    assert await surface.open_place(place.chat, "again") is None


async def test_a_message_that_lands_beside_its_deleted_topic_is_taken_back(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, text: Make
) -> None:
    """Invariant 3: it will be posted anew in a place that exists, and must not be seen twice (telegram-bot-api#854)."""
    place = await open_topic(surface, chat)
    assert place.thread is not None
    await surface.send(place, text("inside"), ring=True, key="k", index=0)
    server.ignores_lost_topics = True
    server.delete_topic(chat, int(place.thread))
    with pytest.raises(PlaceGone):
        await surface.send(place, text("astray"), ring=True, key="k", index=1)
    assert chat.find("astray") is None
    assert await surface.open_place(place.chat, "again") is not None


async def test_a_chat_where_even_a_new_topic_is_not_obeyed_has_no_topics(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, text: Make
) -> None:
    place = await open_topic(surface, chat)
    assert place.thread is not None
    server.ignores_lost_topics = True
    server.delete_topic(chat, int(place.thread))
    with pytest.raises(PlaceGone):
        await surface.send(place, text("astray"), ring=True, key="k", index=0)
    assert await surface.open_place(place.chat, "again") is None


async def test_a_closed_topic_of_a_supergroup_is_reopened(
    surface: TelegramSurface, server: TelegramServer, group: Chat, owner: User, text: Make, file: Make
) -> None:
    place = await open_topic(surface, group)
    topic = group.topics[int(place.thread or 0)]
    for part in (text("words"), file()):
        server.close_topic(group, owner, topic)
        await surface.send(place, part, ring=True, key="k", index=0)
        assert not topic.closed
    assert [message.thread for message in group.from_bot] == [topic.id, topic.id]


async def test_a_closed_topic_that_can_not_be_reopened_is_gone(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, text: Make
) -> None:
    place = await open_topic(surface, chat)
    chat.topics[int(place.thread or 0)].closed = True
    with pytest.raises(PlaceGone):
        await surface.send(place, text(), ring=True, key="k", index=0)
    assert "reopenForumTopic" not in [call.method for call in server.calls]


async def test_a_place_in_a_chat_unknown_to_the_bot_is_a_chat_that_is_gone(
    surface: TelegramSurface, place: Place, text: Make
) -> None:
    with pytest.raises(ChatGone, match="chat not found"):
        await surface.send(replace(place, chat="999"), text(), ring=True, key="k", index=0)


@pytest.mark.parametrize(
    ("place", "message", "address"),
    [
        (Place(1, "-1001234567890", "7"), "42", "https://t.me/c/1234567890/7/42"),
        (Place(1, "-1001234567890"), "42", "https://t.me/c/1234567890/42"),
        (Place(1, "-1001234567890", "7"), None, "https://t.me/c/1234567890/7"),
        (Place(1, "-1001234567890"), None, None),
        (Place(1, "4242", "7"), "42", None),
        (Place(1, "-987"), "42", None),
    ],
)
def test_only_what_is_in_a_supergroup_has_an_address(
    surface: TelegramSurface, place: Place, message: str | None, address: str | None
) -> None:
    assert surface.address(place, message) == address
