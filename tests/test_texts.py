"""Every text that people read is in the catalogues, and translated whole."""

import pytest

from scripts.texts import misused, names_in, out_of_date, template_of_code, translations, untranslated
from scripts.unwrapped import problems, unwrapped


def test_catalogues_hold_exactly_the_texts_of_the_code() -> None:
    """Run ``make texts``, then translate what it names."""
    assert list(out_of_date(template_of_code())) == []


def test_every_text_is_translated_with_the_same_values_in_it() -> None:
    assert [line for path in translations() for line in untranslated(path)] == []


def test_calls_say_texts_that_a_catalogue_can_hold() -> None:
    assert list(misused()) == []


def test_no_text_for_people_is_left_unwrapped() -> None:
    assert list(problems()) == []


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ('note_card(plain("Nothing here."))', ["Nothing here."]),
        ('note_card(plain(tr("Nothing here.")))', []),
        ("Button(label=f\"{'On' if on else 'Off'} now\", act=Act(do=\"stop\"))", [" now", "Off", "On"]),
        ('Card(summary="Plan", spill="plan.md")', ["Plan"]),
        ('Span(text=" · ")', []),
        ('def run() -> str:\n    "Say so."\n    return "It is done."', ["It is done."]),
        ('log.info("It is done.")', []),
        ('WORDS = N_("It is done.")', []),
    ],
)
def test_the_search_for_unwrapped_texts_finds_them(code: str, seen: list[str]) -> None:
    assert sorted(text for _, text in unwrapped(code, sentences=True)) == seen


def test_names_in_a_text_are_what_stands_in_braces() -> None:
    assert names_in("{name} is {role} now.") == {"name", "role"}
    with pytest.raises(ValueError, match="expected"):
        names_in("{name is open")
