"""Text hygiene (invariant 5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cards.text import clean, reveal, utf16_len

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)


@given(ANY_TEXT)
def test_cleaned_text_can_be_encoded_and_holds_no_nul(text: str) -> None:
    """Invariant 5: no store or platform chokes on it."""
    cleaned = clean(text)
    cleaned.encode()
    assert "\x00" not in cleaned
    assert clean(cleaned) == cleaned


def test_surrogate_halves_that_belong_together_are_joined() -> None:
    assert clean("\ud83d\ude00!") == "😀!"


@pytest.mark.parametrize(("bad", "good"), [("a\ud83d", "a\ufffd"), ("\x00", "\u2400"), ("plain", "plain")])
def test_what_cannot_be_kept_is_replaced_visibly(bad: str, good: str) -> None:
    assert clean(bad) == good


def test_other_values_pass_so_that_a_validator_can_refuse_them() -> None:
    assert clean(7) == 7


@given(ANY_TEXT)
def test_length_is_counted_in_utf16_units(text: str) -> None:
    assert utf16_len(text) == sum(2 if char > "\uffff" else 1 for char in text)


def test_bidi_and_zero_width_characters_are_made_visible() -> None:
    """Invariant 4: an argument can't look like another one."""
    assert reveal("rm\u202e-rf\u200b") == "rm⟨U+202E⟩-rf⟨U+200B⟩"
