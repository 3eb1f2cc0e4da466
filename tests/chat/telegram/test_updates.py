"""From Telegram's updates to what a person wants."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.chat.intents import Command, Edited, Intent, Person, PlaceChanged, Press, Say, SentFile, Unsupported, Where
from bridge.chat.telegram.updates import WANTED, intent_of

ADA = {"id": 7, "is_bot": False, "first_name": "Ada", "last_name": "L.", "username": "ada"}
PERSON = Person("7", "Ada L.")
PRIVATE = {"id": 7, "type": "private", "first_name": "Ada"}
GROUP = {"id": -100, "type": "supergroup", "title": "Team", "is_forum": True}
BOT = "hapi_bridge_bot"


def message(chat: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {"update_id": 1, "message": {"message_id": 5, "from": ADA, "chat": chat or PRIVATE, "date": 1000, **fields}}


def meant(payload: dict[str, Any]) -> Intent | None:
    return intent_of(payload, BOT)


def test_a_text_is_said_as_it_was_typed() -> None:
    text = "  see *this* <b>and</b> https://x.y  "
    entities = [
        {"type": "url", "offset": 28, "length": 11},
        {"type": "text_mention", "offset": 2, "length": 3, "user": ADA},
    ]
    assert meant(message(text=text, entities=entities)) == Say(PERSON, Where("7"), "5", text, None, 1_000_000)


def test_a_text_in_a_topic_names_the_topic() -> None:
    said = meant(message(text="hi", message_thread_id=9, is_topic_message=True))
    assert isinstance(said, Say)
    assert said.where == Where("7", "9", private=True)


def test_a_chain_of_replies_in_a_group_is_no_topic() -> None:
    said = meant(message(GROUP, text="hi", message_thread_id=9))
    assert isinstance(said, Say)
    assert said.where == Where("-100", None, private=False)


def test_a_reply_names_the_message_replied_to() -> None:
    said = meant(message(text="yes", reply_to_message={"message_id": 3, "date": 1, "chat": PRIVATE, "text": "?"}))
    assert isinstance(said, Say)
    assert said.reply_to == "3"


@pytest.mark.parametrize(
    "root", [{"message_id": 9, "forum_topic_created": {"name": "x"}}, {"message_id": 9}, {"message_id": 9, "text": "t"}]
)
def test_the_beginning_of_a_topic_is_not_replied_to(root: dict[str, Any]) -> None:
    """Clients let every message of a topic "reply" to the service message that made it."""
    said = meant(message(GROUP, text="hi", message_thread_id=9, is_topic_message=True, reply_to_message=root))
    assert isinstance(said, Say)
    assert said.reply_to is None


def test_a_reply_inside_a_topic_is_one() -> None:
    replied = {"message_id": 12, "text": "?"}
    said = meant(message(GROUP, text="hi", message_thread_id=9, is_topic_message=True, reply_to_message=replied))
    assert isinstance(said, Say)
    assert said.reply_to == "12"


@pytest.mark.parametrize(
    ("text", "name", "arguments", "typed"),
    [
        ("/stop", "stop", "", "/stop"),
        ("/Stop  now please ", "stop", "now please", "/Stop  now please"),
        ("/new\nline two", "new", "line two", "/new\nline two"),
        ("/stop@hapi_bridge_bot x", "stop", "x", "/stop x"),
        ("/stop@HAPI_Bridge_Bot", "stop", "", "/stop"),
        ("/model_1 a/b", "model_1", "a/b", "/model_1 a/b"),
        ("/stop, please", "stop", ", please", "/stop, please"),
    ],
)
def test_a_command_has_a_name_and_arguments(text: str, name: str, arguments: str, typed: str) -> None:
    command = meant(message(text=text))
    assert command == Command(PERSON, Where("7"), "5", name, arguments, None, 1_000_000, text=typed)


@pytest.mark.parametrize("text", ["/home/me is full", "/", "// x", "see /stop", "/größe", "/x<y", "/a@b"])
def test_what_only_looks_like_a_command_is_said(text: str) -> None:
    said = meant(message(text=text))
    assert isinstance(said, Say)
    assert said.text == text


def test_a_command_for_another_bot_is_not_ours() -> None:
    assert meant(message(GROUP, text="/stop@other_bot")) is None
    assert meant(message(text="/stop@other_bot")) is None


def test_while_our_name_is_unknown_an_addressed_command_counts_in_private_only() -> None:
    assert isinstance(intent_of(message(text="/stop@hapi_bridge_bot")), Command)
    assert intent_of(message(GROUP, text="/stop@hapi_bridge_bot")) is None
    assert isinstance(intent_of(message(GROUP, text="/stop")), Command)


def test_an_edit_tells_the_new_text() -> None:
    edited = {"edited_message": message(text="new", edit_date=1001)["message"]}
    assert meant(edited) == Edited(PERSON, Where("7"), "5", "new")
    captioned = {"edited_message": message(caption="new", photo=[{}])["message"]}
    assert meant(captioned) == Edited(PERSON, Where("7"), "5", "new")


def test_an_edit_without_text_is_nothing() -> None:
    assert meant({"edited_message": message(location={"latitude": 1})["message"]}) is None


def press(message: dict[str, Any] | None, **fields: Any) -> dict[str, Any]:
    return {"callback_query": {"id": "99", "from": ADA, "message": message, "chat_instance": "1", **fields}}


def test_a_press_carries_its_token() -> None:
    pressed = {"message_id": 5, "chat": GROUP, "date": 1, "message_thread_id": 9, "is_topic_message": True, "text": "?"}
    assert meant(press(pressed, data="tok")) == Press(PERSON, Where("-100", "9", private=False), "5", "tok", "99")


def test_a_press_on_a_message_too_old_to_be_shown_counts() -> None:
    assert meant(press({"message_id": 5, "chat": PRIVATE, "date": 0}, data="tok")) == Press(
        PERSON, Where("7"), "5", "tok", "99"
    )


def test_a_press_without_data_or_without_a_message_is_nothing() -> None:
    assert meant(press({"message_id": 5, "chat": PRIVATE, "date": 0})) is None
    assert meant(press(None, data="tok", inline_message_id="x")) is None


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"sticker": {"emoji": "😀"}}, "a sticker"),
        ({"voice": {"duration": 3}}, "a file"),
        ({"photo": [{}]}, "a photo"),
        ({"photo": [{}], "caption": "fix this"}, "a photo with the words “fix this”"),
        ({"poll": {}}, "a poll"),
        ({"venue": {}, "location": {}}, "a venue"),
        ({"some_kind_of_tomorrow": {}}, ""),
        ({}, ""),
    ],
)
def test_what_can_not_be_passed_on_is_named_and_its_words_are_kept(fields: dict[str, Any], what: str) -> None:
    assert meant(message(**fields)) == Unsupported(PERSON, Where("7"), "5", what)


def sent(**fields: Any) -> SentFile:
    said = meant(message(**fields))
    assert isinstance(said, Say)
    (file,) = said.files
    return file


def test_of_a_photo_the_largest_size_is_taken_and_its_caption_is_the_text() -> None:
    sizes = [{"file_id": f"{width}", "width": width, "height": width, "file_size": width} for width in (90, 1280, 320)]
    said = meant(message(photo=sizes, caption="fix this", media_group_id="4"))
    file = SentFile("1280", "photo-5.jpg", "image/jpeg", 1280)
    assert said == Say(PERSON, Where("7"), "5", "fix this", None, 1_000_000, files=(file,), album="4")


@pytest.mark.parametrize(
    ("fields", "name", "kind"),
    [
        ({"document": {"file_name": "log.txt", "mime_type": "text/plain"}}, "log.txt", "text/plain"),
        ({"document": {"file_name": "a.rs"}}, "a.rs", "application/octet-stream"),
        ({"document": {"mime_type": "nonsense; \n"}}, "file-5.bin", "application/octet-stream"),
        ({"animation": {"file_name": "x.mp4"}, "document": {"file_name": "x.mp4"}}, "x.mp4", "video/mp4"),
        ({"video": {}}, "video-5.mp4", "video/mp4"),
        ({"video_note": {}}, "video-message-5.mp4", "video/mp4"),
        ({"audio": {"file_name": "a.ogg", "mime_type": "audio/ogg"}}, "a.ogg", "audio/ogg"),
        ({"voice": {"mime_type": "audio/ogg"}}, "voice-5.ogg", "audio/ogg"),
        ({"sticker": {"emoji": "😀"}}, "sticker-5.webp", "image/webp"),
        ({"sticker": {"is_video": True}}, "sticker-5.webm", "video/webm"),
        ({"sticker": {"is_animated": True}}, "sticker-5.tgs", "application/gzip"),
    ],
)
def test_every_kind_of_file_has_a_name_and_a_kind(fields: dict[str, Any], name: str, kind: str) -> None:
    with_ids = {field: {**value, "file_id": "F1"} for field, value in fields.items()}
    file = sent(**with_ids)
    assert (file.source, file.name, file.media_type) == ("F1", name, kind)


def test_a_file_that_telegram_gives_no_bot_is_known_as_such() -> None:
    assert sent(document={"file_id": "F", "file_size": 20 * 2**20}).unfit == ""
    file = sent(document={"file_id": "F", "file_size": 25_000_000})
    assert file.unfit == "it has 25 MB, and Telegram gives a bot at most 20 MB"


def test_a_command_below_a_file_is_a_command_that_has_one() -> None:
    command = meant(message(document={"file_id": "F", "file_name": "log.txt"}, caption="/stop now"))
    assert isinstance(command, Command)
    assert (command.name, command.arguments, len(command.files)) == ("stop", "now", 1)


def test_a_caption_that_was_taken_away_is_an_edit() -> None:
    edited = meant({"edited_message": message(document={"file_id": "F"})["message"]})
    assert edited == Edited(PERSON, Where("7"), "5", "")


@pytest.mark.parametrize(
    "service",
    [
        "forum_topic_created",
        "forum_topic_edited",
        "forum_topic_closed",
        "forum_topic_reopened",
        "general_forum_topic_hidden",
        "pinned_message",
        "new_chat_members",
        "left_chat_member",
        "new_chat_title",
        "group_chat_created",
        "message_auto_delete_timer_changed",
        "video_chat_started",
        "chat_background_set",
        "write_access_allowed",
    ],
)
def test_a_service_message_is_nothing_anybody_said(service: str) -> None:
    assert meant(message(GROUP, **{service: {}})) is None


def test_other_bots_and_channels_are_not_listened_to() -> None:
    assert meant(message(GROUP, **{"from": {"id": 8, "is_bot": True, "first_name": "Bot"}}, text="hi")) is None
    assert meant({"channel_post": message(text="hi")["message"]}) is None
    assert meant(message({"id": -5, "type": "channel"}, text="hi")) is None
    channel = {"id": -5, "type": "channel", "title": "News"}
    assert meant(message(GROUP, sender_chat=channel, is_automatic_forward=True, text="hi")) is None


def test_anonymous_administrators_go_by_their_groups_id() -> None:
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    said = meant(message(GROUP, **{"from": anonymous}, sender_chat=GROUP, text="hi"))
    assert isinstance(said, Say)
    assert said.person == Person("-100", "Team")


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ({"id": 7, "first_name": "Ada"}, "Ada"),
        ({"id": 7, "first_name": "", "username": "ada"}, "ada"),
        ({"id": 7}, "7"),
        ({"id": 7, "first_name": "A\ud800\x00"}, "A\ufffd\u2400"),
    ],
)
def test_a_person_has_a_name_to_show(user: dict[str, Any], name: str) -> None:
    said = meant(message(text="hi", **{"from": user}))
    assert isinstance(said, Say)
    assert said.person == Person("7", name)


def membership(old: dict[str, Any], new: dict[str, Any], chat: dict[str, Any] = PRIVATE) -> dict[str, Any]:
    return {"my_chat_member": {"chat": chat, "from": ADA, "date": 1, "old_chat_member": old, "new_chat_member": new}}


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ({"status": "member"}, {"status": "kicked"}, "blocked"),
        ({"status": "kicked"}, {"status": "member"}, "unblocked"),
        ({"status": "left"}, {"status": "administrator"}, "unblocked"),
        ({"status": "administrator"}, {"status": "left"}, "blocked"),
        ({"status": "member"}, {"status": "restricted", "is_member": True, "can_send_messages": False}, "blocked"),
        ({"status": "restricted", "can_send_messages": False}, {"status": "member"}, "unblocked"),
        ({"status": "member"}, {"status": "administrator"}, None),
        ({"status": "left"}, {"status": "kicked"}, None),
        ({"status": "member"}, {"status": "something new"}, None),
    ],
)
def test_blocking_the_bot_and_letting_it_in_again_is_told(
    old: dict[str, Any], new: dict[str, Any], change: str | None
) -> None:
    found = meant(membership(old, new))
    assert found == (PlaceChanged(Where("7"), change) if change else None)


def test_a_group_that_became_a_supergroup_has_moved_whichever_chat_says_so() -> None:
    small = {"id": -5, "type": "group", "title": "Team"}
    moved = PlaceChanged(Where("-5", None, private=False), "moved", "-100")
    assert meant(message(small, migrate_to_chat_id=-100)) == moved
    assert meant(message(GROUP, migrate_from_chat_id=-5)) == moved


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
VALID = [
    message(GROUP, text="/stop@x y", message_thread_id=9, is_topic_message=True, reply_to_message={"message_id": 9}),
    message(photo=[{}], caption="c", document={"file_name": "f"}),
    {"edited_message": message(text="new")["message"]},
    press({"message_id": 5, "chat": PRIVATE, "date": 0}, data="tok"),
    membership({"status": "member"}, {"status": "restricted"}),
    message(migrate_to_chat_id=-1),
]


def paths(value: Any, prefix: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [prefix, *(path for key, item in inner for path in paths(item, (*prefix, key)))]


@given(st.data())
def test_no_update_is_so_odd_that_it_raises(data: st.DataObject) -> None:
    """Invariant 5: a sound update with anything whatever in any of its places."""
    payload = json.loads(json.dumps(data.draw(st.sampled_from(VALID))))
    path = data.draw(st.sampled_from(paths(payload)[1:]))
    holder = payload
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = data.draw(JSON)
    intent_of(payload, BOT)


@given(st.sampled_from(WANTED), JSON)
def test_no_update_of_garbage_raises(kind: str, content: Any) -> None:
    """Invariant 5."""
    intent_of({"update_id": 1, kind: content}, BOT)


def said_in_group(**fields: Any) -> Intent | None:
    return meant(message(GROUP, **fields))


OURS = {"message_id": 3, "text": "?", "from": {"id": 99, "is_bot": True, "first_name": "HAPI", "username": BOT}}
TO_US = {"type": "text_mention", "offset": 0, "length": 4, "user": OURS["from"]}


@pytest.mark.parametrize(
    ("fields", "addressed"),
    [
        ({"text": "lunch?"}, False),
        ({"text": "lunch?", "reply_to_message": {"message_id": 3, "text": "?", "from": ADA}}, False),
        ({"text": "yes", "reply_to_message": OURS}, True),
        ({"text": "could @HAPI_bridge_bot do it?"}, True),
        ({"text": "ask @hapi_bridge_bot_2, or me@hapi_bridge_bot"}, False),
        ({"text": "HAPI, do it", "entities": [TO_US]}, True),
        ({"text": "Ada, do it", "entities": [{**TO_US, "user": ADA}]}, False),
        ({"photo": [{}], "caption": "look, @hapi_bridge_bot"}, True),
        ({"photo": [{}], "caption": "look"}, False),
        ({"text": "/play jazz"}, False),
        ({"text": "/play@hapi_bridge_bot jazz"}, True),
    ],
)
def test_in_a_group_only_what_names_the_bot_or_replies_to_it_is_addressed(
    fields: dict[str, Any], addressed: bool
) -> None:
    found = said_in_group(**fields)
    assert isinstance(found, Say | Command | Unsupported)
    assert found.addressed is addressed


def test_in_private_everything_is_addressed() -> None:
    kinds: tuple[dict[str, Any], ...] = ({"text": "lunch?"}, {"text": "/play"}, {"sticker": {}})
    for fields in kinds:
        found = meant(message(**fields))
        assert isinstance(found, Say | Command | Unsupported)
        assert found.addressed


@pytest.mark.parametrize("text", ["@hapi_bridge_bot fix it", " @HAPI_Bridge_Bot: fix it", "@hapi_bridge_bot, fix it"])
def test_our_name_at_the_beginning_is_no_part_of_what_was_said(text: str) -> None:
    found = said_in_group(text=text)
    assert isinstance(found, Say)
    assert (found.text, found.addressed) == ("fix it", True)
    edited = meant({"edited_message": message(GROUP, text=text)["message"]})
    assert isinstance(edited, Edited)
    assert edited.text == "fix it"


def test_after_our_name_a_command_is_one_and_our_name_alone_asks_for_help() -> None:
    stop = said_in_group(text="@hapi_bridge_bot /stop now")
    assert isinstance(stop, Command)
    assert (stop.name, stop.arguments, stop.text, stop.addressed) == ("stop", "now", "/stop now", True)
    alone = said_in_group(text="@hapi_bridge_bot")
    assert isinstance(alone, Command)
    assert alone.name == "help"


def test_while_our_name_is_unknown_nothing_in_a_group_is_addressed_by_it() -> None:
    found = intent_of(message(GROUP, text="@hapi_bridge_bot fix it"))
    assert isinstance(found, Say)
    assert (found.text, found.addressed) == ("@hapi_bridge_bot fix it", False)
