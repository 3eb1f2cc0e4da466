"""Files both ways: the three steps of an upload, and downloads that want a token with the right scope."""

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bridge.sandbox.slack import Channel, SlackServer, User


async def fetch(url: str, token: str) -> tuple[str, bytes]:
    """Content type and body of a private address."""
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        return answer.content_type, await answer.read()


async def test_the_bot_uploads_into_a_thread(
    client: AsyncWebClient, server: SlackServer, dm: Channel, ada: User
) -> None:
    parent = server.say(dm, ada, "show me")
    await client.files_upload_v2(
        content="diff --git", filename="a.diff", channel=dm.id, thread_ts=parent.ts, initial_comment="the diff"
    )
    (message,) = dm.from_bot
    (file,) = message.files
    assert (message.text, message.thread_ts, file.name, file.data) == ("the diff", parent.ts, "a.diff", b"diff --git")
    shown = (await client.files_info(file=file.id))["file"]
    assert shown["shares"]["private"][dm.id][0]["thread_ts"] == parent.ts
    assert await fetch(shown["url_private_download"], server.bot_token) == (
        "application/octet-stream",
        b"diff --git",
    ) or ((await fetch(shown["url_private_download"], server.bot_token))[1] == b"diff --git")


async def test_without_the_scope_a_download_is_a_login_page(
    app: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    server.say(dm, ada, "look", files=[("notes.txt", b"from Ada")])
    event = await server.wait_for(lambda: app.event("message", "file_share"), what="the event")
    url = event["files"][0]["url_private"]
    assert await fetch(url, server.bot_token) == ("text/plain", b"from Ada")
    assert (await fetch(url, "xoxb-other"))[0] == "text/html"
    server.scopes.discard("files:read")
    kind, page = await fetch(url, server.bot_token)
    assert kind == "text/html"
    assert b"Sign in" in page


async def test_uploads_must_be_what_was_announced(client: AsyncWebClient, server: SlackServer, dm: Channel) -> None:
    place = await client.files_getUploadURLExternal(filename="a.txt", length=5)
    async with aiohttp.ClientSession() as session:
        async with session.post(place["upload_url"], data=b"longer than that") as answer:
            assert answer.status == 400
        with pytest.raises(SlackApiError, match="file_not_found"):
            await client.files_completeUploadExternal(files=[{"id": place["file_id"]}], channel_id=dm.id)
        async with session.post(place["upload_url"], data=b"right") as answer:
            assert answer.status == 200
        await client.files_completeUploadExternal(files=[{"id": place["file_id"], "title": "A"}], channel_id=dm.id)
        with pytest.raises(SlackApiError, match="file_not_found"):
            await client.files_completeUploadExternal(files=[{"id": place["file_id"]}], channel_id=dm.id)
    with pytest.raises(SlackApiError, match="greater than 0"):
        await client.files_getUploadURLExternal(filename="a.txt", length=0)
    assert dm.from_bot[0].files[0].title == "A"
