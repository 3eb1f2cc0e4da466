"""The Slack side of the page: what it shows, and what the visitor does there."""

import base64
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bridge.sandbox.slack import Channel, Message
from tests.sandbox.page.conftest import Json, Visit


def _button(text: str, action: str, value: str = "1") -> Json:
    return {
        "type": "button",
        "text": {"type": "plain_text", "text": text},
        "action_id": action,
        "value": value,
    }


def _bot(visit: Visit) -> AsyncWebClient:
    """The app's own client."""
    return AsyncWebClient(visit.stage.slack.bot_token, base_url=visit.stage.slack.base_url)


def _modal(title: str) -> Json:
    words: Json = {"type": "plain_text_input", "action_id": "words"}
    block = {"type": "input", "block_id": "b", "label": {"type": "plain_text", "text": "Words"}, "element": words}
    named = {name: {"type": "plain_text", "text": text} for name, text in (("title", title), ("submit", "Send"))}
    return {"type": "modal", "callback_id": "form", "blocks": [block], **named}


def _post(visit: Visit, channel: Channel, **content: Any) -> Message:
    return visit.stage.slack.post(channel, visit.stage.slack.bot, **content)


async def test_the_state_has_messages_as_slack_gives_them_and_what_a_client_shows(visit: Visit) -> None:
    slack, dm, ada = visit.stage.slack, visit.stage.dm, visit.stage.member
    other = slack.add_user("bo")
    parent = _post(visit, dm, text="parser", metadata={"event_type": "x", "event_payload": {}})
    _post(visit, dm, text="working", thread_ts=parent.ts, attachments=[{"color": "#1a1", "text": "tests"}])
    _post(visit, dm, text="for Ada", ephemeral_to=ada)
    _post(visit, dm, text="for Bo", ephemeral_to=other)
    slack.remove(_post(visit, dm, text="gone"))
    slack.react(parent, ada, "eyes")
    slack.change(parent, text="parser 2")
    shown = (await visit.state())["slack"]
    assert (shown["team"]["name"], shown["me"]["real_name"], shown["commands"]) == ("Sandbox", "Ada", ["/hapi"])
    assert {user["id"] for user in shown["users"]} == {slack.bot.id, ada.id, other.id}
    assert {each["type"] for each in shown["shortcuts"]} == {"message", "global"}
    channel = next(one for one in shown["channels"] if one["id"] == dm.id)
    assert (channel["kind"], channel["name"], channel["archived"]) == ("im", "HAPI Bridge", False)
    above, reply, hidden = channel["messages"]
    assert (above["text"], above["reply_count"], above["_edits"], above["_from_bot"]) == ("parser 2", 1, 1, True)
    assert above["metadata"]["event_type"] == "x"
    assert above["reactions"] == [{"name": "eyes", "users": [ada.id], "count": 1}]
    assert (reply["thread_ts"], reply["attachments"][0]["color"]) == (parent.ts, "#1a1")
    assert (hidden["text"], hidden["_ephemeral_to"], reply["_ephemeral_to"]) == ("for Ada", ada.id, None)


async def test_writing_reaches_the_app_and_the_thread(visit: Visit) -> None:
    slack, dm = visit.stage.slack, visit.stage.dm
    parent = _post(visit, dm, text="parser")
    file = {"name": "notes.txt", "data": base64.b64encode(b"one two").decode()}
    async with visit.listening() as events:
        said = await visit.post("slack/say", channel=dm.id, thread_ts=parent.ts, text="go on", file=file)
        told = await events.next("slack.message", lambda event: not event["message"]["_from_bot"])
        counted = await events.next("slack.edit")
    assert told["message"]["text"] == said["message"]["text"] == "go on"
    assert (counted["message"]["ts"], counted["message"]["reply_count"]) == (parent.ts, 1)
    sent = [each.payload["event"] for each in slack.office.deliveries if each.name == "message"][-1]
    assert (sent["thread_ts"], sent["files"][0]["name"]) == (parent.ts, "notes.txt")
    answer = await visit.client.get(f"/api/file/slack/{said['message']['files'][0]['id']}")
    assert (answer.content, answer.headers["Content-Type"]) == (b"one two", "application/octet-stream")


async def test_a_press_is_of_the_button_in_its_own_block(visit: Visit) -> None:
    """Two cards' worth of buttons with the same action: the block decides, not the label."""
    slack, dm = visit.stage.slack, visit.stage.dm
    blocks = [
        {"type": "actions", "block_id": f"b{n}", "elements": [_button("Allow", "allow", f"v{n}")]} for n in (1, 2)
    ]
    message = _post(visit, dm, text="May I?", blocks=blocks)
    where = {"channel": dm.id, "message_ts": message.ts}
    await visit.post("slack/press", **where, action_id="allow", block_id="b2")
    action = slack.office.deliveries[-1].payload["actions"][0]
    assert (action["block_id"], action["value"]) == ("b2", "v2")
    assert (await visit.refused("slack/press", **where, action_id="allow", block_id="b3"))[0] == 409
    assert (await visit.refused("slack/press", action_id="allow"))[0] == 400


async def test_choosing_in_menus(visit: Visit) -> None:
    slack, dm = visit.stage.slack, visit.stage.dm
    options = [{"text": {"type": "plain_text", "text": text}, "value": text.lower()} for text in ("Red", "Blue")]
    one = {"type": "static_select", "action_id": "one", "options": options}
    more = {"type": "checkboxes", "action_id": "more", "options": options}
    message = _post(visit, dm, text="?", blocks=[{"type": "actions", "block_id": "b", "elements": [one, more]}])
    where = {"channel": dm.id, "message_ts": message.ts, "block_id": "b"}
    await visit.post("slack/press", **where, action_id="one", value="blue")
    assert slack.office.deliveries[-1].payload["actions"][0]["selected_option"]["value"] == "blue"
    await visit.post("slack/press", **where, action_id="more", selected_options=["red", "blue"])
    assert len(slack.office.deliveries[-1].payload["actions"][0]["selected_options"]) == 2
    assert (await visit.refused("slack/press", **where, action_id="one", value="green"))[0] == 409


async def test_a_modal_is_shown_filled_in_and_sent(visit: Visit) -> None:
    slack, ada = visit.stage.slack, visit.stage.member
    async with visit.listening() as events:
        trigger = slack.new_trigger(ada)
        await _bot(visit).views_open(trigger_id=trigger, view=_modal("Answer"))
        view = (await events.next("slack.view"))["views"][-1]
        assert (view["title"]["text"], view["_errors"]) == ("Answer", {})
        assert (await visit.state())["slack"]["views"] == [view]
        missing = await visit.refused("slack/view/submit", view_id=view["id"], state={"b": {"words": ""}})
        assert missing == (400, "'Words' must be filled in")
        await visit.post("slack/view/submit", view_id=view["id"], state={"b": {"words": "because"}})
        sent = slack.office.deliveries[-1].payload
        assert (sent["type"], sent["view"]["state"]["values"]["b"]["words"]["value"]) == ("view_submission", "because")
        assert (await events.next("slack.answer"))["words"].startswith("The app did not respond")
        assert (await events.next("slack.view"))["views"][-1]["_errors"] != {}
        await visit.post("slack/view/close", view_id=view["id"])
        assert (await events.next("slack.view", lambda event: not event["views"]))["views"] == []
    assert (await visit.refused("slack/view/close", view_id=view["id"]))[0] == 409
    assert (await visit.refused("slack/view/submit", view_id="V1"))[0] == 404


async def test_the_home_tab(visit: Visit) -> None:
    slack, ada = visit.stage.slack, visit.stage.member
    await visit.post("slack/home/open")
    assert slack.office.deliveries[-1].name == "app_home_opened"
    async with visit.listening() as events:
        section = {"type": "section", "block_id": "b", "text": {"type": "mrkdwn", "text": "*2* sessions"}}
        section["accessory"] = _button("Stop", "stop")
        await _bot(visit).views_publish(user_id=ada.id, view={"type": "home", "blocks": [section]})
        home = (await events.next("slack.home"))["home"]
    assert home == (await visit.state())["slack"]["home"]
    await visit.post("slack/press", view_id=home["id"], action_id="stop", block_id="b")
    assert slack.office.deliveries[-1].payload["view"]["id"] == home["id"]


async def test_editing_deleting_and_reacting(visit: Visit) -> None:
    dm = visit.stage.dm
    mine = (await visit.post("slack/say", channel=dm.id, text="helo"))["message"]["ts"]
    async with visit.listening() as events:
        await visit.post("slack/edit", channel=dm.id, ts=mine, text="hello")
        assert (await events.next("slack.edit"))["message"]["edited"]
        await visit.post("slack/react", channel=dm.id, ts=mine, name="eyes")
        assert (await events.next("slack.reaction"))["message"]["reactions"][0]["name"] == "eyes"
        await visit.post("slack/react", channel=dm.id, ts=mine, name="eyes", on=False)
        assert "reactions" not in (await events.next("slack.reaction"))["message"]
        await visit.post("slack/delete", channel=dm.id, ts=mine)
        assert (await events.next("slack.delete"))["message"]["_deleted"]
    theirs = _post(visit, dm, text="mine alone")
    assert (await visit.refused("slack/edit", channel=dm.id, ts=theirs.ts, text="x"))[0] == 403
    assert (await visit.refused("slack/delete", channel=dm.id, ts=theirs.ts))[0] == 403
    assert (await visit.refused("slack/react", channel=dm.id, ts=theirs.ts, name=":eyes:"))[0] == 400


async def test_commands_and_shortcuts_reach_the_app(visit: Visit) -> None:
    slack, dm = visit.stage.slack, visit.stage.dm
    await visit.post("slack/command", channel=dm.id, command="/hapi", text="status")
    sent = slack.office.deliveries[-1]
    assert (sent.kind, sent.payload["text"], sent.payload["channel_id"]) == ("slash_commands", "status", dm.id)
    refused = await visit.refused("slack/command", channel=dm.id, command="/nope", text="")
    assert refused == (400, "/nope is not a valid command")
    message = _post(visit, dm, text="fix this")
    await visit.post("slack/shortcut", callback_id="hapi_send", channel=dm.id, message_ts=message.ts)
    assert slack.office.deliveries[-1].payload["message"]["text"] == "fix this"
    await visit.post("slack/shortcut", callback_id="hapi_stop_any")
    assert slack.office.deliveries[-1].payload["type"] == "shortcut"


async def test_streams_status_and_sessions_are_shown(visit: Visit) -> None:
    slack, dm = visit.stage.slack, visit.stage.dm
    parent, bot = _post(visit, dm, text="parser"), _bot(visit)
    slack.scopes |= {"assistant:write"}
    async with visit.listening() as events:
        task = {"type": "task_update", "id": "1", "title": "Read", "status": "in_progress"}
        made = await bot.api_call("chat.startStream", json={"channel": dm.id, "thread_ts": parent.ts, "chunks": [task]})
        shown = (await events.next("slack.message", lambda event: event["message"]["_streaming"]))["message"]
        assert shown["_tasks"] == [{"id": "1", "title": "Read", "status": "in_progress", "details": "", "output": ""}]
        await bot.api_call("chat.stopStream", json={"channel": dm.id, "ts": made["ts"]})
        stopped = await events.next(
            "slack.edit", lambda event: not event["message"]["_streaming"] and event["message"]["ts"] == made["ts"]
        )
        assert (stopped["message"]["_streaming"], stopped["message"]["_stream"]) == (False, "stopped")
        await bot.api_call("chat.update", json={"channel": dm.id, "ts": made["ts"], "text": "*Done*"})
        replaced = (await events.next("slack.edit", lambda event: event["message"]["text"] == "*Done*"))["message"]
        assert (replaced["_stream"], replaced["_plan"], replaced["_tasks"]) == ("", "", []), "nothing of it is left"
        where = {"channel_id": dm.id, "thread_ts": parent.ts}
        await bot.api_call("assistant.threads.setStatus", json=where | {"status": "is working"})
        assert (await events.next("slack.status"))["text"] == "is working"
        await bot.api_call("agents.sessions.setStatus", json=where | {"status": "processing", "title": "parser"})
        session = (await events.next("slack.session"))["sessions"][0]
    assert (session["channel"], session["thread_ts"], session["status"]) == (dm.id, parent.ts, "processing")
    state = (await visit.state())["slack"]
    assert state["sessions"] == [session]
    line = next(one for one in state["channels"] if one["id"] == dm.id)["status"][parent.ts]
    assert (line["text"], 100 < line["until"] - slack.clock() <= 120) == ("is working", True)
    async with visit.listening() as events:
        slack.post(dm, slack.bot, text="done", thread_ts=parent.ts)
        assert (await events.next("slack.status"))["text"] == "", "the app's message takes it away"


async def test_what_cannot_be_done_is_refused_in_words(visit: Visit) -> None:
    slack, dm = visit.stage.slack, visit.stage.dm
    secret = slack.add_channel("secret", slack.add_user("bo"))
    hidden = _post(visit, dm, text="for Bo", ephemeral_to=slack.add_user("cy"))
    assert (await visit.refused("slack/say", channel=secret.id, text="x"))[0] == 404
    assert (await visit.refused("slack/say", channel=dm.id, text=""))[0] == 400
    assert (await visit.refused("slack/say", channel=dm.id, text="x", thread_ts="1.1"))[0] == 409
    assert (await visit.refused("slack/react", channel=dm.id, ts=hidden.ts, name="eyes"))[0] == 404
    assert (await visit.refused("slack/stop", channel=dm.id, thread_ts="1.1"))[0] == 409
    assert secret.id not in {one["id"] for one in (await visit.state())["slack"]["channels"]}
