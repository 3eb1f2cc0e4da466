"""The page in a real browser: whichever Chromium is installed here, driven by Playwright."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Browser, Page, async_playwright, expect

import bridge.sandbox.page
from bridge.sandbox.page.server import PageServer
from tests.browser import chromium
from tests.browser.demo import Demo, running
from tests.browser.filled import standing
from tests.browser.visit import Visit

STATIC = Path(bridge.sandbox.page.__file__).parent / "static"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'"
expect.set_options(timeout=15_000)
Open = Callable[..., Awaitable[Page]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs a browser; there is one for all, so all run in one loop."""
    for item in items:
        if item.path.parent.name == "browser":
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Whatever Chromium is installed, without a window."""
    path = chromium.found()
    if path is None:
        pytest.skip(f"no browser here: none of {', '.join(chromium.NAMES)} is installed")
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        yield launched
        await launched.close()


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: Browser) -> AsyncIterator[Open]:
    """Opens an address in a window of its own: ``phone`` wide, ``dark``, ``lax`` about its policy (for axe's script).

    Whatever the pages complain of, policy violations included, fails the test in the end.
    """
    complaints: list[str] = []

    async def open_(address: str, *, phone: bool = False, dark: bool = False, lax: bool = False) -> Page:
        context = await browser.new_context(
            viewport={"width": 390, "height": 844} if phone else {"width": 1440, "height": 900},
            color_scheme="dark" if dark else "light",
            bypass_csp=lax,
            reduced_motion="reduce",
        )
        page = await context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda words: complaints.append(words.text) if words.type == "error" else None)
        await page.goto(address)
        return page

    yield open_
    for context in browser.contexts:
        await context.close()
    assert not complaints


@pytest_asyncio.fixture(loop_scope="session")
async def modules(open_page: Open) -> AsyncIterator[Page]:
    """A bare page under the page's policy, from which its modules can be imported."""

    async def blank(request: web.Request) -> web.Response:
        return web.Response(
            text="<!doctype html><title>modules</title><link rel=icon href='data:,'>",
            content_type="text/html",
            headers={"Content-Security-Policy": POLICY},
        )

    app = web.Application()
    app.router.add_get("/", blank)
    app.router.add_static("/static", STATIC)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield await open_page(f"http://127.0.0.1:{runner.addresses[0][1]}/")
    finally:
        await runner.cleanup()


@pytest_asyncio.fixture(loop_scope="session")
async def filled() -> AsyncIterator[PageServer]:
    """A page over chats that the test fills by itself."""
    async with standing() as server:
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_demo(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Demo]:
    """One for all tests: they leave nothing behind but sessions that are over, and a bridge takes seconds to start."""
    async with running(tmp_path_factory.mktemp("demo")) as demo:
        yield demo


@pytest_asyncio.fixture(loop_scope="session")
async def demo(shared_demo: Demo) -> AsyncIterator[Demo]:
    """A demo in which nothing plays and nothing is broken."""
    shared_demo.check()
    yield shared_demo
    sys.stdout.write(f"{shared_demo.last_words()}\n")  # which pytest shows of a test that failed
    shared_demo.check()
    shared_demo.end_all()
    await shared_demo.mend()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(demo: Demo, open_page: Open) -> Visit:
    """A visitor who has opened the page."""
    return Visit(demo, await open_page(demo.page.address))
