"""Files: the three steps of an upload, files.info, and the private download that wants a token."""

import mimetypes
from collections.abc import AsyncIterator

from aiohttp import BodyPartReader, web

from bridge.sandbox.slack.api import Api
from bridge.sandbox.slack.errors import SlackError, invalid_arguments
from bridge.sandbox.slack.messages import thread_for_bot
from bridge.sandbox.slack.request import Request
from bridge.sandbox.slack.state import File, Json
from bridge.sandbox.slack.wire import file_json

MAX_UPLOAD_BYTES = 64 * 1024 * 1024  # Slack takes a gigabyte; no test needs that much memory
LOGIN_PAGE = "<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in to your workspace</body></html>"


def get_upload_url(world: Api, call: Request) -> Json:
    """files.getUploadURLExternal: where to send so many bytes."""
    name, length = call.need("filename"), call.need("length")
    if length < 1:
        raise invalid_arguments("must be greater than 0 [json-pointer:/length]")
    if length > MAX_UPLOAD_BYTES:
        raise SlackError("file_upload_size_restricted")
    call.approve(None)
    mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
    file = File(world.new_id("F"), name, mime, world.bot, length, snippet_type=call.get("snippet_type"))
    file.created = world.clock()
    world.files[file.id] = file
    return {"upload_url": f"{world.origin}/upload/v1/{file.id}", "file_id": file.id}


async def upload(world: Api, http: web.Request) -> web.Response:
    """The bytes themselves; their number must be the one announced."""
    file = world.files.get(http.match_info["file_id"])
    if file is None or file.shared:
        return web.Response(status=404, text="not found")
    if http.content_type.startswith("multipart/"):
        data = b"".join([part async for part in _parts(http)])
    else:
        data = await http.read()
    if len(data) != file.size:
        return web.Response(status=400, text=f"announced {file.size} bytes, got {len(data)}")
    file.data = data
    return web.Response(text=f"OK - {len(data)}")


def complete_upload(world: Api, call: Request) -> Json:
    """files.completeUploadExternal: shares the files in a channel or thread, in one message."""
    wanted = call.objects("files")
    files: list[File] = []
    for one in wanted:
        file = world.files.get(one.get("id", ""))
        if file is None or file.data is None or file.shared:
            raise SlackError("file_not_found")
        files.append(file)
    if not files:
        raise invalid_arguments("missing required field: files")
    channel_id = call.get("channel_id") or next(iter(call.get("channels") or []), None)
    channel = None if channel_id is None else world.channel_for_bot(channel_id, member=True, write=True)
    thread = None if channel is None else thread_for_bot(world, channel, call.get("thread_ts"))
    comment, blocks = call.get("initial_comment", ""), call.objects("blocks", "invalid_blocks_format")
    world.content.check(blocks, [])
    call.approve(None)
    for file, one in zip(files, wanted, strict=True):
        file.title, file.shared = one.get("title") or file.name, True
    if channel is not None:
        named = world.content.named(blocks)
        for file in files:
            file.channels.append(channel.id)
        world.post(channel, world.bot, text=comment, blocks=named, thread_ts=thread, files=files, subtype="file_share")
    return {"files": [file_json(file, world.origin) for file in files]}


def info(world: Api, call: Request) -> Json:
    """files.info."""
    file = world.files.get(call.need("file", "file_not_found"))
    if file is None or file.data is None:
        raise SlackError("file_not_found")
    call.approve(None)
    shown = file_json(file, world.origin) | {"channels": file.channels, "shares": _shares(world, file)}
    return {"file": shown, "comments": [], "response_metadata": {"next_cursor": ""}}


def download(world: Api, http: web.Request, token: str) -> web.Response:
    """The bytes, for a token that may read files; else, as Slack does, the login page with status 200."""
    file = world.files.get(http.match_info["file_id"])
    allowed = http.headers.get("Authorization") == f"Bearer {token}" and not world.token_state
    if not allowed or "files:read" not in world.scopes:
        return web.Response(text=LOGIN_PAGE, content_type="text/html")
    if file is None or file.data is None:
        return web.Response(status=404, text="file not found")
    as_file = {"Content-Disposition": f'attachment; filename="{file.id}"'}
    return web.Response(body=file.data, content_type=file.mime, headers=as_file)


def _shares(world: Api, file: File) -> Json:
    shares: Json = {}
    for channel_id in file.channels:
        channel = world.channels[channel_id]
        side = shares.setdefault("public" if channel.kind == "public" else "private", {})
        places = [m for m in channel.messages if file in m.files]
        side[channel_id] = [{"ts": m.ts} | ({"thread_ts": m.thread_ts} if m.thread_ts else {}) for m in places]
    return shares


async def _parts(http: web.Request) -> AsyncIterator[bytes]:
    """The bodies of a multipart upload."""
    async for part in await http.multipart():
        if isinstance(part, BodyPartReader):
            yield bytes(await part.read())
