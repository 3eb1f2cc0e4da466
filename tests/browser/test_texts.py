"""Texts from outside on the page: all of their words are shown, and nothing in them becomes more than text."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page

HOSTILE = (
    "<img src=x onerror=\"window.hurt = 1\">",
    "<script>window.hurt = 1</script>",
    "[press](javascript:window.hurt=1)",
    "<javascript:window.hurt=1|press>",
    "![x](x \"onerror=window.hurt=1\")",
    "`</code><img src=x onerror=window.hurt=1>`",
)  # fmt: skip
DRAW = """async ([module, name, args]) => {
  const nodes = (await import(`/static/js/${module}`))[name](...args);
  const box = document.createElement("div");
  box.append(...nodes);
  document.body.replaceChildren(box);
  return { html: box.innerHTML, text: box.textContent };
}"""


async def draw(page: Page, module: str, name: str, *args: Any) -> dict[str, str]:
    """What one of the page's renderers makes of something: its markup and its text."""
    drawn: dict[str, str] = await page.evaluate(DRAW, [module, name, list(args)])
    return drawn


async def markdown(page: Page, text: str) -> str:
    return (await draw(page, "text/markdown.js", "markdown", text))["html"]


async def mrkdwn(page: Page, text: str) -> dict[str, str]:
    code = """async ([text]) => {
      const people = { user: (id) => `name of ${id}`, channel: (id) => id, isMe: () => false };
      const box = document.createElement("div");
      box.append(...(await import("/static/js/slack/mrkdwn.js")).mrkdwn(text, people));
      document.body.replaceChildren(box);
      return { html: box.innerHTML, text: box.textContent };
    }"""
    drawn: dict[str, str] = await page.evaluate(code, [text])
    return drawn


@pytest.mark.parametrize("renderer", ["markdown", "mrkdwn", "telegram"])
async def test_nothing_in_a_text_can_run(modules: Page, renderer: str) -> None:
    """Invariant 6: nothing from an agent can break out of its frame."""
    for text in HOSTILE:
        match renderer:
            case "markdown":
                await markdown(modules, text)
            case "mrkdwn":
                await mrkdwn(modules, text)
            case _:
                links = [{"type": "text_link", "url": "javascript:window.hurt=1", "offset": 0, "length": len(text)}]
                await draw(modules, "telegram/entities.js", "entityNodes", text, links, "key")
        hrefs = await modules.eval_on_selector_all("a[href]", "all => all.map(each => each.getAttribute('href'))")
        assert not [href for href in hrefs if href.lower().startswith("javascript")]
        assert await modules.locator("body img, body script").count() == 0
    assert await modules.evaluate("window.hurt") is None


async def test_telegrams_entities_nest_and_count_in_utf16(modules: Page) -> None:
    text = "🟢 Done: pay attention"
    entities = [
        {"type": "bold", "offset": 3, "length": 19},
        {"type": "italic", "offset": 9, "length": 3},
        {"type": "code", "offset": 13, "length": 9},
    ]
    drawn = await draw(modules, "telegram/entities.js", "entityNodes", text, entities, "key")
    assert drawn["html"] == "🟢 <strong>Done: <em>pay</em> <code>attention</code></strong>"
    assert drawn["text"] == text


async def test_a_date_of_telegrams_is_shown_in_the_readers_time(modules: Page) -> None:
    entities = [{"type": "date_time", "unix_time": 1796014741, "date_time_format": "dt", "offset": 3, "length": 9}]
    drawn = await draw(modules, "telegram/entities.js", "entityNodes", "at 04:59 UTC", entities, "key")
    assert 'datetime="2026-11-30T04:59:01.000Z"' in drawn["html"]


async def test_a_box_of_code_stands_alone_and_keeps_its_lines(modules: Page) -> None:
    text = "before\nfirst\nsecond\nafter"
    entities = [{"type": "pre", "language": "python", "offset": 7, "length": 12}]
    drawn = await draw(modules, "telegram/entities.js", "entityNodes", text, entities, "key")
    assert await modules.locator("pre").text_content() == "first\nsecond"
    assert drawn["html"].startswith("before<figure")
    assert drawn["html"].endswith("</figure>after")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("a **b *c* d** ~~e~~ `f*g`", "<p>a <strong>b <em>c</em> d</strong> <s>e</s> <code>f*g</code></p>"),
        ("snake_case_name and 2 * 3 * 4", "<p>snake_case_name and 2 * 3 * 4</p>"),
        (r"\*not this\*", "<p>*not this*</p>"),
        ("### Title", '<p class="md-heading md-h3">Title</p>'),
        ("- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("- [x] done\n- [ ] open", "<ul><li>☑ done</li><li>☐ open</li></ul>"),
        ("> said\n> twice", "<blockquote><p>said<br>twice</p></blockquote>"),
        ("a < b && c > d", "<p>a &lt; b &amp;&amp; c &gt; d</p>"),
    ],
)
async def test_markdown_looks_as_it_should(modules: Page, source: str, shown: str) -> None:
    assert await markdown(modules, source) == shown


async def test_markdowns_tables_and_code_are_boxes(modules: Page) -> None:
    await markdown(modules, "| a | b |\n|---|--:|\n| 1 | `x\\|y` |\n\n```python\nif a:\n    b\n```\nend")
    assert await modules.locator("table tr").all_inner_texts() == ["a\tb", "1\tx|y"]
    assert await modules.locator("td").nth(1).get_attribute("data-align") == "right"
    assert await modules.locator("pre").text_content() == "if a:\n    b"
    assert await modules.locator("figcaption span").text_content() == "python"
    assert await modules.locator("p").last.text_content() == "end"


async def test_slacks_markup_shows_names_links_and_code(modules: Page) -> None:
    drawn = await mrkdwn(modules, "*b* _i_ ~s~ `c*d*` <@U1> <https://a.example/?x=1&amp;y=2|there> 1 &lt; 2")
    assert drawn["text"] == "b i s c*d* @name of U1 there 1 < 2"
    assert await modules.locator("a").get_attribute("href") == "https://a.example/?x=1&y=2"
    for tag, text in (("strong", "b"), ("em", "i"), ("s", "s"), ("code", "c*d*")):
        assert await modules.locator(tag).text_content() == text
