"""What the strict server refuses in calls, asked through slack_sdk, in Slack's words."""

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bridge.sandbox.slack import Channel, SlackServer, User


async def refusal(client: AsyncWebClient, method: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a call that fails."""
    with pytest.raises(SlackApiError) as caught:
        await client.api_call(method, json=arguments)
    answer: dict[str, Any] = caught.value.response.data
    return answer


async def why(client: AsyncWebClient, method: str, **arguments: Any) -> str:
    """The error, and its first message where there is one."""
    answer = await refusal(client, method, **arguments)
    return " ".join([answer["error"], *answer.get("response_metadata", {}).get("messages", [])[:1]])


async def test_unknown_methods_and_arguments_are_named(client: AsyncWebClient, dm: Channel) -> None:
    assert await why(client, "chat.shout") == "unknown_method"
    words = await why(client, "chat.postMessage", channel=dm.id, text="x", color="red")
    assert words.startswith("invalid_arguments [ERROR] sandbox: chat.postMessage has no argument color")
    assert await why(client, "chat.postMessage", channel=dm.id, text=5) == (
        "invalid_arguments [ERROR] must be a string [json-pointer:/text]"
    )


async def test_tokens_must_be_the_right_ones(
    server: SlackServer, client: AsyncWebClient, make_client: Callable[..., AsyncWebClient]
) -> None:
    assert await why(make_client(server, "xoxb-other"), "auth.test") == "invalid_auth"
    assert await why(AsyncWebClient(base_url=server.base_url), "auth.test") == "not_authed"
    assert await why(client, "apps.connections.open") == "not_allowed_token_type"
    assert await why(make_client(server, server.app_token), "auth.test") == "not_allowed_token_type"
    server.app_scopes.clear()
    lacking = await refusal(make_client(server, server.app_token), "apps.connections.open")
    assert (lacking["error"], lacking["needed"]) == ("missing_scope", "connections:write")


async def test_a_revoked_token_and_an_uninstalled_app_do_nothing_more(
    server: SlackServer, client: AsyncWebClient, dm: Channel
) -> None:
    server.revoke_token()
    assert await why(client, "chat.postMessage", channel=dm.id, text="x") == "token_revoked"
    server.deactivate_account()
    assert await why(client, "auth.test") == "account_inactive"


async def test_missing_scopes_name_what_is_needed_and_what_there_is(
    server: SlackServer, client: AsyncWebClient, dm: Channel, channel: Channel
) -> None:
    answer = await client.auth_test()
    assert "chat:write" in answer.headers["X-OAuth-Scopes"].split(",")
    server.scopes = {"users:read", "channels:read"}
    lacking = await refusal(client, "chat.postMessage", channel=dm.id, text="x")
    assert lacking == {
        "ok": False,
        "error": "missing_scope",
        "needed": "chat:write",
        "provided": "channels:read,users:read",
    }
    assert (await client.conversations_info(channel=channel.id))["channel"]["name"] == "work"
    for place, needed in ((channel, "channels:history"), (dm, "im:history")):
        assert (await refusal(client, "conversations.history", channel=place.id))["needed"] == needed


CHANNEL_CASES = [
    ("chat.postMessage", {"text": "x"}),
    ("chat.update", {"text": "x", "ts": "1.0"}),
    ("chat.delete", {"ts": "1.0"}),
    ("chat.postEphemeral", {"text": "x", "user": "U1"}),
    ("chat.getPermalink", {"message_ts": "1.0"}),
    ("chat.startStream", {"thread_ts": "1.0"}),
    ("conversations.info", {}),
    ("conversations.history", {}),
    ("conversations.replies", {"ts": "1.0"}),
    ("reactions.add", {"timestamp": "1.0", "name": "eyes"}),
    ("pins.add", {"timestamp": "1.0"}),
]


@pytest.mark.parametrize(("method", "arguments"), CHANNEL_CASES, ids=[method for method, _ in CHANNEL_CASES])
async def test_channels_the_bot_cannot_see_are_not_found(
    method: str, arguments: dict[str, Any], server: SlackServer, client: AsyncWebClient, ada: User
) -> None:
    secret = server.add_channel("secret", ada, private=True, with_bot=False)
    for place in ("C0NOWHERE", secret.id):
        assert await why(client, method, channel=place, **arguments) == "channel_not_found"


async def test_channels_the_bot_is_not_in_and_archived_ones_take_no_posts(
    server: SlackServer, client: AsyncWebClient, channel: Channel, ada: User
) -> None:
    server.scopes.discard("chat:write.public")
    server.remove_bot(channel)
    assert await why(client, "chat.postMessage", channel=channel.id, text="x") == "not_in_channel"
    assert await why(client, "conversations.history", channel=channel.id) == "not_in_channel"
    server.join(channel, server.bot, by=ada)
    await client.chat_postMessage(channel="#work", text="here")
    server.archive(channel, ada)
    assert await why(client, "chat.postMessage", channel=channel.id, text="x") == "is_archived"
    assert await why(client, "chat.update", channel=channel.id, ts=channel.from_bot[0].ts, text="x") == "is_archived"


async def test_what_is_said_must_be_something_and_not_too_much(client: AsyncWebClient, dm: Channel) -> None:
    async def post(**content: Any) -> str:
        return await why(client, "chat.postMessage", channel=dm.id, **content)

    assert await post() == "no_text"
    assert await post(text="  ") == "no_text"
    assert await post(text="x" * 40_001) == "msg_too_long"
    assert await post(markdown_text="x" * 12_001) == "msg_too_long"
    assert await post(markdown_text="x", text="y") == "markdown_text_conflict"
    assert await post(text="x", blocks="[{") == "invalid_blocks_format"
    assert await post(text="x", attachments=[{"text": "a"}] * 101) == "too_many_attachments"
    assert "attachment with actions" in await post(text="x", attachments=[{"text": "a", "actions": []}])
    assert await post(text="x", metadata={"event_type": "post"}) == "invalid_metadata_format"
    assert "sandbox: metadata nested" in await post(
        text="x", metadata={"event_type": "post", "event_payload": {"a": {"b": 1}}}
    )
    assert await post(text="x", thread_ts="1.000000") == "thread_not_found"
    assert dm.messages == []


async def test_threads_hang_on_parents(server: SlackServer, client: AsyncWebClient, dm: Channel, ada: User) -> None:
    parent = server.say(dm, ada, "question")
    reply = await client.chat_postMessage(channel=dm.id, text="answer", thread_ts=parent.ts)
    assert "thread_ts of a reply" in await why(
        client, "chat.postMessage", channel=dm.id, text="x", thread_ts=reply["ts"]
    )
    await client.chat_delete(channel=dm.id, ts=reply["ts"])
    server.delete(parent)
    assert await why(client, "chat.postMessage", channel=dm.id, text="x", thread_ts=parent.ts) == "thread_not_found"
    assert await why(client, "conversations.replies", channel=dm.id, ts=parent.ts) == "thread_not_found"
    server.ignores_lost_threads = True
    await client.chat_postMessage(channel=dm.id, text="orphan", thread_ts=parent.ts)
    assert [m.text for m in dm.thread(parent.ts)] == ["orphan"]


async def test_only_own_messages_are_changed_and_only_while_they_may(
    server: SlackServer, client: AsyncWebClient, dm: Channel, ada: User, clock: Any
) -> None:
    theirs = server.say(dm, ada, "mine")
    own = (await client.chat_postMessage(channel=dm.id, text="one"))["ts"]
    assert await why(client, "chat.update", channel=dm.id, ts="1.0", text="x") == "message_not_found"
    assert await why(client, "chat.update", channel=dm.id, ts=theirs.ts, text="x") == "cant_update_message"
    assert await why(client, "chat.delete", channel=dm.id, ts=theirs.ts) == "cant_delete_message"
    server.edit_window_minutes = 5
    clock.advance(301)
    assert await why(client, "chat.update", channel=dm.id, ts=own, text="x") == "edit_window_closed"
    await client.chat_delete(channel=dm.id, ts=own)
    assert await why(client, "chat.delete", channel=dm.id, ts=own) == "message_not_found"


async def test_reactions_are_names_and_set_once(client: AsyncWebClient, dm: Channel) -> None:
    ts = (await client.chat_postMessage(channel=dm.id, text="one"))["ts"]

    async def react(method: str, name: str, timestamp: str = ts) -> str:
        return await why(client, f"reactions.{method}", channel=dm.id, timestamp=timestamp, name=name)

    assert await react("remove", "eyes") == "no_reaction"
    await client.reactions_add(channel=dm.id, timestamp=ts, name="eyes")
    assert await react("add", "eyes") == "already_reacted"
    assert await react("add", "👀") == "invalid_name"
    assert "no colons" in await react("add", ":eyes:")
    assert await react("add", "eyes", "1.0") == "message_not_found"
    assert (await client.reactions_get(channel=dm.id, timestamp=ts))["message"]["reactions"][0]["count"] == 1


async def test_names_of_channels_are_free_and_plain(client: AsyncWebClient, channel: Channel) -> None:
    assert await why(client, "conversations.create", name="work") == "name_taken"
    assert await why(client, "conversations.create", name="My Work!") == "invalid_name_specials"
    assert await why(client, "conversations.create", name="x" * 81) == "invalid_name_maxlength"
    assert await why(client, "conversations.create", name="-_-") == "invalid_name_punctuation"
    assert await why(client, "conversations.rename", channel=channel.id, name="") == "invalid_name_required"
    made = await client.conversations_create(name="session-1", is_private=True)
    await client.conversations_rename(channel=made["channel"]["id"], name="session-2")
    assert await why(client, "conversations.join", channel=made["channel"]["id"]) == (
        "method_not_supported_for_channel_type"
    )
    await client.conversations_archive(channel=made["channel"]["id"])
    assert await why(client, "conversations.archive", channel=made["channel"]["id"]) == "already_archived"


async def test_channels_are_described_within_limits_and_listed_for_who_is_in_them(
    server: SlackServer, client: AsyncWebClient, channel: Channel
) -> None:
    assert await why(client, "conversations.setPurpose", channel=channel.id, purpose="x" * 251) == "too_long"
    assert await why(client, "conversations.setTopic", channel=channel.id, topic="x" * 251) == "too_long"
    made = (await client.conversations_create(name="session-1", is_private=True))["channel"]["id"]
    await client.conversations_setPurpose(channel=made, purpose="of one session")
    hidden = server.add_channel("hidden", private=True, with_bot=False)
    listed = (await client.users_conversations(types="private_channel"))["channels"]
    assert [(one["id"], one["purpose"]["value"]) for one in listed] == [(made, "of one session")]
    assert await why(client, "conversations.setPurpose", channel=hidden.id, purpose="x") == "channel_not_found"
    assert await why(client, "users.conversations", types="secret") == "invalid_types"
    assert await why(client, "users.conversations", limit=1000) == "invalid_limit"
    server.scopes -= {"groups:write", "groups:read"}
    assert await why(client, "conversations.create", name="session-2", is_private=True) == "missing_scope"
    assert await why(client, "users.conversations", types="private_channel") == "missing_scope"


async def test_people_who_are_not_there_are_not_found(
    server: SlackServer, client: AsyncWebClient, dm: Channel, channel: Channel, ada: User
) -> None:
    other = server.add_bot("other")
    assert await why(client, "users.info", user="U9") == "user_not_found"
    assert await why(client, "conversations.open", users="U9") == "user_not_found"
    assert await why(client, "conversations.open", users=other.id) == "cannot_dm_bot"
    assert await why(client, "conversations.open") == "users_list_not_supplied"
    assert await why(client, "chat.postEphemeral", channel=dm.id, user=other.id, text="x") == "user_not_in_channel"
    assert await why(client, "conversations.invite", channel=channel.id, users=ada.id) == "already_in_channel"
    assert await why(client, "bots.info", bot="B9") == "bot_not_found"
    assert await why(client, "files.info", file="F9") == "file_not_found"
    assert await why(client, "views.publish", user_id="U9", view={"type": "home", "blocks": []}) == "user_not_found"
