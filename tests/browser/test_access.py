"""The page for everybody: no serious fault by axe-core's rules, all of it by keys, on a phone's width, too."""

from __future__ import annotations

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect

from bridge.sandbox.page.server import PageServer
from tests.browser.conftest import Open
from tests.browser.demo import Demo
from tests.browser.visit import Visit

pytestmark = pytest.mark.timeout(120)
INSIDE = "[document.body, ...document.querySelectorAll('dialog *')].includes(document.activeElement)"
SERIOUS = ("serious", "critical")


async def faults(page: Page) -> list[str]:
    """What axe-core calls serious or critical, in words."""
    found = (await Axe().run(page)).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found if each["impact"] in SERIOUS]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_axe_finds_no_serious_fault(demo: Demo, open_page: Open, dark: bool) -> None:
    visit = Visit(demo, await open_page(demo.page.address, dark=dark, lax=True))
    await visit.begin("bugfix")
    await visit.button("telegram", "Allow").wait_for()
    assert not await faults(visit.page)
    await visit.press("slack", "Deny…")
    await expect(visit.page.get_by_role("dialog")).to_be_visible()
    assert not await faults(visit.page)
    await visit.page.keyboard.press("Escape")
    await visit.panel.get_by_role("tab", name="Try").click()
    await visit.panel.get_by_role("button", name="Show on both").click()
    await expect(visit.panel.locator(".try-results")).to_contain_text("The total rounds half up now")
    await visit.slack.get_by_role("button", name="Home").click()
    await expect(visit.slack.locator(".sl-home")).to_contain_text("Approval needed")
    assert not await faults(visit.page)
    await visit.panel.get_by_role("tab", name="Faults").click()
    assert not await faults(visit.page)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_axe_finds_no_serious_fault_in_what_shows_for_moments(
    filled: PageServer, open_page: Open, dark: bool
) -> None:
    """That somebody types, what an assistant does now, and what Slack itself answers."""
    stage = filled.stage
    telegram, chat, slack, dm = stage.telegram, stage.chat, stage.slack, stage.dm
    telegram.post(chat, telegram.bot, text="A moment")
    root = slack.post(dm, slack.bot, text="root")
    slack.post(dm, slack.bot, text="a reply", thread_ts=root.ts)
    slack.post(dm, slack.bot, text="for your eyes", ephemeral_to=stage.member, thread_ts=root.ts)
    slack.set_status_line(dm, root.ts, "is thinking…")
    chat.actions.append((telegram.clock() + 60, "typing", None))  # for as long as the test takes
    page = await open_page(filled.address, dark=dark, lax=True)
    await expect(page.locator(".tg-typing")).to_be_visible()
    await expect(page.locator(".sl-thread .sl-status")).to_have_text("HAPI Bridge is thinking…")
    assert not await faults(page)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_axe_finds_no_serious_fault_on_a_phone(demo: Demo, open_page: Open, dark: bool) -> None:
    page = await open_page(demo.page.address, phone=True, dark=dark, lax=True)
    visit = Visit(demo, page)
    await page.get_by_role("button", name="Backstage").click()
    session = await visit.begin_unseen("bugfix")
    assert not await faults(page)
    await page.get_by_role("button", name="Slack").click()
    await visit.open_thread(session)
    await visit.press("slack", "Deny…")
    await expect(page.get_by_role("dialog")).to_be_visible()
    assert not await faults(page)
    await page.keyboard.press("Escape")
    assert not await faults(page)
    await page.get_by_role("button", name="Telegram").click()
    await visit.button("telegram", "Allow").wait_for()
    assert not await faults(page)


async def test_a_phone_shows_one_pane_and_nothing_scrolls_sideways(demo: Demo, open_page: Open) -> None:
    page = await open_page(demo.page.address, phone=True)
    visit = Visit(demo, page)
    await page.get_by_role("button", name="Backstage").click()
    await visit.begin_unseen("bugfix")
    for name, pane in (("Telegram", "#telegram"), ("Slack", "#slack"), ("Backstage", "#panel")):
        await page.get_by_role("button", name=name).click()
        await expect(page.locator(".pane").filter(visible=True)).to_have_count(1)
        await expect(page.locator(pane)).to_be_visible()
        wide = "document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth"
        assert not await page.evaluate(wide)


async def test_an_approval_is_given_by_keys_alone(visit: Visit) -> None:
    session = await visit.begin("bugfix")
    await visit.button("telegram", "Allow").wait_for()
    await visit.telegram.get_by_role("region", name="Telegram chat").focus()
    for _ in range(40):
        await visit.page.keyboard.press("Tab")
        if await visit.page.evaluate("document.activeElement.textContent") == "Allow":
            break
    await visit.page.wait_for_timeout(900)
    await visit.page.keyboard.press("Enter")
    await visit.see("slack", "Allowed by Ada · Telegram")
    assert [each["status"] for each in session.completed.values()] == ["approved"]


async def test_a_dialog_keeps_the_focus_and_gives_it_back(visit: Visit) -> None:
    await visit.begin("bugfix")
    await visit.press("slack", "Deny…")
    form = visit.page.get_by_role("dialog", name="Deny")
    await expect(form.get_by_role("textbox")).to_be_focused()
    for _ in range(6):
        await visit.page.keyboard.press("Tab")
        assert await visit.page.evaluate(INSIDE)
    await visit.page.keyboard.press("Escape")
    await expect(form).to_be_hidden()
    await expect(visit.button("slack", "Deny…")).to_be_focused()


async def test_commands_complete_by_keys(visit: Visit) -> None:
    field = visit.telegram.locator(".composer textarea")
    await field.fill("/he")
    await expect(visit.telegram.get_by_role("option", name="/help")).to_be_visible()
    await field.press("Tab")
    await expect(field).to_have_value("/help ")
    await field.press("Enter")
    await expect(visit.telegram.locator(".tg-message.theirs", has_text="Free text never")).to_be_visible()
    await visit.close_thread()
    field = visit.slack.locator(".sl-main .composer textarea")
    await field.fill("/hapi help")
    await field.press("Enter")
    await expect(visit.slack.locator(".sl-main .sl-message", has_text="Free text never")).to_be_visible()


async def test_the_colours_can_be_chosen_and_stay(visit: Visit) -> None:
    page = visit.page
    shown = page.locator("html")
    await expect(shown).to_have_attribute("data-theme", "light")
    await page.get_by_role("button", name="Dark colours").click()
    await expect(shown).to_have_attribute("data-theme", "dark")
    await page.reload()
    await expect(shown).to_have_attribute("data-theme", "dark")
    assert "key=" not in page.url, "the key does not stay in the address"
