"""The home post: what waits and runs, and for a newcomer how to begin, with a thumb."""

from bridge.cards.model import Card, Text
from bridge.cards.own.help import SHELVES, present_help
from bridge.cards.own.home import HomeRow, present_home


def words(card: Card) -> list[str]:
    return [
        "".join(span.text for span in line) for piece in card.pieces if isinstance(piece, Text) for line in piece.lines
    ]


def acts(card: Card) -> list[list[str]]:
    return [[button.act.do for button in row if button.act is not None] for row in card.buttons]


def test_a_newcomer_reads_what_the_post_is_and_how_to_begin() -> None:
    card = present_home([])
    assert words(card)[0] == "Nothing waits and nothing runs."
    assert "Start one below, or with `hapi` on your computer." in words(card)[-1]
    assert acts(card) == [["sessions", "new", "help"]]


def test_who_has_sessions_is_not_told_how_to_begin() -> None:
    assert words(present_home([HomeRow("s1", "parser", "running")])) == ["⚙️ 1 at work", "   parser"]


def test_what_waits_comes_first_and_two_buttons_share_a_row_of_a_phone() -> None:
    card = present_home([HomeRow("s1", "parser", "running"), HomeRow("s2", "lexer", "waiting", waits=1, asked="Bash")])
    assert words(card)[:2] == ["🟠 1 waits for you", "   lexer · Bash"]
    assert acts(card) == [["pending", "sessions"], ["new", "help"]]


def test_its_buttons_leave_it_as_it_is() -> None:
    buttons = [button for row in present_home([]).buttons for button in row]
    assert all(button.act is not None and button.act.data["fresh"] for button in buttons)


def test_the_help_has_no_shelf_without_a_command_behind_it() -> None:
    lines = words(present_help())
    assert not [line for line in lines if line.rstrip().endswith(":")]
    assert sum(line.partition(":")[0] in SHELVES.values() for line in lines) == len(SHELVES) - 1


def test_a_teammate_has_no_button_that_would_be_refused() -> None:
    rows = [HomeRow("s1", "parser", "undecided", waits=1, asked="Bash"), HomeRow("s2", "lexer", "waiting", waits=2)]
    card = present_home(rows, ("pending", "sessions", "help"), owns=False)
    assert words(card) == ["🟠 1 waits for you", "   lexer · 2 requests", "🟠 1 waits for others", "   parser · Bash"]
    assert acts(card) == [["pending", "sessions"], ["help"]]
    assert acts(present_home([], ("sessions", "help"), owns=False)) == [["sessions", "help"]]
    assert acts(present_home(rows, (), owns=False)) == []
    assert "hapi" not in " ".join(words(present_home([], (), owns=False)))
