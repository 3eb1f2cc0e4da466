"""What is pressed is pressed: nothing that comes between a finger's going down and up may take it away."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page, expect

from bridge.sandbox.page.server import PageServer
from tests.browser.conftest import Open

pytestmark = pytest.mark.timeout(60)
TOLD = "That was an edit."
"""Screen readers are told of it, which waits for no press: so the page has heard of everything before it, too."""


async def middle(element: Locator) -> tuple[float, float]:
    box = await element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def heard(page: Page) -> None:
    """Wait until the page has heard of a message with ``TOLD`` in it, and has had two frames to draw it."""
    await expect(page.locator("#live")).to_contain_text(TOLD)
    await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


async def test_a_press_is_not_lost_when_its_message_is_redrawn_in_the_middle(
    filled: PageServer, open_page: Open
) -> None:
    slack, dm = filled.stage.slack, filled.stage.dm
    root = slack.post(dm, slack.bot, text="root")
    slack.post(dm, slack.bot, text="a reply", thread_ts=root.ts)
    page = await open_page(filled.address)
    thread = page.locator("#slack .sl-thread")
    await page.get_by_label("Close the thread").click()
    await expect(thread).to_be_hidden()
    await page.mouse.move(*await middle(page.locator(".sl-main .thread-foot")))
    await page.mouse.down()
    slack.change(root, text="root, edited")
    slack.post(dm, slack.bot, text=TOLD, thread_ts=root.ts)
    await heard(page)
    await page.mouse.up()
    await expect(thread).to_be_visible()
    await expect(thread).to_contain_text("root, edited")


async def test_a_press_is_not_lost_when_the_chat_moves_on_in_the_middle(filled: PageServer, open_page: Open) -> None:
    telegram, chat = filled.stage.telegram, filled.stage.chat
    keyboard = {"inline_keyboard": [[{"text": "Allow", "callback_data": "allow"}]]}
    for n in range(30):
        telegram.post(chat, telegram.bot, text=f"line {n}")
    telegram.post(chat, telegram.bot, text="May I?", reply_markup=keyboard)
    page = await open_page(filled.address)
    await page.mouse.move(*await middle(page.get_by_role("button", name="Allow")))
    await page.mouse.down()
    for _ in range(5):
        telegram.post(chat, telegram.bot, text=TOLD)
    await heard(page)
    await page.mouse.up()
    await telegram.wait_for(lambda: telegram.callbacks, what="the press")
    await expect(page.locator("#telegram")).to_contain_text(TOLD)


async def test_a_press_by_keys_is_not_lost_either(filled: PageServer, open_page: Open) -> None:
    telegram, chat = filled.stage.telegram, filled.stage.chat
    keyboard = {"inline_keyboard": [[{"text": "Allow", "callback_data": "allow"}]]}
    card = telegram.post(chat, telegram.bot, text="May I?", reply_markup=keyboard)
    page = await open_page(filled.address)
    await page.get_by_role("button", name="Allow").focus()
    await page.keyboard.down("Space")
    telegram.change(card, text="May I, please?")
    telegram.post(chat, telegram.bot, text=TOLD)
    await heard(page)
    await page.keyboard.up("Space")
    await telegram.wait_for(lambda: telegram.callbacks, what="the press")


async def test_what_comes_during_a_press_is_drawn_after_it(filled: PageServer, open_page: Open) -> None:
    """Also where the press makes no click: the finger went away before it let go."""
    telegram, chat = filled.stage.telegram, filled.stage.chat
    telegram.post(chat, telegram.bot, text="first")
    page = await open_page(filled.address)
    messages = page.locator(".tg-message")
    await page.mouse.move(*await middle(messages.first))
    await page.mouse.down()
    telegram.post(chat, telegram.bot, text=TOLD)
    await heard(page)
    await expect(messages).to_have_count(1)
    await page.mouse.move(1, 1)
    await page.mouse.up()
    await expect(messages).to_have_count(2)


async def test_a_message_that_goes_takes_the_focus_from_no_other_one(filled: PageServer, open_page: Open) -> None:
    telegram, chat = filled.stage.telegram, filled.stage.chat
    keyboard = {"inline_keyboard": [[{"text": "Allow", "callback_data": "allow"}]]}
    gone = telegram.post(chat, telegram.bot, text="to be deleted")
    telegram.post(chat, telegram.bot, text="May I?", reply_markup=keyboard)
    page = await open_page(filled.address)
    button = page.get_by_role("button", name="Allow")
    await button.focus()
    telegram.remove(gone)
    await expect(page.locator(".tg-message")).to_have_count(1)
    await expect(button).to_be_focused()
