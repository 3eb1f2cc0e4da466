"""Posts on Slack: sent once, found again, edited, deleted; every error in the surface's words."""

import asyncio
from collections.abc import Callable

import pytest

from bridge.cards.model import Card, Text, plain
from bridge.chat.errors import (
    ChatGone,
    LoginRefused,
    MessageGone,
    OutcomeUnknown,
    PlaceGone,
    Rejected,
    RetryAfter,
    Unreachable,
)
from bridge.chat.slack.surface import SlackSurface
from bridge.chat.surface import Part, Place
from bridge.sandbox.slack import Channel, Limits, SlackServer, User

Make = Callable[..., Part]


@pytest.fixture
async def thread(surface: SlackSurface, ada: User) -> Place:
    return Place(1, ada.id, await surface.open_place(ada.id, "parser"))


async def send(surface: SlackSurface, place: Place, part: Part, *, ring: bool = False, key: str = "k") -> str:
    return await surface.send(place, part, ring=ring, key=key, index=0)


async def test_a_post_stands_in_its_thread_and_carries_its_key_unseen(
    surface: SlackSurface, dm: Channel, thread: Place, text: Make
) -> None:
    ts = await send(surface, thread, text("hello"), key="line/turn/1")
    message = dm.message(ts)
    assert message is not None
    assert (message.thread_ts, message.words) == (thread.thread, "hello")
    assert message.metadata == {"event_type": "hapi_bridge_post", "event_payload": {"key": "line/turn/1", "index": 0}}
    assert not message.unfurls


async def test_the_owners_dm_goes_by_the_owner_and_is_opened_once(
    surface: SlackSurface, server: SlackServer, dm: Channel, home: Place, text: Make
) -> None:
    await send(surface, home, text("one"))
    await send(surface, home, text("two"))
    assert [message.words for message in dm.from_bot] == ["one", "two"]
    assert [call.method for call in server.calls].count("conversations.open") == 1


async def test_what_rings_mentions_its_person_and_the_rest_mentions_nobody(
    surface: SlackSurface, dm: Channel, thread: Place, text: Make, ada: User
) -> None:
    quiet, loud = await send(surface, thread, text("quiet")), await send(surface, thread, text("loud"), ring=True)
    assert [dm.message(ts).mentions for ts in (quiet, loud)] == [[], [f"@{ada.id}"]]  # type: ignore[union-attr]
    await surface.edit(thread, loud, text("loud, and then some"))
    assert dm.message(loud).mentions == []  # type: ignore[union-attr]


async def test_plain_text_and_full_messages_ring_as_far_as_they_can(
    surface: SlackSurface, dm: Channel, home: Place, ada: User
) -> None:
    plain_one = await send(surface, home, Part("text", {"text": "only words"}), ring=True)
    blocks = [{"type": "divider"}] * 50
    full = await send(surface, home, Part("text", {"text": "full", "blocks": blocks}), ring=True)
    assert dm.message(plain_one).mentions == [f"@{ada.id}"]  # type: ignore[union-attr]
    assert len(dm.message(full).blocks) == 50  # type: ignore[union-attr]


async def test_in_a_channel_a_ring_mentions_nobody(surface: SlackSurface, channel: Channel, text: Make) -> None:
    ts = await send(surface, Place(1, channel.id), text("done"), ring=True)
    assert channel.message(ts).mentions == []  # type: ignore[union-attr]


async def test_an_edit_replaces_all_that_was_seen_and_keeps_the_key(
    surface: SlackSurface, dm: Channel, thread: Place, button: Make
) -> None:
    ts = await send(surface, thread, button("Allow"), key="k")
    await surface.edit(thread, ts, Part("text", {"text": "only words"}))
    message = dm.message(ts)
    assert message is not None
    assert (message.words, message.buttons) == ("only words", [])
    assert await surface.find(thread, "k", 0, 0) == ts


async def test_rendered_cards_are_taken_as_they_are_sent_and_edited(
    surface: SlackSurface, dm: Channel, thread: Place
) -> None:
    first, second = (surface.render("k", Card(pieces=(Text(lines=(plain(w),)),)), thread)[0] for w in ("one", "two"))
    ts = await send(surface, thread, first, ring=True)
    await surface.edit(thread, ts, second)
    assert "two" in dm.message(ts).words  # type: ignore[union-attr]


async def test_deleting_twice_is_success(surface: SlackSurface, dm: Channel, thread: Place, text: Make) -> None:
    ts = await send(surface, thread, text())
    await surface.delete(thread, ts)
    await surface.delete(thread, ts)
    assert dm.message(ts) is None


@pytest.mark.parametrize("where", ["thread", "chat"])
async def test_a_send_whose_answer_is_lost_is_found_by_its_key_and_no_other(
    surface: SlackSurface, server: SlackServer, dm: Channel, thread: Place, home: Place, text: Make, where: str
) -> None:
    """Invariant 3."""
    place = thread if where == "thread" else home
    await send(surface, place, text("before"), key="other")
    server.faults.lose_answer("chat.postMessage")
    with pytest.raises(OutcomeUnknown):
        await send(surface, place, text("once"), key="mine")
    found = await surface.find(place, "mine", 0, 0)
    assert found is not None
    assert dm.message(found).words == "once"  # type: ignore[union-attr]
    assert await surface.find(place, "mine", 1, 0) is None
    assert await surface.find(place, "another", 0, 0) is None


async def test_the_newest_of_two_and_none_from_before_the_moment_is_found(
    surface: SlackSurface, thread: Place, text: Make
) -> None:
    old, new = await send(surface, thread, text("old")), await send(surface, thread, text("new"))
    assert old < new
    assert await surface.find(thread, "k", 0, 0) == new
    assert await surface.find(thread, "k", 0, int(float(new) * 1000) + 60_000) is None


async def test_a_message_is_found_beyond_the_first_page(
    surface: SlackSurface, server: SlackServer, dm: Channel, home: Place, text: Make
) -> None:
    ts = await send(surface, home, text("mine"), key="mine")
    for number in range(250):
        server.post(dm, server.bot, text=str(number))
    assert await surface.find(home, "mine", 0, 0) == ts


async def test_a_connection_that_drops_before_the_call_leaves_its_outcome_unknown_and_nothing_to_find(
    surface: SlackSurface, server: SlackServer, dm: Channel, thread: Place, text: Make
) -> None:
    server.faults.drop("chat.postMessage")
    with pytest.raises(OutcomeUnknown):
        await send(surface, thread, text("never"))
    assert await surface.find(thread, "k", 0, 0) is None


async def test_nothing_is_posted_twice_by_the_sdk_itself(
    surface: SlackSurface, server: SlackServer, dm: Channel, home: Place, text: Make
) -> None:
    """Invariant 3: the SDK's own retries are off."""
    server.faults.lose_answer("chat.postMessage")
    with pytest.raises(OutcomeUnknown):
        await send(surface, home, text("once"))
    assert [message.words for message in dm.from_bot] == ["once"]


async def test_a_server_that_is_not_there_was_certainly_not_reached(text: Make, home: Place) -> None:
    async with SlackSurface("xoxb-x", "http://127.0.0.1:9/api/", app_token="xapp-x") as surface:
        with pytest.raises(Unreachable):
            await send(surface, Place(1, "C1"), text())


async def test_no_answer_in_time_is_an_unknown_outcome(
    surface: SlackSurface, server: SlackServer, channel: Channel, text: Make
) -> None:
    """Invariant 8."""
    server.faults.delay("chat.postMessage", seconds=30)
    async with asyncio.timeout(10):
        with pytest.raises(OutcomeUnknown, match="in time"):
            await send(surface, Place(1, channel.id), text())


async def test_a_method_that_was_told_to_wait_is_not_called_before_and_others_are(
    make: Callable[..., SlackSurface], server: SlackServer, channel: Channel, dm: Channel, home: Place, text: Make
) -> None:
    now = 0.0
    async with make(clock=lambda: now) as surface:
        ts = await send(surface, home, text("one"))
        server.faults.flood("chat.update", retry_after=7)
        for _ in range(2):
            with pytest.raises(RetryAfter) as wait:
                await surface.edit(home, ts, text("two"))
            assert wait.value.seconds == 7.0
        assert [call.method for call in server.calls].count("chat.update") == 1
        await send(surface, home, text("not held up"))
        now = 7.5
        await surface.edit(home, ts, text("two"))
        assert dm.message(ts).words == "two"  # type: ignore[union-attr]


async def test_a_channel_that_is_full_does_not_hold_up_another(
    surface: SlackSurface, server: SlackServer, channel: Channel, home: Place, text: Make
) -> None:
    server.rates.limits = Limits(post_burst=1, tiers=False)
    await send(surface, home, text("one"))
    with pytest.raises(RetryAfter):
        await send(surface, home, text("two"))
    await send(surface, Place(1, channel.id), text("elsewhere"))


async def test_a_file_goes_to_its_thread_with_its_bytes_and_rings_when_told_to(
    surface: SlackSurface, dm: Channel, thread: Place, file: Make, ada: User
) -> None:
    ts = await send(surface, thread, file("log.txt", "größer\n", initial_comment="the whole log"), ring=True)
    message = dm.message(ts)
    assert message is not None
    assert (message.thread_ts, message.mentions) == (thread.thread, [f"@{ada.id}"])
    assert "the whole log" in message.words
    assert [(one.name, one.data) for one in message.files] == [("log.txt", "größer\n".encode())]


async def test_an_empty_file_arrives_all_the_same(
    surface: SlackSurface, dm: Channel, thread: Place, file: Make
) -> None:
    ts = await send(surface, thread, file("empty.txt", ""))
    assert dm.message(ts).files[0].data == b"\n"  # type: ignore[union-attr]


async def test_a_file_whose_answer_is_lost_is_found_by_the_mark_of_its_block(
    surface: SlackSurface, server: SlackServer, dm: Channel, thread: Place, file: Make
) -> None:
    """Invariant 3: file messages take no metadata."""
    server.faults.lose_answer("files.completeUploadExternal")
    with pytest.raises(OutcomeUnknown):
        await send(surface, thread, file(), key="mine")
    found = await surface.find(thread, "mine", 0, 0)
    assert found is not None
    assert dm.message(found).files  # type: ignore[union-attr]
    assert await surface.find(thread, "mine", 1, 0) is None


async def test_a_file_that_can_not_be_looked_up_after_it_was_taken_has_an_unknown_outcome(
    surface: SlackSurface, server: SlackServer, thread: Place, file: Make
) -> None:
    server.faults.flood("conversations.replies", times=20, retry_after=1)
    with pytest.raises(OutcomeUnknown):
        await send(surface, thread, file())


async def test_before_its_last_step_a_file_may_be_tried_again(
    surface: SlackSurface, server: SlackServer, dm: Channel, thread: Place, file: Make
) -> None:
    server.faults.lose_answer("files.getUploadURLExternal")
    with pytest.raises(Unreachable):
        await send(surface, thread, file())
    assert not any(message.files for message in dm.from_bot)


async def test_a_file_can_not_be_replaced_in_its_message(surface: SlackSurface, thread: Place, file: Make) -> None:
    ts = await send(surface, thread, file())
    with pytest.raises(MessageGone):
        await surface.edit(thread, ts, file("other.md"))


async def test_a_message_that_is_gone_is_told_as_gone(
    surface: SlackSurface, server: SlackServer, dm: Channel, thread: Place, text: Make
) -> None:
    ts = await send(surface, thread, text())
    server.remove(dm.message(ts))  # type: ignore[arg-type]
    with pytest.raises(MessageGone):
        await surface.edit(thread, ts, text("more"))


async def test_what_slack_never_takes_is_rejected_with_its_reasons(
    surface: SlackSurface, home: Place, text: Make
) -> None:
    with pytest.raises(Rejected, match=r"invalid_blocks.*blocks/0"):
        await send(surface, home, text(blocks=[{"type": "header", "text": {"type": "mrkdwn", "text": "no"}}]))


@pytest.mark.parametrize("lost", ["archived", "removed", "unknown"])
async def test_a_channel_that_takes_nothing_any_more_is_gone(
    surface: SlackSurface, server: SlackServer, channel: Channel, ada: User, text: Make, lost: str
) -> None:
    server.scopes.discard("chat:write.public")
    place = Place(1, channel.id)
    if lost == "archived":
        server.archive(channel, ada)
    elif lost == "removed":
        server.remove_bot(channel)
    else:
        place = Place(1, "C0NOWHERE")
    with pytest.raises(ChatGone):
        await send(surface, place, text())


async def test_a_revoked_token_is_told_with_the_variable_to_check(
    surface: SlackSurface, server: SlackServer, home: Place, text: Make
) -> None:
    server.revoke_token()
    with pytest.raises(LoginRefused, match="SLACK_BOT_TOKEN"):
        await send(surface, home, text())


async def test_a_missing_scope_is_named_with_the_call_that_needs_it(
    surface: SlackSurface, server: SlackServer, home: Place, text: Make
) -> None:
    ts = await send(surface, home, text())
    server.scopes -= {"reactions:write", "chat:write"}
    with pytest.raises(Rejected, match=r"lacks reactions:write, which reactions\.add needs"):
        await surface.react(home, ts, "queued")
    with pytest.raises(LoginRefused, match=r"lacks chat:write.*slack-manifest"):
        await send(surface, home, text())


@pytest.mark.parametrize(("code", "problem"), [(500, OutcomeUnknown), (503, OutcomeUnknown)])
async def test_an_error_of_slacks_own_may_have_come_after_the_deed(
    surface: SlackSurface, server: SlackServer, channel: Channel, text: Make, code: int, problem: type[Exception]
) -> None:
    server.faults.error("chat.postMessage", code=code)
    with pytest.raises(problem):
        await send(surface, Place(1, channel.id), text())


async def test_a_reply_to_somebody_is_no_parameter_of_slacks(
    surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, home: Place, text: Make
) -> None:
    said = server.say(dm, ada, "hello")
    ts = await surface.send(home, text("answer"), ring=False, reply_to=said.ts, key="k", index=0)
    assert dm.message(ts).thread_ts is None  # type: ignore[union-attr]


async def test_check_tells_who_the_bot_is_and_what_it_may(surface: SlackSurface, server: SlackServer) -> None:
    me = await surface.check()
    assert (me.user, me.bot, me.team) == ("U0BOT", "B0BOT", "T0SANDBOX")
    assert me.scopes is not None
    assert "chat:write" in me.scopes


async def test_a_thread_lost_in_silence_is_noticed_and_the_post_taken_back(
    surface: SlackSurface, server: SlackServer, dm: Channel, thread: Place, text: Make
) -> None:
    """A Slack that posts into nothing: nobody would find the answer there."""
    server.remove(dm.message(thread.thread or ""))  # type: ignore[arg-type]
    server.ignores_lost_threads = True
    with pytest.raises(PlaceGone):
        await send(surface, thread, text("lost"))
    assert dm.find("lost") is None
