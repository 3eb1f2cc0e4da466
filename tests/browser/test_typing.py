"""What somebody types stays theirs while the page is redrawn: the text, the focus, an input method's half-made word."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from bridge.sandbox.page.server import PageServer
from bridge.sandbox.slack.state import Stream, Task, View
from bridge.sandbox.slack.views import replace
from tests.browser.conftest import Open
from tests.browser.filled import modal, open_modal, section

pytestmark = pytest.mark.timeout(60)


def field(block: str, label: str, **more: Any) -> dict[str, Any]:
    element = {"type": "plain_text_input", "action_id": "words", **more}
    return {"type": "input", "block_id": block, "label": {"type": "plain_text", "text": label}, "element": element}


async def compose(page: Page, text: str) -> None:
    """Type with an input method, and leave the word half-made."""
    session = await page.context.new_cdp_session(page)
    await session.send(
        "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
    )


async def commit(page: Page, text: str) -> None:
    session = await page.context.new_cdp_session(page)
    await session.send("Input.insertText", {"text": text})


@pytest.mark.parametrize("side", ["telegram", "slack", "thread"])
async def test_a_composer_keeps_what_is_typed_while_messages_come(
    filled: PageServer, open_page: Open, side: str
) -> None:
    stage = filled.stage
    telegram, chat, slack, dm = stage.telegram, stage.chat, stage.slack, stage.dm
    topic = telegram.add_topic(chat, telegram.bot, "parser", 1, None)[0]
    root = slack.post(dm, slack.bot, text="root")
    slack.post(dm, slack.bot, text="a reply", thread_ts=root.ts)
    page = await open_page(filled.address)
    if side == "slack":
        await page.get_by_label("Close the thread").click()
    box = {"telegram": "#telegram", "slack": ".sl-main", "thread": ".sl-thread"}[side]
    typed = page.locator(f"{box} .composer textarea")
    await typed.click()
    await page.keyboard.type("one two")
    await page.keyboard.press("ArrowLeft")
    await compose(page, "かん")
    for n in range(3):
        telegram.post(chat, telegram.bot, text=f"more {n}", thread=topic.id)
        telegram.add_topic(chat, telegram.bot, f"topic {n}", 1, None)
        slack.post(dm, slack.bot, text=f"more {n}", thread_ts=root.ts)
        slack.change(root, text=f"root {n}")
        await expect(page.locator("#telegram")).to_contain_text(f"more {n}")
    await commit(page, "漢")
    await expect(typed).to_be_focused()
    await expect(typed).to_have_value("one tw漢o")


async def test_enter_that_chooses_a_word_of_an_input_method_sends_nothing(filled: PageServer, open_page: Open) -> None:
    chat = filled.stage.chat
    page = await open_page(filled.address)
    typed = page.locator("#telegram .composer textarea")
    await typed.focus()
    await compose(page, "かん")
    await typed.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    await typed.dispatch_event("keydown", {"key": "Enter", "keyCode": 229})
    await commit(page, "漢")
    await expect(typed).to_have_value("漢")
    await typed.press("Enter")
    await filled.stage.telegram.wait_for(lambda: chat.messages, what="the message")
    assert [message.text for message in chat.messages] == ["漢"]


async def test_a_command_that_is_written_out_is_sent_though_a_longer_one_begins_like_it(
    filled: PageServer, open_page: Open
) -> None:
    stage = filled.stage
    named = ("sessions", "session")
    stage.telegram.commands["default"] = [{"command": name, "description": "look"} for name in named]
    page = await open_page(filled.address)
    typed = page.locator("#telegram .composer textarea")
    await typed.fill("/session")
    await expect(page.get_by_role("option")).to_have_text(["/sessionlook", "/sessionslook"])
    await typed.press("Enter")
    await stage.telegram.wait_for(lambda: stage.chat.messages, what="the message")
    assert [message.text for message in stage.chat.messages] == ["/session"]


async def test_what_is_typed_before_the_last_message_was_taken_stays(filled: PageServer, open_page: Open) -> None:
    """And a message is sent once, however often Enter is pressed."""
    page = await open_page(filled.address)
    held: list[Any] = []
    await page.route("**/api/telegram/say", lambda route: held.append(route))
    typed = page.locator("#telegram .composer textarea")
    await typed.fill("first")
    await typed.press("Enter")
    await typed.press("Enter")
    await page.keyboard.type("second")
    for route in held:
        await route.continue_()
    await expect(page.locator(".tg-message.own")).to_have_count(1)
    await expect(typed).to_have_value("second")


async def test_what_is_refused_comes_back(filled: PageServer, open_page: Open) -> None:
    page = await open_page(filled.address)
    typed = page.locator("#telegram .composer textarea")
    held: list[Any] = []
    await page.route("**/api/telegram/say", lambda route: held.append(route))
    await typed.fill("first")
    await typed.press("Enter")
    await page.keyboard.type("second")
    await expect(typed).to_have_value("second")
    for route in held:
        await route.fulfill(body="null")  # not taken; a status of 4xx would be complained of
    await expect(typed).to_have_value("first\nsecond")


async def test_each_topic_has_a_draft_of_its_own(filled: PageServer, open_page: Open) -> None:
    """And a reply ends where it was begun."""
    telegram, chat = filled.stage.telegram, filled.stage.chat
    topics = [telegram.add_topic(chat, telegram.bot, name, 1, None)[0] for name in ("parser", "lexer")]
    telegram.post(chat, telegram.bot, text="in the parser", thread=topics[0].id)
    page = await open_page(filled.address)
    typed = page.locator("#telegram .composer textarea")
    await page.get_by_role("tab", name="parser").click()
    message = page.locator(".tg-message").last
    await message.hover()
    await message.get_by_label("Message menu").click()
    await page.get_by_role("menuitem", name="Reply").click()
    await page.keyboard.type("for the parser")
    await page.get_by_role("tab", name="lexer").click()
    await expect(typed).to_have_value("")
    await typed.fill("for the lexer")
    await typed.press("Enter")
    said = await telegram.wait_for(lambda: chat.find("for the lexer"), what="the message")
    assert said is not None
    assert (said.reply_to, said.thread) == (None, topics[1].id)
    await page.get_by_role("tab", name="parser").click()
    await expect(typed).to_have_value("for the parser")
    await expect(page.locator("#telegram .composer-note")).to_be_hidden()
    telegram.delete_topic(chat, topics[0])
    await expect(page.get_by_role("tab", name="parser")).to_have_count(0)
    await expect(typed).to_have_value("for the parser")


async def test_each_thread_has_a_draft_of_its_own(filled: PageServer, open_page: Open) -> None:
    slack, dm = filled.stage.slack, filled.stage.dm
    for text in ("first", "second"):
        root = slack.post(dm, slack.bot, text=text)
        slack.post(dm, slack.bot, text="a reply", thread_ts=root.ts)
    page = await open_page(filled.address)
    typed = page.locator(".sl-thread .composer textarea")

    async def open_thread(text: str) -> None:
        await page.get_by_label("Close the thread").click()
        await page.locator(".sl-main .sl-message", has_text=text).locator(".thread-foot").click()
        await expect(page.locator(".sl-thread .sl-message").first).to_contain_text(text)

    await typed.fill("for the first")
    await open_thread("second")
    await expect(typed).to_have_value("")
    await page.keyboard.type("for the second")
    await open_thread("first")
    await expect(typed).to_have_value("for the first")
    await open_thread("second")
    await expect(typed).to_have_value("for the second")


async def rewrite(server: PageServer, view: View, page: Page, text: str, *more: dict[str, Any]) -> None:
    """The app changes the form's first block."""
    replace(server.stage.slack, view, modal(section(text), *more))
    await expect(page.get_by_role("dialog")).to_contain_text(text)


async def test_a_modal_keeps_what_is_typed_while_the_app_changes_it(filled: PageServer, open_page: Open) -> None:
    page = await open_page(filled.address)
    view = open_modal(filled, modal(section("one"), field("why", "Why", multiline=True)))
    typed: Locator = page.get_by_role("dialog").get_by_role("textbox")
    await typed.click()
    await page.keyboard.type("use tests")
    for _ in range(5):
        await page.keyboard.press("ArrowLeft")
    await compose(page, "かん")
    await rewrite(filled, view, page, "two", field("why", "Why", multiline=True))
    await commit(page, "漢")
    await expect(typed).to_be_focused()
    await expect(typed).to_have_value("use 漢tests")
    await rewrite(filled, view, page, "three", field("why", "Why, please?", multiline=True))
    await page.keyboard.type("!")
    await expect(typed).to_be_focused()
    await expect(typed).to_have_value("use 漢!tests")


async def test_the_home_tab_keeps_the_focus_while_the_app_publishes_it(filled: PageServer, open_page: Open) -> None:
    slack, member = filled.stage.slack, filled.stage.member
    button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}

    def publish(text: str) -> None:
        raw = {"type": "home", "blocks": [section(text), {"type": "actions", "block_id": "all", "elements": [button]}]}
        slack.homes[member.id] = View("V9", "home", member, raw, text, "V9")
        slack.emit("home", user=member)

    publish("one")
    page = await open_page(filled.address)
    await page.locator("#slack").get_by_role("button", name="Home").click()
    go = page.get_by_role("button", name="Go")
    await go.focus()
    publish("two")
    await expect(page.locator(".sl-home")).to_contain_text("two")
    await expect(go).to_be_focused()


async def test_a_task_that_was_opened_stays_so_while_its_stream_goes_on(filled: PageServer, open_page: Open) -> None:
    """And one that was closed again stays closed; both keep the focus."""
    slack, dm = filled.stage.slack, filled.stage.dm
    root = slack.post(dm, slack.bot, text="root")
    task = Task("t", "Bash", "in_progress", details="ls keys")
    said = slack.post(dm, slack.bot, thread_ts=root.ts, stream=Stream(slack.clock(), None, tasks={"t": task}))
    page = await open_page(filled.address)
    details, summary = page.locator(".sl-thread details"), page.locator(".sl-thread summary")

    async def goes_on(title: str) -> None:
        task.title = title
        slack.emit("stream", dm, said)
        await expect(summary).to_contain_text(title)

    await summary.click()
    await goes_on("Bash, still")
    await expect(details).to_have_attribute("open", "")
    await expect(summary).to_be_focused()
    await page.keyboard.press("Enter")
    await goes_on("Bash, done")
    await expect(details).not_to_have_attribute("open", "")
    await expect(summary).to_be_focused()
