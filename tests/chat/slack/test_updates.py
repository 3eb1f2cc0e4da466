"""What people do in Slack, as intents: pure and total, and nothing that a bot or Slack itself did."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.chat.intents import (
    Command,
    Deleted,
    Edited,
    HomeOpened,
    PlaceChanged,
    Press,
    Say,
    SentFile,
    Unsupported,
    Where,
)
from bridge.chat.slack.payload import WHO
from bridge.chat.slack.plain import addressed, escaped, plain
from bridge.chat.slack.updates import PressId, actor, intent_of, stripped, update_id

COMMANDS = {
    name: re.compile(follows) for name, follows in {"stop": "", "status": "", "help": "", "in": r"\d.*"}.items()
}
BOT = "U0BOT"


def event(kind: str = "message", **fields: Any) -> dict[str, Any]:
    """An event as it is delivered, by Ada in her DM unless told otherwise."""
    inner = {"type": kind, "channel": "D1", "user": "U1", "ts": "1700000000.000200", "text": "hello"} | fields
    return {
        "type": "event_callback",
        "event_id": "Ev1",
        "team_id": "T1",
        "authorizations": [{"user_id": BOT, "is_bot": True, "team_id": "T1"}],
        "event": {name: value for name, value in inner.items() if value is not None},
        WHO: {"name": "Ada", "standing": "member"},
    }


def intent(body: dict[str, Any]) -> Any:
    return intent_of(body, COMMANDS)


def test_a_text_in_the_dm_is_said_to_the_bot() -> None:
    said = intent(event())
    assert said == Say(said.person, Where("U1"), "1700000000.000200", "hello", None, 1_700_000_000_000)
    assert (said.person.id, said.person.name, said.person.standing) == ("U1", "Ada", "member")


def test_a_thread_is_a_place() -> None:
    assert intent(event(thread_ts="1.000001")).where == Where("U1", "1.000001")
    assert intent(event(thread_ts="1.000001", channel="C1")).where == Where("C1", "1.000001", private=False)


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        (f"<@{BOT}> stop", "stop", ""),
        (f"<@{BOT}> Status", "status", ""),
        (f"<@{BOT}> in 2h run the tests", "in", "2h run the tests"),
        (f"<@{BOT}|hapi>: stop", "stop", ""),
        (f"<@{BOT}>", "help", ""),
        (f"<@{BOT}> /compact all", "compact", "all"),
        (" /compact", "compact", ""),
    ],
)
def test_a_mention_with_a_known_word_or_any_slash_is_a_command(text: str, name: str, arguments: str) -> None:
    command = intent(event(text=text))
    assert isinstance(command, Command)
    assert (command.name, command.arguments) == (name, arguments)


@pytest.mark.parametrize("words", ["stop using tabs", "in the parser there is a bug", "status of the deploy?"])
def test_a_known_word_that_begins_a_sentence_is_no_command(words: str) -> None:
    said = intent(event(text=f"<@{BOT}> {words}"))
    assert isinstance(said, Say)
    assert said.text == words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"<@{BOT}> stopping is hard", "stopping is hard"),
        ("stop", "stop"),
        ("/home/me is full", "/home/me is full"),
        (f"ask <@{BOT}> about it", "ask @bot about it"),
    ],
)
def test_everything_else_is_said(text: str, said: str) -> None:
    heard = intent(event(text=text))
    assert isinstance(heard, Say)
    assert heard.text == said


def test_in_a_channel_only_mentions_and_replies_in_threads_are_heard() -> None:
    assert intent(event(channel="C1")) is None
    mention = intent(event(channel="C1", text=f"<@{BOT}> look"))
    assert (mention.where, mention.addressed) == (Where("C1", "1700000000.000200", private=False), True)
    reply = intent(event(channel="C1", thread_ts="1.000001"))
    assert (reply.where, reply.addressed) == (Where("C1", "1.000001", private=False), False)
    assert isinstance(intent(event(channel="C1", thread_ts="1.000001", text="/stop")), Say)


def test_both_events_of_one_post_have_one_id_and_one_meaning() -> None:
    text = f"<@{BOT}> look"
    message, mention = event(channel="C1", text=text), event("app_mention", channel="C1", text=text)
    mention["event_id"] = "Ev2"
    assert update_id(message) == update_id(mention)
    assert intent(message) == intent(mention)


def test_other_events_and_gestures_have_ids_of_their_own_that_repeat() -> None:
    change = event(subtype="message_changed", message={"ts": "1.2"})
    press = {"type": "block_actions", "trigger_id": "1.2.3"}
    form = {"type": "view_submission", "trigger_id": "9", "view": {"id": "V1", "hash": "h1"}}
    odd: dict[str, Any] = {"type": "block_actions"}
    ids = [update_id(body) for body in (event(), change, press, form, odd)]
    assert len(set(ids)) == 5
    assert ids == [update_id(json.loads(json.dumps(body))) for body in (event(), change, press, form, odd)]


@pytest.mark.parametrize(
    "fields",
    [
        {"bot_id": "B1"},
        {"app_id": "A1"},
        {"subtype": "bot_message", "user": None},
        {"subtype": "channel_join"},
        {"subtype": "something_new"},
        {"user": "USLACKBOT"},
        {"user": None},
        {"channel": None},
        {"ts": None},
    ],
)
def test_what_no_person_wrote_means_nothing(fields: dict[str, Any]) -> None:
    assert intent(event(**fields)) is None


@pytest.mark.parametrize("subtype", ["thread_broadcast", "me_message"])
def test_other_ways_to_write_are_writing(subtype: str) -> None:
    assert isinstance(intent(event(subtype=subtype)), Say)


PICTURE = {"id": "F1", "name": "a.png", "mimetype": "image/png", "size": 3, "url_private_download": "https://f/a"}


def test_files_are_said_with_what_was_written_beside_them() -> None:
    files = [PICTURE, {"id": "F2", "title": "b", "filetype": "text"}, {"no": "file"}]
    heard = intent(event(subtype="file_share", files=files, text="look at &lt;this&gt;"))
    assert isinstance(heard, Say)
    assert heard.text == "look at <this>"
    first, second = SentFile("https://f/a", "a.png", "image/png", 3), SentFile("F2", "b", "application/octet-stream")
    assert heard.files == (first, second)


def test_files_need_no_words_and_in_a_channel_our_name() -> None:
    alone = intent(event(subtype="file_share", files=[PICTURE], text=""))
    assert (alone.text, len(alone.files)) == ("", 1)
    called = intent(event(channel="C1", subtype="file_share", files=[PICTURE], text=f"<@{BOT}>"))
    assert isinstance(called, Say)
    assert (called.text, len(called.files)) == ("", 1)
    assert intent(event(channel="C1", subtype="file_share", files=[PICTURE], text="lunch")) is None


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"mode": "tombstone"}, "it was deleted"),
        ({"mode": "external"}, "it lies outside of Slack, so send its address as text"),
        ({"is_external": True}, "it lies outside of Slack, so send its address as text"),
        ({"mode": "hidden_by_limit"}, "Slack hides it, since the workspace has reached its limit"),
        ({"mode": "snippet"}, ""),
    ],
)
def test_files_without_bytes_for_us_are_known_as_such(fields: dict[str, Any], why: str) -> None:
    assert intent(event(subtype="file_share", files=[PICTURE | fields])).files[0].unfit == why


def test_a_message_without_text_is_said_back() -> None:
    assert intent(event(text="", attachments=[{"text": "shared"}])).what == "a shared message"


def change(before: str, after: str, **fields: Any) -> dict[str, Any]:
    inner = {"user": "U1", "ts": "1.000001"}
    return event(
        subtype="message_changed",
        user=None,
        message=inner | {"text": after} | fields,
        previous_message=inner | {"text": before},
    )


def test_an_edit_is_heard_and_a_preview_of_a_link_is_none() -> None:
    assert intent(change("helo", f"<@{BOT}> hello")) == Edited(
        intent(change("a", "b")).person, Where("U1"), "1.000001", "hello"
    )
    assert intent(change("see <https://x.y>", "see <https://x.y>", attachments=[{"from_url": "https://x.y"}])) is None
    assert intent(change("old", "new", bot_id="B1")) is None
    assert actor(change("a", "b")) == "U1"


def test_a_message_taken_back_is_heard_also_when_its_thread_leaves_a_stone() -> None:
    gone = {"user": "U1", "ts": "1.000001", "text": "hello", "thread_ts": "1.000000"}
    deleted = event(subtype="message_deleted", user=None, deleted_ts="1.000001", previous_message=gone)
    stone = event(subtype="message_changed", user=None, message={"subtype": "tombstone"}, previous_message=gone)
    assert intent(deleted) == intent(stone) == Deleted(intent(deleted).person, Where("U1", "1.000000"), "1.000001")
    assert intent(event(subtype="message_deleted", previous_message=gone | {"bot_id": "B1"})) is None


@pytest.mark.parametrize(
    ("fields", "change", "detail"),
    [
        ({"kind": "channel_archive"}, "blocked", "archived"),
        ({"kind": "group_archive"}, "blocked", "archived"),
        ({"kind": "channel_left", "user": None}, "blocked", "removed"),
        ({"kind": "member_left_channel", "user": BOT}, "blocked", "removed"),
        ({"kind": "channel_deleted"}, "blocked", "deleted"),
        ({"kind": "channel_unarchive"}, "unblocked", ""),
        ({"kind": "member_joined_channel", "user": BOT}, "unblocked", ""),
    ],
)
def test_channels_close_and_open(fields: dict[str, Any], change: str, detail: str) -> None:
    assert intent(event(**{"channel": "C1", **fields})) == PlaceChanged(Where("C1", private=False), change, detail)


def test_a_renamed_channel_is_told_with_its_name_and_others_comings_and_goings_are_not() -> None:
    renamed = event("channel_rename", channel={"id": "C1", "name": "new"})
    assert intent(renamed) == PlaceChanged(Where("C1", private=False), "renamed", "new")
    assert intent(event("member_left_channel", channel="C1")) is None


def press(**fields: Any) -> dict[str, Any]:
    return {
        "type": "block_actions",
        "user": {"id": "U1", "name": "ada"},
        "channel": {"id": "D1"},
        "container": {"type": "message", "message_ts": "2.000002", "thread_ts": "1.000001"},
        "message": {"ts": "2.000002", "thread_ts": "1.000001"},
        "trigger_id": "9.8.7",
        "actions": [{"action_id": "abc", "type": "button"}],
    } | fields


def test_a_press_says_which_button_of_which_message_and_how_to_answer() -> None:
    heard = intent(press())
    assert heard == Press(heard.person, Where("U1", "1.000001"), "2.000002", "abc", "D1|U1|1.000001|2.000002|9.8.7")
    assert (heard.person.name, heard.person.standing) == ("ada", "stranger")
    assert PressId.read(heard.press) == PressId("D1", "U1", "1.000001", "2.000002", "9.8.7")


def test_inert_buttons_are_all_alike() -> None:
    assert intent(press(actions=[{"action_id": "-7"}])).token == "-"


def test_a_press_on_the_bots_own_page_belongs_to_its_person() -> None:
    home = press(channel=None, container={"type": "view", "view_id": "V1"}, message=None, view={"type": "home"})
    assert (intent(home).where, intent(home).message, PressId.read(intent(home).press).channel) == (Where("U1"), "", "")


def test_presses_of_no_known_form_mean_nothing() -> None:
    odd: dict[str, Any]
    for odd in ({"actions": []}, {"actions": "abc"}, {"user": None}, {"channel": 5, "container": None}):
        assert intent(press(**odd)) is None


def test_a_submitted_form_is_the_press_that_opened_it_with_the_text() -> None:
    kept = json.dumps({"token": "abc", "press": "C1|U1|1.000001|2.000002|9.8.7"})
    values = {"text": {"text": {"type": "plain_text_input", "value": " too risky \n"}}}
    view = {"id": "V1", "hash": "h", "callback_id": "hapi_form", "private_metadata": kept, "state": {"values": values}}
    heard = intent({"type": "view_submission", "user": {"id": "U1"}, "view": view})
    assert (heard.token, heard.text, heard.message) == ("abc", "too risky", "2.000002")
    assert heard.where == Where("C1", "1.000001", private=False)
    assert intent({"type": "view_submission", "user": {"id": "U1"}, "view": view | {"callback_id": "other"}}) is None
    assert intent({"type": "view_submission", "user": {"id": "U1"}, "view": view | {"private_metadata": "[["}}) is None


def command(text: str) -> Any:
    return intent({"command": "/hapi", "text": text, "user_id": "U1", "channel_id": "C1", "trigger_id": "9"})


def test_the_slash_command_is_answered_in_private_wherever_it_was_typed() -> None:
    assert (command("stop now").name, command("stop now").arguments) == ("stop", "now")
    assert command("").name == "help"
    assert (command("/compact").name, command("fix &amp; test").text) == ("compact", "fix & test")
    assert command("stop").where == Where("U1")
    assert command("stop").message == "command.9"


def shortcut(callback: str, **fields: Any) -> Any:
    message = {"ts": "2.000002", "text": "see <https://x.y|x.y>", "user": "U2"}
    body = {"type": "message_action", "user": {"id": "U1"}, "channel": {"id": "C1"}, "message": message}
    return intent(body | {"callback_id": callback, "trigger_id": "9"} | fields)


def test_shortcuts_send_a_message_to_an_agent_and_stop_a_thread() -> None:
    sent, stop = shortcut("hapi_send"), shortcut("hapi_stop")
    assert (sent.text, sent.where) == ("see https://x.y", Where("U1"))
    assert (stop.name, stop.where) == ("stop", Where("C1", "2.000002", private=False))
    assert isinstance(shortcut("hapi_send", message={"ts": "1"}), Unsupported)
    assert shortcut("hapi_stop", type="shortcut", channel=None, message=None).where == Where("U1")
    assert shortcut("others") is None


def test_slacks_own_stop_is_the_command() -> None:
    stop = intent(event("agent_session_stopped", thread_ts="1.000001", event_ts="3.000003", ts=None, text=None))
    assert (stop.name, stop.where, stop.sent_at_ms) == ("stop", Where("U1", "1.000001"), 3000)


def test_opening_the_bots_page_is_heard_and_its_messages_are_not() -> None:
    assert isinstance(intent(event("app_home_opened", tab="home")), HomeOpened)
    assert intent(event("app_home_opened", tab="messages")) is None


def test_secrets_are_stripped() -> None:
    """Invariant 7."""
    assert stripped({"token": "x", "response_url": "y", "type": "z"}) == {"type": "z"}


# fmt: off
KEYS = st.sampled_from(
    (
        "type", "event", "event_id", "subtype", "channel", "user", "ts", "thread_ts", "text", "files",
        "message", "previous_message", "view", "state", "values", "actions", "action_id", "container",
        "user_id", "command", "callback_id", "private_metadata", "authorizations", "tab", "trigger_id",
    )
)
# fmt: on
# fmt: off
WORDS = st.sampled_from(
    (
        "event_callback", "message", "app_mention", "message_changed", "message_deleted", "file_share",
        "block_actions", "view_submission", "message_action", "hapi_form", "hapi_stop", "channel_rename",
        "app_home_opened", "home", "D1", "C1", "U1", "1.1", "tombstone",
    )
) | st.text(max_size=20)
# fmt: on
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=8),
    max_leaves=40,
)


@given(st.dictionaries(KEYS, JSON, max_size=10))
def test_whatever_arrives_nothing_raises(body: dict[str, Any]) -> None:
    """Invariant 5."""
    found = intent_of(body, COMMANDS)
    assert found is None or found.where.chat
    assert update_id(body) == update_id(body)
    assert isinstance(actor(body), str)


@given(st.text(), st.sampled_from(["", BOT]))
def test_plain_text_is_total_and_what_was_escaped_comes_back(text: str, bot: str) -> None:
    """Invariant 5."""
    assert plain(escaped(text), bot) == text
    plain(addressed(text, bot)[0], bot)


@pytest.mark.parametrize(
    ("slack", "typed"),
    [
        ("Vec&lt;u8&gt; &amp;&amp; x", "Vec<u8> && x"),
        ("&amp;lt;", "&lt;"),
        ("<https://a.b/c_d>", "https://a.b/c_d"),
        ("<https://a.b|a.b>", "https://a.b"),
        ("<https://a.b/c|here>", "here (https://a.b/c)"),
        ("<mailto:a@b.c|a@b.c>", "a@b.c"),
        ("ask <@U2|bob> in <#C2|general>", "ask @bob in #general"),
        ("ask <@U2> in <#C2>", "ask @U2 in #C2"),
        ("<!here> <!subteam^S1|@devs> <!date^1700000000^{date}|yesterday>", "@here @devs yesterday"),
        ("a <b", "a <b"),
    ],
)
def test_slacks_spelling_becomes_what_was_typed(slack: str, typed: str) -> None:
    assert plain(slack) == typed
