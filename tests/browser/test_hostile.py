"""Whatever an agent, a file or a person calls itself: on the whole page it is text, is shown, and runs nowhere."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from bridge.sandbox.page.server import PageServer
from bridge.sandbox.slack.state import File, Session, Stream, Task, View
from tests.browser.conftest import Open
from tests.browser.filled import modal, open_modal, section

pytestmark = pytest.mark.timeout(60)
EVIL = "<img src=x onerror=window.hurt=1>"
SCRIPT = "javascript:window.hurt=1"
QUOTED = '"><script>window.hurt=1</script>'
LINKS = f"<{SCRIPT}|a label> <https://a.example/?q=1|{SCRIPT}> <https://a.example|*&lt;b&gt;*>"
NAMES = ":constructor: :__proto__:"


def fill(server: PageServer) -> None:
    """Hostile words wherever the page shows words that come from elsewhere."""
    stage = server.stage
    telegram, chat, slack, dm, member = stage.telegram, stage.chat, stage.slack, stage.dm, stage.member
    topic = telegram.add_topic(chat, telegram.bot, EVIL, 1, None)[0]
    first = telegram.post(chat, telegram.bot, text=f"{EVIL}\n{SCRIPT}", thread=topic.id)
    chat.pinned.append(first.id)
    file = telegram.store_file("document", f"{QUOTED}.html", "text/html", b"<script>window.hurt=1</script>")
    telegram.post(chat, telegram.bot, text=EVIL, thread=topic.id, file=file)
    rows = [[{"text": EVIL, "url": SCRIPT}], [{"text": QUOTED, "callback_data": "a"}]]
    entities: list[dict[str, Any]] = [
        {"type": "pre", "language": QUOTED, "offset": 0, "length": len(EVIL)},
        {"type": "url", "offset": len(EVIL) + 1, "length": len(SCRIPT)},
    ]
    keyboard = {"inline_keyboard": rows}
    code = f"{EVIL}\n{SCRIPT}"
    telegram.post(chat, telegram.bot, text=code, entities=entities, thread=topic.id, reply_markup=keyboard)
    telegram.say(chat, chat.person, EVIL, reply_to=first)
    member.real_name = member.name = EVIL
    slack.add_channel(f"agents-{EVIL}", member)
    head = {"type": "header", "text": {"type": "plain_text", "text": EVIL}}
    root = slack.post(dm, slack.bot, text=EVIL, blocks=[head])
    drawing = b"<svg onload='window.hurt=1'/>"
    sent = File(QUOTED, f"{QUOTED}.svg", "image/svg+xml", member, len(drawing), drawing)
    slack.post(dm, member, text=f"{LINKS} {NAMES}", thread_ts=root.ts, files=[sent])
    attached = {"text": LINKS, "title": EVIL, "footer": EVIL, "color": "url(https://a.example/x)"}
    slack.post(dm, slack.bot, text=f"```{EVIL}```", thread_ts=root.ts, attachments=[attached])
    task = Task("t", EVIL, "complete", details=f"[x]({SCRIPT}) {EVIL}", output=EVIL)
    stream = Stream(slack.clock(), None, text=f"[x]({SCRIPT}) {EVIL}", plan=EVIL, tasks={"t": task})
    slack.post(dm, slack.bot, thread_ts=root.ts, stream=stream)
    parts = [
        {"type": "color", "value": "url(https://a.example/x)"},
        {"type": "link", "url": SCRIPT, "text": EVIL},
    ]
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": parts}]}
    slack.post(dm, slack.bot, thread_ts=root.ts, blocks=[rich])
    slack.sessions[dm.id, root.ts] = Session(dm, root.ts, "processing", EVIL, None, warned=False)
    slack.homes[member.id] = View("V8", "home", member, {"type": "home", "blocks": [section(LINKS)]}, "h", "V8")


async def clean(page: Page) -> None:
    """Nothing ran, and nothing waits for a press to run."""
    assert await page.evaluate("window.hurt") is None
    hrefs: list[str] = await page.eval_on_selector_all("[href], [src]", "all => all.map(each => each.href || each.src)")
    assert not [href for href in hrefs if href.lower().startswith("javascript")]
    assert await page.locator("body script, [onerror], [onload], img[src=x]").count() == 0


async def test_no_name_title_file_code_or_link_runs(filled: PageServer, open_page: Open) -> None:
    """Invariant 6."""
    fill(filled)
    page = await open_page(filled.address)
    telegram, slack = page.locator("#telegram"), page.locator("#slack")
    await expect(telegram.get_by_role("tab", name=EVIL)).to_be_visible()
    await expect(telegram.locator(".tg-pinned")).to_contain_text(EVIL)
    await expect(telegram.locator(".tg-file-name")).to_have_text(f"{QUOTED}.html")
    await expect(telegram.locator(".tg-reply-text")).to_have_text(EVIL)
    await expect(telegram.locator("pre")).to_have_text(EVIL)
    await expect(slack.locator(".sl-thread .sl-header")).to_contain_text(EVIL)
    await expect(slack.locator(".task-head")).to_contain_text(EVIL)
    shown = slack.locator(".sl-thread .sl-message").nth(1)
    await expect(shown).to_contain_text(f"a label {SCRIPT} *<b>* :constructor: :__proto__:")
    await expect(shown.locator("strong").first).to_have_text(EVIL)
    await clean(page)
    for link in await slack.locator(".sl-thread a[target=_blank]").all():
        assert (await link.get_attribute("href") or "").startswith(("https://a.example", "/api/file/"))
    await slack.get_by_role("button", name="Home").click()
    await expect(page.locator(".sl-home")).to_contain_text("a label")
    await clean(page)
    open_modal(filled, modal(section(f"{EVIL} {LINKS}"), title=EVIL))
    await expect(page.get_by_role("dialog", name=EVIL)).to_be_visible()
    await clean(page)


async def test_a_file_opened_by_its_address_acts_as_no_page_of_ours(filled: PageServer, open_page: Open) -> None:
    fill(filled)
    page = await open_page(filled.address)
    for file in (page.locator(".tg-file"), page.locator(".sl-file")):
        async with page.expect_download() as download:
            await file.click()
        assert (await download.value).suggested_filename
    await clean(page)
