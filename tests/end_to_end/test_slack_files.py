"""Files that people send in Slack, to the agent's computer: through a real hub and Slack's client."""

import base64
from typing import Any

import pytest
from aiohttp import web

from bridge.sandbox.slack import Message
from tests.end_to_end.bridge_stage import answers, told, until
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import SlackStage
from tests.rig.fake_cli import FakeCli

pytestmark = pytest.mark.real_hub


async def opened(at_slack: AtSlack) -> tuple[SlackStage, FakeCli, Message]:
    stage, cli = at_slack
    await answers(cli, "hi")
    return stage, cli, await stage.answer("hi")


async def test_files_reach_the_agent_with_what_was_written_beside_them(at_slack: AtSlack) -> None:
    stage, cli, hello = await opened(at_slack)
    files = [("shot.png", b"png"), ("page.html", b"<html>no login</html>")]
    said = stage.slack.say(stage.dm, stage.ada, "see here", thread_ts=hello, files=files)
    await until(lambda: told(cli), "the message")
    content = told(cli)[0]["content"]["content"]
    assert content["text"] == "see here"
    about = [(one["filename"], one["mimeType"], one["size"]) for one in content["attachments"]]
    assert about == [("shot.png", "image/png", 3), ("page.html", "text/html", 21)]
    got = [params["content"] for method, params in cli.rpc_log if method == "uploadFile"]
    assert [base64.b64decode(one) for one in got] == [b"png", b"<html>no login</html>"]
    await stage.see(lambda: "ok_hand" in str(said.reactions), "taken")


async def test_an_app_that_may_not_read_files_says_so_and_the_words_can_go_alone(at_slack: AtSlack) -> None:
    """Slack answers with its login page then, and that is no file."""
    stage, cli, hello = await opened(at_slack)
    stage.slack.scopes.discard("files:read")
    stage.slack.say(stage.dm, stage.ada, "see here", thread_ts=hello, files=[("shot.png", b"png")])
    card = await stage.message("shot.png: the Slack app lacks the scope files:read")
    assert not told(cli)
    await stage.press(card, "Send without")
    await until(lambda: told(cli), "the message")
    assert told(cli)[0]["content"]["content"] == {"type": "text", "text": "see here"}


async def test_the_bots_token_goes_to_slack_and_to_nobody_else(at_slack: AtSlack) -> None:
    """Invariant 7."""
    stage, cli, hello = await opened(at_slack)
    asked: list[str] = []

    async def elsewhere(request: web.Request) -> web.Response:
        asked.append(str(request.headers.get("Authorization")))
        return web.Response(body=b"bait")

    app = web.Application()
    app.router.add_get("/files-pri/bait", elsewhere)
    runner = web.AppRunner(app)
    await runner.setup()
    stage.stack.push_async_callback(runner.cleanup)
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    bait = f"http://127.0.0.1:{runner.addresses[0][1]}/files-pri/bait"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("bridge.sandbox.slack.wire.file_json", lambda file, origin: bait_of(file, bait))
        stage.slack.say(stage.dm, stage.ada, "see here", thread_ts=hello, files=[("shot.png", b"png")])
        await stage.message("shot.png: it does not lie with Slack")
    assert (asked, told(cli)) == ([], [])


def bait_of(file: Any, address: str) -> dict[str, Any]:
    return {"id": file.id, "name": file.name, "mimetype": file.mime, "size": 3, "url_private_download": address}
