"""chat.startStream, appendStream, stopStream: messages that grow for about five minutes and then are over.

Starting one makes the thread's agent session and sets it to processing, where the workspace has agents; stopping it
sets the session to ``session_status``. While it streams a message can be neither changed nor deleted otherwise, and
history shows it with ``streaming_state``. Links are previewed if they are there from the start; nothing can be said
against it. (All of this as measured by others; Slack documents only part of it.)
"""

from typing import Any

from bridge.sandbox.slack.agents import begin_session, set_session
from bridge.sandbox.slack.api import Api
from bridge.sandbox.slack.blocks import block_problems
from bridge.sandbox.slack.content import MAX_MARKDOWN_TEXT, metadata
from bridge.sandbox.slack.errors import SlackError, stricter
from bridge.sandbox.slack.messages import thread_for_bot
from bridge.sandbox.slack.request import Request
from bridge.sandbox.slack.state import Channel, Json, Message, Stream, Task
from bridge.sandbox.slack.wire import message_json

MAX_FIELD = 256
MAX_TASKS = 50
STATUSES = ("pending", "in_progress", "complete", "error")
TASK = {"type", "id", "title", "status", "details", "output", "sources"}


def start_stream(world: Api, call: Request) -> Json:
    """chat.startStream: a reply in a thread; outside of DMs for one recipient, named with their team."""
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"), member=True, write=True)
    thread = thread_for_bot(world, channel, call.need("thread_ts", "invalid_thread_ts"))
    if not channel.is_im:
        for name in ("recipient_user_id", "recipient_team_id"):
            call.need(name, f"missing_{name}")
    recipient = world.users.get(call.get("recipient_user_id", ""))
    if "recipient_user_id" in call.params and (recipient is None or recipient.id not in channel.members):
        raise SlackError("user_not_found")
    display = call.get("task_display_mode", "timeline")
    if display not in ("timeline", "plan", "dense"):
        raise stricter(f"task_display_mode {display}")
    stream = Stream(world.clock(), channel.person if channel.is_im else recipient, display=display)
    chunks = _chunks(world, call, stream)
    call.approve(None)
    _grow(stream, chunks)
    named = world.content.named(stream.blocks)
    content: Json = {"text": stream.text, "blocks": named, "stream": stream, "unfurls": "://" in str(chunks)}
    message = world.post(channel, world.bot, thread_ts=thread, **content)
    begin_session(world, channel, thread)
    world.emit("stream", channel, message)
    return {"channel": channel.id, "ts": message.ts}


def append_stream(world: Api, call: Request) -> Json:
    """chat.appendStream, while it streams."""
    channel, message, stream = _streaming(world, call)
    chunks = _chunks(world, call, stream)
    if not chunks:
        raise SlackError("no_text")
    call.approve(None)
    _grow(stream, chunks)
    message.text, message.blocks = stream.text, world.content.named(stream.blocks)
    world.emit("stream", channel, message)
    return {"channel": channel.id, "ts": message.ts}


def stop_stream(world: Api, call: Request) -> Json:
    """chat.stopStream: a last piece, blocks below, metadata, and the session's status afterwards."""
    channel, message, stream = _streaming(world, call)
    chunks = _chunks(world, call, stream)
    blocks = call.objects("blocks", "invalid_blocks_format")
    world.content.check(blocks, [])
    meta = metadata(call.params["metadata"]) if "metadata" in call.params else None
    status = call.get("session_status", "active")
    session = world.sessions.get((channel.id, message.thread_ts))
    call.approve(None)
    if session is not None:
        set_session(world, session, status)
    _grow(stream, chunks)
    stream.state = "stopped"
    world.change(message, text=stream.text, blocks=world.content.named([*stream.blocks, *blocks]), metadata=meta)
    world.emit("stream", channel, message)
    return {"channel": channel.id, "ts": message.ts, "message": message_json(message, world.origin, metadata=True)}


def _streaming(world: Api, call: Request) -> tuple[Channel, Message, Stream]:
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"), member=True, write=True)
    message = channel.message(call.need("ts", "message_not_found"))
    if message is None:
        raise SlackError("message_not_found")
    if message.user is not world.bot:
        raise SlackError("message_not_owned_by_app")
    state = world.stream_state(message)
    if state == "stopped_by_user":
        raise SlackError("stopped_by_user")
    if message.stream is None or state != "streaming":
        raise SlackError("message_not_in_streaming_state")
    return channel, message, message.stream


def _chunks(world: Api, call: Request, stream: Stream) -> list[Json]:
    """The chunks of a call, plain Markdown as a chunk. A stream keeps the shape it was opened with."""
    text, chunks = call.get("markdown_text"), call.objects("chunks", "invalid_chunks")
    if "metadata" in call.params and call.method != "chat.stopStream":
        raise stricter(f"metadata in {call.method}")
    if text is not None and chunks:
        raise SlackError("cannot_provide_both_markdown_text_and_chunks")
    mode = "text" if text is not None else "chunks" if chunks else None
    if stream.mode is not None and mode is not None and mode != stream.mode:
        raise SlackError("streaming_mode_mismatch")  # measured, not documented
    stream.mode = stream.mode or mode
    found = [{"type": "markdown_text", "text": text}] if text else chunks
    for index, chunk in enumerate(found):
        _check_chunk(chunk, index)
    world.content.chunks(found)
    if len(stream.tasks.keys() | {one["id"] for one in found if one["type"] == "task_update"}) > MAX_TASKS:
        raise stricter(f"more than {MAX_TASKS} tasks: a plan holds no more")
    return found


def _check_chunk(chunk: Json, index: int) -> None:
    kind = chunk.get("type")
    if kind == "markdown_text":
        if not isinstance(chunk.get("text"), str):
            raise _invalid(index, "missing required field: text")
        if len(chunk["text"]) > MAX_MARKDOWN_TEXT:
            raise SlackError("msg_too_long")
    elif kind == "task_update":
        if chunk.keys() - TASK or not {"id", "title", "status"} <= chunk.keys():
            raise _invalid(index, "a task_update has id, title, status, details, output, sources")
        if chunk["status"] not in STATUSES:
            raise _invalid(index, f"must be one of: {', '.join(STATUSES)}")
        for name in ("id", "title", "details", "output"):
            _short(chunk.get(name, ""))
    elif kind == "plan_update":
        _short(chunk.get("title"))
    elif kind == "blocks":
        problems = block_problems(chunk.get("blocks"), "message", f"/chunks/{index}/blocks").found
        if problems:
            raise _invalid(index, problems[0])
    else:
        raise _invalid(index, f"unsupported type: {kind}")


def _short(value: Any) -> None:
    if not isinstance(value, str):
        raise SlackError("invalid_chunks")
    if len(value) > MAX_FIELD:
        raise SlackError("msg_too_long")


def _invalid(index: int, words: str) -> SlackError:
    messages = [f"[ERROR] {words} [json-pointer:/chunks/{index}]"]
    return SlackError("invalid_chunks", response_metadata={"messages": messages})


def _grow(stream: Stream, chunks: list[Json]) -> None:
    """Text, details and output are appended; titles and statuses replaced."""
    for chunk in chunks:
        if chunk["type"] == "markdown_text":
            stream.text += chunk["text"]
        elif chunk["type"] == "plan_update":
            stream.plan = chunk["title"]
        elif chunk["type"] == "blocks":
            stream.blocks += chunk["blocks"]
        else:
            task = stream.tasks.setdefault(chunk["id"], Task(chunk["id"], "", ""))
            task.title, task.status = chunk["title"], chunk["status"]
            task.details += chunk.get("details", "")
            task.output += chunk.get("output", "")
            task.sources += chunk.get("sources", [])
