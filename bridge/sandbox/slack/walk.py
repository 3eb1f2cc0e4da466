"""Walking through blocks: their interactive elements, and whom they mention."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
MENTION = re.compile(r"<([@#!][^>|]+)(?:\|[^>]*)?>")
BARE = re.compile(r"(?<!\S)@(here|channel|everyone)\b")


@dataclass(slots=True, frozen=True)
class Placed:
    """An interactive element as the person sees it; ``raw`` is what the app sent. Index: among its block's elements."""

    block_id: str
    index: int
    raw: Json
    label: str

    @property
    def type(self) -> str:
        kind: str = self.raw["type"]
        return kind

    @property
    def action_id(self) -> str:
        action: str = self.raw.get("action_id", "")
        return action

    @property
    def style(self) -> str | None:
        return self.raw.get("style")

    @property
    def confirm(self) -> Json | None:
        """The dialog that asks before the press counts."""
        return self.raw.get("confirm")

    @property
    def options(self) -> list[Json]:
        """All options, those of groups included."""
        grouped = [option for group in self.raw.get("option_groups", []) for option in group["options"]]
        return [*self.raw.get("options", []), *grouped]


def placed_elements(blocks: list[Json]) -> Iterator[Placed]:
    """The interactive elements of these blocks in reading order, those inside of containers and cards too."""
    for block in blocks:
        block_id = block.get("block_id", "")
        kind = block.get("type")
        if kind in ("actions", "context_actions"):
            for index, element in enumerate(block["elements"]):
                yield Placed(block_id, index, element, _label(element))
        elif kind == "section" and "action_id" in block.get("accessory", {}):
            yield Placed(block_id, 0, block["accessory"], _label(block["accessory"]))
        elif kind == "input":
            yield Placed(block_id, 0, block["element"], block["label"]["text"])
        elif kind == "card":
            for index, element in enumerate(block.get("actions", [])):
                yield Placed(block_id, index, element, _label(element))
        elif kind == "container":
            yield from placed_elements(block["child_blocks"])
        elif kind == "carousel":
            yield from placed_elements(block["elements"])


def find_element(elements: list[Placed], wanted: str, where: str) -> Placed:
    """The element with this label, action_id or value: exact matches first, then labels that contain it."""
    exact = [one for one in elements if wanted in (one.label, one.action_id, one.raw.get("value"))]
    found = exact or [one for one in elements if wanted in one.label]
    if not found:
        raise LookupError(f"no element {wanted!r} on {where}; there are {[one.label for one in elements]}")
    return found[0]


def mentions_in(text: str, blocks: list[Json], *, mrkdwn: bool, link_names: bool) -> list[str]:
    """Whom a message would ping or name: control sequences in its text (read only where there are no blocks to show),
    in mrkdwn, in Markdown blocks and in rich text; with ``link_names`` also a bare @here.
    """
    found: list[str] = []
    if mrkdwn:
        found += MENTION.findall(text)
    if link_names:
        found += [f"!{word}" for word in BARE.findall(text)]
    return found + list(_mentions(blocks))


def texts_in(value: Any) -> Iterator[str]:
    """Every text and title in blocks, in reading order."""
    if isinstance(value, list):
        for one in value:
            yield from texts_in(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if isinstance(one, str):
                if key in ("text", "title"):
                    yield one
            else:
                yield from texts_in(one)


def _mentions(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _mentions(one)
    elif isinstance(value, dict):
        kind = value.get("type")
        if kind in ("mrkdwn", "markdown"):
            yield from MENTION.findall(str(value.get("text", "")))
        elif kind == "user":
            yield f"@{value.get('user_id')}"
        elif kind == "usergroup":
            yield f"!subteam^{value.get('usergroup_id')}"
        elif kind == "channel":
            yield f"#{value.get('channel_id')}"
        elif kind == "broadcast":
            yield f"!{value.get('range')}"
        else:
            yield from (name for one in value.values() for name in _mentions(one))


def _label(element: Json) -> str:
    text = element.get("text") or element.get("placeholder") or {}
    label: str = text.get("text", "")
    return label or element.get("action_id", "")
