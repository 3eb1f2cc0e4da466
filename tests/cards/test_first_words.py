"""The words of a notification are plain: no Markdown mark is shown as it was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cards.turn.answer import present_answer
from bridge.cards.turn.first_words import first_words


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("All **12** tests _pass_", "All 12 tests pass"),
        ("# The `parser`\n\nis fixed", "The parser"),
        ("\n\n> - see [the log](https://x.example)\n> - more", "see the log"),
        ("---\n\n```py\nprint(1)\n```", "print(1)"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a | b"),
        ("3*4*5 and __init__", "3*4*5 and init"),
        ("   ", ""),
    ],
)
def test_marks_are_left_out(markdown: str, words: str) -> None:
    assert first_words(markdown, 120) == words


def test_an_answer_without_words_is_called_one() -> None:
    assert present_answer("![](x)\n\n***").summary


@given(st.text(max_size=300))
def test_any_text_has_its_first_words(text: str) -> None:
    """Invariant 5."""
    assert "\n" not in first_words(text, 80)
