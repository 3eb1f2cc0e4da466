"""Channels as rooms: valid names, one for each session, found again, and what can't be made said in words."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.chat.capabilities import Capability, Room, Roomed
from bridge.chat.errors import OutcomeUnknown, Rejected, RetryAfter
from bridge.chat.intents import Command, Deleted, Edited, Say, Where
from bridge.chat.slack.room_names import PREFIX, is_named, names, slug
from bridge.chat.slack.surface import SlackSurface
from bridge.chat.slack.updates import intent_of
from bridge.chat.surface import Place
from bridge.sandbox.slack import Channel, SlackServer, User
from bridge.sandbox.slack.conversations import NAME

ROOM = Room("Fix the parser", "/home/ada/parser · laptop", "s1")


def made(server: SlackServer) -> list[Channel]:
    return [channel for channel in server.channels.values() if channel.creator is server.bot]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Fix the Parser!", "hapi-fix-the-parser"),
        ("Überprüfe das_Menü (2. Teil)", "hapi-uberprufe-das_menu-2-teil"),
        ("修复解析器", "hapi-修复解析器"),
        ("hapi-bridge", "hapi-bridge"),
        ("…", "hapi-session"),
        ("__", "hapi-session"),
        ("x" * 200, "hapi-" + "x" * 60),
    ],
)
def test_a_title_becomes_a_name_that_is_recognized(title: str, name: str) -> None:
    assert slug(title) == name


@given(st.text(max_size=100), st.text(max_size=40))
def test_whatever_a_session_is_called_its_last_name_is_one_that_slack_takes(title: str, mark: str) -> None:
    *_, last = found = list(names(title, mark))
    assert NAME.fullmatch(last)
    assert last.isascii()
    assert all(len(name) <= 80 and name.startswith(PREFIX) and name == name.lower() for name in found)
    assert is_named(found[0], title)


def test_a_name_that_goes_on_otherwise_is_another_sessions() -> None:
    assert is_named("hapi-parser-2", "parser")
    assert is_named("hapi-parser-0a1b2c", "parser")
    assert not is_named("hapi-parser-tests", "parser")


async def test_a_room_is_a_private_channel_that_its_owner_is_in(
    surface: SlackSurface, server: SlackServer, ada: User
) -> None:
    assert isinstance(surface, Roomed)
    assert Capability.ROOMS in surface.capabilities
    chat = await surface.open_room(ada.id, ROOM)
    [room] = made(server)
    assert (room.id, room.kind, room.name) == (chat, "private", "hapi-fix-the-parser")
    assert set(room.members) == {ada.id, server.bot.id}
    assert room.topic == "Fix the parser"
    assert room.purpose.startswith("/home/ada/parser · laptop · HAPI ")


async def test_what_a_session_is_called_names_nobody_and_keeps_the_limits(
    surface: SlackSurface, server: SlackServer, ada: User
) -> None:
    """Invariant 6."""
    await surface.open_room(ada.id, Room("<!channel> &" * 40, "<!here>" * 60, "s1"))
    [room] = made(server)
    assert len(room.topic) <= 250
    assert len(room.purpose) <= 250
    assert "<" not in room.topic + room.purpose
    assert " · HAPI " in room.purpose


@pytest.mark.parametrize(
    "method", ["conversations.create", "conversations.invite", "conversations.setPurpose", "conversations.setTopic"]
)
async def test_a_crash_anywhere_in_the_making_leaves_one_channel(
    make: Callable[..., SlackSurface], server: SlackServer, ada: User, method: str
) -> None:
    """Invariant 3: the process after it finds what was begun, or done, and makes no second one."""
    server.faults.lose_answer(method)
    async with make() as before:
        with pytest.raises(Exception, match="no answer"):
            await before.open_room(ada.id, ROOM)
    async with make() as after:
        chat = await after.open_room(ada.id, ROOM)
    [room] = made(server)
    assert (room.id, room.topic) == (chat, ROOM.title)
    assert ada.id in room.members


async def test_a_lost_answer_is_looked_up_by_the_same_process(
    surface: SlackSurface, server: SlackServer, ada: User
) -> None:
    """Invariant 3."""
    server.faults.lose_answer("conversations.create")
    with pytest.raises(OutcomeUnknown):
        await surface.open_room(ada.id, ROOM)
    await surface.open_room(ada.id, ROOM)
    assert len(made(server)) == 1


async def test_a_session_that_was_made_one_gets_it_again_and_another_does_not(
    make: Callable[..., SlackSurface], server: SlackServer, ada: User
) -> None:
    async with make() as before:
        first = await before.open_room(ada.id, ROOM)
    async with make() as after:
        taken = frozenset({first})
        other = await after.open_room(ada.id, Room(ROOM.title, "", "s2", taken))
        assert other != first
        assert await after.open_room(ada.id, ROOM) == first, "the store was lost, the channel was not"
    assert sorted(room.name for room in made(server)) == ["hapi-fix-the-parser", "hapi-fix-the-parser-2"]


async def test_an_archived_channel_is_not_taken_up_again(
    make: Callable[..., SlackSurface], server: SlackServer, ada: User
) -> None:
    async with make() as before:
        first = await before.open_room(ada.id, ROOM)
    server.archive(server.channels[first], ada)
    async with make() as after:
        assert await after.open_room(ada.id, ROOM) != first


async def test_a_name_that_slack_does_not_take_gives_way_to_a_plain_one(
    surface: SlackSurface, server: SlackServer, ada: User
) -> None:
    chat = await surface.open_room(ada.id, Room("𐌰𐌱𐌲", "", "s1"))
    assert server.channels[chat].name.isascii()


async def test_without_the_scope_there_is_no_room_and_the_reason_tells_what_to_do(
    surface: SlackSurface, server: SlackServer, ada: User
) -> None:
    server.scopes.discard("groups:write")
    with pytest.raises(Rejected, match=r"lacks groups:write.*slack-manifest"):
        await surface.open_room(ada.id, ROOM)
    assert made(server) == []


async def test_a_rate_limit_on_making_is_told_as_a_wait(surface: SlackSurface, server: SlackServer, ada: User) -> None:
    server.faults.flood("conversations.create", retry_after=7)
    with pytest.raises(RetryAfter) as wait:
        await surface.open_room(ada.id, ROOM)
    assert wait.value.seconds == 7


async def test_a_room_that_a_person_renamed_keeps_that_name(
    surface: SlackSurface, server: SlackServer, ada: User
) -> None:
    chat = await surface.open_room(ada.id, ROOM)
    place, room = Place(1, chat, room=True), server.channels[chat]
    await surface.rename_place(place, "Fix the lexer")
    assert (room.name, room.topic) == ("hapi-fix-the-lexer", "Fix the lexer")
    server.rename(room, "our-parser")
    await surface.rename_place(place, "Something else")
    assert (room.name, room.topic) == ("our-parser", "Something else")


async def test_a_thread_that_the_process_before_posted_is_found(
    make: Callable[..., SlackSurface], server: SlackServer, ada: User
) -> None:
    """Invariant 3: it died before it could store which it was."""
    wanted_ms = int(time.time() * 1000)
    async with make() as before:
        thread = await before.open_place(ada.id, "parser", mark="7/1", wanted_ms=wanted_ms)
    async with make() as after:
        assert await after.open_place(ada.id, "parser", mark="7/1", wanted_ms=wanted_ms) == thread
        assert await after.open_place(ada.id, "parser", mark="8/1", wanted_ms=wanted_ms) != thread
    assert len(server.dm(ada).from_bot) == 2


def event(text: str, **more: Any) -> dict[str, Any]:
    said = {"type": "message", "channel": "C1", "user": "U1", "text": text, "ts": "5.000001", **more}
    return {"type": "event_callback", "event": said, "authorizations": [{"is_bot": True, "user_id": "U9"}]}


def test_what_is_written_in_a_room_is_for_its_session() -> None:
    rooms, at = frozenset({"C1"}), Where("C1", None, private=False)
    assert intent_of(event("go on"), {}) is None, "elsewhere, what people say in a channel is theirs"
    said = intent_of(event("go on"), {}, rooms)
    assert isinstance(said, Say)
    assert (said.where, said.text, said.reply_to, said.addressed) == (at, "go on", None, False)
    called = intent_of(event("<@U9> go on"), {}, rooms)
    assert isinstance(called, Say)
    assert called.addressed
    reply = intent_of(event("go on", thread_ts="4.000001"), {}, rooms)
    assert isinstance(reply, Say)
    assert (reply.where, reply.reply_to) == (Where("C1", "4.000001", private=False), "4.000001")
    command = intent_of(event("/stop"), {}, rooms)
    assert isinstance(command, Command)
    assert command.where == at


def test_changed_and_deleted_words_in_a_room_are_found_where_they_were_said() -> None:
    rooms, at = frozenset({"C1"}), Where("C1", None, private=False)
    old = {"ts": "4.000001", "user": "U1", "text": "old"}
    changed = event("", subtype="message_changed", message={**old, "text": "new"}, previous_message=old)
    edit = intent_of(changed, {}, rooms)
    assert isinstance(edit, Edited)
    assert edit.where == at
    gone = intent_of(event("", subtype="message_deleted", previous_message=old), {}, rooms)
    assert isinstance(gone, Deleted)
    assert gone.where == at
