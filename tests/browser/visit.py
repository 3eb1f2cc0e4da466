"""A visitor at the page: reads both chats, presses, writes, switches faults on, all of it in the browser."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from playwright.async_api import Locator, Page, expect
from playwright.async_api import TimeoutError as PlaywrightTimeout

from bridge.sandbox.actor import Waiting
from bridge.sandbox.hub_session import Session
from tests.browser.demo import Demo
from tests.end_to_end.scenario_stage import Entry, Line, record

Side = Literal["telegram", "slack"]
SIDES: tuple[Side, Side] = ("telegram", "slack")
STEADY_S = 0.9
"""Longer than a card must stand before a press on it counts."""
TRIES = 4
QUIET_S = 1.5
PLAIN = """(all) => all.map((element) => {
  const copy = element.cloneNode(true);
  for (const list of copy.querySelectorAll("ol")) {
    [...list.children].forEach((each, index) => each.prepend(`${list.start + index}. `));
  }
  for (const each of copy.querySelectorAll("figcaption, .mention, .fold-toggle, .actions, .cursor")) each.remove();
  return copy.textContent;
})"""
"""The words of messages, numbers of lists among them, without what the page adds, and the person who is called."""


class Visit:
    """Both chats of a demo in one window; ``session`` is the one looked at."""

    def __init__(self, demo: Demo, page: Page) -> None:
        self.demo = demo
        self.page = page
        self.telegram = page.locator("#telegram")
        self.slack = page.locator("#slack")
        self.panel = page.locator("#panel")

    async def begin(self, name: str) -> Session:
        """Start a scenario in the panel, and open its session in both chats."""
        session = await self.begin_unseen(name)
        await self.look_at(session)
        return session

    async def begin_unseen(self, name: str) -> Session:
        """Start a scenario in the panel."""
        before = len(self.demo.sessions())
        await self.panel.locator(f"[data-scenario={name}] button").click()
        await until(lambda: len(self.demo.sessions()) > before, f"the session of {name}")
        return self.demo.sessions()[-1]

    async def look_at(self, session: Session) -> None:
        """Open the session's topic and its thread."""
        await self.open_topic(session)
        await self.open_thread(session)

    async def open_topic(self, session: Session) -> None:
        """Open the session's topic, the newest one of its name."""
        title, nth = self._named(session)
        await self.telegram.get_by_role("tab", name=title).nth(nth).click()

    async def open_thread(self, session: Session) -> None:
        """Open the session's thread, the newest one of its name."""
        title, nth = self._named(session)
        root = self.slack.locator(".sl-main .sl-message", has=self.page.locator(".header", has_text=title)).nth(nth)
        await root.locator(".thread-foot").wait_for(state="attached")
        await self.close_thread()  # the first thread opens by itself
        await root.locator(".thread-foot").click()
        await expect(self.box("slack").locator(".sl-message").first.locator(".header")).to_have_text(
            await root.locator(".header").first.inner_text()
        )

    async def close_thread(self) -> None:
        """Go back to the channel, where a thread is open."""
        if await (close := self.slack.get_by_label("Close the thread")).is_visible():
            await close.click()

    def _named(self, session: Session) -> tuple[str, int]:
        title: str = session.record["metadata"]["name"]
        return title, sum(each.record["metadata"]["name"] == title for each in self.demo.sessions()) - 1

    def box(self, side: Side) -> Locator:
        """Where the session's messages stand."""
        return self.telegram if side == "telegram" else self.slack.locator(".sl-thread")

    def messages(self, side: Side) -> Locator:
        return self.box(side).locator(".tg-message" if side == "telegram" else ".sl-message")

    def button(self, side: Side, label: str) -> Locator:
        """The newest button of that label, whatever mark stands before it."""
        own = ".tg-keyboard button" if side == "telegram" else ".actions button"
        named = re.compile(rf"(^|\s){re.escape(label)}$")
        return self.box(side).locator(own).filter(has_text=named, visible=True).last

    async def press(self, side: Side, label: str) -> None:
        """Press a button when its card has stood long enough."""
        await self.button(side, label).wait_for()
        await asyncio.sleep(STEADY_S)
        alerts = self.page.get_by_role("dialog").get_by_role("button", name="OK")
        while await alerts.count():  # each press that came too late has one; the last one is on top
            await alerts.last.click()
        await self.button(side, label).click()

    async def write(self, side: Side, text: str) -> None:
        """Write in the session's topic or thread."""
        field = self.box(side).locator(".composer textarea")
        await field.fill(text)
        await field.press("Enter")

    async def take(self, waiting: Waiting, side: Side) -> None:
        """Do what an agent waits for, in one of the chats, until the hub says that it counted."""
        session = self.demo.hub.state.sessions[waiting.session]
        if waiting.what == "reply":
            await self.write(side, waiting.visitor)
            return
        for tried in range(TRIES):
            try:
                await self._decide(waiting, session, side, again=tried > 0)
            except PlaywrightTimeout:  # an earlier press counted after all, and took the buttons away
                if waiting.request in session.requests:
                    raise
            try:
                await until(lambda: waiting.request not in session.requests, waiting.visitor, 6)
            except TimeoutError:
                continue
            return
        said = [line.text for line in await self.lines(side)]
        raise AssertionError(f"{waiting} was not taken in {side}: {said}")

    async def _decide(self, waiting: Waiting, session: Session, side: Side, *, again: bool) -> None:
        """``again``: all was chosen before, but a press came too early to count."""
        if waiting.what != "question":
            return await self.press(side, waiting.visitor)
        options = waiting.answers or (waiting.visitor,)
        offered = json.dumps(session.requests.get(waiting.request), ensure_ascii=False)
        for label in () if again and len(options) > 1 else options:
            if json.dumps(label, ensure_ascii=False) not in offered:  # in the visitor's own words
                return await self.answer(side, label)
            await (self.choose if len(options) > 1 else self.press)(side, label)
        if len(options) > 1:
            await self.press(side, "Submit")
        return None

    async def choose(self, side: Side, label: str) -> None:
        """Press one of several buttons that belong together until its card has changed: a press may come too early."""
        await self.button(side, label).wait_for()
        key = await self.button(side, label).evaluate("element => element.closest('[data-key]').dataset.key")
        card = self.box(side).locator(f"[data-key='{key}']")
        before = await card.inner_html()
        for _ in range(TRIES):
            await self.press(side, label)
            with suppress(AssertionError):
                await expect(card).not_to_have_js_property("innerHTML", before, timeout=5_000)
                return
        raise AssertionError(f"{label} changes nothing in {side}")

    async def answer(self, side: Side, words: str) -> None:
        """Answer a question in own words: a reply to its card, or the form behind its button."""
        await asyncio.sleep(STEADY_S)
        if side == "telegram":
            card = self.messages(side).filter(has=self.page.get_by_role("button", name="Skip")).last
            await card.hover()
            await card.get_by_label("Message menu").click()
            await self.page.get_by_role("menuitem", name="Reply").click()
            await self.write(side, words)
        else:
            await self.press(side, "Other…")
            form = self.page.get_by_role("dialog")
            await form.get_by_role("textbox").fill(words)
            await form.locator("button[type=submit]").click()

    async def play_through(self, name: str, session: Session) -> None:
        """Do whatever the scenario waits for, by turns in one chat and the other, until it is through."""
        turn = 0
        while self.demo.playing(name):
            try:
                async with asyncio.timeout(0.5):
                    waiting = await self.demo.turns.get()
            except TimeoutError:
                continue
            if waiting.session == session.id:
                await self.take(waiting, SIDES[turn % 2])
                turn += 1

    async def see(self, side: Side, words: str, timeout_s: float = 20) -> Locator:
        """Wait for a message with these words."""
        found = self.messages(side).filter(has_text=words).last
        await found.wait_for(timeout=timeout_s * 1000)
        return found

    async def lines(self, side: Side) -> list[Line]:
        """What the bot said, as it is read."""
        own = ".tg-message.theirs .tg-text" if side == "telegram" else ".sl-message:has(.badge) .sl-body"
        texts = await self.box(side).locator(own).evaluate_all(PLAIN)
        return [Line(text, rings=False) for text in texts]

    async def over(self, session: Session, sides: tuple[Side, ...] = SIDES) -> None:
        """Wait until the last words of the session stand in the chats, and both are quiet."""
        last = record(session)[-1]
        for side in sides:
            await self._see_last(side, last)
        before = -1
        while before != (before := self.calls()):  # noqa: ASYNC110 - it is about quiet
            await asyncio.sleep(QUIET_S)

    async def _see_last(self, side: Side, last: Entry) -> None:
        lines: list[Line] = []
        for _ in range(200):
            lines = await self.lines(side)
            if any(last.stands_in(line) for line in lines):
                return
            await asyncio.sleep(0.2)
        raise AssertionError(f"{side} lacks {last.text!r}: {[line.text for line in lines]}")

    def calls(self) -> int:
        """How many API calls that change something there were."""
        telegram = [each for each in self.demo.stage.telegram.calls if each.method != "getUpdates"]
        return len(telegram) + len(self.demo.stage.slack.calls)

    async def check(self, session: Session, side: Side, *, doubles: int = 0) -> None:
        """A chat is complete, in order and undoubled: all that the hub's own record has stands in it once.

        ``doubles``: so many messages may stand there twice.
        """
        lines = await self.lines(side)
        said = [line.text for line in lines]
        places: list[int] = []
        for entry in record(session):
            found = [at for at, line in enumerate(lines) if entry.stands_in(line)]
            doubles -= max(0, len(found) - 1)
            assert found, f"{side} lacks {entry.text!r}: {said}"
            assert doubles >= 0, f"{side} shows {entry.text!r} {len(found)} times: {said}"
            places.append(found[0])
        assert places == sorted(places), f"{side} shows them in another order: {said}"

    async def unfold(self, side: Side, last: str) -> None:
        """Unfold the newest reasoning, whose last words are given: more of it shows."""
        fold = self.box(side).locator(".folding").filter(has_text="Reasoning").last
        await expect(fold).to_contain_text(last)
        body, toggle = fold.locator(".fold-body"), fold.locator(".fold-toggle")
        await expect(toggle).to_have_attribute("aria-expanded", "false")
        small = await body.evaluate("element => element.clientHeight")
        await toggle.click()
        await expect(toggle).to_have_attribute("aria-expanded", "true")
        assert await body.evaluate("element => element.clientHeight") > small

    async def fault(self, name: str) -> None:
        """Switch a fault on, in the panel."""
        await self.panel.get_by_role("tab", name="Faults").click()
        await self.panel.locator(f"[data-fault={name}]").click()


async def until(look: Callable[[], object], what: str, timeout_s: float = 20) -> None:
    """Wait for something that nobody tells of."""
    try:
        async with asyncio.timeout(timeout_s):
            while not look():  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise TimeoutError(f"after {timeout_s:g} s still waiting for {what}") from None
