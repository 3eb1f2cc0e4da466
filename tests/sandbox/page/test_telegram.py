"""The Telegram side of the page: what it shows, and what the visitor does there."""

import base64

import pytest

from tests.sandbox.page.conftest import Json, Visit

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
ALLOW: Json = {"inline_keyboard": [[{"text": "Allow", "callback_data": "a1"}, {"text": "Docs", "url": "https://x.y"}]]}


async def _messages(visit: Visit) -> list[Json]:
    chats = (await visit.state())["telegram"]["chats"]
    found: list[Json] = chats[0]["messages"]
    return found


async def test_the_state_has_messages_as_the_bot_api_gives_them_and_what_an_app_shows(visit: Visit) -> None:
    telegram, chat, ada = visit.stage.telegram, visit.stage.chat, visit.stage.person
    topic, _ = telegram.add_topic(chat, telegram.bot, "parser", 7322096, None)
    bold = [{"type": "bold", "offset": 0, "length": 4}]
    message = telegram.post(chat, telegram.bot, text="Done", entities=bold, thread=topic.id, silent=True)
    telegram.change(message, text="Done.")
    telegram.react(message, ada, "👍")
    telegram.remove(telegram.post(chat, telegram.bot, text="gone"))
    shown = (await visit.state())["telegram"]
    assert (shown["me"]["first_name"], shown["bot"]["is_bot"]) == ("Ada", True)
    about = shown["chats"][0]
    assert about["topics"] == [{"id": topic.id, "name": "parser", "closed": False}]
    assert (about["type"], about["has_topics"], about["title"]) == ("private", True, "HAPI Bridge")
    made, last = about["messages"]
    assert made["forum_topic_created"]["name"] == "parser"
    assert (last["text"], last["entities"], last["message_thread_id"]) == ("Done.", bold, topic.id)
    assert last["_reactions"] == {"👍": ["Ada"]}
    assert (last["_silent"], last["_edits"], last["_from_bot"], last["_deleted"]) == (True, 1, True, False)


async def test_writing_reaches_the_bot_and_the_chat(visit: Visit) -> None:
    telegram, chat = visit.stage.telegram, visit.stage.chat
    topic, _ = telegram.add_topic(chat, telegram.bot, "parser", 7322096, None)
    async with visit.listening() as events:
        said = await visit.post("telegram/say", chat=chat.id, thread=topic.id, text="/stop now")
        told = await events.next("telegram.message", lambda event: not event["message"]["_from_bot"])
    assert told["chat"] == chat.id
    assert told["message"] == said["message"]
    assert said["message"]["entities"][0]["type"] == "bot_command"
    assert telegram.updates.waiting[-1]["message"]["message_thread_id"] == topic.id
    reply = await visit.post("telegram/say", chat=chat.id, text="again", reply_to=said["message"]["message_id"])
    assert reply["message"]["reply_to_message"]["text"] == "/stop now"


async def test_a_press_reaches_the_bot_and_its_answer_the_page(visit: Visit) -> None:
    telegram, chat = visit.stage.telegram, visit.stage.chat
    message = telegram.post(chat, telegram.bot, text="May I?", reply_markup=ALLOW)
    async with visit.listening() as events:
        await visit.post("telegram/press", chat=chat.id, message=message.id, data="a1")
        query = telegram.updates.waiting[-1]["callback_query"]
        assert query["data"] == "a1"
        url = f"{telegram.base_url}/bot{telegram.token}/answerCallbackQuery"
        asked = {"callback_query_id": query["id"], "text": "Sending…", "show_alert": True}
        await visit.client.post(url, json=asked)
        answer = await events.next("telegram.answer")
    assert (answer["message"], answer["button"], answer["text"], answer["alert"]) == (
        message.id, "Allow", "Sending…", True,
    )  # fmt: skip


async def test_presses_that_nobody_answers_are_forgotten(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their labels, that is: an answer that comes at last is shown without."""
    monkeypatch.setattr("bridge.sandbox.page.telegram_news.MOST_PRESSED", 2)
    telegram, chat = visit.stage.telegram, visit.stage.chat
    message = telegram.post(chat, telegram.bot, text="May I?", reply_markup=ALLOW)
    url = f"{telegram.base_url}/bot{telegram.token}/answerCallbackQuery"
    async with visit.listening() as events:
        for _ in range(3):
            await visit.post("telegram/press", chat=chat.id, message=message.id, data="a1")
        presses = [each["callback_query"]["id"] for each in telegram.updates.waiting if "callback_query" in each]
        labels = []
        for press in presses:
            await visit.client.post(url, json={"callback_query_id": press, "text": "Sending…"})
            labels.append((await events.next("telegram.answer"))["button"])
    assert labels == ["", "Allow", "Allow"]


async def test_files_go_both_ways_and_only_pictures_are_shown(visit: Visit) -> None:
    """Whatever a file says it is, it never acts as a page of this origin."""
    chat = visit.stage.chat
    file = {"name": "a.png", "data": base64.b64encode(PNG).decode()}
    picture = (await visit.post("telegram/say", chat=chat.id, text="look", file=file))["message"]
    assert picture["caption"] == "look"
    answer = await visit.client.get(f"/api/file/telegram/{picture['photo'][0]['file_id']}")
    assert (answer.content, answer.headers["Content-Type"]) == (PNG, "image/png")
    evil = {"name": "a\n.html", "mime": "text/html", "data": base64.b64encode(b"<script>1</script>").decode()}
    page = (await visit.post("telegram/say", chat=chat.id, file=evil))["message"]["document"]
    answer = await visit.client.get(f"/api/file/telegram/{page['file_id']}")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == "attachment; filename*=UTF-8''a%0A.html"
    assert answer.headers["Content-Security-Policy"].startswith("sandbox")


async def test_editing_reacting_and_deleting_a_topic(visit: Visit) -> None:
    telegram, chat = visit.stage.telegram, visit.stage.chat
    topic, _ = telegram.add_topic(chat, telegram.bot, "parser", 7322096, None)
    mine = (await visit.post("telegram/say", chat=chat.id, text="helo", thread=topic.id))["message"]["message_id"]
    async with visit.listening() as events:
        await visit.post("telegram/edit", chat=chat.id, message=mine, text="hello")
        assert (await events.next("telegram.edit"))["message"]["text"] == "hello"
        await visit.post("telegram/react", chat=chat.id, message=mine, emoji="👍")
        assert (await events.next("telegram.edit"))["message"]["_reactions"] == {"👍": ["Ada"]}
        await visit.post("telegram/react", chat=chat.id, message=mine, emoji="")
        assert (await events.next("telegram.edit"))["message"]["_reactions"] == {}
        await visit.post("telegram/topic/delete", chat=chat.id, topic=topic.id)
        told = await events.next("telegram.topic")
    assert (told["chat"]["topics"], "messages" in told["chat"]) == ([], False)
    assert await _messages(visit) == []


async def test_what_cannot_be_done_is_refused_in_words(visit: Visit) -> None:
    telegram, chat = visit.stage.telegram, visit.stage.chat
    theirs = telegram.post(chat, telegram.bot, text="May I?", reply_markup=ALLOW)
    where = {"chat": chat.id, "message": theirs.id}
    assert (await visit.refused("telegram/say", chat=1, text="x"))[0] == 404
    assert (await visit.refused("telegram/say", chat=chat.id, text=" "))[0] == 400
    assert (await visit.refused("telegram/say", chat=chat.id, text="x" * 4097))[0] == 400
    assert (await visit.refused("telegram/say", chat=chat.id, text="x", thread=99)) == (409, "this topic is gone")
    assert (await visit.refused("telegram/say", chat=chat.id, text="x", reply_to=99))[0] == 409
    assert (await visit.refused("telegram/say", chat=chat.id, file={"name": "a", "data": "%"}))[0] == 400
    assert (await visit.refused("telegram/say", chat=chat.id, file={"name": "a", "data": ""}))[0] == 400
    assert (await visit.refused("telegram/press", **where, data="nope"))[0] == 409
    assert (await visit.refused("telegram/press", **where, data="Docs"))[0] == 409
    assert (await visit.refused("telegram/edit", **where, text="x"))[0] == 403
    assert (await visit.refused("telegram/react", **where, emoji="✅"))[0] == 400
    assert (await visit.refused("telegram/topic/delete", chat=chat.id, topic=5))[0] == 409
    assert (await visit.refused("telegram/say", chat="x", text="x"))[1].startswith("chat: ")


async def test_typing_shows_and_is_over(visit: Visit) -> None:
    telegram, chat = visit.stage.telegram, visit.stage.chat
    url = f"{telegram.base_url}/bot{telegram.token}/sendChatAction"
    async with visit.listening() as events:
        await visit.client.post(url, json={"chat_id": chat.id, "action": "typing"})
        told = await events.next("telegram.typing")
    shown = (await visit.state())["telegram"]["chats"][0]["typing"]
    assert shown == [told["typing"]]
    chat.actions[:] = [(at - 7, action, thread) for at, action, thread in chat.actions]
    assert (await visit.state())["telegram"]["chats"][0]["typing"] == []
