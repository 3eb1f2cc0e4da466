"""The list of what waits: pages, and nothing that could be mistaken for a decision."""

from bridge.cards.model import Text
from bridge.cards.request.pending import PendingView, present_pending


def waiting(count: int) -> list[PendingView]:
    return [
        PendingView("s", f"r{number}", f"h{number}", "parser", "Bash", {"command": f"run {number}"})
        for number in range(count)
    ]


def test_a_page_has_eight_and_the_last_is_never_left() -> None:
    first, last, beyond = (present_pending(waiting(20), page) for page in (0, 2, 9))
    assert [len(row) for row in first.buttons] == [1] * 8 + [1]
    assert first.buttons[-1][0].label == "More ›"
    assert [button.label for button in last.buttons[-1]] == ["‹ Back"]
    assert len(last.buttons) == 4 + 1
    assert beyond == last


def test_its_buttons_only_show() -> None:
    """Invariant 4."""
    acts = present_pending(waiting(3)).acts()
    assert {act.do for act in acts} == {"show_request"}
    assert [(act.session, act.request, act.argument_hash) for act in acts] == [
        ("s", f"r{number}", f"h{number}") for number in range(3)
    ]


def test_hidden_characters_are_named_here_too() -> None:
    card = present_pending([PendingView("s", "r", "h", "parser", "Bash", {"command": "a\u202eb"})])
    (piece,) = card.pieces
    assert isinstance(piece, Text)
    assert any("a⟨U+202E⟩b" in span.text for line in piece.lines for span in line)
