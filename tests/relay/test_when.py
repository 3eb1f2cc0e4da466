"""When a planned message goes, in a person's time zone; forms that would have to be guessed are refused in words."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bridge.relay.people.when import NotUnderstood, planned_at, planned_in, said_moment

BERLIN = ZoneInfo("Europe/Berlin")
NOON = int(datetime(2026, 11, 30, 12, 0, tzinfo=BERLIN).timestamp() * 1000)


def at(words: str, now_ms: int = NOON) -> str:
    planned = planned_at(words, now_ms, BERLIN)
    return f"{datetime.fromtimestamp(planned.at_ms / 1000, UTC):%d %H:%M} {planned.text}"


def test_a_time_of_day_is_today_or_tomorrow_if_it_is_past() -> None:
    assert at("18:30 run the tests") == "30 17:30 run the tests"
    assert at("9:05 run the tests") == "01 08:05 run the tests"
    assert at("12:00 now is past") == "01 11:00 now is past"


def test_a_message_may_begin_with_what_no_time_of_day_ends_with() -> None:
    assert at("18:30 am I right?") == "30 17:30 am I right?"
    assert at("11:30 amend it") == "01 10:30 amend it"


def test_seven_days_are_so_many_hours_also_when_the_clocks_change_meanwhile() -> None:
    """The hub counts hours: on the clocks of that week an hour more or less would be seven days, too."""
    for before, said, farthest in (((10, 23), "10-30", (11, 0)), ((3, 27), "04-03", (13, 0))):
        now_ms = int(datetime(2026, *before, 12, 0, tzinfo=BERLIN).timestamp() * 1000)
        hour, minute = farthest
        assert planned_at(f"2026-{said} {hour}:{minute:02} go", now_ms, BERLIN).at_ms - now_ms == 7 * 86_400_000
        with pytest.raises(NotUnderstood, match="7 days"):
            planned_at(f"2026-{said} {hour}:{minute + 1:02} go", now_ms, BERLIN)


def test_a_day_may_be_named() -> None:
    assert at("2026-12-02 07:00 deploy") == "02 06:00 deploy"


def test_the_text_is_kept_as_it_is_written() -> None:
    assert planned_at("18:30 first\n  second", NOON, BERLIN).text == "first\n  second"


@pytest.mark.parametrize(
    ("words", "span_ms"),
    [
        ("2h go", 7_200_000),
        ("30m go", 1_800_000),
        ("1h30m go", 5_400_000),
        ("2d go", 172_800_000),
        ("5min go", 300_000),
    ],
)
def test_a_span_counts_from_now(words: str, span_ms: int) -> None:
    planned = planned_in(words, NOON, BERLIN)
    assert (planned.at_ms - NOON, planned.text) == (span_ms, "go")


@pytest.mark.parametrize(
    "words",
    [
        "tomorrow morning go",
        "6pm go",
        "half past six go",
        "25:00 go",
        "18:60 go",
        "",
        "18:300 go",
        "6:30pm go",
        "6:30 pm go",
        "6:30 P.M. go",
        "12:15 am go",
        "18:30:59 go",
        "18:30+02:00 go",
        "18:30h go",
    ],
)
def test_natural_forms_are_refused_and_not_guessed(words: str) -> None:
    with pytest.raises(NotUnderstood, match="Write 18:30"):
        planned_at(words, NOON, BERLIN)


@pytest.mark.parametrize("words", ["a while go", "2 hours go", "h go", "2h30 go", "", "soon"])
def test_a_span_that_is_none_is_refused(words: str) -> None:
    with pytest.raises(NotUnderstood, match="Write how long"):
        planned_in(words, NOON, BERLIN)


def test_what_can_not_be_is_refused_in_words() -> None:
    with pytest.raises(NotUnderstood, match="no such day"):
        planned_at("2026-02-30 18:00 go", NOON, BERLIN)
    with pytest.raises(NotUnderstood, match="in the past"):
        planned_at("2026-11-29 18:00 go", NOON, BERLIN)
    with pytest.raises(NotUnderstood, match="7 days"):
        planned_at("2026-12-08 18:00 go", NOON, BERLIN)
    with pytest.raises(NotUnderstood, match="7 days"):
        planned_in("8d go", NOON, BERLIN)
    with pytest.raises(NotUnderstood, match="in the past"):
        planned_in("0m go", NOON, BERLIN)
    with pytest.raises(NotUnderstood, match="Write the message"):
        planned_at("18:30", NOON, BERLIN)


@pytest.mark.parametrize("words", ["2026-10-25 02:30 twice", "2026-03-29 02:30 never"])
def test_an_hour_that_comes_twice_or_never_is_refused(words: str) -> None:
    day = datetime.fromisoformat(words[:10]).replace(tzinfo=BERLIN)
    with pytest.raises(NotUnderstood, match="clocks change"):
        planned_at(words, int(day.timestamp() * 1000) - 3_600_000, BERLIN)


def test_a_moment_is_said_in_the_readers_time_and_language() -> None:
    at_ms = planned_at("18:30 go", NOON, BERLIN).at_ms
    assert said_moment(at_ms, BERLIN, "en") == "Mon, Nov 30, 18:30"
    assert said_moment(at_ms, BERLIN, "zh_CN") == "11月30日周一, 18:30"
