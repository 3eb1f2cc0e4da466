"""Streams and agent sessions: append-only, for five minutes, in threads; Slack's own Stop."""

from collections.abc import Awaitable
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bridge.sandbox.slack import Channel, Message, SlackServer, User


@pytest.fixture
def question(server: SlackServer, dm: Channel, ada: User) -> Message:
    """What the stream replies to."""
    return server.say(dm, ada, "fix it")


async def error(call: Awaitable[Any]) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call
    answer: dict[str, Any] = caught.value.response.data
    return " ".join([answer["error"], *answer.get("response_metadata", {}).get("messages", [])])


def task(title: str = "Read a.py", status: str = "in_progress", **more: Any) -> dict[str, Any]:
    return {"type": "task_update", "id": "t1", "title": title, "status": status} | more


async def start(client: AsyncWebClient, question: Message, **more: Any) -> str:
    answer = await client.chat_startStream(channel=question.channel.id, thread_ts=question.ts, **more)
    ts: str = answer["ts"]
    return ts


async def test_text_details_and_output_grow_and_titles_are_replaced(
    client: AsyncWebClient, dm: Channel, question: Message
) -> None:
    ts = await start(client, question, chunks=[{"type": "plan_update", "title": "Working"}, task(details="a")])
    text = {"type": "markdown_text", "text": "One. "}
    await client.chat_appendStream(channel=dm.id, ts=ts, chunks=[text, task("Read", "complete", details="b")])
    message = dm.message(ts)
    assert message is not None
    assert message.stream is not None
    (kept,) = message.stream.tasks.values()
    assert (kept.title, kept.status, kept.details) == ("Read", "complete", "ab")
    assert (message.stream.state, message.stream.plan, message.text) == ("streaming", "Working", "One. ")
    below = {"type": "divider"}
    metadata = {"event_type": "post", "event_payload": {"key": "k"}}
    await client.chat_stopStream(
        channel=dm.id, ts=ts, chunks=[{"type": "markdown_text", "text": "Two."}], blocks=[below], metadata=metadata
    )
    assert (message.stream.state, message.text, message.metadata) == ("stopped", "One. Two.", metadata)
    assert [block["type"] for block in message.blocks] == ["divider"]
    await client.chat_update(channel=dm.id, ts=ts, text="goes on so")


async def test_a_stream_dies_after_five_minutes(
    client: AsyncWebClient, dm: Channel, question: Message, clock: Any
) -> None:
    ts = await start(client, question, markdown_text="One. ")
    clock.advance(299)
    await client.chat_appendStream(channel=dm.id, ts=ts, markdown_text="Two. ")
    clock.advance(2)
    for call in (client.chat_appendStream, client.chat_stopStream):
        assert await error(call(channel=dm.id, ts=ts, markdown_text="x")) == "message_not_in_streaming_state"
    await client.chat_update(channel=dm.id, ts=ts, text="One. Two. Three.")
    assert dm.from_bot[0].text == "One. Two. Three."


async def test_a_stream_can_be_ended_by_order(
    server: SlackServer, client: AsyncWebClient, dm: Channel, question: Message
) -> None:
    ts = await start(client, question, markdown_text="One. ")
    server.expire_stream(dm.from_bot[0])
    assert await error(client.chat_appendStream(channel=dm.id, ts=ts, markdown_text="x")) == (
        "message_not_in_streaming_state"
    )


async def test_what_streams_refuse(client: AsyncWebClient, server: SlackServer, dm: Channel, question: Message) -> None:
    async def begin(**more: Any) -> str:
        return await error(start(client, question, **more))

    assert await error(client.api_call("chat.startStream", json={"channel": dm.id})) == "invalid_thread_ts"
    assert await error(client.chat_startStream(channel=dm.id, thread_ts="1.0")) == "thread_not_found"
    assert "metadata in chat.startStream" in await begin(metadata={"event_type": "x", "event_payload": {}})
    assert await begin(markdown_text="x" * 12_001) == "msg_too_long"
    assert await begin(chunks=[task("x" * 257)]) == "msg_too_long"
    assert await begin(markdown_text="x", chunks=[task()]) == "cannot_provide_both_markdown_text_and_chunks"
    assert "unsupported type: song" in await begin(chunks=[{"type": "song"}])
    assert "must be one of: pending" in await begin(chunks=[task(status="done")])
    assert "a task_update has" in await begin(chunks=[{"type": "task_update", "id": "t1"}])
    assert dm.from_bot == []
    ts = await start(client, question, markdown_text="text")
    assert await error(client.chat_appendStream(channel=dm.id, ts=ts, chunks=[task()])) == "streaming_mode_mismatch"
    assert await error(client.chat_appendStream(channel=dm.id, ts=ts)) == "no_text"
    assert await error(client.chat_appendStream(channel=dm.id, ts=question.ts, markdown_text="x")) == (
        "message_not_owned_by_app"
    )
    assert await error(client.chat_update(channel=dm.id, ts=ts, text="x")) == "streaming_state_conflict"
    await client.chat_stopStream(channel=dm.id, ts=ts)
    server.features.discard("streams")
    assert await begin() == "unknown_method"


async def test_in_channels_a_stream_has_one_recipient(
    client: AsyncWebClient, server: SlackServer, channel: Channel, ada: User
) -> None:
    asked = server.say(channel, ada, "fix it")
    assert await error(start(client, asked)) == "missing_recipient_user_id"
    assert await error(start(client, asked, recipient_user_id=ada.id)) == "missing_recipient_team_id"
    await start(client, asked, recipient_user_id=ada.id, recipient_team_id=ada.team_id)
    stream = channel.from_bot[0].stream
    assert stream is not None
    assert stream.recipient is ada


async def test_slacks_own_stop_ends_the_streams_and_tells_the_app(
    app: Any, client: AsyncWebClient, server: SlackServer, dm: Channel, question: Message, ada: User
) -> None:
    with pytest.raises(LookupError, match="no Stop button"):
        server.stop_session(dm, question, ada)
    place = {"channel_id": dm.id, "thread_ts": question.ts}
    await client.agents_sessions_setStatus(**place, status="processing", title="Fix", initiator_user_id=ada.id)
    ts = await start(client, question, markdown_text="One. ")
    server.stop_session(dm, question, ada)
    event = await server.wait_for(lambda: app.event("agent_session_stopped"))
    assert (event["thread_ts"], event["streaming_message_ts"], event["user"]) == (question.ts, [ts], ada.id)
    assert await error(client.chat_appendStream(channel=dm.id, ts=ts, markdown_text="x")) == "stopped_by_user"
    session = server.sessions[dm.id, question.ts]
    assert session.status == "processing"
    await client.agents_sessions_setStatus(**place, status="suspended", title="other")
    await client.agents_sessions_rename(**place, title="Fixed")
    assert (session.title, [status for _, status in session.history]) == ("Fixed", ["processing", "suspended"])


async def test_sessions_warn_without_the_subscription_and_refuse_odd_states(
    client: AsyncWebClient, server: SlackServer, dm: Channel, question: Message, ada: User
) -> None:
    place = {"channel_id": dm.id, "thread_ts": question.ts}
    assert "must be one of: active" in await error(client.agents_sessions_setStatus(**place, status="busy"))
    assert await error(client.agents_sessions_rename(**place, title="x")) == "session_not_found"
    lost = {"channel_id": dm.id, "thread_ts": "1.0"}
    assert await error(client.agents_sessions_setStatus(**lost, status="active")) == "thread_not_found"
    server.subscriptions = frozenset({"message.im"})
    answer = await client.agents_sessions_setStatus(**place, status="processing")
    assert answer["warning"] == "missing_agent_session_stopped_event_subscription"
    with pytest.raises(LookupError):
        server.stop_session(dm, question, ada)
    server.features.discard("agents")
    assert await error(client.agents_sessions_setStatus(**place, status="active")) == "unknown_method"


async def test_assistant_threads_have_a_status_a_title_and_prompts(
    client: AsyncWebClient, dm: Channel, question: Message
) -> None:
    place: dict[str, Any] = {"channel_id": dm.id, "thread_ts": question.ts}
    await client.assistant_threads_setStatus(**place, status="is thinking…")
    await client.assistant_threads_setTitle(**place, title="Fix")
    await client.assistant_threads_setSuggestedPrompts(**place, prompts=[{"title": "Go", "message": "go on"}])
    assert (dm.status(question.ts), dm.titles[question.ts]) == ("is thinking…", "Fix")
    assert dm.prompts[question.ts][0]["message"] == "go on"
    await client.assistant_threads_setStatus(**place, status="")
    assert dm.status(question.ts) == ""
    prompts = [{"title": "x", "message": "x"}] * 5
    assert "1 to 4 prompts" in await error(client.assistant_threads_setSuggestedPrompts(**place, prompts=prompts))
