"""What lies over a chat: modals, and the app's own page."""

from dataclasses import dataclass, field
from typing import Any

from bridge.sandbox.slack.state.users import User
from bridge.sandbox.slack.walk import Placed, find_element, placed_elements

Json = dict[str, Any]


@dataclass(slots=True, eq=False)
class View:
    """A modal or a Home tab as it stands. ``errors`` maps a block_id to the words shown under its input."""

    id: str
    type: str
    user: User
    raw: Json = field(repr=False)
    hash: str
    root_id: str
    previous_id: str | None = None
    values: dict[str, dict[str, Json]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        title: str = self.raw.get("title", {}).get("text", "")
        return title

    @property
    def blocks(self) -> list[Json]:
        blocks: list[Json] = self.raw["blocks"]
        return blocks

    @property
    def elements(self) -> list[Placed]:
        """The interactive elements, inputs included, in reading order."""
        return list(placed_elements(self.blocks))

    def element(self, label_or_action_id: str) -> Placed:
        """The element with this label, action_id or block_id. Raises LookupError naming those there are."""
        by_block = [one for one in self.elements if one.block_id == label_or_action_id]
        return by_block[0] if by_block else find_element(self.elements, label_or_action_id, f"view {self.title!r}")
