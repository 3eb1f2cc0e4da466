"""People at work in a strict Slack, through slack-bolt, to intents; and what the surface does in return."""

from collections.abc import Callable
from typing import Any

import pytest

from bridge.chat.capabilities import Capability, Form
from bridge.chat.errors import OutcomeUnknown, PlaceGone, Rejected, SurfaceError
from bridge.chat.intents import Command, Deleted, Edited, HomeOpened, PlaceChanged, Press, Say
from bridge.chat.slack.manifest import EVENTS, SCOPES, slack_manifest
from bridge.chat.slack.surface import SlackSurface
from bridge.chat.surface import Part, Place, Surface
from bridge.sandbox.slack import Channel, SlackServer, User

Make = Callable[..., Part]


@pytest.fixture
async def thread(surface: SlackSurface, ada: User) -> Place:
    return Place(1, ada.id, await surface.open_place(ada.id, "parser"))


def test_the_surface_is_one(make: Callable[..., SlackSurface]) -> None:
    surface: Surface = make()
    assert surface.name == "slack"
    assert Capability.FIND in surface.capabilities


async def test_a_session_is_a_thread_that_its_first_message_names(
    surface: SlackSurface, dm: Channel, ada: User
) -> None:
    thread = await surface.open_place(ada.id, "fix <!here> & *all*\n" + "x" * 200)
    [root] = dm.from_bot
    assert (root.ts, root.mentions) == (thread, [])
    assert root.words.startswith("fix <!here> & *all* xxx")
    assert len(root.words) == 150


async def test_a_thread_whose_answer_is_lost_is_found_when_it_is_asked_for_again(
    surface: SlackSurface, server: SlackServer, dm: Channel, ada: User
) -> None:
    """Invariant 3."""
    other = await surface.open_place(ada.id, "parser")
    server.faults.lose_answer("chat.postMessage")
    with pytest.raises(OutcomeUnknown):
        await surface.open_place(ada.id, "parser")
    again = await surface.open_place(ada.id, "parser")
    assert [message.ts for message in dm.from_bot] == [other, again]
    assert await surface.open_place(ada.id, "parser") not in (other, again)


async def test_a_thread_that_never_arrived_is_made_when_it_is_asked_for_again(
    surface: SlackSurface, server: SlackServer, dm: Channel, ada: User
) -> None:
    server.faults.drop("chat.postMessage")
    with pytest.raises(OutcomeUnknown):
        await surface.open_place(ada.id, "parser")
    assert [await surface.open_place(ada.id, "parser")] == [message.ts for message in dm.from_bot]


async def test_a_renamed_session_renames_its_first_message(
    surface: SlackSurface, dm: Channel, thread: Place, home: Place
) -> None:
    await surface.rename_place(thread, "lexer")
    await surface.rename_place(home, "nothing to rename")
    assert [message.words for message in dm.from_bot] == ["lexer"]


async def test_a_thread_whose_first_message_is_gone_is_gone(
    surface: SlackSurface, server: SlackServer, dm: Channel, thread: Place, text: Make
) -> None:
    server.remove(dm.message(thread.thread or ""))  # type: ignore[arg-type]
    with pytest.raises(PlaceGone):
        await surface.send(thread, text(), ring=False, key="k", index=0)
    with pytest.raises(PlaceGone):
        await surface.rename_place(thread, "lexer")


async def test_marks_replace_each_other_and_setting_one_twice_is_success(
    surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, home: Place
) -> None:
    said = server.say(dm, ada, "hello")
    for mark, shown in (("queued", ["eyes"]), ("taken", ["ok_hand"]), ("failed", ["warning"]), ("none", [])):
        for _ in range(2):
            await surface.react(home, said.ts, mark)  # type: ignore[arg-type]
        assert list(said.reactions) == shown


async def test_only_marks_that_may_be_there_are_taken_back(
    make: Callable[..., SlackSurface], server: SlackServer, dm: Channel, ada: User, home: Place
) -> None:
    earlier = server.say(dm, ada, "before the start")
    async with make() as surface:
        later = server.say(dm, ada, "after it")
        await surface.react(home, later.ts, "failed")
        assert "reactions.remove" not in [call.method for call in server.calls]
        await surface.react(home, earlier.ts, "failed")
    removed = [(call.method, call.params["name"]) for call in server.calls if call.method == "reactions.remove"]
    assert removed == [("reactions.remove", "eyes")], "it may have been queued, and not more"


async def test_marks_of_an_earlier_life_are_replaced_too(
    make: Callable[..., SlackSurface], server: SlackServer, dm: Channel, ada: User, home: Place
) -> None:
    said = server.say(dm, ada, "hello")
    for mark in ("queued", "taken"):
        async with make() as surface:
            await surface.react(home, said.ts, mark)
    assert list(said.reactions) == ["ok_hand"]


async def test_what_was_said_by_a_command_has_no_message_to_mark(
    surface: SlackSurface, server: SlackServer, home: Place
) -> None:
    await surface.react(home, "command.1.2.3", "queued")
    assert server.calls == [] or all(call.method != "reactions.add" for call in server.calls)


async def test_the_status_line_shows_in_threads_and_is_not_repeated_too_soon(
    make: Callable[..., SlackSurface], server: SlackServer, ada: User, home: Place, text: Make
) -> None:
    now = 1000.0

    def asked() -> int:
        return [call.method for call in server.calls].count("assistant.threads.setStatus")

    async with make(clock=lambda: now) as surface:
        thread = Place(1, ada.id, await surface.open_place(ada.id, "parser"))
        assert surface.news() == []
        for place in (home, thread, thread):
            await surface.typing(place)
        assert asked() == 1
        await surface.send(thread, text(), ring=False, key="k", index=0)
        await surface.typing(thread)
        now += 61
        await surface.typing(thread)
        assert asked() == 3
        assert [(one.feature, one.state) for one in surface.news()] == [("status lines", "present")]


async def test_a_workspace_without_status_lines_is_asked_once(
    surface: SlackSurface, server: SlackServer, thread: Place
) -> None:
    server.features.discard("assistant")
    for _ in range(2):
        await surface.typing(thread)
    assert [call.method for call in server.calls].count("assistant.threads.setStatus") == 1
    (refused,) = surface.news()
    assert (refused.feature, refused.state) == ("status lines", "refused")
    assert "unknown_method" in refused.why


async def test_an_alert_is_seen_by_the_presser_alone_and_other_words_by_nobody(
    store: Any, surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, thread: Place, button: Make
) -> None:
    ts = await surface.send(thread, button("Allow", "tok"), ring=False, key="k", index=0)
    server.press(dm.message(ts), "Allow", ada)  # type: ignore[arg-type]
    [heard] = await store.until(1)
    await surface.acknowledge_press(heard.press, "Allowed.")
    assert dm.ephemeral(ada) == []
    await surface.acknowledge_press(heard.press, "Only <!here> can do that.", alert=True)
    [answer] = dm.ephemeral(ada)
    assert (answer.thread_ts, answer.mentions) == (thread.thread, [])
    await surface.acknowledge_press("nonsense", "whatever", alert=True)


async def test_a_stranger_in_a_channel_is_refused_where_nobody_else_sees_it(
    store: Any, surface: SlackSurface, server: SlackServer, channel: Channel, button: Make
) -> None:
    sam = server.add_user("sam", stranger=True)
    server.join(channel, sam)
    ts = await surface.send(Place(1, channel.id), button("Allow", "tok"), ring=False, key="k", index=0)
    server.press(channel.message(ts), "Allow", sam)  # type: ignore[arg-type]
    [heard] = await store.until(1)
    assert (heard.person.id, heard.person.standing, heard.where.chat) == (sam.id, "stranger", channel.id)
    await surface.acknowledge_press(heard.press, "No.", alert=True)
    assert [message.words for message in channel.ephemeral(sam)] == ["No."]


async def test_a_form_opens_for_the_presser_and_its_text_comes_back_as_the_press(
    store: Any, surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, thread: Place, button: Make
) -> None:
    ts = await surface.send(thread, button("Deny…", "tok"), ring=False, key="k", index=0)
    server.press(dm.message(ts), "Deny…", ada)  # type: ignore[arg-type]
    [heard] = await store.until(1)
    form = Form("deny-token", "Deny with a very long reason", "Why?", hint="said to the agent")
    await surface.ask(heard.press, form)
    view = server.modal(ada)
    assert view is not None
    assert view.title == "Deny with a very long r…"
    await server.answered(server.submit_view(view, {"text": "too *risky*"}, ada))
    assert server.modal(ada) is None
    written = (await store.until(2))[1]
    assert isinstance(written, Press)
    assert (written.token, written.text, written.message, written.where) == (
        "deny-token",
        "too *risky*",
        ts,
        heard.where,
    )
    await surface.acknowledge_press(written.press, "Denied already.", alert=True)
    assert dm.ephemeral(ada)


async def test_a_form_for_a_press_too_old_is_rejected(
    store: Any, surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, home: Place, button: Make
) -> None:
    ts = await surface.send(home, button("Deny…", "tok"), ring=False, key="k", index=0)
    server.press(dm.message(ts), "Deny…", ada)  # type: ignore[arg-type]
    [heard] = await store.until(1)
    for trigger in server.triggers.values():
        trigger.at -= 4
    with pytest.raises(Rejected, match="expired_trigger_id"):
        await surface.ask(heard.press, Form("t", "Deny", "Why?"))
    with pytest.raises(Rejected, match="only a press"):
        await surface.ask("", Form("t", "Deny", "Why?"))


async def test_a_day_in_the_dm(
    store: Any, surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, thread: Place
) -> None:
    said = server.say(dm, ada, "fix Vec&lt;u8&gt;", thread_ts=thread.thread)
    await store.until(1)
    server.edit(said, "fix Vec&lt;u16&gt;")
    await store.until(2)
    server.delete(said)
    await store.until(3)
    server.say(dm, ada, "see this", files=[("a.png", b"1")])
    await store.until(4)
    server.open_home(ada)
    await store.until(5)
    say, edit, deletion, files, opened = store.intents
    assert (type(say), say.text, say.where.chat, say.where.thread) == (Say, "fix Vec<u8>", ada.id, thread.thread)
    assert (type(edit), edit.text, edit.message) == (Edited, "fix Vec<u16>", said.ts)
    assert (type(deletion), deletion.message) == (Deleted, said.ts)
    assert (type(files), files.text, [one.name for one in files.files]) == (Say, "see this", ["a.png"])
    assert isinstance(opened, HomeOpened)


async def test_a_day_in_a_channel(store: Any, server: SlackServer, channel: Channel, ada: User) -> None:
    server.say(channel, ada, "nothing for the bot")
    asked = server.say(channel, ada, f"{server.mention()} status")
    await store.until(1)
    server.say(channel, ada, "among ourselves", thread_ts=asked)
    await store.until(2)
    server.message_shortcut(asked, "hapi_send", ada)
    await store.until(3)
    server.slash_command(channel, ada, "/hapi", "stop")
    await store.until(4)
    server.rename(channel, "renamed")
    await store.until(5)
    server.archive(channel, ada)
    await store.until(6)
    status, reply, sent, stop, renamed, archived = store.intents
    assert (type(status), status.name, status.where.thread) == (Command, "status", asked.ts)
    assert (type(reply), reply.addressed, reply.where.thread) == (Say, False, asked.ts)
    assert (type(sent), sent.where.private) == (Say, True)
    assert (stop.name, stop.where.chat) == ("stop", ada.id)
    assert renamed == PlaceChanged(archived.where, "renamed", "renamed")
    assert archived.change == "blocked"


async def test_the_bot_hears_that_it_was_removed(store: Any, server: SlackServer, channel: Channel) -> None:
    server.remove_bot(channel)
    [removed] = await store.until(1)
    assert (removed.change, removed.detail) == ("blocked", "removed")


async def test_the_manifests_scopes_and_events_are_enough(all_she_does: Callable[..., Any]) -> None:
    await all_she_does(frozenset(SCOPES))


@pytest.mark.parametrize("scope", SCOPES)
async def test_every_scope_of_the_manifest_is_needed(all_she_does: Callable[..., Any], scope: str) -> None:
    with pytest.raises((AssertionError, TimeoutError, LookupError, SurfaceError)):
        await all_she_does(frozenset(SCOPES) - {scope}, patience_s=0.4)


@pytest.fixture
def all_she_does(quick: Any, storing: Any, text: Make, file: Make) -> Callable[..., Any]:
    """All that the surface does and hears, in a workspace with just these scopes."""

    async def work(scopes: frozenset[str], patience_s: float = 5.0) -> None:
        async with (
            SlackServer(scopes=scopes, subscriptions=frozenset(EVENTS)) as server,
            SlackSurface("xoxb-sandbox", server.base_url, app_token="xapp-sandbox", timeouts=quick) as surface,
            storing(surface) as store,
        ):
            store.patience_s = patience_s
            await server.wait_for(lambda: server.sockets.open, what="the socket")
            ada = server.add_user("ada")
            rooms = [server.add_channel("open", ada), server.add_channel("closed", ada, private=True)]
            thread = Place(1, ada.id, await surface.open_place(ada.id, "parser"))
            await surface.send(thread, file(), ring=True, key="f", index=0)
            await surface.typing(thread)
            sent = [("a.txt", b"hello")]
            said = server.say(server.dm(ada), ada, "hello", thread_ts=thread.thread, files=sent)
            await store.until(1)
            assert store.intents[0].person.standing == "member"
            assert await surface.fetch(store.intents[0].files[0].source, 100) == b"hello"
            await surface.react(thread, said.ts, "queued")
            await surface.react(thread, said.ts, "taken")
            await surface.pin(thread, said.ts)
            await surface.pin(thread, said.ts)  # what is pinned already is well
            assert server.dm(ada).pinned == [said.ts]
            server.slash_command(rooms[0], ada, "/hapi", "status")
            await store.until(2)
            for number, room in enumerate(rooms):
                asked = server.say(room, ada, f"{server.mention()} hello")
                await store.until(3 + 3 * number)
                server.say(room, ada, "and more", thread_ts=asked)
                await store.until(4 + 3 * number)
                ts = await surface.send(Place(1, room.id, asked.ts), text(), ring=False, key="k", index=0)
                assert await surface.find(Place(1, room.id, asked.ts), "k", 0, 0) == ts
                server.archive(room, ada)
                await store.until(5 + 3 * number)
            group = server.add_channel("group", ada, server.add_user("bob"))
            group.kind = "mpim"  # a group conversation, of which the bot reads nothing but its mentions
            server.say(group, ada, f"{server.mention()} hello")
            await store.until(9)
            assert [(one.feature, one.state) for one in surface.news()] == [("status lines", "present")]

    return work


def test_the_manifest_fits_both_modes() -> None:
    socket, http = slack_manifest(), slack_manifest("https://bridge.example.org/")
    assert socket["settings"]["socket_mode_enabled"] is True
    assert "request_url" not in socket["settings"]["event_subscriptions"]
    url = "https://bridge.example.org/slack/events"
    assert http["settings"]["socket_mode_enabled"] is False
    assert http["settings"]["event_subscriptions"]["request_url"] == url
    assert http["settings"]["interactivity"]["request_url"] == url
    assert http["features"]["slash_commands"][0]["url"] == url
    assert slack_manifest(url) == http


async def test_messages_and_places_have_addresses(
    surface: SlackSurface, server: SlackServer, dm: Channel, ada: User
) -> None:
    """As ``chat.getPermalink`` makes them."""
    await surface.check()
    thread = Place(1, ada.id, await surface.open_place(ada.id, "parser"))
    root = dm.from_bot[-1].ts
    base = f"https://{server.team.domain}.slack.com/archives/{dm.id}"
    assert surface.address(thread, None) == f"{base}/p{root.replace('.', '')}"
    reply = server.say(dm, ada, "hello", thread_ts=root).ts
    link = await surface._client.call("chat.getPermalink", {"channel": dm.id, "message_ts": reply})
    assert surface.address(thread, reply) == link["permalink"]
    assert surface.address(Place(1, "U0NOBODY"), None) is None
