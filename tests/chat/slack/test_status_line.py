"""The line below a thread ("is working…") is there while somebody works, and gone afterwards."""

from bridge.chat.slack.surface import SlackSurface
from bridge.chat.surface import Part, Place
from bridge.sandbox.slack import Message, SlackServer
from bridge.sandbox.slack.state import STATUS_S


def _thread(server: SlackServer) -> tuple[Message, Place]:
    """A thread in the DM of a workspace without agent sessions."""
    server.features -= {"agents"}
    dm = server.dm(server.add_user("ada"))
    root = server.post(dm, server.bot, text="parser")
    return root, Place(1, dm.person.id, root.ts)


def _said(server: SlackServer) -> list[str]:
    return [str(call.params["status"]) for call in server.calls if call.method == "assistant.threads.setStatus"]


async def test_a_turn_that_ends_without_a_message_takes_its_line_away(
    surface: SlackSurface, server: SlackServer
) -> None:
    root, place = _thread(server)
    await surface.stand(place, "working", "parser")
    await surface.typing(place)
    assert root.channel.status(root.ts) == "is working…"
    await surface.stand(place, "idle", "parser")
    await surface.stand(place, "idle", "parser")
    assert root.channel.status(root.ts) == ""
    assert _said(server) == ["is working…", ""], "taken away once"


async def test_a_message_takes_the_line_away_by_itself(surface: SlackSurface, server: SlackServer) -> None:
    root, place = _thread(server)
    await surface.typing(place)
    await surface.send(place, Part("text", {"text": "done"}), ring=False, key="l/message/1/0", index=0)
    assert root.channel.status(root.ts) == ""
    await surface.stand(place, "idle", "parser")
    assert _said(server) == ["is working…"], "there is nothing to take away"


async def test_a_line_is_gone_after_two_minutes() -> None:
    now = 1_000_000.0
    server = SlackServer(clock=lambda: now)
    root, _ = _thread(server)
    server.set_status_line(root.channel, root.ts, "is working…")
    now += STATUS_S - 1
    assert root.channel.status(root.ts, server.clock()) == "is working…"
    now += 1
    assert root.channel.status(root.ts, server.clock()) == ""
