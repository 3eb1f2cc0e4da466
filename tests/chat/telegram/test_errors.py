"""What goes wrong between us and Telegram, and what the courier is told: each kind provoked at the strict server."""

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from bridge.chat.errors import (
    AnotherPoller,
    ChatGone,
    ChatMoved,
    LoginRefused,
    MessageGone,
    OutcomeUnknown,
    PlaceGone,
    Rejected,
    RetryAfter,
    SurfaceError,
    Unreachable,
)
from bridge.chat.surface import Part, Place
from bridge.chat.telegram.client import Timeouts
from bridge.chat.telegram.errors import Failure, verdict
from bridge.chat.telegram.surface import TelegramSurface
from bridge.sandbox.telegram import Chat, TelegramServer, User

Make = Callable[..., Part]


async def refused(surface: TelegramSurface, place: Place, part: Part) -> SurfaceError:
    with pytest.raises(SurfaceError) as caught:
        await surface.send(place, part, ring=True, key="k", index=0)
    return caught.value


async def test_a_flood_says_how_long_to_wait_and_nothing_was_posted(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, place: Place, text: Make
) -> None:
    server.faults.flood("sendMessage", retry_after=13938)
    error = await refused(surface, place, text("can't parse entities"))
    assert isinstance(error, RetryAfter)
    assert (error.seconds, error.whole_bot) == (13938, False)
    assert chat.from_bot == []


async def test_a_flood_of_a_call_without_a_chat_means_the_whole_bot(
    surface: TelegramSurface, server: TelegramServer
) -> None:
    server.faults.flood("getMe", retry_after=3)
    with pytest.raises(RetryAfter) as caught:
        await surface.check()
    assert (caught.value.seconds, caught.value.whole_bot) == (3, True)


@pytest.mark.parametrize("code", [500, 502, 504])
async def test_after_a_servers_fault_it_is_unknown_whether_a_message_was_posted(
    surface: TelegramSurface, server: TelegramServer, place: Place, text: Make, code: int
) -> None:
    """Invariant 3."""
    server.faults.error("sendMessage", code=code)
    assert type(await refused(surface, place, text())) is OutcomeUnknown


async def test_a_lost_answer_is_an_unknown_outcome_and_the_message_is_there(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, place: Place, text: Make
) -> None:
    """Invariant 3."""
    server.faults.lose_answer("sendMessage")
    assert type(await refused(surface, place, text("arrived"))) is OutcomeUnknown
    assert chat.find("arrived") is not None


async def test_a_connection_dropped_before_anything_was_done_looks_the_same(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, place: Place, text: Make
) -> None:
    server.faults.drop("sendMessage")
    assert type(await refused(surface, place, text())) is OutcomeUnknown
    assert chat.from_bot == []


async def test_a_late_answer_is_an_unknown_outcome(
    server: TelegramServer, token: str, place: Place, text: Make
) -> None:
    """Invariant 8: the wait has a limit."""
    server.faults.delay("sendMessage", seconds=30)
    async with TelegramSurface(token, server.base_url, timeouts=Timeouts(read_s=0.3)) as surface:
        assert type(await refused(surface, place, text())) is OutcomeUnknown


async def test_a_call_has_a_limit_of_its_own_whatever_the_connection_allows(
    server: TelegramServer, token: str, chat: Chat, place: Place, text: Make
) -> None:
    """Invariant 8."""
    slow = Timeouts(read_s=60, call_s=0.3)
    server.faults.delay("sendMessage", seconds=30)
    async with TelegramSurface(token, server.base_url, timeouts=slow) as surface:
        assert type(await refused(surface, place, text())) is OutcomeUnknown


async def test_a_call_without_an_outcome_to_know_is_simply_unreachable(
    surface: TelegramSurface, server: TelegramServer
) -> None:
    server.faults.lose_answer("getMe")
    with pytest.raises(Unreachable):
        await surface.check()
    server.faults.error("getMe", code=502)
    with pytest.raises(Unreachable, match="Bad Gateway"):
        await surface.check()


async def test_where_nobody_listens_nothing_was_sent(token: str, place: Place, text: Make) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        async with TelegramSurface(token, f"http://127.0.0.1:{port}") as surface:
            error = await refused(surface, place, text())
    assert type(error) is Unreachable
    assert "can't be reached" in str(error)


@pytest.mark.parametrize("address", ["ftp://example.invalid", "nonsense", "", "http://", "http://\x7f"])
def test_an_address_that_is_none_is_refused_in_words(token: str, address: str) -> None:
    with pytest.raises(ValueError, match="Bot API server"):
        TelegramSurface(token, address)


async def test_a_wrong_token_is_refused_in_words(server: TelegramServer) -> None:
    async with TelegramSurface("42:wrong", server.base_url) as surface:
        with pytest.raises(LoginRefused, match="TELEGRAM_BOT_TOKEN"):
            await surface.check()


@pytest.mark.parametrize("nonsense", ["", "hello", "123:", "123:a b", "123:ab\n", "xoxb-1-2", "123:ä"])
def test_what_can_not_be_a_token_is_refused_before_any_call(nonsense: str) -> None:
    with pytest.raises(LoginRefused, match="123456:ABC"):
        TelegramSurface(nonsense)


def test_a_proxy_that_can_not_be_used_is_refused_without_its_password(token: str) -> None:
    """Invariant 7."""
    with pytest.raises(ValueError, match="proxy") as caught:
        TelegramSurface(token, proxy="gopher://me:geheim@host:1")
    assert "geheim" not in repr(caught.value)
    assert caught.value.__context__ is None


async def test_calls_go_through_the_proxy_that_is_set(
    answering: Callable[..., Any], token: str, place: Place, text: Make
) -> None:
    async with answering(200, json.dumps({"ok": True, "result": {"message_id": 9}})) as proxy:
        surface = TelegramSurface(token, "http://telegram.invalid", proxy=proxy)
        async with surface:
            assert await surface.send(place, text(), ring=True, key="k", index=0) == "9"


async def test_a_proxy_of_the_environment_counts_but_not_for_servers_on_this_machine(
    answering: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    server: TelegramServer,
    token: str,
    place: Place,
    text: Make,
) -> None:
    async with answering(200, json.dumps({"ok": True, "result": {"message_id": 999}})) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy)
        monkeypatch.setenv("NO_PROXY", "")
        async with TelegramSurface(token, "http://telegram.invalid") as far:
            assert await far.send(place, text(), ring=True, key="k", index=0) == "999"
        async with TelegramSurface(token, server.base_url) as near:
            assert await near.send(place, text(), ring=True, key="k", index=0) != "999"


async def test_a_blocked_bot_has_no_chat(
    surface: TelegramSurface, server: TelegramServer, owner: User, place: Place, text: Make
) -> None:
    server.block(owner)
    error = await refused(surface, place, text())
    assert type(error) is ChatGone
    assert "blocked by the user" in str(error)


async def test_a_bot_thrown_out_of_a_group_has_no_chat(
    surface: TelegramSurface, server: TelegramServer, owner: User, text: Make
) -> None:
    group = server.group("Team", owner)
    server.remove_bot(group, owner)
    assert type(await refused(surface, Place(1, str(group.id)), text())) is ChatGone


async def test_a_group_that_became_a_supergroup_names_its_new_id(
    surface: TelegramSurface, server: TelegramServer, owner: User, text: Make
) -> None:
    group = server.group("Team", owner, basic=True)
    new = server.migrate(group)
    error = await refused(surface, Place(1, str(group.id)), text())
    assert isinstance(error, ChatMoved)
    assert error.chat == str(new.id)


async def test_a_payload_that_telegram_refuses_is_rejected_with_its_words(
    surface: TelegramSurface, place: Place, text: Make
) -> None:
    assert type(await refused(surface, place, text(""))) is Rejected
    error = await refused(surface, place, text("x" * 4097))
    assert type(error) is Rejected
    assert "message is too long" in str(error)


async def test_a_text_no_platform_can_hold_is_rejected_and_not_sent(
    surface: TelegramSurface, server: TelegramServer, place: Place, text: Make
) -> None:
    assert type(await refused(surface, place, text("\ud800"))) is Rejected
    assert server.calls == []


@pytest.mark.parametrize(
    ("status", "body", "content_type", "error"),
    [
        (413, "<html>Request Entity Too Large</html>", "text/html", Rejected),
        (502, "<html>Bad Gateway</html>", "text/html", OutcomeUnknown),
        (503, "", "text/plain", OutcomeUnknown),
        (404, "<html>Not Found</html>", "text/html", Unreachable),
        (302, "please log in", "text/plain", Unreachable),
        (200, "<html>Welcome to the hotel's network</html>", "text/html", OutcomeUnknown),
        (200, "[" * 100_000, "application/json", OutcomeUnknown),
        (200, '{"ok": true}', "application/json", OutcomeUnknown),
        (200, '{"ok": true, "result": {}}', "application/json", OutcomeUnknown),
        (200, '{"ok": true, "result": true}', "application/json", OutcomeUnknown),
        (400, "[1]", "application/json", Unreachable),
        (429, '{"ok": false, "description": "Too Many Requests: retry after 7"}', "application/json", RetryAfter),
        (429, "slow down", "text/plain", RetryAfter),
        (404, '{"ok": false, "description": "Not Found"}', "application/json", LoginRefused),
        (404, '{"ok": false, "description": "Not Found: method not found"}', "application/json", Rejected),
        (400, '{"ok": false, "description": "Bad Request: CHAT_WRITE_FORBIDDEN"}', "application/json", ChatGone),
        (400, '{"ok": false, "description": "x", "parameters": [1]}', "application/json", Rejected),
    ],
)
async def test_answers_of_gateways_login_pages_and_odd_servers_are_told_apart(
    answering: Callable[..., Any],
    token: str,
    place: Place,
    text: Make,
    status: int,
    body: str,
    content_type: str,
    error: type[SurfaceError],
) -> None:
    async with answering(status, body, content_type) as address, TelegramSurface(token, address) as surface:
        assert type(await refused(surface, place, text())) is error


@pytest.mark.parametrize(
    ("method", "description", "error"),
    [
        ("editMessageText", "Bad Request: message to edit not found", MessageGone),
        ("editMessageText", "Bad Request: MESSAGE_ID_INVALID", MessageGone),
        ("editMessageText", "Bad Request: message can't be edited", MessageGone),
        ("editMessageText", "Bad Request: message is not modified: specified new message content and …", None),
        ("deleteMessage", "Bad Request: message to delete not found", None),
        ("deleteMessage", "Bad Request: MESSAGE_ID_INVALID", None),
        ("deleteMessage", "Bad Request: message can't be deleted for everyone", Rejected),
        ("answerCallbackQuery", "Bad Request: query is too old and response timeout expired or …", None),
        ("answerCallbackQuery", "Bad Request: QUERY_ID_INVALID", None),
        ("setMessageReaction", "Bad Request: message to react not found", MessageGone),
        ("setMessageReaction", "Bad Request: REACTION_INVALID", Rejected),
        ("sendMessage", "Bad Request: message thread not found", PlaceGone),
        ("sendMessage", "Bad Request: TOPIC_DELETED", PlaceGone),
        ("editForumTopic", "Bad Request: TOPIC_ID_INVALID", PlaceGone),
        ("createForumTopic", "Bad Request: the chat is not a forum", PlaceGone),
        ("sendMessage", "Bad Request: chat not found", ChatGone),
        ("sendMessage", "Bad Request: group chat was deactivated", ChatGone),
        ("sendMessage", "Bad Request: not enough rights to send text messages to the chat", ChatGone),
        ("createForumTopic", "Bad Request: not enough rights to create a topic", Rejected),
        ("sendMessage", "Bad Request: can't parse entities: …", Rejected),
        ("sendMessage", "Bad Request: BUTTON_DATA_INVALID", Rejected),
        ("sendMessage", "", Rejected),
    ],
)
def test_telegrams_sentences_mean_what_they_mean(
    method: str, description: str, error: type[SurfaceError] | None
) -> None:
    found = verdict(method, Failure("answered", description, 400), about_chat=True)
    assert (found and type(found)) is error


def test_a_flood_stays_a_flood_whatever_it_says() -> None:
    failure = Failure("answered", "Bad Request: can't parse entities: message is not modified", 429)
    assert type(verdict("editMessageText", failure, about_chat=True)) is RetryAfter


def test_another_poller_is_named_with_hapis_own_bot_as_the_likely_one() -> None:
    failure = Failure("answered", "Conflict: terminated by other getUpdates request", 409)
    error = verdict("getUpdates", failure, about_chat=False)
    assert isinstance(error, AnotherPoller)
    assert "HAPI's own Telegram bot" in str(error)
    assert "TELEGRAM_BOT_TOKEN" in str(error)
