"""A chat of thousands of messages stays usable: the newest are drawn, earlier ones when somebody wants them."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page, expect

from bridge.sandbox.page.server import PageServer
from tests.browser.conftest import Open

pytestmark = pytest.mark.timeout(120)
MANY = 5_000
STEP = 100


def fill(server: PageServer, many: int = MANY) -> None:
    """That many messages in both chats, in Slack all in one thread."""
    stage = server.stage
    telegram, chat, slack, dm = stage.telegram, stage.chat, stage.slack, stage.dm
    root = slack.post(dm, slack.bot, text="root")
    for n in range(many):
        telegram.post(chat, telegram.bot, text=f"message {n}.")
        slack.post(dm, slack.bot, text=f"message {n}.", thread_ts=root.ts)


def messages(page: Page, side: str) -> Locator:
    return page.locator("#telegram .tg-message" if side == "telegram" else ".sl-thread .sl-message")


async def bottom(element: Locator) -> float:
    box = await element.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


@pytest.mark.parametrize("side", ["telegram", "slack"])
async def test_thousands_of_messages_are_drawn_in_steps_and_stay_where_they_are(
    filled: PageServer, open_page: Open, side: str
) -> None:
    fill(filled)
    page = await open_page(filled.address)
    shown = messages(page, side)
    await expect(shown).to_have_count(STEP)
    await expect(shown.last).to_contain_text(f"message {MANY - 1}.")
    await expect(shown.last).to_be_in_viewport()
    box = page.locator("#telegram" if side == "telegram" else ".sl-thread")
    earlier = box.get_by_role("button", name="Earlier messages")
    await earlier.scroll_into_view_if_needed()
    read = shown.filter(has_text=f"message {MANY - STEP}.")
    before = await bottom(read)
    await earlier.focus()
    await page.keyboard.press("Enter")
    await expect(shown).to_have_count(2 * STEP)
    await expect(shown.filter(has_text=f"message {MANY - 2 * STEP}.")).to_have_count(1)
    assert abs(await bottom(read) - before) < 2, "what was read moved away"


async def test_who_reads_earlier_messages_keeps_them_whatever_comes(filled: PageServer, open_page: Open) -> None:
    fill(filled, 150)
    telegram, chat = filled.stage.telegram, filled.stage.chat
    page = await open_page(filled.address)
    shown = messages(page, "telegram")
    await page.get_by_role("button", name="Earlier messages").first.click()
    await expect(shown).to_have_count(150)
    await expect(page.locator("#telegram .earlier")).to_be_hidden()
    await shown.first.scroll_into_view_if_needed()
    before = await bottom(shown.first)
    for n in range(150, 400):
        telegram.post(chat, telegram.bot, text=f"message {n}.")
    await expect(shown).to_have_count(400)
    assert abs(await bottom(shown.first) - before) < 2
    await page.locator("#telegram").get_by_label("To the newest message").click()
    telegram.post(chat, telegram.bot, text="message 400.")
    await expect(shown).to_have_count(STEP)
    await expect(shown.last).to_be_in_viewport()


async def test_a_reply_leads_to_a_message_that_was_not_drawn(filled: PageServer, open_page: Open) -> None:
    telegram, chat, person = filled.stage.telegram, filled.stage.chat, filled.stage.person
    first = telegram.post(chat, telegram.bot, text="the first one")
    fill(filled, 300)
    telegram.say(chat, person, "about that", reply_to=first)
    page = await open_page(filled.address)
    await expect(page.get_by_text("message 299.").first).to_be_visible()
    await page.locator(".tg-reply").click()
    found = messages(page, "telegram").filter(has_text="the first one").first
    await expect(found).to_be_in_viewport()
    await expect(page.get_by_text("message 299.").first).to_have_count(1)
