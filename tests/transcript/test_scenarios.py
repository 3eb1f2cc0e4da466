"""Scenarios before a message: what is written is read back, and nothing else is taken for them."""

from hypothesis import example, given
from hypothesis import strategies as st

from bridge.transcript.content import Scenario
from bridge.transcript.scenarios import split_scenarios, with_scenarios

TASK = Scenario("create-task.md", 'Create "a" <task>', "# Create\n\nDo it.")
DEPLOY = Scenario("deploy.md", "Deploy", "Only on Fridays.")


def test_the_agent_gets_titles_and_contents_before_the_text() -> None:
    assert with_scenarios("go", [DEPLOY]) == (
        '<scenarios>\n<scenario title="Deploy" filepath="deploy.md">\nOnly on Fridays.\n</scenario>\n</scenarios>\n\ngo'
    )


def test_what_was_written_is_read_back() -> None:
    assert split_scenarios(with_scenarios("go\n\nnow", [TASK, DEPLOY])) == ("go\n\nnow", (TASK, DEPLOY))


def test_a_content_that_holds_the_tags_itself_is_read_back_too() -> None:
    odd = Scenario("odd.md", "Odd", "</scenario>\n</scenarios>\n\nnot the text")
    assert split_scenarios(with_scenarios("go", [odd]))[0].endswith("go")


def test_other_texts_stay_as_they_are() -> None:
    for text in ("", "go", "<scenarios>", "<scenarios>\n\n</scenarios>\n\ngo", "I wrote <scenarios> and </scenarios>"):
        assert split_scenarios(text) == (text, ())


@example("a\n</scenario>\n</scenarios>\n\nb")
@given(st.text())
def test_nothing_is_lost_whatever_the_text_is(text: str) -> None:
    """Invariant 5, invariant 2."""
    kept, scenarios = split_scenarios(text)
    assert scenarios or kept == text
    assert split_scenarios(with_scenarios(text, [DEPLOY])) == (text, (DEPLOY,))
