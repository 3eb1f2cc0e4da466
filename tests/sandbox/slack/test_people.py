"""The person's side, words: what people do, and what the app hears of it and can observe."""

import asyncio
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bridge.sandbox.slack import Channel, SlackServer, User


async def test_a_mention_in_a_channel_comes_as_two_events_with_ids_of_their_own(
    app: Any, server: SlackServer, channel: Channel, ada: User
) -> None:
    server.say(channel, ada, f"{server.mention()} attach")
    await server.wait_for(lambda: len(app.bodies) == 2, what="both events")
    assert sorted(event["type"] for event in app.events) == ["app_mention", "message"]
    assert len({event["ts"] for event in app.events}) == 1
    assert len({body["event_id"] for body in app.bodies}) == 2


async def test_kinds_of_channels_are_told_apart(app: Any, server: SlackServer, dm: Channel, ada: User) -> None:
    for place in (dm, server.add_channel("open", ada), server.add_channel("closed", ada, private=True)):
        server.say(place, ada, place.kind)
    await server.wait_for(lambda: len(app.bodies) == 3, what="three events")
    kinds = {event["text"]: event["channel_type"] for event in app.events}
    assert kinds == {"im": "im", "public": "channel", "private": "group"}


async def test_own_posts_and_those_of_other_bots_come_as_events_too(
    app: Any, client: AsyncWebClient, server: SlackServer, dm: Channel, channel: Channel
) -> None:
    await client.chat_postMessage(channel=dm.id, text="plain")
    await client.chat_postMessage(channel=dm.id, text="named", username="Agent", icon_emoji=":robot_face:")
    server.say(channel, server.add_bot("other"), "beep")
    await server.wait_for(lambda: len(app.bodies) == 3, what="three events")
    named = app.event("message", "bot_message")
    assert named is not None
    assert (named["username"], named["bot_id"], "user" in named) == ("Agent", server.bot.bot_id, False)
    assert {event.get("bot_id") is not None for event in app.events} == {True}


async def test_edits_deletions_and_reactions_are_told(app: Any, server: SlackServer, dm: Channel, ada: User) -> None:
    said = server.say(dm, ada, "one")
    server.edit(said, "two")
    server.react(said, ada, "eyes")
    server.unreact(said, ada, "eyes")
    server.delete(said)
    await server.wait_for(lambda: len(app.bodies) == 5, what="five events")
    changed, deleted = app.event("message", "message_changed"), app.event("message", "message_deleted")
    assert changed is not None
    assert deleted is not None
    assert (changed["previous_message"]["text"], changed["message"]["text"], changed["hidden"]) == ("one", "two", True)
    assert (deleted["deleted_ts"], deleted["previous_message"]["text"]) == (said.ts, "two")
    reaction = app.event("reaction_added")
    assert reaction is not None
    assert (reaction["reaction"], reaction["item"]["ts"]) == ("eyes", said.ts)
    assert app.event("reaction_removed") is not None
    assert [revision.text for revision in said.history] == ["one", "two"]


async def test_a_parent_with_replies_leaves_a_tombstone(
    client: AsyncWebClient, server: SlackServer, dm: Channel, ada: User
) -> None:
    parent = server.say(dm, ada, "question")
    reply = server.say(dm, ada, "more", thread_ts=parent)
    server.delete(parent)
    await client.chat_postMessage(channel=dm.id, text="answer", thread_ts=parent.ts)
    found = (await client.conversations_replies(channel=dm.id, ts=parent.ts))["messages"]
    assert [(m.get("subtype"), m["text"]) for m in found] == [
        ("tombstone", "This message was deleted."),
        (None, "more"),
        (None, "answer"),
    ]
    assert (found[0]["reply_count"], found[1]["ts"]) == (2, reply.ts)


async def test_history_has_no_replies_but_broadcast_ones_and_comes_in_pages(
    client: AsyncWebClient, server: SlackServer, channel: Channel, ada: User
) -> None:
    parent = server.say(channel, ada, "parent")
    server.say(channel, ada, "quiet", thread_ts=parent)
    server.say(channel, ada, "loud", thread_ts=parent, broadcast=True)
    last = server.say(channel, ada, "last")
    page = await client.conversations_history(channel=channel.id, limit=2)
    assert ([m["text"] for m in page["messages"]], page["has_more"]) == (["last", "loud"], True)
    rest = await client.conversations_history(
        channel=channel.id, limit=2, cursor=page["response_metadata"]["next_cursor"]
    )
    assert [m["text"] for m in rest["messages"]] == ["parent"]
    newer = await client.conversations_history(channel=channel.id, oldest=last.ts, inclusive=True)
    assert [m["text"] for m in newer["messages"]] == ["last"]


async def test_guests_strangers_and_owners_are_told_apart(
    client: AsyncWebClient, server: SlackServer, ada: User
) -> None:
    guest = server.add_user("gus", guest=True)
    stranger = server.add_user("sam", stranger=True)
    shown = {user.name: (await client.users_info(user=user.id))["user"] for user in (ada, guest, stranger)}
    assert (shown["ada"]["is_owner"], shown["gus"]["is_restricted"], shown["sam"]["is_stranger"]) == (True, True, True)
    assert shown["sam"]["team_id"] != server.team.id
    assert [user["name"] for user in (await client.users_list())["members"]] == ["hapi_bridge", "ada", "gus"]


async def test_what_happens_to_channels_and_tokens_is_told(
    app: Any, server: SlackServer, channel: Channel, ada: User
) -> None:
    bob = server.add_user("bob")
    server.join(channel, bob, by=ada)
    await server.wait_for(lambda: app.event("member_joined_channel"), what="the first event")
    server.leave(channel, bob)
    server.rename(channel, "labour")
    server.archive(channel, ada)
    server.remove_bot(channel)
    server.open_home(ada)
    server.revoke_token()
    await server.wait_for(lambda: len(server.office.deliveries) == 7, what="seven events")
    assert [delivery.name for delivery in server.office.deliveries] == [
        "member_joined_channel",
        "member_left_channel",
        "channel_rename",
        "channel_archive",
        "channel_left",
        "app_home_opened",
        "tokens_revoked",
    ]
    await server.wait_for(lambda: app.event("channel_rename"), what="the rename")
    server.say(server.dm(ada), ada, "too late")
    assert len(server.office.deliveries) == 7


async def test_whom_a_message_would_ping_can_be_observed(client: AsyncWebClient, dm: Channel, ada: User) -> None:
    rich = {"type": "rich_text_section", "elements": [{"type": "broadcast", "range": "here"}]}
    blocks: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": f"<@{ada.id}> and &lt;!channel&gt;"}},
        {"type": "section", "text": {"type": "plain_text", "text": "<!everyone>"}},
        {"type": "rich_text", "elements": [rich]},
    ]
    await client.chat_postMessage(channel=dm.id, text="x", blocks=blocks, unfurl_links=False, unfurl_media=False)
    await client.chat_postMessage(channel=dm.id, text="<!here> @channel", link_names=True)
    first, second = dm.from_bot
    assert (first.mentions, first.unfurls) == ([f"@{ada.id}", "!here"], False)
    assert (second.mentions, second.unfurls) == (["!here", "!channel"], True)


async def test_ephemeral_messages_are_one_persons(
    client: AsyncWebClient, server: SlackServer, channel: Channel, ada: User
) -> None:
    bob = server.add_user("bob")
    server.join(channel, bob)
    await client.chat_postEphemeral(channel=channel.id, user=bob.id, text="not for you to press")
    assert [m.text for m in channel.ephemeral(bob)] == ["not for you to press"]
    assert (channel.ephemeral(ada), channel.visible) == ([], [])
    assert (await client.conversations_history(channel=channel.id))["messages"] == []


async def test_an_edit_keeps_what_it_does_not_name(client: AsyncWebClient, dm: Channel) -> None:
    divider = [{"type": "divider"}]
    bar = [{"color": "#36a64f", "text": "ok"}]
    ts = (await client.chat_postMessage(channel=dm.id, text="one", blocks=divider, attachments=bar))["ts"]
    (message,) = dm.from_bot
    await client.chat_update(channel=dm.id, ts=ts, attachments=[{"color": "#f00", "text": "no", "fallback": "no"}])
    assert (message.text, len(message.blocks), message.attachments[0]["color"]) == ("one", 1, "#f00")
    await client.chat_update(channel=dm.id, ts=ts, text="two")
    assert (message.text, len(message.blocks), len(message.attachments)) == ("two", 1, 1)
    await client.chat_update(channel=dm.id, ts=ts, text="three", blocks=[], attachments=[])
    assert (message.text, message.blocks, message.attachments) == ("three", [], [])
    assert [(edit.text, len(edit.blocks)) for edit in message.edits] == [("one", 1), ("two", 1), ("three", 0)]


async def test_everything_that_happens_is_told_to_subscribers(
    client: AsyncWebClient, server: SlackServer, dm: Channel, ada: User
) -> None:
    with server.bus.subscribe() as news:
        server.say(dm, ada, "hello")
        await client.chat_postMessage(channel=dm.id, text="hi")
        kinds = []
        while "call" not in kinds:
            async with asyncio.timeout(5):
                kinds.append((await news.get()).kind)
    assert kinds == ["message", "message", "call"]
    with pytest.raises(TimeoutError, match=r"waiting for the moon; the last calls were \['chat.postMessage 200'\]"):
        await server.wait_for(lambda: False, timeout=0.01, what="the moon")


async def test_small_methods(
    client: AsyncWebClient, server: SlackServer, dm: Channel, channel: Channel, ada: User
) -> None:
    said = server.say(channel, ada, "hello")
    reply = server.say(channel, ada, "more", thread_ts=said)
    await client.pins_add(channel=channel.id, timestamp=said.ts)
    assert channel.pinned == [said.ts]
    await client.pins_remove(channel=channel.id, timestamp=said.ts)
    link = (await client.chat_getPermalink(channel=channel.id, message_ts=reply.ts))["permalink"]
    assert link.endswith(f"/p{reply.ts.replace('.', '')}?thread_ts={said.ts}&cid={channel.id}")
    assert (await client.team_info())["team"]["id"] == server.team.id
    assert (await client.bots_info(bot=server.bot.bot_id))["bot"]["user_id"] == server.bot.id
    assert (await client.conversations_open(users=[ada.id]))["channel"]["id"] == dm.id
    bob = server.add_user("bob")
    await client.conversations_invite(channel=channel.id, users=[bob.id])
    assert bob.id in (await client.conversations_members(channel=channel.id))["members"]
    await client.conversations_setTopic(channel=channel.id, topic="bugs")
    found = await client.conversations_list(types=["public_channel", "im"])
    assert {one["id"] for one in found["channels"]} == {dm.id, channel.id}
    assert channel.topic == "bugs"
