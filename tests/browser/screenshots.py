"""`make screenshots`: remakes docs/images/ from the demo's page as a visitor sees it."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, async_playwright

from bridge.observe import logs
from bridge.sandbox.actor import Waiting
from bridge.settings import LogSettings
from tests.browser.chromium import ARGUMENTS, found
from tests.browser.demo import Demo, running
from tests.browser.visit import SIDES, Visit

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
MOST_BYTES = 300_000
SETTLE_MS = 700


async def open_visit(browser: Browser, demo: Demo, *, phone: bool, dark: bool) -> Visit:
    """A window in which nothing moves by itself."""
    context = await browser.new_context(
        viewport=PHONE if phone else DESKTOP,  # type: ignore[arg-type]
        color_scheme="dark" if dark else "light",
        device_scale_factor=2 if phone else 1,
        reduced_motion="reduce",
        locale="en-GB",
    )
    page = await context.new_page()
    page.set_default_timeout(20_000)
    await page.goto(demo.page.address)
    return Visit(demo, page)


async def take(visit: Visit, name: str) -> None:
    """A picture of the window as it stands."""
    await visit.page.mouse.move(720, 20)
    await visit.telegram.locator(".tg-typing").wait_for(state="hidden")
    await visit.page.wait_for_timeout(SETTLE_MS)
    picture = IMAGES / f"{name}.png"
    await visit.page.screenshot(path=picture)
    size = picture.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{picture} has {size} bytes, more than {MOST_BYTES}")
    sys.stdout.write(f"{picture.relative_to(IMAGES.parents[1])}: {size // 1024} KB\n")


async def prepare(visit: Visit) -> None:
    """A release under way, and a bug fix up to its last approval, decided in one chat and the other."""
    await visit.begin("deploy")
    await visit.press("slack", "staging")
    session = await visit.begin("bugfix")
    for turn in range(3):
        waiting = await next_turn(visit, session.id)
        await visit.take(waiting, SIDES[turn % 2])
    waiting = await next_turn(visit, session.id)
    await visit.see("telegram", "Shall I commit it?")
    await visit.take(waiting, "telegram")
    for side in SIDES:
        await visit.see(side, "Commit the fix")
        await visit.button(side, "Allow").wait_for()


async def next_turn(visit: Visit, session: str) -> Waiting:
    """Wait until the agent of a session waits for the visitor."""
    while (waiting := await visit.demo.turns.get()).session != session:
        pass
    return waiting


async def remake(browser: Browser, demo: Demo) -> None:
    """All pictures, from one state of the demo."""
    visit = await open_visit(browser, demo, phone=False, dark=False)
    await prepare(visit)
    session = demo.sessions()[-1]
    for dark in (False, True):
        shade = "dark" if dark else "light"
        wide = await open_visit(browser, demo, phone=False, dark=dark)
        await wide.look_at(session)
        await wide.page.evaluate("document.activeElement.blur()")
        await take(wide, f"desktop-{shade}")
        small = await open_visit(browser, demo, phone=True, dark=dark)
        await small.telegram.get_by_role("tab", name=session.record["metadata"]["name"]).click()
        await take(small, f"telegram-{shade}")
        await small.page.get_by_role("button", name="Slack").click()
        await small.open_thread(session)
        await small.page.evaluate("document.activeElement.blur()")
        await take(small, f"slack-{shade}")
    await visit.fault("slow-network")
    await visit.button("slack", "Allow").click()
    await visit.see("telegram", "Committed as")
    await take(visit, "faults")


async def main() -> None:
    logs.set_up(LogSettings(level="error"), [])
    path = found()
    if path is None:
        raise SystemExit("no Chromium is installed here, and the pictures need one")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with async_playwright() as playwright, running(Path(folder)) as demo:
            browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
            await remake(browser, demo)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
