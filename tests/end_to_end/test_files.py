"""Files that people send from Telegram, to the agent's computer: through the real hub and Telegram's client."""

import asyncio
import base64
from typing import Any

import pytest

from bridge.sandbox.telegram import Message
from tests.end_to_end.bridge_stage import answers, told, until
from tests.end_to_end.conftest import Playing, Stage
from tests.rig.fake_cli import FakeCli

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(150)]

REPORT = b"%PDF-1.7 the numbers"


def send(stage: Stage, name: str = "report.pdf", data: bytes = REPORT, **how: Any) -> Message:
    return stage.telegram.send_document(stage.chat, stage.ada, data, name, **how)


def attached(cli: FakeCli) -> list[list[dict[str, Any]]]:
    """The attachments of each message that the agent got."""
    return [message["content"]["content"].get("attachments", []) for message in told(cli)]


def uploads(cli: FakeCli) -> list[tuple[str, bytes]]:
    """The files that its computer got: name and bytes."""
    got = [params for method, params in cli.rpc_log if method == "uploadFile"]
    return [(each["filename"], base64.b64decode(each["content"])) for each in got]


def texts(cli: FakeCli) -> list[str]:
    return [message["content"]["content"]["text"] for message in told(cli)]


async def opened(playing: Playing) -> tuple[Stage, FakeCli, int | None]:
    """A session whose topic is there, and its thread."""
    stage, cli = playing
    await answers(cli, "ready for you")
    return stage, cli, (await stage.message("ready for you")).thread


async def test_a_document_reaches_the_agent_with_its_words_and_is_marked_as_any_message(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    said = send(stage, caption="sum these up", thread=thread)
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    assert texts(cli) == ["sum these up"]
    assert uploads(cli) == [("report.pdf", REPORT)]
    ((file,),) = attached(cli)
    about = {"filename": "report.pdf", "mimeType": "application/pdf", "size": len(REPORT)}
    assert {name: file[name] for name in about} == about
    assert file["path"] == "/tmp/fake-upload/report.pdf"


async def test_a_file_needs_no_words(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    said = send(stage, "shot.png", b"a picture", kind="photo", thread=thread)
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    assert texts(cli) == [""]
    assert [one["filename"] for one in attached(cli)[0]] == [f"photo-{said.id}.jpg"]


async def test_a_name_can_be_no_path_and_hides_nothing(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    said = send(stage, "../../.ssh/\u202egnp.exe\n", b"x", thread=thread)
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    ((name, _),) = uploads(cli)
    assert name == ".._.._.ssh_gnp.exe"


async def test_a_text_waits_for_the_file_before_it(playing: Playing) -> None:
    """Order holds, however long a file takes."""
    stage, cli, thread = await opened(playing)
    stage.telegram.faults.delay("getFile", seconds=1.0)
    send(stage, caption="first", thread=thread)
    stage.telegram.say(stage.chat, stage.ada, "second", thread=thread)
    await until(lambda: len(told(cli)) == 2, "both")
    assert texts(cli) == ["first", "second"]


async def test_a_crash_between_upload_and_send_doubles_nothing_and_loses_nothing(stage: Stage) -> None:
    """Invariant 3."""
    uploaded, go_on = asyncio.Event(), asyncio.Event()

    async def upload(params: dict[str, Any]) -> dict[str, Any]:
        uploaded.set()
        await go_on.wait()
        return {"success": True, "path": f"/tmp/fake-upload/{params['filename']}"}

    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    cli.handle("uploadFile", upload)
    await answers(cli, "ready for you")
    thread = (await stage.message("ready for you")).thread
    said = send(stage, caption="sum these up", thread=thread)
    async with asyncio.timeout(20):
        await uploaded.wait()
    await stage.kill_process()
    go_on.set()
    await stage.start_process()
    await stage.see(lambda: "👌" in str(said.reactions), "taken", 30)
    assert texts(cli) == ["sum these up"]
    assert [[one["filename"] for one in files] for files in attached(cli)] == [["report.pdf"]]


async def test_after_a_crash_only_what_was_not_there_yet_is_brought_again(stage: Stage) -> None:
    """Invariant 3: killed with one file there and one under way, the message goes once, with both."""
    second, go_on = asyncio.Event(), asyncio.Event()

    async def upload(params: dict[str, Any]) -> dict[str, Any]:
        if params["filename"] == "2.txt" and not go_on.is_set():
            second.set()
            await go_on.wait()
        return {"success": True, "path": f"/tmp/fake-upload/{params['filename']}"}

    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    cli.handle("uploadFile", upload)
    await answers(cli, "ready for you")
    thread = (await stage.message("ready for you")).thread
    said = [send(stage, f"{n}.txt", b"%d" % n, media_group="7", thread=thread) for n in (1, 2)]
    async with asyncio.timeout(20):
        await second.wait()
    await stage.kill_process()
    go_on.set()
    await stage.start_process()
    await stage.see(lambda: all("👌" in str(one.reactions) for one in said), "taken", 30)
    assert [name for name, _ in uploads(cli)] == ["1.txt", "2.txt", "2.txt"]
    assert [[one["filename"] for one in files] for files in attached(cli)] == [["1.txt", "2.txt"]]
